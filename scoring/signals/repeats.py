"""Signals about rows that a join repeats, and about aggregates that do not fit the rows they are taken of."""

from __future__ import annotations

from scoring.linking import best_likeness, content_words
from scoring.signals.finding import Finding
from scoring.signals.keys import is_key, key_words, one_sides
from scoring.specification import Operand
from scoring.verdict import Case
from scoring.words import identifier_words

_COLLAPSING = frozenset({"COUNT", "SUM", "AVG", "MIN", "MAX"})


def repeated_count(case: Case) -> Finding | None:
    """A thing is counted once for each row that names it: over a join, or by its key in another table.

    >>> repeated_count(case("How many pilots flew in 2020?",
    ...     "SELECT COUNT(p.id) FROM pilots p JOIN flights f ON p.id = f.pilot_id WHERE f.year = 2020")).detail
    'count(id) repeats pilots'
    """
    if case.sql.group_by or not any(each.func == "COUNT" for each in case.question.aggregations):
        return None
    one = one_sides(case)
    for each in case.answer:
        if each.operand.func != "COUNT" or each.operand.distinct:
            continue
        thing = _repeated(each.operand, one, case)
        if thing is not None:
            return Finding(1.0, f"{each.operand.name} repeats {thing}")
    return None


def _repeated(counted: Operand, one: frozenset[str], case: Case) -> str | None:
    """What `counted` counts more than once, if anything."""
    if not counted.columns:
        asked = [content_words(each.column)[-1:] for each in case.question.aggregations if each.func == "COUNT"]
        return next((table for table in sorted(one) if identifier_words(table)[-1:] in asked), None)
    column = counted.columns[0]
    if column.table in one:
        return column.table
    words, table = key_words(column.name), identifier_words(column.table or "")
    if len(counted.columns) > 1 or not table or not words or not is_key(column.name):
        return None
    foreign = set(words).isdisjoint(table) and best_likeness(words[-1], table) < 0.6
    return " ".join(words) if foreign else None


def repeated_sum(case: Case) -> Finding | None:
    """A sum or an average is taken of a table whose rows a join repeats.

    >>> repeated_sum(case("What is the average salary of pilots who flew?",
    ...     "SELECT AVG(p.salary) FROM pilots p JOIN flights f ON p.id = f.pilot_id")).detail
    'AVG(salary) over repeated pilots'
    """
    if case.sql.group_by or not case.sql.joins:
        return None
    one = one_sides(case)
    for each in case.sql.aggregations:
        if each.func in {"AVG", "SUM"} and not each.distinct and each.columns and each.columns[0].table in one:
            return Finding(1.0, f"{each.func}({each.column}) over repeated {each.columns[0].table}")
    return None


def collapsed_order(case: Case) -> Finding | None:
    """Rows are ordered or cut after an aggregate has made one of them.

    >>> collapsed_order(case("How many flights left the largest airport?",
    ...     "SELECT COUNT(*) FROM flights f JOIN ports p ON f.port_id = p.id ORDER BY p.size DESC LIMIT 1")).detail
    'count(*) is one row'
    """
    sql = case.sql
    grouped = {each.block for each in sql.group_by} | {each.block for each in sql.aggregations if each.windowed}
    arranged = {each.block for each in sql.order_by} | {each.block for each in sql.limits if not each.ranked}
    for each in sql.projections:
        if each.operand.func in _COLLAPSING and each.block in arranged and each.block not in grouped:
            return Finding(1.0, f"{each.operand.name} is one row")
    return None


def ungrouped_column(case: Case) -> Finding | None:
    """A plain column beside an aggregate, and nothing groups: which row it comes from is chance.

    >>> ungrouped_column(case("Which pilot is the oldest?", "SELECT name, MAX(age) FROM pilots")).detail
    'name beside max(age)'
    """
    if case.sql.group_by or case.sql.windows:
        return None
    plain = next((each for each in case.answer if each.operand.func is None and each.operand.columns), None)
    total = next((each for each in case.answer if each.operand.func in _COLLAPSING), None)
    if plain is None or total is None or plain.subqueries or total.subqueries:
        return None
    return Finding(1.0, f"{plain.operand.name} beside {total.operand.name}")


def finer_grouping(case: Case) -> Finding | None:
    """Rows are grouped by more columns than groupings are asked for.

    >>> finer_grouping(case("How many parcels are there per city?",
    ...     "SELECT city, street, COUNT(*) FROM parcels GROUP BY city, street")).detail
    'by: city, street'
    """
    operands = [each.operand for each in case.sql.group_by if each.block in case.sql.outputs]
    keys = [each.name for each in operands]
    if len(keys) <= max(1, len(case.question.group_by)) or any(
        is_key(column.name) for operand in operands for column in operand.columns
    ):
        return None
    return Finding(1.0, f"by: {', '.join(keys[:5])}")
