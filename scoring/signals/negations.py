"""The signal that things which never do something are looked for row by row."""

from __future__ import annotations

import re

from scoring.display import show_filter
from scoring.linking import content_words
from scoring.patterns import lazy
from scoring.signals.filters import applied
from scoring.signals.finding import Finding
from scoring.signals.times import older_rows
from scoring.specification import Clause, Op, SqlFilter, SqlSpec, SubqueryRole
from scoring.sql.shapes.naming import table_words
from scoring.values import Number, Value
from scoring.verdict import Case

_NEVER = lazy(
    r"\b(?:do|does|did|have|has|had)(?: not|n['’]?t)\b(?! been \w+ed\b)"
    r"|\bnever\b|(?<!were )(?<!was )(?<!are )(?<!is )\bneither\b|\bwithout\b|\bnot the\b|\bexcept\b"
    r"|\bno\b(?![- ]?shows?\b| (?:need|rush|idea|worr|problem|hurry|longer))",
    re.IGNORECASE,
)
"""`have not been cancelled` tells the state of a row itself."""
_ROW_NEGATIONS = frozenset(
    {Op.NE, Op.NOT_CONTAINS, Op.NOT_LIKE, Op.NOT_IN, Op.NOT_STARTS_WITH, Op.NOT_ENDS_WITH, Op.NOT_WITHIN}
)


def negation_per_row(case: Case) -> Finding | None:
    """Things that never do something are asked for, and the SQL keeps every row that differs.

    A pilot with one flight to Oslo and one to Rome has a row that is not Oslo, yet does fly to Oslo. Such a question
    needs NOT IN, NOT EXISTS or EXCEPT over the thing itself.

    >>> negation_per_row(case("Which pilots do not fly to Oslo?",
    ...     "SELECT pilot FROM flights WHERE city <> 'Oslo'")).detail
    "'do not' tested row by row: city != 'oslo'"
    """
    older = older_rows(case)
    if older is not None and (not _excludes_things(case.sql) or _is_or_none(older, case.sql)):
        return Finding(1.0, f"one older row: {older.text}")
    differing = next((each for each in applied(case) if each.op in _ROW_NEGATIONS), None)
    if differing is None or _excludes_things(case.sql) or not _tests_rows(differing, case):
        return None
    found = _NEVER.search(case.question.text)
    if found is None or _OF_ROWS.match(case.question.text, found.start()) is not None:
        return None
    if _keeps_nulls(found.group().lower(), case) or _is_of_rows(differing, case):
        return None
    return Finding(1.0, f"'{found.group().lower()}' tested row by row: {show_filter(differing)}")


def _is_or_none(older: SqlFilter, sql: SqlSpec) -> bool:
    """Whether an older row is as good as none, beside newer ones too: `b.id IS NULL OR b.made_at < '2026-01-01'`."""
    tables = {column.table for column in older.lhs.columns} if older.lhs is not None else set[str | None]()
    read = next((block.tables for block in sql.blocks if block.path == older.block), ())
    absent = [each for each in sql.filters if each.op is Op.IS_NULL and each.alternative == older.alternative]
    missing = {column.table for each in absent if each.lhs is not None for column in each.lhs.columns}
    return older.alternative is not None and not tables.isdisjoint(missing) and not tables.isdisjoint(read)


def _is_of_rows(differing: SqlFilter, case: Case) -> bool:
    """Whether rows are meant to differ, and not things: a sum of rows, or rows without a value among them."""
    return _adds_up(case) or (not case.sql.joins and _or_missing(differing, case.sql))


def _adds_up(case: Case) -> bool:
    """Whether nothing but one sum of rows is shown: revenue without vouchers is that of the other rows."""
    plain = [each.operand.func for each in case.answer if not each.conditional]
    return plain == ["SUM"] and len(case.answer) == 1 and not case.sql.group_by


def _or_missing(differing: SqlFilter, sql: SqlSpec) -> bool:
    """Whether rows without a value are kept beside those with another one: `tier <> 'gold' OR tier IS NULL`."""
    return differing.alternative is not None and any(
        each.op is Op.IS_NULL and each.alternative == differing.alternative and each.lhs == differing.lhs
        for each in sql.filters
    )


def _keeps_nulls(word: str, case: Case) -> bool:
    """Whether the SQL keeps rows without a value, so that each row is meant, and not other rows of a thing."""
    safe = word == "no" and _NULL_SAFE.search(case.written) is not None
    return safe or (_OR_NULL.search(case.written) is not None and _has_own_rows(case))


_OF_ROWS = lazy(
    r"(?i)(?:without|exclud\w+|except)(?: for)? the (?:\w+ )?(?:ones|rows)\b"
    r"|d(?:o|oes|id)(?:n['’]?t| not) (?:count|match|equal|agree|add up|tie)\b"
)
"""An exclusion of rows, and not of things: `without the cancelled ones`, `rejected ones don't count`."""
_NULL_SAFE = lazy(r"\bis distinct from\b|\b(?:coalesce|isnull|ifnull|nvl)\(", re.IGNORECASE)
_OR_NULL = lazy(r"\bis null\s+or\b|\bor\s+[\w.]+\s+is null\b", re.IGNORECASE)


def _has_own_rows(case: Case) -> bool:
    """Whether the things that are counted have one row each: `how many claims did not end well` from `claims`."""
    tables = {name for block in case.sql.blocks for name in block.tables}
    counted = {word for each in case.question.aggregations for word in content_words(each.column)[-1:]}
    return len(tables) == 1 and table_words(tables.pop())[-1] in counted


def _excludes_things(sql: SqlSpec) -> bool:
    """Whether whole things are left out: by NOT EXISTS, NOT IN, EXCEPT or an outer join without a partner."""
    if any(each.role in (SubqueryRole.NOT_EXISTS, SubqueryRole.NOT_IN) for each in sql.subqueries):
        return True
    if any(each.kind.startswith(("except", "minus")) for each in sql.set_operations):
        return True
    if any(each.clause is Clause.HAVING and each.op is Op.EQ and _is_zero(each.rhs) for each in sql.filters):
        return True
    outer = any(each.kind in {"left", "right", "full", "anti"} for each in sql.joins)
    return outer and (_looks_for_absent(sql) or any(map(_counts_none, sql.filters)))


def _looks_for_absent(sql: SqlSpec) -> bool:
    """Whether a row without a partner is looked for, and not one of another value besides: `x <> 'a' OR y IS NULL`."""
    differing = {each.alternative for each in sql.filters if each.op in _ROW_NEGATIONS}
    return any(each.op is Op.IS_NULL and each.alternative not in differing - {None} for each in sql.filters)


def _counts_none(each: SqlFilter) -> bool:
    counted = each.lhs is not None and each.lhs.func == "COUNT"
    return counted and _is_zero(each.rhs)


def _is_zero(value: Value | None) -> bool:
    return isinstance(value, Number) and not value.value


def _tests_rows(differing: SqlFilter, case: Case) -> bool:
    """Whether the rows tested may be several of one thing: a subquery's, a join's, or those of the only block."""
    keys = {key.operand.name for key in case.sql.group_by}
    if differing.lhs is not None and differing.lhs.name in keys:
        return False  # a group is one value: there is no other row of it
    tables = next((block.tables for block in case.sql.blocks if block.path == differing.block), ())
    if len(tables) > 1 or any(each.block == differing.block for each in case.sql.subqueries):
        return True
    return not (case.sql.set_operations or case.sql.subqueries or case.sql.group_by)
