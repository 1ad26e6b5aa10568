"""Changes of a single word of the earlier question: the other extreme, a number in place of a rate."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.question.follow_ups.changed_question import Meaning
from scoring.question.follow_ups.edits import ChangeKind
from scoring.question.follow_ups.evidence import stems
from scoring.specification import NEGATION, SqlFilter
from scoring.values import Boolean

_EXTREME = (
    r"(?:(?:most|least) \w+|(?!west|test|latest|interest|request|guest|forest|invest|rest\b)\w{2,}est|best|worst)"
)
_OTHER = lazy(rf"(?:the )?(?P<way>{_EXTREME})(?: ones?)?$", re.IGNORECASE)
_FOUND = lazy(rf"\b(?P<way>{_EXTREME}|top|bottom)\b", re.IGNORECASE)
_LOW = lazy(r"least|lowest|smallest|worst|fewest|cheapest|shortest|lightest", re.IGNORECASE)


def turned_extreme(meaning: Meaning, words: str) -> bool:
    """`and the cheapest?` after the 5 most expensive: the other end of the same order."""
    other, found = _OTHER.match(words), _FOUND.search(meaning.text)
    if other is None or found is None:
        return False
    meaning.free |= {ChangeKind.ORDER, ChangeKind.RANK}
    way = other["way"]
    if found["way"].lower() in ("top", "bottom"):
        way = "bottom" if _LOW.match(way) else "top"
    return meaning.say(meaning.earlier.replaced(*found.span("way"), way))


def in_absolute_numbers(meaning: Meaning, words: str) -> bool:
    """`in absolute numbers` after a rate: how many there are."""
    if re.match(r"absolute (?:numbers?|terms|figures)$", words, re.IGNORECASE) is None:
        return False
    meaning.free |= {ChangeKind.AGGREGATE, ChangeKind.SHARE}
    return meaning.say(_RATE.sub(lambda found: f"number of {found['what']}s", meaning.text))


_RATE = lazy(r"\b(?P<what>[\w-]+) (?:rate|share|ratio|percentage)\b", re.IGNORECASE)


def turned_state(meaning: Meaning, kind: str) -> bool:
    """`the closed ones` after open ones: the opposite of a condition that the SQL before has."""
    evidence, said = meaning.evidence, stems(kind)
    if len(said) != 1 or evidence.before is None:
        return False
    states = [each for each in evidence.before.filters if _is_state(each, said)]
    if not any(_is_opposite(each, other) for each in states for other in evidence.now.filters):
        return False
    meaning.free.add(ChangeKind.NEGATE)
    found = next((place for place in _STATE.finditer(meaning.text) if not said & stems(place["state"])), None)
    return found is None or meaning.say(meaning.earlier.replaced(found.start(), found.end(), kind))


_STATE = lazy(
    r"\b(?:still |not yet |not )?(?P<state>open|closed|active|inactive|paid|unpaid|outstanding|overdue|pending|shipped"
    r"|unshipped|assigned|unassigned|resolved|unresolved|read|unread|delivered|undelivered|finished|unfinished"
    r"|returned|signed|unsigned|verified|unverified|cancelled|running|current|former)\b",
    re.IGNORECASE,
)
"""States that exclude each other."""


def _is_state(each: SqlFilter, said: frozenset[str]) -> bool:
    """Whether a condition tests a column that a state is named like: `closed_at` for closed and unclosed."""
    words = {word.removeprefix("un").removeprefix("in") for word in said}
    names = [column.name for column in each.lhs.columns] if each.lhs is not None else []
    return any(words & stems(name) for name in names)


def _is_opposite(old: SqlFilter, new: SqlFilter) -> bool:
    if old.lhs is None or new.lhs is None or old.lhs.columns != new.lhs.columns:
        return False
    if isinstance(old.rhs, Boolean) and isinstance(new.rhs, Boolean):
        return (old.op == new.op) != (old.rhs == new.rhs)
    return old.rhs == new.rhs and NEGATION.get(old.op) is new.op
