"""Notes arms of an OR that read columns of their own: rows come in for which the question must ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlglot import exp

from scoring.specification import VoidKind
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node
from scoring.sql.undoing import note

_MOST_ARMS = 8
_MOST_NODES = 60


def note_apart(scope: Scope, nodes: Sequence[Node]) -> None:
    """Notes each arm whose columns no other arm reads, with its columns, tables and literals.

    ORs of many arms, or of large ones, are left out.
    """
    arms = [_names(node) for node in nodes] if 2 <= len(nodes) <= _MOST_ARMS else []
    known = [each for each in arms if each is not None]
    if len(known) < len(arms):
        return
    read = Counter(name for columns, _ in known for name in columns)
    for node, (columns, others) in zip(nodes, known, strict=False):
        if columns and all(read[name] == 1 for name in columns):
            note(scope, VoidKind.APART, node.sql(), values=(*sorted(columns), *sorted(others)))


def _names(node: Node) -> tuple[set[str], set[str]] | None:
    """The columns of an arm, and its tables and literals; `None` of a large arm."""
    columns: set[str] = set()
    others: set[str] = set()
    waiting = [node]
    for _ in range(_MOST_NODES):
        if not waiting:
            return columns, others
        part = waiting.pop()
        if isinstance(part, exp.Column):
            columns.add(part.name.casefold())
            continue
        if isinstance(part, exp.Literal | exp.Table):
            others.add(part.name.casefold())
        waiting += part.iter_expressions()
    return None
