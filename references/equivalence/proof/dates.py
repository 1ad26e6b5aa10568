"""Dates as unknown values: their fields, their numbers, and how they compare with each other and with texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import eq, ge, gt, le, lt, ne

from references.dated_texts import moment
from references.equivalence.proof.calendar import YEAR
from references.equivalence.proof.logic import (
    Bit,
    Number,
    Sort,
    UnknownValue,
    Unprovable,
    aligned,
    every,
    integer,
    none,
    numeric,
    some,
    spelled_alike,
    z3,
)
from references.equivalence.proof.machine import Machine
from references.equivalence.proof.spellings import DAY, EITHER, FRACTIONS, INSTANT, MOMENT, Spelling, fields_like
from references.equivalence.proof.texts import number_in

DAY_SECONDS = 86_400
OPERATIONS: Mapping[str, Callable[[Number, Number], Bit]] = {"=": eq, "<>": ne, ">": gt, ">=": ge, "<": lt, "<=": le}
"""The operators on numbers of the solver."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A day with the seconds since its midnight."""

    null: Bit
    day: Number
    seconds: Number
    fraction: Number | None = None
    """The parts of a second, where it may have some."""

    def since(self, start: Moment) -> Number:
        """The parts of seconds, or seconds where neither has parts, by which its time of day is later."""
        seconds = self.seconds - start.seconds
        if self.fraction is None and start.fraction is None:
            return seconds
        late, early = (integer(0) if each is None else each for each in (self.fraction, start.fraction))
        return seconds * FRACTIONS + late - early


def moment_of(term: UnknownValue) -> Moment | None:
    """The day and the time of a date; `None` for anything else."""
    if isinstance(term.literal, str):
        when = moment(term.literal)
        return None if when is None else _fixed(when)
    if term.spelling == DAY:
        return Moment(term.null, term.value, integer(0))
    if term.spelling == MOMENT:
        return Moment(term.null, term.value / DAY_SECONDS, term.value % DAY_SECONDS)
    if term.spelling == INSTANT:
        seconds = term.value / FRACTIONS
        return Moment(term.null, seconds / DAY_SECONDS, seconds % DAY_SECONDS, term.value % FRACTIONS)
    if term.spelling == EITHER:
        time = term.value % (DAY_SECONDS + 1)
        return Moment(term.null, term.value / (DAY_SECONDS + 1), z3.If(time == 0, integer(0), time - 1))
    return None


def _fixed(when: datetime) -> Moment:
    seconds = 3_600 * when.hour + 60 * when.minute + when.second
    day = integer(YEAR * when.year + 31 * (when.month - 1) + when.day - 1)
    parts, rest = divmod(when.microsecond * FRACTIONS, 1_000_000)
    if rest:
        raise Unprovable("a date with a finer fraction of a second")
    return Moment(False, day, integer(seconds), integer(parts) if parts else None)


def field_of(term: UnknownValue, field: str) -> Number:
    """The value of a field of a date."""
    assert term.spelling is not None  # noqa: S101 the caller looked
    weight, base, first = term.spelling.place(field)
    value = term.value / weight if weight > 1 else term.value
    return (value if field == term.spelling.fields[0] else value % base) + first


def spelled(values: Callable[[str], Number], spelling: Spelling, null: Bit) -> UnknownValue:
    """The text of a spelling with these values of its fields."""
    code: Number = integer(0)
    for each in spelling.fields:
        _, base, first = spelling.place(each)
        code = code * base + values(each) - first
    return UnknownValue(null=null, value=z3.simplify(code), sort=Sort.DATED, spelling=spelling)


def day_spelled(when: Moment, spelling: Spelling) -> UnknownValue | None:
    """The year, the month or the day of a moment as one number, which the solver compares faster than their fields."""
    places = len(spelling.fields)
    if spelling.fields != DAY.fields[:places]:
        return None
    value = when.day / {1: YEAR, 2: 31, 3: 1}[places] if places < len(DAY.fields) else when.day
    return UnknownValue(null=when.null, value=z3.simplify(value), sort=Sort.DATED, spelling=spelling)


def part_of(term: UnknownValue, start: int, length: int | None) -> UnknownValue | None:
    """A substring that consists of whole fields."""
    found = term.spelling.part(start, length) if term.spelling is not None and start > 0 else None
    if found is None:
        return None
    when = moment_of(term)
    whole = day_spelled(when, found) if when is not None else None
    return whole or spelled(lambda each: field_of(_whole(term, each), each), found, term.null)


def _whole(term: UnknownValue, field: str) -> UnknownValue:
    """The term, as a moment's day where the day of a moment that may lack its time is asked for."""
    assert term.spelling is not None  # noqa: S101 the caller looked
    return term if field in term.spelling.fields else day_of(moment_of(term) or Moment(True, term.value, integer(0)))


def number_of(term: UnknownValue) -> UnknownValue | None:
    """The number at the start of a date's text."""
    fields = term.spelling.leading() if term.spelling is not None else None
    if not fields or term.spelling is None:
        return None
    value: Number = integer(0)
    for each in fields:
        width = len(Spelling((f"%{each}",)).text(0))
        value = value * 10**width + field_of(term, each)
    return UnknownValue(null=term.null, value=value, sort=Sort.INTEGER)


def compared(operator: str, dated: UnknownValue, text: str, machine: Machine) -> Bit:
    """Whether a date compares so with a text, which need not be a date."""
    spelling = dated.spelling
    assert spelling is not None  # noqa: S101 the caller looked
    code = spelling.least(text)
    _mark(spelling, code, machine)
    exact = spelling.exactly(text) is not None
    below, equal = dated.value < code, dated.value == code if exact else False
    return {
        "=": equal,
        "<>": none(equal),
        "<": below,
        "<=": some((below, equal)),
        ">": none(some((below, equal))),
        ">=": none(below),
    }[operator]


def compare_dated(operator: str, dated: UnknownValue, other: UnknownValue, machine: Machine) -> Bit:
    """Whether a date compares so with another value, after SQLite's conversions."""
    if other.sort is Sort.DATED:
        one, two = spelled_alike(dated, other)
        return OPERATIONS[operator](one.value, two.value)
    above: Bit = operator in {"<>", ">", ">="}
    if isinstance(other.literal, str):
        number = numeric(dated.affinity) and number_in(other.literal) is not None
        return above if number else compared(operator, dated, other.literal, machine)
    if not numeric(other.sort):
        raise Unprovable("a date is compared with a text")
    if numeric(other.affinity) and dated.spelling is not None and dated.spelling.numeric:
        return _as_numbers(operator, dated, other)
    if dated.affinity is not Sort.TEXT or other.affinity is not Sort.NOTHING:
        return above
    if other.literal is None:
        raise Unprovable("a number is compared with a text")
    return compared(operator, dated, str(other.literal), machine)


def _as_numbers(operator: str, dated: UnknownValue, other: UnknownValue) -> Bit:
    found = number_of(dated)
    pair = aligned(found, other) if found is not None else None
    return OPERATIONS[operator](*pair) if pair is not None else operator in {"<>", ">", ">="}


MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def like(term: UnknownValue, pattern: str, operator: str) -> Bit:
    """Whether the text of a date matches a LIKE or GLOB pattern."""
    spelling = term.spelling
    assert spelling is not None  # noqa: S101 the caller looked
    if operator == "GLOB":
        pattern = _as_like(pattern)
    start = pattern.rstrip("%")
    if start != pattern and not set(start) & {"%", "_"}:
        return every((term.value >= spelling.least(start), term.value < spelling.least(f"{start}\U0010ffff")))
    masks = spelling.patterns(pattern)
    if masks is None:
        raise Unprovable("a pattern on a date")
    return some(_matches(term, found) for mask in masks if (found := fields_like(spelling, mask)) is not None)


def _as_like(pattern: str) -> str:
    """A GLOB pattern without sets of characters, as LIKE has it."""
    if set(pattern) & set("[%_"):
        raise Unprovable("a pattern of sets of characters on a date")
    return pattern.replace("*", "%").replace("?", "_")


def _matches(term: UnknownValue, fields: Mapping[str, Sequence[int]]) -> Bit:
    return every(_among(field_of(term, name), values) for name, values in fields.items())


def _among(value: Number, values: Sequence[int]) -> Bit:
    return some(_between(value, low, high) for low, high in _ranges(values))


def _between(value: Number, low: int, high: int) -> Bit:
    return value == low if low == high else every((value >= low, value <= high))


def _ranges(values: Sequence[int]) -> Sequence[tuple[int, int]]:
    """Values in a row as ranges.

    >>> _ranges((1, 2, 3, 7))
    [(1, 3), (7, 7)]
    """
    found: list[tuple[int, int]] = []
    for each in values:
        if found and found[-1][1] == each - 1:
            found[-1] = (found[-1][0], each)
        else:
            found.append((each, each))
    return found


def joined(one: UnknownValue, other: UnknownValue) -> UnknownValue | None:
    """Two texts in a row, of which one is a date and the other a date or a constant."""
    pieces = [_pieces(each) for each in (one, other)]
    if None in pieces or (one.spelling is None and other.spelling is None):
        return None
    found = Spelling.of("".join(str(each) for each in pieces))
    if found is None:
        return None
    owner = {field: each for each in (one, other) if each.spelling is not None for field in each.spelling.fields}
    return spelled(lambda field: field_of(owner[field], field), found, some((one.null, other.null)))


def _pieces(term: UnknownValue) -> str | None:
    if isinstance(term.literal, str) and "%" not in term.literal:
        return term.literal
    return "".join(term.spelling.pieces) if term.spelling is not None and term.spelling != EITHER else None


def _mark(spelling: Spelling, code: int, machine: Machine) -> None:
    days = {DAY: 1, MOMENT: DAY_SECONDS, EITHER: DAY_SECONDS + 1, INSTANT: DAY_SECONDS * FRACTIONS}.get(spelling)
    if days is not None:
        machine.calendar.mark(code // days)
        machine.calendar.mark(code // days + 1)


def day_of(when: Moment) -> UnknownValue:
    """The day as a date."""
    return UnknownValue(null=when.null, value=when.day, sort=Sort.DATED, spelling=DAY)


def at(when: Moment) -> UnknownValue:
    """The moment as a date with its time."""
    value = when.day * DAY_SECONDS + when.seconds
    if when.fraction is None:
        return UnknownValue(null=when.null, value=value, sort=Sort.DATED, spelling=MOMENT)
    return UnknownValue(null=when.null, value=value * FRACTIONS + when.fraction, sort=Sort.DATED, spelling=INSTANT)
