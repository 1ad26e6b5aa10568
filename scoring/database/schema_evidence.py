"""What the tenant's schema says about an answer, as log-odds: fixed, bounded weights beside the fitted ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scoring.patterns import lazy
from scoring.reason_kinds import NAMES_ONLY
from scoring.reasons import ReasonCode
from scoring.schema import ColumnType, DatabaseSchema, UnknownNames, in_order
from scoring.specification import Column, Op, SqlFilter
from scoring.values import Choices, Text, Value
from scoring.verdict import Case, Reason

TABLE_UNKNOWN = -4.0
COLUMN_UNKNOWN = -4.0
TYPE_UNLIKE = -1.5
JOIN_UNDECLARED = -0.8
MOST_EXCUSED = 2.0
"""Most log-odds that joins on declared keys give back."""
MOST_NAMED = 3
"""Most tables or columns that a reason names."""
_COMPARED = frozenset({Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE, Op.IN, Op.NOT_IN})
_NUMBER = lazy(r"\s*[-+]?(?:\d[\d_,]*)?\.?\d*(?:e[-+]?\d+)?\s*", re.IGNORECASE)


def weigh_schema(case: Case, seen: Sequence[Reason]) -> list[Reason]:
    """The reasons that the schema gives beside those already `seen`; none without a schema."""
    schema = case.rules.schema
    if schema is None or case.ran_nothing:
        return []
    unknown = case.sql.unknown or UnknownNames()
    found = [_tables(unknown), _columns(unknown), _types(case, schema), _joins(case, schema, seen)]
    return [each for each in found if each is not None]


def _tables(unknown: UnknownNames) -> Reason | None:
    return _unknown(ReasonCode.TABLE_UNKNOWN, "tables", unknown.tables, TABLE_UNKNOWN)


def _columns(unknown: UnknownNames) -> Reason | None:
    return _unknown(ReasonCode.COLUMN_UNKNOWN, "columns", unknown.columns, COLUMN_UNKNOWN)


def _unknown(code: ReasonCode, what: str, names: Sequence[str], weight: float) -> Reason | None:
    if not names:
        return None
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    named = ", ".join(names[:MOST_NAMED])
    return Reason(code=code, detail=f"{what} that the schema does not have: {named}{more}", weight=weight)


def _types(case: Case, schema: DatabaseSchema) -> Reason | None:
    """A text that is no number, compared with a column of numbers."""
    unlike = next((pair for join in case.sql.joins for pair in join.pairs if _unlike(pair, schema)), None)
    if unlike is not None:
        (one, other) = unlike
        detail = f"{one.table}.{one.name} and {other.table}.{other.name} hold numbers and texts, and are joined"
        return Reason(code=ReasonCode.TYPE_UNLIKE, detail=detail, weight=TYPE_UNLIKE)
    for each in case.sql.filters:
        column = _own_column(each)
        if column is None or schema.kind(column.table, column.name.lower()) is not ColumnType.NUMBER:
            continue
        word = next((text for text in _texts(each.rhs) if _NUMBER.fullmatch(text) is None), None)
        if word is not None:
            detail = f"{column.table}.{column.name} holds numbers and is compared with a text: {each.text}"
            return Reason(code=ReasonCode.TYPE_UNLIKE, detail=detail, weight=TYPE_UNLIKE)
    return None


def _unlike(pair: tuple[Column, Column], schema: DatabaseSchema) -> bool:
    """Whether a join compares a column of numbers with one of texts, and is no declared key."""
    kinds = {schema.kind(each.table, each.name.lower()) for each in pair}
    one, other = (f"{each.table}.{each.name}" for each in pair)
    return kinds == {ColumnType.NUMBER, ColumnType.TEXT} and in_order(one, other) not in schema.keys


def _own_column(each: SqlFilter) -> Column | None:
    """The column that a filter compares as it is."""
    lhs = each.lhs
    if each.op not in _COMPARED or lhs is None or lhs.func is not None or len(lhs.columns) != 1:
        return None
    return lhs.columns[0] if lhs.name == lhs.columns[0].name else None


def _texts(value: Value | None) -> Iterator[str]:
    if isinstance(value, Text):
        yield value.folded
    elif isinstance(value, Choices):
        yield from (each.folded for each in value.members if isinstance(each, Text))


class _Joined(NamedTuple):
    """Two columns that the SQL equates."""

    text: str
    tables: tuple[str, str]
    declared: bool


def _joins(case: Case, schema: DatabaseSchema, seen: Sequence[Reason]) -> Reason | None:
    """Joins on declared keys are excused where only names made them suspicious; joins past a declared key are not."""
    joined = [_joined(one, other, schema) for join in case.sql.joins for one, other in join.pairs]
    if not joined:
        return None
    return _excused(joined[0], seen) if all(each.declared for each in joined) else _past(joined, schema)


def _joined(one: Column, other: Column, schema: DatabaseSchema) -> _Joined:
    left, right = (f"{each.table}.{each.name}".lower() for each in (one, other))
    tables = in_order((one.table or "").lower(), (other.table or "").lower())
    return _Joined(f"{left} = {right}", tables, in_order(left, right) in schema.keys)


def _excused(first: _Joined, seen: Sequence[Reason]) -> Reason | None:
    suspected = -sum(each.weight for each in seen if each.code in NAMES_ONLY and each.weight < 0)
    if suspected <= 0:
        return None
    weight = round(min(MOST_EXCUSED, suspected), 3)
    return Reason(code=ReasonCode.JOIN_DECLARED, detail=f"{first.text} is a declared key", weight=weight)


def _past(joined: Sequence[_Joined], schema: DatabaseSchema) -> Reason | None:
    """A join of two different tables by other columns than their key, where no join of the two uses it."""
    by_key = {each.tables for each in joined if each.declared}
    keyed = schema.joined - by_key
    past = next((each for each in joined if each.tables in keyed and each.tables[0] != each.tables[1]), None)
    if past is None:
        return None
    detail = f"{past.text} is no declared key, and these tables have one"
    return Reason(code=ReasonCode.JOIN_UNDECLARED, detail=detail, weight=JOIN_UNDECLARED)
