"""Signals about units of measure: the one that is asked for and the one that the answer is in."""

from __future__ import annotations

import re
from typing import NamedTuple

from scoring.signals.finding import Finding, differing
from scoring.specification import Operand, Projection
from scoring.verdict import Case
from scoring.words import identifier_words, stem


class _Unit(NamedTuple):
    of: str
    """What it measures."""
    size: float
    """In the dimension's base unit."""


def _units(of: str, text: str) -> dict[str, _Unit]:
    rows = (row.split(":") for row in text.split())
    return {stem(word): _Unit(of, float(size)) for words, size in rows for word in words.split("|")}


_UNITS = (
    _units(
        "time",
        "ms|msec|millis|millisecond:0.001 sec|second:1 min|minute:60 hr|hrs|hour:3600 day:86400 week:604800",
    )
    | _units("money", "cent|pence|penny|centime|minor:0.01 dollar|usd|euro|eur|pound|gbp:1")
    | _units("mass", "mg|milligram:0.001 g|gram:1 kg|kilo|kilogram:1000 ton|tonne:1000000")
    | _units("length", "mm|millimetre|millimeter:0.001 cm|centimetre|centimeter:0.01 metre|meter:1 km|kilometre:1000")
    | _units("data", "byte:1 kb|kilobyte:1000 mb|megabyte:1000000 gb|gigabyte:1e9 tb|terabyte:1e12")
    | _units("volume", "ml|millilitre|milliliter:0.001 litre|liter:1")
    | _units("share", "bps|bp:0.0001 percent|pct:0.01")
)
"""Units by their stemmed names. `pounds` are money, because weights in pounds are rare beside kilograms."""
_ASKED = re.compile(
    r"\bin (?:whole |full |us |u\.s\. |total )?([a-z]+)\b|\((?:in )?([a-z]+)\)|"
    r"\bhow many (hours|minutes|seconds|days|weeks|kilometres|kg|km)\b"
)
_SCALED = re.compile(r"[*/]|\bdiv|interval|\bround\([^)]*, -")
_DIFFERENCE = re.compile(
    r"(?:timestamp|datetime|date|time)_?diff\(.*, '?(millisecond|second|minute|hour|day|week)s?'?\)"
)
_AMBIGUOUS = frozenset({"min", "minor", "g"})
"""Words that mean something else in a column's name, unless others say what is measured: `price_min`."""
_MEASURED = frozenset("duration time wait delay length elapsed run weight mass net gross amount price unit".split())


def unit_left(case: Case) -> Finding | None:
    """The answer is in another unit than the question or its own alias says, and nothing converts it.

    A column's name tells its unit: `_cents`, `_minutes`, `_grams`. So does the unit of a difference of two times.

    >>> unit_left(case("Total fees in dollars", "SELECT SUM(fee_cents) FROM loans")).detail
    'expected → actual: dollars → sum(fee_cents)'
    """
    asked = _asked(case.question.text.casefold())
    for each in case.answer:
        named = _UNITS.get(identifier_words(each.alias)[-1]) if each.alias and identifier_words(each.alias) else None
        if named is not None and _is_left(each.operand, named):
            return differing(str(each.alias), each.operand.name)
    for word, unit in asked:
        measured = [each for each in case.answer if _measures(each, unit)]
        if measured and all(_is_left(each.operand, unit) for each in measured):
            return differing(word, measured[0].operand.name)
    return None


def _asked(text: str) -> list[tuple[str, _Unit]]:
    """The units in which a text wants its answer: `in hours`, `(kg)`, `how many days`."""
    words = [str(found[found.lastindex or 0]) for found in _ASKED.finditer(text)]
    return [(word, _UNITS[stem(word)]) for word in words if stem(word) in _UNITS]


def _measures(projection: Projection, unit: _Unit) -> bool:
    given = _unit_of(projection.operand)
    return given is not None and given.of == unit.of


def _is_left(operand: Operand, wanted: _Unit) -> bool:
    """Whether an output is in another unit of the same kind, and neither multiplied nor divided."""
    given = _unit_of(operand)
    return given is not None and given.of == wanted.of and given != wanted and _SCALED.search(operand.name) is None


def _unit_of(operand: Operand) -> _Unit | None:
    """The unit that a difference of times or the name of the only column tells."""
    if operand.func == "COUNT" or not operand.columns:
        return None
    difference = _DIFFERENCE.search(operand.name)
    if difference is not None:
        return _UNITS.get(difference[1])
    if "extract(epoch" in operand.name:
        return _UNITS["second"]
    words = identifier_words(operand.columns[0].name)
    if len(operand.columns) > 1 or not words:
        return None
    if words[-1] in _AMBIGUOUS and _MEASURED.isdisjoint(words[:-1]):
        return None
    return _UNITS.get(words[-1]) if len(words) > 1 else None
