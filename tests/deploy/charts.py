"""Renders the chart in process and offline. Each set of values is rendered once."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from helm_python import Chart

ROOT = Path(__file__).parents[2]
CHART = ROOT / "deploy" / "helm" / "sqlassay"
LEAST = {
    "kafka": {"bootstrapServers": "kafka-0.kafka:9092"},
    "secrets": {"databaseUrl": "postgresql://assay:pass@db:5432/assay", "tokens": {"*": "all-tenants-for-tests-only"}},
}
"""The smallest set of values that installs."""
BUILT_IN = {"v1", "apps/v1", "batch/v1", "policy/v1", "autoscaling/v2", "networking.k8s.io/v1"}
"""API versions of Kubernetes itself. All others belong to operators."""


def merged(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    """`left` with the values of `right` on top."""
    both = {key: merged(left[key], right[key]) for key in left.keys() & right.keys() if isinstance(left[key], dict)}
    return {**left, **right, **both}


def render(
    values: dict[str, Any] | None = None, *, least: bool = True, release: str = "assay", namespace: str = "quality"
) -> list[dict[str, Any]]:
    """Validates the values and returns every rendered object."""
    given = merged(LEAST, values or {}) if least else values or {}
    return copy.deepcopy(_rendered(json.dumps(given), release, namespace))


def notes(values: dict[str, Any]) -> str:
    """What Helm prints after an install."""
    with Chart.load(CHART) as chart:
        files = chart.render(values, name="assay", namespace="quality")
    return " ".join(files["sqlassay/templates/NOTES.txt"].split())


@cache
def _rendered(values: str, release: str, namespace: str) -> list[dict[str, object]]:
    given = json.loads(values)
    with Chart.load(CHART) as chart:
        chart.validate_schema(given)
        files = chart.render(given, name=release, namespace=namespace)
    return [each for name, text in sorted(files.items()) if name.endswith(".yaml") for each in documents(text)]


def documented_install() -> tuple[str, dict[str, Any]]:
    """The release's name and the values of the install that the operations page shows."""
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8").replace("\\\n", " ")
    found = re.search(r"^\$ helm -n quality install (\S+) deploy/helm/sqlassay (.+)$", page, flags=re.MULTILINE)
    assert found, "docs/operations.md shows no install"
    values: dict[str, Any] = {}
    for name, value in re.findall(r"--set (\S+?)=(\S+)", found[2]):
        nested: Any = yaml.safe_load(value)
        for key in reversed(name.split(".")):
            nested = {key: nested}
        values = merged(values, nested)
    return found[1], values


def documents(text: str) -> Iterator[dict[str, Any]]:
    """The objects in one rendered file."""
    return (each for each in yaml.load_all(text, _OnceLoader) if each)


class _OnceLoader(yaml.CSafeLoader):
    """Refuses a key that stands twice in one mapping, of which Kubernetes would drop one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value]
        assert len(keys) == len(set(keys)), f"{node.start_mark}: {[key for key in keys if keys.count(key) > 1]}"
        return super().construct_mapping(node, deep)


def only(objects: list[dict[str, Any]], kind: str, name: str | None = None) -> dict[str, Any]:
    """The only object of a kind, or of a kind and name."""
    found = [each for each in objects if each["kind"] == kind and name in {None, each["metadata"]["name"]}]
    assert len(found) == 1, [each["metadata"]["name"] for each in found]
    return found[0]
