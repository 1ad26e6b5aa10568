"""Filters that compare a number or a time: `more than 5 orders`, `between 10 and 20`, `born before 1980`."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.question.language import Cue, Role
from scoring.question.phrases import operand, phrase_before, phrase_end, verb_like
from scoring.question.quantities import Quantity
from scoring.question.reading import Mark, Reading
from scoring.question.times import Moment, Time
from scoring.specification import NEGATION, Op, Operand, QuestionFilter
from scoring.values import Choices, DatePart, Grain, RelativeTime, Text, TimeRange, Value, period, text

_NEAR = 3
"""Words that may stand between a comparison and its number."""


def add_filter(
    reading: Reading,
    lhs: Operand | None,
    op: Op,
    rhs: Value | None,
    span: tuple[int, int],
    certain: float,
    alternatives: tuple[Value, ...] = (),
) -> None:
    """Adds a filter read from tokens [start, end) and takes them."""
    start, end = span
    if certain >= 0.5 or not isinstance(rhs, Text):
        reading.take(start, end)
    reading.filters.append(
        QuestionFilter(
            lhs=lhs,
            op=op,
            rhs=rhs,
            source=reading.source,
            span=reading.span(start, end),
            start=reading.tokens[start].start,
            certain=certain,
            alternatives=alternatives,
        )
    )


def comparison_before(reading: Reading, place: int) -> Mark | None:
    """The comparison whose number or time starts at `place`, filler words between allowed."""
    fillers, currencies = reading.language.fillers, reading.language.currencies
    for at in range(place, max(place - _NEAR, 0), -1):
        mark = reading.ends.get(at)
        if mark is not None and mark.cue.role is Role.COMPARE:
            return mark
        if at >= 2 and _comparative(reading, at):
            return Mark(Cue(role=Role.COMPARE, op=Op.GT), at - 2, at)
        word = reading.lower(at - 1)
        if word not in fillers and word not in currencies and reading.language.attributes.get(word) is None:
            return None
    return None


def _comparative(reading: Reading, end: int) -> bool:
    """`hotter than`."""
    language, word = reading.language, reading.lower(end - 2)
    return reading.lower(end - 1) in language.than and word.endswith(language.comparative_endings or ("\0",))


def suffix_after(reading: Reading, place: int) -> Mark | None:
    """`or more` right after a number, a unit or a counted noun between allowed."""
    for at in range(place, place + 3):
        mark = reading.starts.get(at)
        if mark is not None and mark.cue.role is Role.SUFFIX:
            return mark
        if not reading.is_word(at) or reading.lowers[at] in reading.language.breaks:
            return None
    return None


def read_time_filters(reading: Reading, times: Sequence[Time]) -> None:
    """One filter for each time, for each range of two times, or for several joined by `or`."""
    place = 0
    while place < len(times):
        used = _time_range(reading, times, place) or _time_choice(reading, times, place)
        if not used:
            _one_time(reading, times[place])
            used = 1
        place += used


def _time_range(reading: Reading, times: Sequence[Time], place: int) -> int:
    """`between 2010 and 2015`, `from May 2010 to June 2011`: both ends belong to it."""
    if place + 1 >= len(times):
        return 0
    first, last = times[place], times[place + 1]
    gap = _joined(reading, first.end, last.start)
    whole = _whole_range(first.moment, last.moment)
    if gap is None or whole is None:
        return 0
    opener = _opener(reading, first.start)
    joins = reading.language.ranges.get(reading.lower(opener), frozenset()) if opener >= 0 else frozenset[str]()
    if gap not in joins and gap not in {"to", "-", "–", "through"}:
        return 0
    start = opener if opener >= 0 else first.start
    lhs = _time_phrase(reading, start)
    add_filter(reading, lhs, _signed(reading, Op.WITHIN, start), whole, (start, last.end), 0.9)
    return 2


def _whole_range(first: Moment, last: Moment) -> TimeRange | None:
    """From the start of one time to the end of another; a month without a year takes the other's."""
    if not isinstance(last, TimeRange):
        return None
    if isinstance(first, DatePart) and first.part == "month" and last.start is not None:
        month = period(Grain.MONTH, year=last.start.year, month=first.value)
        return TimeRange(month.start, last.end) if month is not None else None
    return TimeRange(first.start, last.end) if isinstance(first, TimeRange) else None


def _joined(reading: Reading, end: int, start: int) -> str | None:
    """The joining word when one word (and articles) stands between two values."""
    words = [
        word
        for word in reading.lowers[end:start]
        if word not in reading.language.articles | reading.language.year_words | {"in"}
    ]
    return words[0] if len(words) == 1 else None


def _opener(reading: Reading, place: int) -> int:
    at = place - 1
    language = reading.language
    while at > place - _NEAR and (
        reading.lower(at) in language.fillers
        or reading.lower(at) in language.year_words
        or reading.lower(at) in language.currencies
    ):
        if reading.lower(at) in reading.language.ranges:
            return at
        at -= 1
    return at if reading.lower(at) in reading.language.ranges else -1


def _time_choice(reading: Reading, times: Sequence[Time], place: int) -> int:
    """`in 2014 or 2015`."""
    last = place
    while (
        last + 1 < len(times)
        and isinstance(times[last + 1].moment, TimeRange)
        and _joined(reading, times[last].end, times[last + 1].start) in reading.language.alternatives | {","}
    ):
        last += 1
    members = [time.moment for time in times[place : last + 1] if isinstance(time.moment, TimeRange)]
    if len(members) < 2 or len(members) != last + 1 - place:
        return 0
    start = times[place].start
    op = _signed(reading, Op.IN, start)
    add_filter(reading, _time_phrase(reading, start), op, Choices(frozenset(members)), (start, times[last].end), 0.9)
    return len(members)


def _one_time(reading: Reading, time: Time) -> None:
    mark = comparison_before(reading, time.start)
    suffix = suffix_after(reading, time.end)
    start, end = (mark.start if mark else time.start), (suffix.end if suffix else time.end)
    op = suffix.cue.op if suffix else mark.cue.op if mark else None
    if op is None and reading.lower(time.start - 1) in reading.language.by and isinstance(time.moment, TimeRange):
        op = Op.LE
    rhs = bounded(time.moment, op) if op else time.moment
    certain = 0.9 if time.explicit else 0.4
    if isinstance(time.moment, DatePart) and time.moment.part == "weekday":
        certain = 0.6
    told = () if time.explicit else (text(reading.span(time.start, time.end)),)
    lhs = _time_phrase(reading, start)
    add_filter(reading, lhs, _signed(reading, Op.WITHIN, start), rhs, (start, end), certain, told)


def bounded(moment: TimeRange | RelativeTime | DatePart, op: Op) -> TimeRange | RelativeTime | DatePart:
    """The half-line that a comparison with a time selects; `after 2020` starts when 2020 ends.

    >>> from datetime import datetime
    >>> year = TimeRange(datetime(2020, 1, 1), datetime(2021, 1, 1))
    >>> [str(bounded(year, op)) for op in (Op.GT, Op.GE, Op.LT, Op.LE)]
    ['[2021-01-01, )', '[2020-01-01, )', '[, 2020-01-01)', '[, 2021-01-01)']
    """
    if isinstance(moment, DatePart):
        return moment
    start, end = _SIDES.get(op, (None, None))
    if start is None and end is None:
        return moment
    if isinstance(moment, TimeRange):
        return TimeRange(
            None if start is None else (moment.start if start == "start" else moment.end),
            None if end is None else (moment.start if end == "start" else moment.end),
        )
    return RelativeTime(
        moment.unit,
        None if start is None else (moment.start if start == "start" else moment.end),
        None if end is None else (moment.start if end == "start" else moment.end),
        moment.whole,
    )


_SIDES: dict[Op, tuple[str | None, str | None]] = {
    Op.GT: ("end", None),
    Op.GE: ("start", None),
    Op.LT: (None, "start"),
    Op.LE: (None, "end"),
}


def _time_phrase(reading: Reading, place: int) -> Operand | None:
    """`born`, `date of birth`: the word before a time that says which time."""
    at = place - 1
    while (
        at >= 0
        and place - at <= 4
        and reading.lower(at) in reading.language.in_time | reading.language.articles | reading.language.copulas
    ):
        at -= 1
    word = reading.lower(at)
    return operand(word) if word in reading.language.time_verbs else None


def _signed(reading: Reading, op: Op, place: int) -> Op:
    """The operator, negated when `not`, `never` or `except` stands before it in its clause."""
    for at in range(place, max(place - _CLAUSE, 0), -1):
        mark = reading.ends.get(at)
        if mark is not None and mark.cue.role in _NEGATING:
            return NEGATION.get(op, op)
        word = reading.lowers[at - 1]
        if word in _CLAUSE_ENDS or word in reading.language.relatives or reading.taken[at - 1]:
            break
    return op


_CLAUSE = 5
"""Words before a value in which its negation stands."""
_NEGATING = frozenset({Role.NOT, Role.EXCEPT, Role.NEVER, Role.LACK})
_CLAUSE_ENDS = frozenset({",", ".", "?", "!", ";", "and", "but", "or"})


def read_number_filters(reading: Reading, quantities: Sequence[Quantity]) -> None:
    """A filter for each number that is compared, keyed or counted; a lone number gives a doubtful one or none."""
    place = 0
    while place < len(quantities):
        quantity = quantities[place]
        if reading.taken[quantity.start]:
            place += 1
        elif place + 1 < len(quantities) and _number_range(reading, quantity, quantities[place + 1]):
            place += 2
        else:
            _one_number(reading, quantity)
            place += 1


def _one_number(reading: Reading, quantity: Quantity) -> None:
    if not _compared(reading, quantity) and not _keyed(reading, quantity):
        _bare(reading, quantity)


def _number_range(reading: Reading, first: Quantity, last: Quantity) -> bool:
    """`between 170 and 190`, `from 5 to 10`."""
    opener = _opener(reading, first.start)
    if opener < 0 or not _joins_range(reading, first.end, last.start, reading.language.ranges[reading.lower(opener)]):
        return False
    lhs = _subject(reading, opener, last.end, Cue(role=Role.COMPARE))
    negated = _signed(reading, Op.EQ, opener) is Op.NE
    if negated:
        add_filter(reading, lhs, Op.LT, first.number, (opener, first.end), 0.45)
        add_filter(reading, lhs, Op.GT, last.number, (last.start, last.end), 0.45)
        return True
    add_filter(reading, lhs, Op.GE, first.number, (opener, first.end), 0.95)
    add_filter(reading, lhs, Op.LE, last.number, (last.start, last.end), 0.95)
    return True


def _joins_range(reading: Reading, end: int, start: int, joins: frozenset[str]) -> bool:
    words = reading.lowers[end:start]
    return (
        len(words) <= 4 and any(word in joins for word in words) and not any(word in {".", "?", ";"} for word in words)
    )


def _compared(reading: Reading, quantity: Quantity) -> bool:
    mark = comparison_before(reading, quantity.start)
    suffix = suffix_after(reading, quantity.end)
    if suffix is None and reading.lower(quantity.end) == "+":
        mark = mark or Mark(Cue(role=Role.COMPARE, op=Op.GE), quantity.start, quantity.start)
    found = suffix or mark
    if found is None or found.cue.op is None:
        return False
    start, end = (mark.start if mark else quantity.start), (suffix.end if suffix else quantity.end)
    lhs = _subject(reading, start, quantity.end, found.cue)
    op = found.cue.op if found.cue.op in (Op.EQ, Op.NE) else _signed(reading, found.cue.op, start)
    vague = quantity.spelt and quantity.number.value == 1 and op is Op.GE
    add_filter(reading, lhs, op, quantity.number, (start, end), 0.4 if vague else 0.95)
    return True


def _subject(reading: Reading, start: int, end: int, cue: Cue) -> Operand | None:
    """What is compared: the cue's own word, the phrase before, or the counted noun after."""
    language = reading.language
    said = cue.phrase or _attribute_said(reading, start, end)
    if said:
        return operand(said)
    before = _phrase_left(reading, start)
    counted = None if reading.lower(end) in language.units else _counted(reading, end)
    return counted if counted is not None and (before is None or counted.func) else before or counted


def _attribute_said(reading: Reading, start: int, end: int) -> str:
    """`under age 30`, `25 years old`: an attribute named beside the number itself."""
    language = reading.language
    for word in (*reading.lowers[start:end], *reading.lowers[end : end + 2]):
        if word in _AGES and word in language.attributes:
            return language.attributes[word]
        if word in {",", "and", "or", "?", "."}:
            break
    return ""


_AGES = frozenset({"age", "aged", "old"})


def _phrase_left(reading: Reading, place: int) -> Operand | None:
    """The noun phrase left of a comparison, a copula or `of` between allowed; a plural thing is not compared "
    "itself."""
    language, at = reading.language, place
    while at > 0 and place - at < 4 and (_links(reading, at - 1) or reading.has_role(at - 1, Role.NOT, Role.NEVER)):
        at -= 1
    word = reading.lower(at - 1)
    if word in language.attributes:
        return operand(language.attributes[word])
    start, end = phrase_before(reading, at)
    if start == end:
        return None
    head = reading.tokens[end - 1]
    thing = head.stem != head.lower and head.lower not in language.measures and head.stem not in language.ordinary
    return None if thing else operand(reading.span(start, end))


_LINKS = frozenset({"that", "which", "not", "value", "equal", "to"})


def _links(reading: Reading, place: int) -> bool:
    """Whether a word only links a column to what it is compared with."""
    word, language = reading.lower(place), reading.language
    return (
        word in language.copulas
        or word in language.of
        or word in language.auxiliaries
        or word in language.articles
        or word in _LINKS
    )


def _counted(reading: Reading, place: int) -> Operand | None:
    """The noun after a number: a count of things, or a measure by its own name."""
    at = place
    while (
        reading.lower(at)
        in {"different", "distinct", "unique", "or", "more", "of", "the", "total", "separate", "individual"}
        and at < place + 3
    ):
        at += 1
    end = phrase_end(reading, at)
    if end == at:
        return None
    word = reading.lowers[end - 1]
    if word in reading.language.units or verb_like(word, reading.language):
        return None
    phrase = reading.span(at, end)
    return operand(phrase) if word in reading.language.measures else operand(phrase, "COUNT")


def _keyed(reading: Reading, quantity: Quantity) -> bool:
    """`id 5`, `grade 9`, `number is 29`, `points of 10`."""
    language, at = reading.language, quantity.start
    while (
        at > 0
        and quantity.start - at < 3
        and reading.lower(at - 1) in language.copulas | language.of | {":", ".", "the", "value", "a", "an"}
    ):
        at -= 1
    word = reading.lower(at - 1)
    skipped = quantity.start - at
    if quantity.ordinal or not _is_key(reading, at, linked=skipped > 0):
        return False
    pronoun = quantity.spelt and quantity.number.value == 1
    counting = skipped > 0 and reading.lower(at) not in {".", ":"} and _starts_phrase(reading, quantity.end)
    if pronoun or counting or reading.lower(quantity.start - 1) in language.articles:
        return False
    start, end = phrase_before(reading, at)
    phrase = reading.span(start, end) if start < end else word
    last = phrase.lower().split()[-1]
    lhs = operand(language.attributes.get(last, phrase) if len(phrase.split()) == 1 else phrase)
    op = _signed(reading, Op.EQ, at)
    certain = 0.9 if not quantity.spelt else 0.5
    add_filter(reading, lhs, op, quantity.number, (quantity.start, quantity.end), certain)
    return True


def _starts_phrase(reading: Reading, place: int) -> bool:
    """Whether a noun follows a number, which then counts it and is no key."""
    return reading.is_word(place) and reading.lowers[place] not in reading.language.breaks


def _is_key(reading: Reading, at: int, *, linked: bool) -> bool:
    """Whether a number right after the word before `at` (or linked to it by `is`, `of`) is its value."""
    language, word = reading.language, reading.lower(at - 1)
    if word in language.keys:
        return True
    if not linked:
        return word in language.classifiers
    if word in language.measures or word in language.ordinary:
        return True
    start, end = phrase_before(reading, at)
    return (
        start < end
        and reading.lower(at) in language.of
        and reading.lower(start - 1) in language.articles | language.haves
    )


def _bare(reading: Reading, quantity: Quantity) -> None:
    """A number beside a noun: how many there must be, or a value nobody named."""
    if quantity.ordinal or (quantity.spelt and quantity.number.value == 1):
        return
    counted = _counted(reading, quantity.end)
    has = reading.lower(quantity.start - 1) in reading.language.haves
    if quantity.spelt and not has:
        return
    certain = 0.6 if has and counted is not None else 0.5 if counted is None and quantity.number.value > 31 else 0.4
    add_filter(
        reading,
        counted,
        _signed(reading, Op.EQ, quantity.start),
        quantity.number,
        (quantity.start, quantity.end),
        certain,
    )
