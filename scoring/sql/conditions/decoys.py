"""Notes conditions that read no row: their literals look like a filter and restrict nothing."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from scoring.specification import VoidKind
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node
from scoring.sql.undoing import MOST, note

_MOST_NODES = 60
_PLAIN = ("", "0", "1")
_READING = (exp.Column, exp.From, exp.AggFunc, exp.Window, exp.Parameter, exp.Placeholder, exp.SessionParameter)


def note_decoy(scope: Scope, node: Node) -> None:
    """Notes a condition on literals and calls of literals alone, such as `TRIM('x') = 'x'`; large ones are left out."""
    if scope.spec.times_noted[VoidKind.DECOY] == MOST:
        return
    parts = parts_of(node)
    if not any(isinstance(each, _READING) for each in parts) and (values := literals_among(parts)):
        note(scope, VoidKind.DECOY, node.sql(), values=values)


def parts_of(node: Node) -> list[Node]:
    """An expression and all its parts; none of a large one."""
    found = [node]
    for place in range(_MOST_NODES):
        if place == len(found):
            return found
        found += found[place].iter_expressions()
    return []


def literals_among(parts: Iterable[Node]) -> tuple[str, ...]:
    """The texts and numbers among the parts of an expression, without wildcards around them, and without 0 and 1."""
    found = [each.name.strip("%_ ").casefold() for each in parts if type(each) is exp.Literal]
    return tuple(dict.fromkeys([each for each in found if each not in _PLAIN]))
