"""Finds how one row of each group is chosen, and from which rows; and steps from one row to the next."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from scoring.specification import Column
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.selects import Select, written
from scoring.sql.shapes.windows import first_columns, first_ranks, order_of, partition_of

_TESTS = (exp.EQ, exp.NEQ, exp.In, exp.Between, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.ILike)
STEPS = (exp.Sub, exp.Add, exp.DateDiff, exp.DateAdd, exp.DateSub, exp.TsOrDsAdd, exp.TsOrDsDiff, exp.TimestampDiff)
"""What may compute how far one row is from the next."""
_MOVES = frozenset({"datediff", "dateadd", "date_add", "date_sub", "adddays", "subtractdays", "julianday", "date"})


def choices(select: Select) -> Iterator[Shape]:
    """The groups of which the first row is taken, and the conditions that rows meet before."""
    for place, window in first_ranks(select):
        columns = [each for key in partition_of(place, window) for each in place.columns_in(key)]
        keys = tuple(found.column for each in columns if (found := place.origin(each)) is not None)
        yield Shape(kind=ShapeKind.RANK_GROUPS, text=written(window)[:120], columns=keys)
        yield from _conditions(place, first_columns(place, order_of(place, window))[:1])
    distinct, order = select.node.args.get("distinct"), select.node.args.get("order")
    if distinct is not None and distinct.args.get("on") is not None and order is not None:
        yield from _conditions(select, first_columns(select, order.expressions[-1:])[:1])
    yield from _of_extremes(select)


def _of_extremes(select: Select) -> Iterator[Shape]:
    """The conditions that rows meet before MIN or MAX takes a value of each group."""
    for each in select.shown if select.is_grouped else ():
        if isinstance(each, (exp.Min, exp.Max)) and isinstance(each.this, exp.Column):
            found = select.origin(each.this)
            yield from _conditions(select, (found.column,)) if found is not None else ()


def _conditions(select: Select, followed: tuple[Column, ...]) -> Iterator[Shape]:
    """The conditions of a SELECT that compare a column with constants."""
    for each in select.conjuncts("where") if followed else ():
        columns = [found.column for node in select.columns_in(each) if (found := select.origin(node)) is not None]
        if isinstance(each, _TESTS) and len(columns) == 1:
            values = tuple(node.name.casefold() for node in each.find_all(exp.Literal) if node.is_string)
            yield Shape(
                kind=ShapeKind.CHOSEN, text=written(each)[:100], columns=(columns[0], followed[0]), words=values[:8]
            )


def steps(select: Select) -> Iterator[Shape]:
    """Differences between rows: of a date and a row number, of a row and the one before, or of two rows."""
    for each in select.own:
        if not (isinstance(each, STEPS) or (isinstance(each, exp.Anonymous) and each.name.lower() in _MOVES)):
            continue
        if type(each.parent) is type(each) or each.find(exp.Column) is None:
            continue  # a term of a longer sum, which is listed whole
        window = each.find(exp.Window)
        numbered = window is not None and isinstance(window.this, (exp.RowNumber, exp.DenseRank))
        alone = window is not None and numbered and not partition_of(select, window)
        yield Shape(kind=ShapeKind.STEP, text=written(each)[:100], words=("no PARTITION BY",) if alone else ())
