"""Finds which part of a date rows are grouped by, and dates that are shifted or written with the wrong code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from scoring.patterns import lazy
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.calendar.week_starts import moves_to_monday
from scoring.sql.shapes.selects import Select, written
from scoring.sql.terms import Node, derived_kinds
from scoring.words import identifier_words

_TRUNCATED = (exp.DateTrunc, exp.TimestampTrunc, exp.DatetimeTrunc)
_PARTS: dict[type[Node], str] = {
    exp.Year: "year", exp.Quarter: "quarter", exp.Month: "month", exp.Week: "week", exp.WeekOfYear: "week",
    exp.Day: "day", exp.DayOfMonth: "day", exp.Hour: "hour", exp.DayOfWeek: "weekday",
    exp.LastDay: "month", exp.Monthname: "month", exp.Dayname: "weekday",
}  # fmt: skip
_DAYS = frozenset({exp.Date, exp.TsOrDsToDate})
_CODES = (
    ("%H", "hour"), ("%d", "day"), ("%j", "day"), ("%W", "week"), ("%V", "week"), ("%U", "week"),
    ("%A", "weekday"), ("%a", "weekday"), ("%u", "weekday"), ("%w", "weekday"), ("%m", "month"),
    ("%b", "month"), ("%B", "month"), ("month", "month"), ("mon", "month"), ("%Q", "quarter"), ("%Y", "year"),
    ("%y", "year"),
)  # fmt: skip
_LENGTHS = {"4": "year", "7": "month", "10": "day", "13": "hour"}
"""The part of a date that the first letters of its text tell."""
_WEEKS = dict.fromkeys(("isoweek", "iso_week", "isowk", "isoww"), "week")
_UNITS = {**_WEEKS, "dow": "weekday", "isodow": "weekday", "dayofweek": "weekday", "doy": "day"}
_NAMED_PARTS = lazy(
    r"\b(?:to)?(year|quarter|month|week|day|hour)(?:start|name|num)?\b|(?:startof|to)(year|quarter|month"
    r"|week|day|hour)"
)
_MONTH_NAMES = lazy(r"%[bB]|\bmon(?:th)?\b", re.IGNORECASE)
_SHIFTS = (
    exp.DateAdd,
    exp.DateSub,
    exp.TsOrDsAdd,
    exp.TimestampAdd,
    exp.TimestampSub,
    exp.DatetimeAdd,
    exp.DatetimeSub,
    exp.AddMonths,
    exp.Interval,
)
YEARS = (exp.Extract, exp.Year, exp.YearOfWeek, exp.YearOfWeekIso, exp.TimeToStr, exp.ToChar, exp.Anonymous)
"""What may read the year of a date."""
ZONED = (
    exp.Anonymous,
    *(kind for kind in derived_kinds(exp.Expr) if not {"zone", "target_tz"}.isdisjoint(kind.arg_types)),
)
"""What may convert a time to a zone."""
_WEEK_YEARS = lazy(r"%G|%V|\bI?YYY-?IW\b|IYYY", re.IGNORECASE)


def grain_of(select: Select, node: Node, depth: int = 0) -> str | None:
    """The part of a date that an expression is: `month` of DATE_TRUNC('month', d), `day` of a cast to a date.

    Of several (a year and a month in one text), the finest.
    """
    if isinstance(node, exp.Column):
        found = select.origin(node)
        if found is None or found.node is None or found.inner is None or depth > 8:
            return None
        return grain_of(found.inner, found.node, depth + 1)
    return _finest(node)


_FINEST = ("hour", "day", "weekday", "week", "month", "quarter", "year")


def _finest(node: Node) -> str | None:
    """The part that a node cuts a date to, or else the finest of the parts that it is made of."""
    own = _grain(node)
    if own is not None:
        return own
    found = {grain for each in node.iter_expressions() if (grain := _finest(each)) is not None}
    return next((each for each in _FINEST if each in found), next(iter(sorted(found)), None))


def _grain(node: Node) -> str | None:
    kind = type(node)
    if kind in _TRUNCATED or kind is exp.Extract:
        unit = node.args.get("unit") if kind in _TRUNCATED else node.this
        name = unit.name.lower() if isinstance(unit, exp.Expr) else ""
        return _UNITS.get(name, name)
    if kind in (exp.TimeToStr, exp.ToChar):
        return _written_grain(_format(node))
    if kind in (exp.Substring, exp.Left):
        return _LENGTHS.get(str(node.args.get("length") or node.args.get("expression")))
    if kind is exp.Anonymous:
        found = _NAMED_PARTS.search(node.name.lower())
        return (found[1] or found[2]) if found else None
    return _PARTS.get(kind) or _week(node) or _day(node)


_MOVED = (exp.DateAdd, exp.DateSub, exp.TsOrDsAdd)


def _week(node: Node) -> str | None:
    """`week` where a date is moved to its Monday, or by days that are divided by 7.

    `DATEADD(day, -(DATEDIFF(day, 0, d) % 7), d)`, `d - INTERVAL WEEKDAY(d) DAY`.
    """
    if isinstance(node, (*_MOVED, exp.Sub, exp.Add)) and moves_to_monday(node):
        return "week"
    divided = node.find_all(exp.Mod, exp.Div, exp.IntDiv) if type(node) in _MOVED else ()
    return "week" if any(each.args["expression"].name == "7" for each in divided) else None


def _written_grain(text: str) -> str | None:
    """The finest part of a date that a format writes."""
    return next((grain for code, grain in _CODES if code in text or code in text.lower()), None)


def _day(node: Node) -> str | None:
    """`day` of a cast to a date that holds no date which was cut to a longer period."""
    cast = isinstance(node, exp.Cast) and node.args["to"].is_type("date")
    return "day" if (cast or type(node) in _DAYS) and not _inner_grain(node) else None


def _inner_grain(node: Node) -> bool:
    """Whether a cast to a date holds a date that was cut to a longer period."""
    return any(_grain(each) not in (None, "day") for each in node.walk() if each is not node)


def grains(select: Select) -> Iterator[Shape]:
    """The parts of dates that a SELECT groups by."""
    found = [grain for key in select.keys if (grain := grain_of(select, key)) is not None]
    if found:
        found = _with_part(found, select)
        text = ", ".join(written(key)[:60] for key in select.keys)
        columns = tuple(
            each.column for key in select.keys for column in select.columns_in(key) if (each := select.origin(column))
        )
        yield Shape(kind=ShapeKind.GRAIN, text=text, words=tuple(found), columns=columns)


_PARTED = (["month"], ["quarter"], ["week"], ["day"])
_WITHOUT_YEAR = frozenset({"toquarter", "tomonth"})


def _with_part(found: list[str], select: Select) -> list[str]:
    """The grains, with `part` after one that is read without its year, be it as a number and by its name."""
    alone = list(dict.fromkeys(found))
    if alone not in _PARTED or not _is_part_of_year(select, select.keys):
        return found
    cut = len(found) > 1 and any(key.find(*_TRUNCATED) for key in select.keys)
    return found if cut else [*alone, "part"]


_NUMBERED = (exp.Extract, exp.Month, exp.Quarter, exp.Week, exp.WeekOfYear, exp.Day, exp.DayOfMonth)


def _is_part_of_year(select: Select, keys: list[Node]) -> bool:
    """Whether a month, a quarter, a week or a day is read without its year."""
    nodes = [part for key in keys for part in key.walk()]
    if len(keys) == 1 and isinstance(keys[0], exp.Column):
        found = select.origin(keys[0])
        nodes += list(found.node.walk()) if found is not None and found.node is not None else []
    if any(isinstance(each, exp.Year) for each in nodes):
        return False
    return any(_is_number(each) or _format(each) in ("%m", "%b", "%B", "Month") for each in nodes)


def _is_number(node: Node) -> bool:
    """Whether a node gives the number of a month, quarter, week or day."""
    return isinstance(node, _NUMBERED) or (isinstance(node, exp.Anonymous) and node.name.lower() in _WITHOUT_YEAR)


def formats(select: Select) -> Iterator[Shape]:
    """Dates written with minutes in place of months, and orders that follow the names of months."""
    for each in select.own:
        text = _format(each)
        if "%M" in text and "%Y" in text and "%H" not in text and "%I" not in text and "%m" not in text:
            yield Shape(kind=ShapeKind.MINUTE_FOR_MONTH, text=written(each))
        if isinstance(each, exp.Ordered):
            key = select.named(each.this)
            if _follows_names(select, each, key):
                yield Shape(kind=ShapeKind.MONTH_NAME_ORDER, text=f"ordered by {written(key)}")


def _follows_names(select: Select, order: Node, key: Node) -> bool:
    """Whether rows follow the names of months: by what a key computes, or what the first key is called."""
    first = isinstance(order.parent, exp.Order) and order.parent.expressions[0] is order
    read = [part for part in (key, _read(select, key)) if part is not None]
    return (first and _is_named_month(key)) or any(map(_writes_month, read))


def _writes_month(key: Node) -> bool:
    """Whether a key gives the name of a month."""
    return any(isinstance(part, exp.Monthname) or _names_month(_format(part)) for part in key.walk())


def _read(select: Select, key: Node) -> Node | None:
    """What an inner query computes for a column."""
    found = select.origin(key) if isinstance(key, exp.Column) else None
    return found.node if found is not None else None


def _is_named_month(key: Node) -> bool:
    """Whether a column is called the name of a month or of a weekday."""
    return isinstance(key, exp.Column) and identifier_words(key.name)[-2:] in (("month", "name"), ("day", "name"))


def _names_month(text: str) -> bool:
    """Whether a format begins with the name of a month, so that its texts do not sort by time."""
    return bool(_MONTH_NAMES.match(text.strip())) or (bool(_MONTH_NAMES.search(text)) and "%m" not in text)


def _format(node: Node) -> str:
    written = node.args.get("format") if isinstance(node, (exp.TimeToStr, exp.ToChar)) else None
    return written.name if isinstance(written, exp.Expr) else ""


def shifted_years(select: Select) -> Iterator[Shape]:
    """Conditions on the year of a date that was shifted by months, or on the year that a week belongs to."""
    for each in [*select.conjuncts("where"), *select.conjuncts("having")]:
        for part in each.find_all(*YEARS):
            if isinstance(part, (exp.Extract, exp.Year, exp.TimeToStr)) and _is_year(part):
                inner = part.expression if isinstance(part, exp.Extract) else part.this
                if isinstance(inner, exp.Expr) and inner.find(*_SHIFTS) and inner.find(exp.Column):
                    yield Shape(kind=ShapeKind.SHIFTED_YEAR, text=written(each)[:120])
            elif _is_week_year(part) and not _compares_week_years(each):
                yield Shape(kind=ShapeKind.SHIFTED_YEAR, text=written(each)[:120])


def _compares_week_years(condition: Node) -> bool:
    """Whether YEARWEEK of a column is held against YEARWEEK of a day."""
    sides = condition.find_all(exp.Anonymous) if isinstance(condition, exp.EQ) else ()
    return sum(each.name.lower() == "yearweek" for each in sides) > 1


def _is_year(node: Node) -> bool:
    if isinstance(node, exp.Extract):
        return node.this.name.lower() == "year"
    return isinstance(node, exp.Year) or _format(node) in ("%Y", "YYYY")


def _is_week_year(node: Node) -> bool:
    if isinstance(node, exp.Extract):
        return node.this.name.lower() in ("isoyear", "yearofweekiso", "yearofweek")
    if isinstance(node, (exp.YearOfWeek, exp.YearOfWeekIso)):
        return True
    name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    return name in ("yearweek", "toisoyear", "yearofweekiso") or bool(_WEEK_YEARS.fullmatch(_format(node)))


def zones(select: Select) -> Iterator[Shape]:
    """Times that are converted to a zone."""
    for each in select.own:
        zone = each.args.get("zone") or each.args.get("target_tz")
        if isinstance(zone, exp.Literal) and zone.is_string:
            yield Shape(kind=ShapeKind.ZONE, text=written(each)[:100], words=(zone.name.lower(),))
        elif isinstance(each, exp.Anonymous) and each.name.lower() == "convert_tz" and len(each.expressions) == 3:
            yield Shape(kind=ShapeKind.ZONE, text=written(each)[:100], words=(each.expressions[2].name.lower(),))
