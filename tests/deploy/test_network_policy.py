"""The documented install can be scraped, called and reach its servers; nothing else passes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.deploy.charts import only, render
from tests.deploy.network import RELEASE, Place, admitted

INGRESS = {"ingress": {"enabled": True, "hosts": [{"host": "assay.example.org"}]}}
OPEN = {"service": {"type": "LoadBalancer"}}
ELSEWHERE = {
    "kafka": {"bootstrapServers": "broker-1.example.org:9094,broker-2.example.org:9095"},
    "secrets": {
        "databaseUrl": "postgresql://me:p:1@db.example.org:6432/assay",
        "redisUrl": "rediss://:pw@cache:6390/0",
    },
    "settings": {"SQLASSAY_JUDGE__BASE_URL": "http://models.quality:8000/v1"},
    "telemetry": {"endpoint": "http://collector.monitoring:4318"},
}
PROVIDER = {
    "login": {
        "oidc": {
            "issuer": "https://login.example.org:8443/realms/staff",
            "clientId": "sqlassay",
            "tenant": "*",
            "everyone": ["read"],
        }
    }
}
NARROW = {
    "networkPolicy": {
        "egress": {"postgresql": {"to": [{"ipBlock": {"cidr": "10.9.0.0/24"}}]}},
        "ingressFrom": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "agents"}}}],
    }
}


def pod_of(role: str) -> Place:
    """A Pod of the release, with the labels and ports that the chart gives it."""
    kinds = {"migrate": "Job", "canary": "Pod"}
    made = only(render(), kinds.get(role, "Deployment"), f"assay-sqlassay-{role}")
    pod: dict[str, Any] = made if role == "canary" else made["spec"]["template"]
    ports = {each["name"]: each["containerPort"] for one in pod["spec"]["containers"] for each in one.get("ports", [])}
    return Place(namespace=RELEASE, labels=pod["metadata"]["labels"], ports=ports)


PLACES = {
    **{role: pod_of(role) for role in ("api", "worker", "migrate", "canary")},
    "prometheus": Place(namespace="monitoring", labels={"app": "prometheus"}),
    "prometheus here": Place(namespace=RELEASE, labels={"app": "prometheus"}),
    "ingress controller": Place(namespace="ingress-nginx", labels={"app": "nginx"}),
    "stranger": Place(namespace="shop", labels={"app": "cart"}),
    "agent here": Place(namespace=RELEASE, labels={"app": "agent"}),
    "agent there": Place(namespace="agents", labels={"app": "agent"}),
    "server here": Place(namespace=RELEASE, labels={"app": "kafka"}),
    "server there": Place(namespace="data", labels={"app": "kafka"}),
    "collector": Place(namespace="monitoring", labels={"app": "collector"}),
    "dns": Place(namespace="kube-system", labels={"k8s-app": "kube-dns"}),
    "node dns": Place(address="169.254.20.10"),
    "node credentials": Place(address="169.254.169.254"),
    "private server": Place(address="10.9.0.5"),
    "private network": Place(address="192.168.4.4"),
    "internet": Place(address="203.0.113.7"),
    "internet by IPv6": Place(address="2001:db8::7"),
}

FLOWS: list[tuple[dict[str, Any], str, str, int, bool]] = [
    # the documented install: Prometheus in `monitoring`, servers in the namespace
    ({}, "prometheus", "api", 8321, True),
    ({}, "prometheus", "worker", 8321, True),
    ({}, "prometheus here", "worker", 8321, True),
    ({}, "agent here", "api", 8321, True),
    ({}, "canary", "api", 8321, True),
    ({}, "prometheus", "api", 22, False),
    ({}, "stranger", "api", 8321, False),
    ({}, "stranger", "worker", 8321, False),
    ({}, "internet", "api", 8321, False),
    ({}, "ingress controller", "api", 8321, False),
    ({}, "prometheus", "migrate", 8321, False),
    *(({}, role, "server here", port, True) for role in ("api", "worker") for port in (9092, 5432, 6379)),
    *(({}, role, "server there", 9092, True) for role in ("api", "worker")),
    *(({}, role, "private server", 5432, True) for role in ("api", "worker", "migrate")),
    ({}, "api", "server here", 22, False),
    ({}, "api", "internet", 5432, False),
    ({}, "api", "internet", 443, False),
    ({}, "worker", "internet", 443, True),
    ({}, "worker", "internet by IPv6", 443, True),
    ({}, "worker", "internet", 9092, False),
    ({}, "worker", "internet", 80, False),
    ({}, "worker", "node credentials", 443, False),
    ({}, "worker", "node credentials", 80, False),
    ({}, "migrate", "server here", 9092, False),
    ({}, "canary", "server here", 5432, False),
    ({}, "canary", "internet", 443, False),
    ({}, "canary", "worker", 8321, False),
    # an ingress, and a Service open to the world
    (INGRESS, "ingress controller", "api", 8321, True),
    (INGRESS, "ingress controller", "worker", 8321, False),
    (INGRESS, "internet", "api", 8321, False),
    (OPEN, "internet", "api", 8321, True),
    (OPEN, "internet by IPv6", "api", 8321, True),
    (OPEN, "internet", "worker", 8321, False),
    # servers on other ports
    *(
        (ELSEWHERE, role, "private server", port, True)
        for role in ("api", "worker")
        for port in (9094, 9095, 6432, 6390)
    ),
    (ELSEWHERE, "worker", "private server", 9092, False),
    (ELSEWHERE, "worker", "server here", 8000, True),
    (ELSEWHERE, "api", "server here", 8000, False),
    (ELSEWHERE, "api", "collector", 4318, True),
    (ELSEWHERE, "worker", "collector", 4318, True),
    (ELSEWHERE, "api", "node credentials", 4318, False),
    (ELSEWHERE, "migrate", "private server", 6432, True),
    # a provider at which people log in
    (PROVIDER, "api", "internet", 8443, True),
    (PROVIDER, "api", "internet by IPv6", 8443, True),
    (PROVIDER, "api", "server there", 8443, True),
    (PROVIDER, "api", "internet", 443, False),
    (PROVIDER, "api", "node credentials", 8443, False),
    (PROVIDER, "worker", "internet", 8443, False),
    ({"settings": {"SQLASSAY_OIDC__ISSUER": "https://login.example.org"}}, "api", "internet", 443, True),
    # values of the operator's own
    (NARROW, "worker", "private server", 5432, True),
    (NARROW, "worker", "private network", 5432, False),
    (NARROW, "worker", "server here", 5432, False),
    (NARROW, "agent there", "api", 8321, True),
    (NARROW, "agent there", "worker", 8321, False),
    ({"networkPolicy": {"enabled": False}}, "stranger", "worker", 8321, True),
]


def policies(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in render(values) if each["kind"] == "NetworkPolicy"]


@pytest.mark.parametrize(("values", "source", "target", "port", "passes"), FLOWS)
def test_a_connection_passes_or_not(values: dict[str, Any], source: str, target: str, port: int, passes: bool):
    assert admitted(policies(values), PLACES[source], PLACES[target], port) is passes


@pytest.mark.parametrize("role", ["api", "worker", "migrate", "canary"])
@pytest.mark.parametrize("server", ["dns", "node dns"])
@pytest.mark.parametrize("protocol", ["UDP", "TCP"])
def test_every_pod_can_resolve_names(role: str, server: str, protocol: str):
    assert admitted(policies({}), PLACES[role], PLACES[server], 53, protocol)
    assert not admitted(policies({}), PLACES[role], PLACES["internet"], 53, protocol)


def test_no_rule_is_bound_by_port_only():
    for policy in policies(ELSEWHERE | INGRESS):
        for rule in policy["spec"]["ingress"]:
            assert rule["from"]
            assert rule["ports"]
        for rule in policy["spec"]["egress"]:
            assert rule["to"]
            assert rule["ports"]
