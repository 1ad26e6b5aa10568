"""Reads filters on times: `in 2023`, `born before 1980`, `between May and July 2020`, `in 2014 or 2015`."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from scoring.patterns import lazy
from scoring.question.calendar.moments import PARTS_OF_YEAR, Moment, Time, calendar_range
from scoring.question.comparisons import add_filter, comparison_before, range_opener, signed, suffix_after
from scoring.question.language import Role
from scoring.question.phrases import operand
from scoring.question.reading import Reading
from scoring.specification import Op, Operand
from scoring.values import Choices, DatePart, Grain, RelativeTime, TimeRange, Value, period, text


def read_time_filters(reading: Reading, times: Sequence[Time]) -> None:
    """Adds a filter for each time, each range of two times, and each list of times joined by `or`."""
    place = 0
    while place < len(times):
        used = _time_range(reading, times, place) or _time_choice(reading, times, place)
        if not used:
            _one_time(reading, times[place])
            used = 1
        place += used


def _time_range(reading: Reading, times: Sequence[Time], place: int) -> int:
    """`between 2010 and 2015`, `from May 2010 to June 2011`, ends included; returns the times used."""
    if place + 1 >= len(times):
        return 0
    first, last = times[place], times[place + 1]
    gap = _joined(reading, first.end, last.start)
    whole = _whole_range(first.moment, last.moment)
    if gap is None or whole is None:
        return 0
    opener = range_opener(reading, first.start)
    joins = reading.language.ranges.get(reading.lower(opener), frozenset()) if opener >= 0 else frozenset[str]()
    if gap not in joins and gap not in {"to", "-", "–", "through", "till", "until", "thru"}:
        return 0
    start = opener if opener >= 0 else first.start
    if not _CHANGES.isdisjoint(reading.lowers[max(start - 6, 0) : start]) and not _SERIES.search(reading.text):
        return 0  # the change from one time to another is between two
    lhs = _time_phrase(reading, start)
    add_filter(reading, lhs, signed(reading, Op.WITHIN, start), whole, (start, last.end), 0.9)
    return 2


_CHANGES = frozenset("change changed increase increased decrease decreased drop dropped growth grew rise rose".split())


_SERIES = lazy(
    r"\b(\w{3,12})[ -](?:over|on|by)[ -]\1\b|\b(?:mom|wow|qoq|monthly|weekly|daily)\b|\b(?:per|each|every|by) \w+",
    re.IGNORECASE,
)
"""A change from each month to the next, or in each of several things, is looked at over the whole range."""


def _whole_range(first: Moment, last: Moment) -> TimeRange | DatePart | None:
    """From the start of one time to the end of another; a month without a year takes the other's."""
    if isinstance(first, DatePart) and isinstance(last, DatePart):
        return _run(first, last)
    if not isinstance(last, TimeRange) or (isinstance(first, TimeRange) and _backwards(first, last)):
        return None
    if isinstance(first, DatePart):
        return _from_part(first, last)
    return TimeRange(first.start, last.end) if isinstance(first, TimeRange) else None


def _from_part(first: DatePart, last: TimeRange) -> TimeRange | None:
    """From a month or a day without a year to the end of a time that has one."""
    if last.start is None:
        return None
    if first.part == "month":
        month = period(Grain.MONTH, year=last.start.year, month=first.value)
        return TimeRange(month.start, last.end) if month is not None else None
    return _from_day(first.value, last) if first.part == "date" and not first.last else None


def _from_day(date: int, last: TimeRange) -> TimeRange | None:
    """From a day without a year, as a number such as 701, to the end of a later day: `1 Jul - 14 Oct 2026`."""
    year = last.start.year if last.start is not None else 0
    first = calendar_range(year, date // 100, date % 100)
    if first is not None and _backwards(first, last):
        first = calendar_range(year - 1, date // 100, date % 100)
    return TimeRange(first.start, last.end) if first is not None else None


def _run(first: DatePart, last: DatePart) -> DatePart | None:
    """`June to August`, `Q1 to Q3`, `1 to 7 November`, `September to November last year`."""
    alike = first.part == last.part and first.part in (*PARTS_OF_YEAR, "date") and first.value != last.value
    if not alike:
        return None
    year = first.year if first.year is not None else last.year if first.value < last.value else None
    return DatePart(first.part, first.value, last.last or last.value, year)


def _joined(reading: Reading, end: int, start: int) -> str | None:
    """The joining word when one word (and articles) stands between two values."""
    language = reading.language
    if start - end > _APART:
        return None
    words = [
        word
        for word in reading.lowers[end:start]
        if word not in language.articles and word not in language.year_words and word != "in"
    ]
    if len(words) == _TO_THE_END and words[1] in language.endings and words[2] in language.of:
        return words[0]  # `from 2023 until the end of 2025`
    return words[0] if len(words) == 1 else None


_TO_THE_END = 3


def _backwards(first: TimeRange, last: TimeRange) -> bool:
    return first.start is not None and last.end is not None and first.start >= last.end


_APART = 8
"""Words between the ends of a range of times."""


def _time_choice(reading: Reading, times: Sequence[Time], place: int) -> int:
    """`in 2014 or 2015`; returns the times used."""
    last = place
    while last + 1 < len(times) and isinstance(times[last + 1].moment, TimeRange):
        joint = _joined(reading, times[last].end, times[last + 1].start)
        if joint != "," and joint not in reading.language.alternatives:
            break
        last += 1
    members = [time.moment for time in times[place : last + 1] if isinstance(time.moment, TimeRange)]
    if len(members) < 2 or len(members) != last + 1 - place:
        return 0
    start = times[place].start
    op = signed(reading, Op.IN, start)
    add_filter(reading, _time_phrase(reading, start), op, Choices(frozenset(members)), (start, times[last].end), 0.9)
    return len(members)


def _one_time(reading: Reading, time: Time) -> None:
    op, start, end = _comparison(reading, time)
    alternatives: tuple[Value, ...] = time.others if op is None else ()
    if not time.explicit:
        alternatives += (text(reading.span(time.start, time.end)),)
    add_filter(
        reading,
        None if _since_event(reading, time) else _time_phrase(reading, start),
        signed(reading, Op.WITHIN, start),
        bounded(time.moment, op) if op else time.moment,
        (start, end),
        min(_certainty(reading, time), 0.4) if _is_of_state(reading, time) else _certainty(reading, time),
        alternatives,
    )


def _is_of_state(reading: Reading, time: Time) -> bool:
    """`as of June 30`, `at the end of October`: when a state is looked at, which is no range of times."""
    at = _edge(reading, time.start)[0]
    before = reading.lower(at - 1)
    return (before == "of" and reading.lower(at - 2) == "as") or (before == "at" and at < time.start)


def _comparison(reading: Reading, time: Time) -> tuple[Op | None, int, int]:
    """How a time is compared, and where the words of the comparison start and end."""
    edge, edged = _edge(reading, time.start)
    mark = comparison_before(reading, edge)
    suffix = suffix_after(reading, time.end)
    cue = suffix.cue if suffix else mark.cue if mark else None
    op = cue.op if cue is not None else None
    op = edged.get(op, op) if op is not None else None
    if suffix is None and mark is not None and reading.lowers[mark.start] == "over":
        op = None  # `over the last 12 months` is within them
    if op is None:
        op = _led_by(reading, time)
    return op, (mark.start if mark else time.start), (suffix.end if suffix else time.end)


def _led_by(reading: Reading, time: Time) -> Op | None:
    """How a preposition compares: `by 2020`, `since March`."""
    before = reading.lower(time.start - 1)
    if before in {"through", "thru"} or (before in reading.language.by and _is_deadline(reading, time)):
        return Op.LE
    dated = before == "since" and isinstance(time.moment, DatePart)
    return Op.GE if dated or _lasts(reading, time.end) or _since_event(reading, time) else None


def _is_deadline(reading: Reading, time: Time) -> bool:
    """Whether `by` a time means until its end: `by 2020`, and not `by 2020 revenue`, which is the revenue of 2020."""
    return isinstance(time.moment, TimeRange) and reading.lower(time.end) not in reading.language.measures


def _lasts(reading: Reading, end: int) -> bool:
    """Whether a time lasts until now: `jan 2025 until now`."""
    return reading.lower(end) in _LASTING and reading.lower(end + 1) in _NOW


_LASTING = frozenset({"until", "till", "til", "to", "through"})
_NOW = frozenset({"now", "today", "date", "present"})


def _since_event(reading: Reading, time: Time) -> bool:
    """`since we opened on 1 December`: the day of an event from which rows count, whatever column is of it."""
    at = time.start - 1
    while at >= max(time.start - _NEAR, 1) and reading.is_word(at):
        if reading.lowers[at - 1] == "since" and reading.lowers[at] in _SUBJECTS:
            return True
        at -= 1
    return False


_SUBJECTS = frozenset("we i they it he she you the our their its my".split())

_AGAINST = frozenset({"vs", "vs.", "versus", "against", "compared"})
_NEAR = 6
"""Words after a day of the week in which it is compared with others: it names a group then."""


def _certainty(reading: Reading, time: Time) -> float:
    if isinstance(time.moment, DatePart) and time.moment.part == "weekday":
        return 0.4 if _AGAINST.intersection(reading.lowers[time.end : time.end + _NEAR]) else 0.6
    return 0.9 if time.explicit else 0.4


def _edge(reading: Reading, start: int) -> tuple[int, Mapping[Op, Op]]:
    """Where `the end of` a time starts, and what a comparison with that edge means for the whole time."""
    language, at = reading.language, start
    before = reading.ends.get(start)
    if before is not None and before.cue.role is Role.COMPARE:
        return start, _WHOLE
    while reading.lower(at - 1) in language.articles:
        at -= 1
    word = reading.lower(at - 2) if reading.lower(at - 1) in language.of else ""
    if word not in language.beginnings and word not in language.endings:
        return start, _WHOLE
    at -= 2
    while reading.lower(at - 1) in language.articles:
        at -= 1
    return at, _FROM_START if word in language.beginnings else _TO_END


_WHOLE: dict[Op, Op] = {}
_FROM_START = {Op.GT: Op.GE, Op.LE: Op.LT}
_TO_END = {Op.GE: Op.GT, Op.LT: Op.LE}


def bounded(moment: TimeRange | RelativeTime | DatePart, op: Op) -> TimeRange | RelativeTime | DatePart:
    """The half-line that a comparison with a time selects; `after 2020` starts when 2020 ends.

    >>> from datetime import datetime
    >>> year = TimeRange(datetime(2020, 1, 1), datetime(2021, 1, 1))
    >>> [str(bounded(year, op)) for op in (Op.GT, Op.GE, Op.LT, Op.LE)]
    ['[2021-01-01, )', '[2020-01-01, )', '[, 2020-01-01)', '[, 2021-01-01)']
    """
    if isinstance(moment, DatePart):
        return _bounded_part(moment, op)
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


def _bounded_part(part: DatePart, op: Op) -> DatePart:
    """The rest of the year after a month or quarter, or what comes before it: `since March` is March to December.

    `since Monday` is marked by its last day, which is none.
    """
    if part.part == "weekday" and op in (Op.GE, Op.GT):
        return DatePart("weekday", part.value, part.value)
    if part.part == "date":
        return _bounded_day(part, op)
    size, last = PARTS_OF_YEAR.get(part.part), part.last or part.value
    if size is None:
        return part
    first, final = {
        Op.GE: (part.value, size),
        Op.GT: (last + 1, size),
        Op.LE: (1, last),
        Op.LT: (1, part.value - 1),
    }.get(op, (0, 0))
    return DatePart(part.part, first, final) if 0 < first <= final else part


def _bounded_day(part: DatePart, op: Op) -> DatePart:
    """The rest of the year from a day, or what comes before it: `before 1 June` is 1 January to 31 May."""
    last = part.last or part.value
    first, final = {
        Op.GE: (part.value, _LAST_DAY),
        Op.GT: (_day_beside(last, 1), _LAST_DAY),
        Op.LE: (_FIRST_DAY, last),
        Op.LT: (_FIRST_DAY, _day_beside(part.value, -1)),
    }.get(op, (0, 0))
    return DatePart("date", first, final) if 0 < first <= final else part


def _day_beside(day: int, days: int) -> int:
    """A day of a year as month and day, moved by some days; 0 beyond the year."""
    month = day // 100
    moved = datetime(_LEAP_YEAR, month, min(day % 100, monthrange(_LEAP_YEAR, month)[1])) + timedelta(days=days)
    return moved.month * 100 + moved.day if moved.year == _LEAP_YEAR else 0


_FIRST_DAY, _LAST_DAY, _LEAP_YEAR = 101, 1231, 2024

_SIDES: dict[Op, tuple[str | None, str | None]] = {
    Op.GT: ("end", None),
    Op.GE: ("start", None),
    Op.LT: (None, "start"),
    Op.LE: (None, "end"),
}


def _time_phrase(reading: Reading, place: int) -> Operand | None:
    """The word before a time that says which time it is: `born`."""
    at = place - 1
    while at >= 0 and place - at <= 4 and _leads_to_time(reading, at):
        at -= 1
    word = reading.lower(at)
    return operand(word) if word in reading.language.time_verbs else None


def _leads_to_time(reading: Reading, place: int) -> bool:
    word, language = reading.lower(place), reading.language
    tables = (language.in_time, language.articles, language.copulas, language.ranges)
    return any(word in table for table in tables)
