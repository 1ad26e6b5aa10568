"""The chart's custom resources match the published types of their operators."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from tests.deploy.charts import BUILT_IN, only, render

pytestmark = pytest.mark.slow  # reads large schemas

KINDS = ("ScaledObject", "ServiceMonitor", "PrometheusRule")


@cache
def types() -> dict[str, type[BaseModel]]:
    """Generated from the operators' CustomResourceDefinitions."""
    # take seconds, which every worker would spend to collect the tests
    from cloudcoil.models.keda.v1alpha1 import ScaledObject
    from cloudcoil.models.prometheus_operator.v1 import PrometheusRule, ServiceMonitor

    return {"ScaledObject": ScaledObject, "ServiceMonitor": ServiceMonitor, "PrometheusRule": PrometheusRule}


EVERYTHING: dict[str, Any] = {
    "worker": {"autoscaling": {"kind": "keda"}},
    "metrics": {"serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}}},
    "alerts": {"enabled": True, "labels": {"release": "prometheus"}},
}


def unknown(made: dict[str, Any]) -> bool:
    """Whether the object has a field that its type lacks, and that an API server would drop."""
    read = types()[str(made["kind"])].model_validate(made)
    return read.model_dump(mode="json", by_alias=True, exclude_unset=True) != made


@pytest.fixture(scope="module")
def objects() -> list[dict[str, Any]]:
    return render(EVERYTHING)


def test_every_custom_resource_has_a_published_type():
    assert (
        {each["kind"] for each in render(EVERYTHING) if each["apiVersion"] not in BUILT_IN}
        == set(types())
        == set(KINDS)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_custom_resource_matches_its_type(objects: list[dict[str, Any]], kind: str):
    assert not unknown(only(objects, kind))


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("ScaledObject", ("spec", "maxReplicaCount"), "many"),
        ("ScaledObject", ("spec", "triggers", 0, "type"), None),
        ("ScaledObject", ("spec", "scaleTargetRef"), None),
        ("ServiceMonitor", ("spec", "endpoints", 0, "interval"), "soon"),
        ("ServiceMonitor", ("spec", "selector"), None),
        ("PrometheusRule", ("spec", "groups", 0, "rules", 0, "expr"), None),
        ("PrometheusRule", ("spec", "groups", 0, "name"), None),
    ],
)
def test_a_wrong_or_missing_value_is_rejected(
    objects: list[dict[str, Any]], kind: str, path: tuple[str | int, ...], value: object
):
    made = copy.deepcopy(only(objects, kind))
    holder: Any = made
    for step in path[:-1]:
        holder = holder[step]
    if value is None:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    with pytest.raises(ValidationError):
        unknown(made)


@pytest.mark.parametrize("kind", KINDS)
def test_a_misspelt_field_is_found(objects: list[dict[str, Any]], kind: str):
    made = copy.deepcopy(only(objects, kind))
    made["spec"]["misspelt"] = True
    assert unknown(made)
