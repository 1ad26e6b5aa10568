"""Evaluates functions of dates: SQLite's own, and those that translated queries call."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from sqlglot import exp

from references.date_functions import END_MONTH, MONTHS, PART, SECONDS, TIMES
from references.equivalence.proof.calendar import YEAR, last, months_later, place_in_year
from references.equivalence.proof.dates import (
    DAY_SECONDS,
    Moment,
    at,
    day_of,
    day_spelled,
    joined,
    moment_of,
    part_of,
    spelled,
)
from references.equivalence.proof.logic import (
    Number,
    Sort,
    UnknownValue,
    Unprovable,
    every,
    integer,
    none,
    pick,
    some,
    z3,
)
from references.equivalence.proof.machine import Machine
from references.equivalence.proof.rows import Frame
from references.equivalence.proof.spellings import DAY, EITHER, FRACTIONS, Spelling

Reader: TypeAlias = Callable[[Machine, exp.Expr, Frame], UnknownValue | None]
"""Reads a call; `None` when its arguments are not known to be dates."""
_MODIFIER = re.compile(r"([+-]?\d{1,9}) (second|minute|hour|day|month|year)s?")
_WEEKDAY = re.compile("weekday [0-6]")
_JULIAN = (3_442_849, 2)
"""The Julian day of the midnight before the first ordinal, as a fraction."""


def _date(machine: Machine, node: exp.Expr, frame: Frame) -> Moment | None:
    """The moment that an argument is; a constant one is noted in the calendar."""
    when = moment_of(machine.term(_plain(node), frame))
    if when is not None:
        _note(machine, when.day)
    return when


def _note(machine: Machine, day: Number) -> None:
    if z3.is_int_value(day):
        machine.calendar.mark(day.as_long())


def _plain(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.TsOrDsToTimestamp | exp.TsOrDsToDate | exp.Paren):
        node = node.this
    return node


def _modified(machine: Machine, when: Moment, modifiers: Sequence[exp.Expr]) -> Moment:
    for each in modifiers:
        word = each.name.lower().strip() if isinstance(each, exp.Literal) else ""
        step = _MODIFIER.fullmatch(word)
        if step is not None:
            when = _moved(machine, when, int(step[1]), step[2].upper(), clamped=False)
        elif word.startswith("start of "):
            when = Moment(when.null, _start(when.day, word[9:].upper()), integer(0))
        elif _WEEKDAY.fullmatch(word):
            wait = (int(word[-1]) - machine.calendar.ordinal(when.day)) % 7
            when = replace(when, day=machine.calendar.later(when.day, wait))
        else:
            raise Unprovable(f"the modifier {each.sql('sqlite')} of a date")
    return when


def _start(day: Number, unit: str) -> Number:
    sizes = {"YEAR": YEAR, "QUARTER": 93, "MONTH": 31, "DAY": 1, "HOUR": 1}
    if unit not in sizes:
        raise Unprovable(f"the start of a {unit.lower()}")
    return day - day % sizes[unit]


def _moved(machine: Machine, when: Moment, count: Number | int, unit: str, *, clamped: bool) -> Moment:
    """The moment so many units later."""
    calendar = machine.calendar
    if unit in TIMES:
        parts = (when.fraction if when.fraction is not None else integer(0)) + count if unit == PART else None
        total = when.seconds + (parts / FRACTIONS if parts is not None else count * SECONDS[unit])
        when = when if parts is None else replace(when, fraction=parts % FRACTIONS)
        return replace(when, day=calendar.later(when.day, total / DAY_SECONDS), seconds=total % DAY_SECONDS)
    if unit in SECONDS:
        return replace(when, day=calendar.later(when.day, count * (SECONDS[unit] // DAY_SECONDS)))
    months = count * MONTHS.get(unit, 1)
    day = months_later(when.day, months, clamped=clamped, keep_end=unit == END_MONTH)
    return replace(when, day=calendar.holds(day))


def _formatted(machine: Machine, when: Moment, format_: exp.Expr) -> UnknownValue:
    spelling = Spelling.of(format_.name) if isinstance(format_, exp.Literal) else None
    if spelling is None:
        raise Unprovable("a date format")
    return day_spelled(when, spelling) or spelled(lambda each: _field(machine, when, each), spelling, when.null)


def _field(machine: Machine, when: Moment, field: str) -> Number:
    found: Mapping[str, Callable[[], Number]] = {
        "Y": lambda: when.day / YEAR,
        "m": lambda: when.day / 31 % 12 + 1,
        "d": lambda: when.day % 31 + 1,
        "H": lambda: when.seconds / 3_600,
        "M": lambda: when.seconds / 60 % 60,
        "S": lambda: when.seconds % 60,
        "j": lambda: place_in_year(when.day) + 1,
        "w": lambda: machine.calendar.ordinal(when.day) % 7,
        "W": lambda: (place_in_year(when.day) + 7 - (machine.calendar.ordinal(when.day) + 6) % 7) / 7,
    }
    return found[field]()


def _strftime(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue | None:
    if isinstance(node, exp.TimeToStr):
        format_, date, modifiers = node.args["format"], node.this, list[exp.Expr]()
    else:
        format_, date, *modifiers = node.expressions
    when = _date(machine, date, frame)
    return None if when is None else _formatted(machine, _modified(machine, when, modifiers), format_)


def _reading(write: Callable[[Machine, Moment], UnknownValue]) -> Reader:
    """Reads `date(d, '+1 day')` and functions like it."""

    def read(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue | None:
        date, *modifiers = node.expressions if isinstance(node, exp.Anonymous) else [node.this, *node.expressions]
        when = _date(machine, date, frame)
        return None if when is None else write(machine, _modified(machine, when, modifiers))

    return read


def _julian(machine: Machine, when: Moment) -> UnknownValue:
    days = z3.ToReal(machine.calendar.ordinal(when.day)) + z3.ToReal(when.seconds) / DAY_SECONDS + z3.Q(*_JULIAN)
    return UnknownValue(null=when.null, value=days, sort=Sort.REAL)


def _plus(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue | None:
    date, count, unit = node.expressions
    term = machine.term(date, frame)
    when, number = _date(machine, date, frame), machine.term(count, frame)
    if when is None or number.sort is not Sort.INTEGER:
        return None
    amount = number.literal if isinstance(number.literal, int) else number.value
    moved = _moved(machine, when, amount, unit.name, clamped=True)
    moved = replace(moved, null=some((moved.null, number.null)))
    return _like(term, moved, hours=unit.name in TIMES)


def _like(term: UnknownValue, when: Moment, *, hours: bool = False) -> UnknownValue:
    """The moment as a day where the date was one."""
    if term.spelling == EITHER:
        raise Unprovable("arithmetic with a column of days and moments")
    is_day = term.spelling == DAY or (isinstance(term.literal, str) and len(term.literal) == 10)
    return day_of(when) if is_day and not hours else at(when)


def _floor(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue | None:
    date, unit = node.expressions
    term, when = machine.term(date, frame), _date(machine, date, frame)
    if when is None:
        return None
    seconds = when.seconds - when.seconds % 3_600 if unit.name == "HOUR" else integer(0)
    if unit.name == "WEEK":
        day = machine.calendar.later(when.day, -((machine.calendar.ordinal(when.day) - 1) % 7))
    else:
        day = _start(when.day, unit.name)
    return _like(term, Moment(when.null, day, seconds), hours=unit.name == "HOUR")


def _two(machine: Machine, node: exp.Expr, frame: Frame) -> tuple[Moment, Moment, str] | None:
    late, early = (_date(machine, each, frame) for each in node.expressions[:2])
    return None if late is None or early is None else (late, early, node.expressions[2].name)


def _gap(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue | None:
    found = _two(machine, node, frame)
    if found is None:
        return None
    late, early, unit = found
    if unit in MONTHS:
        size = 31 * MONTHS[unit]
        value = late.day / size - early.day / size
    else:
        days = machine.calendar.ordinal(late.day) - machine.calendar.ordinal(early.day)
        per_day = DAY_SECONDS // SECONDS[unit]
        value = days * per_day + late.seconds / SECONDS[unit] - early.seconds / SECONDS[unit] if per_day > 1 else days
        if unit == "WEEK":
            raise Unprovable("starts of weeks between dates")
    return UnknownValue(null=some((late.null, early.null)), value=value, sort=Sort.INTEGER)


def _span(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue | None:
    found = _two(machine, node, frame)
    if found is None:
        return None
    late, early, unit = found
    if unit in MONTHS:
        forward, back = (_months(a, b) / MONTHS[unit] for a, b in ((late, early), (early, late)))
    else:
        days = machine.calendar.ordinal(late.day) - machine.calendar.ordinal(early.day)
        parts = FRACTIONS if late.fraction is not None or early.fraction is not None else 1
        apart = days * (DAY_SECONDS * parts) + late.since(early)
        forward, back = (each / (SECONDS[unit] * parts) for each in (apart, -apart))
    before = some((late.day < early.day, every((late.day == early.day, late.since(early) < 0))))
    value = pick(before, -back, forward)
    return UnknownValue(null=some((late.null, early.null)), value=value, sort=Sort.INTEGER)


def _second_span(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue | None:
    """The seconds between two dates, with their fractions."""
    found = _two(machine, node, frame)
    if found is None:
        return None
    late, early, _ = found
    days = machine.calendar.ordinal(late.day) - machine.calendar.ordinal(early.day)
    parts = FRACTIONS if late.fraction is not None or early.fraction is not None else 1
    value = z3.ToReal(days * (DAY_SECONDS * parts) + late.since(early)) / parts
    return UnknownValue(null=some((late.null, early.null)), value=value, sort=Sort.REAL)


def _month_span(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue | None:
    """Months between two dates, with 31sts of a month."""
    found = _two(machine, node, frame)
    if found is None:
        return None
    late, early, _ = found
    one, other = late.day % 31, early.day % 31
    whole = some((one == other, every(each.day % 31 + 1 == last(each.day / 31) for each in (late, early))))
    seconds = DAY_SECONDS * (one - other) + late.seconds - early.seconds
    rest = z3.ToReal(pick(whole, integer(0), seconds)) / (31 * DAY_SECONDS)
    value = z3.ToReal(late.day / 31 - early.day / 31) + rest
    return UnknownValue(null=some((late.null, early.null)), value=value, sort=Sort.REAL)


def _months(late: Moment, early: Moment) -> Number:
    """The whole months from one moment to a later one."""
    one, other = late.day % 31, early.day % 31
    short = some((one < other, every((one == other, late.since(early) < 0))))
    return late.day / 31 - early.day / 31 - pick(short, integer(1), integer(0))


def _zoned(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue | None:
    """The moment in another zone, of which the solver is told only that equal moments have equal ones."""
    date, *zones = node.expressions
    when = _date(machine, date, frame)
    if when is None:
        return None
    name = " to ".join(each.name.lower() for each in zones)
    local = z3.Function(f"time {name}", z3.IntSort(), z3.IntSort())(when.day * DAY_SECONDS + when.seconds)
    day = machine.calendar.found(local / DAY_SECONDS)
    return at(replace(when, day=day, seconds=local % DAY_SECONDS))


def _last(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue | None:
    when = _date(machine, node.expressions[0], frame)
    if when is None:
        return None
    months = when.day / 31
    return day_of(Moment(when.null, 31 * months + last(months) - 1, integer(0)))


def _of(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue | None:
    terms = [machine.term(each, frame) for each in node.expressions]
    if any(each.sort not in {Sort.INTEGER, Sort.NOTHING} for each in terms):
        return None
    year, month, day = (each.value for each in terms)
    months = 12 * year + month - 1
    there = every((year >= 1, year <= 9_999, month >= 1, month <= 12, day >= 1, day <= last(months)))
    return day_of(Moment(some((none(there), *(each.null for each in terms))), 31 * months + day - 1, integer(0)))


def _part(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue | None:
    """A substring that takes whole fields of a date."""
    start, length = node.args.get("start"), node.args.get("length")
    numbers = [each.name for each in (start, length) if isinstance(each, exp.Literal) and each.name.isdigit()]
    if len(numbers) < 1 + (length is not None):
        return None
    term = machine.term(node.this, frame)
    return part_of(term, int(numbers[0]), int(numbers[1]) if length is not None else None)


def _joined(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue | None:
    return joined(machine.term(node.this, frame), machine.term(node.expression, frame))


_READERS: Mapping[str, Reader] = {
    "substring": _part,
    "||": _joined,
    "strftime": _strftime,
    "date": _reading(lambda _, when: day_of(when)),
    "datetime": _reading(lambda _, when: at(when)),
    "time": _reading(lambda machine, when: _formatted(machine, when, exp.Literal.string("%T"))),
    "julianday": _reading(_julian),
    "day_plus": _plus,
    "day_floor": _floor,
    "day_gap": _gap,
    "day_span": _span,
    "month_span": _month_span,
    "second_span": _second_span,
    "day_last": _last,
    "day_of": _of,
    "zone_time": _zoned,
}
_NODES: Mapping[type[exp.Expr], str] = {
    exp.TimeToStr: "strftime",
    exp.Date: "date",
    exp.TsOrDsToDate: "date",
    exp.Datetime: "datetime",
    exp.Substring: "substring",
    exp.DPipe: "||",
}


def date_call(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue | None:
    """The value of a function of dates that are known to be dates; `None` for any other call."""
    name = node.name.lower() if isinstance(node, exp.Anonymous) else _NODES.get(type(node), "")
    reader = _READERS.get(name)
    return None if reader is None or not machine.dates else reader(machine, node, frame)
