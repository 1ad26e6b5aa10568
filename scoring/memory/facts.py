"""What memory keeps of one answer: digests of its specification, its tables and joins; no text of the query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

from scoring.immutable import immutable
from scoring.specification import Column, Op, Operand, SqlFilter, SqlSpec
from scoring.values import Boolean, Number
from scoring.verdict import Case
from scoring.words import identifier_words

MOST_TABLES = 40
"""Most tables kept of one answer."""
MOST_JOINS = 40
"""Most pairs of joined columns kept of one answer."""
MOST_CONDITIONS = 12
"""Most conditions kept of one answer."""
LONGEST_NAME = 80
"""Longest name of a table or column kept, in characters; the rest is cut off."""


@immutable()
class AnswerFacts:
    """One answer as memory compares it."""

    specification: str
    """Digest of filters, aggregates, grouping, outputs, limits and tables: equal for answers that do the same."""
    filters: str
    """Digest of the conditions alone."""
    tables: tuple[str, ...]
    """The base tables it reads, sorted."""
    joins: tuple[tuple[str, str], ...] = ()
    """Equated columns of two tables, `table.column` each, sorted."""
    conditions: tuple[str, ...] = ()
    """Conditions that the question does not ask for, `table.column` and what they say, sorted; values as digests."""
    conditioned: tuple[str, ...] = ()
    """The columns, `table.column`, on which it has any condition: not stored, for it concerns the answer alone."""


def facts_of(case: Case) -> AnswerFacts:
    """The facts of an answer.

    Aliases, the order of conditions and joins, `IS NOT NULL` guards and the order of rows without a limit make no
    difference. What is counted does: COUNT of a key and of all rows are different facts, as repeated rows may be.
    """
    sql = case.sql
    filters = {_condition(each) for each in sql.filters if each.op is not Op.NOT_NULL}
    tables = {_short(table) for block in sql.blocks for table in block.tables}
    aspects = (
        filters,
        {f"{each.func}({'distinct ' * each.distinct}{_names(each.columns)})" for each in sql.aggregations},
        {_operand(key.operand) for key in sql.group_by},
        {f"{each.operand.func or ''} {_operand(each.operand)}" for each in case.answer},
        _limits(sql),
        tables,
    )
    return AnswerFacts(
        specification=digest([digest(aspect) for aspect in aspects], ordered=True),
        filters=digest(filters),
        tables=tuple(sorted(tables)[:MOST_TABLES]),
        joins=_joins(sql),
        conditions=_unasked(case),
        conditioned=tuple(sorted({_column(column) for each in sql.filters if each.lhs for column in each.lhs.columns})),
    )


def _unasked(case: Case) -> tuple[str, ...]:
    """The conditions on one column of a known table that nothing in the question asks for, or names."""
    said = case.question.stems
    found: set[str] = set()
    for each in (*case.filters.extra, *case.filters.benign):
        lhs = each.lhs
        if lhs is None or lhs.func is not None or len(lhs.columns) != 1:
            continue
        # a guard against NULL says how the query is written
        if each.alternative is not None or each.op is Op.NOT_NULL:
            continue
        if lhs.columns[0].table and said.isdisjoint(telling_words(lhs.columns[0].name)):
            found.add(f"{_column(lhs.columns[0])} {_says(each)}")
    return tuple(sorted(found)[:MOST_CONDITIONS])


def _says(each: SqlFilter) -> str:
    """What a condition says of its column, where `= 0` and `= FALSE` say the same; a value as a digest."""
    match each.rhs:
        case None:
            return each.op.value
        case Boolean(truth):
            said = "yes" if truth else "no"
        case Number(0.0):
            said = "no"
        case Number(1.0):
            said = "yes"
        case _:
            said = digest([str(each.rhs)])[:8]
    return f"{each.op.value} {said}"


_FRAME = frozenset("is has at on date flag code status state type".split())


def telling_words(column: str) -> frozenset[str]:
    """The words of a column's name that a question would say to speak of it.

    >>> sorted(telling_words("is_test")), sorted(telling_words("status_code"))
    (['test'], [])
    """
    return frozenset(identifier_words(column)) - _FRAME


def digest(parts: Iterable[str], *, ordered: bool = False) -> str:
    """Sixteen hexadecimal digits, equal for equal parts.

    >>> digest(["b", "a"]) == digest(["a", "b"]), digest(["b", "a"], ordered=True) == digest(["a", "b"], ordered=True)
    (True, False)
    """
    listed = parts if ordered else sorted(parts)
    joined = "\0".join([f"{len(part)}:{part}" for part in listed])
    return blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _condition(each: SqlFilter) -> str:
    return f"{each.lhs.name if each.lhs is not None else ''} {each.op} {each.rhs}"


def _operand(operand: Operand) -> str:
    return _names(operand.columns) or operand.name


def _names(columns: tuple[Column, ...]) -> str:
    return ",".join(sorted(column.name for column in columns))


def _limits(sql: SqlSpec) -> set[str]:
    """The limits, and the keys that rows are ordered by where a limit cuts them."""
    limited = {limit.block for limit in sql.limits}
    keys = [key for key in sql.order_by if key.block in limited]
    return {f"limit {limit.count} {limit.offset}" for limit in sql.limits} | {
        f"order {_operand(key.operand)} {key.operand.func} {key.descending}" for key in keys
    }


def _joins(sql: SqlSpec) -> tuple[tuple[str, str], ...]:
    pairs: set[tuple[str, str]] = set()
    for left, right in (*(pair for join in sql.joins for pair in join.pairs), *_semi_joins(sql)):
        if left.table and right.table:
            first, second = sorted((_column(left), _column(right)))
            pairs.add((first, second))
    return tuple(sorted(pairs)[:MOST_JOINS])


def _semi_joins(sql: SqlSpec) -> Iterator[tuple[Column, Column]]:
    """The outer key of IN and the column that its subquery gives."""
    given = {each.block: each.operand for each in reversed(sql.projections)} if sql.subqueries else {}
    for each in sql.subqueries:
        inner = given.get(each.block)
        if each.key is not None and inner is not None and len(each.key.columns) == len(inner.columns) == 1:
            yield each.key.columns[0], inner.columns[0]


def _column(column: Column) -> str:
    return f"{_short(column.table or '')}.{_short(column.name)}"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME]
