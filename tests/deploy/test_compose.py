"""compose.yaml is consistent. The tests need no container engine."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from hatch_build import PACKAGE, ROOMS
from service.settings.loading import setting_paths
from service.settings.variables import variable_name
from tests.deploy.charts import ROOT

KNOWN = {variable_name(*path) for path, _ in setting_paths()}


@pytest.fixture(scope="module")
def stack() -> dict[str, dict[str, Any]]:
    return yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]


def test_every_service_that_others_wait_for_exists_and_has_a_health_check(stack):
    for name, service in stack.items():
        for other, how in service.get("depends_on", {}).items():
            assert other in stack, (name, other)
            if how["condition"] == "service_healthy":
                assert "healthcheck" in stack[other], (name, other)


def test_every_variable_is_a_setting_and_names_an_existing_service(stack):
    for name in ("api", "worker", "migrate"):
        environment = stack[name]["environment"]
        assert set(environment) <= KNOWN
        for value in environment.values():
            for host in re.findall(r"(?:@|//|^)([a-z]+):\d+", value):
                assert host in stack, value


def test_ports_are_open_on_loopback_only(stack):
    ports = [port for service in stack.values() for port in service.get("ports", [])]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_every_mounted_path_exists(stack):
    mounted = [volume for service in stack.values() for volume in service.get("volumes", []) if volume.startswith("./")]
    assert len(mounted) >= 4
    for volume in mounted:
        assert (ROOT / volume.partition(":")[0]).exists(), volume


def test_prometheus_scrapes_every_role_and_reads_the_rules(stack):
    config = yaml.safe_load((ROOT / "deploy" / "prometheus" / "prometheus.yml").read_text())
    scraped = config["scrape_configs"][0]["static_configs"]
    targets = [target for each in scraped for target in each["targets"]]
    assert [each["labels"]["component"] for each in scraped] == [target.partition(":")[0] for target in targets]
    assert {target.partition(":")[0] for target in targets} == {"api", "worker"}
    assert (ROOT / "deploy" / "prometheus" / config["rule_files"][0].rpartition("/")[2]).exists()
    alertmanager = config["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"][0]
    assert alertmanager.partition(":")[0] in stack


def test_the_image_has_every_package_and_runs_without_root():
    dockerfile = (ROOT / "Dockerfile").read_text()
    for room in (PACKAGE, *ROOMS):
        assert f"COPY {room} {room}" in dockerfile
    last = dockerfile.rpartition("\nFROM ")[2]
    assert "USER 10001:10001" in last
    assert "pip install" not in last
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert not {"scoring", "service", "README.md"} & set(ignored)
