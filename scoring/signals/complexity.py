"""Signals about how much the SQL does: they name no fault."""

from __future__ import annotations

from scoring.signals.finding import Finding
from scoring.verdict import Case


def nested_answer(case: Case) -> Finding | None:
    """The SQL has many query blocks.

    Such answers are wrong more often. Full strength at four blocks. CTEs and derived tables that only pass rows on are
    no blocks. It names no fault.

    >>> nested_answer(case("Pilots who fly",
    ...     "SELECT name FROM pilots WHERE id IN (SELECT pilot_id FROM flights)")).detail
    '2 query blocks'
    """
    count = len(case.sql.blocks)
    return Finding(min(1.0, (count - 1) / 3), f"{count} query blocks") if count > 1 else None


def overly_complex(case: Case) -> Finding | None:
    """The SQL does much for a short question.

    Such answers are wrong more often. It needs more constructs than words, and more than four; full strength at two a
    word. Conditions do not count. It names no fault.

    >>> overly_complex(case("How many parcels?", "SELECT a, COUNT(*) FROM parcels GROUP BY a ORDER BY a")).detail
    '5 constructs for 3 words'
    """
    sql = case.sql
    parts = (sql.projections, sql.joins, sql.group_by, sql.order_by, sql.aggregations, sql.divisions)
    size = sum(map(len, parts)) + len(sql.joins) + 2 * len(sql.blocks) - 2
    few = max(case.words, _FEW)
    return Finding(min(1.0, size / (2 * few)), f"{size} constructs for {case.words} words") if size > few else None


_FEW = 4
"""Words of a short question."""
