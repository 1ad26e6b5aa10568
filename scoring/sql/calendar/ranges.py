"""Reads a date compared with a constant as a time range, for any part of the date and any spelling."""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import pairwise
from types import MappingProxyType

from scoring.patterns import lazy
from scoring.specification import Op
from scoring.sql.calendar.moments import Constant, Now
from scoring.sql.scopes import Scope
from scoring.sql.terms import Term
from scoring.values import DatePart, Grain, Number, RelativeTime, Scalar, Text, TimeRange, Value, floor, period, shift
from scoring.words import identifier_words

_SIDES = frozenset({Op.GT, Op.GE, Op.LT, Op.LE})
_SUNDAY_IS_ONE = frozenset({"mysql", "bigquery", "tsql", "oracle", "doris", "starrocks", "spark", "databricks", "hive"})
_MONTHS = MappingProxyType(
    {
        name[: length or None]: number
        for number, name in enumerate(
            "january february march april may june july august september october november december".split(), 1
        )
        for length in (0, 3)
    }
)
_WEEKDAYS = MappingProxyType(
    {
        name[: length or None]: number
        for number, name in enumerate("sunday monday tuesday wednesday thursday friday saturday".split())
        for length in (0, 3)
    }
)
_PARTIAL = lazy(r"(?P<year>[12]\d{3})(?:-?(?P<month>0[1-9]|1[0-2])(?:-?(?P<day>0[1-9]|[12]\d|3[01]))?)?-?", re.ASCII)

_DATE_WORDS = frozenset(
    {
        "date",
        "period",
        "yearmonth",
        "month",
        "day",
        "dt",
        "at",
        "on",
        "dob",
        "birthday",
        "time",
        "timestamp",
        "datetime",
    }
)
_YEAR_WORDS = frozenset({"year", "yr"})
_FISCAL = frozenset({"fisc", "fiscal", "fy", "fin", "financial"})
"""Words of a year that begins when the house says."""


def time_of(scope: Scope, term: Term, value: Constant) -> TimeRange | RelativeTime | DatePart | None:
    """The time that a constant means when compared with a part of a date or with a date column."""
    if term.view is not None:
        return _viewed(scope, term.view[0], value)
    if isinstance(value, TimeRange):
        return period_kept(term.columns[0].name, value) if term.is_column else value
    if isinstance(value, Now):
        return RelativeTime(value.unit, value.offset, value.offset + 1, value.whole)
    return _named(term, value) if isinstance(value, (Number, Text)) else None


def dated(term: Term) -> Term:
    """The date that a term is a part of, or the term itself."""
    return term if term.view is None else term.view[1]


def bounded(op: Op, time: TimeRange | RelativeTime | DatePart) -> tuple[Op, Value] | None:
    """A comparison with a time as one range: `>` starts when the time ends, `<` ends when it starts."""
    if op in (Op.EQ, Op.NE):
        whole = RelativeTime(time.unit, time.start, time.end, whole=True) if isinstance(time, RelativeTime) else time
        return (Op.WITHIN if op is Op.EQ else Op.NOT_WITHIN), whole
    if isinstance(time, DatePart):
        return _months_up_to(op, time)
    if op not in _SIDES:
        return None
    if isinstance(time, TimeRange):
        bound = time.end if op in (Op.GT, Op.LE) else time.start
        return Op.WITHIN, TimeRange(bound, None) if op in (Op.GT, Op.GE) else TimeRange(None, bound)
    edge = time.end if time.whole and op in (Op.GT, Op.LE) else time.start
    start, end = (edge, None) if op in (Op.GT, Op.GE) else (None, edge)
    return Op.WITHIN, RelativeTime(time.unit, start, end, time.whole)


def _months_up_to(op: Op, time: DatePart) -> tuple[Op, Value] | None:
    """`MONTH(d) <= 6` as January to June, `> 6` as July to December."""
    most = _IN_A_YEAR.get(time.part)
    if most is None or op not in _SIDES or not 0 < time.value <= most:
        return None
    first = 1 if op in (Op.LT, Op.LE) else time.value + (op is Op.GT)
    last = time.value - (op is Op.LT) if op in (Op.LT, Op.LE) else most
    return (Op.WITHIN, DatePart(time.part, first, last)) if first < last else None


_IN_A_YEAR = MappingProxyType({"month": 12, "quarter": 4})


def spanned(low: TimeRange | RelativeTime, high: TimeRange | RelativeTime) -> TimeRange | RelativeTime | None:
    """BETWEEN two times: from the start of the first to the end of the second."""
    if isinstance(low, TimeRange) and isinstance(high, TimeRange):
        return TimeRange(low.start, high.end)
    if not isinstance(low, RelativeTime) or not isinstance(high, RelativeTime):
        return None
    if low.unit is high.unit:
        return RelativeTime(low.unit, low.start, high.end if high.whole else high.start, low.whole)
    if low.start == 0 and not low.whole:
        return RelativeTime(high.unit, 0, high.end if high.whole else high.start, high.whole)
    return RelativeTime(low.unit, low.start, 0, low.whole) if high.start == 0 and not high.whole else None


def run_of_parts(first: object, last: object) -> DatePart | None:
    """BETWEEN two parts of a date: the months 6 to 8."""
    if not isinstance(first, DatePart) or not isinstance(last, DatePart) or first.part != last.part:
        return None
    return DatePart(first.part, first.value, last.value) if 0 < first.value < last.value else None


def consecutive(times: frozenset[Scalar]) -> DatePart | TimeRange | None:
    """Months or quarters that follow one another, as one run."""
    ranges = [each for each in times if isinstance(each, TimeRange)]
    if len(ranges) == len(times) >= _SEVERAL:
        return _joined(sorted(ranges, key=lambda each: str(each.start)))
    parts = [each for each in times if isinstance(each, DatePart) and each.part in ("month", "quarter")]
    values = sorted(each.value for each in parts)
    if len(parts) < max(len(times), 2) or len({each.part for each in parts}) > 1 or values[0] < 1:
        return None
    return DatePart(parts[0].part, values[0], values[-1]) if values[-1] - values[0] + 1 == len(values) else None


def _joined(ranges: list[TimeRange]) -> TimeRange | None:
    joined = all(one.end is not None and one.end == other.start for one, other in pairwise(ranges))
    return TimeRange(ranges[0].start, ranges[-1].end) if joined else None


_SEVERAL = 3
"""Dates in a list that are one range where they follow one another; two may be two that are compared."""


def prefix_time(term: Term, prefix: str) -> TimeRange | None:
    """The period that `LIKE '2012-01%'` keeps; a year alone counts only for a column whose name says date."""
    found = _PARTIAL.fullmatch(prefix.strip())
    if found is None:
        return None
    dashed = "-" in prefix
    return _period(found) if dashed or (term.is_column and names_date(term.columns[0].name)) else None


def _viewed(scope: Scope, key: str, value: Constant) -> TimeRange | RelativeTime | DatePart | None:
    """The time that a part of a date, given by `key`, equals `value` in."""
    if isinstance(value, TimeRange):
        return _cut_range(key, value)
    if isinstance(value, Now):
        return _relative_view(key, value)
    raw = _digits_of(value)
    if raw is None:
        return None
    if key == "year":
        return period(Grain.YEAR, year=int(raw)) if _is_year(raw) else None
    if key.startswith("%Y"):
        return _formatted_period(key, raw)
    if key in _NAMED_PARTS:
        part, numbers = _NAMED_PARTS[key]
        number = numbers.get(raw)
        return None if number is None else DatePart(part, number)
    return _part(scope, key, raw) if not key.startswith(("trunc:", "%")) else None


def _is_year(raw: str) -> bool:
    return len(raw) == 4 and raw[0] in "12" and raw.isdigit()


def _formatted_period(key: str, raw: str) -> TimeRange | None:
    """`2023-05` of the format `%Y-%m`: the value must have a day if the format has one."""
    found = _PARTIAL.fullmatch(raw)
    return _period(found) if found and found["month"] and bool(found["day"]) == ("%d" in key) else None


_NAMED_PARTS = MappingProxyType({"%B": ("month", _MONTHS), "%A": ("weekday", _WEEKDAYS)})
"""Formats that give a name, with the part of a date and the numbers of its names."""


def _part(scope: Scope, key: str, raw: str) -> DatePart | None:
    if not raw.isascii() or not raw.isdigit() or len(raw) > 3:
        return None
    number = int(raw)
    if key == "isoweekday":
        return DatePart("weekday", number % 7)
    if key == "mondayweekday":
        return DatePart("weekday", (number + (scope.spec.dialect != "duckdb")) % 7)
    if key == "weekday" and scope.spec.dialect in _SUNDAY_IS_ONE:
        number -= 1
    return DatePart(key, number)


def _cut_range(key: str, value: TimeRange) -> TimeRange | None:
    grain = _unit_of(key)
    if key.startswith("%Y-%m-%d"):
        return value
    if grain is None or value.start is None:
        return None
    return TimeRange(value.start, shift(value.start, grain, 1))


def _unit_of(key: str) -> Grain | None:
    """The unit that a `trunc:` view cuts to."""
    return Grain(key[6:]) if key.startswith("trunc:") else None


def _relative_view(key: str, value: Now) -> RelativeTime | DatePart | None:
    if value.number and value.unit.value == key and key in ("month", "quarter"):
        return DatePart(key, value.offset)
    if key.startswith("%Y-%m-%d") and (value.offset or value.whole):
        return RelativeTime(value.unit, value.offset, value.offset + 1, value.whole)
    grain = Grain.YEAR if key == "year" else Grain.DAY if key.startswith("%Y-%m-%d") else _unit_of(key)
    if grain is None or (value.unit is not grain and value.offset):
        return None
    return RelativeTime(grain, value.offset, value.offset + 1, whole=True)


def _digits_of(value: Constant) -> str | None:
    if isinstance(value, Text):
        return value.folded
    if isinstance(value, Number) and value.value.is_integer() and 0 <= value.value < 1e9:
        return str(int(value.value))
    return None


def _named(term: Term, value: Number | Text) -> TimeRange | None:
    """A plain number or text is a time if the column's name says that it holds times."""
    raw = _digits_of(value)
    if raw is None or len(raw) not in (4, 6, 7, 8) or raw[0] not in "12" or not term.is_column:
        return None
    name = term.columns[0].name
    if len(raw) == 4:
        return period(Grain.YEAR, year=int(raw)) if raw.isascii() and raw.isdigit() and _names_year(name) else None
    found = _PARTIAL.fullmatch(raw)
    return _period(found) if found and found["month"] and names_date(name) else None


def _names_year(name: str) -> bool:
    words = identifier_words(name)
    return (not _YEAR_WORDS.isdisjoint(words) or name.endswith("year")) and _FISCAL.isdisjoint(words)


def names_date(name: str) -> bool:
    """Whether a column's name says that it holds dates."""
    words = identifier_words(name)
    return not _DATE_WORDS.isdisjoint(words[-2:]) or name.endswith("date")


def _period(found: re.Match[str]) -> TimeRange | None:
    year, month, day = int(found["year"]), found["month"], found["day"]
    grain = Grain.DAY if day else Grain.MONTH if month else Grain.YEAR
    return period(grain, year=year, month=int(month or 1), day=int(day or 1))


_DAY = timedelta(days=1)
_NAMED = MappingProxyType(
    {
        "month": Grain.MONTH,
        "mth": Grain.MONTH,
        "ym": Grain.MONTH,
        "yearmonth": Grain.MONTH,
        "period": Grain.MONTH,
        "quarter": Grain.QUARTER,
        "qtr": Grain.QUARTER,
        "week": Grain.WEEK,
        "wk": Grain.WEEK,
        "year": Grain.YEAR,
    }
)
_EDGES = frozenset({"start", "begin", "beginning", "first", "end", "last", "ending", "starting"})
_OTHERS = frozenset({"date", "day", "on", "of", "the", "key", "dt", "cd", "code"}) | _EDGES
"""Words beside that of a period that say which day stands for it."""


def period_kept(column: str, day: TimeRange) -> TimeRange:
    """The whole period for its first or last day, where the column is named after periods; else the day as it is.

    >>> from datetime import datetime
    >>> first = TimeRange(datetime(2026, 8, 1), datetime(2026, 8, 2))
    >>> [str(period_kept(name, first)) for name in ("month_start", "billing_month", "quarter", "placed_on")]
    ['[2026-08-01, 2026-09-01)', '[2026-08-01, 2026-09-01)', '[2026-08-01, 2026-08-02)', '[2026-08-01, 2026-08-02)']
    """
    grain = _grain_named(column)
    if grain is None or day.start is None or day.end is None or day.end - day.start != _DAY:
        return day
    if grain is Grain.WEEK:
        return _week(column, day, day.start.isoweekday())
    first = floor(day.start, grain)
    after = shift(first, grain, 1)
    return TimeRange(first, after) if day.start == first or day.end == after else day


def _week(column: str, day: TimeRange, weekday: int) -> TimeRange:
    """Seven days from a Monday or Sunday, or to one where the column holds the end."""
    if day.start is None or day.end is None or weekday not in (1, 6, 7):
        return day
    if not _ENDS.isdisjoint(identifier_words(column)):
        return TimeRange(day.end - 7 * _DAY, day.end)
    return TimeRange(day.start, day.start + 7 * _DAY) if weekday != 6 else day


_ENDS = frozenset({"end", "ending", "last"})


def _grain_named(column: str) -> Grain | None:
    """The period that a column's name says it holds: `month_start`, `period_month`, `sales_week`."""
    words = identifier_words(column)
    places = [place for place, word in enumerate(words) if word in _NAMED]
    if not places or not _OTHERS.issuperset(words[places[-1] + 1 :]):
        return None
    found = [_NAMED[words[place]] for place in places]
    if "period" in words and len(found) > 1:
        found = [grain for word, grain in _NAMED.items() if word in words and word != "period"]
    return found[0] if len(found) == 1 else None
