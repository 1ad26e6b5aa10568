"""The documented install starts although Kubernetes names variables after its Services like settings."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest
from sqlalchemy import URL

from service.settings.loading import SettingsError, load_settings
from tests.deploy.charts import ROOT, documented_install, render
from tests.deploy.kubelet import environment, service_links

OTHERS: list[dict[str, Any]] = [
    {"metadata": {"name": "sqlassay-api"}, "spec": {"ports": [{"port": 8080}]}},
    {
        "metadata": {"name": "sqlassay-http"},
        "spec": {"ports": [{"name": "dns", "port": 53, "protocol": "UDP"}, {"name": "grpc-web", "port": 9000}]},
    },
]
"""Services of other releases in the namespace."""
TOKEN = "all-tenants-for-tests-only"


def installed() -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The objects of the documented install, and the variables of all Services beside it."""
    release, values = documented_install()
    objects = render(values, least=False, release=release)
    links = service_links([*(each for each in objects if each["kind"] == "Service"), *OTHERS])
    return objects, links


def pods(objects: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The Pod of each role."""
    made = {
        each["metadata"]["name"]: each if each["kind"] == "Pod" else each["spec"]["template"]
        for each in objects
        if each["kind"] in {"Deployment", "Job", "Pod"}
    }
    return {name.rpartition("-")[2]: pod for name, pod in made.items()}


def variables_of(role: str, database: str) -> dict[str, str]:
    """What a container of the documented install has, with the links of all Services."""
    objects, links = installed()
    secret = {
        "SQLASSAY_DATABASE__URL": database,
        "SQLASSAY_HTTP__TOKENS": json.dumps({"*": TOKEN}),
        "METRICS_TOKEN": TOKEN,
        "SQLASSAY_REDIS__URL": "redis://redis:6379/0",
    }
    [container] = pods(objects)[role]["spec"]["containers"]
    return {**links, **environment(container, objects, {"sqlassay": secret})}


def test_the_documented_release_has_services_named_like_settings():
    assert {"SQLASSAY_PORT", "SQLASSAY_SERVICE_HOST", "SQLASSAY_PORT_80_TCP_ADDR"} <= set(installed()[1])


def test_no_pod_asks_for_service_links():
    objects, _ = installed()
    assert set(pods(objects)) == {"api", "worker", "migrate", "canary"}
    assert {pod["spec"].get("enableServiceLinks") for pod in pods(objects).values()} == {False}


@pytest.mark.parametrize("role", ["api", "worker", "migrate"])
def test_settings_of_each_role_load_beside_service_links(role: str, monkeypatch: pytest.MonkeyPatch):
    for name, value in variables_of(role, "postgresql://sqlassay:pass@postgres:5432/sqlassay").items():
        monkeypatch.setenv(name, value)
    assert load_settings().database.url is not None


@pytest.mark.parametrize("address", ["10.96.12.7", "fd00:10:96::7", "::1"])
def test_service_links_are_no_settings(address: str):
    links = service_links(OTHERS, address)
    assert len(links) == 20
    assert load_settings(links)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SQLASSAY_PORT", "8321"),
        ("SQLASSAY_PORT", "http://localhost:8321"),
        ("SQLASSAY_HTTP_PORT", "8321"),
        ("SQLASSAY_HTTP__PROT", "tcp://10.96.12.7:80"),
        ("SQLASSAY_SERVICE_HOST", "localhost"),
        ("SQLASSAY_SERVICE_PORT", "eighty"),
        ("SQLASSAY_PORT_80_TCP_PROTO", "http"),
        ("SQLASSAY_PORT_80_HTTP", "tcp://10.96.12.7:80"),
        ("SQLASSAY_PORT_80_TCP_NAME", "10.96.12.7"),
        ("sqlassay_port", "tcp://10.96.12.7:80"),
    ],
)
def test_a_misspelt_setting_is_refused_beside_service_links(name: str, value: str):
    with pytest.raises(SettingsError, match=f"{name} is not a setting"):
        load_settings({**service_links(OTHERS), name: value})


@pytest.fixture
def variables(database: URL, request: pytest.FixtureRequest) -> dict[str, str]:
    """The variables of a role on a database of the test's own, and a free port in place of the container's."""
    held = variables_of(request.param, database.render_as_string(hide_password=False))
    here = {name: value for name, value in os.environ.items() if not name.startswith("SQLASSAY_")}
    return {**here, **held, "SQLASSAY_HTTP__PORT": "0"}


@pytest.mark.slow  # starts processes
@pytest.mark.parametrize("variables", ["migrate"], indirect=True)
def test_the_migration_runs_beside_service_links(variables: dict[str, str]):
    done = subprocess.run(
        [sys.executable, "-m", "service", "migrate"],
        env=variables,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert (done.returncode, done.stdout.strip().isdigit()) == (0, True), done.stderr


@pytest.mark.slow  # starts processes
@pytest.mark.parametrize(
    ("variables", "role"), [("api", "api"), ("worker", "worker")], indirect=["variables"], ids=["api", "worker"]
)
def test_a_role_starts_beside_service_links(variables: dict[str, str], role: str, kafka_server: str):
    variables["SQLASSAY_KAFKA__BOOTSTRAP_SERVERS"] = kafka_server
    command = [sys.executable, "-m", "service", "serve", "--role", role]
    with subprocess.Popen(command, env=variables, stderr=subprocess.PIPE, text=True, cwd=ROOT) as child:
        try:
            assert child.stderr is not None
            heard = ""
            while not re.search(r"http://[\d.:]+", heard):
                line = child.stderr.readline()
                assert line, f"the role ended: {heard}"
                heard += line
        finally:
            child.terminate()
