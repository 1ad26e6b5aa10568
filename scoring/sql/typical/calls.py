"""Evaluates calls and operators for one row: those that choose a value, compute, or change a text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from sqlglot import exp

from scoring.sql.terms import Node, children
from scoring.sql.typical.row import (
    LONGEST,
    OPEN,
    Open,
    Reader,
    Row,
    Value,
    as_number,
    as_text,
    compare,
    order_of,
    truth,
)
from scoring.sql.typical.values import Both


def _case(row: Row, node: Node) -> Value:
    whole = type(node) is exp.Case
    arms: list[Node] = node.args["ifs"] if whole else [node]
    default = node.args.get("default" if whole else "false")
    subject = node.args.get("this") if whole else None
    for arm in arms:
        when = row(arm.args["this"])
        holds = truth(when) if subject is None else compare(exp.EQ, row(subject), when)
        if isinstance(holds, Open):
            return OPEN
        if holds:
            return row(arm.args["true"])
    return None if default is None else row(default)


def _coalesce(row: Row, node: Node) -> Value:
    for each in (node.args["this"], *children(node, "expressions")):
        found = row(each)
        if found is not None:
            return found
    return None


def _null_if(row: Row, node: Node) -> Value:
    first, second = row(node.args["this"]), row(node.args["expression"])
    equal = compare(exp.EQ, first, second)
    return OPEN if isinstance(equal, Open) else None if equal else first


def _extreme(row: Row, node: Node) -> Value:
    parts = [row(node.args["this"]), *[row(each) for each in children(node, "expressions")]]
    if len(parts) == 1:
        return parts[0]
    found = parts[0]
    for each in parts[1:]:
        order = None if isinstance(found, Open) or isinstance(each, Open) else order_of(each, found)
        if order is None:
            return OPEN
        found = each if order == _SIDES[type(node)] else found
    return found


def _arithmetic(row: Row, node: Node) -> Value:
    left, right = row(node.args["this"]), row(node.args["expression"])
    if left is None or right is None:
        return None
    one, other = as_number(left), as_number(right)
    if one is None or other is None:
        return OPEN
    try:
        return float(_OPERATORS[type(node)](one, other))
    except (ZeroDivisionError, OverflowError, ValueError, TypeError):
        return OPEN


def _numeric(row: Row, node: Node) -> Value:
    inner = row(node.args["this"])
    size = as_number(inner)
    return (None if inner is None else OPEN) if size is None else _NUMERIC[type(node)](size)


def _textual(row: Row, node: Node) -> Value:
    inner = row(node.args["this"])
    text = as_text(inner)
    if text is None or node.args.get("expression") is not None:
        return None if inner is None else OPEN
    return _TEXTUAL[type(node)](text)


def _concat(row: Row, node: Node) -> Value:
    pipe = type(node) is exp.DPipe
    parts = [node.args["this"], node.args["expression"]] if pipe else children(node, "expressions")
    texts = [as_text(row(each)) for each in parts]
    known = [each for each in texts if each is not None]
    return "".join(known) if len(known) == len(texts) and sum(map(len, known)) < LONGEST else OPEN


def _part(row: Row, node: Node) -> Value:
    text = as_text(row(node.args["this"]))
    if text is None:
        return OPEN
    if type(node) is not exp.Substring:
        size = as_number(row(node.args["expression"]))
        if size is None or not 0 <= size < LONGEST:
            return OPEN
        return text[: int(size)] if type(node) is exp.Left else text[len(text) - min(int(size), len(text)) :]
    start, length = (
        LONGEST if node.args.get(each) is None else as_number(row(node.args[each])) for each in ("start", "length")
    )
    if start is None or length is None or start < 1 or length < 0:
        return OPEN
    return text[int(start) - 1 : int(start) - 1 + int(min(length, LONGEST))]


def _replace(row: Row, node: Node) -> Value:
    new = node.args.get("replacement")
    texts = [as_text(row(node.args[each])) for each in ("this", "expression")]
    texts.append("" if new is None else as_text(row(new)))
    whole, old, kept = texts
    if whole is None or old is None or kept is None or len(whole) * max(1, len(kept)) > LONGEST:
        return OPEN
    return whole.replace(old, kept) if old else whole


def _position(row: Row, node: Node) -> Value:
    text, part = as_text(row(node.args["this"])), as_text(row(node.args["substr"]))
    return OPEN if text is None or part is None else float(text.casefold().find(part.casefold()) + 1)


def _cast(row: Row, node: Node) -> Value:
    inner, to = row(node.args["this"]), node.args.get("to")
    kind = to.args["this"] if type(to) is exp.DataType else None
    if inner is None or isinstance(inner, Open):
        return inner
    if kind in exp.DataType.TEXT_TYPES:
        return inner.text if isinstance(inner, Both) else as_text(inner)
    if kind is exp.DType.BOOLEAN:
        return truth(inner)
    if kind in exp.DataType.NUMERIC_TYPES:
        size = as_number(inner)
        return OPEN if size is None else size
    return inner


def _literal(_: Row, node: Node) -> Value:
    raw: str = node.args["this"]
    if node.args["is_string"]:
        return raw if len(raw) < LONGEST else OPEN
    size = as_number(raw)
    return OPEN if size is None else size


def _date_part(row: Row, node: Node) -> Value:
    """The year, month or day; those of no date are 2005, 5 and 17."""
    part = node.name.lower() if type(node) is exp.Extract else type(node).__name__.lower()
    inner = row(node.args["expression" if type(node) is exp.Extract else "this"])
    text = as_text(inner)
    if text is None or part not in _PARTS:
        return OPEN
    whole = text if _DATE.fullmatch(text) else "2005-05-17"
    return float(whole[_PARTS[part]])


def _inside(row: Row, node: Node) -> Value:
    return row(node.args["this"])


def _boolean(_: Row, node: Node) -> Value:
    return bool(node.args["this"])


def _null(_: Row, __: Node) -> Value:
    return None


def _negative(row: Row, node: Node) -> Value:
    size = as_number(row(node.args["this"]))
    return OPEN if size is None else -size


_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_PARTS = MappingProxyType({"year": slice(4), "month": slice(5, 7), "day": slice(8, 10)})
_SIDES: Mapping[type[Node], int] = MappingProxyType({exp.Greatest: 1, exp.Max: 1, exp.Least: -1, exp.Min: -1})
_OPERATORS: Mapping[type[Node], Callable[[float, float], float]] = MappingProxyType(
    {
        exp.Add: lambda one, other: one + other,
        exp.Sub: lambda one, other: one - other,
        exp.Mul: lambda one, other: one * other,
        exp.Div: lambda one, other: one / other,
        exp.Mod: math.fmod,
        exp.Pow: math.pow,
    }
)
_NUMERIC: Mapping[type[Node], Callable[[float], float]] = MappingProxyType(
    {
        exp.Abs: abs,
        exp.Sign: lambda size: float((size > 0) - (size < 0)),
        exp.Round: lambda size: float(round(size)),
        exp.Floor: lambda size: float(math.floor(size)),
        exp.Ceil: lambda size: float(math.ceil(size)),
    }
)
_TEXTUAL: Mapping[type[Node], Callable[[str], Value]] = MappingProxyType(
    {
        exp.Upper: str.upper,
        exp.Lower: str.lower,
        exp.Trim: str.strip,
        exp.Reverse: lambda text: text[::-1],
        exp.Length: lambda text: float(len(text)),
    }
)
READERS: Mapping[type[Node], Reader] = MappingProxyType(
    dict.fromkeys(_OPERATORS, _arithmetic)
    | dict.fromkeys(_NUMERIC, _numeric)
    | dict.fromkeys(_TEXTUAL, _textual)
    | dict.fromkeys(_SIDES, _extreme)
    | dict.fromkeys((exp.Paren, exp.Collate, exp.Alias), _inside)
    | dict.fromkeys((exp.Cast, exp.TryCast), _cast)
    | dict.fromkeys((exp.Case, exp.If), _case)
    | dict.fromkeys((exp.Concat, exp.DPipe), _concat)
    | dict.fromkeys((exp.Substring, exp.Left, exp.Right), _part)
    | dict.fromkeys((exp.Extract, exp.Year, exp.Month, exp.Day), _date_part)
    | {
        exp.Neg: _negative,
        exp.Coalesce: _coalesce,
        exp.Nullif: _null_if,
        exp.Replace: _replace,
        exp.StrPosition: _position,
        exp.Literal: _literal,
        exp.Boolean: _boolean,
        exp.Null: _null,
    }
)
"""Readers of calls, operators and constants."""
