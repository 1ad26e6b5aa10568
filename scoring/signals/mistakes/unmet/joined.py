"""Signals about totals over a join of two tables that each have many rows for a third thing."""

from __future__ import annotations

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.events import is_time
from scoring.signals.mistakes.unmet.links import is_joined_by_own_key, links, references
from scoring.specification import Aggregation, Clause, Column, Join, Projection, SqlFilter
from scoring.sql.shapes.naming import is_named_for, is_own_key, key_stems
from scoring.values import Number
from scoring.verdict import Case
from scoring.words import identifier_words


def total_repeated_by_counted(case: Case) -> str | None:
    """Amounts of one table are added, different rows of another are counted, and a key of a third thing joins both.

    Each amount is added once for each of the rows that are counted.

    >>> total_repeated_by_counted(case("Fuel and flights per base", "SELECT u.base_id, SUM(u.litres), COUNT(DISTINCT "
    ...     "f.flight_id) FROM fuel_days u JOIN flights f ON f.base_id = u.base_id AND f.day = u.day GROUP BY 1"))
    'SUM(litres) over rows repeated by flights'
    """
    own = _counted_by_own_key(case)
    totals = list(filter(_adds_plainly, case.sql.aggregations)) if own else []
    for block in dict.fromkeys(each.block for each in totals):
        for one, other in links(case.sql, block):
            added = next((each for each in totals if _is_of(each, block, one.table)), None)
            third = own.get(other.table) == block and _are_of_third(one, other)
            if added is not None and third and not is_joined_by_own_key(other.table, case.sql):
                return f"SUM({added.column}) over rows repeated by {other.table}"
    return None


def _counted_by_own_key(case: Case) -> dict[str | None, str]:
    """The tables of which different rows are counted, and the blocks that count them."""
    counted = (each for each in case.sql.aggregations if each.func == "COUNT" and each.distinct)
    return {
        each.columns[0].table: each.block for each in counted if len(each.columns) == 1 and is_own_key(each.columns[0])
    }


def _is_of(each: Aggregation, block: str, table: str | None) -> bool:
    return each.block == block and each.columns[0].table == table


def _adds_plainly(each: Aggregation) -> bool:
    return each.func == "SUM" and not each.distinct and not each.windowed and len(each.columns) == 1


def _are_of_third(one: Column, other: Column) -> bool:
    """Whether two columns hold the key of a thing that is neither table's own."""
    stems = key_stems(one.name)
    return bool(stems) and stems == key_stems(other.name) and not is_own_key(one) and not is_own_key(other)


def bound_of_repeated(case: Case) -> Finding | None:
    """So many of a thing are asked for, and HAVING counts their rows after another table has repeated them.

    Half strength where the other table refers to the thing and adds nothing: it may have one row for each.

    >>> bound_of_repeated(case("Pilots with at least 10 flights and a claim", "SELECT p.id FROM pilots p JOIN flights "
    ...     "f ON f.pilot_id = p.id JOIN claims c ON c.pilot_id = p.id GROUP BY p.id HAVING COUNT(*) >= 10")).detail
    'count(*) >= 10: claims repeats flights'
    """
    counted = _counted_things(case)
    for each in case.sql.having if counted else ():
        things = [thing for number, thing in counted if isinstance(each.rhs, Number) and each.rhs.value == number]
        for table in _tables_of(each, case):
            asked = any(is_named_for(table, thing) for thing in things)
            found = _repeated_by(table, each, case) if asked else None
            if found is not None:
                return found
    return None


def counted_by_name(case: Case) -> str | None:
    """COUNT(*) is called by a table, such as `orders`, of which another one repeats the rows: its amounts are added.

    >>> counted_by_name(case("Share of pilots with more than one flight", "SELECT AVG(flights > 1) FROM (SELECT "
    ...     "f.pilot_id, COUNT(*) AS flights, SUM(l.fare) AS fares FROM flights f JOIN legs l ON l.flight_id = f.id "
    ...     "GROUP BY f.pilot_id) t"))
    'COUNT(*) AS flights: legs repeats flights'
    """
    for each in filter(_counts_all, case.sql.projections if case.sql.joins else ()):
        thing = _COUNTING.sub("", each.alias or "")
        for table in (one for one in _read_in(each.block, case) if thing and is_named_for(one, thing)):
            child = _added_child(table, each.block, case)
            if child is not None:
                return f"COUNT(*) AS {each.alias}: {child} repeats {table}"
    return None


def _counts_all(shown: Projection) -> bool:
    return shown.operand.func == "COUNT" and not shown.operand.columns and not shown.operand.distinct


def _added_child(table: str, block: str, case: Case) -> str | None:
    """A table that refers to another, to nothing else, and of which amounts are added; none of a star."""
    children = [one.table or "" for one, other in references(case.sql, block) if other.table == table]
    child = next((one for one in children if _is_leaf(one, block, case) and _is_added(one, block, case)), None)
    return child if child is not None and _OF_STARS.isdisjoint(identifier_words(f"{table}_{child}")) else None


_OF_STARS = frozenset({"dim", "snapshot"})
"""Words of tables of a star: a snapshot has one row for each thing once it is restricted to a day."""
_COUNTING = lazy(r"^(?:n|nr|num|no|number|count|cnt|total)_(?:of_)?|_(?:n|nr|num|count|cnt|total)$")


def _counted_things(case: Case) -> list[tuple[float, str]]:
    """The numbers that the question bounds, each with the things that are counted up to it."""
    counted = [each for each in case.question.filters if each.lhs is not None and each.lhs.func == "COUNT"]
    return [(each.rhs.value, each.lhs.name) for each in counted if each.lhs and isinstance(each.rhs, Number)]


def _tables_of(each: SqlFilter, case: Case) -> tuple[str, ...]:
    """The tables whose rows HAVING may count by a plain COUNT."""
    if each.clause is not Clause.HAVING or each.lhs is None or each.lhs.func != "COUNT" or each.lhs.distinct:
        return ()
    of = {column.table for column in each.lhs.columns}
    return tuple(table for table in _read_in(each.block, case) if not of or of == {table})


def _read_in(block: str, case: Case) -> tuple[str, ...]:
    return next(each.tables for each in case.sql.blocks if each.path == block)


def _repeated_by(table: str, each: SqlFilter, case: Case) -> Finding | None:
    """Another table that refers to a table's rows, or to the same third thing as they do, and to nothing else."""
    referring = references(case.sql, each.block)
    thirds = {(other.table, other.name) for one, other in referring if one.table == table}
    for one, other in referring:
        sibling = (other.table, other.name) in thirds
        repeats = sibling or (other.table == table and bool(thirds))
        if one.table != table and repeats and _is_leaf(one.table, each.block, case):
            strength = 1.0 if sibling or _is_added(one.table, each.block, case) else 0.5
            return Finding(strength, f"{each.text}: {one.table} repeats {table}")
    return None


def _is_leaf(table: str | None, block: str, case: Case) -> bool:
    """Whether a table is read in a block and joined by one key alone, which is not its own."""
    once = sum(one.table == table for one, _ in links(case.sql, block)) == 1
    return once and table in _read_in(block, case) and not is_joined_by_own_key(table, case.sql)


def _is_added(table: str | None, block: str, case: Case) -> bool:
    """Whether amounts of a table are added, so that it has several rows for each thing."""
    return any(_adds_plainly(each) and _is_of(each, block, table) for each in case.sql.aggregations)


def both_sides_added(case: Case) -> str | None:
    """Amounts of two tables are added that are joined by what is the key of neither: each row meets several.

    >>> both_sides_added(case("Fuel and fees per base", "SELECT f.base, SUM(f.litres), SUM(l.fee) FROM fuelings f "
    ...     "JOIN landings l ON l.base = f.base GROUP BY f.base"))
    'SUM(litres) and SUM(fee) over rows that repeat each other'
    """
    totals = list(filter(_adds_plainly, case.sql.aggregations))
    for join in case.sql.joins if len(totals) > 1 else ():
        added = {each.columns[0].table: each.column for each in totals if each.block == join.block}
        sides = sorted({column.table or "" for pair in join.pairs for column in pair} & added.keys())
        if len(sides) == 2 and not join.bound and not _may_have_one_row(join):
            return f"SUM({added[sides[0]]}) and SUM({added[sides[1]]}) over rows that repeat each other"
    return None


def _may_have_one_row(join: Join) -> bool:
    """Whether tables are joined by a key of their own, or by a time or a part of one: they may have one row each."""
    return any(is_own_key(column) or _is_dated(column) for pair in join.pairs for column in pair)


def _is_dated(column: Column) -> bool:
    """Whether a column is a time or a part of one."""
    return is_time(column.name) or not _PERIODS.isdisjoint(identifier_words(column.name))


_PERIODS = frozenset("month day date week period quarter year".split())
