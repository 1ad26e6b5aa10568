"""Signals about aggregates, grouping and repeats."""

from __future__ import annotations

from scoring.linking import best_likeness, content_words
from scoring.signals.definitions import is_defined
from scoring.signals.finding import Finding, counted
from scoring.verdict import Case
from scoring.words import identifier_words


def missing_aggregate(case: Case) -> Finding | None:
    """An aggregate is asked for and not computed.

    >>> missing_aggregate(case("What is the average weight of the parcels?", "SELECT weight FROM parcels")).detail
    'not computed: AVG'
    """
    return counted(list(case.aggregation.missing), "not computed", most=1)


def unasked_aggregate(case: Case) -> Finding | None:
    """The answer shows an aggregate that nothing asks for.

    >>> unasked_aggregate(case("What is the weight of the parcels?", "SELECT SUM(weight) FROM parcels")).detail
    'unasked: SUM'
    """
    return counted(list(case.aggregation.extra), "unasked", most=1)


_MEASURING = frozenset({"AVG", "SUM", "MIN", "MAX"})
"""Aggregates that measure a column; counting is told from summing by how a table stores its counts."""


def swapped_aggregate(case: Case) -> Finding | None:
    """Another aggregate than the one asked for; a stored count may be summed where a count is asked.

    >>> swapped_aggregate(case("What is the average price of the parcels?", "SELECT SUM(price) FROM parcels")).detail
    'AVG became SUM'
    """
    asked = sorted(_MEASURING.intersection(case.aggregation.missing))
    given = sorted(_MEASURING.intersection(case.aggregation.extra))
    if not asked or not given:
        return None
    return Finding(1.0, f"{', '.join(asked)} became {', '.join(given)}")


def missing_distinct(case: Case) -> Finding | None:
    """Different values are asked for and repeats stay.

    >>> missing_distinct(case("List the different cities of our customers", "SELECT city FROM customers")).strength
    1.0
    """
    if not (case.question.distinct or case.enriched.distinct) or _drops_repeats(case):
        return None
    return Finding(1.0, "repeats stay")


def _drops_repeats(case: Case) -> bool:
    sql = case.sql
    counted_once = any(each.distinct for each in sql.aggregations)
    merged = any(not each.kind.endswith("all") for each in sql.set_operations)
    return counted_once or merged or bool(sql.group_by) or any(block.distinct for block in sql.blocks)


def unasked_distinct(case: Case) -> Finding | None:
    """Repeats are dropped though nothing asks for it.

    >>> unasked_distinct(case("List the cities of our customers", "SELECT DISTINCT city FROM customers")).strength
    1.0
    """
    if case.question.distinct or case.enriched.distinct:
        return None
    if case.sql.distinct:
        return Finding(1.0, "SELECT DISTINCT")
    given = next((each for each in case.answer if each.operand.distinct), None)
    return Finding(0.5, given.operand.name) if given is not None else None


def missing_grouping(case: Case) -> Finding | None:
    """A value per something is asked for and nothing groups.

    >>> missing_grouping(case("What is the average weight per route?", "SELECT AVG(weight) FROM parcels")).detail
    'per: route'
    """
    return counted(list(case.grouping.missing), "per", most=1)


def unasked_grouping(case: Case) -> Finding | None:
    """Rows are grouped by something that nothing asks for and no rule excuses.

    >>> unasked_grouping(case("What is the total weight?", "SELECT SUM(weight) FROM parcels GROUP BY route")).detail
    'by: route'
    """
    return counted(list(case.grouping.extra), "by", most=1)


def unlinked_aggregate(case: Case) -> Finding | None:
    """An aggregate is taken of a column that what is asked for does not name.

    >>> unlinked_aggregate(case("What is the average weight of parcels?", "SELECT AVG(price) FROM parcels")).detail
    'AVG of weight became avg(price)'
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
                return Finding(1.0, f"{asked.func} of {asked.column} became {each.func.lower()}({each.column})")
    return None
