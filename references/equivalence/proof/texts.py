"""Encodes texts as integers that sort like them, and functions of which only determinism is known."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

from sqlglot import exp

from references.equivalence.proof.logic import Bit, Number, Sort, UnknownValue, Unprovable, integer, none, some, z3
from references.sandbox import Folding

_GAP = 1_000
"""Integers between two texts of the queries, for the texts between them."""
_LAST_YEAR = 9990
_NUMBER = re.compile(r"\s*[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?\s*")


class Texts:
    """The texts in two queries, numbered in SQLite's order. Other integers are other texts."""

    __slots__ = ("_codes", "_names", "folding")

    def __init__(self, trees: Iterable[exp.Expr], folding: Folding = Folding.LIKE) -> None:
        self.folding = folding
        found = {str(each.this) for tree in trees for each in tree.find_all(exp.Literal)}
        found |= {each.name for tree in trees for each in tree.find_all(exp.Identifier) if each.args.get("quoted")}
        self._names = sorted(found, key=lambda text: text.encode("utf-8", "surrogatepass"))
        self._codes = {name: (index + 1) * _GAP for index, name in enumerate(self._names)}
        if folding is Folding.ALWAYS and len({name.lower() for name in self._names}) < len(self._names):
            raise Unprovable("texts of the queries that differ only in letter case")

    def term(self, text: str) -> UnknownValue:
        """The term of a text in the queries."""
        return UnknownValue(null=False, value=integer(self._codes[text]), sort=Sort.TEXT, literal=text)

    def known(self) -> Iterable[tuple[str, int]]:
        """All texts with their numbers."""
        return self._codes.items()

    def text(self, code: int) -> str:
        """Decodes a number of the solver to a text."""
        below, rest = self._below(code)
        if rest == 0:
            return below
        if not self._names:
            return f"t{code}"
        return f"{below} {rest:03d}" if below else f" {code + 10 * _GAP:05d}"

    def day(self, code: int) -> str:
        """Decodes a number to a date: one after the next lower date, with a time of day when no date is free."""
        below, rest = self._below(code)
        start = _day(below or "1970-01-01")
        if rest == 0 or start is None:
            return below if rest == 0 else self.text(code)
        later = start + timedelta(days=rest % _GAP) if start.year < _LAST_YEAR else start
        above = next((name for name in self._names if name > below), None)
        if later > start and (above is None or later.isoformat() < above):
            return later.isoformat()
        return f"{start.isoformat()} 00:{rest // 60 % 60:02d}:{rest % 60:02d}"

    def _below(self, code: int) -> tuple[str, int]:
        """The last text of the queries up to a number, and the distance from it."""
        index = min(code // _GAP, len(self._names))
        return (self._names[index - 1], code - index * _GAP) if index > 0 else ("", code or 1)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def number_in(text: str, *, whole: bool = True) -> int | Fraction | None:
    """The number that a text spells, or with `whole` false begins with, as SQLite reads it.

    >>> number_in("12"), number_in("1.50"), number_in("+-"), number_in("7 apples", whole=False)
    (12, Fraction(3, 2), None, 7)
    """
    match = _NUMBER.fullmatch(text) if whole else _NUMBER.match(text)
    if match is None:
        return None if whole else 0
    found = Fraction(match.group().strip())
    return int(found) if found.denominator == 1 and not re.search(r"[.eE]", match.group()) else found


class Functions:
    """Functions that the proof does not compute: it only knows that equal arguments give equal results."""

    __slots__ = ("_made", "_texts", "facts")

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._made: dict[str, tuple[Any, Any]] = {}
        self.facts: list[Bit] = []
        """What is known about LIKE and GLOB on the texts of the queries."""

    def call(self, name: str, arguments: Sequence[UnknownValue], sort: Sort) -> UnknownValue:
        """Applies a function. The result is NULL when an argument is, or when the function returns NULL."""
        moving = [each for each in arguments if each.literal is None]
        fixed = [f"{each.literal!r}" if each.literal is not None else _form(each) for each in arguments]
        result, empty = self._functions(f"{name}({','.join(fixed)}):{sort.name}", moving, sort)
        values = [each.value for each in moving]
        null = some((*(each.null for each in arguments), empty(*values) if values else z3.Bool(f"null {name} {fixed}")))
        return UnknownValue(
            null=null, value=result(*values) if values else self._fixed(f"{name} {fixed}", sort), sort=sort
        )

    def _fixed(self, name: str, sort: Sort) -> Number:
        return z3.Real(name) if sort is Sort.REAL else z3.Int(name)

    def _functions(self, name: str, moving: Sequence[UnknownValue], sort: Sort) -> tuple[Number, Number]:
        if name not in self._made:
            kinds = [z3.RealSort() if each.sort is Sort.REAL else z3.IntSort() for each in moving]
            kind = z3.RealSort() if sort is Sort.REAL else z3.IntSort()
            self._made[name] = (z3.Function(name, *kinds, kind), z3.Function(f"null {name}", *kinds, z3.BoolSort()))
        return self._made[name]

    def like(self, term: UnknownValue, pattern: str, operator: str) -> Bit:
        """Whether a text matches a pattern, which is known for the texts of the queries."""
        if self._texts.folding is not Folding.LIKE and operator == "LIKE" and not set(pattern) & set("%_"):
            return term.value == self._texts.term(pattern).value
        name = f"{operator} {pattern!r}"
        if name not in self._made:
            function = z3.Function(name, z3.IntSort(), z3.BoolSort())
            self._made[name] = (function, function)
            matches = _matcher(operator, pattern, self._texts.folding)
            for text, code in self._texts.known():
                fact = function(integer(code))
                self.facts.append(fact if matches(text) else none(fact))
        return self._made[name][0](term.value)


def _form(term: UnknownValue) -> str:
    return f"?{term.sort.name}{''.join(term.spelling.pieces) if term.spelling is not None else ''}"


def _matcher(operator: str, pattern: str, folding: Folding) -> Callable[[str], bool]:
    """Asks SQLite whether texts match a pattern."""
    connection = sqlite3.connect(":memory:")
    connection.execute(f"PRAGMA case_sensitive_like = {int(folding is Folding.NEVER)}")

    def matches(text: str) -> bool:
        return bool(connection.execute(f"SELECT ? {operator} ?", (text, pattern)).fetchone()[0])

    return matches
