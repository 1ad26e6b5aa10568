"""Dates as SQLite computes them: `date('now', '-1 month', 'start of month')`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType

from sqlglot import exp

from scoring.sql.calendar.moments import UNITS, Constant, Now, cut, moment, moved
from scoring.sql.terms import Node
from scoring.values import Grain

_CALLS = frozenset({"date", "datetime", "strftime", "timestamp", "julianday"})
_COUNT = re.compile(r"(?P<count>[+-]?\d{1,6})\s*(?P<unit>[A-Za-z]*)", re.ASCII)
"""`-1 month`."""
_STARTS = MappingProxyType({"start of day": Grain.DAY, "start of month": Grain.MONTH, "start of year": Grain.YEAR})
_NO_CHANGE = frozenset({"localtime", "utc", "subsec", "auto"})


def sqlite_date(name: str, arguments: Sequence[Node]) -> Constant | None:
    """The date that a call gives of a text or of now, changed by each text after it."""
    if name == "strftime":
        arguments = arguments[1:]
    if name not in _CALLS or not arguments or not all(type(each) is exp.Literal for each in arguments):
        return None
    first = arguments[0].name.strip()
    value: Constant | None = Now(Grain.DAY) if first.lower() == "now" else moment(first)
    for modifier in arguments[1:8]:
        value = _modified(value, modifier.name.strip().lower())
    return value


def _modified(value: Constant | None, modifier: str) -> Constant | None:
    if modifier in _NO_CHANGE:
        return value
    if modifier in _STARTS:
        return cut(value, _STARTS[modifier])
    found = _COUNT.fullmatch(modifier)
    return moved(value, UNITS.get(found["unit"]), int(found["count"])) if found else None
