"""No failure is silent: each row of docs/failures.csv is a case of `promtool`, and sends one alert."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
import yaml

from tests.deploy.charts import ROOT, only, render
from tests.deploy.failure_rows import FAILURES
from tests.deploy.failures import BEFORE, SHOWN, Failure
from tests.deploy.inhibition import Labels, silenced
from tests.servers.fixtures import found
from tests.servers.install import PROMTOOL
from tests.servers.prometheus_server import run_tool

PROMETHEUS = ROOT / "deploy" / "prometheus"
CASES = PROMETHEUS / "tests" / "failures.test.yml"
RULES = PROMETHEUS / "tests" / "failures.rules.yml"
TABLE = ROOT / "docs" / "failures.csv"
WRITE = os.environ.get("SQLASSAY_TEST_WRITE_RULES")
"""When set, the tests write the rules, the cases and the table."""
LABELS = (
    "alertname, agent, cluster, component, concern, dependency, instance, job, namespace, partition, severity, tenant,"
    " topic"
)
FIRING = f'group by ({LABELS}) (ALERTS{{alertstate="firing"}})'
HEADER = "# Written by tests/deploy/test_failures.py with SQLASSAY_TEST_WRITE_RULES=1. Do not edit.\n"
TWO_OF_EACH = {"alerts": {"enabled": True, "conditions": {"job": "sqlassay"}}}
HEAD = ("failure", "alert", "sent as", "within minutes", "silenced meanwhile")


def alert_names() -> list[str]:
    groups = only(render(TWO_OF_EACH), "PrometheusRule")["spec"]["groups"]
    return sorted({rule["alert"] for group in groups for rule in group["rules"] if "alert" in rule})


def promtool(*arguments: object) -> CompletedProcess[str]:
    return run_tool(found(PROMTOOL), *arguments)


def case(failure: Failure, firing: list[Labels]) -> dict[str, Any]:
    """A healthy hour and a half without an alert, then the failure's alert in time, then all that fire."""
    named = {"labels": f'{{alertname="{failure.alert}"}}', "value": 1}
    shown = [{"labels": written(one), "value": 1} for one in firing]
    alone = f'ALERTS{{alertstate="firing", alertname="{failure.alert}"}}'
    return {
        "name": failure.what,
        "interval": "1m",
        "input_series": [entry(name, values) for name, values in failure.series().items()],
        "promql_expr_test": [
            {"expr": FIRING, "eval_time": f"{BEFORE - 2}m", "exp_samples": []},
            {
                "expr": f"count by (alertname) (count by (alertname) ({alone}))",
                "eval_time": f"{BEFORE + failure.within}m",
                "exp_samples": [named],
            },
            {"expr": FIRING, "eval_time": f"{shown_at(failure)}m", "exp_samples": shown},
        ],
    }


@cache
def entry(series: str, values: str) -> dict[str, str]:
    """One object for each series with its values, which YAML then writes once."""
    return {"series": series, "values": values}


def written(labels: Labels) -> str:
    return "{" + ", ".join(f'{name}="{value}"' for name, value in sorted(labels.items())) + "}"


def shown_at(failure: Failure) -> int:
    return BEFORE + max(SHOWN, failure.within)


def document(cases: list[dict[str, Any]]) -> dict[str, Any]:
    return {"rule_files": [RULES.name], "evaluation_interval": "1m", "tests": cases}


def fired(failure: Failure, folder: Path) -> list[Labels]:
    """What `promtool` says fires, by asking it to expect nothing."""
    (folder / RULES.name).write_text(RULES.read_text())
    made = case(failure, [])
    made["promql_expr_test"] = made["promql_expr_test"][-1:]
    (folder / "ask.yml").write_text(yaml.safe_dump(document([made])))
    said = promtool("test", "rules", folder / "ask.yml")
    got = re.search(r"got: (.*)", said.stdout + said.stderr)
    assert got, f"{failure.what}: nothing fires\n{said.stdout}{said.stderr}"
    return [dict(re.findall(r'(\w+)="([^"]*)"', one)) for one in re.findall(r"\{(.*?)\} ", got[1])]


def test_the_cases_are_those_of_the_rows(tmp_path: Path):
    rules = HEADER + yaml.safe_dump(only(render(TWO_OF_EACH), "PrometheusRule")["spec"], sort_keys=False, width=200)
    if WRITE:
        RULES.write_text(rules)
        cases = [case(each, fired(each, tmp_path)) for each in FAILURES]
        CASES.write_text(HEADER + yaml.safe_dump(document(cases), sort_keys=False, width=200))
    assert RULES.read_text() == rules
    written = yaml.safe_load(CASES.read_text())["tests"]
    assert [case(row, firing_of(one)) for row, one in zip(FAILURES, written, strict=True)] == written


@pytest.mark.slow  # two hours of a whole installation, forty times
def test_promtool_confirms_every_case():
    done = promtool("test", "rules", CASES)
    assert done.returncode == 0, done.stdout + done.stderr


@cache
def committed() -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in yaml.safe_load(CASES.read_text())["tests"]}


def firing_of(written: dict[str, Any]) -> list[Labels]:
    samples = written["promql_expr_test"][-1]["exp_samples"]
    return [dict(re.findall(r'(\w+)="([^"]*)"', one["labels"])) for one in samples]


def inhibition() -> list[dict[str, Any]]:
    return yaml.safe_load((PROMETHEUS / "alertmanager.yml").read_text())["inhibit_rules"]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda each: each.what)
def test_on_call_is_told_the_cause_and_nothing_else(failure: Failure):
    firing = firing_of(committed()[failure.what])
    quiet = silenced(inhibition(), firing)
    assert {each["alertname"] for each in firing if each not in quiet} == {failure.alert}
    assert len({each["severity"] for each in firing if each not in quiet}) == 1


def rows() -> Iterator[tuple[object, ...]]:
    for failure in FAILURES:
        firing = firing_of(committed()[failure.what])
        quiet = sorted({each["alertname"] for each in silenced(inhibition(), firing)})
        sent_as = next(each["severity"] for each in firing if each["alertname"] == failure.alert)
        yield failure.what, failure.alert, sent_as, failure.within, " ".join(quiet)


def test_the_table_says_what_the_cases_prove():
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([HEAD, *rows()])
    if WRITE:
        TABLE.write_text(table.getvalue())
    assert TABLE.read_text() == table.getvalue()


def test_every_alert_is_in_the_table_and_no_other():
    assert {each.alert for each in FAILURES} == set(alert_names())


def test_every_alert_that_inhibition_names_exists():
    known = set(alert_names())
    for rule in inhibition():
        for matcher in [*rule["source_matchers"], *rule["target_matchers"]]:
            assert named_by(matcher) <= known, matcher


def named_by(matcher: str) -> set[str]:
    """The names that a matcher of alerts spells out; empty for one of other labels."""
    name, _, value = matcher.partition('"')
    if not name.startswith("alertname"):
        return set()
    before, _, rest = value.rstrip('"').partition("(")
    inside, _, after = rest.partition(")")
    return {f"{before}{each}{after}" for each in inside.split("|")} if rest else {before}


def test_an_alert_without_an_inhibition_rule_is_not_silenced():
    assert silenced([], [{"alertname": "SQLAssayKafkaDown"}, {"alertname": "SQLAssayLagHigh"}]) == []
    assert not silenced(inhibition(), [{"alertname": "SQLAssayLagHigh"}])
    apart = [
        {"alertname": "SQLAssayWorkersAbsent", "component": "worker"},
        {"alertname": "SQLAssayDown", "component": "api"},
    ]
    assert silenced(inhibition(), apart) == []
