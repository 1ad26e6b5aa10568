"""All Pods share `common`; each workload adds its own, and the schema knows every value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from helm_python import HelmError

from tests.deploy.charts import CHART, LEAST, ROOT, merged, notes, only, render
from tests.deploy.network import RELEASE, Place, admitted
from tests.deploy.releases import CLUSTERS, MATRIX


@pytest.mark.parametrize("kind", ["Deployment", "Job", "Pod"])
def test_common_values_reach_every_pod_and_a_workload_adds_its_own(kind: str):
    common = {
        "labels": {"team": "quality"},
        "podLabels": {"tier": "backend"},
        "nodeSelector": {"pool": "common"},
        "tolerations": [{"key": "spot"}],
        "priorityClassName": "low",
        "podSecurityContext": {"runAsUser": None},
    }
    own = {"nodeSelector": {"zone": "a"}, "tolerations": [{"key": "gpu"}], "priorityClassName": "high"}
    values = {"common": common, **dict.fromkeys(("api", "worker", "migrations", "tests"), own)}
    for each in (each for each in render(values) if each["kind"] == kind):
        made = each if kind == "Pod" else each["spec"]["template"]
        assert made["metadata"]["labels"].items() >= {"team": "quality", "tier": "backend"}.items()
        assert made["spec"]["nodeSelector"] == {"pool": "common", "zone": "a"}
        assert made["spec"]["tolerations"] == [{"key": "spot"}, {"key": "gpu"}]
        assert made["spec"]["priorityClassName"] == "high"
        assert "runAsUser" not in made["spec"]["securityContext"]


def test_labels_of_the_user_change_no_selector():
    values = {"common": {"labels": {"team": "quality"}, "podLabels": {"app.kubernetes.io/name": "other"}}}
    for name in ("api", "worker"):
        plain, labelled = (only(render(each), "Deployment", f"assay-sqlassay-{name}") for each in ({}, values))
        assert plain["spec"]["selector"] == labelled["spec"]["selector"]
        assert (
            labelled["spec"]["template"]["metadata"]["labels"].items()
            >= plain["spec"]["selector"]["matchLabels"].items()
        )


@pytest.mark.parametrize("label", ["app.kubernetes.io/name", "app.kubernetes.io/component", "helm.sh/chart"])
def test_a_label_of_the_chart_is_no_label_of_the_user(label: str):
    with pytest.raises(HelmError, match=label):
        render({"common": {"labels": {label: "other"}}})


def test_annotations_of_the_user_do_not_unhook_the_job():
    values = {"migrations": {"annotations": {"helm.sh/hook": "post-install", "owner": "quality"}}}
    held = only(render(values), "Job")["metadata"]["annotations"]
    assert (held["helm.sh/hook"], held["owner"]) == ("pre-install,pre-upgrade", "quality")


def test_the_canary_takes_placement_only():
    values = {
        "common": {
            "sidecars": [{"name": "shipper", "image": "shipper"}],
            "initContainers": [{"name": "proxy", "image": "proxy"}],
            "extraEnv": [{"name": "HTTPS_PROXY", "value": "http://proxy:3128"}],
            "priorityClassName": "low",
        }
    }
    objects = render(values)
    canary, job = only(objects, "Pod")["spec"], only(objects, "Job")["spec"]["template"]["spec"]
    assert [each["name"] for each in canary["containers"]] == ["canary"]
    assert "initContainers" not in canary
    assert canary["priorityClassName"] == "low"
    assert [each["name"] for each in job["containers"]] == ["migrate"], "a sidecar would keep the Job from ending"
    assert [each["name"] for each in job["initContainers"]] == ["proxy"]


def test_the_canary_finds_the_tokens_wherever_they_are():
    def tokens(values: dict[str, Any]) -> dict[str, Any]:
        [container] = only(render(values), "Pod")["spec"]["containers"]
        return {each["name"]: each for each in container["env"]}["CANARY_TOKENS"]["valueFrom"]["secretKeyRef"]

    key = {"name": "assay-tokens", "key": "json"}
    tokens_variable = "SQLASSAY_HTTP__TOKENS"
    assert tokens({}) == {"name": "assay-sqlassay", "key": tokens_variable, "optional": True}
    assert tokens({"secrets": {"from": {tokens_variable: key}}}) == {**key, "optional": True}
    given = {"name": tokens_variable, "valueFrom": {"secretKeyRef": key}}
    assert tokens({"common": {"extraEnv": [given]}}) == key


def test_a_constraint_without_selector_gets_that_of_its_role():
    objects = render(CLUSTERS["spread over zones strictly"])
    for role in ("api", "worker"):
        made = only(objects, "Deployment", f"assay-sqlassay-{role}")["spec"]
        zones, nodes = made["template"]["spec"]["topologySpreadConstraints"]
        assert zones["labelSelector"] == made["selector"]
        assert nodes["labelSelector"] == {"matchLabels": {"tier": "backend"}}


def test_a_changed_secret_of_the_chart_makes_new_pods_and_others_by_annotation():
    def annotations(values: dict[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
        made = only(render(values), "Deployment", "assay-sqlassay-api")
        return made["metadata"].get("annotations", {}), made["spec"]["template"]["metadata"]["annotations"]

    _, before = annotations({})
    _, after = annotations({"secrets": {"redisUrl": "redis://redis:6379/0"}})
    assert before["checksum/secret"] != after["checksum/secret"]
    assert before["checksum/config"] == after["checksum/config"]
    own, _ = annotations(CLUSTERS["restarted when a secret changes"])
    assert own == {"reloader.stakater.com/auto": "true"}


def test_a_gateway_removes_the_prefix_that_it_adds():
    route = only(render(CLUSTERS["the api below a path of a shared host, by a gateway"]), "HTTPRoute")["spec"]
    [rule] = route["rules"]
    assert rule["matches"] == [{"path": {"type": "PathPrefix", "value": "/quality/sqlassay/v1"}}]
    assert rule["filters"][-1]["urlRewrite"]["path"] == {"type": "ReplacePrefixMatch", "replacePrefixMatch": "/v1"}
    assert rule["backendRefs"] == [{"name": "assay-sqlassay", "port": 80}]


RENAMED = {("networkPolicy", "egressPorts"): "networkPolicy.egress", ("alerts", "windows"): "alerts.conditions"}
"""Values of the first chart that have another name now, which Helm's notes and docs/kubernetes/README.md say."""


def first_values() -> dict[str, Any]:
    return yaml.safe_load(Path(__file__).with_name("first_values.yaml").read_text("utf-8"))


def test_an_upgrade_reads_the_values_of_the_first_chart():
    values = first_values()
    objects = render(merged(values, LEAST), least=False)
    assert {each["kind"] for each in objects} >= {"Deployment", "Job", "Service", "PodDisruptionBudget"}
    # the two whose default changed
    assert only(objects, "ConfigMap", "assay-sqlassay")["data"]["SQLASSAY_HTTP__PUBLIC_METRICS"] == "true"
    [worker] = only(objects, "Deployment", "assay-sqlassay-worker")["spec"]["template"]["spec"]["containers"]
    assert worker["resources"]["requests"]["memory"] == "512Mi"


@pytest.mark.parametrize("path", RENAMED)
def test_a_value_of_the_first_chart_that_is_renamed_is_named_after_an_install(path: tuple[str, str]):
    group, key = path
    said = f"{group}.{key} is now {RENAMED[path]}"
    assert said in notes(merged(first_values(), LEAST))
    assert said not in notes(LEAST)
    page = (ROOT / "docs" / "kubernetes" / "README.md").read_text("utf-8")
    assert f"`{group}.{key}` is now `{RENAMED[path]}`" in " ".join(page.split())


@pytest.mark.parametrize("role", ["api", "worker", "migrate"])
def test_ports_of_the_first_chart_stay_open(role: str):
    policies = [each for each in render({"networkPolicy": {"egressPorts": [8000]}}) if each["kind"] == "NetworkPolicy"]
    chosen = only(policies, "NetworkPolicy", f"assay-sqlassay-{role}")["spec"]["podSelector"]["matchLabels"]
    source = Place(namespace=RELEASE, labels=chosen)
    for address, passes in (("203.0.113.7", True), ("10.1.2.3", True), ("169.254.169.254", False)):
        assert admitted(policies, source, Place(address=address), 8000) is passes
    assert admitted(policies, source, Place(namespace="models"), 8000)
    assert not admitted(policies, source, Place(address="203.0.113.7"), 443)


def test_conditions_of_the_first_chart_win():
    def rules(**alerts: Any) -> str:
        return str(only(render({"alerts": {"enabled": True, **alerts}}), "PrometheusRule")["spec"])

    assert rules(windows={"long": "3h"}) == rules(conditions={"long": "3h"})
    assert rules(windows={}) == rules() != rules(windows={"long": "3h"})


def test_names_and_selectors_stay_over_an_upgrade():
    objects = render(MATRIX["placed"])
    selector = {"app.kubernetes.io/name": "sqlassay", "app.kubernetes.io/instance": "assay"}
    for role in ("api", "worker"):
        found = only(objects, "Deployment", f"assay-{role}")["spec"]["selector"]["matchLabels"]
        assert found == {**selector, "app.kubernetes.io/component": role}
    assert only(objects, "Service", "assay")["spec"]["selector"] == {**selector, "app.kubernetes.io/component": "api"}


def paths(values: dict[str, Any], at: tuple[str, ...] = ()):
    for key, value in values.items():
        yield (*at, key)
        if isinstance(value, dict):
            yield from paths(value, (*at, key))


def test_the_schema_covers_every_value_at_every_depth():
    schema = json.loads((CHART / "values.schema.json").read_text())
    values = yaml.safe_load((CHART / "values.yaml").read_text())

    def resolved(part: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in part:
            found: Any = schema
            for step in part["$ref"].removeprefix("#/").split("/"):
                found = found[step]
            part = found
        return part

    for path in paths(values):
        part = schema
        for key in path:
            part = resolved(part)
            if "properties" not in part:
                break
            assert part["additionalProperties"] is False, path
            assert key in part["properties"], path
            part = part["properties"][key]


def test_every_workload_takes_every_common_value():
    common = yaml.safe_load((CHART / "values.yaml").read_text())["common"]
    schema = json.loads((CHART / "values.schema.json").read_text())["properties"]
    for block, left_out in (
        *((each, {"labels"}) for each in ("api", "worker")),
        *((each, {"labels", "sidecars", "probes"}) for each in ("migrations", "tests")),
    ):
        assert set(common) - set(schema[block]["properties"]) == left_out
