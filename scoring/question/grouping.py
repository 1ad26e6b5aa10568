"""Reads what the answer is grouped by, and how it is ordered."""

from __future__ import annotations

from scoring.question.language import Role
from scoring.question.marks import Mark
from scoring.question.phrases import is_summed, phrase_at, verb_like
from scoring.question.placed_first import placed_first
from scoring.question.reading import Reading
from scoring.specification import Direction, Ordering, TokenKind


def read_groups(reading: Reading) -> tuple[str, ...]:
    """Phrases after `per`, `for each`, `grouped by`, and after `by` if something is aggregated."""
    aggregated = bool(reading.marks_of(Role.AGGREGATE) or reading.marks_of(Role.RATIO))
    ranked = aggregated or bool(reading.marks_of(Role.SUPERLATIVE))
    marks = [mark for mark in reading.marks_of(Role.GROUP) if ranked or not mark.cue.distributive]
    found: list[str] = []
    for mark in marks:
        found += [_group(reading, mark.end)[0]] if mark.cue.distributive else _keys(reading, mark.end)
    if not reading.language.by.isdisjoint(reading.lowers):
        for place in _bys(reading):
            before = reading.lowers[place - 1]
            if aggregated or before in _BEFORE_BY or before in reading.language.measures:
                found += _keys(reading, place + 1)
    return tuple(dict.fromkeys(filter(None, found)))


_BEFORE_BY = frozenset({",", "(", "breakdown", "distribution", "headcount", "split", "breakup"})
"""What makes a `by` a grouping although nothing is aggregated: `what did we pay, by supplier`."""


def _group(reading: Reading, place: int) -> tuple[str, int]:
    start, end = phrase_at(reading, place)
    return reading.span(start, end).lower(), end


def _keys(reading: Reading, place: int) -> list[str]:
    """`by region and product`: the keys joined to the first."""
    found: list[str] = []
    for _ in range(4):
        phrase, end = _group(reading, place)
        found.append(phrase)
        joined = reading.lower(end) in {",", "&"} or reading.lower(end) in reading.language.conjunctions
        if not phrase or not joined or not reading.is_word(end + 1) or end + 1 in reading.starts:
            break
        place = end + 1
    return found


def _bys(reading: Reading) -> list[int]:
    """Places of a grouping `by`: not in `written by`, `by the end of`, `by how much`, nor before a name or number."""
    found: list[int] = []
    for place, word in enumerate(reading.lowers):
        if word not in reading.language.by or not place or _is_verb(reading, place - 1):
            continue
        after = place + 1
        plain = reading.is_word(after) and not reading.claimed[after] and after not in reading.starts
        plain = plain and reading.lowers[after] not in _MANNERS
        named = plain and reading.tokens[after].text[0].isupper()
        if (
            plain
            and not named
            and reading.lowers[after] not in reading.language.articles
            and place + 1 not in reading.ends
        ):
            found.append(place)
    return found


_MANNERS = frozenset(
    "now then hand far mistake accident email mail phone post default law chance itself themselves myself".split()
)
"""What a `by` before it says is when or how: `how many by now`."""


def _is_verb(reading: Reading, place: int) -> bool:
    """Whether a `by` after the word names who did it: `spend` is a noun in `total spend by country`."""
    return verb_like(reading.lowers[place], reading.language) and not is_summed(reading, place)


def read_ordering(reading: Reading) -> Ordering | None:
    """The order asked for; its direction may be apart from its key (`sorted by age in descending order`)."""
    marks = [mark for mark in reading.marks_of(Role.ORDER) if not _is_noun(reading, mark)]
    if not marks:
        return _placed_first(reading)
    directions = [mark.cue.descending for mark in marks if mark.cue.descending is not None]
    keyed = next((mark for mark in marks if _key(reading, mark.end)), marks[0])
    phrase = _key(reading, keyed.end) or keyed.cue.phrase
    if keyed.end - keyed.start == 1 and (by := _next_by(reading, keyed.end)) is not None:
        phrase = _key(reading, by)
    return Ordering(
        phrase=phrase,
        descending=directions[0] if directions else _ranks_totals(reading, keyed),
        start=reading.tokens[marks[0].start].start,
    )


def _ranks_totals(reading: Reading, mark: Mark) -> bool | None:
    """Customers `ranked by total spend` begin with the largest; a rank by a time or a price may not."""
    by_total = any(
        each.start in (mark.end, mark.end + 1) and each.cue.func in {"SUM", "COUNT"}
        for each in reading.marks_of(Role.AGGREGATE)
    )
    return True if by_total and reading.lowers[mark.start] in _RANKED else None


_RANKED = frozenset({"rank", "ranked", "ranking"})


def _is_noun(reading: Reading, mark: Mark) -> bool:
    """Whether `order` is a thing that is ordered: `order ids and depot`."""
    if reading.lowers[mark.start : mark.end] == ["order", "by"] and reading.lower(mark.start - 1) in _KINDS_OF_ORDERS:
        return True
    if reading.lowers[mark.start : mark.end] == ["order"] and reading.lower(mark.end) in _PARTS_OF_ORDERS:
        return True
    if reading.lowers[mark.start : mark.end] != ["order"] or _next_by(reading, mark.end) is not None:
        return False
    after = reading.lower(mark.end)
    return after not in reading.language.articles and after not in reading.language.by and after != "them"


_PARTS_OF_ORDERS = frozenset("lines line items ids values value counts count numbers total totals".split())
_KINDS_OF_ORDERS = frozenset("work purchase sales per each every avg average job repair online".split())
"""What makes `order` a thing, also before `by`: `hours per work order by model`."""


def _placed_first(reading: Reading) -> Ordering | None:
    """`most overdue first`: a date ascends and a number of days descends, so these words give no direction."""
    found = placed_first(reading)
    if not found:
        return None
    mark, first, _ = found[0]
    last = reading.tokens[first - 1]
    word = reading.lowers[mark.end - 1]
    says = (
        word not in _GRADES
        and mark.cue.phrase not in _EITHER_WAY
        and (word not in {"most", "least"} or last.lower != last.stem)
    )
    return Ordering(
        phrase="" if mark.cue.phrase in _EITHER_WAY else mark.cue.phrase or reading.span(mark.end, first).lower(),
        descending=mark.cue.direction is Direction.MOST if says and not mark.cue.phrase else None,
        start=reading.tokens[mark.start].start,
    )


_EITHER_WAY = frozenset({"age", "speed"})
"""By a birthday the oldest is the least, by a duration the slowest is the most."""
_GRADES = frozenset({"best", "worst", "longest", "shortest"})
"""A good rate may be a low one, and what is out longest has the earliest date."""
_OWN = frozenset({"their", "its"})


def _next_by(reading: Reading, place: int) -> int | None:
    """The `by` of `sort the kites by price`."""
    near = range(place, min(place + 6, len(reading.lowers)))
    return next((at for at in near if reading.lowers[at] in reading.language.by), None)


def _key(reading: Reading, place: int) -> str:
    word, language = reading.lower(place), reading.language
    if word in language.by or word in language.of or word in _OWN:
        place += 1
    if place < len(reading.tokens) and reading.tokens[place].kind is TokenKind.PUNCTUATION:
        return ""
    start, end = phrase_at(reading, place)
    if reading.lower(end - 1) in _COUNTS and reading.lower(end) in language.of:
        end = max(phrase_at(reading, end + 1)[1], end)  # `rank by number of doors`
    return reading.span(start, end).lower()


_COUNTS = frozenset({"number", "count", "amount"})
