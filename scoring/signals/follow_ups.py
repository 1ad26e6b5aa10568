"""Signals about follow-up questions: what the answer lost of the question and the SQL before it."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.alignment.turns.compared_periods import merged_periods, one_sided_conditions
from scoring.alignment.turns.inherited import lost_conditions
from scoring.alignment.turns.inherited_times import moved_times
from scoring.alignment.turns.kept_details import (
    lost_columns,
    lost_presence,
    narrowed_conditions,
    sorted_as_before,
)
from scoring.alignment.turns.kept_groups import kept_groups, lost_groups
from scoring.alignment.turns.kept_measure import lost_rate, lost_terms, lost_unit
from scoring.alignment.turns.kept_shape import (
    lost_choice,
    lost_distinct,
    lost_empty_rows,
    lost_measures,
    lost_ranking,
    repeats_before,
    unapplied,
)
from scoring.alignment.turns.kept_values import (
    bounded_rows,
    first_rows_again,
    lost_comparisons,
    moved_bounds,
    times_beside,
    unadded_values,
    uncovered_times,
    unreplaced_values,
    values_beside,
)
from scoring.alignment.turns.misread import was_kept
from scoring.display import span_of
from scoring.question.follow_ups import ChangeKind
from scoring.signals.finding import Finding, counted
from scoring.verdict import Case


def follow_up_condition_lost(case: Case) -> Finding | None:
    """The answer to a follow-up lacks a condition, or the choice of the first rows, of the question or SQL before it.

    A follow-up keeps every condition that it does not replace: `and by month?` after a question about Austria is about
    Austria.

    >>> follow_up_condition_lost(case("and by month?", "SELECT month, COUNT(*) FROM visits GROUP BY month",
    ...     after=("How many visits did Graz have?", "SELECT COUNT(*) FROM visits WHERE town = 'Graz'"))).detail
    'lost of the turn before: Graz'
    """
    return counted(list(_lost(case)), "lost of the turn before", most=1) if case.follow_up is not None else None


def _lost(case: Case) -> Iterator[str]:
    asked = case.follow_up
    if asked is None or asked.by_enriched:
        return
    inherited = lost_conditions(case.filters)
    fragment = asked.fragment.casefold()
    for each in (*case.filters.missing, *(each.required for each in case.filters.mismatched)):
        said = each.span and not asked.is_open and each.span.casefold() not in fragment
        if each in inherited or (said and was_kept(each, asked, case.query.occurred_at)):
            yield span_of(each)
    yield from lost_ranking(asked, case.sql)
    yield from lost_choice(asked, case.sql)
    yield from lost_empty_rows(asked, case.sql)
    yield from moved_bounds(asked, case.sql)
    yield from bounded_rows(asked, case.sql)
    yield from one_sided_conditions(asked, case.sql)
    yield from unreplaced_values(asked, case.sql)
    yield from unadded_values(asked, case.sql)
    yield from uncovered_times(asked, case.sql)
    yield from lost_comparisons(asked, case.sql)
    yield from lost_presence(asked, case.sql)
    yield from narrowed_conditions(asked, case.sql)
    if moved_times(asked, case.sql):
        yield "the time of another column is tested: " + ", ".join(moved_times(asked, case.sql))


def follow_up_group_lost(case: Case) -> Finding | None:
    """The SQL before is grouped, the follow-up keeps the groups, and the answer lacks one of them.

    >>> follow_up_group_lost(case("without refunds", "SELECT SUM(price) FROM tickets WHERE NOT is_refund",
    ...     after=("revenue by stage", "SELECT stage, SUM(price) FROM tickets GROUP BY stage"))).detail
    'not grouped any more by: stage'
    """
    asked = case.follow_up
    grouped = asked is not None and ChangeKind.GROUP in asked.kinds
    if asked is None or asked.before is None:
        return None
    fewer = 0 < len(case.sql.group_by) < len(asked.before.group_by)
    if case.question.group_by and case.grouping.match and not grouped and not fewer:
        return None
    return counted(lost_groups(asked, case.sql), "not grouped any more by", most=1)


def follow_up_measure_lost(case: Case) -> Finding | None:
    """The answer computes another measure than the SQL before, or in another unit, and the follow-up keeps both.

    >>> follow_up_measure_lost(case("and in Linz?", "SELECT COUNT(*) FROM visits WHERE town = 'Linz'",
    ...     after=("total fee in Graz", "SELECT SUM(fee) FROM visits WHERE town = 'Graz'"))).detail
    'not computed any more: SUM(fee)'
    """
    asked = case.follow_up
    if asked is None:
        return None
    checks = (lost_measures, lost_distinct, lost_terms, lost_rate)
    if lost := next(filter(None, (check(asked, case.sql) for check in checks)), None):
        return counted(lost, "not computed any more", most=1)
    if columns := lost_columns(asked, case.sql):
        return counted(columns, "not shown any more", most=1)
    return counted(lost_unit(asked, case.sql), "no longer converted by", most=1)


def follow_up_ignored(case: Case) -> Finding | None:
    """The answer repeats the SQL before, or keeps an old value beside the new one: what is asked for is not done.

    >>> follow_up_ignored(case("only the open ones", "SELECT name FROM huts WHERE valley = 'Ziller'",
    ...     after=("List the huts in the Ziller valley", "SELECT name FROM huts WHERE valley = 'Ziller'"))).detail
    'the SQL is the one before'
    """
    asked = case.follow_up
    if asked is None or asked.before is None:
        return None
    if repeats_before(asked, case.sql):
        return Finding(1.0, "the SQL is the one before")
    if order := sorted_as_before(asked, case.sql):
        return Finding(1.0, f"still sorted by {', '.join(order)}")
    if kept := kept_groups(asked, case.sql):
        return Finding(1.0, f"still grouped by {', '.join(kept)}")
    if merged := merged_periods(asked, case.sql):
        return Finding(1.0, f"in one figure: {'; '.join(merged)}")
    unmet = (*case.filters.missing, *(each.required for each in case.filters.mismatched))
    times = times_beside(asked, case.sql, unmet)
    if beside := [*values_beside(asked, case.sql), *times, *first_rows_again(asked, case.sql)]:
        return Finding(1.0, f"still selects {'; '.join(beside)}")
    return Finding(1.0, "no condition is new") if unapplied(asked, case.sql) else None


def follow_up_kept(case: Case) -> Finding | None:
    """The answer keeps conditions, groups and measures of the SQL before and changes something.

    >>> follow_up_kept(case("and in Linz?", "SELECT SUM(fee) FROM visits WHERE town = 'Linz'",
    ...     after=("total fee in Graz", "SELECT SUM(fee) FROM visits WHERE town = 'Graz'"))).detail
    'kept: what the follow-up does not change'
    """
    asked = case.follow_up
    if asked is None or asked.before is None:
        return None
    lost = (follow_up_condition_lost, follow_up_group_lost, follow_up_measure_lost, follow_up_ignored)
    if any(each(case) is not None for each in lost):
        return None
    return Finding(1.0, "kept: what the follow-up does not change")
