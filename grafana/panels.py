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
SOURCE = models.DataSourceRef(type_val="prometheus", uid="${datasource}")
CONSOLE = "${console}/console/evaluations"
"""The console's list of answers; the dashboard's variable holds the console's address."""
_WORST = f"{CONSOLE}?tenant=${{__field.labels.tenant}}&agent=${{__field.labels.agent}}&order=worst"
_HEIGHT = {"stat": 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class DashboardPanel:
    """One panel."""

    title: str
    shows: str
    """The panel's description."""
    queries: Mapping[str, str]
    """PromQL by legend."""
    kind: str = "lines"
    """lines, stacked, stat, bars or table."""
    unit: str = "short"
    width: int = 12
    """In columns, of 24."""
    steps: Sequence[tuple[float | None, str]] = ()
    """Colours by lower bound of the value, in rising order."""
    most: float | None = None
    """The top of the axis."""
    colours: Mapping[str, str] = field(default_factory=dict[str, str])
    """Colours by legend."""
    worst: bool = False
    """Each series belongs to an agent and links to that agent's worst answers."""

    @property
    def id(self) -> int:
        """The number by which links name the panel. It depends on the title only.

        >>> DashboardPanel(title="Lag", shows="", queries={}).id
        60971
        """
        return zlib.crc32(self.title.encode()) % 100_000


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
        .no_value("no data")
    )
    for letter, (legend, query) in zip("ABCDEFGH", panel.queries.items(), strict=False):
        drawn.with_target(_query(letter, legend, query, panel.kind))
    if panel.steps:
        steps = [models.Threshold(value=value, color=colour) for value, colour in panel.steps]
        drawn.thresholds(dashboard.ThresholdsConfig().mode(models.ThresholdsMode.ABSOLUTE).steps(steps))
        drawn.color_scheme(dashboard.FieldColor().mode(models.FieldColorModeId.THRESHOLDS))
    if panel.most is not None:
        drawn.min(0).max(panel.most)
    if panel.worst:
        link = dashboard.DashboardLink("Worst answers").type(models.DashboardLinkType.LINK)
        drawn.data_links([link.url(_WORST).target_blank(True)])
    for name, colour in panel.colours.items():
        fixed = {"mode": "fixed", "fixedColor": colour}
        drawn.override_by_name(name, [models.DynamicConfigValue(id_val="color", value=fixed)])
    return _styled(drawn, panel.kind)


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
