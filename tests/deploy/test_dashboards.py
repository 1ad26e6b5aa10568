"""Every panel's query gives data on a real Prometheus, and pickers, links and summary rows do what they promise."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import pytest

from grafana.build import HOME
from service.metrics import Metrics
from service.settings.observability_settings import MetricSettings
from tests.servers.fixtures import found
from tests.servers.install import PROMTOOL
from tests.servers.processes import Server
from tests.servers.prometheus_server import PrometheusServer, run_tool

BOARDS: Mapping[str, dict[str, Any]] = {path.stem: json.loads(path.read_text()) for path in sorted(HOME.glob("*.json"))}
VALUES = {
    "tenant": ("library",),
    "agent": ("atlas", "ember"),
    "unit": ("money", "tokens"),
    "tier": ("poor", "marginal"),
    "state": ("closed", "open"),
    "local": ("right", "wrong"),
    "model": ("right", "wrong"),
    "end": ("replied", "failed"),
    "status": ("200", "503"),
    "route": ("/v1/events",),
    "reason": ("", "JUDGE_UNAVAILABLE"),
    "version": ("1", "2"),
    "currency": ("EUR",),
    "kind": ("fall", "below"),
    "le": ("1", "50", "+Inf"),
}
"""What the staged series have for labels whose value matters to a query."""
ENDS = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum"), "summary": ("_count", "_sum")}
STEPS, SECONDS = 61, 60
"""An hour of samples."""


def variables(board: dict[str, Any]) -> set[str]:
    return {each["name"] for each in board["templating"]["list"]}


def panels(board: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (panel for panel in board["panels"] if panel["type"] != "row")


def test_every_picker_is_used_by_the_panels_and_every_name_that_they_use_is_picked():
    for name, board in BOARDS.items():
        used = {each for panel in panels(board) for target in panel["targets"]
                for each in re.findall(r"\$(\w+)", target["expr"])}  # fmt: skip
        assert used - {"__rate_interval", "__range"} == variables(board) - {"datasource", "console"}, name
    assert variables(BOARDS["pipeline"]) == {"datasource", "console"}
    for board in BOARDS.values():
        pickers, row = variables(board) - {"datasource", "console"}, ""
        for panel in board["panels"]:
            row = panel["title"] if panel["type"] == "row" else row
            whole = "all tenants" in f"{row} {panel['title']}" or "Processes" in panel["title"]
            for target in panel.get("targets", ()):
                used = {each for each in pickers if f"${each}" in target["expr"]}
                # a line that is the same for every choice says so
                assert used == pickers or whole or target["legendFormat"] == "bound of {{tenant}}", panel["title"]


def test_every_dashboard_begins_with_a_row_of_figures_whose_bounds_have_colours():
    for name, board in BOARDS.items():
        assert (board["panels"][0]["type"], board["panels"][0]["title"]) == ("row", "At a glance"), name
        first = board["panels"][1:7]
        assert [each["type"] for each in first] == ["stat"] * 6, name
        coloured = [
            each for each in first if len(each["fieldConfig"]["defaults"].get("thresholds", {}).get("steps", [])) > 1
        ]
        assert len(coloured) >= 4, name


def test_a_panel_without_data_says_why_and_money_has_its_currency():
    for name, board in BOARDS.items():
        for panel in panels(board):
            assert len(panel["fieldConfig"]["defaults"]["noValue"]) > len("no data"), (name, panel["title"])
            if "Money" in panel["title"]:
                for target in panel["targets"]:
                    assert "{{currency}}" in target["legendFormat"], panel["title"]
                    assert "group_left (currency)" in target["expr"], panel["title"]


def test_links_keep_the_time_the_names_and_the_version_and_lead_to_incident_and_agent():
    for name, board in BOARDS.items():
        between = next(each for each in board["links"] if each["type"] == "dashboards")
        assert (between["keepTime"], between["includeVars"]) == (True, True), name
        for panel in panels(board):
            links = {each["title"]: each["url"] for each in panel["fieldConfig"]["defaults"].get("links") or ()}
            if not links:
                continue
            assert links["Incident of this agent"].startswith("${console}/console/incidents?tenant=")
            for words in ("This agent", "Its worst answers"):
                assert "since=${__from:date:iso}&until=${__to:date:iso}" in links[words]
                assert ("agent_version=${__field.labels.version:percentencode}" in links[words]) == (
                    "by version" in panel["title"]
                )
    # every panel that names agents leads to each; a table has the names in its row
    for panel in panels(BOARDS["accuracy"]):
        legends = [target["legendFormat"] for target in panel["targets"]]
        of_agents = panel["type"] == "table" or any("{{agent}}" in each for each in legends)
        links = panel["fieldConfig"]["defaults"].get("links") or ()
        assert bool(links) == of_agents, panel["title"]
        names = "__data.fields" if panel["type"] == "table" else "__field.labels"
        # encoded, so that a name may hold & and #
        who = f"tenant=${{{names}.tenant:percentencode}}&agent=${{{names}.agent:percentencode}}"
        assert all(who in each["url"] for each in links)


def series(metrics: Metrics) -> Iterator[tuple[str, str, bool]]:
    """Name, labels, and whether it rises, of every series that a service may show, without those of the interpreter."""
    for name, kind, _ in metrics.declared():
        labels = metrics.labels(name)
        for end in ENDS.get(kind, ("_info",) if kind == "info" else ("",)):
            own = (*labels, "le") if end == "_bucket" else labels
            for values in product(*(VALUES.get(each, ("staged",)) for each in own)):
                given = {**dict(zip(own, values, strict=True)), "job": "sqlassay", "instance": "one"}
                said = ",".join(f'{label}="{value}"' for label, value in given.items())
                yield name + end, f"{{{said}}}", kind in ENDS


def staged(now: int, *, quiet: bool = False) -> str:
    """An hour of samples of every metric, in the text that promtool reads. In a quiet hour no counter grows."""
    lines: list[str] = []
    metrics = Metrics(MetricSettings(), "local")
    for name, labels, rises in series(metrics):
        for step in range(STEPS):
            at = now - (STEPS - 1 - step) * SECONDS
            lines.append(f"{name}{labels} {(step + 1) * 7 if rises and not quiet else 1} {at}")
    return "\n".join([*lines, "# EOF\n"])


def asked(expr: str) -> str:
    """A panel's query as Grafana sends it for everything, over the last half hour."""
    for name, value in {"__rate_interval": "5m", "__range": "30m", "tenant": ".*", "agent": ".*"}.items():
        expr = expr.replace(f"${name}", value)
    return expr


@contextmanager
def ended(server: Server) -> Iterator[None]:
    """Stops a server on leaving."""
    try:
        yield
    finally:
        server.stop()


@contextmanager
def answering(home: Path, samples: str) -> Iterator[httpx.Client]:
    """A client of a Prometheus that has these samples."""
    (home / "staged.txt").write_text(samples)
    blocks = ("tsdb", "create-blocks-from", "openmetrics", home / "staged.txt", home / "home" / "data")
    done = run_tool(found(PROMTOOL), *blocks)
    assert done.returncode == 0, done.stderr
    server = PrometheusServer(home / "home", targets=[])
    server.start()
    with ended(server), httpx.Client(base_url=server.url, timeout=30) as client:
        yield client


def replies(client: httpx.Client, now: int) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """What each query of each panel gives: where it is, the query as the panel has it, and the reply."""
    for name, board in BOARDS.items():
        for panel in panels(board):
            for target in panel["targets"]:
                query = asked(target["expr"])
                assert "$" not in query, query
                reply = client.get("/api/v1/query", params={"query": query, "time": now}).json()
                yield f"{name}, {panel['title']}: {query}", target, reply


@pytest.mark.slow  # starts a Prometheus
def test_every_query_of_every_panel_gives_data_where_there_is_some(tmp_path: Path):
    now = int(time.time()) // SECONDS * SECONDS
    faults: list[str] = []
    with answering(tmp_path, staged(now)) as client:
        for where, target, reply in replies(client, now):
            results = reply.get("data", {}).get("result", [])
            if reply["status"] != "success" or not results:
                faults.append(f"{where}: {reply.get('error', 'no data')}")
            missing = set(re.findall(r"{{(\w+)}}", target["legendFormat"])) - {
                label for each in results for label in each["metric"]
            }
            faults += [f"{where}: no label {each}" for each in missing if results]
    assert faults == []


@pytest.mark.slow  # starts a Prometheus
def test_a_panel_of_a_quiet_hour_is_empty_and_says_why_where_it_would_divide_by_nothing(tmp_path: Path):
    now = int(time.time()) // SECONDS * SECONDS
    with answering(tmp_path, staged(now, quiet=True)) as client:
        given = [
            (where, each["value"][1]) for where, _, reply in replies(client, now) for each in reply["data"]["result"]
        ]
    assert given
    assert [where for where, value in given if value in {"NaN", "+Inf"}] == []
