"""Values for real clusters: every role reads its settings, operators accept their objects, and the right flows pass."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from service.settings.loading import load_settings
from tests.deploy.charts import BUILT_IN, ROOT, only, render
from tests.deploy.kubelet import environment
from tests.deploy.network import RELEASE, Place, admitted
from tests.deploy.releases import CLUSTERS, DOCUMENTED, EVERY

HELD = {
    "SQLASSAY_DATABASE__URL": "postgresql://assay:pass@db:5432/assay",
    "SQLASSAY_HTTP__TOKENS": json.dumps({"*": "all-tenants-for-tests-only"}),
    "SQLASSAY_REDIS__URL": "redis://redis:6379/0",
    "SQLASSAY_KAFKA__SASL_PASSWORD": "quartz",
}
"""What operators put into their own Secrets."""


def containers(objects: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The container that reads settings, of each role."""
    return {
        each["metadata"]["name"].rpartition("-")[2]: each["spec"]["template"]["spec"]["containers"][0]
        for each in objects
        if each["kind"] in {"Deployment", "Job"}
    }


def own_secrets(container: Mapping[str, Any], objects: list[dict[str, Any]]) -> dict[str, dict[str, str]]:
    """A Secret for each that a container names and the chart does not make."""
    made = {each["metadata"]["name"] for each in objects if each["kind"] == "Secret"}
    found: dict[str, dict[str, str]] = {}
    for each in container.get("envFrom", []):
        if "secretRef" in each:
            found.setdefault(each["secretRef"]["name"], {}).update(HELD)
    for each in container.get("env", []):
        if key := each.get("valueFrom", {}).get("secretKeyRef"):
            found.setdefault(key["name"], {})[key["key"]] = HELD.get(each["name"], "held-by-a-secret")
    return {name: data for name, data in found.items() if name not in made}


def test_there_are_values_for_many_clusters():
    assert len(CLUSTERS) + len(DOCUMENTED) >= 36
    assert len({json.dumps(each, sort_keys=True) for each in EVERY.values()}) == len(EVERY)


@pytest.mark.parametrize("cluster", EVERY)
def test_each_role_reads_its_settings(cluster: str, monkeypatch: pytest.MonkeyPatch):
    objects = render(EVERY[cluster], least=False)
    platform = {"kind": "ConfigMap", "metadata": {"name": "platform-env"}, "data": {"REGION": "north"}}
    for role, container in containers(objects).items():
        with monkeypatch.context() as patched:
            for name, value in environment(container, [*objects, platform], own_secrets(container, objects)).items():
                patched.setenv(name, value)
            held = load_settings()
            assert held.database.url is not None
            assert (held.kafka.bootstrap_servers is None) is (role == "migrate")


@pytest.mark.parametrize("cluster", EVERY)
def test_files_that_settings_name_are_mounted(cluster: str):
    objects = render(EVERY[cluster], least=False)
    named = [
        value
        for each in objects
        if each["kind"] == "ConfigMap"
        for name, value in each["data"].items()
        if name.startswith("SQLASSAY_") and name.endswith("_FILE")
    ]
    for each in objects:
        if each["kind"] == "Deployment":
            spec = each["spec"]["template"]["spec"]
            mounts = {mount["mountPath"]: mount["name"] for mount in spec["containers"][0]["volumeMounts"]}
            volumes = {volume["name"] for volume in spec["volumes"]}
            assert all(mounts[path.rpartition("/")[0]] in volumes for path in named)


@pytest.mark.parametrize("cluster", ["scaled by lag, with a login of its own", "eks-msk", "strimzi-cnpg"])
def test_keda_logs_in_as_the_workers_do(cluster: str):
    values = EVERY[cluster]
    [trigger] = only(render(values, least=False), "ScaledObject")["spec"]["triggers"]
    mechanism = values["kafka"].get("sasl", {}).get("mechanism")
    assert trigger["metadata"]["tls"] == "enable"
    assert trigger["metadata"].get("sasl") == (mechanism and "scram_sha512")
    assert trigger["authenticationRef"]["name"]


@pytest.mark.slow  # reads large schemas
@pytest.mark.parametrize("cluster", EVERY)
def test_operators_accept_every_object(cluster: str):
    from cloudcoil.models.keda.v1alpha1 import ScaledObject, TriggerAuthentication
    from cloudcoil.models.prometheus_operator.v1 import PrometheusRule, ServiceMonitor

    types = {kind.__name__: kind for kind in (ScaledObject, TriggerAuthentication, PrometheusRule, ServiceMonitor)}
    for each in render(EVERY[cluster], least=False):
        if each["apiVersion"] not in BUILT_IN and each["kind"] in types:
            read = types[each["kind"]].model_validate(each)
            assert read.model_dump(mode="json", by_alias=True, exclude_unset=True) == each


def pod(objects: list[dict[str, Any]], role: str) -> Place:
    """A Pod of the release."""
    kinds = {"Deployment", "Job"}
    [made] = [each for each in objects if each["kind"] in kinds and each["metadata"]["name"].endswith(f"-{role}")]
    return Place(namespace=RELEASE, labels=made["spec"]["template"]["metadata"]["labels"], ports={"http": 8321})


EKS = {
    "brokers": Place(address="10.0.64.10"),
    "database": Place(address="10.0.70.4"),
    "cache": Place(address="10.0.79.9"),
    "load balancer": Place(address="10.0.3.7"),
    "bastion": Place(address="10.0.32.5"),
    "credentials": Place(address="169.254.169.254"),
    "internet": Place(address="203.0.113.7"),
    "dns": Place(namespace="kube-system", labels={"k8s-app": "kube-dns"}),
    "prometheus": Place(namespace="monitoring", labels={"app.kubernetes.io/name": "prometheus"}),
}
GKE = {
    "brokers": Place(address="10.20.4.2"),
    "database": Place(address="10.20.8.3"),
    "load balancer": Place(address="35.191.10.1"),
    "apis": Place(address="199.36.153.10"),
    "metadata": Place(address="169.254.169.254"),
    "metadata of the node": Place(address="169.254.169.252"),
    "model": Place(address="203.0.113.9"),
    "prometheus": Place(namespace="gmp-system", labels={"app": "managed-prometheus-collector"}),
    "stranger": Place(namespace="shop", labels={"app": "cart"}),
}
SITE = {
    "brokers": Place(namespace="kafka", labels={"strimzi.io/cluster": "assay"}),
    "other brokers": Place(namespace="kafka", labels={"strimzi.io/cluster": "shop"}),
    "database": Place(namespace=RELEASE, labels={"cnpg.io/cluster": "assay-db"}),
    "other database": Place(namespace="shop", labels={"cnpg.io/cluster": "assay-db"}),
    "cache": Place(namespace=RELEASE, labels={"app.kubernetes.io/name": "valkey"}),
    "model": Place(namespace="models", labels={"app": "vllm"}),
    "nginx": Place(namespace="ingress-nginx", labels={"app.kubernetes.io/name": "ingress-nginx"}),
    "prometheus": Place(namespace="monitoring", labels={"app.kubernetes.io/name": "prometheus"}),
    "stranger": Place(namespace="shop", labels={"app": "cart"}),
    "internet": Place(address="203.0.113.7"),
}
FLOWS: dict[str, tuple[Mapping[str, Place], list[tuple[str, str, int, bool]]]] = {
    "eks-msk": (
        EKS,
        [
            *((role, "brokers", 9096, True) for role in ("api", "worker")),
            *((role, "database", 5432, True) for role in ("api", "worker", "migrate")),
            *((role, "cache", 6379, True) for role in ("api", "worker")),
            *((role, "dns", 53, True) for role in ("api", "worker", "migrate")),
            ("load balancer", "api", 8321, True),
            ("prometheus", "api", 8321, True),
            ("prometheus", "worker", 8321, True),
            ("migrate", "brokers", 9096, False),
            ("worker", "brokers", 9092, False),
            ("worker", "internet", 443, False),
            ("worker", "credentials", 80, False),
            ("worker", "bastion", 5432, False),
            ("load balancer", "worker", 8321, False),
            ("bastion", "api", 8321, False),
        ],
    ),
    "gke": (
        GKE,
        [
            *((role, "brokers", 9092, True) for role in ("api", "worker")),
            *(
                (role, place, port, True)
                for role in ("api", "worker", "migrate")
                for place, port in (
                    *(("database", 3307), ("apis", 443)),
                    *(("metadata", 80), ("metadata of the node", 988)),
                )
            ),
            ("worker", "model", 443, True),
            ("load balancer", "api", 8321, True),
            ("prometheus", "worker", 8321, True),
            ("api", "model", 443, False),
            ("api", "metadata", 443, False),
            ("migrate", "brokers", 9092, False),
            ("load balancer", "worker", 8321, False),
            ("stranger", "api", 8321, False),
        ],
    ),
    "strimzi-cnpg": (
        SITE,
        [
            *((role, "brokers", 9093, True) for role in ("api", "worker")),
            *((role, "database", 5432, True) for role in ("api", "worker", "migrate")),
            ("worker", "cache", 6379, True),
            ("worker", "model", 8000, True),
            ("nginx", "api", 8321, True),
            ("prometheus", "worker", 8321, True),
            ("worker", "other brokers", 9093, False),
            ("worker", "other database", 5432, False),
            ("api", "model", 8000, False),
            ("worker", "internet", 443, False),
            ("worker", "internet", 8000, False),
            ("nginx", "worker", 8321, False),
            ("stranger", "api", 8321, False),
        ],
    ),
}


@pytest.mark.parametrize(
    ("cluster", "source", "target", "port", "passes"),
    [(cluster, *flow) for cluster, (_, flows) in FLOWS.items() for flow in flows],
)
def test_a_documented_cluster_admits_what_it_needs_and_no_more(
    cluster: str, source: str, target: str, port: int, passes: bool
):
    objects = render(DOCUMENTED[cluster], least=False)
    places = {**FLOWS[cluster][0], **{role: pod(objects, role) for role in ("api", "worker", "migrate")}}
    policies = [each for each in objects if each["kind"] == "NetworkPolicy"]
    assert admitted(policies, places[source], places[target], port) is passes


def test_every_documented_cluster_has_flows_and_a_page():
    assert set(FLOWS) == set(DOCUMENTED)
    pages = "".join(path.read_text("utf-8") for path in (ROOT / "docs" / "kubernetes").glob("*.md"))
    for name in DOCUMENTED:
        assert f"deploy/helm/values/{name}.yaml" in pages
