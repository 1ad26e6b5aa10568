"""The left side of a condition in a formula: a column, perhaps in a call."""

from __future__ import annotations

from typing import NamedTuple

from scoring.patterns import lazy
from scoring.question.definitions.parts import AGGREGATES, FUNCTIONS, KEYWORDS, NOW, Part, word_at
from scoring.specification import Column, Operand

_SLICES = {"1,4": "year", "1,7": "date", "1,10": "date", "6,2": "month", "9,2": "day"}
_FORMATS = {"%Y-%m": "date", "%Y-%m-%d": "date", "%Y": "year", "%y": "year", "%m": "month", "%d": "day", "%H": "hour"}
_NEGATORS = frozenset({"not", "except", "excluding", "exclude"})


class Left(NamedTuple):
    """The left side of a condition: a column, perhaps in a call."""

    column: Column
    func: str
    literals: str
    """The literals among the call's arguments, joined by commas."""
    start: int
    negated: bool = False
    distinct: bool = False

    @property
    def operand(self) -> Operand:
        func = AGGREGATES.get(self.func)
        if func is None:
            name = f"{self.func}({self.column.name})" if self.func == "length" else self.column.name
            return Operand(name=name, columns=(self.column,))
        inner = f"distinct {self.column.name}" if self.distinct else self.column.name
        columns = () if self.column.name == "*" else (self.column,)
        return Operand(name=f"{func.lower()}({inner})", columns=columns, func=func, distinct=self.distinct)

    @property
    def part(self) -> str | None:
        """The part of a date that the call extracts: `year`, `month`, …"""
        if self.func in ("year", "month", "day"):
            return self.func
        if self.func == "date":
            return "date"
        if self.func == "strftime":
            return _FORMATS.get(self.literals.split(",")[0])
        if self.func in ("substr", "substring"):
            return _SLICES.get(self.literals.replace(" ", ""))
        return None


def left_before(parts: list[Part], place: int) -> Left | None:
    """The column or call that ends right before `place`, negated if NOT precedes it."""
    at = place - 1
    while word_at(parts, at) in ("not", "is", "was", "are"):
        at -= 1
    if at < 0:
        return None
    if parts[at].text == ")":
        return _call(parts, at)
    if parts[at].kind == "text" and parts[at].text[0] == '"':
        return Left(column_named(parts[at].text), "", "", parts[at].start)
    if parts[at].kind != "name" or parts[at].lower in KEYWORDS:
        return None
    negated = word_at(parts, at - 1) in _NEGATORS
    return Left(column_named(parts[at].text), "", "", parts[at].start, negated=negated)


def _call(parts: list[Part], close: int) -> Left | None:
    """`year(d)`, `strftime('%Y', d)`, `COUNT(x)` that end at the bracket `close`."""
    opened = _opening_bracket(parts, close)
    if opened <= 0 or parts[opened - 1].kind != "name":
        return None
    func, inner = parts[opened - 1].lower, parts[opened + 1 : close]
    names = [each for each in inner if each.kind == "name" and each.lower not in _NOT_ARGUMENTS]
    if func not in FUNCTIONS or (not names and func not in AGGREGATES):
        return None
    return Left(
        column=column_named(names[0].text) if names else Column(name="*"),
        func=func,
        literals=",".join(each.text.strip("'\"") for each in inner if each.kind in ("text", "number")),
        start=parts[opened - 1].start,
        distinct=any(each.lower == "distinct" for each in inner),
    )


def _opening_bracket(parts: list[Part], close: int) -> int:
    """The place of the bracket that `close` closes; -1 if it is not near."""
    depth = 0
    for at in range(close, max(close - _LONGEST_CALL, -1), -1):
        depth += {")": 1, "(": -1}.get(parts[at].text, 0)
        if depth == 0:
            return at
    return -1


_LONGEST_CALL = 40
"""Parts of the longest call that is read."""
_NOT_ARGUMENTS = KEYWORDS | FUNCTIONS.keys() | NOW


def column_named(name: str) -> Column:
    """The column of a name, which may have its table before it and quotes around it."""
    if name.isidentifier():
        return Column(name=name.lower())
    pieces = [piece.strip('`"') for piece in name.split(".")] if "`" not in name or "." in name else [name.strip('`"')]
    table = pieces[-2].lower() if len(pieces) > 1 and not _ALIAS.fullmatch(pieces[-2]) else None
    return Column(name=pieces[-1].lower(), table=table)


_ALIAS = lazy(r"[Tt]\d{1,2}|[a-zA-Z]")
