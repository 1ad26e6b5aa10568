"""Casts values from one type to another as the dialect does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

from sqlglot import exp

from scoring.patterns import lazy
from scoring.sql.evaluation.numbers import as_double, rounded
from scoring.sql.evaluation.rules import DialectRules
from scoring.sql.evaluation.values import (
    OPEN,
    Near,
    Number,
    Operation,
    Typical,
    Value,
    as_number,
    as_text,
    is_number,
    truth,
)
from scoring.sql.terms import Node

DATE = lazy(r"\d{4}-\d\d-\d\d")
"""A date, as a text."""
_NUMBER = lazy(r"\s*[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})\s*", re.ASCII)
_DOUBLES = frozenset({exp.DType.FLOAT, exp.DType.DOUBLE})
_LARGEST_OF_REAL = 2**24
_MOST = 15
"""Digits of a decimal of no given size."""
_WHOLE = exp.DataType.INTEGER_TYPES - {exp.DType.BIT}


def _cast(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    """A cast to a text, number, truth or date; those of other types are not known."""
    to = node.args["this"] if type(node) is exp.Convert else node.args.get("to")
    if type(to) is not exp.DataType or (type(node) is exp.Convert and node.args.get("style") is not None):
        return OPEN
    value, kind = values[0], to.args["this"]
    if isinstance(value, Typical):
        return _cast_typical(value, kind)
    if kind in exp.DataType.TEXT_TYPES:
        return _as_text(rules, value, to)
    if kind is exp.DType.BOOLEAN:
        return OPEN if rules.numeric else truth(rules, value)
    if kind is exp.DType.DATE:
        return OPEN if rules.storage or not rules.name else _as_date(value)
    return _as_number(rules, _read(rules, value), to)


def _as_number(rules: DialectRules, number: Value, to: Node) -> Value:
    kind = to.args["this"]
    if isinstance(number, bool) or not isinstance(number, int | float | Decimal):
        return OPEN
    if kind in _WHOLE:
        return _as_whole(rules, number)
    if kind in _DOUBLES:
        if rules.doubles:
            return float(number)
        # a REAL holds whole numbers up to this one exactly
        is_exact = not isinstance(number, Near) and abs(number) <= _LARGEST_OF_REAL
        return as_double(Fraction(number)) if is_exact else Near(number)
    return _as_decimal(rules, number, to) if kind in exp.DataType.REAL_TYPES else OPEN


def _cast_typical(value: Typical, kind: object) -> Value:
    if kind in exp.DataType.TEXT_TYPES:
        return value.text
    return value.number if kind in exp.DataType.NUMERIC_TYPES else OPEN if kind is exp.DType.BOOLEAN else value


def _as_text(rules: DialectRules, value: Value, to: Node) -> Value:
    text = as_text(rules, value)
    sizes = [each.name for each in to.args.get("expressions") or ()]
    if text is None or sizes or to.args["this"] in (exp.DType.CHAR, exp.DType.NCHAR):
        fits = text is not None and sizes == [str(len(text))]
        return text if fits else OPEN
    return text


def _as_date(value: Value) -> Value:
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(value) if isinstance(value, str) and DATE.fullmatch(value) else OPEN
    except ValueError:
        return OPEN


def _read(rules: DialectRules, value: Value) -> Value:
    """The number that a cast reads."""
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value):
            return OPEN
        exact = Decimal(value.strip())
        return int(exact) if "." not in value else float(exact) if rules.doubles else exact
    return as_number(value) if isinstance(value, bool) or is_number(value) else OPEN


def _as_whole(rules: DialectRules, value: Number) -> Value:
    """SQLite cuts, others round; where the number is half way, doubles are rounded in other ways than decimals."""
    if isinstance(value, int) or (value == int(value) and not isinstance(value, Near)) or rules.storage:
        return int(value)
    if rules.name not in ("postgres", "duckdb"):
        return OPEN
    if rules.name == "duckdb" and isinstance(value, float) and (value * 2).is_integer():
        return OPEN  # its casts of doubles round half to even, its ROUND away from 0
    found = rounded(rules, exp.Round(), (value,))
    return int(found) if isinstance(found, int | float | Decimal) else OPEN


def _as_decimal(rules: DialectRules, value: Number, to: Node) -> Value:
    """A decimal that has room for all digits; without a size, it has as many as it needs in PostgreSQL only."""
    if rules.storage:
        return value if isinstance(value, int) else OPEN
    # a longer number would take long to compute with
    sizes = [int(each.name[:4]) for each in to.args.get("expressions") or () if each.name.isdigit()]
    if not sizes and rules.name == "postgres" and isinstance(value, Decimal):
        return value
    size, scale = (*sizes, 0)[:2] if sizes else (_MOST, 0)
    exact = Fraction(value)
    fits = (exact * 10**scale).denominator == 1 and abs(exact) < 10 ** (size - scale)
    return Decimal(exact.numerator) / Decimal(exact.denominator) if fits and not isinstance(value, Near) else OPEN


OPERATIONS: MappingProxyType[type[Node], Operation] = MappingProxyType(
    dict.fromkeys((exp.Cast, exp.TryCast), Operation(_cast)) | {exp.Convert: Operation(_cast, ("expression",))}
)
"""Casts."""
