"""Finds conditions that read no row and computed columns that nothing reads: their literals look like a filter."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from sqlglot import exp

from scoring.specification import Void, VoidKind
from scoring.sql.builder import ComputedColumn, SpecificationBuilder
from scoring.sql.from_items import FromItem
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node, Term
from scoring.sql.voids.notes import MOST, SHOWN, note, note_in

_MOST_NODES = 60
_PLAIN = ("", "0", "1")
_PASSED_ON = ("cte:", "derived:")
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


def note_computed(scope: Scope, output: Node, term: Term, filters: int) -> None:
    """Keeps a named output of a block whose columns others name, with the conditions read since there were so many."""
    spec = scope.spec
    if is_passed_on(scope.path) and type(output.args["this"]) is not exp.Column:
        spec.computed.append(ComputedColumn(term, output, scope.path, tuple(islice(spec.filters, filters, None))))


def is_passed_on(path: str) -> bool:
    """Whether a block is a CTE or a derived table, of which others read the columns that they name."""
    return path.rpartition("/")[2].startswith(_PASSED_ON)


def show_all(scope: Scope, stars: Iterable[FromItem]) -> None:
    """`*` of a block whose columns nothing else can name shows all columns of its items."""
    if is_passed_on(scope.path):
        return
    waiting, known = list(stars), set[int]()
    while waiting:
        item = waiting.pop()
        if id(item) not in known:
            known.add(id(item))
            waiting += item.stars
            for term in item.columns:
                term.seen = True


def note_unread_columns(spec: SpecificationBuilder) -> None:
    """Notes each computed column that nothing names, with its literals, and leaves out the conditions in it."""
    for each in spec.computed:
        parts = [] if each.term.seen else parts_of(each.output)
        values = literals_among(parts)
        if not values or not any(isinstance(part, exp.Predicate) for part in parts):
            continue
        for key in each.filters:
            spec.filters.pop(key, None)
        note_in(spec, Void(kind=VoidKind.COLUMN, block=each.block, text=each.output.sql()[:SHOWN], values=values))
