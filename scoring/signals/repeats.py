"""Signals about rows that a join repeats, and about aggregates of the wrong rows."""

from __future__ import annotations

from collections.abc import Callable

from scoring.alignment.outputs.shown_names import tables_of
from scoring.linking import best_likeness, content_words, is_named, operand_words
from scoring.signals.cutting import PROTECTIVE
from scoring.signals.finding import Finding
from scoring.signals.grouping import grouping_keys
from scoring.signals.keys import is_key, key_words, one_sides, repeated_tables
from scoring.signals.structure import read_columns
from scoring.specification import Clause, Column, Join, Op, Operand, Projection, SqlFilter, SqlSpec, SubqueryRole
from scoring.verdict import Case
from scoring.words import identifier_words

_SUMS = frozenset({"AVG", "SUM"})
_COLLAPSING = frozenset({"COUNT", "SUM", "AVG", "MIN", "MAX"})


def count_repeats(case: Case) -> Finding | None:
    """COUNT counts a thing once for each row that names it: over a join, or by its key in another table.

    A pilot with three flights counts three times; COUNT(DISTINCT …) counts each once. Only joins whose other side the
    SQL really uses count.

    >>> count_repeats(case("How many pilots flew in 2020?",
    ...     "SELECT COUNT(p.id) FROM pilots p JOIN flights f ON p.id = f.pilot_id WHERE f.year = 2020")).detail
    'count(id) counts repeated pilots'
    """
    if case.sql.group_by or not any(each.func == "COUNT" for each in case.question.aggregations):
        return None
    if _comes_once(case):
        return None
    deeds = _counted_deeds(case)
    if deeds is not None:
        return deeds
    one = one_sides(case)
    if one and not _reads_many(one, case):
        return None
    for each in case.answer:
        if not _counts_each(each):
            continue
        thing = _repeated(each.operand, one, case)
        if thing is not None:
            return Finding(1.0, f"{each.operand.name} counts repeated {thing}")
    return None


def _counts_each(each: Projection) -> bool:
    """Whether it is a plain COUNT: COUNTIF counts the rows of the join, whatever it tests."""
    return each.operand.func == "COUNT" and not _counts_different(each) and not each.conditional


def _counts_different(each: Projection) -> bool:
    return each.operand.distinct or "count(distinct" in each.operand.name


def _comes_once(case: Case) -> bool:
    """Whether no row is repeated: those without a partner of a `LEFT JOIN … IS NULL`, of anti-joins, of a UNION."""
    if any(each.kind in _DROP_REPEATS for each in case.sql.set_operations):
        return True
    if case.sql.joins and all(each.kind in ("anti", "semi") for each in case.sql.joins):
        return True
    absent = {each.block for each in case.sql.filters if _lacks_partner(each)}
    return any([join.block for join in case.sql.joins].count(block) == 1 for block in absent)


_DROP_REPEATS = frozenset({"union", "intersect", "except", "minus"})


def _lacks_partner(each: SqlFilter) -> bool:
    keyed = each.lhs is not None and all(is_key(column.name) for column in each.lhs.columns)
    return keyed and each.op is Op.IS_NULL and each.clause is Clause.WHERE and each.alternative is None


def _counted_deeds(case: Case) -> Finding | None:
    """Rows of what people did are counted where the people are asked for: each did it as often as it likes."""
    if [each.operand.name for each in case.answer] != ["count(*)"] or _counts_once(case):
        return None
    table = identifier_words(tables_of(case.sql)[0])[-1:]
    counted = [each for each in case.question.aggregations if each.func == "COUNT"]
    asked = content_words(counted[0].column)[-1:]
    if not table or not asked or asked[0] not in _PEOPLE or table[0] in _PEOPLE or is_named(asked[0], {*table}):
        return None
    if not _is_done(table[0], asked[0], case) or _is_condition(asked[0], case):
        return None
    return Finding(0.7, f"count(*) counts {table[0]} rows, not each {asked[0]} once")


def _counts_once(case: Case) -> bool:
    """Whether several tables are read, or some block or aggregate drops repeats."""
    repeats = any(block.distinct for block in case.sql.blocks) or any(each.distinct for each in case.sql.aggregations)
    return repeats or len(set(tables_of(case.sql))) != 1


def _is_done(table: str, asked: str, case: Case) -> bool:
    """Whether a verb of the question names the table: `ordered` its orders, `booked` its bookings."""
    verbs = {token.stem for token in case.question.tokens if token.lower.endswith(("ed", "t", "d"))} - {asked}
    return is_named(table, verbs) or any(verb[:_ROOT] == table[:_ROOT] for verb in verbs)


_ROOT = 4
"""Letters that a verb and the rows of what was done share: `booked`, `bookings`."""
_PEOPLE = frozenset(
    "customer user client member patient student employee person guest reader driver subscriber buyer visitor account "
    "tenant household company supplier pupil passenger donor player shopper worker".split()
)
"""What does things repeatedly."""


def _is_condition(word: str, case: Case) -> bool:
    """Whether a condition of the SQL is about a word: rows of employees with the role of a driver."""
    return any(
        word in str(each.rhs) or (each.lhs is not None and is_named(word, frozenset(operand_words(each.lhs))))
        for each in case.sql.filters
    )


def _reads_many(one: frozenset[str], case: Case) -> bool:
    """Whether a table that refers to those of `one` gives more than keys: a mere link seldom repeats rows."""
    keys = {column for join in case.sql.joins for pair in join.pairs for column in pair}
    many = {column.table for column in keys} - one
    return any(column.table in many and column not in keys for column in read_columns(case))


def _repeated(counted: Operand, one: frozenset[str], case: Case) -> str | None:
    """The thing that `counted` counts more than once, if any."""
    asked = [content_words(each.column)[-1:] for each in case.question.aggregations if each.func == "COUNT"]
    if not counted.columns:
        return _repeated_rows(asked, case)
    first, *others = counted.columns
    if first.table in one:
        return first.table
    # Rows of the thing asked for are counted: which of its columns COUNT reads makes no difference.
    own = identifier_words(first.table or "")[-1:] in asked
    return None if others or own or _kept_once(first, case) else _foreign_thing(first)


def _repeated_rows(asked: list[tuple[str, ...]], case: Case) -> str | None:
    """The table of the things asked for whose rows COUNT(*) repeats, unless another aggregate counts them once."""
    apart = {word for each in case.answer if _counts_different(each) for word in operand_words(each.operand)}
    tables = [table for table in sorted(_repeated_in_answer(case)) if identifier_words(table)[-1:] in asked]
    return next((table for table in tables if not _is_spelt(table, apart)), None)


def _is_spelt(table: str, words: set[str]) -> bool:
    """Whether some word is the name of a table's things or its beginning: `cust_id` of `customers`."""
    return any(len(word) > 2 and thing.startswith(word) for thing in identifier_words(table)[-1:] for word in words)


def _kept_once(column: Column, case: Case) -> bool:
    """Whether an inner query drops the repeats of a column's table."""
    merged = any(block.distinct and column.table in block.tables for block in case.sql.blocks)
    return merged and not case.sql.set_operations


def _repeated_in_answer(case: Case) -> frozenset[str]:
    """The tables that joins of the answer's own block repeat."""
    own = any(join.block in case.sql.outputs for join in case.sql.joins)
    return repeated_tables(case) if own else frozenset()


def _foreign_thing(column: Column) -> str | None:
    """The thing whose key a column of another table holds."""
    words, table = key_words(column.name), identifier_words(column.table or "")
    if not table or not words or not is_key(column.name):
        return None
    foreign = set(words).isdisjoint(table) and best_likeness(words[-1], table) < 0.6
    return " ".join(words) if foreign else None


def aggregate_repeats(case: Case) -> Finding | None:
    """A sum or an average is taken of rows that a join repeats.

    A pilot with three flights weighs three times in the average.

    >>> aggregate_repeats(case("What is the average salary of pilots who flew?",
    ...     "SELECT AVG(p.salary) FROM pilots p JOIN flights f ON p.id = f.pilot_id")).detail
    'AVG(salary) over repeated rows of pilots'
    """
    if case.sql.group_by or not case.sql.joins:
        return None
    for each in case.sql.aggregations:
        if each.func not in _SUMS or each.distinct or not each.columns or each.column == "*":
            continue
        one = one_sides(case, _joined_below(each.block, case))
        tables = {column.table for column in each.columns if column.name == each.column} or {
            column.table for column in each.columns
        }
        if one.issuperset(tables):
            return Finding(
                1.0, f"{each.func}({each.column}) over repeated rows of {', '.join(sorted(map(str, tables)))}"
            )
    return None


def _joined_below(path: str, case: Case) -> list[Join]:
    """The joins whose rows an aggregate of a block reads: those of the block, and of queries in its FROM that keep all.

    DISTINCT and GROUP BY make one row of those that a join repeats.
    """
    merged = {block.path for block in case.sql.blocks if block.distinct} | {each.block for each in case.sql.group_by}
    tested = {each.block for each in case.sql.subqueries if each.role is not SubqueryRole.DERIVED}
    tested |= {each.right for each in case.sql.set_operations}  # whose rows stand below, and repeat none
    return [
        each
        for each in case.sql.joins
        if each.block == path
        or (each.block.startswith(f"{path}/") and each.block not in merged and each.block not in tested)
    ]


def order_collapsed(case: Case) -> Finding | None:
    """ORDER BY, or a LIMIT of few rows, acts on the single row that an aggregate returns.

    Nothing is left to order or to cut: the extreme must be found in a subquery first.

    >>> order_collapsed(case("How many flights left the largest airport?",
    ...     "SELECT COUNT(*) FROM flights f JOIN ports p ON f.port_id = p.id ORDER BY p.size DESC LIMIT 1")).detail
    'count(*) returns one row'
    """
    sql = case.sql
    grouped = {each.block for each in sql.group_by} | {each.block for each in sql.aggregations if each.windowed}
    collapsed = _arranged(sql).intersection(each.block for each in sql.aggregations) - grouped
    for each in sql.projections if collapsed else ():
        if each.operand.func in _COLLAPSING and each.block in collapsed:
            return Finding(1.0, f"{each.operand.name} returns one row")
    return None


def _arranged(sql: SqlSpec) -> set[str]:
    """The blocks that are ordered or cut to few rows."""
    few = (each for each in sql.limits if not each.ranked and (each.count or 0) < PROTECTIVE)
    return {each.block for each in sql.order_by} | {each.block for each in few}


def column_ungrouped(case: Case) -> Finding | None:
    """A plain column is shown beside an aggregate, and nothing groups.

    Which row the plain column comes from is chance; most databases refuse the query.

    >>> column_ungrouped(case("Which pilot is the oldest?", "SELECT name, MAX(age) FROM pilots")).detail
    'name beside max(age)'
    """
    sql = case.sql
    if sql.group_by or sql.windows or not any(each.block in sql.outputs for each in sql.aggregations):
        return None
    shown = [each for each in case.answer if not each.subqueries]
    plain = next((each.operand.name for each in shown if each.operand.func is None and each.operand.columns), None)
    total = next((each.operand.name for each in shown if each.operand.func in _COLLAPSING), None)
    return Finding(1.0, f"{plain} beside {total}") if None not in (plain, total) else None


def column_outside_group_by(case: Case) -> Finding | None:
    """A plain column is shown that the SQL neither groups by nor can tell from the grouping key.

    Which row of the group it comes from is chance. Grouping by a table's key settles all columns of that table.

    >>> column_outside_group_by(case("How many flights has each base, and its city?",
    ...     "SELECT b.city, COUNT(*) FROM bases b JOIN flights f ON b.id = f.base_id GROUP BY f.month")).detail
    'city is not in GROUP BY month'
    """
    keys = grouping_keys(case)
    if not keys or not all(key.columns for key in keys) or any(each.star for each in case.answer):
        return None
    names = {key.name for key in keys}
    grouped = [column for key in keys for column in key.columns]
    outside = _plain_columns(case, names, grouped)
    if not outside:
        return None
    belongs = _determined_by(grouped, case)
    found = [each for each in outside if not belongs(each.columns[0])]
    return Finding(1.0, f"{found[0].name} is not in GROUP BY {', '.join(sorted(names)[:5])}") if found else None


def _plain_columns(case: Case, names: set[str], grouped: list[Column]) -> list[Operand]:
    """The columns of the answer that are not aggregated, computed over a window, or made of what is grouped by."""
    plain = (each.operand for each in case.answer if each.operand.func is None and each.operand.columns)
    shown = [each for each in plain if each.name not in names and " over (" not in each.name]
    return [each for each in shown if not set(each.columns).issubset(grouped)]


def _determined_by(grouped: list[Column], case: Case) -> Callable[[Column], bool]:
    """Whether a column belongs to a thing whose key is among the grouping columns."""
    keys = {column for column in grouped if is_key(column.name) or column.name.endswith("code")}
    words = {word for key in keys for word in key_words(key.name)}
    tables = {key.table for key in keys}
    for join in case.sql.joins:
        for left, right in join.pairs:
            tables.update([right.table] if left in keys else [], [left.table] if right in keys else [])
    bare = any(not key_words(key.name) for key in keys)

    def belongs(shown: Column) -> bool:
        if bare or (keys and shown.table is None) or shown.table in tables:
            return True
        return not words.isdisjoint(identifier_words(shown.table or ""))

    return belongs


def totals_combined(case: Case) -> Finding | None:
    """A set operation combines totals in place of the rows that they count.

    INTERSECT of two counts says whether the numbers are equal, not what is in both.

    >>> totals_combined(case("How many pilots fly both gliders and jets?", "SELECT COUNT(*) FROM gliders "
    ...     "INTERSECT SELECT COUNT(*) FROM jets")).detail
    'count(*) intersect'
    """
    found = next((each for each in case.sql.set_operations if each.left in case.sql.outputs), None)
    if found is None or not case.answer or not all(each.operand.func for each in case.answer):
        return None
    return Finding(1.0, f"{case.answer[0].operand.name} {found.kind}")
