"""Restrictions that a fragment takes away: `all cities`, `regardless of vehicle type`, `the whole year`."""

from __future__ import annotations

import re

from scoring.question.english.follow_ups import WHOLE_KINDS
from scoring.question.follow_ups.changed_question import Meaning
from scoring.question.follow_ups.earlier import unit_of
from scoring.question.follow_ups.edits import ChangeKind
from scoring.question.follow_ups.evidence import stems, texts
from scoring.question.follow_ups.words import is_country
from scoring.specification import SqlFilter
from scoring.values import Number


def taken_away(meaning: Meaning, words: str) -> bool:
    """Takes away the condition that words name by its column, its value or its unit of time."""
    found = WHOLE_KINDS.match(words)
    kind = (found["kind"] if found is not None else words.rsplit(maxsplit=1)[-1]).casefold()
    if unit_of(kind) is not None or kind in ("time", "times", "dates", "period", "periods"):
        text = meaning.earlier.without_time()
        meaning.free.add(ChangeKind.PLACE)
        return text is not None and meaning.say(text)
    wanted = stems(kind)
    for start, end in meaning.earlier.values(meaning.evidence):
        value = meaning.text[start:end]
        columns = meaning.evidence.old_values.get(value.casefold(), frozenset[str]())
        if wanted <= {each for column in columns for each in stems(column)} or (wanted & _LANDS and is_country(value)):
            meaning.dropped |= stems(value)
            return _cut(meaning, start, end)
    return _numbered(meaning, kind) or _released(meaning, stems(words))


def _cut(meaning: Meaning, start: int, end: int) -> bool:
    head = re.sub(r"\b(?:in|for|from|of|at|on|to) (?:the )?$", "", meaning.text[:start])
    return meaning.say(" ".join(f"{head}{meaning.text[end:]}".split()).replace(" ,", ","))


_LANDS = frozenset({"country", "nation", "land", "market"})


def _numbered(meaning: Meaning, kind: str) -> bool:
    """`all wards` after `on ward 7`."""
    (noun,) = stems(kind) or {kind}
    place = re.search(rf"\b{re.escape(noun)}s? \d[\w-]*", meaning.text, re.IGNORECASE)
    if place is None:
        return False
    meaning.free.add(ChangeKind.RESTORE)
    return _cut(meaning, *place.span())


def _released(meaning: Meaning, said: frozenset[str]) -> bool:
    """Whether the answer lacks one condition of the SQL before whose column is named likewise: `vehicle_kind`."""
    evidence = meaning.evidence
    before = evidence.before.filters if evidence.before is not None else ()
    kept = frozenset[str]().union(*map(_columns, evidence.now.filters))
    gone = [each for each in before if said & stems(" ".join(_columns(each))) and not _columns(each) & kept]
    if len(gone) != 1:
        return False
    if isinstance(gone[0].rhs, Number):
        meaning.free.add(ChangeKind.RESTORE)
    for value in texts(gone[0]):
        meaning.dropped |= stems(value)
        place = re.search(rf"\b{re.escape(value)}s?\b", meaning.text, re.IGNORECASE)
        if place is not None:
            _cut(meaning, *place.span())
    return True


def _columns(each: SqlFilter) -> frozenset[str]:
    return frozenset([column.name for column in each.lhs.columns]) if each.lhs is not None else frozenset()
