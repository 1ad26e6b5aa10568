"""Every form of an address that the product reads opens the ports that the product connects to."""

from __future__ import annotations

from typing import Any

import pytest
from helm_python import HelmError

from service.redis.addresses import redis_client
from service.settings.storage_settings import RedisSettings
from service.settings.stream_settings import KafkaSettings
from service.storage.libpq_url import read_url
from tests.deploy.charts import merged, only, render

DNS = {53}
LEAST_PORTS = {5432, 9092}
"""Of PostgreSQL and Kafka in the smallest set of values."""


def opened(values: dict[str, Any], role: str = "worker") -> set[int]:
    """The ports, DNS aside, on which a role may connect to anything."""
    rules = only(render(values), "NetworkPolicy", f"assay-sqlassay-{role}")["spec"]["egress"]
    assert all(rule["to"] and rule["ports"] for rule in rules), "a rule without ports admits all"
    return {each["port"] for rule in rules for each in rule["ports"]} - DNS


DATABASES: list[tuple[str, set[int]]] = [
    ("postgresql://h1/db", {5432}),
    ("postgresql://u:p@h1:5433,h2:6432/db", {5433, 6432}),
    ("postgresql://u:p@h1:5433,h2/db?sslmode=require", {5433, 5432}),
    ("postgres://u:a/b:77@[fd00::1]:6432/db", {6432}),
    ("postgresql:///db?host=h1&port=6432&user=u", {6432}),
    ("postgresql:///db?user=u&host=h1,h2&port=6432", {6432}),
    ("postgresql:///db?host=h1,h2&port=5433,6432", {5433, 6432}),
    ("postgresql:///db?host=h1%2Ch2&port=5433%2C6432", {5433, 6432}),
    ("postgresql:///db?host=h1:5433,h2&port=6432", {5433, 6432}),
    ("postgresql://h1:5433/db?host=h2:6432", {6432}),
    ("postgresql://u@h1,h2/db?application_name=a:1&port=6432,6433", {6432, 6433}),
]


@pytest.mark.parametrize(("url", "ports"), DATABASES)
def test_each_form_of_a_url_of_postgresql_opens_its_ports(url: str, ports: set[int]):
    read = read_url(url)
    several = str(read.query.get("port", read.port)).split(",")
    assert {int(port) for port in several} == ports, "the service reads other ones"
    for role in ("api", "worker", "migrate"):
        found = opened({"secrets": {"databaseUrl": url}}, role)
        assert found == ports | (set() if role == "migrate" else {9092})


@pytest.mark.parametrize("url", ["postgresql:///db?host=%2Fvar%2Frun", "postgresql://u@%2Fvar%2Frun/db"])
def test_a_socket_opens_no_port(url: str):
    assert opened({"secrets": {"databaseUrl": url}}, "migrate") == set()


SENTINELS: list[tuple[str, set[int]]] = [
    ("redis+sentinel://u:p@one:26379,two:26379/mymaster/0", {26379}),
    ("redis+sentinel://one:26400,two:26401/mymaster", {26400, 26401}),
    ("rediss+sentinel://:a:1,b@one,[fd00::1]:26400/mymaster/0?sentinel_password=x:9", {26379, 26400}),
]


@pytest.mark.parametrize(("url", "ports"), SENTINELS)
@pytest.mark.parametrize(("told", "primary"), [({}, 6379), ({"primaryPort": 6390}, 6390)])
async def test_sentinels_open_their_ports_and_that_of_the_primary(
    url: str, ports: set[int], told: dict[str, int], primary: int
):
    pool: Any = redis_client(RedisSettings(), url).connection_pool
    known = {each.connection_pool.connection_kwargs["port"] for each in pool.sentinel_manager.sentinels}
    assert known == ports, "the service reads other ones"
    values = {"secrets": {"redisUrl": url}, "networkPolicy": {"egress": {"redis": told}}}
    for role in ("api", "worker"):
        assert opened(values, role) == LEAST_PORTS | ports | {primary}
    assert opened(values, "migrate") == {5432}


@pytest.mark.parametrize(
    ("url", "ports"),
    [
        ("redis://u:p:7@cache:6390/0", {6390}),
        ("rediss://[fd00::1]:6390/0?ssl_ca_certs=/certs/a:1", {6390}),
        ("redis://cache", {6379}),
        ("unix:///run/redis.sock", set()),
    ],
)
def test_each_form_of_a_url_of_one_redis_opens_its_port(url: str, ports: set[int]):
    redis_client(RedisSettings(), url)
    assert opened({"secrets": {"redisUrl": url}}) == LEAST_PORTS | ports


def test_a_primary_that_only_a_secret_names_has_the_port_of_the_values():
    values: dict[str, Any] = {"secrets": {"existingSecret": "assay-secret"}}
    assert opened(values) == LEAST_PORTS | {6379}
    told = {"networkPolicy": {"egress": {"redis": {"ports": [26379], "primaryPort": 6390}}}}
    assert opened(merged(values, told)) == LEAST_PORTS | {26379, 6390}


@pytest.mark.parametrize("url", ["cache:6379", "sentinel://one/mymaster", "redis+cluster://one/0"])
def test_a_url_of_redis_that_the_product_refuses_is_refused(url: str):
    with pytest.raises(HelmError, match="redisUrl"):
        render({"secrets": {"redisUrl": url}})


@pytest.mark.parametrize(
    ("brokers", "ports"),
    [("a:9094,b:9095", {9094, 9095}), ("a:9094, b:9095", {9094, 9095}), ("[fd00::1]:9094,b:9092", {9094, 9092})],
)
def test_each_broker_of_a_list_opens_its_port(brokers: str, ports: set[int]):
    assert KafkaSettings(bootstrap_servers=brokers).bootstrap_servers == brokers
    assert opened({"kafka": {"bootstrapServers": brokers}}) == ports | {5432}
    scaled = {"worker": {"autoscaling": {"kind": "keda"}}, "kafka": {"bootstrapServers": brokers}}
    [trigger] = only(render(scaled), "ScaledObject")["spec"]["triggers"]
    assert trigger["metadata"]["bootstrapServers"] == brokers.replace(" ", "")


@pytest.mark.parametrize(
    "given",
    [
        {"settings": {"SQLASSAY_DATABASE__URL": "postgresql://h1:5433,h2:6432/db"}},
        {"common": {"extraEnv": [{"name": "SQLASSAY_DATABASE__URL", "value": "postgresql://h1:5433,h2:6432/db"}]}},
    ],
)
def test_an_address_that_stands_in_a_setting_opens_its_ports(given: dict[str, Any]):
    assert opened(given, "migrate") == {5433, 6432}


TOKEN_URL = "SQLASSAY_KAFKA__SASL_TOKEN_URL"
OAUTH: dict[str, Any] = {"kafka": {"sasl": {"mechanism": "OAUTHBEARER", "username": "assay"}}}
OAUTH_CASES: dict[str, tuple[dict[str, Any], set[int]]] = {
    "a port of its own": ({"settings": {TOKEN_URL: "https://idp.example:8443/token"}}, {8443}),
    "the port of https": ({"settings": {TOKEN_URL: "https://idp.example/realms/a@b:1/token"}}, {443}),
    "the port of http": ({"settings": {TOKEN_URL: "http://idp.quality/token"}}, {80}),
    "a variable": ({"common": {"extraEnv": [{"name": TOKEN_URL, "value": "https://idp.example:8443/t"}]}}, {8443}),
    "a Secret": ({"secrets": {"from": {TOKEN_URL: {"name": "idp", "key": "url"}}}}, {443}),
    "a Secret, and the port in a value": (
        {
            "secrets": {"from": {TOKEN_URL: {"name": "idp", "key": "url"}}},
            "networkPolicy": {"egress": {"kafkaToken": {"ports": [8443]}}},
        },
        {8443},
    ),
}


@pytest.mark.parametrize("case", OAUTH_CASES)
def test_the_endpoint_of_kafkas_tokens_can_be_reached(case: str):
    values, ports = OAUTH_CASES[case]
    for role in ("api", "worker"):
        assert opened(merged(OAUTH, values), role) == LEAST_PORTS | ports
    assert opened(merged(OAUTH, values), "migrate") == {5432}


def test_the_endpoint_of_tokens_is_closed_with_another_mechanism():
    values = {
        "kafka": {"sasl": {"mechanism": "PLAIN", "username": "assay"}},
        "settings": {TOKEN_URL: "https://idp.example:8443/token"},
    }
    assert opened(values) == LEAST_PORTS
