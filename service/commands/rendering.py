"""What a person at a terminal sees: one answer explained, the report, the worst answers, the bench, as rich tables.

Every text of an event is put in as `Text`, never as markup, with control characters made visible: SQL comes from
strangers and must not restyle or rewrite a terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from scoring.alignment.matching import CERTAIN
from scoring.query import Query, Unscored
from scoring.rules import Tier
from scoring.show import show_filter, show_match
from scoring.specification import GroupKey, Projection, QuestionFilter, QuestionSpec, SortKey, SqlSpec, Superlative
from scoring.verdict import Composite, Dimension, Enrichment, FilterAlignment, Normalization, Reason, Score

TIER_STYLE: Mapping[str, str] = {
    Tier.EXCELLENT: "bold green",
    Tier.GOOD: "green",
    Tier.MARGINAL: "yellow",
    Tier.POOR: "bold red",
}
LONGEST = 4_000
"""Characters of one text that are shown."""


def shown(text: str, longest: int = LONGEST) -> str:
    """The text with control characters replaced by their pictures, cut to `longest` characters.

    >>> shown("a\\x1b[31m\\nb")
    'a␛[31m\\nb'
    """
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return "".join(_visible(char) for char in cut)


def _visible(char: str) -> str:
    if char in "\n\t" or char.isprintable():
        return char
    return chr(0x2400 + ord(char)) if ord(char) < 0x20 else "�"


def line(text: str, longest: int = LONGEST) -> str:
    """`shown`, on one line."""
    return shown(" ".join(text.split()), longest)


def arithmetic(composite: Composite, tier: Tier) -> str:
    """How Φ came about (eq. 11, 12).

    >>> arithmetic(Composite(filters=4, verdict=5, leniency=1, multiplier=1.0, score=100.0), Tier.EXCELLENT)
    '(σ_filters 4 + σ_verdict 5 + δ 1) × 10 × Γ 1.0 = 100.00 → excellent'
    """
    base = f"σ_filters {composite.filters} + σ_verdict {composite.verdict} + δ {composite.leniency}"
    return f"({base}) × 10 × Γ {composite.multiplier:.1f} = {composite.score:.2f} → {tier.value}"


def explanation(score: Score) -> RenderableType:
    """One scored answer: both specifications, the alignment, what was excused, the reasons and the number."""
    case, reply = score.case, score.reply
    head = Text.assemble(
        (f"{score.composite.score:.2f} {score.tier.value}", TIER_STYLE[score.tier]),
        f"   {reply.verdict.value}   p_correct {reply.p_correct:.2f}   γ {reply.confidence:.2f}   judge {reply.judge}",
    )
    return Group(
        head,
        texts(case.query),
        specifications(case.question, case.sql),
        alignment(case.filters, case.projection, case.aggregation, case.grouping),
        excused(case.normalizations),
        enrichment(case.enrichment),
        reasons(reply.reasons),
        section("How the number came about", [Text(arithmetic(score.composite, score.tier))]),
    )


def refusal(query: Query, unscored: Unscored) -> RenderableType:
    """An answer without a score, and why."""
    head = Text.assemble(("no score ", "bold yellow"), unscored.reason.value)
    return Group(head, Text(line(unscored.detail)), texts(query))


def texts(query: Query) -> RenderableType:
    """The inputs Qu, Qe and S as they were sent."""
    grid = Table.grid(padding=(0, 2))
    grid.add_row(Text("question", style="dim"), Text(line(query.question)))
    if query.enriched_question:
        grid.add_row(Text("enriched", style="dim"), Text(line(query.enriched_question)))
    grid.add_row(Text("SQL", style="dim"), Text(shown(query.sql), style="cyan"))
    return Panel(grid, expand=False, border_style="dim")


def specifications(question: QuestionSpec, sql: SqlSpec) -> RenderableType:
    """Sq beside Ssql, component by component."""
    table = Table(title_justify="left", show_edge=False, pad_edge=False)
    table.add_column("")
    table.add_column("the question asks (Sq)")
    table.add_column(f"the SQL does (Ssql, {sql.dialect})")
    for name, asked, done in _components(question, sql):
        if asked or done:
            table.add_row(Text(name, style="dim"), _list(asked), _list(done))
    return section("Specifications", [table])


def _components(question: QuestionSpec, sql: SqlSpec) -> Iterable[tuple[str, Sequence[str], Sequence[str]]]:
    yield "outputs", [each.phrase for each in question.outputs], [_projection(each) for each in sql.projections]
    yield (
        "aggregations",
        [_aggregate(each.func, each.column, each.distinct) for each in question.aggregations],
        [_aggregate(each.func, each.column, each.distinct) for each in sql.aggregations],
    )
    yield "filters", [_asked(each) for each in question.filters], [show_filter(each) for each in sql.filters]
    yield "group by", question.group_by, [_key(each) for each in sql.group_by]
    yield "order", _order(question), [_key(each) for each in sql.order_by]
    yield "limit", [str(question.top_k)] if question.top_k is not None else [], _limits(sql)
    yield "joins", [], [f"{each.kind} {each.table}" for each in sql.joins]
    yield "set operations", [], [each.kind for each in sql.set_operations]
    yield "distinct", ["yes"] if question.distinct else [], ["yes"] if sql.distinct else []
    yield (
        "ratios",
        [f"{each.kind.value}: {each.phrase}" for each in question.ratios],
        [f"{each.numerator} / {each.denominator}" for each in sql.divisions],
    )
    yield "negations", question.negations, []


def _asked(each: QuestionFilter) -> str:
    return show_filter(each) if each.certain >= CERTAIN else f"{show_filter(each)} (perhaps)"


def _projection(each: Projection) -> str:
    name = "*" if each.star else each.operand.name
    return name if each.block == "main" else f"{name} @ {each.block}"


def _aggregate(func: str, column: str, distinct: bool) -> str:
    return f"{func}({'DISTINCT ' if distinct else ''}{column})"


def _key(each: GroupKey | SortKey) -> str:
    descending = isinstance(each, SortKey) and each.descending
    return f"{each.operand.name}{' DESC' if descending else ''}"


def _order(question: QuestionSpec) -> list[str]:
    asked = [_superlative(each) for each in question.superlatives]
    if question.ordering is not None:
        asked.append(f"{question.ordering.phrase}{' DESC' if question.ordering.descending else ''}")
    return asked


def _superlative(each: Superlative) -> str:
    return " ".join(part for part in (each.word, each.measure) if part)


def _limits(sql: SqlSpec) -> list[str]:
    return [f"{'?' if each.count is None else each.count}{' by rank' if each.ranked else ''}" for each in sql.limits]


def _list(items: Sequence[str]) -> Text:
    return Text("\n".join(line(item, 100) for item in items))


def alignment(
    filters: FilterAlignment, projection: Dimension, aggregation: Dimension, grouping: Dimension
) -> RenderableType:
    """Where each filter ended, and the three other dimensions."""
    grid = Table.grid(padding=(0, 2))
    for mark, style, name, items in (
        ("✓", "green", "matched", [show_match(each) for each in filters.matched]),
        ("✗", "red", "missing", [show_filter(each) for each in filters.missing]),
        ("≠", "red", "mismatched", [show_match(each) for each in filters.mismatched]),
        ("+", "yellow", "extra", [show_filter(each) for each in filters.extra]),
        ("○", "green", "benign", [show_filter(each) for each in filters.benign]),
        ("·", "dim", "ignored", [show_filter(each) for each in filters.ignored]),
    ):
        for item in items:
            grid.add_row(Text(mark, style=style), name, Text(line(item, 160)))
    for name, dimension in (("projection", projection), ("aggregation", aggregation), ("grouping", grouping)):
        grid.add_row(Text("✓" if dimension.match else "✗", style="green" if dimension.match else "red"), name)
        for side, items in (("missing", dimension.missing), ("extra", dimension.extra)):
            for item in items:
                grid.add_row("", f"  {side}", Text(line(item, 160)))
    return section(f"Alignment: filters {filters.status.value}", [grid])


def excused(normalizations: Sequence[Normalization]) -> RenderableType:
    """The rules that fired, each with its construct."""
    lines = [Text(f"{each.rule.value}: {line(each.construct, 160)}") for each in normalizations]
    return section("Excused by a normalisation rule", lines or [Text("nothing", style="dim")])


def enrichment(validated: Enrichment) -> RenderableType:
    """Stage 1: whether the enriched question still asks what the person asked."""
    parts = (("lost", validated.lost), ("added", validated.added), ("changed", validated.changed))
    lines = [Text(f"{name}: {line(item, 160)}") for name, items in parts for item in items]
    return section(f"Enriched question: {validated.status.value}, {validated.score:g} of 100", lines)


def reasons(given: Sequence[Reason]) -> RenderableType:
    """What moved the judge, strongest first, with how far each moved the log-odds of being correct."""
    grid = Table.grid(padding=(0, 2))
    for each in given:
        style = "green" if each.weight > 0 else "red"
        grid.add_row(Text(f"{each.weight:+.2f}", style=style), each.code.value, Text(line(each.detail, 160)))
    return section("Reasons (move of the log-odds of being correct)", [grid])


def section(title: str, body: Sequence[RenderableType]) -> RenderableType:
    """A titled part, indented under its title."""
    if not body:
        return Group(Text(""), Text(title, style="bold"))
    indented = Table.grid(padding=(0, 0, 0, 2))
    for each in body:
        indented.add_row(each)
    return Group(Text(""), Text(title, style="bold"), indented)


def print_to_terminal(*parts: RenderableType) -> None:
    """Writes to stdout, at the terminal's width."""
    Console().print(*parts, sep="\n")


def bench_table(figures: Mapping[str, object]) -> RenderableType:
    """What an event costs, stage by stage."""
    table = Table(show_edge=False, pad_edge=False)
    table.add_column("stage")
    table.add_column("µs per event", justify="right")
    micros = cast("Mapping[str, float]", figures["micros_per_event"])
    for stage, spent in micros.items():
        table.add_row(stage, f"{spent:.1f}", style="dim" if stage.startswith(("parse", "decode")) else None)
    table.add_row("event (all but decode and the parses)", f"{figures['micros_event']:.1f}", style="bold")
    build = "compiled" if figures["compiled_sqlglot"] else "pure Python"
    summary = (
        f"{figures['events_per_second']:,.0f} events/s on one core;"
        f" an event costs {figures['parses_per_event']:.2f} bare parses of text met for the first time,"
        f" {figures['parses_again_per_event']:.2f} of text just parsed"
        f" ({build} sqlglot, {figures['events']} distinct SQL, cold caches, median of {figures['rounds']} rounds)"
    )
    return Group(table, Text(""), Text(summary))


def report_table(rows: Sequence[Mapping[str, object]]) -> RenderableType:
    """The paper's Table 4, mean p_correct and the share judged wrong beside; `rows` are `ReportRow` as plain data."""
    by_version = any(row["agent_version"] is not None for row in rows)
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for name in ("tenant", "agent", *(["version"] if by_version else [])):
        table.add_column(name)
    for name in ("answers", "mean Φ", "P90 Φ", "coverage", "p_correct", "wrong"):
        table.add_column(name, justify="right")
    for row in rows:
        who = [row["tenant"], row["agent"], *([row["agent_version"] or ""] if by_version else [])]
        table.add_row(
            *(Text(line(str(each), 40)) for each in who),
            str(row["received"]),
            *(_figure(row[name], ".2f") for name in ("mean", "p90")),
            _figure(row["coverage"], ".1%"),
            _figure(row["mean_p_correct"], ".2f"),
            _figure(row["judged_wrong"], ".1%"),
        )
    return table


def _figure(value: object, how: str) -> str:
    return format(value, how) if isinstance(value, int | float) else "–"


def worst_answers(evaluations: Sequence[Mapping[str, object]]) -> RenderableType:
    """Stored answers, worst first, each with the reasons that count against it. They are evaluations in full."""
    parts: list[RenderableType] = [Text(""), Text("Worst answers, by p_correct", style="bold")]
    for each in evaluations:
        head = (
            f"{each['tenant']} · {each['agent']} · p_correct {_figure(each['p_correct'], '.2f')} · "
            f"Φ {_figure(each['score'], '.2f')} · {each['verdict']}"
        )
        grid = Table.grid(padding=(0, 0, 0, 2))
        grid.add_row(Text(line(str(each["question"]), 200), style="bold"))
        grid.add_row(Text(line(str(each["sql"]), 300), style="cyan"))
        for reason in _against(each):
            grid.add_row(Text(f"{reason['weight']:+.2f} {reason['code']}: {line(str(reason['detail']), 160)}"))
        parts += [Text(""), Text(line(head), style="red"), grid]
    return Group(*parts)


def _against(evaluation: Mapping[str, object]) -> list[Mapping[str, object]]:
    record = cast("Mapping[str, object]", evaluation["record"])
    given = cast("Sequence[Mapping[str, object]]", record["reasons"])
    return [reason for reason in given if cast("float", reason["weight"]) <= 0][:3]
