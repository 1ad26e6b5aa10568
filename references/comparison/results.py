"""Results of queries, with values in one form so that equal answers compare equal whatever their database types."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import TypeAlias, cast

PlainValue: TypeAlias = Hashable
"""A number, a text or None. Numbers within `TOLERANCE` of each other are equal."""
PlainRow: TypeAlias = tuple[PlainValue, ...]

TOLERANCE = 1e-9
"""Relative distance up to which two numbers are equal: floats added in another order differ this much."""

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """The rows of a query, in order."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


def unified(*results: QueryResult) -> tuple[list[PlainRow], ...]:
    """Returns the rows of several results in one form, with numbers within tolerance made equal.

    >>> from decimal import Decimal
    >>> ours = QueryResult(columns=("n",), rows=((Decimal("2.0"),), ("2026-05-01",), (0.1 + 0.2,)))
    >>> theirs = QueryResult(columns=("m",), rows=(("2",), (datetime(2026, 5, 1),), (0.3,)))
    >>> left, right = unified(ours, theirs)
    >>> left == right
    True
    """
    plain = [[tuple(map(plain_value, row)) for row in result.rows] for result in results]
    floats = sorted({value for rows in plain for row in rows for value in row if isinstance(value, float)})
    nearest = dict(zip(floats, _merged(floats), strict=True))
    return tuple([tuple(_merged_value(value, nearest) for value in row) for row in rows] for rows in plain)


def _merged_value(value: PlainValue, nearest: dict[float, float]) -> PlainValue:
    return nearest[value] if isinstance(value, float) else value


def _merged(ascending: Sequence[float]) -> Iterable[float]:
    current = math.nan
    for number in ascending:
        if not math.isclose(number, current, rel_tol=TOLERANCE, abs_tol=1e-12):
            current = number
        yield current


def plain_value(value: object) -> PlainValue:
    """Returns a value as a float, a text or None.

    >>> plain_value(True), plain_value("007"), plain_value("7.50"), plain_value(b"ab")
    (1.0, '007', 7.5, '6162')
    >>> plain_value("2026-05-01T00:00:00Z"), plain_value(date(2026, 5, 1)), plain_value("May")
    ('2026-05-01', '2026-05-01', 'May')
    """
    if value is None or isinstance(value, str):
        return value if value is None else _plain_text(value)
    if isinstance(value, bool | int | float | Decimal):
        return _plain_number(value)
    if isinstance(value, date | time):
        return _plain_moment(value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(cast("bytes", value)).hex()
    if isinstance(value, list | tuple):
        return tuple(plain_value(each) for each in cast("Sequence[object]", value))
    return str(value)


def _plain_number(number: float | Decimal) -> PlainValue:
    try:
        plain = float(number)
    except (OverflowError, ValueError):
        return str(number)
    exact = not isinstance(number, int) or abs(number) < 2**53
    return "NaN" if math.isnan(plain) else plain + 0.0 if exact else str(number)


def _plain_text(text: str) -> PlainValue:
    # A leading zero means a code such as 007, not a number.
    if len(text) < 40 and _NUMBER.fullmatch(text) and not re.match(r"[+-]?0\d", text):
        return _plain_number(Decimal(text)) if not text.lstrip("+-").isdigit() else _plain_number(int(text))
    if len(text) < 40 and _MOMENT.fullmatch(text):
        try:
            return _plain_moment(datetime.fromisoformat(text))
        except ValueError:
            return text
    return text


def _plain_moment(moment: date | time) -> str:
    if not isinstance(moment, datetime):
        return moment.isoformat()
    try:
        bare = moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
    except OverflowError:
        return moment.isoformat()
    return bare.date().isoformat() if bare.time() == time() else bare.isoformat(" ")


def columns_of(rows: Sequence[PlainRow], width: int) -> list[tuple[PlainValue, ...]]:
    """Returns the columns of rows: `width` empty ones when there is no row."""
    return list(zip(*rows, strict=True)) if rows else [() for _ in range(width)]
