"""Signals about repeated values: kept where different ones are asked for, and removed where they are not."""

from __future__ import annotations

from itertools import chain

from scoring.alignment.outputs.shown_names import table_words, tables_of
from scoring.linking import content_words, is_named
from scoring.patterns import lazy
from scoring.signals.answers.outputs import asks_entities
from scoring.signals.finding import Finding
from scoring.signals.keys import is_key, is_value_of, key_words
from scoring.specification import Aggregation, Op, Operand, SqlSpec
from scoring.sql.shapes.naming import is_own_key
from scoring.verdict import Case
from scoring.words import identifier_words, stem


def distinct_missing(case: Case) -> Finding | None:
    """Different values are asked for and the SQL keeps repeats.

    DISTINCT, GROUP BY, a set operation or COUNT(DISTINCT …) would each remove them.

    >>> distinct_missing(case("List the different cities of our customers", "SELECT city FROM customers")).strength
    1.0
    """
    if not (case.question.distinct or case.enriched.distinct) or _drops_repeats(case) or _has_no_repeats(case):
        return None
    return Finding(1.0, "no DISTINCT")


def _has_no_repeats(case: Case) -> bool:
    """Whether rows of the thing's own table are counted, or pairs of rows of which the first has the lower key."""
    unequal = _UNEQUAL | {Op.NE} if case.sql.divisions else _UNEQUAL
    if any(each.op in unequal and each.lhs is not None and _is_key_column(each.lhs) for each in case.sql.filters):
        return True
    tables = tables_of(case.sql)
    counts_rows = any(
        each.func == "COUNT" and (each.column == "*" or any(map(is_own_key, each.columns)))
        for each in case.sql.aggregations
    )
    counted = {*_counted(case), *_different_things(case)}
    return counts_rows and len(tables) == 1 and not counted.isdisjoint(identifier_words(tables[0])[-1:])


_UNEQUAL = frozenset({Op.LT, Op.GT})


def _counted(case: Case) -> list[str]:
    """The heads of what the question aggregates."""
    return [words[-1] for each in case.question.aggregations if (words := content_words(each.column))]


def _is_key_column(operand: Operand) -> bool:
    return len(operand.columns) == 1 and is_key(operand.columns[0].name)


def _drops_repeats(case: Case) -> bool:
    sql = case.sql
    counted_once = any(each.distinct for each in sql.aggregations)
    merged = any(not each.kind.endswith("all") for each in sql.set_operations)
    grouped = bool(sql.group_by) and not _counts_repeats(case)
    return counted_once or merged or grouped or any(block.distinct for block in sql.blocks)


_COUNT_OF_DIFFERENT = lazy(r"\b(?:distinct|different|unique) (\w+) (?:counts?|per|by|for each)\b")


def _counts_repeats(case: Case) -> bool:
    """Whether different things are counted in groups of something else by a COUNT that takes each row.

    >>> _counts_repeats(case("Distinct customer count per year", "SELECT y, COUNT(customer_id) FROM orders GROUP BY y"))
    True
    """
    if len(case.sql.blocks) != 1 or not _counts_different(case):
        return False
    own = {word for table in tables_of(case.sql) for word in identifier_words(table)[-1:]}
    if _counts_rows_of_others(own, case):
        return True
    counted = {column.name for each in case.sql.aggregations if _counts_rows(each) for column in each.columns}
    keys = {column.name for key in case.sql.group_by for column in key.operand.columns}
    return bool(counted) and counted.isdisjoint(keys) and own.isdisjoint(chain(*map(identifier_words, counted)))


def _counts_rows_of_others(own: set[str], case: Case) -> bool:
    """Whether COUNT(*) counts the rows of tables of other things than the different ones asked for."""
    things = _different_things(case)
    return bool(things) and own.isdisjoint(things) and any(each.column == "*" for each in case.sql.aggregations)


def _different_things(case: Case) -> set[str]:
    """The stems of what is counted where `distinct customer count` is asked for."""
    return {stem(found[1]) for found in _COUNT_OF_DIFFERENT.finditer(case.asked)}


def _counts_different(case: Case) -> bool:
    """Whether the question counts different things."""
    read = any(each.func == "COUNT" and each.distinct for each in case.question.aggregations)
    return read or _COUNT_OF_DIFFERENT.search(case.asked) is not None


def _counts_rows(each: Aggregation) -> bool:
    return each.func == "COUNT" and not each.conditional


def distinct_unasked(case: Case) -> Finding | None:
    """Rows of a table are asked for and the SQL removes repeated ones.

    Two customers of the same name become one. Values that many rows share may well be listed once and do not count, and
    a key is different in each row of its own table and names the thing in others. A sum of different values is no sum.

    >>> distinct_unasked(case("List the names of our customers", "SELECT DISTINCT name FROM customers")) is None
    True
    >>> distinct_unasked(case("List our customers", "SELECT DISTINCT name FROM customers")).detail
    'SELECT DISTINCT'
    """
    if case.question.distinct or case.enriched.distinct:
        return None
    if case.sql.distinct:
        return Finding(1.0, "SELECT DISTINCT") if asks_entities(case) and not case.sql.joins else None
    given = next((each for each in case.answer if each.operand.distinct), None)
    if given is None:
        return None
    if given.operand.func == "COUNT" and (_counts_values(given.operand, case) or _counts_things(given.operand, case)):
        return None
    return Finding(0.5 if case.sql.joins else 1.0, given.operand.name)


def _counts_things(counted: Operand, case: Case) -> bool:
    """Whether each thing is counted once: by its key, or by what no table of the SQL is called like."""
    named = [word for word in _counted(case) if is_named(word, table_words(case.sql))]
    keys = [frozenset(key_words(column.name)) for column in counted.columns if is_key(column.name)]
    if not named or not keys:
        return not named or len(counted.columns) != 1 or counted.name != f"count(distinct {counted.columns[0].name})"
    return any(not words or is_named(word, words) for words in keys for word in named)


def _counts_values(counted: Operand, case: Case) -> bool:
    """Whether values of a column are counted and not rows of a table: `how many colours` of kites."""
    if len(counted.columns) != 1:
        return False
    column = counted.columns[0]
    return any(is_value_of(word, column) for word in _counted(case))


def values_repeated(case: Case) -> Finding | None:
    """Values that many rows share are asked for, and come once for each row.

    Execution labels differ on it and people seldom mind.

    >>> values_repeated(case("Which colours do heavy kites have?", "SELECT colour FROM kites WHERE grams > 90")).detail
    'repeated: colour of kites'
    """
    if len(case.answer) != 1 or len(case.things) != 1 or not _lists_filtered_rows(case.sql):
        return None
    thing, columns = case.things[0], case.answer[0].operand.columns
    if not columns or thing.of or not thing.phrase.endswith("s") or not is_value_of(thing.head, columns[0]):
        return None
    return Finding(1.0, f"repeated: {columns[0].name} of {columns[0].table or 'the rows'}")


def _lists_filtered_rows(sql: SqlSpec) -> bool:
    """Whether the SQL lists the rows that its conditions leave, each once."""
    if not sql.filters or sql.distinct:
        return False
    return not (sql.group_by or sql.limits or sql.aggregations or sql.set_operations)
