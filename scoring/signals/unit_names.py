"""The units that names and questions speak of, and the factors between them."""

from __future__ import annotations

FACTORS = {
    ("byte", "kb"): (1e3, 1024.0), ("byte", "mb"): (1e6, 1024.0**2), ("byte", "gb"): (1e9, 1024.0**3),
    ("byte", "tb"): (1e12, 1024.0**4), ("kb", "mb"): (1e3, 1024.0), ("kb", "gb"): (1e6, 1024.0**2),
    ("mb", "gb"): (1e3, 1024.0), ("gb", "tb"): (1e3, 1024.0), ("second", "minute"): (60.0,),
    ("second", "hour"): (3600.0,), ("second", "day"): (86400.0,), ("minute", "hour"): (60.0,),
    ("minute", "day"): (1440.0,), ("hour", "day"): (24.0,), ("ms", "second"): (1e3,), ("ms", "minute"): (6e4,),
    ("mg", "gram"): (1e3,), ("mg", "kg"): (1e6,), ("mm", "metre"): (1e3,), ("cm", "metre"): (100.0,),
    ("gram", "kg"): (1e3,), ("gram", "tonne"): (1e6,), ("kg", "tonne"): (1e3,), ("metre", "km"): (1e3,),
    ("meter", "km"): (1e3,), ("wh", "kwh"): (1e3,), ("wh", "mwh"): (1e6,), ("kwh", "mwh"): (1e3,),
    ("ml", "litre"): (1e3,), ("ml", "liter"): (1e3,), ("km", "mile"): (1.609344,), ("metre", "mile"): (1609.344,),
}  # fmt: skip
_SAME = {"bytes": "byte", "sec": "second", "secs": "second", "min": "minute", "mins": "minute", "hr": "hour",
         "hrs": "hour", "h": "hour",
         "millisecond": "ms", "kilogram": "kg", "ton": "tonne", "gigabyte": "gb", "megabyte": "mb", "kilometre": "km",
         "kilometer": "km", "g": "gram", "m": "metre", "meter": "metre", "milligram": "mg"}  # fmt: skip


LARGER_UNITS = frozenset([unit for _, unit in FACTORS])
"""Units that something else can be turned into."""
_ALL = frozenset([unit for pair in FACTORS for unit in pair])


def one_name(word: str) -> str:
    """The one name of a unit."""
    return _SAME.get(word, word)


def unit_named(word: str) -> str:
    """The one name of a unit that may be written in the plural.

    >>> unit_named("hrs"), unit_named("minutes"), unit_named("ms")
    ('hour', 'minute', 'ms')
    """
    found = one_name(word)
    return one_name(word.removesuffix("s")) if found == word and word not in _ALL else found


def is_unit(word: str) -> bool:
    """Whether a word names a unit of length, weight, time or size.

    >>> is_unit("kg"), is_unit("tonnes"), is_unit("parcels")
    (True, True, False)
    """
    return unit_named(word) in _ALL


def convertible(held: str, wanted: str) -> bool:
    """Whether a factor turns one of two units into the other."""
    return (held, wanted) in FACTORS or (wanted, held) in FACTORS
