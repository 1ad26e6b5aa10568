"""The chart renders valid, locked-down objects that match the settings, and rejects invalid values."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import yaml
from helm_python import HelmError, lint

from service.settings import Settings
from service.settings.loading import setting_paths
from service.settings.variables import variable_name
from service.telemetry.exporting import FLUSH_SECONDS
from tests.deploy.charts import BUILT_IN, CHART, LEAST, merged, only, render
from tests.deploy.releases import EVERY, MATRIX, environment_of


@pytest.fixture(params=EVERY, scope="module")
def objects(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return render(EVERY[request.param], least=False)


def test_the_chart_lints_without_a_warning():
    report = lint(CHART, LEAST, strict=True)
    assert [each for each in report["messages"] if each["severity"] > 1] == []


@cache
def validate(document: str) -> None:
    """Validates an object once: most are the same for every set of values."""
    import kubernetes_validate  # takes seconds, which every worker would spend to collect the tests

    kubernetes_validate.validate(json.loads(document), "1.33", strict=True)


def test_kubernetes_accepts_every_object(objects: list[dict[str, Any]]):
    for each in objects:
        if each["apiVersion"] in BUILT_IN:
            validate(json.dumps(each))
    names = [(each["kind"], each["metadata"]["name"]) for each in objects]
    assert len(names) == len(set(names))
    assert all(len(name) <= 63 for _, name in names)


def pods(objects: list[dict[str, Any]]):
    for each in objects:
        if each["kind"] in {"Deployment", "Job"}:
            yield each["spec"]["template"]
        elif each["kind"] == "Pod":
            yield each


def test_every_pod_is_locked_down_and_bounded(objects: list[dict[str, Any]]):
    found = list(pods(objects))
    assert len(found) >= 3
    for pod in found:
        spec = pod["spec"]
        assert spec["automountServiceAccountToken"] is False
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in [*spec["containers"], *spec.get("initContainers", [])]:
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert "memory" in container["resources"]["limits"]


def test_every_selector_selects_pods(objects: list[dict[str, Any]]):
    labels = [pod["metadata"]["labels"] for pod in pods(objects)]
    for each in objects:
        selector = (
            each["spec"].get("selector") if each["kind"] in {"Service", "Deployment", "PodDisruptionBudget"} else None
        )
        if selector is not None:
            wanted = selector.get("matchLabels", selector)
            assert any(wanted.items() <= having.items() for having in labels), each["metadata"]["name"]


def test_every_variable_it_sets_is_a_setting(objects: list[dict[str, Any]]):
    known = {variable_name(*path) for path, _ in setting_paths()}
    for each in objects:
        if each["kind"] in {"ConfigMap", "Secret"}:
            held = {**each.get("data", {}), **each.get("stringData", {})}
            assert {name for name in held if name.startswith("SQLASSAY_")} <= known


def test_settings_of_a_release_start_the_service_that_reads_them():
    read = "from service.settings.loading import load_settings; print(load_settings().http.host)"
    done = subprocess.run(
        [sys.executable, "-c", read],
        env={"PATH": os.environ["PATH"], **environment_of(render(MATRIX["a model and a cache"]))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == ("0.0.0.0", "")


@pytest.mark.parametrize(
    ("values", "most"), [({}, "2"), ({"worker": {"replicas": 5}}, "5"), (MATRIX["scaled by lag"], "12")]
)
def test_a_worker_knows_how_many_workers_share_a_budget(values: dict[str, Any], most: str):
    assert only(render(values), "ConfigMap", "assay-sqlassay")["data"]["SQLASSAY_JUDGE__WORKERS"] == most


@pytest.mark.parametrize(
    ("values", "days"),
    [
        ({}, "90"),
        ({"retention": {"days": 14}}, "14"),
        ({"retention": {"days": 0}}, None),
        ({"settings": {"SQLASSAY_RETENTION__DAYS": 7}}, "7"),
    ],
)
def test_rows_are_kept_forever_only_on_request(values: dict[str, Any], days: str | None):
    held = only(render(values), "ConfigMap", "assay-sqlassay")["data"]
    assert held.get("SQLASSAY_RETENTION__DAYS") == days


@pytest.mark.parametrize(
    ("given", "written"),
    [(134_217_728, "134217728"), (1_000_000, "1000000"), (0.25, "0.25"), (30, "30"), (True, "true"), ("1e3", "1e3")],
)
def test_a_number_stays_as_it_is_written(given: object, written: str):
    objects = render({"settings": {"SQLASSAY_DATABASE__TIMEOUT": given}})
    assert only(objects, "ConfigMap", "assay-sqlassay")["data"]["SQLASSAY_DATABASE__TIMEOUT"] == written
    [container] = only(objects, "Job")["spec"]["template"]["spec"]["containers"]
    assert {"name": "SQLASSAY_DATABASE__TIMEOUT", "value": written} in container["env"]


@pytest.mark.parametrize(
    ("endpoint", "port"),
    [("http://collector:4318", 4318), ("https://otlp.example.org/base", 443), ("http://collector", 80)],
)
def test_both_roles_can_reach_the_collector(endpoint: str, port: int):
    held = render({"telemetry": {"endpoint": endpoint}})
    for role in ("api", "worker"):
        rules = only(held, "NetworkPolicy", f"assay-sqlassay-{role}")["spec"]["egress"]
        assert port in [each["port"] for rule in rules for each in rule["ports"]]
    assert only(held, "ConfigMap", "assay-sqlassay")["data"]["SQLASSAY_TELEMETRY__ENDPOINT"] == endpoint


def test_the_drain_is_shorter_than_the_grace_period_of_a_pod():
    given = only(render(), "Deployment", "assay-sqlassay-worker")["spec"]["template"]["spec"]
    defaults = dict(_defaults())
    drain = defaults["limits", "shutdown_seconds"] + defaults["kafka", "drain"] + FLUSH_SECONDS
    assert given["terminationGracePeriodSeconds"] > drain


def _defaults():

    for name, group in Settings.model_fields.items():
        for key, field in getattr(group.annotation, "model_fields", {}).items():
            yield (name, key), field.default


def test_at_most_one_scaler_sets_the_number_of_replicas():
    by_lag = render(MATRIX["scaled by lag"])
    scaled = only(by_lag, "ScaledObject")["spec"]
    assert scaled["scaleTargetRef"]["name"] == only(by_lag, "Deployment", "assay-sqlassay-worker")["metadata"]["name"]
    assert scaled["triggers"][0]["metadata"]["excludePersistentLag"] == "true"
    assert "replicas" not in only(by_lag, "Deployment", "assay-sqlassay-worker")["spec"]
    assert not [each for each in by_lag if each["kind"] == "HorizontalPodAutoscaler"]
    by_cpu = render(MATRIX["scaled by cpu"])
    assert not [each for each in by_cpu if each["kind"] == "ScaledObject"]
    assert len([each for each in by_cpu if each["kind"] == "HorizontalPodAutoscaler"]) == 2


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"kafka": {"bootstrapServers": "kafka"}}, "bootstrapServers"),
        ({"kafka": {"bootstrapServers": ""}}, "name your brokers"),
        ({"secrets": {"databaseUrl": "mysql://db"}}, "databaseUrl"),
        ({"secrets": {"databaseUrl": ""}}, "name your PostgreSQL"),
        ({"secrets": {"tokens": {"*": ""}}}, "tokens"),
        ({"secrets": {"tokens": {"*": "sha256:" + "0" * 64}}}, "tokens"),
        ({"worker": {"autoscaling": {"kind": "both"}}}, "kind"),
        ({"worker": {"replicas": -1}}, "replicas"),
        ({"worker": {"terminationGracePeriodSeconds": 5}}, "terminationGracePeriodSeconds"),
        ({"settings": {"LOG_LEVEL": "debug"}}, "LOG_LEVEL"),
        ({"ingress": {"enabled": True}}, "name at least one host"),
        ({"image": {"pullPolicy": "Sometimes"}}, "pullPolicy"),
        ({"replicaCount": 3}, "replicaCount"),
        ({"login": {"publicUrl": "assay.example.org"}}, "publicUrl"),
        ({"login": {"publicUrl": "https://assay.example.org/console"}}, "publicUrl"),
        ({"login": {"hours": 0}}, "hours"),
        ({"login": {"oidc": {"issuer": "login.example.org"}}}, "issuer"),
        ({"login": {"oidc": {"issuer": "https://login.example.org"}}}, "clientId"),
        ({"login": {"oidc": {"issuer": "https://login.example.org", "clientId": "a"}}}, "tenantClaim"),
        ({"login": {"oidc": {"issuer": "https://a.example", "clientId": "a", "tenant": "*"}}}, "everyone"),
        ({"login": {"oidc": {"roles": {"analyst": ["write"]}}}}, "roles"),
        ({"login": {"proxy": {"addresses": ["proxy"]}}}, "addresses"),
        ({"login": {"proxy": {"addresses": ["10.0.0.5"], "tenant": "*"}}}, "rolesHeader"),
        ({"secrets": {"loginSecret": "short"}}, "loginSecret"),
        ({"telemetry": {"endpoint": "collector:4318"}}, "endpoint"),
        ({"telemetry": {"environment": {"TRACES_SAMPLER": "always_on"}}}, "TRACES_SAMPLER"),
        ({"metrics": {"serviceMonitor": {"interval": "soon"}}}, "interval"),
        ({"ingress": {"paths": ["/"]}}, "paths"),
        ({"ingress": {"paths": ["/v1", "/metrics"]}}, "paths"),
        ({"ingress": {"hosts": [{"host": "assay.example.org", "path": "/"}]}}, "path"),
        ({"networkPolicy": {"egressPorts": ["kafka"]}}, "egressPorts"),
        ({"alerts": {"windows": {"longest": "1h"}}}, "longest"),
        ({"networkPolicy": {"egress": {"kafka": {"to": []}}}}, "to"),
        ({"networkPolicy": {"metricsFrom": [{}]}}, "metricsFrom"),
        ({"networkPolicy": {"metricsFrom": [{"namespace": "monitoring"}]}}, "namespace"),
    ],
)
def test_an_invalid_value_is_rejected_by_name(values: dict[str, Any], said: str):
    with pytest.raises(HelmError, match=said):
        render(values)


def test_a_release_without_tokens_is_rejected():
    with pytest.raises(HelmError, match="give at least one tenant a token"):
        render({"kafka": LEAST["kafka"], "secrets": {"databaseUrl": "postgresql://db/assay"}}, least=False)


def test_an_ingress_serves_no_metrics_and_no_probes():
    served = only(render(MATRIX["open to the world"]), "Ingress")["spec"]["rules"]
    paths = [path for rule in served for path in rule["http"]["paths"]]
    assert {path["path"] for path in paths} == {"/v1", "/console"}
    assert {path["pathType"] for path in paths} == {"Prefix"}


def test_prometheus_shows_a_token_that_the_release_holds():
    values = {"metrics": {"serviceMonitor": {"enabled": True}}}
    held = render(values)
    assert only(held, "ConfigMap", "assay-sqlassay")["data"]["SQLASSAY_HTTP__PUBLIC_METRICS"] == "false"
    [endpoint] = only(held, "ServiceMonitor")["spec"]["endpoints"]
    wanted = endpoint["authorization"]["credentials"]
    secret = only(held, "Secret", wanted["name"])["stringData"]
    assert secret[wanted["key"]] == json.loads(secret["SQLASSAY_HTTP__TOKENS"])["*"]
    public = render({"metrics": {"public": True, "serviceMonitor": {"enabled": True}}})
    assert "authorization" not in only(public, "ServiceMonitor")["spec"]["endpoints"][0]
    own = render(merged(MATRIX["existing secret"], values))
    assert only(own, "ServiceMonitor")["spec"]["endpoints"][0]["authorization"]["credentials"]["name"] == "assay-secret"
    one = {
        "kafka": LEAST["kafka"],
        "secrets": {**LEAST["secrets"], "tokens": {"bakers": "a-token-of-the-bakers-alone-0123456789"}},
        **values,
    }
    with pytest.raises(HelmError, match="Prometheus needs a token for all tenants"):
        render(one, least=False)


def test_every_value_is_in_the_schema_and_no_other():
    schema = json.loads((CHART / "values.schema.json").read_text())
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    assert set(values) == set(schema["properties"]) - {"global"}


def sections(values: dict[str, Any], before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of the mappings in the chart's values."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield (*before, key)
            yield from sections(value, (*before, key))


@pytest.mark.parametrize("path", sections(yaml.safe_load((CHART / "values.yaml").read_text("utf-8"))), ids=".".join)
def test_a_section_without_a_value_renders_or_is_named_with_the_fix(path: tuple[str, ...]) -> None:
    values: dict[str, Any] = copy.deepcopy(LEAST)
    inner = values
    for key in path[:-1]:
        inner = inner.setdefault(key, {})
    inner[path[-1]] = None
    try:
        render(values, least=False)
    except HelmError as error:
        assert f"{'.'.join(path)}: is empty: leave it out of your values" in str(error)  # noqa: PT017
