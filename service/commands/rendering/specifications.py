"""What the question asks for beside what the SQL does, component by component."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from scoring.alignment.matching import CERTAIN
from scoring.display import show_filter
from scoring.specification import (
    Aggregation,
    GroupKey,
    Projection,
    QuestionFilter,
    QuestionSpec,
    SortKey,
    SqlSpec,
    Superlative,
)
from service.commands.rendering.terminal import one_line, section

COMPONENTS = (
    "outputs",
    "aggregations",
    "filters",
    "group by",
    "order",
    "limit",
    "joins",
    "set operations",
    "distinct",
    "ratios",
    "negations",
)


def specifications(question: QuestionSpec, sql: SqlSpec) -> RenderableType:
    """Sq beside Ssql, component by component."""
    table = Table(title_justify="left", show_edge=False, pad_edge=False)
    table.add_column("")
    table.add_column("the question asks (Sq)")
    table.add_column(f"the SQL does (Ssql, {sql.dialect})")
    requested, performed = _requested(question), _performed(sql)
    for name in COMPONENTS:
        left, right = requested.get(name, ()), performed.get(name, ())
        if left or right:
            table.add_row(Text(name, style="dim"), _list(left), _list(right))
    return section("Specifications", [table])


def _requested(question: QuestionSpec) -> dict[str, Sequence[str]]:
    return {
        "outputs": [each.phrase for each in question.outputs],
        "aggregations": [_aggregate(each) for each in question.aggregations],
        "filters": [_question_filter(each) for each in question.filters],
        "group by": question.group_by,
        "order": _order(question),
        "limit": [str(question.top_k)] if question.top_k is not None else [],
        "distinct": ["yes"] if question.distinct else [],
        "ratios": [f"{each.kind.value}: {each.phrase}" for each in question.ratios],
        "negations": question.negations,
    }


def _performed(sql: SqlSpec) -> dict[str, Sequence[str]]:
    return {
        "outputs": [_projection(each) for each in sql.projections],
        "aggregations": [_aggregate(each) for each in sql.aggregations],
        "filters": [show_filter(each) for each in sql.filters],
        "group by": [_key(each) for each in sql.group_by],
        "order": [_key(each) for each in sql.order_by],
        "limit": _limits(sql),
        "joins": [f"{each.kind} {each.table}" for each in sql.joins],
        "set operations": [each.kind for each in sql.set_operations],
        "distinct": ["yes"] if sql.distinct else [],
        "ratios": [f"{each.numerator} / {each.denominator}" for each in sql.divisions],
    }


def _question_filter(each: QuestionFilter) -> str:
    return show_filter(each) if each.certain >= CERTAIN else f"{show_filter(each)} (perhaps)"


def _projection(each: Projection) -> str:
    name = "*" if each.star else each.operand.name
    return name if each.block == "main" else f"{name} @ {each.block}"


def _aggregate(each: Aggregation) -> str:
    return f"{each.func}({'DISTINCT ' if each.distinct else ''}{each.column})"


def _key(each: GroupKey | SortKey) -> str:
    descending = isinstance(each, SortKey) and each.descending
    return f"{each.operand.name}{' DESC' if descending else ''}"


def _order(question: QuestionSpec) -> list[str]:
    order = [_superlative(each) for each in question.superlatives]
    if question.ordering is not None:
        order.append(f"{question.ordering.phrase}{' DESC' if question.ordering.descending else ''}")
    return order


def _superlative(each: Superlative) -> str:
    return " ".join(part for part in (each.word, each.measure) if part)


def _limits(sql: SqlSpec) -> list[str]:
    return [f"{'?' if each.count is None else each.count}{' by rank' if each.ranked else ''}" for each in sql.limits]


def _list(items: Sequence[str]) -> Text:
    return Text("\n".join(one_line(item, 100) for item in items))
