"""Reads months and days: `May 2023`, `3rd of May`, `May 3 to 9, 2021`."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from scoring.patterns import lazy
from scoring.question.calendar.moments import DAY, JOINTS, YEAR, Time, calendar_range
from scoring.question.calendar.weeks import OF_WEEK
from scoring.question.calendar.years import is_fiscal
from scoring.question.language import Role
from scoring.question.reading import Reading
from scoring.values import DatePart, Grain, TimeRange, period

_DAY_JOINTS = frozenset({"and", "to", "or", "through", "-", "–", "&"})
_DAYS_JOIN = _DAY_JOINTS | {"until", "till", "thru"}


def read_month(reading: Reading, place: int) -> Time | None:
    """`May`, `May 2023`, `May 3`, `May 3rd, 2023`."""
    joined = read_joined_days(reading, place + 1)
    if joined is not None:
        return joined
    month = reading.language.months[reading.tokens[place].lower]
    end = place + 1
    if reading.lower(end) in {".", ","} and YEAR.fullmatch(reading.lower(end + 1)):
        end += 1
    if reading.lower(end) in reading.language.of and YEAR.fullmatch(reading.lower(end + 1)):
        end += 1
    if YEAR.fullmatch(reading.lower(end)):
        dated = period(Grain.MONTH, year=int(reading.lower(end)), month=month)
        return Time(dated, place, end + 1) if dated else None
    day = _day_of(reading, place + 1)
    return _month_and_day(reading, place, month, day) if day is not None else _bare_month(reading, place, month)


def _month_and_day(reading: Reading, place: int, month: int, day: int) -> Time | None:
    """`May 3`, `May 3 to 9`; `since jan 25` may be a year."""
    later = _day_of(reading, place + 3) if reading.lower(place + 2) in _DAY_JOINTS else None
    last = _with_year(reading, month, later, place + 3, place + 4) if later else None
    date = _earlier(last, day, place, place + 2) or _with_year(reading, month, day, place, place + 2)
    return replace(date, explicit=False) if date is not None and _may_be_year(reading, place, date) else date


def _may_be_year(reading: Reading, place: int, date: Time) -> bool:
    """Whether the number after a month may be its year: `since jan 25`."""
    open_ended = reading.lower(place - 1) in {"since", "from", "until", "till"}
    return open_ended and isinstance(date.moment, DatePart) and date.moment.value % 100 > _SHORT_YEARS


_SHORT_YEARS = 19
"""Days of a month up to this are never a year of two digits."""


def _bare_month(reading: Reading, place: int, month: int) -> Time | None:
    capital, long = reading.tokens[place].text[0].isupper(), len(reading.tokens[place].lower) > 4
    led, plain = _leads_to_month(reading, place), not capital and is_no_other_word(reading, place)
    known = (capital and (long or led or _describes(reading, place))) or plain or opens_months(reading, place)
    recurs = reading.lower(place - 1) in ("every", "each")
    sure = (
        (led or long or _describes(reading, place))
        and not recurs
        and not is_fiscal(reading, place)
        and reading.lower(place + 1) != "'s"
    )
    return Time(DatePart("month", month), place, place + 1, explicit=sure) if known else None


def _describes(reading: Reading, place: int) -> bool:
    """Whether a month's name stands before a thing, or last: `our June revenue`, `the May price list`, `…, July`."""
    before, after = reading.lower(place - 1), reading.lower(place + 1)
    if place + 1 >= len(reading.tokens) or after in _STOPS:
        return reading.lowers[place] != "may" or before == ","
    alone = (
        reading.is_word(place + 1) and reading.tokens[place + 1].text.islower() and not _is_name_before(reading, place)
    )
    if before in reading.language.auxiliaries:
        return False
    return place > 0 and alone and (reading.lowers[place] != "may" or after not in reading.language.breaks)


def _is_name_before(reading: Reading, place: int) -> bool:
    return place > 1 and reading.is_word(place - 1) and reading.tokens[place - 1].text[0].isupper()


def is_no_other_word(reading: Reading, place: int) -> bool:
    """Whether a month in lower case can be nothing else: `in june`, `in march`, but not `the march` or `avg apr`."""
    if reading.lowers[place] == "apr" and (reading.lower(place - 1) in _AMONG_RATES or reading.lower(place + 1) in _OF):
        return False
    if reading.lowers[place] not in _WORDS_TOO or YEAR.fullmatch(reading.lower(place + 1)):
        return True
    if _opens_days(reading, place):
        return True
    day = place - 2 if _day_of(reading, place - 2) is not None else place - 1
    if reading.lower(place - 1) in _JOINED_BY and reading.lower(day - 1) in reading.language.months:
        return True
    return reading.lower(place - 1) in _BEFORE_MONTHS and not _goes_on(reading, place)


def _opens_days(reading: Reading, place: int) -> bool:
    """Whether a day, or days from one to another, follow a month: `march 14`, `march 1st to 7th`."""
    if _DAYS_JOINED.fullmatch(reading.lower(place + 1)) is not None:
        return True
    if _day_of(reading, place + 1) is None:
        return False
    several = reading.lower(place + 2) in _DAYS_JOIN and _day_of(reading, place + 3) is not None
    return several or (reading.lower(place - 1) in _ON and not reading.is_word(place + 2))


_AMONG_RATES = frozenset("avg average mean highest lowest best max min the an whose".split())
_OF = frozenset("on of above below over under".split())
"""Words around the rate of a loan: `avg apr on live loans`."""


def _goes_on(reading: Reading, place: int) -> bool:
    """Whether the phrase goes on after the word, so that it may be a noun's part: `in march order`."""
    after = reading.lower(place + 1)
    return reading.is_word(place + 1) and after not in reading.language.prepositions and after not in _GO_ON


_BEFORE_MONTHS = frozenset(
    {"between", "in", "during", "since", "until", "till", "throughout", "for", "of", "from", "before"}
)
_JOINED_BY = frozenset({"to", "through", "thru", "till", "until", "-", "–", "and"})
_GO_ON = frozenset(
    "and or vs versus by with to only alone so this last that which who whose where when were was are is have has had"
    " did but not no excluding excl without incl including except please pls plz thx thanks per each split grouped"
    " broken then sorted ordered across both".split()
)
_STOPS = frozenset({",", ".", "?", "!", ";", ")"})
_WORDS_TOO = frozenset({"may", "march", "mar"})
"""Months that in lower case are ordinary words."""


def _leads_to_month(reading: Reading, place: int) -> bool:
    """Whether the words beside a month's name make it a month: `in June`, `since June`, `between June and August`."""
    language, before = reading.language, reading.lower(place - 1)
    mark = reading.ends.get(place)
    if before in language.in_time or before in language.ranges or before in language.by or before in _NEXT_TO:
        return True
    if mark is not None and mark.cue.role is Role.COMPARE:
        return True
    earlier, later = reading.lower(place - 2), reading.lower(place + 2)
    if before in _COMPARED or (reading.lower(place + 1) in _NEXT_TO and later == "year"):
        return True
    if before in _BETWEEN_MONTHS and earlier in language.months:
        return True
    return reading.lower(place + 1) in _BETWEEN_MONTHS and later in language.months


_NEXT_TO = frozenset({"last", "this", "next", "until", "till", "after", "before"})
_COMPARED = frozenset({"vs", "vs.", "versus"})
_BETWEEN_MONTHS = _DAY_JOINTS | {"vs", "vs.", "versus", "than", "through", ",", "/", "+"}


def _with_year(reading: Reading, month: int, day: int, start: int, end: int) -> Time | None:
    at = end
    while at < end + 2 and (reading.lower(at) in JOINTS or reading.lower(at) in reading.language.of):
        at += 1
    if YEAR.fullmatch(reading.lower(at)):
        dated = calendar_range(int(reading.lower(at)), month, day)
        return Time(dated, start, at + 1) if dated else None
    led = reading.lower(start - 1) in _ON or reading.ends.get(start) is not None
    date = DatePart("date", month * 100 + day)
    return Time(date, start, end, explicit=led, others=(DatePart("month", month),))


_ON = frozenset({"on", "from", "since", "until", "till", "between", "by"})
"""Words before a day that make it one, where it has no year."""


def read_day_before_month(reading: Reading, place: int) -> Time | None:
    """`3 May 2021`, `the 3rd of May, 2021`, and the `3` of `3 and 9 May 2021` or of `the 3rd to the 9th of May`."""
    day = _day_of(reading, place)
    if day is None:
        return None
    at = place + 1
    after = at + 2 if reading.lower(at + 1) == "the" else at + 1
    if reading.lower(at) in _DAYS_JOIN and (later := _day_of(reading, after)):
        return _earlier(_before_month(reading, after, later), day, place, at)
    return _before_month(reading, place, day)


_DAYS_JOINED = lazy(r"(\d{1,2})(?:st|nd|rd|th)?[-–](\d{1,2})(?:st|nd|rd|th)?")


def read_joined_days(reading: Reading, place: int) -> Time | None:
    """`9-15 feb`, `Feb 9-15`, with the year after them if there is one."""
    match = _DAYS_JOINED.fullmatch(reading.lower(place))
    if match is None or not 0 < int(match[1]) < int(match[2]) <= 31:
        return None
    months, after = reading.language.months, reading.lower(place + 1) in reading.language.months
    beside = place + 1 if after else place - 1
    if reading.lower(beside) not in months or not _is_month(reading, beside, place):
        return None
    start, end = min(place, beside), max(place, beside) + 1
    last = _with_year(reading, months[reading.lower(beside)], int(match[2]), start, end)
    first = _earlier(last, int(match[1]), start, end)
    return _both_days(first, last) if first is not None and last is not None else None


def _both_days(first: Time, last: Time) -> Time | None:
    """The days from the first to the last."""
    one, other = first.moment, last.moment
    if isinstance(one, DatePart) and isinstance(other, DatePart):
        return replace(last, moment=replace(one, last=other.value), explicit=True, others=())
    if isinstance(one, TimeRange) and isinstance(other, TimeRange):
        return replace(last, moment=TimeRange(one.start, other.end))
    return None


def _day_of(reading: Reading, place: int) -> int | None:
    match = DAY.fullmatch(reading.lower(place))
    return int(match[1]) if match is not None and 1 <= int(match[1]) <= 31 else None


def _before_month(reading: Reading, place: int, day: int) -> Time | None:
    """A day with its month right after it."""
    at = place + 1
    if reading.lower(at) in reading.language.of:
        at += 1
    if reading.lower(at) not in reading.language.months or not _is_month(reading, at, place):
        return None
    return _with_year(reading, reading.language.months[reading.lower(at)], day, place, at + 1)


def _is_month(reading: Reading, place: int, day: int) -> bool:
    """Whether a month's name after a number is no ordinary word: `1 may` is a day after `since` only."""
    written = reading.tokens[place].text[0].isupper() or reading.lowers[place] not in _WORDS_TOO
    week = reading.lower(day - 2) in {"week", "wk"} and reading.lower(day - 1) in OF_WEEK
    before = reading.lower(day - 1)
    dated = before in _BEFORE_DAYS and _ends_phrase(reading, place)
    return written or week or dated or before in _ON or before == "w/c" or _ends_days(reading, place, day)


_BEFORE_DAYS = frozenset({"before", "after", "of", "for", "the"})


def _ends_days(reading: Reading, place: int, day: int) -> bool:
    """Whether a day with a month after it is the last of several: `14 to 16 march`, `14 march to 16 march`."""
    if _DAYS_JOINED.fullmatch(reading.lower(day)) is not None:
        return _ends_phrase(reading, place)
    at = day - 1 - (reading.lower(day - 1) == "the")
    first = at - 2 if reading.lower(at - 1) in reading.language.months else at - 1
    joined = reading.lower(at) in _DAYS_JOIN and _day_of(reading, first) is not None
    return joined and _ends_phrase(reading, place)


def _ends_phrase(reading: Reading, place: int) -> bool:
    """Whether no noun or verb follows a month that may be another word: not `14 to 16 may be`."""
    after = reading.lower(place + 1)
    return not reading.is_word(place + 1) or after in reading.language.prepositions or after in _GO_ON


def opens_months(reading: Reading, place: int) -> bool:
    """Whether a month begins several: `may to october`."""
    return reading.lower(place + 1) in _RUNS and reading.lower(place + 2) in reading.language.months


_RUNS = frozenset({"to", "through", "until", "till", "-", "–", "thru"})


def read_ranked_day(reading: Reading, rank: int, place: int) -> Time | None:
    """`the first of September`."""
    month = reading.language.months.get(reading.lower(place + 2))
    if month is None or reading.lower(place + 1) not in reading.language.of or not 1 <= rank <= 31:
        return None
    return _with_year(reading, month, rank, place - (reading.lower(place - 1) == "the"), place + 3)


def joined_months(reading: Reading, place: int) -> Time | None:
    """`jan+feb`, `Jan-Mar 2026`: the months from the first to the last."""
    names = _MONTHS_JOINED.split(reading.lowers[place])
    months = [reading.language.months.get(name, 0) for name in names]
    if len(months) < 2 or not all(months) or any(one >= other for one, other in pairwise(months)):
        return None
    if "+" in reading.lowers[place] and months[-1] - months[0] != len(months) - 1:
        return None
    if not YEAR.fullmatch(reading.lower(place + 1)):
        return Time(DatePart("month", months[0], months[-1]), place, place + 1)
    first, last = (
        period(Grain.MONTH, year=int(reading.lower(place + 1)), month=each) for each in months[:: len(months) - 1]
    )
    return Time(TimeRange(first.start, last.end), place, place + 2) if first is not None and last is not None else None


_MONTHS_JOINED = lazy(r"[+&/–-]")


def _earlier(later: Time | None, day: int, start: int, end: int) -> Time | None:
    """A day of the month and year of a later day."""
    if later is None:
        return None
    if isinstance(later.moment, DatePart) and later.moment.part == "date":
        return Time(replace(later.moment, value=later.moment.value // 100 * 100 + day), start, end)
    if not isinstance(later.moment, TimeRange) or later.moment.start is None:
        return None
    dated = calendar_range(later.moment.start.year, later.moment.start.month, day)
    return Time(dated, start, end) if dated else None


def read_day_after_month(reading: Reading, place: int) -> Time | None:
    """The `9, 2026` of `November 3 to 9, 2026`."""
    day, month = _day_of(reading, place), reading.language.months.get(reading.lower(place - 3))
    if day is None or month is None or reading.lower(place - 1) not in _DAY_JOINTS:
        return None
    time = _with_year(reading, month, day, place, place + 1)
    if time is None or time.explicit:
        return time
    spans = reading.lower(place - 1) in _RUNS or reading.lower(place - 4) == "between"
    first = _day_of(reading, place - 2) or day
    return replace(time, explicit=True) if spans and first < day and not reading.is_word(place + 1) else None
