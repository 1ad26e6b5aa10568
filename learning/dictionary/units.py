"""In which unit a column is stored, by its name and by what is written about it."""

from __future__ import annotations

import re

from learning.dictionary.catalogue import DescribedColumn
from scoring.words import identifier_words

_BY_NAME = {
    "cent": "cents", "pence": "pence", "mct": "millicents", "millicent": "millicents", "micro": "micros",
    "bp": "basis points", "bps": "basis points", "pct": "percent", "percent": "percent",
    "gram": "grams", "kg": "kilograms", "kilogram": "kilograms", "lb": "pounds of weight",
    "meter": "metres", "metre": "metres", "km": "kilometres", "mile": "miles", "mm": "millimetres", "cm": "centimetres",
    "ms": "milliseconds", "millis": "milliseconds", "sec": "seconds", "second": "seconds",
    "min": "minutes", "mins": "minutes", "minute": "minutes", "hour": "hours", "hr": "hours", "day": "days",
    "wh": "watt-hours", "kwh": "kilowatt-hours", "mwh": "megawatt-hours",
    "byte": "bytes", "kb": "kilobytes", "mb": "megabytes", "gb": "gigabytes",
}  # fmt: skip
"""The last word (stem) of a column's name, and the unit that it says."""
_NUMBERED = re.compile(r"\b(?:per|last|first|of|in|from|to|start|end|due|week|month|year)\b")
_UNIT = (
    r"(?P<unit>(?:(?:euro|us|u\.s\.|dollar|pound|eur|usd|gbp)[ -]+)?cents?|pence|pennies|millicents?|micros"
    r"|basis points|percent(?:age points)?|milliseconds?|seconds?|minutes?|hours?|days?|milligrams?|grams?|kilograms?"
    r"|tonnes?|metres?|meters?|kilomet(?:re|er)s?|miles?|centimet(?:re|er)s?|millimet(?:re|er)s?|tenths of an hour"
    r"|watt-hours|Wh|kWh|MWh|kg|km|bytes)"
)
_WRITTEN = re.compile(
    rf"\s*(?:\([^()]*\)\s*)?(?::|=|is|are|is stored|are stored|stored)?\s*(?:in\s+){_UNIT}\b", re.IGNORECASE
)
_TOLD = re.compile(
    rf"\s*(?:units\s+)?(?:is|are|:|=)\s+(?:stored in\s+|in\s+)?{_UNIT}\b(?!\s+(?:of|after|before|from))", re.IGNORECASE
)


def unit_of_name(column: DescribedColumn) -> str | None:
    """The unit that the name of a column says at its end.

    >>> unit_of_name(DescribedColumn("orders", "total_cents")), unit_of_name(DescribedColumn("orders", "due_day"))
    ('cents', None)
    """
    words = identifier_words(column.name)
    if len(words) < 2 or _NUMBERED.search(" ".join(words[:-1])) or _is_text(column):
        return None
    unit = _BY_NAME.get(words[-1])
    return None if words[-1] in ("day", "hour") and not column.name.lower().endswith("s") else unit


def unit_written(text: str) -> str | None:
    """The unit that the text right behind a column's name says.

    >>> unit_written(" in euro cents, without tax"), unit_written(" is stored in grams"), unit_written(" in Peru")
    ('euro cents', 'grams', None)
    """
    match = _WRITTEN.match(text) or _TOLD.match(text)
    return None if match is None else " ".join(match["unit"].split())


def _is_text(column: DescribedColumn) -> bool:
    return column.type.startswith(("char", "var", "text", "string", "nvar", "date", "time", "bool"))
