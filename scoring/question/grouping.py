"""What the answer is broken down by, and how it is ordered."""

from __future__ import annotations

from scoring.question.language import Role
from scoring.question.phrases import phrase_at, verb_like
from scoring.question.reading import Reading
from scoring.specification import Kind, Ordering


def read_groups(reading: Reading) -> tuple[str, ...]:
    """Phrases after `per`, `for each`, `grouped by`, and after `by` where something is aggregated."""
    found = [_group(reading, mark.end) for mark in reading.of(Role.GROUP)]
    aggregates = reading.of(Role.AGGREGATE)
    if aggregates or reading.of(Role.RATIO):
        found += [_group(reading, place + 1) for place in _bys(reading)]
    return tuple(dict.fromkeys(phrase for phrase in found if phrase))


def _group(reading: Reading, place: int) -> str:
    start, end = phrase_at(reading, place)
    return reading.span(start, end).lower()


def _bys(reading: Reading) -> list[int]:
    """Places of a grouping `by`: not `written by`, `by the end of`, `by how much`, nor by a name or number."""
    found: list[int] = []
    for place, word in enumerate(reading.lowers):
        if word not in reading.language.by or not place or verb_like(reading.lowers[place - 1], reading.language):
            continue
        after = place + 1
        plain = reading.is_word(after) and not reading.taken[after] and after not in reading.starts
        named = plain and reading.tokens[after].text[0].isupper()
        if (
            plain
            and not named
            and reading.lowers[after] not in reading.language.articles
            and place + 1 not in reading.ends
        ):
            found.append(place)
    return found


def read_ordering(reading: Reading) -> Ordering | None:
    """The order asked for; its direction may stand apart from its key (`sorted by age in descending order`)."""
    marks = reading.of(Role.ORDER)
    if not marks:
        return None
    directions = [mark.cue.descending for mark in marks if mark.cue.descending is not None]
    keyed = next((mark for mark in marks if _key(reading, mark.end)), marks[0])
    return Ordering(
        phrase=_key(reading, keyed.end),
        descending=directions[0] if directions else None,
        start=reading.tokens[marks[0].start].start,
    )


def _key(reading: Reading, place: int) -> str:
    if reading.lower(place) in reading.language.by | reading.language.of | {"their", "its"}:
        place += 1
    if place < len(reading.tokens) and reading.tokens[place].kind is Kind.PUNCTUATION:
        return ""
    start, end = phrase_at(reading, place)
    return reading.span(start, end).lower()
