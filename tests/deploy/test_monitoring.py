"""The alert rules and dashboards match the metrics, the runbooks and the chart."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from helm_python import HelmError

from evals.alarms.agent_alarm import JUDGED_WRONG
from grafana import accuracy, judge, pipeline
from grafana.build import HOME, boards
from scoring.rules import Tier
from service.metrics import Metrics
from service.settings.observability_settings import MetricSettings
from tests.deploy.charts import CHART, ROOT, only, render
from tests.servers.fixtures import found
from tests.servers.install import AMTOOL, PROMTOOL
from tests.servers.prometheus_server import run_tool

PROMETHEUS = ROOT / "deploy" / "prometheus"
RULES = PROMETHEUS / "sqlassay.rules.yml"
CASES = sorted({*(PROMETHEUS / "tests").glob("*.test.yml")} - {PROMETHEUS / "tests" / "failures.test.yml"})
"""Without those that tests/deploy/test_failures.py writes."""
RUNBOOKS = ROOT / "docs" / "runbooks"
WRITE = os.environ.get("SQLASSAY_TEST_WRITE_RULES")
"""When set, the test writes the rules of compose from the chart."""
WITHOUT_WINDOW = {
    "SQLAssayAgentAlarm", "SQLAssayJudgedWrongHigh", "SQLAssayWrongByLabels", "SQLAssayCanaryWrong",
    "SQLAssayCanaryFailing",
}  # fmt: skip
LEAD = r"http://localhost:3000/d/([\w-]+)\?viewPanel=(\d+)(&from=now-28d&to=now)?(&var-.*)?"
HEADER = "# Rendered from deploy/helm/sqlassay/files/rules.yaml with the chart's default conditions. Do not edit.\n"
COMPOSE: dict[str, Any] = {
    "alerts": {"enabled": True, "conditions": {"job": "sqlassay"}},
    "api": {"replicas": 1},
    "worker": {"replicas": 1},
}
"""What compose.yaml runs: one process of each role, under a job of its own."""


@pytest.fixture(scope="module")
def rules() -> dict[str, Any]:
    return only(render(COMPOSE), "PrometheusRule")["spec"]


def every(rules: dict[str, Any], kind: str) -> Iterator[dict[str, Any]]:
    return (rule for group in rules["groups"] for rule in group["rules"] if kind in rule)


@pytest.fixture(scope="module")
def promtool() -> Path:
    return found(PROMTOOL)


def test_the_rules_of_compose_are_rendered_from_the_chart(rules: dict[str, Any]):
    rendered = HEADER + yaml.safe_dump(rules, sort_keys=False, width=200, allow_unicode=True)
    if WRITE:
        RULES.write_text(rendered)
    how = "SQLASSAY_TEST_WRITE_RULES=1 make test ARGS=\"-k 'monitoring or failures'\" writes them"
    assert RULES.read_text() == rendered, how


def test_the_alert_on_low_tiers_says_what_to_do_at_each(rules: dict[str, Any]):
    [alert] = [each for each in every(rules, "alert") if each["alert"] == "SQLAssayErrorBudgetBurn"]
    said = alert["annotations"]["description"]
    assert Tier.MARGINAL.action in said
    assert Tier.POOR.action in said


def test_prometheus_accepts_the_rules(promtool: Path):
    done = run_tool(promtool, "check", "rules", RULES)
    assert done.returncode == 0, done.stdout + done.stderr


LONG = {"estimate.test", "quality.test", "pipeline.test", "canary.test"}
"""Cases that take promtool five seconds or more."""


@pytest.mark.parametrize(
    "cases", [pytest.param(each, marks=[pytest.mark.slow] * (each.stem in LONG), id=each.stem) for each in CASES]
)
def test_the_rules_fire_exactly_as_their_cases_say(promtool: Path, cases: Path):
    done = run_tool(promtool, "test", "rules", cases)
    assert done.returncode == 0, done.stdout + done.stderr


def cases_of(alert: str) -> dict[str, object]:
    """The quality cases that mention an alert, in a file of their own."""
    document = yaml.safe_load((PROMETHEUS / "tests" / "quality.test.yml").read_text())
    return {**document, "tests": [each for each in document["tests"] if alert in json.dumps(each)]}


@pytest.mark.slow  # promtool runs the cases of hours, twice
@pytest.mark.parametrize(
    ("alert", "before", "after"),
    [
        ("SQLAssayErrorBudgetBurn", "> 0.576", "> 0.99"),
        ("SQLAssayCoverageLow", "< 0.9", "< 0.1"),
    ],
)
def test_a_broken_rule_fails_the_cases_of_its_alert(
    promtool: Path, tmp_path: Path, alert: str, before: str, after: str
):
    rules = RULES.read_text()
    (tmp_path / "tests").mkdir()
    cases = tmp_path / "tests" / "cases.yml"
    cases.write_text(yaml.safe_dump(cases_of(alert)))
    for written, passes in ((rules, True), (rules.replace(before, after), False)):
        (tmp_path / RULES.name).write_text(written)
        done = run_tool(promtool, "test", "rules", cases)
        assert (done.returncode == 0) is passes, done.stdout + done.stderr


def test_every_alert_has_a_severity_a_description_and_a_runbook(rules: dict[str, Any]):
    for alert in every(rules, "alert"):
        assert alert["labels"]["severity"] in {"page", "ticket", "info"}
        assert {"summary", "description", "runbook_url"} <= alert["annotations"].keys()
        assert (RUNBOOKS / alert["annotations"]["runbook_url"].rpartition("/")[2]).exists()
        assert alert["annotations"]["runbook_url"].endswith(f"/{alert['alert']}.md")


def test_every_alert_links_to_an_existing_panel(rules: dict[str, Any]):
    shown = [json.loads(path.read_text()) for path in HOME.glob("*.json")]
    ids = {board["uid"]: [panel["id"] for panel in board["panels"] if panel["type"] != "row"] for board in shown}
    assert all(len(each) == len(set(each)) for each in ids.values())
    for alert in every(rules, "alert"):
        found = re.fullmatch(LEAD, alert["annotations"]["dashboard_url"])
        assert found, alert["alert"]
        assert int(found[2]) in ids[found[1]], alert["alert"]
        # an alert without a window may be of days ago, which the six hours of a dashboard would not hold
        assert bool(found[3]) == (alert["alert"] in WITHOUT_WINDOW), alert["alert"]


def test_every_name_in_an_address_is_escaped(rules: dict[str, Any]):
    for alert in every(rules, "alert"):
        for name in ("incident_url", "dashboard_url"):
            address = alert["annotations"].get(name, "")
            assert re.findall(r"{{ (?!urlquery )", address) == [], (alert["alert"], name)


def test_alerts_and_runbooks_match_and_every_alert_has_cases(rules: dict[str, Any]):
    alerts = {alert["alert"] for alert in every(rules, "alert")}
    assert alerts == {path.stem for path in RUNBOOKS.glob("SQLAssay*.md")}
    index = (RUNBOOKS.parent / "failures.csv").read_text()
    cases = "".join(path.read_text() for path in (PROMETHEUS / "tests").glob("*.test.yml"))
    assert [name for name in sorted(alerts) if f",{name}," not in index] == []
    assert [name for name in sorted(alerts) if name not in cases] == []


def exposed() -> set[str]:
    """Every metric name that a query may use."""
    names: set[str] = set()
    for name, kind, _ in Metrics(MetricSettings(), "local").declared():
        names |= {
            "histogram": {f"{name}_sum", f"{name}_count", f"{name}_bucket"},
            "summary": {f"{name}_sum", f"{name}_count"},
            "counter": {f"{name}_total"},
            "info": {f"{name}_info"},
        }.get(kind, {name})
    return names


def names_in(query: str) -> set[str]:
    return set(re.findall(r"\bsqlassay[_:][a-z_:]+", query))


def test_rules_use_declared_metrics_only(rules: dict[str, Any]):
    known = exposed() | {rule["record"] for rule in every(rules, "record")}
    used = {name for group in rules["groups"] for rule in group["rules"] for name in names_in(rule["expr"])}
    assert used <= known


def test_the_dashboards_are_built_from_the_code():
    assert {path.stem: path.read_text() for path in HOME.glob("*.json")} == boards(), "python -m grafana.build"


def test_panels_show_the_bounds_at_which_alerts_fire():
    conditions = yaml.safe_load((CHART / "values.yaml").read_text())["alerts"]["conditions"]
    for shown in (accuracy.ALERT_BOUNDS, judge.ALERT_BOUNDS, pipeline.ALERT_BOUNDS):
        assert {name: conditions[name] for name in shown} == shown
    assert accuracy.JUDGED_WRONG == JUDGED_WRONG


def panels() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(HOME.glob("*.json")):
        for panel in json.loads(path.read_text())["panels"]:
            if panel["type"] != "row":
                yield path.stem, panel


def test_every_panel_has_a_description_a_unit_and_declared_metrics():
    titles = [(board, panel["title"]) for board, panel in panels()]
    assert len(titles) == len(set(titles)) > 25
    for board, panel in panels():
        assert panel["description"], (board, panel["title"])
        assert panel["fieldConfig"]["defaults"]["unit"], (board, panel["title"])
        for target in panel["targets"]:
            assert names_in(target["expr"]), (board, panel["title"])
            assert names_in(target["expr"]) <= exposed(), (board, panel["title"])


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        ({"objective": 0.5, "budgetShare": 0.02}, "can never be reached"),
        ({"budgetShare": 0.001}, "is no faster than the budget allows"),
        ({"long": "soon"}, "long"),
        ({"coverage": 1.5}, "coverage"),
        ({"judgedWrongSeverity": "poor"}, "judgedWrongSeverity"),
        ({"windows": 3}, "windows"),
    ],
)
def test_conditions_that_never_or_always_fire_are_rejected(conditions: dict[str, Any], said: str):
    with pytest.raises(HelmError, match=said):
        render({"alerts": {"enabled": True, "conditions": conditions}})


def test_the_example_for_alertmanager_is_valid_and_names_existing_alerts():
    path = PROMETHEUS / "alertmanager.yml"
    done = run_tool(found(AMTOOL), "check-config", path)
    assert done.returncode == 0, done.stdout + done.stderr
    alerts = {alert["alert"] for alert in every(yaml.safe_load(RULES.read_text()), "alert")}
    named = set(re.findall(r"SQLAssay\w+", re.sub(r"SQLAssayLag\.\*", "SQLAssayLagHigh", path.read_text())))
    assert named <= alerts
