"""What the tenant's schema says about an answer, as log-odds: fixed, bounded weights beside the fitted ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scoring.reason_kinds import NAMES_ONLY
from scoring.reasons import ReasonCode
from scoring.schema import ColumnType, DatabaseSchema, in_order
from scoring.specification import Column, Op, Projection, SourceKind, SqlFilter
from scoring.values import Choices, Text, Value
from scoring.verdict import Case, Reason

TABLE_UNKNOWN = -4.0
COLUMN_UNKNOWN = -4.0
TYPE_UNLIKE = -1.5
JOIN_UNDECLARED = -0.8
MOST_EXCUSED = 2.0
"""Most log-odds that joins on declared keys give back."""
MOST_EXPLAINED = 16
"""Most missing columns for which another meaning is looked for."""
MOST_NAMED = 3
"""Most tables or columns that a reason names."""
QUOTED_NAMES = frozenset("postgres redshift oracle snowflake trino presto athena duckdb materialize risingwave".split())
"""Dialects in which double quotes never hold a text."""
PSEUDO_COLUMNS = frozenset(
    "rowid oid _rowid_ ctid xmin xmax tableoid rownum level sysdate systimestamp user current_date current_time"
    " current_timestamp current_user session_user localtime localtimestamp nextval currval _partitiontime"
    " _partitiondate _table_suffix * value key ordinality offset".split()
)
"""Columns that every table has, and words that read as columns and are none."""
_COMPARED = frozenset({Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE, Op.IN, Op.NOT_IN})
_NUMBER = re.compile(r"\s*[-+]?(?:\d[\d_,]*)?\.?\d*(?:e[-+]?\d+)?\s*", re.IGNORECASE)


def weigh_schema(case: Case, seen: Sequence[Reason]) -> list[Reason]:
    """The reasons that the schema gives beside those already `seen`; none without a schema."""
    schema = case.rules.schema
    if schema is None or case.ran_nothing:
        return []
    found = [_tables(case, schema), _columns(case, schema), _types(case, schema), _joins(case, schema, seen)]
    return [each for each in found if each is not None]


def _tables(case: Case, schema: DatabaseSchema) -> Reason | None:
    read = {each.name.lower() for each in case.sql.sources if each.kind is SourceKind.DATA and each.name}
    unknown = sorted(name for name in read if not schema.knows(name))
    return _unknown(ReasonCode.TABLE_UNKNOWN, "tables that the schema does not have", unknown, TABLE_UNKNOWN)


def _columns(case: Case, schema: DatabaseSchema) -> Reason | None:
    read = {table.lower() for block in case.sql.blocks for table in block.tables}
    if not read or not all(table in schema.tables for table in read) or not _is_data(case):
        # a view, an unknown table and a function may have any column
        return None
    nested = len(case.sql.blocks) > 1
    missing = sorted(
        (column.table or "", column.name)
        for column in case.sql.columns
        if not _exists(column, read, schema, nested=nested)
    )
    # the first ones alone: each is looked for in the whole text
    unknown = _not_explained([Column(name, table or None) for table, name in missing[:MOST_EXPLAINED]], read, case)
    names = [_full_name(each) for each in unknown]
    return _unknown(ReasonCode.COLUMN_UNKNOWN, "columns that the schema does not have", names, COLUMN_UNKNOWN)


def _full_name(column: Column) -> str:
    return f"{column.table}.{column.name}" if column.table else column.name


def _not_explained(missing: Sequence[Column], read: set[str], case: Case) -> list[Column]:
    """Those that are no alias of an output and can mean nothing but a column."""
    if not missing:
        return []
    text, dialect = case.query.sql.lower(), case.sql.dialect
    aliases = {each.alias for each in case.sql.projections if each.alias is not None and not _renames_nothing(each)}
    return [each for each in missing if each.name not in aliases and not _means_else(each, read, text, dialect)]


def _renames_nothing(each: Projection) -> bool:
    """Whether an output is a column under its own name, so that its alias proves no other column."""
    return any(column.name == each.alias for column in each.operand.columns)


def _means_else(column: Column, read: set[str], text: str, dialect: str) -> bool:
    """Whether the name may stand for a text in double quotes, for a whole row, or for a part of a column."""
    if dialect not in QUOTED_NAMES and f'"{column.name}"' in text:
        return True
    name = re.escape(column.name.lower())
    if column.table is None:
        return re.search(rf"\.\s*\w+\s*\.\s*{name}\b", text) is not None
    table = re.escape(column.table.lower())
    return column.name.lower() in read or re.search(rf"\b{table}\W?\s+(?:as\s+)?{name}\b", text) is not None


def _is_data(case: Case) -> bool:
    return all(each.kind is SourceKind.DATA for each in case.sql.sources)


def _exists(column: Column, read: set[str], schema: DatabaseSchema, *, nested: bool) -> bool:
    name = column.name.lower()
    if name in PSEUDO_COLUMNS or (column.table is not None and column.table.lower() not in read):
        return True
    if column.table is not None and not nested:
        return name in schema.tables[column.table.lower()]
    # a name in a subquery may belong to the query around it
    return any(name in schema.tables[table] for table in read)


def _unknown(code: ReasonCode, what: str, names: list[str], weight: float) -> Reason | None:
    if not names:
        return None
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return Reason(code=code, detail=f"{what}: {', '.join(names[:MOST_NAMED])}{more}", weight=weight)


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
