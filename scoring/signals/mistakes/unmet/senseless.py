"""Signals about what no question asks for: means of keys, lengths below zero, and a state turned into its opposite."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.mistakes.unmet.links import lone_column
from scoring.signals.mistakes.wording import cue
from scoring.specification import Aggregation, Clause, Op, SqlFilter
from scoring.sql.shapes.naming import key_stems
from scoring.values import Boolean, Number, Text
from scoring.verdict import Case
from scoring.words import identifier_words, stem


def key_averaged(case: Case) -> str | None:
    """The mean or the sum of a key is taken: it tells rows apart and measures nothing.

    >>> key_averaged(case("Flights per pilot on average", "SELECT AVG(flight_id) FROM flights"))
    'AVG(flight_id) of a key'
    """
    odd = next((each for each in case.sql.aggregations if _adds_keys(each)), None)
    return f"{odd.func}({odd.column}) of a key" if odd is not None else None


def _adds_keys(each: Aggregation) -> bool:
    if each.func not in ("AVG", "SUM") or each.conditional or [column.name for column in each.columns] != [each.column]:
        return False
    return key_stems(each.column) is not None and identifier_words(each.column)[-1:] == ("id",)


_BELOW_ZERO = lazy(r"\bmin\(([a-z_.]+)\) - max\(\1\)", re.IGNORECASE)


def length_below_zero(case: Case) -> str | None:
    """The last value is taken off the first: the difference is below zero.

    >>> length_below_zero(case("Days between first and last flight", "SELECT MIN(day) - MAX(day) FROM flights"))
    'min(day) - max(day) is below zero'
    """
    found = next(filter(None, (_BELOW_ZERO.search(each.operand.name) for each in case.answer)), None)
    return f"{found.group()} is below zero" if found is not None and "abs(" not in case.written.casefold() else None


_UNDONE = cue(
    "un not",
    r"\b(?:un|not (?:yet )?(?:been )?)(paid|shipped|delivered|answered|resolved|assigned|confirmed|invoiced|billed"
    r"|processed|approved|verified|closed|published|redeemed|claimed|settled|signed|returned)\b",
)


def done_for_undone(case: Case) -> str | None:
    """What is not done yet is asked for, and the SQL keeps what is.

    >>> done_for_undone(case("Unpaid bills per pilot", "SELECT pilot, SUM(due) FROM bills WHERE paid_at IS NOT NULL "
    ...     "GROUP BY pilot"))
    'paid_at is not null for unpaid'
    """
    found = _UNDONE.search(case.asked)
    where = [each for each in case.sql.filters if each.clause is Clause.WHERE and each.alternative is None]
    tested = [each for each in where if found is not None and _tests_state(each, stem(found[1]))]
    if found is None or len(tested) != 1 or case.sql.set_operations or len(case.sql.blocks) > 1:
        return None
    return f"{tested[0].text} for {found.group()}" if _is_done(tested[0], stem(found[1])) else None


def _tests_state(each: SqlFilter, state: str) -> bool:
    """Whether a condition tests a column, or a value, that is named like a state."""
    column = lone_column(each)
    valued = isinstance(each.rhs, Text) and stem(each.rhs.folded) == state
    return column is not None and (valued or state in identifier_words(column.name))


def _is_done(each: SqlFilter, state: str) -> bool:
    """Whether a condition keeps what is in a state."""
    if each.op is Op.NOT_NULL:
        return True
    true = each.rhs == Boolean(True) or each.rhs == Number(1)
    return each.op is Op.EQ and (true or (isinstance(each.rhs, Text) and stem(each.rhs.folded) == state))


_COSTS = frozenset(map(stem, "cost costs cogs purchase expense".split()))
_PRICES = frozenset(map(stem, "price fee revenue sales amount turnover sell selling fare income".split()))
_MARGIN = cue("margin profit", r"\b(?:margins?|profits?)\b")
_DIFFERENCE = lazy(r"\b(?:sum\()?([a-z_]+)\)? - (?:sum\()?([a-z_]+)\b", re.IGNORECASE)


def margin_turned(case: Case) -> str | None:
    """A margin or a profit is asked for, and the price is taken off the cost.

    >>> margin_turned(case("Profit per route", "SELECT route, SUM(cost - fare) FROM trips GROUP BY route"))
    'cost - fare is a loss'
    """
    if _MARGIN.search(case.asked) is None or case.sql.set_operations:
        return None
    for each in case.sql.aggregations:
        found = _DIFFERENCE.search(each.column)
        if found is not None and _COSTS & set(identifier_words(found[1])) and _PRICES & set(identifier_words(found[2])):
            return f"{found[1]} - {found[2]} is a loss"
    return None


def makes_no_sense(case: Case) -> str | None:
    """The first of these that no question asks for."""
    return key_averaged(case) or length_below_zero(case) or done_for_undone(case) or margin_turned(case)
