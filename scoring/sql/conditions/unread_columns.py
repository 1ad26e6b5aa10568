"""Finds columns of CTEs and derived tables that compute a condition and that nothing reads."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from sqlglot import exp

from scoring.specification import Void, VoidKind
from scoring.sql.builder import ComputedColumn, SpecificationBuilder
from scoring.sql.conditions.decoys import literals_among, parts_of
from scoring.sql.from_items import FromItem
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node, Term
from scoring.sql.undoing import note_in

_SHOWN = 160
_PASSED_ON = ("cte:", "derived:")


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
    """Notes each such column with its literals, and leaves out the conditions in it."""
    for each in spec.computed:
        parts = [] if each.term.seen else parts_of(each.output)
        values = literals_among(parts)
        if not values or not any(isinstance(part, exp.Predicate) for part in parts):
            continue
        for key in each.filters:
            spec.filters.pop(key, None)
        note_in(spec, Void(kind=VoidKind.COLUMN, block=each.block, text=each.output.sql()[:_SHOWN], values=values))
