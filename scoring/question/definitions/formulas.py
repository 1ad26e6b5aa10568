"""Reads a formula, the pseudo-SQL of a definition, without a grammar."""

from __future__ import annotations

from typing import NamedTuple

from scoring.question.definitions.conditions import conditions_at
from scoring.question.definitions.identifiers import columns_of, functions_of
from scoring.question.definitions.parts import OPERATORS, split_formula
from scoring.question.definitions.stored import Condition, merged
from scoring.specification import FilterOrigin, QuestionFilter


class Formula(NamedTuple):
    """The parts of a formula that a definition holds."""

    filters: tuple[QuestionFilter, ...]
    columns: tuple[str, ...]
    functions: tuple[str, ...]


def read_formula(text: str, offset: int = 0) -> Formula:
    """The conditions, columns and functions of pseudo-SQL; other text is skipped.

    >>> formula = read_formula("MAX(cost) where kind = 'x' and year(due) = 2012")
    >>> [(each.lhs.name, each.op.value, str(each.rhs)) for each in formula.filters if each.lhs]
    [('kind', '=', "'x'"), ('due', 'within', '[2012-01-01, 2013-01-01)')]
    >>> formula.columns, formula.functions
    (('cost', 'kind', 'due'), ('MAX', 'YEAR'))
    """
    parts = split_formula(text)
    found: list[Condition] = []
    after = 0
    for place, part in enumerate(parts):
        if place >= after and (part.kind == "op" or part.lower in OPERATORS):
            conditions, after = conditions_at(parts, place)
            found += conditions
    joined_by_or = len(found) > 1 and any(part.lower == "or" for part in parts)
    filters = tuple(_filter(each, text, offset) for each in merged(found, joined_by_or=joined_by_or))
    return Formula(filters, columns_of(parts), functions_of(parts))


def _filter(condition: Condition, text: str, offset: int) -> QuestionFilter:
    return QuestionFilter(
        lhs=condition.left.operand,
        op=condition.op,
        rhs=condition.rhs,
        source=FilterOrigin.DEFINITION,
        span=text[condition.start : condition.end],
        start=offset + condition.start,
        certain=condition.certain,
    )
