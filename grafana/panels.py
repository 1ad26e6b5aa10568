"""Panels as data, and how Grafana panels are built from them."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from grafana_foundation_sdk.builders import bargauge, common, dashboard, prometheus, stat, table, timeseries
from grafana_foundation_sdk.models import common as kinds
from grafana_foundation_sdk.models import dashboard as models
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

TIERS = {"poor": "#c4162a", "marginal": "#ff9830", "good": "#96d98d", "excellent": "#37872d"}
"""The tiers' colours, the same wherever a tier is shown."""
Steps: TypeAlias = Sequence[tuple[float | None, str]]
"""Colours by lower bound of the value, in rising order."""
SOURCE = models.DataSourceRef(type_val="prometheus", uid="${datasource}")
CONSOLE = "${console}/console"
"""The console; the dashboard's variable holds its address."""
SHOWN_TIME = "since=${__from:date:iso}&until=${__to:date:iso}"
"""The time of the dashboard, as the console reads it."""
_WHO = "tenant=${{{0}.tenant:percentencode}}&agent=${{{0}.agent:percentencode}}"
_VERSION = "&agent_version=${{{0}.version:percentencode}}"
_NAMES = {"table": "__data.fields"}
"""Where a link finds the names of its series, if not among the labels: a table has them in its row."""
_HEIGHT = {"stat": 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class DashboardPanel:
    """One panel."""

    title: str
    was: str = ""
    """The title by which links know the panel, where it has another one now."""
    shows: str
    """The panel's description."""
    queries: Mapping[str, str]
    """PromQL by legend."""
    kind: str = "lines"
    """lines, stacked, stat, bars or table."""
    unit: str = "short"
    width: int = 12
    """In columns, of 24."""
    steps: Steps = ()
    most: float | None = None
    """The top of the axis."""
    colours: Mapping[str, str] = field(default_factory=dict[str, str])
    """Colours by legend."""
    of_agent: bool = False
    """Each series belongs to an agent and links to its incident, its page and its worst answers."""
    of_version: bool = False
    """Each series belongs to a version of an agent, and its links name the version."""
    empty: str = "nothing in the time chosen"
    """What the panel says where it has no data: why that may be."""

    @property
    def id(self) -> int:
        """The number by which links name the panel. It depends on the first title only.

        >>> DashboardPanel(title="Lag", shows="", queries={}).id
        60971
        """
        return zlib.crc32((self.was or self.title).encode()) % 100_000


def figure(title: str, shows: str, query: str | Mapping[str, str], unit: str, steps: Steps) -> DashboardPanel:
    """One of the figures at the top of a dashboard, with the colours of its bounds."""
    queries = {"": query} if isinstance(query, str) else query
    return DashboardPanel(title=title, shows=shows, queries=queries, kind="stat", width=4, unit=unit, steps=steps)


Rows: TypeAlias = Sequence[tuple[str, Sequence[DashboardPanel]]]
"""Row titles with their panels."""
_NEW = {
    "lines": timeseries.Panel,
    "stacked": timeseries.Panel,
    "stat": stat.Panel,
    "bars": bargauge.Panel,
    "table": table.Panel,
}


def draw(board: dashboard.Dashboard, rows: Rows) -> None:
    """Adds rows to a dashboard."""
    for title, panels in rows:
        board.with_row(dashboard.Row(title))
        for each in panels:
            board.with_panel(_drawn(each))


def _drawn(panel: DashboardPanel) -> Any:
    drawn: Any = (
        _NEW[panel.kind]()
        .id(panel.id)
        .title(panel.title)
        .description(panel.shows)
        .datasource(SOURCE)
        .unit(panel.unit)
        .span(panel.width)
        .height(_HEIGHT.get(panel.kind, 8))
        .no_value(panel.empty)
    )
    for letter, (legend, query) in zip("ABCDEFGH", panel.queries.items(), strict=False):
        drawn.with_target(_query(letter, legend, query, panel.kind))
    if panel.steps:
        steps = [models.Threshold(value=value, color=colour) for value, colour in panel.steps]
        drawn.thresholds(dashboard.ThresholdsConfig().mode(models.ThresholdsMode.ABSOLUTE).steps(steps))
        drawn.color_scheme(dashboard.FieldColor().mode(models.FieldColorModeId.THRESHOLDS))
    if panel.most is not None:
        drawn.min(0).max(panel.most)
    if panel.of_agent:
        drawn.data_links([_link(words, path) for words, path in _links(panel).items()])
    for name, colour in panel.colours.items():
        fixed = {"mode": "fixed", "fixedColor": colour}
        drawn.override_by_name(name, [models.DynamicConfigValue(id_val="color", value=fixed)])
    return _styled(drawn, panel.kind)


def _links(panel: DashboardPanel) -> dict[str, str]:
    """The pages of the console about a series, each with its time and, where it has one, its version."""
    names = _NAMES.get(panel.kind, "__field.labels")
    who, version = _WHO.format(names), _VERSION.format(names) if panel.of_version else ""
    return {
        "Incident of this agent": f"incidents?{who}",
        "This agent": f"agents?{who}{version}&{SHOWN_TIME}",
        "Its worst answers": f"evaluations?{who}{version}&{SHOWN_TIME}&order=worst",
    }


def _link(words: str, path: str) -> dashboard.DashboardLink:
    made = dashboard.DashboardLink(words).type(models.DashboardLinkType.LINK)
    return made.url(f"{CONSOLE}/{path}").target_blank(True)


def _query(letter: str, legend: str, query: str, kind: str) -> prometheus.Dataquery:
    made = prometheus.Dataquery().ref_id(letter).expr(query).legend_format(legend).datasource(SOURCE)
    if kind in {"stat", "bars", "table"}:
        made.instant()
    if kind == "table":
        made.format(PromQueryFormat.TABLE)
    return made


def _styled(drawn: Any, kind: str) -> Any:
    if kind == "stacked":
        drawn.fill_opacity(60).line_width(0).stacking(common.StackingConfig().mode(kinds.StackingMode.NORMAL))
    if kind in {"lines", "stacked"}:
        legend = common.VizLegendOptions().display_mode(kinds.LegendDisplayMode.LIST).show_legend(True)
        drawn.legend(legend.placement(kinds.LegendPlacement.BOTTOM))
        drawn.tooltip(common.VizTooltipOptions().mode(kinds.TooltipDisplayMode.MULTI).sort(kinds.SortOrder.DESCENDING))
    if kind == "bars":
        drawn.orientation(kinds.VizOrientation.HORIZONTAL).display_mode(kinds.BarGaugeDisplayMode.BASIC)
    if kind in {"bars", "stat"}:
        drawn.reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
    return drawn
