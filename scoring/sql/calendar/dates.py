"""Reads the parts of dates that SQL extracts or formats, with one name for all spellings."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import TypeAlias

from sqlglot import exp

from scoring.sql.calendar.date_calls import PARTS, SILENT_CALLS
from scoring.sql.calendar.moments import unit_named
from scoring.sql.calendar.ranges import names_date
from scoring.sql.expressions import read_cast
from scoring.sql.scopes import Reader, Scope, read
from scoring.sql.terms import Node, Term, children, combine, function_name

_View: TypeAlias = tuple[Node, str]
"""A date, and the part of it that is compared: `year`, `month` …, a format, or `trunc:month`."""

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
        exp.AtTimeZone,
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
        "%Y-%W": "trunc:week",
        "%Y-%V": "trunc:week",
        "%G-%V": "trunc:week",
        "%Y%W": "trunc:week",
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
        "%UAY": "%A",
        "%UY": "%A",
        "D": "weekday",
        "Q": "quarter",
        "HH24": "hour",
    }
)
_PREFIXES = MappingProxyType({4: "year", 6: "%Y%m", 7: "%Y-%m", 8: "%Y%m%d", 10: "%Y-%m-%d"})
_MIDDLES = MappingProxyType({(6, 2): "month", (9, 2): "day", (5, 2): "month", (7, 2): "day"})


def _date_inside(node: Node) -> Node:
    while True:
        if type(node) is exp.Convert and not _converted_length(node):
            node = node.args["expression"]
        elif type(node) is exp.ConvertTimezone:
            node = node.args["timestamp"]
        elif type(node) is exp.Anonymous and str(node.args["this"]).lower() in SILENT_CALLS and node.expressions:
            node = node.expressions[0]
        elif type(node) in _SILENT and isinstance(node.args.get("this"), exp.Expr):
            node = node.args["this"]
        else:
            return node


def _converted_length(node: Node) -> int | None:
    """The n of CONVERT(varchar(n), …)."""
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
    inner = _date_inside(node.args["this"])
    named = type(inner) is exp.Column and names_date(inner.name.lower())
    return (inner, key) if key and named else None


def _left(node: Node) -> _View | None:
    length = _integer(node.args.get("expression"))
    return (node.args["this"], _PREFIXES[length]) if length is not None and length in _PREFIXES else None


def _converted(node: Node) -> _View | None:
    length = _converted_length(node)
    return (node.args["expression"], _PREFIXES[length]) if length is not None and length in _PREFIXES else None


def _day(node: Node) -> _View | None:
    inner = node.args.get("this")
    return (inner, "%Y-%m-%d") if isinstance(inner, exp.Expr) else None


def read_unknown_call(scope: Scope, node: Node) -> Term | None:
    """The part of a date that a call unknown to the parser extracts: DATE_PART('year', d), DATETIME(d)."""
    arguments = children(node, "expressions")
    name = str(node.args["this"]).lower()
    if name in ("date_part", "datepart") and len(arguments) == 2 and isinstance(arguments[0], (exp.Literal, exp.Var)):
        key = _FIELDS.get(arguments[0].name.lower())
        return _part_of(scope, node, arguments[1], key) if key else None
    if name == "trunc" and len(arguments) == 1 and _holds_date(arguments[0]):
        return _part_of(scope, node, arguments[0], "%Y-%m-%d")
    if name in PARTS and (len(arguments) == 1 or (name in _MODED and arguments)):
        return _part_of(scope, node, arguments[0], PARTS[name])
    return None


_MODED = frozenset({"yearweek", "tostartofweek"})
"""Calls with a second argument that says on which day a week starts."""


def _holds_date(node: Node) -> bool:
    """Whether a column's name says that it holds dates: TRUNC of it is no rounding."""
    return type(node) is exp.Column and names_date(node.name.lower())


def _dated(scope: Scope, node: Node) -> Term:
    """The term of a part of a date, with the same text for all spellings."""
    view = _VIEWERS[type(node)](node)
    if view is not None:
        return _part_of(scope, node, *view)
    return read_cast(scope, node) if type(node) is exp.Convert else scope.walk.default(scope, node)


def _part_of(scope: Scope, node: Node, inner: Node, key: str) -> Term:
    date = read(scope, _date_inside(inner))
    scope.spec.functions.add(function_name(node))
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
    if key == "mondayweekday":
        return f"weekday({date})"
    return f"strftime('{key}', {date})" if "%" in key else f"{key}({date})"


_LENGTHS = MappingProxyType({key: length for length, key in _PREFIXES.items()})
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
"""Readers of parts of dates."""
