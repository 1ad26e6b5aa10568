"""Computes with texts and dates as the dialect does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

from sqlglot import exp

from scoring.sql.evaluation.casts import DATE
from scoring.sql.evaluation.numbers import as_double, operated
from scoring.sql.evaluation.rules import DialectRules
from scoring.sql.evaluation.values import (
    LONGEST,
    OPEN,
    Operation,
    Quoted,
    Typical,
    Value,
    as_text,
)
from scoring.sql.terms import Node

_PARTS = ("year", "month", "day")
_TYPICAL_DATE = (2005, 5, 17)
_IGNORING_NULL = frozenset({"postgres", "duckdb", "tsql", "redshift"})


def _literal(rules: DialectRules, node: Node, _: Sequence[Value]) -> Value:
    raw: str = node.args["this"]
    if node.args["is_string"]:
        return OPEN if len(raw) > LONGEST or (not raw and rules.name == "oracle") else Quoted(raw)
    if raw.isdecimal():
        return int(raw) if len(raw) <= _NUMERALS else OPEN
    try:
        exact = Decimal(raw)
    except ArithmeticError:
        return OPEN
    if rules.doubles or abs(exact.adjusted()) > _NUMERALS:
        return float(exact) if abs(exact.adjusted()) <= _NUMERALS else OPEN
    return as_double(Fraction(exact)) if "e" in raw.lower() else exact


def _boolean(_: DialectRules, node: Node, __: Sequence[Value]) -> Value:
    return bool(node.args["this"])


def _null(_: DialectRules, __: Node, ___: Sequence[Value]) -> Value:
    return None


def _name(_: DialectRules, node: Node, __: Sequence[Value]) -> Value:
    return node.name


def _itself(_: DialectRules, __: Node, values: Sequence[Value]) -> Value:
    return values[0]


def _changed(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    """UPPER, LOWER, REVERSE and LENGTH; outside ASCII, databases change and count other letters."""
    text = as_text(rules, values[0])
    if text is None or not (text.isascii() or isinstance(values[0], Typical)):
        return OPEN
    if type(node) is exp.Length and rules.name == "tsql" and text.endswith(" "):
        return OPEN
    return _CHANGES[type(node)](text)


def _trimmed(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    texts = [as_text(rules, each) for each in values]
    text, letters = texts[0], texts[1] if len(texts) > 1 else " "
    if text is None or letters is None or not letters:
        return OPEN
    side = str(node.args.get("position") or "").upper()
    return (
        text.lstrip(letters)
        if side == "LEADING"
        else text.rstrip(letters)
        if side == "TRAILING"
        else text.strip(letters)
    )


def _part(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    """SUBSTR, LEFT and RIGHT; what is before the first character is read in many ways."""
    text, places = as_text(rules, values[0]), values[1:]
    if text is None or not all(isinstance(each, int) and not isinstance(each, bool) for each in places):
        return OPEN
    first, *rest = [int(str(each)) for each in places]
    if type(node) is not exp.Substring:
        if first < 0:
            return OPEN
        return text[:first] if type(node) is exp.Left else text[max(0, len(text) - first) :]
    size = rest[0] if rest else len(text)
    if first < 1 or size < 0:
        return OPEN
    return text[first - 1 : first - 1 + size]


def _replaced(rules: DialectRules, _: Node, values: Sequence[Value]) -> Value:
    whole, old, new = [as_text(rules, each) for each in values] if len(values) == _THREE else (None, None, None)
    if whole is None or old is None or new is None or len(whole) * max(1, len(new)) > LONGEST:
        return OPEN
    if (
        old
        and old.casefold() in whole.casefold()
        and not rules.equality
        and whole.count(old) != whole.casefold().count(old.casefold())
    ):
        return OPEN
    return whole.replace(old, new) if old else whole


def _position(rules: DialectRules, _: Node, values: Sequence[Value]) -> Value:
    text, part = as_text(rules, values[0]), as_text(rules, values[1])
    if text is None or part is None or len(values) > 2:
        return OPEN
    folded = text.casefold().find(part.casefold()) + 1
    exact = text.find(part) + 1
    return folded if exact == folded or isinstance(values[0], Typical) else exact if rules.equality else OPEN


def _joined(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    """CONCAT and `||`."""
    if None in values:
        if type(node) is exp.DPipe:
            return None if rules.name in ("sqlite", "duckdb", "postgres") else OPEN
        if rules.name not in _IGNORING_NULL:
            return OPEN
    texts = [as_text(rules, each) for each in values if each is not None]
    known = [each for each in texts if each is not None]
    return "".join(known) if len(known) == len(texts) and sum(map(len, known)) <= LONGEST else OPEN


def _added(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    """`+`, which puts texts together in T-SQL."""
    if rules.name in ("tsql", "fabric") and all(isinstance(each, str) for each in values):
        return _joined(rules, node, values)
    return operated(rules, node, values)


def _date_part(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    """The year, month or day; those of a typical value that is no date are 2005, 5 and 17."""
    part = node.name.lower() if type(node) is exp.Extract else type(node).__name__.lower()
    if part not in _PARTS:
        return OPEN
    place, day = _PARTS.index(part), values[0]
    if isinstance(day, Typical):
        return int(day.text.split("-")[place]) if DATE.fullmatch(day.text) else _TYPICAL_DATE[place]
    if not isinstance(day, date):
        return OPEN
    found = (day.year, day.month, day.day)[place]
    return Decimal(found) if rules.name == "postgres" else found


_NUMERALS = 15
_THREE = 3
_CHANGES: MappingProxyType[type[Node], Callable[[str], Value]] = MappingProxyType(
    {exp.Upper: str.upper, exp.Lower: str.lower, exp.Reverse: lambda text: text[::-1], exp.Length: len}
)
OPERATIONS: MappingProxyType[type[Node], Operation] = MappingProxyType(
    dict.fromkeys(_CHANGES, Operation(_changed))
    | dict.fromkeys((exp.Left, exp.Right), Operation(_part, ("this", "expression")))
    | dict.fromkeys((exp.Paren, exp.Alias), Operation(_itself, strict=False))
    | dict.fromkeys((exp.Year, exp.Month, exp.Day), Operation(_date_part))
    | dict.fromkeys((exp.RawString, exp.National), Operation(_name, ()))
    | {
        exp.Add: Operation(_added, ("this", "expression")),
        exp.Collate: Operation(_itself),
        exp.Concat: Operation(_joined, ("expressions",), strict=False),
        exp.DPipe: Operation(_joined, ("this", "expression"), strict=False),
        exp.Extract: Operation(_date_part, ("expression",)),
        exp.Literal: Operation(_literal, ()),
        exp.Boolean: Operation(_boolean, ()),
        exp.Null: Operation(_null, ()),
        exp.Replace: Operation(_replaced, ("this", "expression", "replacement")),
        exp.StrPosition: Operation(_position, ("this", "substr", "position")),
        exp.Substring: Operation(_part, ("this", "start", "length")),
        exp.Trim: Operation(_trimmed, ("this", "expression")),
    }
)
"""Constants, and functions of texts and dates."""
