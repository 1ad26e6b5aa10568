"""The documented install can be scraped, called and reach its servers; nothing else passes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.deploy.charts import merged, only, render
from tests.deploy.network import RELEASE, Place, admitted

INGRESS = {"ingress": {"enabled": True, "hosts": [{"host": "assay.example.org"}]}}
OPEN = {"service": {"type": "LoadBalancer"}}
OFFICE = {"service": {"type": "LoadBalancer", "loadBalancerSourceRanges": ["203.0.113.0/24"]}}
ROUTE = {"httpRoute": {"enabled": True, "parentRefs": [{"name": "public"}]}}
MODEL = {"settings": {"SQLASSAY_JUDGE__BASE_URL": "https://models.example.org/v1"}}
REDIS: list[dict[str, Any]] = [
    {"secrets": {"redisUrl": "redis://redis:6379/0"}},
    {"secrets": {"existingSecret": "assay-secret"}},
    {"secrets": {"from": {"SQLASSAY_REDIS__URL": {"name": "cache", "key": "url"}}}},
    {"common": {"extraEnv": [{"name": "SQLASSAY_REDIS__URL", "value": "redis://redis/0"}]}},
]
"""Every way in which values name a Redis."""
PRIVATE = [{"ipBlock": {"cidr": "10.9.0.0/24"}}]
MODEL_GIVEN_ELSEWHERE: list[dict[str, Any]] = [
    {"secrets": {"from": {"SQLASSAY_JUDGE__BASE_URL": {"name": "model", "key": "url"}}}},
    {"common": {"extraEnv": [{"name": "SQLASSAY_JUDGE__BASE_URL", "value": "https://models.example.org/v1"}]}},
]
MODEL_OF_A_SECRET = {"networkPolicy": {"egress": {"model": {"ports": [8000], "to": PRIVATE}}}}
PROXIED = {
    "httpProxy": {"url": "http://proxy.example.org:3128"},
    "networkPolicy": {"egress": {"proxy": {"to": PRIVATE}}},
}
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
        "egress": {"postgresql": {"to": PRIVATE}},
        "ingressFrom": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "agents"}}}],
    }
}


GRPC = {"service": {"grpcPort": 4317}}


def pod_of(role: str) -> Place:
    """A Pod of the release, with the labels and ports that the chart gives it."""
    kinds = {"migrate": "Job", "canary": "Pod"}
    made = only(render(GRPC), kinds.get(role, "Deployment"), f"assay-sqlassay-{role}")
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
    ({}, "agent here", "api", 4317, False),
    (GRPC, "agent here", "api", 4317, True),
    (GRPC, "agent here", "worker", 4317, False),
    (GRPC, "stranger", "api", 4317, False),
    ({}, "prometheus", "api", 22, False),
    ({}, "stranger", "api", 8321, False),
    ({}, "stranger", "worker", 8321, False),
    ({}, "internet", "api", 8321, False),
    ({}, "ingress controller", "api", 8321, False),
    ({}, "prometheus", "migrate", 8321, False),
    *(({}, role, "server here", port, port != 6379) for role in ("api", "worker") for port in (9092, 5432, 6379)),
    *((each, "worker", "server there", 6379, True) for each in REDIS),
    *(({}, role, "server there", 9092, True) for role in ("api", "worker")),
    *(({}, role, "private server", 5432, True) for role in ("api", "worker", "migrate")),
    ({}, "api", "server here", 22, False),
    ({}, "api", "internet", 5432, False),
    ({}, "api", "internet", 443, False),
    *(({}, "worker", place, 443, False) for place in ("internet", "internet by IPv6", "server there", "server here")),
    # a model, named in the settings or by its port
    (MODEL, "worker", "internet", 443, True),
    (MODEL, "worker", "internet by IPv6", 443, True),
    (MODEL, "worker", "internet", 9092, False),
    (MODEL, "worker", "internet", 80, False),
    (MODEL, "worker", "node credentials", 443, False),
    (MODEL, "worker", "node credentials", 80, False),
    (MODEL, "api", "internet", 443, False),
    *((each, "worker", "internet", 443, True) for each in MODEL_GIVEN_ELSEWHERE),
    *((each, "api", "internet", 443, False) for each in MODEL_GIVEN_ELSEWHERE),
    (MODEL_OF_A_SECRET, "worker", "private server", 8000, True),
    (MODEL_OF_A_SECRET, "worker", "internet", 8000, False),
    (MODEL_OF_A_SECRET, "worker", "private server", 443, False),
    # a proxy for calls out
    *((PROXIED, role, "private server", 3128, True) for role in ("api", "worker")),
    (PROXIED, "migrate", "private server", 3128, False),
    (PROXIED, "worker", "internet", 3128, False),
    (PROXIED | MODEL, "worker", "internet", 443, False),
    (merged(PROXIED | MODEL, {"httpProxy": {"model": False}}), "worker", "internet", 443, True),
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
    (OFFICE, "internet", "api", 8321, True),
    (OFFICE, "internet by IPv6", "api", 8321, False),
    (OFFICE, "private server", "api", 8321, False),
    (ROUTE, "ingress controller", "api", 8321, True),
    (ROUTE, "ingress controller", "worker", 8321, False),
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
