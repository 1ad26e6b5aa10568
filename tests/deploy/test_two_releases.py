"""Two releases in one Prometheus: neither hides the other's failures, and neither's alerts silence the other's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.deploy.charts import ROOT, only, render
from tests.deploy.failure_rows import FAILURES
from tests.deploy.failures import BEFORE, SHOWN, healthy
from tests.deploy.inhibition import Labels, silenced
from tests.servers.fixtures import found
from tests.servers.install import PROMTOOL
from tests.servers.prometheus_server import run_tool

ALERTMANAGER = ROOT / "deploy" / "prometheus" / "alertmanager.yml"
RELEASE = ("cluster", "namespace", "job")
"""The labels by which releases differ."""
_AGGREGATION = re.compile(
    r"\b(?:sum|avg|min|max|count|group|stddev|stdvar|topk|bottomk|quantile|count_values)(?: by \(([^)]*)\))? ?\("
)
_SELECTOR = re.compile(r"\b(?:sqlassay[_:][a-z_:]+|up)\b(?!\w)(\{[^}]*\})?")
_JOB = 'job="assay-sqlassay-metrics"'
FIRING = 'ALERTS{alertstate="firing"}'


class Release(NamedTuple):
    """One release, and what is appended to the labels of its series."""

    namespace: str
    cluster: str = ""

    @property
    def labels(self) -> str:
        """The labels of its series."""
        cluster = f', cluster="{self.cluster}"' if self.cluster else ""
        return f'{_JOB}, namespace="{self.namespace}"{cluster}'

    def rules(self) -> dict[str, Any]:
        """The rules that its chart installs."""
        conditions = {"cluster": self.cluster} if self.cluster else {}
        made = render({"alerts": {"enabled": True, "conditions": conditions}}, namespace=self.namespace)
        return only(made, "PrometheusRule")["spec"]

    def of(self, series: dict[str, str]) -> dict[str, str]:
        """These series as Prometheus scrapes them from its processes."""
        return {name.replace('job="sqlassay"', self.labels): values for name, values in series.items()}


PRODUCTION, STAGING = Release("prod"), Release("staging")
EAST, WEST = Release("quality", "east"), Release("quality", "west")


def rules() -> Iterator[dict[str, Any]]:
    return (rule for group in EAST.rules()["groups"] for rule in group["rules"])


def test_every_selector_names_the_release():
    for rule in rules():
        selectors = _SELECTOR.findall(rule["expr"])
        assert selectors, rule
        for matchers in selectors:
            assert matchers.startswith(f'{{{_JOB}, namespace="quality", cluster="east"'), (matchers, rule)


def test_every_aggregation_and_every_join_keeps_the_labels_of_the_release():
    for rule in rules():
        expression = re.sub(r'"[^"]*"', '""', rule["expr"])
        kept = _AGGREGATION.findall(expression)
        # a number that the chart gives has no labels
        joined = re.findall(r"\bon \(([^)]*)\)(?! vector)", expression)
        for labels in [*kept, *joined]:
            assert set(RELEASE) <= set(re.split(r", *", labels)), rule
        assert not re.search(r"\b(without|ignoring)\b", expression), rule


def test_a_query_in_an_annotation_names_the_release():
    for rule in rules():
        for query in re.findall(r'printf "(.+?)"', str(rule.get("annotations", {}))):
            if "sqlassay" in query:
                assert all(f"{label}=%q" in query for label in RELEASE), query


def test_alerts_are_grouped_and_silenced_within_a_release():
    configured = yaml.safe_load(ALERTMANAGER.read_text())
    assert set(RELEASE) <= set(configured["route"]["group_by"])
    for rule in configured["inhibit_rules"]:
        assert set(RELEASE) <= set(rule["equal"]), rule


def failure(what: str) -> dict[str, str]:
    """The series of an installation with this failure."""
    return next(each for each in FAILURES if each.what == what).series()


def fired(folder: Path, series: dict[Release, dict[str, str]]) -> list[Labels]:
    """What fires in the end when each release has these series."""
    for release in series:
        (folder / f"{release.namespace}-{release.cluster}.yml").write_text(yaml.safe_dump(release.rules()))
    inputs = {name: values for release, made in series.items() for name, values in release.of(made).items()}
    document = {
        "rule_files": [f"{release.namespace}-{release.cluster}.yml" for release in series],
        "evaluation_interval": "1m",
        "tests": [
            {
                "interval": "1m",
                "input_series": [{"series": name, "values": values} for name, values in inputs.items()],
                "promql_expr_test": [{"expr": FIRING, "eval_time": f"{BEFORE + SHOWN}m", "exp_samples": []}],
            }
        ],
    }
    cases = folder / "cases.yml"
    cases.write_text(yaml.safe_dump(document))
    done = run_tool(found(PROMTOOL), "test", "rules", cases)
    got = re.search(r"got: (.*)", done.stdout + done.stderr)
    return [dict(re.findall(r'(\w+)="([^"]*)"', one)) for one in re.findall(r"\{(.*?)\} ", got[1])] if got else []


def heard(firing: list[Labels]) -> list[tuple[str, str, str]]:
    """The alerts that reach people, each with its release."""
    quiet = silenced(yaml.safe_load(ALERTMANAGER.read_text())["inhibit_rules"], firing)
    loud = [each for each in firing if each not in quiet]
    return sorted({(each["alertname"], each["namespace"], each.get("cluster", "")) for each in loud})


@pytest.mark.slow  # promtool runs two installations for two hours each
@pytest.mark.parametrize(("here", "there"), [(PRODUCTION, STAGING), (EAST, WEST)], ids=["namespaces", "clusters"])
@pytest.mark.parametrize(
    "what",
    [
        "Kafka is down",
        "All workers are gone",
        "Events arrive and none is scored",
        "Retention has stopped without an error",
        "A migration is pending",
        "One partition of several stands still, with few events",
        "Prometheus finds no process to scrape",
    ],
)
def test_a_healthy_release_hides_no_failure_of_another(what: str, here: Release, there: Release, tmp_path: Path):
    alert = next(each.alert for each in FAILURES if each.what == what)
    assert heard(fired(tmp_path, {here: failure(what), there: healthy()})) == [(alert, *here)]


@pytest.mark.slow  # promtool runs two installations for two hours each
@pytest.mark.parametrize(("here", "there"), [(PRODUCTION, STAGING), (EAST, WEST)], ids=["namespaces", "clusters"])
def test_a_page_of_one_release_silences_no_alert_of_another(here: Release, there: Release, tmp_path: Path):
    series = {here: failure("Workers are too few for the traffic"), there: failure("Kafka is down")}
    assert heard(fired(tmp_path, series)) == sorted([("SQLAssayLagHigh", *here), ("SQLAssayKafkaDown", *there)])
