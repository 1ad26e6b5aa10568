"""Signals about the second of a ranking, the other of two periods, and groups that a row's condition keeps."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.unmet.times.comparisons import other_period
from scoring.signals.mistakes.wording import cue, first
from scoring.specification import Clause, Op, SqlSpec
from scoring.specification.shapes import ShapeKind
from scoring.sql.shapes.naming import key_stems, table_words
from scoring.values import Expression
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_PLACES = {"second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5}
_RANK = cue(
    "second 2nd third 3rd fourth 4th fifth 5th",
    r"\b(second|2nd|third|3rd|fourth|4th|fifth|5th)[- ](?:most|least|best|worst|\w+est)\b",
)


def rank_not_taken(case: Case) -> Finding | None:
    """The second or a later one of a ranking is asked for, and the SQL only cuts the first rows off.

    Nor are the first ten found where rows are cut before they are sorted, or before some of the ten are dropped.

    >>> rank_not_taken(case("What is the second highest fare?",
    ...     "SELECT fare FROM trips ORDER BY fare DESC LIMIT 2")).detail
    'second highest: LIMIT 2 without OFFSET 1'
    """
    first_ones = place_among_repeats(case) or cut_too_early(case) or ranked_within_item(case)
    first_ones = first_ones or rows_ranked_for_things(case)
    return Finding(1.0, first_ones) if first_ones is not None else _later_one(case)


def _later_one(case: Case) -> Finding | None:
    """A later place is asked for, and the first rows are kept."""
    found, sql = _RANK.search(case.asked), case.sql
    if found is None or not sql.limits or sql.windows or len(sql.blocks) > 1:
        return None
    place = _PLACES[found[1]] - 1
    if any(each.ranked or each.count is None for each in sql.limits):
        return None
    if sql.limits[0].offset:
        return (
            Finding(1.0, f"{found.group()}: OFFSET {sql.limits[0].offset}") if sql.limits[0].offset != place else None
        )
    return Finding(1.0, f"{found.group()}: LIMIT {sql.limits[0].count} without OFFSET {place}")


_TOP_PER = cue(
    "top best first most highest",
    r"\b(?:top|best|first) (?:\d+ |three |five |ten )?(?:selling |most \w+ )?(?P<what>[a-z]+),? (?:per|for each"
    r"|for every|in each|in every|of each|within each|by) (?P<group>[a-z]+)\b",
)


def ranked_within_item(case: Case) -> str | None:
    """The first of some things in each group are asked for, and each thing is ranked among its own groups.

    >>> ranked_within_item(case("Top 3 dishes per base", "SELECT base_id, dish_id FROM (SELECT base_id, dish_id, RANK()"
    ...     " OVER (PARTITION BY dish_id ORDER BY n DESC) AS r FROM sums) t WHERE r <= 3"))
    'ranked within dish_id, not base'
    """
    found = _TOP_PER.search(case.asked)
    ranks = [each for each in case.sql.windows if each.func in ("ROW_NUMBER", "RANK", "DENSE_RANK")]
    if found is None or len(ranks) != 1 or len(ranks[0].partition_by) != 1:
        return None
    words = {word for word in identifier_words(ranks[0].partition_by[0].name) if len(word) > 1}
    what, group = stem(found["what"]), stem(found["group"])
    if what == group or what not in words or group in words:
        return None
    return f"ranked within {ranks[0].partition_by[0].name}, not {found['group']}"


_TOP_BY = cue("top best", r"\b(?:top|best) (?:\d+ |three |five |ten )(?P<what>[a-z]+) by (?:total |overall )?[a-z]+\b")


def rows_ranked_for_things(case: Case) -> str | None:
    """The first of some things by an amount are asked for, and single rows are ranked, of which each has several.

    >>> rows_ranked_for_things(case("Top 10 pilots by fares", "SELECT pilot_id, fare FROM trips ORDER BY fare DESC "
    ...     "LIMIT 10"))
    'rows of trips, of which pilots may have several'
    """
    found = _TOP_BY.search(case.asked) if _lists_rows(case.sql) else None
    tables = case.sql.blocks[0].tables if found is not None else ()
    if found is None or not tables:
        return None
    thing = stem(found["what"])
    shown = [(key_stems(column.name) or ("",))[-1] for each in case.answer for column in each.operand.columns]
    if thing not in shown or thing in table_words(tables[0])[-1:]:
        return None
    return f"rows of {tables[0]}, of which {found['what']} may have several"


def _lists_rows(sql: SqlSpec) -> bool:
    """Whether the first rows of one table are listed as they are."""
    if len(sql.blocks) != 1 or sql.limit is None or sql.joins or sql.distinct:
        return False
    return not (sql.aggregations or sql.group_by or sql.windows)


def cut_too_early(case: Case) -> str | None:
    """The first rows of an order are asked for, and they are cut before some are dropped, or before they are sorted.

    >>> cut_too_early(case("Top 3 pilots by fares", "SELECT p.name FROM (SELECT pilot_id, RANK() OVER (ORDER BY "
    ...     "SUM(fare) DESC) AS n FROM trips GROUP BY pilot_id) t JOIN pilots p ON p.id = t.pilot_id "
    ...     "WHERE t.n <= 3 AND p.kind <> 'test'"))
    "t.n <= 3 before p.kind <> 'test'"
    """
    found = first(case, ShapeKind.CUT_EARLY)
    ranked = bool(case.question.superlatives) and _OF_THE_FIRST.search(case.asked) is None
    return found.text if found is not None and ranked else None


_OF_THE_FIRST = lazy(r"\b(?:of|among|within|in|from) (?:the |our |these |those )?(?:top|first|best|\w+est)\b")
"""What is asked of the first rows alone: `which of the top ten are new`."""
_TWO_PERIODS = cue(
    "vs versus compared against",
    r"\b(?:this|last|current|previous) (?:week|month|quarter|year)\b[^.?]{0,20}\b(?:vs\.?|versus|compared (?:to|with)|"
    r"against) (?:the )?(?:same \w+ )?(?:of )?(?:last|previous|prior|this|same|year before|one before)\b",
)


def second_period_missing(case: Case) -> Finding | None:
    """Two periods are to be compared, and the SQL gives one number for the time that it reads.

    >>> second_period_missing(case("Fares this month vs last month",
    ...     "SELECT SUM(fare) FROM trips WHERE paid_on >= date_trunc('month', current_date)", "postgres")).detail
    'this month vs last: one number'
    """
    found, sql = _TWO_PERIODS.search(case.asked), case.sql
    other = other_period(case)
    if other is not None:
        return other
    if found is None or sql.group_by or sql.windows or len(sql.blocks) > 1 or len(sql.projections) > 1:
        return None
    plain = bool(sql.aggregations) and not any(each.conditional for each in sql.aggregations)
    return Finding(1.0, f"{found.group()}: one number") if plain and not sql.divisions else None


_GROUPS_KEPT = cue(
    "only just those",
    r"\b(?:only|just|those) (?:the |show |list )?\w+ (?:that are |which are |who are )?(?:above|over|below|under|"
    r"higher than|lower than|whose (?:average|avg|total|mean))\b",
)


def groups_kept_by_rows(case: Case) -> Finding | None:
    """Groups are to be kept by their own average or total, and WHERE keeps rows by one of all.

    >>> groups_kept_by_rows(case("Average fare by route, only routes above the overall average",
    ...     "SELECT route, AVG(fare) FROM trips WHERE fare > (SELECT AVG(fare) FROM trips) GROUP BY route")).detail
    'only routes above: fare > (select avg(fare) from trips)'
    """
    found, sql = _GROUPS_KEPT.search(case.asked), case.sql
    if found is None or not sql.group_by or sql.having:
        return None
    for each in sql.filters:
        if each.clause is Clause.WHERE and each.op in (Op.GT, Op.GE, Op.LT, Op.LE) and isinstance(each.rhs, Expression):
            return Finding(1.0, f"{found.group()}: {each.text}")
    return None


_COUNT_ONCE = cue(
    "once distinct different equal same",
    r"\b(?:equal|same|tied|identical|repeated) [^.?;,]{1,30}\bcounts? (?:only |just )?(?:once|as one)\b"
    r"|\b(?:distinct|different|unique) (?:\w+ )?(?:values?|amounts?|salar(?:y|ies)|prices?|scores?)\b",
)
_DROPS_REPEATS = lazy(r"\bdistinct\b|\bgroup\s+by\b|\bdense_rank\b|\bunion\b(?!\s+all)", re.IGNORECASE)


def place_among_repeats(case: Case) -> str | None:
    """A later place is asked for, where equal values count once, and OFFSET counts each row.

    >>> place_among_repeats(case("The 3rd highest fare, equal fares count once",
    ...     "SELECT fare FROM trips ORDER BY fare DESC LIMIT 1 OFFSET 2"))
    'OFFSET 2 counts equal values'
    """
    found = _COUNT_ONCE.search(case.said) if _RANK.search(case.said) is not None else None
    if found is None or _DROPS_REPEATS.search(case.written) is not None:
        return None
    offset = next((each.offset for each in case.sql.limits if each.offset), None)
    return f"OFFSET {offset} counts equal values" if offset else None


_HIGH_PERCENTILE = lazy(r"\b[6-9]\d(?:th|st|nd|rd)? percentile\b|\bp[6-9]\d\b")
_PERCENTILE_FALLS = lazy(
    r"percentile_(?:cont|disc)\s*\(\s*0?\.[5-9]\d?\s*\)\s*within\s+group\s*\(\s*order\s+by\s+[^()]{1,80}\bdesc\b",
    re.IGNORECASE,
)


def percentile_flipped(case: Case) -> Finding | None:
    """A high percentile of the largest first is a low one."""
    found = _PERCENTILE_FALLS.search(case.written) if _HIGH_PERCENTILE.search(case.asked) else None
    return Finding(1.0, found.group()[:60]) if found is not None else None
