"""The chart as its tests render it: in process, offline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from helm_python import Chart

ROOT = Path(__file__).parents[2]
CHART = ROOT / "deploy" / "helm" / "sqlassay"
LEAST = {
    "kafka": {"bootstrapServers": "kafka-0.kafka:9092"},
    "secrets": {"databaseUrl": "postgresql://assay:pass@db:5432/assay", "tokens": {"*": "all-tenants"}},
}
"""What an installation cannot do without."""
BUILT_IN = {"v1", "apps/v1", "batch/v1", "policy/v1", "autoscaling/v2", "networking.k8s.io/v1"}
"""Versions of Kubernetes' own objects; all others are for operators."""


def merged(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    """`left` with what `right` says otherwise."""
    both = {key: merged(left[key], right[key]) for key in left.keys() & right.keys() if isinstance(left[key], dict)}
    return {**left, **right, **both}


def render(values: dict[str, Any] | None = None, *, least: bool = True) -> list[dict[str, Any]]:
    """Every object that the chart makes of these values, after its schema has passed them."""
    given = merged(LEAST, values or {}) if least else values or {}
    with Chart.load(CHART) as chart:
        chart.validate_schema(given)
        files = chart.render(given, name="assay", namespace="quality")
    return [each for name, text in sorted(files.items()) if name.endswith(".yaml") for each in documents(text)]


def documents(text: str) -> Iterator[dict[str, Any]]:
    """The objects of one rendered file."""
    return (each for each in yaml.safe_load_all(text) if each)


def only(objects: list[dict[str, Any]], kind: str, name: str | None = None) -> dict[str, Any]:
    """The one object of a kind, and of a name where there are several."""
    found = [each for each in objects if each["kind"] == kind and name in {None, each["metadata"]["name"]}]
    assert len(found) == 1, [each["metadata"]["name"] for each in found]
    return found[0]
