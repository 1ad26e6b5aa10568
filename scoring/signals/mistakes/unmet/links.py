"""How the tables of the SQL are linked: by which columns they are joined, and which of them refers to which."""

from __future__ import annotations

from scoring.specification import Column, SqlFilter, SqlSpec
from scoring.sql.shapes.naming import is_own_key


def links(sql: SqlSpec, block: str | None = None) -> list[tuple[Column, Column]]:
    """The two columns of each join, each of them once as the first; of one block, or of all."""
    pairs = [pair for join in sql.joins if block in (None, join.block) for pair in join.pairs]
    return [sides for one, other in pairs for sides in ((one, other), (other, one))]


def references(sql: SqlSpec, block: str | None = None) -> list[tuple[Column, Column]]:
    """The links in which the first column, no key of its own table, holds the own key of another."""
    return [(one, other) for one, other in links(sql, block) if is_own_key(other) and not is_own_key(one)]


def is_joined_by_own_key(table: str | None, sql: SqlSpec) -> bool:
    """Whether a table is joined by its own key, so that it has one row for each of the other's."""
    return any(one.table == table and is_own_key(one) for one, _ in links(sql))


def one_step_to(table: str | None, event: str, sql: SqlSpec) -> str | None:
    """The table that an event refers to, on the way to a table; nothing where there are two ways.

    Where the event refers to a pilot, and the pilot to a base, the step to the base is the pilot.
    """
    steps = {other.table for one, other in links(sql) if one.table == event and not is_own_key(one)}
    ways = {step for step in steps if table in _reached(step, event, sql)}
    return ways.pop() if len(ways) == 1 else None


def _reached(step: str | None, event: str, sql: SqlSpec) -> set[str | None]:
    """The tables that are linked with a table, without those beyond the event."""
    reached: set[str | None] = set()
    ahead = [step]
    while ahead:
        table = ahead.pop()
        reached.add(table)
        ahead += [
            other.table for one, other in links(sql) if one.table == table and other.table not in reached | {event}
        ]
    return reached


def lone_column(each: SqlFilter) -> Column | None:
    """The column that a condition tests, where it is a single one."""
    columns = each.lhs.columns if each.lhs is not None else ()
    return columns[0] if len(columns) == 1 else None
