"""Date predicates become time ranges, however the date is taken apart."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType
from typing import TypeAlias

from sqlglot import exp

from scoring.specification import Op
from scoring.sql.expressions import read_cast
from scoring.sql.moments import Constant, Now, unit_named
from scoring.sql.scopes import Reader, Scope, read
from scoring.sql.terms import Node, Term, children, combine, function_name
from scoring.values import DatePart, Grain, Number, RelativeTime, Text, TimeRange, Value, period, shift
from scoring.words import identifier_words

_View: TypeAlias = tuple[Node, str]
"""What is taken of a date before it is compared: the date, and `year`, `month` …, a format, or `trunc:month`."""

_SILENT = frozenset(
    {
        exp.Paren,
        exp.TsOrDsToDate,
        exp.TsOrDsToTimestamp,
        exp.Date,
        exp.Cast,
        exp.TryCast,
        exp.Timestamp,
        exp.Collate,
        exp.TimeStrToTime,
    }
)
_PARTS: dict[type[Node], str] = {
    exp.Year: "year",
    exp.Month: "month",
    exp.Day: "day",
    exp.DayOfMonth: "day",
    exp.DayOfWeek: "weekday",
    exp.DayOfWeekIso: "isoweekday",
    exp.Quarter: "quarter",
    exp.Week: "week",
    exp.WeekOfYear: "week",
    exp.Hour: "hour",
    exp.Dayname: "%A",
    exp.Monthname: "%B",
}
_FIELDS = MappingProxyType(
    {
        "year": "year",
        "yyyy": "year",
        "yy": "year",
        "month": "month",
        "mm": "month",
        "mon": "month",
        "day": "day",
        "dd": "day",
        "dayofmonth": "day",
        "dow": "weekday",
        "dayofweek": "weekday",
        "weekday": "weekday",
        "dw": "weekday",
        "isodow": "isoweekday",
        "dayofweekiso": "isoweekday",
        "hour": "hour",
        "hh": "hour",
        "quarter": "quarter",
        "qq": "quarter",
        "q": "quarter",
        "week": "week",
        "date": "%Y-%m-%d",
        "year_month": "%Y%m",
    }
)
_FORMAT_PARTS = MappingProxyType(
    {
        "%Y": "year",
        "%m": "month",
        "%-m": "month",
        "%d": "day",
        "%-d": "day",
        "%w": "weekday",
        "%u": "isoweekday",
        "%H": "hour",
        "%b": "%B",
        "%a": "%A",
        "%F": "%Y-%m-%d",
    }
)
_WORDY_FORMATS = MappingProxyType(
    {
        "YYYY": "year",
        "YYYY-MM": "%Y-%m",
        "YYYYMM": "%Y%m",
        "YYYY-MM-DD": "%Y-%m-%d",
        "YYYYMMDD": "%Y%m%d",
        "MM": "month",
        "DD": "day",
        "MONTH": "%B",
        "MON": "%B",
        "DAY": "%A",
        "DY": "%A",
        "D": "weekday",
        "Q": "quarter",
        "HH24": "hour",
    }
)
_PREFIXES = MappingProxyType({4: "year", 6: "%Y%m", 7: "%Y-%m", 8: "%Y%m%d", 10: "%Y-%m-%d"})
_MIDDLES = MappingProxyType({(6, 2): "month", (9, 2): "day", (5, 2): "month", (7, 2): "day"})
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
_PARTIAL = re.compile(
    r"(?P<year>[12]\d{3})(?:-?(?P<month>0[1-9]|1[0-2])(?:-?(?P<day>0[1-9]|[12]\d|3[01]))?)?-?", re.ASCII
)

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


def time_of(scope: Scope, term: Term, value: Constant) -> TimeRange | RelativeTime | DatePart | None:
    """The time that a constant means when compared with that part of a date, or with that column."""
    if term.view is not None:
        return _viewed(scope, term.view[0], value)
    if isinstance(value, TimeRange):
        return value
    if isinstance(value, Now):
        return RelativeTime(value.unit, value.offset, value.offset + 1, value.whole)
    return _named(term, value) if isinstance(value, (Number, Text)) else None


def dated(term: Term) -> Term:
    """The date itself, of a part of a date."""
    return term if term.view is None else term.view[1]


def bounded(op: Op, time: TimeRange | RelativeTime | DatePart) -> tuple[Op, Value] | None:
    """A comparison with a time as one range: `>` begins where the time ends, `<` ends where it begins."""
    if op in (Op.EQ, Op.NE):
        whole = RelativeTime(time.unit, time.start, time.end, whole=True) if isinstance(time, RelativeTime) else time
        return (Op.WITHIN if op is Op.EQ else Op.NOT_WITHIN), whole
    if op not in _SIDES or isinstance(time, DatePart):
        return None
    if isinstance(time, TimeRange):
        bound = time.end if op in (Op.GT, Op.LE) else time.start
        return Op.WITHIN, TimeRange(bound, None) if op in (Op.GT, Op.GE) else TimeRange(None, bound)
    edge = time.end if time.whole and op in (Op.GT, Op.LE) else time.start
    start, end = (edge, None) if op in (Op.GT, Op.GE) else (None, edge)
    return Op.WITHIN, RelativeTime(time.unit, start, end, time.whole)


def spanned(low: TimeRange | RelativeTime, high: TimeRange | RelativeTime) -> TimeRange | RelativeTime | None:
    """BETWEEN two times: from the start of the one to the end of the other."""
    if isinstance(low, TimeRange) and isinstance(high, TimeRange):
        return TimeRange(low.start, high.end)
    if not isinstance(low, RelativeTime) or not isinstance(high, RelativeTime):
        return None
    if low.unit is high.unit:
        return RelativeTime(low.unit, low.start, high.end if high.whole else high.start, low.whole)
    return RelativeTime(low.unit, low.start, 0, low.whole) if high.start == 0 and not high.whole else None


def prefix_time(term: Term, prefix: str) -> TimeRange | None:
    """The period that `LIKE '2012-01%'` keeps; a lone year only of a column that is named as a date."""
    found = _PARTIAL.fullmatch(prefix.strip())
    if found is None:
        return None
    dashed = "-" in prefix
    return _period(found) if dashed or (term.is_column and _is_date(term.columns[0].name)) else None


def _viewed(scope: Scope, key: str, value: Constant) -> TimeRange | RelativeTime | DatePart | None:
    if isinstance(value, TimeRange):
        return _cut_range(key, value)
    if isinstance(value, Now):
        return _relative_view(key, value)
    raw = _digits(value)
    if raw is None:
        return None
    if key == "year":
        return period(Grain.YEAR, year=int(raw)) if len(raw) == 4 and raw[0] in "12" and raw.isdigit() else None
    if key.startswith("%Y"):
        found = _PARTIAL.fullmatch(raw)
        return _period(found) if found and bool(found["day"]) == ("%d" in key) and found["month"] else None
    number = _MONTHS.get(raw) if key == "%B" else _WEEKDAYS.get(raw) if key == "%A" else None
    if number is not None:
        return DatePart("month" if key == "%B" else "weekday", number)
    return _part(scope, key, raw) if not key.startswith(("trunc:", "%")) else None


def _part(scope: Scope, key: str, raw: str) -> DatePart | None:
    if not raw.isascii() or not raw.isdigit() or len(raw) > 3:
        return None
    number = int(raw)
    if key == "isoweekday":
        return DatePart("weekday", number % 7)
    if key == "weekday" and scope.reading.dialect in _SUNDAY_IS_ONE:
        number -= 1
    return DatePart(key, number)


def _cut_range(key: str, value: TimeRange) -> TimeRange | None:
    grain = unit_of(key)
    if key.startswith("%Y-%m-%d"):
        return value
    if grain is None or value.start is None:
        return None
    return TimeRange(value.start, shift(value.start, grain, 1))


def unit_of(key: str) -> Grain | None:
    """The grain that a `trunc:` view cuts to."""
    return Grain(key[6:]) if key.startswith("trunc:") else None


def _relative_view(key: str, value: Now) -> RelativeTime | None:
    grain = Grain.YEAR if key == "year" else Grain.DAY if key.startswith("%Y-%m-%d") else unit_of(key)
    if grain is None or (value.unit is not grain and value.offset):
        return None
    return RelativeTime(grain, value.offset, value.offset + 1, whole=True)


def _digits(value: Constant) -> str | None:
    if isinstance(value, Text):
        return value.folded
    if isinstance(value, Number) and value.value.is_integer() and 0 <= value.value < 1e9:
        return str(int(value.value))
    return None


def _named(term: Term, value: Number | Text) -> TimeRange | None:
    """A plain number or text is a time where the column's own name says that it holds times."""
    raw = _digits(value)
    if raw is None or len(raw) not in (4, 6, 7, 8) or raw[0] not in "12" or not term.is_column:
        return None
    name = term.columns[0].name
    if len(raw) == 4:
        return period(Grain.YEAR, year=int(raw)) if raw.isascii() and raw.isdigit() and _is_year(name) else None
    found = _PARTIAL.fullmatch(raw)
    return _period(found) if found and found["month"] and _is_date(name) else None


def _is_year(name: str) -> bool:
    return not _YEAR_WORDS.isdisjoint(identifier_words(name)) or name.endswith("year")


def _is_date(name: str) -> bool:
    words = identifier_words(name)
    return not _DATE_WORDS.isdisjoint(words[-2:]) or name.endswith("date")


def _period(found: re.Match[str]) -> TimeRange | None:
    year, month, day = int(found["year"]), found["month"], found["day"]
    grain = Grain.DAY if day else Grain.MONTH if month else Grain.YEAR
    return period(grain, year=year, month=int(month or 1), day=int(day or 1))


def _unwrapped(node: Node) -> Node:
    while True:
        if type(node) is exp.Convert and not _sized(node):
            node = node.args["expression"]
        elif type(node) in _SILENT and isinstance(node.args.get("this"), exp.Expr):
            node = node.args["this"]
        else:
            return node


def _sized(node: Node) -> int | None:
    """n of CONVERT(varchar(n), …)."""
    parameters = node.args["this"].args.get("expressions") if isinstance(node.args["this"], exp.DataType) else None
    return _integer(parameters[0].args.get("this")) if parameters else None


def _integer(node: Node | None) -> int | None:
    if type(node) is not exp.Literal:
        return None
    raw: str = node.args["this"]
    return int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 4 else None


def _part_view(node: Node) -> _View | None:
    return (node.args["this"], _PARTS[type(node)])


def _extracted(node: Node) -> _View | None:
    key = _FIELDS.get(node.args["this"].name.lower())
    return (node.args["expression"], key) if key else None


def _formatted(node: Node) -> _View | None:
    shape = node.args.get("format")
    if type(shape) is not exp.Literal:
        return None
    raw: str = shape.args["this"]
    wordy = _WORDY_FORMATS.get(raw.upper().removeprefix("FM"))
    key = wordy or _FORMAT_PARTS.get(raw.replace("%-B", "%B"), raw)
    return (node.args["this"], key) if key in _KEYS else None


def _truncated(node: Node) -> _View | None:
    unit = unit_named(node.args.get("unit"))
    return (node.args["this"], f"trunc:{unit.value}") if unit else None


def _substring(node: Node) -> _View | None:
    start, length = _integer(node.args.get("start")), _integer(node.args.get("length"))
    if length is None or start is None:
        return None
    if start <= 1:
        return (node.args["this"], _PREFIXES[length]) if length in _PREFIXES else None
    key = _MIDDLES.get((start, length))
    inner = _unwrapped(node.args["this"])
    named = type(inner) is exp.Column and _is_date(inner.name.lower())
    return (inner, key) if key and named else None


def _left(node: Node) -> _View | None:
    length = _integer(node.args.get("expression"))
    return (node.args["this"], _PREFIXES[length]) if length is not None and length in _PREFIXES else None


def _converted(node: Node) -> _View | None:
    length = _sized(node)
    return (node.args["expression"], _PREFIXES[length]) if length is not None and length in _PREFIXES else None


def _day(node: Node) -> _View | None:
    inner = node.args.get("this")
    return (inner, "%Y-%m-%d") if isinstance(inner, exp.Expr) and node.args.get("zone") is None else None


def called(scope: Scope, node: Node) -> Term | None:
    """The part of a date that a call unknown to the parser takes: DATE_PART('year', d), DATETIME(d)."""
    arguments = children(node, "expressions")
    name = str(node.args["this"]).lower()
    if name in ("date_part", "datepart") and len(arguments) == 2 and isinstance(arguments[0], (exp.Literal, exp.Var)):
        key = _FIELDS.get(arguments[0].name.lower())
        return _part_of(scope, node, arguments[1], key) if key else None
    if name in ("datetime", "to_date", "todate") and len(arguments) == 1:
        return _part_of(scope, node, arguments[0], "%Y-%m-%d")
    return None


def _dated(scope: Scope, node: Node) -> Term:
    """The canonical text of a part of a date, one for all spellings, with what it takes of which date."""
    seen = _VIEWERS[type(node)](node)
    if seen is not None:
        return _part_of(scope, node, *seen)
    return read_cast(scope, node) if type(node) is exp.Convert else scope.reading.default(scope, node)


def _part_of(scope: Scope, node: Node, inner: Node, key: str) -> Term:
    date = read(scope, _unwrapped(inner))
    scope.reading.functions.add(function_name(node))
    term = combine(_text(node, key, date.name), [date])
    if date.columns:
        term.view = (key, date)
    return term


def _text(node: Node, key: str, date: str) -> str:
    kind = type(node)
    if kind is exp.Substring:
        return f"substr({date}, {_integer(node.args.get('start'))}, {_integer(node.args.get('length'))})"
    if kind is exp.Left or kind is exp.Convert:
        return f"substr({date}, 1, {_LENGTHS[key]})"
    if key in ("%Y-%m", "%Y%m"):
        return f"date_trunc('month', {date})"
    if key.startswith("trunc:"):
        return f"date_trunc('{key[6:]}', {date})"
    if key == "%Y-%m-%d":
        return f"date({date})"
    return f"strftime('{key}', {date})" if "%" in key else f"{key}({date})"


_LENGTHS = MappingProxyType({key: length for length, key in _PREFIXES.items()})
_SIDES = frozenset({Op.GT, Op.GE, Op.LT, Op.LE})
_KEYS = frozenset(_FIELDS.values()) | frozenset(_FORMAT_PARTS.values()) | {"%Y-%m", "%Y%m", "%Y%m%d", "%Y-%m-%d"}
_TRUNCATIONS = (exp.DateTrunc, exp.TimestampTrunc, exp.DatetimeTrunc)

_VIEWERS: MappingProxyType[type[Node], Callable[[Node], _View | None]] = MappingProxyType(
    dict.fromkeys(_PARTS, _part_view)
    | dict.fromkeys(_TRUNCATIONS, _truncated)
    | dict.fromkeys((exp.TimeToStr, exp.ToChar), _formatted)
    | {
        exp.Extract: _extracted,
        exp.Substring: _substring,
        exp.Left: _left,
        exp.Convert: _converted,
        exp.Date: _day,
        exp.TsOrDsToDate: _day,
    }
)

READERS: MappingProxyType[type[Node], Reader] = MappingProxyType(dict.fromkeys(_VIEWERS, _dated))
"""Readers of what is taken of a date."""
