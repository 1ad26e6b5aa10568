"""Signals about the values that the SQL compares with: misspelled, searched for, made up, of the wrong type."""

from __future__ import annotations

import re

from scoring.alignment.left_out import excluded_blocks
from scoring.alignment.same_values import plain
from scoring.display import show_filter
from scoring.patterns import lazy
from scoring.signals.definitions import IN_SMALLER_UNITS
from scoring.signals.filters import applied
from scoring.signals.finding import EXPECTED_ACTUAL, Finding, differing
from scoring.specification import Clause, Op, QuestionFilter, SqlFilter
from scoring.values import Choices, Number, Text, Value
from scoring.verdict import Case
from scoring.words import identifier_words, squeezed, stem


def value_altered(case: Case) -> Finding | None:
    """A text of the SQL is spelled a little differently than in the question or its definition.

    The database finds nothing under another spelling. Texts are near when they differ only in spaces or marks, or in
    two neighbouring letters.

    >>> value_altered(case("Who lives in 'New Haven'?", "SELECT name FROM people WHERE city = 'NewHaven'")).detail
    "expected → actual: 'new haven' → 'newhaven'"
    """
    unmet = [*case.filters.extra, *(each for match in case.filters.mismatched for each in match.present)]
    if not unmet:
        return None
    said = [each for each in _said_texts(case) if len(each.folded) > 2]
    for each in unmet:
        for value in _texts(each.rhs):
            near = next((other for other in said if plain(other) != plain(value) and _near(other, value)), None)
            if near is not None:
                return differing(str(near), str(value))
    return None


def _said_texts(case: Case) -> list[Text]:
    filters = [*case.required, *case.enriched.filters]
    filters += [each for definition in case.enriched.definitions for each in definition.filters]
    return [value for each in filters for value in _texts(each.rhs)]


def _texts(value: Value | None) -> list[Text]:
    if isinstance(value, Text):
        return [value]
    if isinstance(value, Choices):
        return [each for each in value.members if isinstance(each, Text)]
    return []


def _near(one: Text, other: Text) -> bool:
    left, right = squeezed(one.folded), squeezed(other.folded)
    if not left or not right:
        return False
    if left == right:
        return True
    return len(left) > 5 and abs(len(left) - len(right)) <= 2 and _one_edit(left, right)


def _one_edit(left: str, right: str) -> bool:
    """Whether only one run of at most two letters differs."""
    start = next(
        (place for place, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right))
    )
    tail = 0
    while tail < min(len(left), len(right)) - start and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    return max(len(left), len(right)) - start - tail <= 2


_WITHIN = lazy(r"contain|includ|like|substring|start|begin|end|prefix|suffix|letter|word|phrase|having|mention")


def wildcard_unasked(case: Case) -> Finding | None:
    """The SQL searches within a text where the question gives the whole value.

    `LIKE '%York%'` finds New York too. It is no fault where the question says contains, starts with, or the like.

    >>> wildcard_unasked(case("Who lives in 'York'?", "SELECT name FROM people WHERE city LIKE '%York%'")).detail
    "city contains 'york'"
    """
    found = next((each for each in applied(case) if each.op in _SEARCHES), None)
    if found is None or "%" in case.enriched.text or _WITHIN.search(case.enriched.text.lower()):
        return None
    return Finding(1.0, show_filter(found))


_SEARCHES = frozenset({Op.CONTAINS, Op.STARTS_WITH, Op.ENDS_WITH, Op.LIKE})


def _is_bare(each: SqlFilter) -> bool:
    """Whether a filter compares with a number, or equals a year."""
    if isinstance(each.rhs, Number):
        return True
    return each.op is Op.EQ and isinstance(each.rhs, Text) and len(each.rhs.folded) == 4 and each.rhs.folded.isdecimal()


_DATED = frozenset({"date", "birthday", "timestamp", "datetime"})


def date_as_number(case: Case) -> Finding | None:
    """A date column is compared with a number, or with a year alone.

    A full date never equals `1990`; the year must be taken out of it first.

    >>> date_as_number(case("Who was hired in 1990?", "SELECT name FROM staff WHERE hire_date = 1990")).detail
    'hire_date = 1990'
    """
    for each in case.sql.filters:
        if not _is_bare(each) or each.lhs is None or len(each.lhs.columns) != 1:
            continue
        words = identifier_words(each.lhs.name)
        keyed = words[-1:] in (("key",), ("sk",), ("id",))
        if each.lhs.name == each.lhs.columns[0].name and not _DATED.isdisjoint(words) and not keyed:
            return Finding(1.0, show_filter(each))
    return None


_EXCLUDES = lazy(
    r"\b(?:not|no|non|never|without|except\w*|exclud\w*|excl|other|others|besides|rather|outside|apart|but|ignor\w*"
    r"|leav\w*|skip\w*|aside|net|minus|less|remain\w*|still|rest|unlike|instead|nor|neither|remov\w*|drop\w*"
    r"|filter\w*|only|w/o|vs|versus|against|compared|pending|open|outstanding|yet|unless)\b|n't\b"
    r"|\b\w+nt (?:been|have)\b|\b(?:un|non)[a-z-]{4,}"
)


def named_and_excluded(case: Case) -> Finding | None:
    """A value that the question names is excluded, although nothing in it excludes: `category <> 'Tents'` for tents."""
    if _EXCLUDES.search(case.said) is not None or excluded_blocks(case.sql):
        return None
    for each in case.sql.filters:
        if each.op in (Op.NE, Op.NOT_IN) and each.clause is Clause.WHERE and isinstance(each.rhs, Text):
            words = re.findall(r"[a-z]{3,}", each.rhs.folded)
            if words and {stem(word) for word in words} <= case.question.stems:
                return Finding(1.0, f"{each.text} for {each.rhs.folded}")
    return None


_NEITHER = lazy(r"\bneither\b.{1,60}\bnor\b")


def misses_either(one: SqlFilter, other: SqlFilter, case: Case) -> bool:
    """Whether one of two is missing, although neither is to be there."""
    return one.op is other.op is Op.IS_NULL and one.lhs != other.lhs and _NEITHER.search(case.asked) is not None


UP, DOWN = frozenset({Op.GT, Op.GE}), frozenset({Op.LT, Op.LE})
"""Operators of what lies above a bound, and below it."""


def number_flipped(case: Case) -> Finding | None:
    """A bound of either question is tested the other way round, in whatever unit: `under 15 €` and `cents > 1500`."""
    if excluded_blocks(case.sql):
        return None
    tested = [each for each in case.sql.filters if each.op in UP | DOWN and each.clause is not Clause.CASE]
    for asked in (*case.question.filters, *_reworded(case)):
        same = [each for each in tested if _is_bound(asked, each)]
        if same and all((each.op in UP) is not (asked.op in UP) for each in same):
            return differing(asked.span, show_filter(same[0]))
    return None


def _reworded(case: Case) -> list[QuestionFilter]:
    """The conditions of the enriched question but for bounds whose number the question has itself."""
    said = {each.rhs for each in case.question.filters if each.op in UP | DOWN}
    return [each for each in case.enriched.filters if each.rhs not in said]


def _is_bound(asked: QuestionFilter, there: SqlFilter) -> bool:
    """Whether a bound has a number of two or more, and is tested with it in some unit."""
    wanted, number = asked.rhs, there.rhs
    if asked.op not in UP | DOWN or not isinstance(wanted, Number) or not isinstance(number, Number):
        return False
    return wanted.value > 1 and number.value in {wanted.value * factor for factor in (1.0, *IN_SMALLER_UNITS)}


_DISTANCE = lazy(
    r"\b(at least|more than|over|minimum|within|less than|under|at most) (\d+) ?"
    r"(?:h|hours?|hrs?|days?|d|weeks?|months?|mins?|minutes?) (?:before|after|prior to|ahead of)\b"
)
_APART = frozenset({"at least", "more than", "over", "minimum"})


def distance_flipped(case: Case) -> Finding | None:
    """Two times are to be apart by at least some hours or days, and are tested to be closer; or the other way round."""
    for words, number in _DISTANCE.findall(case.asked):
        tests = [(each, _keeps_apart(each, float(number))) for each in case.sql.filters]
        odd = next((each for each, apart in tests if apart is (words not in _APART)), None)
        if odd is not None:
            return Finding(1.0, f"{EXPECTED_ACTUAL}: {words} {number} apart → {odd.text}")
    return None


def _keeps_apart(each: SqlFilter, number: float) -> bool | None:
    """Whether a test keeps times that are at least so far apart; `None` where it does not compare a difference so."""
    if not isinstance(each.rhs, Number) or each.lhs is None or " - " not in each.lhs.name:
        return None
    compares = abs(each.rhs.value) == number and each.op in UP | DOWN
    return (each.op in UP) is (each.rhs.value > 0) if compares else None
