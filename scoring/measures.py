"""Units of measure: their sizes, and the unit that a column's name tells."""

from __future__ import annotations

from typing import NamedTuple

from scoring.words import identifier_words, stem


class Unit(NamedTuple):
    """A unit of measure."""

    of: str
    """What it measures."""
    size: float
    """How many base units it is."""


def _units(of: str, text: str) -> dict[str, Unit]:
    rows = (row.split(":") for row in text.split())
    return {stem(word): Unit(of, float(size)) for names, size in rows for word in names.split("|")}


UNITS = (
    _units("time", "ms|msec|millis|millisecond:0.001 sec|second:1 min|minute:60 hr|hrs|hour:3600 day:86400 week:604800")
    | _units("money", "cent|pence|penny|centime|minor:0.01 dollar|usd|euro|eur|pound|gbp|$|€|£:1")
    | _units("mass", "mg|milligram:0.001 g|gram:1 kg|kilo|kilogram:1000 ton|tonne:1000000")
    | _units("length", "mm|millimetre|millimeter:0.001 cm|centimetre|centimeter:0.01 metre|meter:1 km|kilometre:1000")
    | _units("data", "byte:1 kb|kilobyte:1000 mb|megabyte:1000000 gb|gigabyte:1e9 tb|terabyte:1e12")
    | _units("volume", "ml|millilitre|milliliter:0.001 litre|liter:1")
    | _units("share", "bps|bp:0.0001 percent|pct|%:0.01")
)
"""Units by their stemmed names. `pounds` are money, because weights in pounds are rare beside kilograms."""
_TIMED = frozenset("duration time wait delay length elapsed run".split())
_MEASURED = {
    "min": _TIMED,
    "minor": frozenset("amount price total net gross fee balance".split()),
    "g": frozenset("weight mass net gross".split()),
}
"""Words that mean something else in a column's name, unless one of these is with them: `price_min`."""


def unit_of_column(name: str) -> Unit | None:
    """The unit that the last word of a column's name tells.

    >>> unit_of_column("fee_cents"), unit_of_column("price_min"), unit_of_column("cents")
    (Unit(of='money', size=0.01), None, None)
    """
    words = identifier_words(name)
    if len(words) < 2 or (words[-1] in _MEASURED and _MEASURED[words[-1]].isdisjoint(words[:-1])):
        return None
    return UNITS.get(words[-1])


def converted(value: float, unit: str | None, column: str) -> float | None:
    """A number of a question in the unit of a column; without a unit of its own, money is in the main one.

    `None` where no conversion is needed or known.

    >>> converted(1000, "$", "fee_cents"), converted(1000, None, "fee"), converted(5, "kg", "weight_g")
    (100000.0, None, 5000.0)
    """
    stored = unit_of_column(column)
    if stored is None or (stored.size == 1 and stored.of == "money"):
        return None
    said = UNITS.get(stem(unit)) if unit else None
    if said is None:
        return value / stored.size if stored.of == "money" and not unit else None
    return round(value * said.size / stored.size, 9) if said.of == stored.of and said != stored else None
