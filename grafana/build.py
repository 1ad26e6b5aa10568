"""Writes the dashboards: `python -m grafana.build` writes the JSON that the chart and compose.yaml ship."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import dashboard as models

from grafana.accuracy import accuracy
from grafana.judge import judge
from grafana.panels import CONSOLE, SHOWN_TIME, SOURCE, Rows, draw
from grafana.pipeline import pipeline

HOME = Path(__file__).parent / "dashboards"
_RUNBOOKS = "https://github.com/sqlassay/sqlassay/blob/main/docs/runbooks/README.md"
_NEW_JUDGE = (
    "sum by (tenant, agent, judge, evaluator) (sqlassay_score_count)"
    " unless sum by (tenant, agent, judge, evaluator) (sqlassay_score_count offset 10m)"
)
_RELEASES = (
    'sum by (tenant, agent, version) (sqlassay_version_score_count{version!="other"})'
    " unless sum by (tenant, agent, version) (sqlassay_version_score_count offset 10m)"
)
_NEW_RULES = "changes(sqlassay_rules_version[5m]) > 0"

TENANT = {"tenant": "sqlassay_score_count"}
WHO = {**TENANT, "agent": 'sqlassay_score_count{tenant=~"$tenant"}'}
"""The pickers of a dashboard, each with the series whose label it offers."""
_LINKS = {
    "Worst answers": f"{CONSOLE}/evaluations?order=worst&{SHOWN_TIME}",
    "Incidents": f"{CONSOLE}/incidents",
    "Runbooks": _RUNBOOKS,
}
_NO_PICKERS: Mapping[str, str] = {}
_MARKERS = (("release", "green", _RELEASES), ("judge", "purple", _NEW_JUDGE), ("rules", "blue", _NEW_RULES))


def boards() -> dict[str, str]:
    """Returns the JSON of every dashboard by its file name without suffix."""
    made = {
        "accuracy": _board(
            "SQLAssay: accuracy", "sqlassay-accuracy", "How good the answers are, and why.", accuracy(), WHO
        ),
        "pipeline": _board(
            "SQLAssay: pipeline", "sqlassay-pipeline", "Whether every event is handled, in time.", pipeline()
        ),
        "judge": _board(
            "SQLAssay: judge", "sqlassay-judge", "What the model judge does, and what it costs.", judge(), TENANT
        ),
    }
    return {name: JSONEncoder(sort_keys=True, indent=2).encode(board.build()) + "\n" for name, board in made.items()}


def _board(
    title: str, uid: str, shows: str, rows: Rows, pickers: Mapping[str, str] = _NO_PICKERS
) -> dashboard.Dashboard:
    """A dashboard. Every picker is one that its panels use; without any, it shows the whole service."""
    board = (
        dashboard.Dashboard(title)
        .uid(uid)
        .description(shows)
        .tags(["sqlassay"])
        .time("now-6h", "now")
        .refresh("1m")
        .timezone("browser")
        .tooltip(models.DashboardCursorSync.CROSSHAIR)
        .readonly()
        .with_variable(dashboard.DatasourceVariable("datasource").label("Prometheus").type("prometheus"))
    )
    for name, source in pickers.items():
        board.with_variable(_variable(name, source))
    board.with_variable(dashboard.TextBoxVariable("console").label("Console").default_value("http://localhost:8321"))
    for name, colour, query in _MARKERS:
        marker = dashboard.AnnotationQuery().name(name).datasource(SOURCE).enable(True).icon_color(colour).expr(query)
        board.annotation(marker)
    board.link(
        dashboard.DashboardLink("SQLAssay")
        .type(models.DashboardLinkType.DASHBOARDS)
        .tags(["sqlassay"])
        .keep_time(True)
        .include_vars(True)
    )
    for words, address in _LINKS.items():
        link = dashboard.DashboardLink(words).type(models.DashboardLinkType.LINK)
        board.link(link.url(address).target_blank(True))
    draw(board, rows)
    return board


def _variable(name: str, source: str) -> dashboard.QueryVariable:
    return (
        dashboard.QueryVariable(name)
        .label(name.capitalize())
        .query(f"label_values({source}, {name})")
        .datasource(SOURCE)
        .multi(True)
        .include_all(True)
        .all_value(".*")
        .refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(models.VariableSort.ALPHABETICAL_ASC)
    )


def main() -> None:
    """Writes every dashboard."""
    HOME.mkdir(exist_ok=True)
    for name, text in boards().items():
        (HOME / f"{name}.json").write_text(text, encoding="utf-8")
        print(f"wrote {name}.json", file=sys.stderr)


if __name__ == "__main__":
    main()
