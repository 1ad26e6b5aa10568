"""Finds references whose result is not determined, so that a comparison with them proves little."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlglot import exp

from references.comparison.alternatives import Alternative, MalformedReferenceError, expand
from references.comparison.plan import Plan, plan
from references.comparison.results import PlainValue, QueryResult, unified
from references.sandbox import Failure
from references.stopped_clocks import shown
from scoring.query import Unscored
from scoring.sql.parsing import parse_query


class Doubt(StrEnum):
    """Why the result of a reference is not determined."""

    LIMIT_CUTS_TIE = "limit_cuts_tie"
    """Rows with equal sort keys are on both sides of the LIMIT."""
    LIMIT_WITHOUT_ORDER = "limit_without_order"
    """A LIMIT without ORDER BY: any rows may be kept."""
    NULL_SORTS_FIRST = "null_sorts_first"
    """The first row is first because its sort key is NULL, not because it is the least."""
    NUMBERS_SORT_AS_TEXT = "numbers_sort_as_text"
    """The sort keys are numbers stored as text: '9' comes after '10'."""
    CONSTANT_OPERAND = "constant_operand"
    """AND or OR has a constant operand: probably a comparison without its left side."""
    LOOSE_COLUMN = "loose_column"
    """A column next to an aggregate is neither grouped nor aggregated: it may come from any row."""
    UNSTEADY_FUNCTION = "unsteady_function"
    """It uses the clock or a random number."""
    ROW_ORDER = "row_order"
    """It returns other rows when its tables hold theirs in reverse."""
    REPEATED_ROWS = "repeated_rows"
    """It returns a row more than once: the same answer with DISTINCT counts as different."""
    EMPTY = "empty"
    """It returns no row here: wrong answers look right."""
    MALFORMED = "malformed"
    """It does not parse, or its braces do not pair."""


@dataclass(frozen=True, slots=True)
class ReferenceDoubt:
    """One doubt about a reference, and the part of the query that raises it."""

    doubt: Doubt
    detail: str


Run = Callable[[str], QueryResult | Failure]
_UNSTEADY = (exp.Rand,)
_ORDER_SHOWS = (exp.Limit, exp.Offset, exp.Fetch, exp.Window, exp.Group, exp.Subquery, exp.AggFunc)
"""Parts of a query through which the order of stored rows can decide its result."""
_ROW_NUMBERS = frozenset({"rowid", "oid", "_rowid_"})
_NOW = frozenset({"now", "random", "randomblob", "uuid", "gen_random_uuid"})


def lint(
    reference: str, dialect: str, run: Run | None = None, reversed_rows: Run | None = None
) -> tuple[ReferenceDoubt, ...]:
    """Returns the doubts about every query that a reference stands for. Doubts about its rows need `run`.

    `reversed_rows` runs a query where the tables hold their rows in reverse.

    >>> [each.doubt.value for each in lint("SELECT a FROM t WHERE b != '-' OR '+'", "sqlite")]
    ['constant_operand']
    >>> [each.doubt.value for each in lint("SELECT a FROM t LIMIT 3", "sqlite")]
    ['limit_without_order']
    """
    try:
        alternatives = expand(reference).alternatives
    except MalformedReferenceError as error:
        return (ReferenceDoubt(Doubt.MALFORMED, str(error)),)
    found: dict[ReferenceDoubt, None] = {}
    for sql in dict.fromkeys(each.sql for each in alternatives):
        found.update(dict.fromkeys(_of_query(sql, dialect, run, reversed_rows)))
    return tuple(found)


def _of_query(sql: str, dialect: str, run: Run | None, reversed_rows: Run | None) -> Iterator[ReferenceDoubt]:
    parsed = parse_query(sql, dialect)
    if isinstance(parsed, Unscored):
        yield ReferenceDoubt(Doubt.MALFORMED, parsed.detail)
        return
    yield from _of_tree(parsed.tree, dialect)
    if run is not None:
        again = reversed_rows if _may_depend_on_order(parsed.tree, dialect) else None
        yield from _of_rows(plan(Alternative(sql=sql), dialect), run, again)


def _of_tree(tree: exp.Expr, dialect: str) -> Iterator[ReferenceDoubt]:
    for connective in tree.find_all(exp.And, exp.Or):
        for operand in (connective.left, connective.right):
            if isinstance(operand.unnest(), exp.Literal | exp.Null):
                yield ReferenceDoubt(Doubt.CONSTANT_OPERAND, connective.sql(dialect=dialect))
    for call in tree.find_all(exp.Func):
        if _is_unsteady(call, dialect) or _asks_now(call):
            yield ReferenceDoubt(Doubt.UNSTEADY_FUNCTION, call.sql(dialect=dialect))
    for select in tree.find_all(exp.Select):
        if select.args.get("limit") is not None and select.args.get("order") is None and not _one_row(select):
            yield ReferenceDoubt(Doubt.LIMIT_WITHOUT_ORDER, select.args["limit"].sql(dialect=dialect).strip())
        for column in _loose_columns(select):
            yield ReferenceDoubt(Doubt.LOOSE_COLUMN, column.sql(dialect=dialect))


def _is_unsteady(call: exp.Func, dialect: str) -> bool:
    return isinstance(call, _UNSTEADY) or call.name.lower() in _NOW or shown(call, dialect) is not None


def _asks_now(call: exp.Func) -> bool:
    first = next(iter(call.iter_expressions()), None)
    return isinstance(first, exp.Literal) and first.is_string and first.name.lower() == "now"


def _one_row(select: exp.Select) -> bool:
    return select.args.get("group") is None and any(_aggregates(each) for each in select.selects)


def _aggregates(projection: exp.Expr) -> bool:
    return any(call.find_ancestor(exp.Window, exp.Subquery) is None for call in projection.find_all(exp.AggFunc))


def _loose_columns(select: exp.Select) -> Iterator[exp.Expr]:
    """Yields selected columns whose value a GROUP BY, written or implied, does not determine."""
    grouped = select.args.get("group")
    if grouped is None and not _one_row(select):
        return
    keys = list(grouped.expressions) if isinstance(grouped, exp.Group) else []
    places = {int(key.name) for key in keys if isinstance(key, exp.Literal) and key.name.isdigit()}
    columns = [key for key in keys if isinstance(key, exp.Column)]
    for place, column in _selected_columns(select):
        if place not in places and not _fixed_by(columns, column):
            yield column


def _fixed_by(keys: Sequence[exp.Column], column: exp.Column) -> bool:
    """Whether rows that agree in the grouped columns agree in this one too.

    Grouping by a table's key fixes its other columns. SQL alone does not say which column is the key, so names that
    end in `id` count.
    """
    owners = {key.table.lower() for key in keys if key.name.lower().endswith("id")}
    return column.table.lower() in owners or any(key.name.lower() == column.name.lower() for key in keys)


def _selected_columns(select: exp.Select) -> Iterator[tuple[int, exp.Column]]:
    """The plain columns of the select list, with their places from 1."""
    for place, projection in enumerate(select.selects, start=1):
        column = projection.unalias()
        if isinstance(column, exp.Column) and not column.is_star:
            yield place, column


def _may_depend_on_order(tree: exp.Expr, dialect: str) -> bool:
    """Whether the order of stored rows can show: most queries have no part that would let it."""
    named_by_row = any(column.name.lower() in _ROW_NUMBERS for column in tree.find_all(exp.Column))
    unsteady = any(_is_unsteady(call, dialect) for call in tree.find_all(exp.Func))
    return not named_by_row and not unsteady and next(tree.find_all(*_ORDER_SHOWS), None) is not None


def _of_rows(asked: Plan, run: Run, reversed_rows: Run | None) -> Iterator[ReferenceDoubt]:
    reference = run(asked.sql)
    if isinstance(reference, Failure):
        yield ReferenceDoubt(Doubt.MALFORMED, reference.detail)
        return
    if not reference.rows:
        yield ReferenceDoubt(Doubt.EMPTY, "it returns no row")
    again = reversed_rows(asked.sql) if reversed_rows is not None else reference
    first, second = unified(reference, again if isinstance(again, QueryResult) else reference)
    repeats = Counter(first)
    if other := (repeats - Counter(second)).total():
        detail = f"with the rows of its tables in reverse, {other} of its {len(first)} rows are other ones"
        yield ReferenceDoubt(Doubt.ROW_ORDER, detail)
    if len(repeats) < len(first):
        yield ReferenceDoubt(Doubt.REPEATED_ROWS, f"{len(first)} rows, of which {len(repeats)} are distinct")
    whole = run(asked.whole) if asked.whole is not None and asked.ordered else None
    if isinstance(whole, QueryResult) and whole.rows:
        yield from _of_sorting(asked, whole)


def _of_sorting(asked: Plan, whole: QueryResult) -> Iterator[ReferenceDoubt]:
    (rows,) = unified(whole)
    sort = [tuple(row[place] for place in asked.keys) for row in rows]
    stop = len(sort) if asked.count is None else asked.start + asked.count
    for edge in (asked.start, stop):
        if 0 < edge < len(sort) and sort[edge - 1] == sort[edge]:
            yield ReferenceDoubt(Doubt.LIMIT_CUTS_TIE, f"rows {edge} and {edge + 1} are equal in the sort keys")
    if asked.count is not None and sort[min(asked.start, len(sort) - 1)][0] is None:
        yield ReferenceDoubt(Doubt.NULL_SORTS_FIRST, "the first sort key of the first row is NULL")
    if any(_numbers_as_text([row[place] for row in whole.rows]) for place in asked.keys):
        yield ReferenceDoubt(Doubt.NUMBERS_SORT_AS_TEXT, "a sort key holds numbers as text")


def _numbers_as_text(values: list[object]) -> bool:
    texts = [value for value in values if isinstance(value, str) and value.strip()]
    plain: list[PlainValue] = [text.strip().lstrip("-").replace(".", "", 1).isdigit() for text in texts]
    return len(texts) > 1 and all(plain) and len({len(text.partition(".")[0]) for text in texts}) > 1
