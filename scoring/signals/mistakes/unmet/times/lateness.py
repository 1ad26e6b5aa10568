"""Signals about what came late or early, and about how long it was from one time to the next."""

from __future__ import annotations

from scoring.patterns import lazy
from scoring.signals.mistakes.wording import cue
from scoring.specification import Op, SqlFilter
from scoring.values import Number
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_LATE = cue("late overdue delay behind", r"\b(?:late|overdue|delay(?:s|ed)?|behind (?:schedule|plan))\b")
_EARLY = cue("early ahead", r"\b(?:early|ahead of (?:schedule|time|plan))\b")
_PLANNED = frozenset(map(stem, "promised due expected planned scheduled eta deadline target agreed estimated".split()))
_ACTUAL = frozenset(
    map(stem, "delivered returned finished completed arrived received done closed actual actually shipped".split())
)


def late_read_as_early(case: Case) -> str | None:
    """What came late is asked for, and the SQL keeps what came before it was due: the difference is the other way.

    >>> late_read_as_early(case("Which bags came late?", "SELECT id FROM bags WHERE promised_on - delivered_on > 0"))
    'promised_on - delivered_on > 0 is early'
    """
    late, early = _LATE.search(case.asked), _EARLY.search(case.asked)
    if (late is None) is (early is None):
        return None
    first, other = (_PLANNED, _ACTUAL) if late is not None else (_ACTUAL, _PLANNED)
    for each in case.sql.filters:
        if _is_positive(each) and _begins_with(each, first, other):
            return f"{each.text} is {'early' if late is not None else 'late'}"
    return None


def _is_positive(each: SqlFilter) -> bool:
    """Whether a difference of two columns is to be more than nothing."""
    two = each.lhs is not None and len(each.lhs.columns) == 2 and ("-" in each.lhs.name or "diff" in each.lhs.name)
    return two and each.op in (Op.GT, Op.GE) and isinstance(each.rhs, Number) and each.rhs.value >= 0


def _begins_with(each: SqlFilter, first: frozenset[str], other: frozenset[str]) -> bool:
    """Whether the one column of a difference is named like one kind of time, and the one taken off like the other."""
    names = [set(identifier_words(column.name)) for column in each.lhs.columns] if each.lhs is not None else []
    return bool(names[0] & first) and bool(names[1] & other)


_NEXT = cue(
    "next between consecutive",
    r"\b(?:from|between) (?:one|an?) \w+ (?:to|and) the next\b|\bbetween (?:two )?(?:consecutive|successive) \w+"
    r"|\bgaps? (?:of .{1,25})?between (?:two |their |his |her )?\w+s\b",
)
_STEPS = lazy(r"(?i)\b(?:lag|lead|row_number|rank|dense_rank)\s*\(|\bnot\s+exists\b")


def gap_as_span(case: Case) -> str | None:
    """The time from one to the next is asked for, and the time from the first to the last is taken.

    >>> gap_as_span(case("Pilots with more than 90 days from one flight to the next", "SELECT pilot FROM flights "
    ...     "GROUP BY pilot HAVING MAX(day) - MIN(day) > 90"))
    'from one flight to the next: from the first day to the last'
    """
    found = _NEXT.search(case.asked)
    if found is None or _STEPS.search(case.written) is not None or len(case.sql.divisions) > 0:
        return None
    ends = {func: {each.column for each in case.sql.aggregations if each.func == func} for func in ("MIN", "MAX")}
    both = sorted(ends["MIN"] & ends["MAX"])
    return f"{found.group()}: from the first {both[0]} to the last" if both else None
