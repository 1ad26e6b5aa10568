"""Signals about aggregates, grouping and repeats."""

from __future__ import annotations

import re

from scoring.display import show_filter
from scoring.linking import best_likeness, content_words
from scoring.signals.definitions import is_defined
from scoring.signals.finding import Finding, counted, differing
from scoring.signals.keys import is_value_of
from scoring.signals.mistakes.wording import shapes
from scoring.signals.outputs import asks_entities, measure_beside
from scoring.specification import Definition, Op, Operand, SqlFilter, SqlSpec
from scoring.specification.shapes import ShapeKind
from scoring.values import Number
from scoring.verdict import Case
from scoring.words import identifier_words, letters


def aggregate_missing(case: Case) -> Finding | None:
    """The question asks for an aggregate that the SQL does not compute.

    A stored column of the same name counts as computed, and so do equivalents: SUM of a condition for a COUNT, a
    division for an AVG.

    >>> aggregate_missing(case("What is the average weight of the parcels?", "SELECT weight FROM parcels")).detail
    'not computed: AVG'
    """
    return counted([func for func in case.aggregation.missing if not _is_stored(func, case)], "not computed", most=1)


_AVERAGES = frozenset({"average", "avg", "mean"})


def _is_stored(func: str, case: Case) -> bool:
    """Whether the value asked for is a column, or another aggregate gives it."""
    computed = {each.func for each in case.sql.aggregations}
    if func == "AVG":
        return bool(case.sql.divisions) or _stores_average(case)
    if func not in _AMOUNTS:
        return False
    return not computed.isdisjoint(_AMOUNTS) or _stores_amount(func, case)


def _stores_average(case: Case) -> bool:
    return any(not _AVERAGES.isdisjoint(identifier_words(column.name)) for column in case.sql.columns)


def _stores_amount(func: str, case: Case) -> bool:
    """Whether a column, or a definition's column, is named like the thing to be counted or summed."""
    phrases = [content_words(each.column) for each in case.question.aggregations if each.func == func]
    columns = [frozenset(identifier_words(column.name)) for column in case.sql.columns]
    named = any(words and any(words[-1] in own for own in columns) for words in phrases)
    return named or any(_defines(definition, phrases, case) for definition in case.enriched.definitions)


def _defines(definition: Definition, phrases: list[tuple[str, ...]], case: Case) -> bool:
    """Whether a definition gives a plain column that is read for the thing to be aggregated."""
    if not definition.columns or definition.functions:
        return False
    defined = set(content_words(definition.phrase))
    read = any(letters(column) in case.read for column in definition.columns)
    return read and any(words and not defined.isdisjoint(words) for words in phrases)


def aggregate_unasked(case: Case) -> Finding | None:
    """The answer shows an aggregate that nothing asks for.

    Words such as `total` or `how much` ask for a COUNT or a SUM without naming it. A measure that rows are ordered by
    is `MEASURE_SHOWN`.

    >>> aggregate_unasked(case("What is the weight of the parcels?", "SELECT SUM(weight) FROM parcels")).detail
    'not asked for: SUM'
    """
    if not case.aggregation.extra:
        return None
    amounts = any(each.func in _AMOUNTS for each in case.question.aggregations) or not _AMOUNT_WORDS.isdisjoint(
        case.spoken
    )
    measure = measure_beside(case)  # MEASURE_SHOWN reports it
    reported = {each.operand.func for each in case.answer if each.operand.name == measure}
    extra = [func for func in case.aggregation.extra if func not in reported and not (amounts and func in _AMOUNTS)]
    return counted(extra, "not asked for", most=1)


_AMOUNTS = frozenset({"COUNT", "SUM"})
_AMOUNT_WORDS = frozenset({"much", "time", "total", "many"})
"""Words that ask for a count or a sum without naming it."""


_MEASURING = frozenset({"AVG", "SUM", "MIN", "MAX"})
"""Aggregates that measure a column."""


def aggregate_swapped(case: Case) -> Finding | None:
    """The SQL computes another aggregate than the one asked for.

    Only AVG, SUM, MIN and MAX are compared: whether to count or to sum depends on how a table stores its counts.

    >>> aggregate_swapped(case("What is the average price of the parcels?", "SELECT SUM(price) FROM parcels")).detail
    'expected → actual: AVG → SUM'
    """
    asked = sorted(_MEASURING.intersection(case.aggregation.missing))
    given = sorted(_MEASURING.intersection(case.aggregation.extra))
    if not asked or not given:
        return None
    return differing(", ".join(asked), ", ".join(given))


def distinct_missing(case: Case) -> Finding | None:
    """Different values are asked for and the SQL keeps repeats.

    DISTINCT, GROUP BY, a set operation or COUNT(DISTINCT …) would each remove them.

    >>> distinct_missing(case("List the different cities of our customers", "SELECT city FROM customers")).strength
    1.0
    """
    if not (case.question.distinct or case.enriched.distinct) or _drops_repeats(case):
        return None
    return Finding(1.0, "no DISTINCT")


def _drops_repeats(case: Case) -> bool:
    sql = case.sql
    counted_once = any(each.distinct for each in sql.aggregations)
    merged = any(not each.kind.endswith("all") for each in sql.set_operations)
    if counted_once or merged or sql.group_by or any(block.distinct for block in sql.blocks):
        return True
    return any("once" in each.words or "halved" in each.words for each in shapes(case, ShapeKind.SELF_PAIR))


def distinct_unasked(case: Case) -> Finding | None:
    """Rows of a table are asked for and the SQL removes repeated ones.

    Two customers of the same name become one. Values that many rows share may well be listed once and do not count.

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
    if given is None or _counts_values(given.operand, case):
        return None
    return Finding(0.5 if case.sql.joins else 1.0, given.operand.name)


def _counts_values(counted: Operand, case: Case) -> bool:
    """Whether values of a column are counted and not rows of a table: `how many colours` of kites."""
    if len(counted.columns) != 1:
        return False
    column = counted.columns[0]
    asked = [words[-1] for each in case.question.aggregations if (words := content_words(each.column))]
    return any(is_value_of(word, column) for word in asked)


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


def grouping_missing(case: Case) -> Finding | None:
    """A value per something is asked for and the SQL does not group.

    One total comes back in place of one for each. The question must say `per`, `each` or `every`.

    >>> grouping_missing(case("What is the average weight per route?", "SELECT AVG(weight) FROM parcels")).detail
    'no GROUP BY for: route'
    """
    lacking = case.grouping.missing
    if not lacking or _EACH.isdisjoint([token.lower for token in case.question.tokens]):
        return None
    return counted(list(lacking), "no GROUP BY for", most=1)


_EACH = frozenset({"each", "per", "every"})


def grouping_unasked(case: Case) -> Finding | None:
    """The SQL groups by something that nothing asks for.

    Groups that SQL itself demands, and columns that a filter pins to one value, are excused by the [normalisation
    rules](method.md#four-normalisation-rules).

    >>> grouping_unasked(case("What is the total weight?", "SELECT SUM(weight) FROM parcels GROUP BY route")).detail
    'grouped by: route'
    """
    return counted(list(case.grouping.extra), "grouped by", most=1)


def aggregate_unlinked(case: Case) -> Finding | None:
    """An aggregate is taken of a column that does not resemble the thing to be aggregated.

    The function is right and the column is not. Columns that a definition names do not count.

    >>> aggregate_unlinked(case("What is the average weight of parcels?", "SELECT AVG(price) FROM parcels")).detail
    'expected → actual: AVG of weight → avg(price)'
    """
    for asked in case.question.aggregations:
        words = content_words(asked.column)
        if asked.func == "COUNT" or not words:
            continue
        for each in case.sql.aggregations:
            if each.func != asked.func or not each.columns or any(is_defined(column, case) for column in each.columns):
                continue
            own = [word for column in each.columns for word in identifier_words(column.name)]
            if max(best_likeness(word, own) for word in words) < 0.5:
                return differing(f"{asked.func} of {asked.column}", f"{each.func.lower()}({each.column})")
    return None


_AGGREGATED = re.compile(
    r"\b(?:whose|with|where|have|has|having)(?: the| an?)? (?:average|mean|total)\b", re.IGNORECASE
)
_STORED_WORDS = frozenset({"average", "avg", "mean", "total", "sum", "score", "rating"})
_BOUNDS = frozenset({Op.LT, Op.LE, Op.GT, Op.GE})


def _defines_comparison(definition: Definition) -> bool:
    """Whether a definition says how to compare: the average may be a stored column."""
    return bool(definition.filters or definition.functions or len(definition.phrase.split()) > 1)


def where_for_having(case: Case) -> Finding | None:
    """An average or a total is to be compared, and WHERE compares each row's own value.

    `routes with an average weight over 20` needs HAVING AVG(weight) > 20. Columns named like an average or a total
    may store it.

    >>> where_for_having(case("Which routes have an average weight over 20?",
    ...     "SELECT route FROM parcels WHERE weight > 20 GROUP BY route")).detail
    'weight > 20'
    """
    bounds = [each for each in case.sql.filters if each.op in _BOUNDS]
    if not bounds or any(each.lhs is not None and each.lhs.func for each in case.sql.filters):
        return None
    if not _AGGREGATED.search(case.question.text) or any(
        _defines_comparison(each) for each in case.enriched.definitions
    ):
        return None
    found = next((each for each in bounds if _compares_rows(each)), None)
    return Finding(1.0, show_filter(found)) if found is not None else None


def _compares_rows(bound: SqlFilter) -> bool:
    """Whether a column that is not named like an average or a total is compared with a number."""
    if not isinstance(bound.rhs, Number) or bound.lhs is None or not bound.lhs.columns:
        return False
    return _STORED_WORDS.isdisjoint(identifier_words(bound.lhs.columns[0].name))
