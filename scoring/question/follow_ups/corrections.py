"""Changes that correct, deny, restore, continue or compare the answer before: `not Graz, Linz`."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.question.english.follow_ups import NUMERALS, UNITS
from scoring.question.follow_ups.changed_question import Meaning
from scoring.question.follow_ups.edits import ChangeKind, Edit
from scoring.question.follow_ups.evidence import likely, stems, stored_forms
from scoring.question.follow_ups.row_changes import put_in_place, thing_change, time_change
from scoring.question.follow_ups.words import is_name, named, time_phrase


def correct_change(meaning: Meaning, change: Edit) -> bool:
    """`not Graz, Linz`, `minutes not hours`: the new words in the place of the old ones."""
    old, new = change.head, change.text
    time = time_phrase(new)
    if time is not None:
        return time_change(meaning, time)
    place = re.search(rf"\b{re.escape(old)}\b", meaning.text, re.IGNORECASE)
    if UNITS.match(new):
        meaning.free |= {ChangeKind.AGGREGATE, ChangeKind.UNIT}
        return meaning.add(f"in {new}")
    known = any(value in stored_forms(old) or likely(stems(old), stems(value)) for value in meaning.evidence.old_values)
    if not known and not is_name(old):
        meaning.free.add(ChangeKind.AGGREGATE)
    if place is not None:
        return put_in_place(meaning, place.span(), new)
    if not known:
        return meaning.instead and thing_change(meaning, Edit(ChangeKind.THING, new, "about"))
    meaning.dropped |= stems(old)
    meaning.free.add(ChangeKind.THING)
    return meaning.add(f"for {new}")


def negate_change(meaning: Meaning, change: Edit) -> bool:
    """`and the ones who didn't?`: the rows that the last condition left out, under the other conditions."""
    meaning.free.add(ChangeKind.NEGATE)
    return meaning.say(_CLAUSE.sub("", meaning.text))


_CLAUSE = lazy(r"\b(?:who|that|which|with|without|having)\b(?!.*\b(?:who|that|which|having)\b).*$", re.IGNORECASE)
"""The last clause about the things asked for."""


def restore_change(meaning: Meaning, change: Edit) -> bool:
    """`put the withdrawn ones back in`, `drop the mileage filter`: what was left out counts again."""
    words = re.sub(r"^(?:the|those|all) ", "", change.text)
    said = stems(words)
    found = next((each for each in _said_of(meaning) if said & stems(meaning.text[each[0] : each[1]])), None)
    if found is None and not meaning.evidence.released(words):
        return False
    meaning.dropped |= said
    meaning.free.add(ChangeKind.RESTORE)
    return found is None or meaning.say(meaning.earlier.replaced(*found, ""))


def _said_of(meaning: Meaning) -> list[tuple[int, int]]:
    """The places of the text that leave something out or restrict to something."""
    named = [each.span() for pattern in (_EXCLUDED, _RESTRICTED) for each in pattern.finditer(meaning.text)]
    return [*named, *((each.start, each.start + len(each.span)) for each in meaning.earlier.spec.filters)]


_EXCLUDED = lazy(
    r",?\s*\b(?:and |but )?(?:excluding|without|except(?: for)?|ignoring|leaving out|other than|minus|not|no)\s+"
    r"(?:(?:the|all|any)\s+)?[\w'-]+(?:\s+(?!and\b|excluding\b|without\b|per\b|by\b|in\b|for\b)[\w'-]+){0,2}",
    re.IGNORECASE,
)
_RESTRICTED = lazy(
    r",?\s*\b(?:only (?:the )?[\w'-]+(?: [\w'-]+)?|(?:that|who|which) (?:is|are|were|was) [\w'-]+(?: [\w'-]+)?)"
    r"|, ?[\w'-]+(?: [\w'-]+)? only\b",
    re.IGNORECASE,
)


def next_change(meaning: Meaning, change: Edit) -> bool:
    """`next 10`: the rows after the first ones, in the same order."""
    meaning.free.add(ChangeKind.NEXT)
    count = NUMERALS.get(change.text.lower()) or int(change.text)
    found = meaning.earlier.with_rank("", count)
    number = re.search(r"\b\d{1,4}\b", meaning.text) if found is None else None
    if number is not None:
        found = meaning.earlier.replaced(number.start(), number.end(), str(count))
    return meaning.say(f"{found or meaning.text}, next {count}")


def columns_change(meaning: Meaning, change: Edit) -> bool:
    """`just the names`: the same rows with these columns alone."""
    meaning.free |= {ChangeKind.AGGREGATE, ChangeKind.LIST, ChangeKind.COLUMNS}
    return meaning.say(f"What are the {change.text} of the {meaning.earlier.subject}")


def compare_change(meaning: Meaning, change: Edit) -> bool:
    """`compared with last year`."""
    meaning.free |= {ChangeKind.COMPARE, ChangeKind.PLACE, ChangeKind.THING}
    ago = _AGO.match(change.text)
    time = f"last {ago['unit']}" if ago is not None else time_phrase(change.text)
    other = re.sub(r"^in ", "", time) if time is not None else named(change.text)
    return meaning.add(f"compared with {other}")


_AGO = lazy(
    r"(?:(?:the )?same (?:time|period|month|quarter|week) )?(?:a|one|the) (?P<unit>year|quarter|month|week|day)"
    r" (?:ago|earlier|before|prior)$",
    re.IGNORECASE,
)
