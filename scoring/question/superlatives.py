"""Reads requests for the first rows of an order: `highest score`, `top 5 by revenue`, `oldest`, `most common`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from scoring.question.language import Role
from scoring.question.marks import Mark
from scoring.question.phrases import phrase_at, phrase_before, phrase_end, verb_like
from scoring.question.placed_first import placed_first
from scoring.question.quantities import Quantity
from scoring.question.reading import Reading
from scoring.specification import Aggregation, Direction, Superlative, TokenKind

_REACH = 16
"""Words within which a superlative finds its question word, or the noun of a list of extremes."""
_FUNC = {Direction.MOST: "MAX", Direction.LEAST: "MIN"}


def read_superlatives(reading: Reading, quantities: Sequence[Quantity]) -> tuple[list[Superlative], list[Aggregation]]:
    """The superlatives, and apart from them the extremes asked for as values (`what is the highest salary`)."""
    found: list[Superlative] = []
    values: list[Aggregation] = []
    if not reading.marks_of(Role.SUPERLATIVE):
        return found, values
    numbers = {quantity.start: quantity for quantity in quantities}
    ends = {quantity.end: quantity for quantity in quantities}
    ordering = {place for extreme, first, end in placed_first(reading) for place in (extreme.start, *range(first, end))}
    for mark in reading.marks_of(Role.SUPERLATIVE):
        if mark.start in ordering or _is_none(reading, mark, ends):
            continue
        direction = mark.cue.direction or Direction.MOST
        k = _number_beside(reading, mark, numbers, ends)
        if k is None and _asks_value(reading, mark):
            values.append(Aggregation(func=_FUNC[direction], column=_value_phrase(reading, mark)))
        else:
            found.append(_superlative(reading, mark, direction, k))
    return found, values


def _is_none(reading: Reading, mark: Mark, ends: Mapping[int, Quantity]) -> bool:
    """Whether the word is no superlative here: `30 min` is a time, and `min 20 reviews` a bound."""
    minutes = reading.lowers[mark.start] == "min" and mark.start in ends
    bound = reading.lowers[mark.start] in {"min", "max"} and reading.lower(mark.end).isdecimal()
    return bool(reading.claimed[mark.start]) or minutes or bound or _is_name_part(reading, mark)


def _is_name_part(reading: Reading, mark: Mark) -> bool:
    """`first` before a number of time or a capitalised noun, `last` as a verb or name, are no superlatives."""
    if mark.cue.value or mark.cue.phrase or mark.cue.counted:
        return False
    if _is_past(reading, mark) or _is_compared(reading, mark) or _is_first_of_its_kind(reading, mark):
        return True
    if reading.lowers[mark.end - 1] in {"first", "last"} and (
        verb_like(reading.lower(mark.end), reading.language) or _is_attribute(reading, mark)
    ):
        return True
    token = reading.tokens[mark.start]
    if token.text[0].isupper() and mark.start and reading.lower(mark.start - 1) not in {".", "?", "!"}:
        return reading.lower(mark.start - 1) not in reading.language.articles
    return False


def _is_compared(reading: Reading, mark: Mark) -> bool:
    """Whether `last` is the period before: `more signups this month than last`, `compared to last august`."""
    compared = reading.lower(mark.start - 1) in {"than", "vs", "versus"}
    after = reading.lower(mark.end)
    timed = after in reading.language.months or after in _TIMES_AFTER or after in reading.language.weekdays
    return reading.lowers[mark.end - 1] == "last" and (compared or timed)


_TIMES_AFTER = frozenset({"fiscal", "financial", "calendar", "school", "academic"})


def _is_first_of_its_kind(reading: Reading, mark: Mark) -> bool:
    """Whether each thing has one first of it: `average first reply`, `first response time`."""
    if reading.lowers[mark.end - 1] != "first":
        return False
    if reading.lower(mark.start - 1) in {"a", "an"} or reading.lower(mark.end) == "time":
        return True
    averaged = reading.ends.get(mark.start)
    if averaged is not None and averaged.cue.role is Role.AGGREGATE:
        return True
    start, end = phrase_at(reading, mark.end)
    return end - start > 1 and reading.lowers[end - 1] in {"time", "times", "rate", "resolution", "latency"}


def _is_attribute(reading: Reading, mark: Mark) -> bool:
    """Whether it is said of what somebody has one of: `their last day`."""
    before = reading.lower(mark.start - 1)
    owned = before in reading.language.possessives or before == "'s"
    return owned and reading.lower(mark.end) in _ATTRIBUTES


_ATTRIBUTES = frozenset({"day", "date", "time", "name", "week", "month", "year", "shift"})
"""Nouns of which somebody has one first and one last: `their last day`."""


def _is_past(reading: Reading, mark: Mark) -> bool:
    """Whether `last` begins a time of the past at the end of a phrase: `had no visitors last term`."""
    if reading.lowers[mark.end - 1] != "last" or not mark.start or not reading.is_word(mark.start - 1):
        return False
    before, language = reading.lower(mark.start - 1), reading.language
    if before in language.articles or before in language.prepositions or before in language.conjunctions:
        return False
    if before in language.haves or mark.start in reading.ends or not reading.is_word(mark.end):
        return False
    after = mark.end + 1
    ends = after >= len(reading.tokens) or not reading.is_word(after) or reading.lower(after) in language.conjunctions
    return ends and reading.tokens[mark.end].lower == reading.tokens[mark.end].stem


def _number_beside(reading: Reading, mark: Mark, starts: dict[int, Quantity], ends: dict[int, Quantity]) -> int | None:
    """k: the whole number right after (`top 5`) or before (`5 highest`), which is then no filter."""
    after, before = starts.get(mark.end), ends.get(mark.start)
    for quantity in (after, before):
        if quantity is None or quantity.start == mark.start or not _may_count(reading, quantity):
            continue
        if quantity is after and _is_measured(reading, quantity):
            continue
        reading.claim(quantity.start, quantity.end)
        return int(quantity.number.value)
    if before is not None and before.ordinal and before.start != mark.start:
        return 1
    return _counted_things(reading, mark, ends)


def _may_count(reading: Reading, quantity: Quantity) -> bool:
    value = quantity.number.value
    return not quantity.ordinal and not reading.claimed[quantity.start] and value == int(value) and 0 < value < 1e9


def _is_measured(reading: Reading, quantity: Quantity) -> bool:
    unit = reading.lower(quantity.end)
    return unit in reading.language.units and unit not in reading.language.measures


def _counted_things(reading: Reading, mark: Mark, ends: dict[int, Quantity]) -> int | None:
    """k in `the 3 countries with the highest …`."""
    at, language = mark.start, reading.language
    while at > 0 and mark.start - at < 4:
        if reading.lowers[at - 1] not in language.articles and reading.lowers[at - 1] not in language.haves:
            break
        at -= 1
    start, end = phrase_before(reading, at)
    quantity = ends.get(start) if at < mark.start and start < end else None
    if quantity is None or quantity.ordinal or reading.claimed[quantity.start] or quantity.number.value == 1:
        return None
    reading.claim(quantity.start, quantity.end)
    return int(quantity.number.value)


def _asks_value(reading: Reading, mark: Mark) -> bool:
    """Whether the extreme itself is wanted: `what is the highest X`, `find the minimum and maximum X`."""
    numbered = mark.cue.counted and reading.lowers[mark.end - 1] in reading.language.of
    measured = mark.cue.value or numbered or _head_is_measure(reading, mark)
    if not measured or (mark.cue.counted and not numbered):
        return False
    at = mark.start - 1
    while at >= 0 and mark.start - at < _REACH and _lists_extremes(reading, at):
        previous = reading.ends.get(at + 1)
        at = previous.start - 1 if previous is not None else at - 1
    return _asks(reading, at)


def _lists_extremes(reading: Reading, at: int) -> bool:
    """Whether what ends at `at` may stand before an extreme in a list: `the`, `and`, another extreme."""
    word, language = reading.lower(at), reading.language
    if word == "," or word in language.articles or word in language.conjunctions:
        return True
    previous = reading.ends.get(at + 1)
    return previous is not None and previous.cue.role in _COMPUTED


_COMPUTED = frozenset({Role.AGGREGATE, Role.SUPERLATIVE, Role.RATIO})


def _asks(reading: Reading, at: int) -> bool:
    """Whether `what is` or a command ends at `at`: only then is a value asked for."""
    if reading.lower(at) in reading.language.copulas:
        opener = reading.ends.get(at)
        return opener is not None and opener.cue.role is Role.ASK and not opener.cue.phrase
    mark = reading.ends.get(at + 1)
    return mark is not None and (mark.cue.role is Role.COMMAND or (mark.cue.role is Role.ASK and at < 1))


def _head_is_measure(reading: Reading, mark: Mark) -> bool:
    start, end = phrase_at(reading, mark.end)
    return start < end and reading.lowers[end - 1] in reading.language.measures and not mark.cue.phrase


def _value_phrase(reading: Reading, mark: Mark) -> str:
    """The column of an extreme; in `the average, minimum and maximum age` the noun after the last of them."""
    at = mark.end
    while at < min(len(reading.tokens), mark.end + _REACH) and (
        reading.lower(at) in reading.language.conjunctions
        or reading.lower(at) == ","
        or reading.has_role(at, Role.SUPERLATIVE, Role.AGGREGATE)
    ):
        found = reading.starts.get(at)
        at = found.end if found is not None else at + 1
    if reading.lower(at) in reading.language.of:
        at += 1
    start, end = phrase_at(reading, at)
    return reading.span(start, end).lower()


def _superlative(reading: Reading, mark: Mark, direction: Direction, k: int | None) -> Superlative:
    start = mark.end
    while reading.tokens[start : start + 1] and (
        reading.tokens[start].kind is TokenKind.NUMBER or reading.lowers[start] in reading.language.numbers
    ):
        start += 1
    if reading.lower(start) in reading.language.of:
        start += 1
    end = phrase_end(reading, start)
    phrase = reading.span(start, end)
    counted = mark.cue.counted or _counts(reading, mark, start, end)
    governs = _governed(reading, mark, start, end)
    measure = mark.cue.phrase or ("" if governs else phrase)
    if governs and not mark.cue.phrase:
        measure = _measure_by(reading, end)
    elif mark.cue.counted:
        measure = _measure_by(reading, end) or measure
    return Superlative(
        direction=direction,
        measure=measure.lower(),
        word=reading.span(mark.start, mark.end).lower(),
        k=k if k is not None else _rows(reading, mark, start, end, governs=governs),
        start=reading.tokens[mark.start].start,
        counted=counted,
    )


def _counts(reading: Reading, mark: Mark, start: int, end: int) -> bool:
    """`the most flights`: of things there are most, of a measure the value is highest."""
    if reading.lowers[mark.end - 1] not in {"most", "fewest", "least"} or start >= end:
        return False
    word = reading.tokens[end - 1]
    if word.lower in reading.language.measures or word.lower == word.stem:
        return False
    return not reading.lowers[start].endswith(reading.language.adjective_endings)


def _governed(reading: Reading, mark: Mark, start: int, end: int) -> bool:
    """Whether the noun after the superlative is the thing itself (`the oldest driver`), not its measure."""
    if start == end:
        return False
    if mark.cue.phrase:
        return True
    before = reading.lower(mark.start - 1)
    at = mark.start - 1
    while (
        at >= 0
        and mark.start - at < _REACH
        and (before in reading.language.articles or before in reading.language.numbers or before.isdigit())
    ):
        at -= 1
        before = reading.lower(at)
    if (
        before in reading.language.haves
        or reading.lowers[mark.end - 1] in {"most", "fewest", "least"}
        or mark.cue.counted
    ):
        return False
    return reading.lowers[end - 1] not in reading.language.measures


def _measure_by(reading: Reading, place: int) -> str:
    """`… by revenue`, `… in terms of area`: what the thing is measured by."""
    for at in range(place, min(place + 6, len(reading.tokens))):
        if reading.lowers[at] in reading.language.by:
            start, end = phrase_at(reading, at + 1)
            return reading.span(start, end)
        if reading.lowers[at] in {".", "?", ","}:
            break
    return ""


def _rows(reading: Reading, mark: Mark, start: int, end: int, *, governs: bool) -> int | None:
    """1 where the thing asked for is singular, None where it is plural or unknown."""
    named = mark.cue.counted and reading.lowers[mark.end - 1] not in reading.language.of  # `most popular courses`
    if (governs or named) and start < end:
        return _singular(reading, end - 1)
    language = reading.language
    links = (language.articles, language.haves, language.relatives, language.copulas)
    at = mark.start - 1
    while at >= 0 and any(reading.lowers[at] in table for table in links):
        at -= 1
    first, last = phrase_before(reading, at + 1)
    if first < last and not verb_like(reading.lowers[last - 1], reading.language):
        return _singular(reading, last - 1)
    return _asked_rows(reading, mark.start)


def _asked_rows(reading: Reading, before: int) -> int | None:
    asks = reading.marks_of(Role.ASK)
    nearest = bisect_left(asks, before, key=lambda mark: mark.start) - 1
    if nearest < 0:
        return 1
    first, last = phrase_at(reading, asks[nearest].end)
    return _singular(reading, last - 1) if first < last else 1


def _singular(reading: Reading, place: int) -> int | None:
    token = reading.tokens[place]
    return 1 if token.lower == token.stem else None
