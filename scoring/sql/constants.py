"""Reads constants: text, numbers, dates in any spelling, and times relative to now."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from types import MappingProxyType

from sqlglot import exp

from scoring.patterns import lazy
from scoring.sql.calendar.date_calls import called_date, from_parts, part_now, sqlite_date
from scoring.sql.calendar.moments import UNITS, Constant, Now, cut, moment, moved, unit_named
from scoring.sql.calendar.week_starts import weeks_back
from scoring.sql.expressions import bare, is_quoted_text
from scoring.sql.parameters.unknown_values import noted_parameter
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node, as_number
from scoring.values import Boolean, Expression, Grain, Number, TimeRange, floor, shift, text

_COUNT = lazy(r"(?P<count>[+-]?\d{1,6})\s*(?P<unit>[A-Za-z]*)", re.ASCII)
"""`-1 month`, `30`."""
_NOW_NAMES = frozenset(
    "now getdate sysdate getutcdate sysdatetime current_date current_timestamp curdate today localtimestamp "
    "utc_timestamp sysutcdatetime systimestamp localtime".split()
)
_SHIFTS = MappingProxyType({"adddate": 1, "subdate": -1})
_MYSQL_CALLS = frozenset({"yearweek", *_SHIFTS})


def constant(scope: Scope, node: Node, *, value_side: bool = False) -> Constant | None:
    """The value of a node that reads no column, else `None`.

    `value_side`: the node is the value of a comparison, so a double-quoted word may be text.
    """
    kind = type(node)
    if kind is exp.Column:
        return _word(scope, node, value_side=value_side)
    reader = _CONSTANTS.get(kind)
    return None if reader is None else reader(scope, node)


def _word(scope: Scope, node: Node, *, value_side: bool) -> Constant | None:
    if node.args.get("table") is not None:
        return None
    if value_side and is_quoted_text(scope, node):
        return moment(node.name) or text(node.name)
    if not node.args["this"].args.get("quoted") and node.name.lower() in {"sysdate", "systimestamp", "getdate"}:
        return Now(Grain.DAY)
    return None


def _literal(_: Scope, node: Node) -> Constant | None:
    raw: str = node.args["this"]
    if node.args["is_string"]:
        return moment(raw) or text(raw)
    return as_number(raw)


def _negative(scope: Scope, node: Node) -> Constant | None:
    inner = constant(scope, node.args["this"])
    return Number(-inner.value) if isinstance(inner, Number) else None


def _inside(scope: Scope, node: Node) -> Constant | None:
    return constant(scope, bare(node))


def _converted(scope: Scope, node: Node) -> Constant | None:
    """A cast or a date function of one constant. A cast to a date drops the time."""
    inner: Node | None = node.args.get("expression" if type(node) is exp.Convert else "this")
    if inner is None:
        return None
    if type(inner) is exp.Literal and inner.args["this"].strip().lower() == "now":
        return Now(Grain.DAY)
    if _casts_interval(node):
        return length_of_time(scope, node)
    value = constant(scope, inner)
    return value if not isinstance(value, Boolean) else None


def _zoned(scope: Scope, node: Node) -> Constant | None:
    """A moment in another time zone, or its day there."""
    return constant(scope, bare(node.args["timestamp" if type(node) is exp.ConvertTimezone else "this"]))


def _boolean(_: Scope, node: Node) -> Constant | None:
    return Boolean(bool(node.args["this"]))


def _now(_: Scope, __: Node) -> Constant | None:
    return Now(Grain.DAY)


def _parameter(scope: Scope, node: Node) -> Constant | None:
    return Expression(noted_parameter(scope, node), unknown=True)


def _arithmetic(scope: Scope, node: Node) -> Constant | None:
    left, right = node.args["this"], node.args["expression"]
    if type(left) in _ARITHMETIC and type(left.args["this"]) in _ARITHMETIC:
        return None  # longer chains are not folded, so that no chain is walked by recursion
    start = constant(scope, bare(left))
    if start is None:
        return None
    sign = -1 if type(node) is exp.Sub else 1
    if isinstance(start, (Now, TimeRange)):
        return _plus(scope, start, right, sign)
    end = constant(scope, bare(right))
    if type(node) in _SUMS and isinstance(start, Number) and isinstance(end, Number):
        return Number(start.value + sign * end.value)
    return _product(start, end) if type(node) is exp.Mul else None


def _product(left: Constant, right: Constant | None) -> Constant | None:
    return Number(left.value * right.value) if isinstance(left, Number) and isinstance(right, Number) else None


def _plus(scope: Scope, start: Constant, node: Node, sign: int) -> Constant | None:
    if isinstance(start, Now) and start.number:
        count = _count(scope, node)
        return moved(start, start.unit, None if count is None else sign * count)
    monday = _monday(start, node, sign)
    if monday is not None:
        return monday
    unit, count = _interval(scope, bare(node))
    return moved(start, unit, None if count is None else sign * count)


def _monday(start: Constant, amount: Node, sign: int) -> Constant | None:
    """Today moved back to a Monday: `CURDATE() - INTERVAL WEEKDAY(CURDATE()) DAY`."""
    if start != Now(Grain.DAY):
        return None
    inner = amount.args["this"] if type(amount) is exp.Interval else amount
    weeks = weeks_back(inner, sign) if isinstance(inner, exp.Expr) else None
    return None if weeks is None else Now(Grain.WEEK, -weeks, whole=True)


def _interval(scope: Scope, node: Node) -> tuple[Grain | None, int | None]:
    """Unit and count of an interval; a plain number is days."""
    if type(node) is exp.Cast:
        node = node.args["this"]
    if type(node) is exp.Interval:
        unit = unit_named(node.args.get("unit"))
        inner = node.args.get("this")
        count = None if inner is None else _count(scope, inner)
        return (unit, count) if unit is not None else _parsed_interval(inner)
    if type(node) is exp.Literal and node.args["is_string"]:
        return _parsed_interval(node)
    return Grain.DAY, _count(scope, node)


def _casts_interval(node: Node) -> bool:
    return type(node) is exp.Cast and node.args["to"].is_type("interval")


def length_of_time(scope: Scope, node: Node, unit: Node | None = None) -> Number | None:
    """An interval as its number of units; a plain number only with a `unit`."""
    if type(node) is exp.Interval or _casts_interval(node):
        grain, count = _interval(scope, node)
    else:
        grain = unit_named(unit)
        count = None if grain is None else _count(scope, node)
    return None if grain is None or count is None else Number(float(count), grain.value)


def _parsed_interval(node: Node | None) -> tuple[Grain | None, int | None]:
    found = _COUNT.fullmatch(node.name.strip()) if node is not None else None
    return (UNITS.get(found["unit"].lower()), int(found["count"])) if found else (None, None)


def _count(scope: Scope, node: Node) -> int | None:
    node = bare(node)
    if type(node) is exp.Literal and node.args["is_string"]:
        found = _COUNT.fullmatch(node.name.strip())
        return int(found["count"]) if found and not found["unit"] else None
    value = constant(scope, node)
    return (
        int(value.value) if isinstance(value, Number) and value.value.is_integer() and abs(value.value) < 1e6 else None
    )


def _added(scope: Scope, node: Node) -> Constant | None:
    """DATE_ADD, DATEADD, DATE_SUB and similar calls."""
    amount: Node | None = node.args.get("expression")
    unit = unit_named(node.args.get("unit")) or (Grain.MONTH if type(node) is exp.AddMonths else Grain.DAY)
    since = _counted_since(scope, node.args["this"], amount, unit)
    start = since or constant(scope, bare(node.args["this"]))
    if amount is None or start is None or since is not None:
        return since
    amount = bare(amount)
    sign = -1 if type(node) in _SUBTRACTING else 1
    if type(amount) is exp.Interval:
        return _plus(scope, start, amount, sign)
    monday = _monday(start, amount, sign) if unit is Grain.DAY else None
    return monday or _moved_by(scope, node, start, unit, amount, sign)


def _moved_by(scope: Scope, node: Node, start: Constant, unit: Grain, amount: Node, sign: int) -> Constant | None:
    count = _count(scope, amount)
    if type(node.args["this"]) is exp.LastDay and isinstance(start, Now) and (unit, count) == (Grain.DAY, 1):
        return moved(start, Grain.MONTH, 1)  # the day after the last of a month
    return moved(start, unit, None if count is None else sign * count)


def _counted_since(scope: Scope, start: Node, amount: Node | None, unit: Grain) -> Constant | None:
    """`DATEADD(month, DATEDIFF(month, 0, GETDATE()) - 1, 0)`: the first of last month."""
    if amount is None or type(start) is not exp.Literal or start.name not in _EPOCHS:
        return None
    whole = constant(scope, bare(amount))
    return Now(unit, whole.offset, whole=True) if isinstance(whole, Now) and whole.unit is unit else None


_EPOCHS = frozenset({"0", "1900-01-01", "19000101"})


def _difference(scope: Scope, node: Node) -> Constant | None:
    """`DATEDIFF(month, 0, GETDATE())`: the number of this month."""
    first, unit = bare(node.args["expression"]), unit_named(node.args.get("unit"))
    first = first.args["this"] if type(first) is exp.TimeStrToTime else first
    if unit is None or type(first) is not exp.Literal or first.name not in _EPOCHS:
        return None
    last = constant(scope, bare(node.args["this"]))
    return Now(unit, 0, whole=True, number=True) if isinstance(last, Now) and not last.offset else None


def _truncated(scope: Scope, node: Node) -> Constant | None:
    return cut(constant(scope, bare(node.args["this"])), unit_named(node.args.get("unit")))


def _from_parts(scope: Scope, node: Node) -> Constant | None:
    """The day of `DATE(2026, 5, 1)`, or of a moment at its very beginning."""
    times = [node.args[part] for part in ("hour", "min", "sec", "milli", "nano") if node.args.get(part) is not None]
    if any(constant(scope, bare(each)) != Number(0) for each in times):
        return None
    parts: list[Node | None] = [node.args.get(part) for part in ("year", "month", "day")]
    return from_parts([None if part is None else constant(scope, bare(part)) for part in parts])


def _last_day(scope: Scope, node: Node) -> Constant | None:
    start = constant(scope, bare(node.args["this"]))
    if isinstance(start, Now):
        return cut(start, Grain.MONTH)
    if not isinstance(start, TimeRange) or start.start is None:
        return None
    after = shift(floor(start.start, Grain.MONTH), Grain.MONTH, 1)
    return TimeRange(after - timedelta(days=1), after)


def _call(scope: Scope, node: Node) -> Constant | None:
    """NOW(), GETDATE(), and SQLite's date('now', '-1 month', 'start of month')."""
    name = str(node.args["this"]).lower()
    arguments: list[Node] = node.args.get("expressions") or []
    if name in _NOW_NAMES and len(arguments) <= 1:
        return Now(Grain.DAY)
    if name in _MYSQL_CALLS and arguments:
        return _mysql_call(scope, name, arguments)
    if len(arguments) <= _MOST_PARTS and (day := called_date(name, _values(scope, arguments))) is not None:
        return day
    return sqlite_date(name, arguments)


_MOST_PARTS = 3


def _values(scope: Scope, arguments: list[Node]) -> list[Constant | None]:
    return [constant(scope, bare(each)) for each in arguments]


def _mysql_call(scope: Scope, name: str, arguments: list[Node]) -> Constant | None:
    """ADDDATE, SUBDATE and YEARWEEK of a constant."""
    start = constant(scope, bare(arguments[0]))
    if name == "yearweek":
        return cut(start, Grain.WEEK)
    return None if start is None or len(arguments) != 2 else _plus(scope, start, arguments[1], _SHIFTS[name])


def _part_now(scope: Scope, node: Node) -> Constant | None:
    """YEAR(CURRENT_DATE), strftime('%Y', 'now'): this year; MONTH(CURRENT_DATE - INTERVAL 1 MONTH): last month."""
    grain, value = _part_read(node), _date_inside(scope, node)
    if grain is None or not isinstance(value, Now):
        return None
    if _format(node) in _MONTH_FORMATS:
        return cut(value, Grain.MONTH)
    return part_now(value, grain)


def _date_inside(scope: Scope, node: Node) -> Constant | None:
    """The constant that a part is taken of."""
    inner: Node | None = node.args["expression"] if type(node) is exp.Extract else node.args.get("this")
    while type(inner) in (exp.TsOrDsToDate, exp.TsOrDsToTimestamp, exp.Paren, exp.Cast):
        inner = None if inner is None else inner.args.get("this")
    if type(inner) is exp.Literal and inner.name.lower() == "now":
        return Now(Grain.DAY)
    return None if inner is None else constant(scope, inner)


def _part_read(node: Node) -> Grain | None:
    """The part of a date that is taken, if it is the year or the month."""
    if type(node) is exp.TimeToStr:
        return _FORMATS.get(_format(node))
    if type(node) is exp.Extract:
        unit = unit_named(node.args["this"])
        return unit if unit in (Grain.YEAR, Grain.QUARTER, Grain.MONTH) else None
    return _CALLED[type(node)]


_CALLED: dict[type[Node], Grain] = {exp.Year: Grain.YEAR, exp.Quarter: Grain.QUARTER, exp.Month: Grain.MONTH}


_MONTH_FORMATS = frozenset({"%Y-%m", "%Y-%m-01"})
_FORMATS = {"%Y": Grain.YEAR, "%m": Grain.MONTH} | dict.fromkeys(_MONTH_FORMATS, Grain.MONTH)


def _format(node: Node) -> str:
    shape = node.args.get("format")
    return shape.name if isinstance(shape, exp.Expr) else ""


_SUMS = frozenset({exp.Add, exp.Sub})
_ARITHMETIC = frozenset({exp.Add, exp.Sub, exp.Mul})
_SUBTRACTING = frozenset({exp.DateSub, exp.TimestampSub, exp.DatetimeSub})

_CONSTANTS: MappingProxyType[type[Node], Callable[[Scope, Node], Constant | None]] = MappingProxyType(
    {exp.Literal: _literal, exp.Neg: _negative, exp.Paren: _inside, exp.Boolean: _boolean, exp.Anonymous: _call}
    | dict.fromkeys((exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentDatetime), _now)
    | dict.fromkeys((exp.Parameter, exp.Placeholder, exp.SessionParameter), _parameter)
    | dict.fromkeys((exp.Add, exp.Sub, exp.Mul), _arithmetic)
    | dict.fromkeys((exp.DateAdd, exp.DateSub, exp.TimestampAdd, exp.TimestampSub), _added)
    | dict.fromkeys((exp.DatetimeAdd, exp.DatetimeSub, exp.AddMonths, exp.TsOrDsAdd), _added)
    | dict.fromkeys((exp.DateTrunc, exp.TimestampTrunc, exp.DatetimeTrunc), _truncated)
    | dict.fromkeys((exp.Cast, exp.TryCast, exp.Convert, exp.Date, exp.Timestamp), _converted)
    | dict.fromkeys((exp.TsOrDsToDate, exp.TsOrDsToTimestamp, exp.StrToDate, exp.StrToTime), _converted)
    | dict.fromkeys((exp.DateStrToDate, exp.TimeStrToTime, exp.Collate), _converted)
    | dict.fromkeys((exp.Lower, exp.Upper, exp.Trim), _converted)
    | dict.fromkeys((*_CALLED, exp.Extract, exp.TimeToStr), _part_now)
    | dict.fromkeys((exp.AtTimeZone, exp.ConvertTimezone), _zoned)
    | {
        exp.DateDiff: _difference,
        exp.DateFromParts: _from_parts,
        exp.TimestampFromParts: _from_parts,
        exp.LastDay: _last_day,
        exp.Interval: length_of_time,
    }
)
