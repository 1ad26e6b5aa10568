"""One answer explained: why it has its score, or why it has none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from scoring.display import show_filter, show_match
from scoring.query import Query, Unscored
from scoring.question.follow_ups import FollowUp
from scoring.rules import Tier
from scoring.verdict import Case, Composite, Dimension, Enrichment, FilterAlignment, Normalization, Reason, Score
from service.commands.rendering.specifications import specifications
from service.commands.rendering.terminal import one_line, printable, section

TIER_STYLE: Mapping[str, str] = {
    Tier.EXCELLENT: "bold green",
    Tier.GOOD: "green",
    Tier.MARGINAL: "yellow",
    Tier.POOR: "bold red",
}


def arithmetic(composite: Composite, tier: Tier) -> str:
    """Shows how Φ was computed (STEF, equations 11 and 12).

    >>> arithmetic(Composite(filters=4, verdict=5, leniency=1, multiplier=1.0, score=100.0), Tier.EXCELLENT)
    '(σ_filters 4 + σ_verdict 5 + δ 1) × 10 × Γ 1.0 = 100.00 → excellent'
    """
    base = f"σ_filters {composite.filters} + σ_verdict {composite.verdict} + δ {composite.leniency}"
    return f"({base}) × 10 × Γ {composite.multiplier:.1f} = {composite.score:.2f} → {tier.value}"


def explanation(score: Score) -> RenderableType:
    """Explains a scored answer: its specifications, alignment, normalisations, reasons and arithmetic."""
    case, reply = score.case, score.reply
    head = Text.assemble(
        (f"{score.composite.score:.2f} {score.tier.value}", TIER_STYLE[score.tier]),
        f"   {reply.verdict.value}   p_correct {reply.p_correct:.2f}   γ {reply.confidence:.2f}   judge {reply.judge}",
    )
    return Group(
        head,
        texts(case.query, case.follow_up),
        specifications(case.question, case.sql),
        alignment(case),
        excused(case.normalizations),
        enrichment(case.enrichment),
        reasons(reply.reasons),
        section(
            "How the number came about",
            [Text(arithmetic(score.composite, score.tier)), Text(f"{score.tier.value}: {score.tier.action}")],
        ),
    )


def refusal(query: Query, unscored: Unscored) -> RenderableType:
    """Explains why an answer has no score."""
    head = Text.assemble(("no score ", "bold yellow"), unscored.reason.value)
    return Group(head, Text(one_line(unscored.detail)), texts(query))


def texts(query: Query, follow_up: FollowUp | None = None) -> RenderableType:
    """The question, what it means as a follow-up, the enriched question and the SQL (Qu, Qe and S)."""
    grid = Table.grid(padding=(0, 2))
    asked = query.question if follow_up is None else follow_up.fragment
    grid.add_row(Text("question", style="dim"), Text(one_line(asked)))
    if follow_up is not None:
        grid.add_row(Text("meaning", style="dim"), Text(one_line(follow_up.meaning)))
    if query.enriched_question:
        grid.add_row(Text("enriched", style="dim"), Text(one_line(query.enriched_question)))
    grid.add_row(Text("SQL", style="dim"), Text(printable(query.sql), style="cyan"))
    return Panel(grid, expand=False, border_style="dim")


def alignment(case: Case) -> RenderableType:
    """Which filters match, and which outputs, aggregations and groups are missing or extra."""
    grid = Table.grid(padding=(0, 2))
    for mark, style, name, items in _filters(case.filters):
        for item in items:
            grid.add_row(Text(mark, style=style), name, Text(one_line(item, 160)))
    for name, dimension in (
        ("projection", case.projection),
        ("aggregation", case.aggregation),
        ("grouping", case.grouping),
    ):
        grid.add_row(Text("✓" if dimension.match else "✗", style="green" if dimension.match else "red"), name)
        for side, item in _differences(dimension):
            grid.add_row("", f"  {side}", Text(one_line(item, 160)))
    return section(f"Alignment: filters {case.filters.status.value}", [grid])


def _filters(filters: FilterAlignment) -> Iterator[tuple[str, str, str, list[str]]]:
    """Each group of filters: its mark, style, name and items."""
    yield "✓", "green", "matched", [show_match(each) for each in filters.matched]
    yield "✗", "red", "missing", [show_filter(each) for each in filters.missing]
    yield "≠", "red", "mismatched", [show_match(each) for each in filters.mismatched]
    yield "+", "yellow", "extra", [show_filter(each) for each in filters.extra]
    yield "○", "green", "benign", [show_filter(each) for each in filters.benign]
    yield "·", "dim", "ignored", [show_filter(each) for each in filters.ignored]


def _differences(dimension: Dimension) -> Iterator[tuple[str, str]]:
    for item in dimension.missing:
        yield "missing", item
    for item in dimension.extra:
        yield "extra", item


def excused(normalizations: Sequence[Normalization]) -> RenderableType:
    """The normalisation rules that applied, each with its construct."""
    lines = [Text(f"{each.rule.value}: {one_line(each.construct, 160)}") for each in normalizations]
    return section("Excused by a normalisation rule", lines or [Text("nothing", style="dim")])


def enrichment(validated: Enrichment) -> RenderableType:
    """Stage 1: whether the enriched question still asks the user's question."""
    parts = (("lost", validated.lost), ("added", validated.added), ("changed", validated.changed))
    lines = [Text(f"{name}: {one_line(item, 160)}") for name, items in parts for item in items]
    return section(f"Enriched question: {validated.status.value}, {validated.score:g} of 100", lines)


def reasons(given: Sequence[Reason]) -> RenderableType:
    """The judge's reasons, strongest first, each with its effect on the log-odds of being correct."""
    grid = Table.grid(padding=(0, 2))
    for each in given:
        style = "green" if each.weight > 0 else "red"
        grid.add_row(Text(f"{each.weight:+.2f}", style=style), each.code.value, Text(one_line(each.detail, 160)))
    return section("Reasons (move of the log-odds of being correct)", [grid])
