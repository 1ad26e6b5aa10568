"""Signals about a part that is set beside a whole that is restricted like it."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.specification import Clause, Op, SqlFilter
from scoring.values import RelativeTime, TimeRange
from scoring.verdict import Case

_CONDITIONAL = frozenset({Clause.CASE, Clause.FILTER})
_OF_VALUES = frozenset({Op.EQ, Op.IN})


def part_tested_twice(case: Case) -> str | None:
    """A part is counted by a condition beside all rows, and WHERE has kept only the rows that meet it.

    >>> part_tested_twice(case("How many flights, and how many were late?",
    ...     "SELECT COUNT(*), SUM(CASE WHEN state = 'late' THEN 1 ELSE 0 END) FROM flights WHERE state = 'late'"))
    "state = 'late' keeps only the part"
    """
    sql = case.sql
    wholes = any(each.func in ("COUNT", "SUM") and not each.conditional for each in sql.aggregations)
    if not wholes or len(sql.blocks) > _BLOCKS or sql.set_operations:
        return None
    parts = [each for each in sql.filters if _tells_part(each)]
    kept = [each for each in sql.filters if len(parts) == 1 and _is_same(each, parts[0])]
    return f"{kept[0].text} keeps only the part" if kept else None


_BLOCKS = 3


def _tells_part(each: SqlFilter) -> bool:
    """Whether a condition tells by values which rows an aggregate counts."""
    return each.clause in _CONDITIONAL and each.op in _OF_VALUES and each.lhs is not None


def _is_same(kept: SqlFilter, part: SqlFilter) -> bool:
    """Whether WHERE tests the column that sets the part apart."""
    timed = isinstance(kept.rhs, TimeRange | RelativeTime)
    path = kept.block.removeprefix(part.block)
    below = path == "" or re.fullmatch(r"(?:/(?:cte|derived):\w+)+", path) is not None
    same = kept.op is part.op and kept.rhs == part.rhs and kept.lhs == part.lhs
    return same and below and not timed and kept.clause is Clause.WHERE and kept.alternative is None


_OVER_OWN = lazy(
    r"(?:100(?:\.0)? \* )?(.+?)(?: \* 100(?:\.0)?)? / (?:nullif\()?sum\((.+?)\) over \(partition by ([\w., ]{1,60})\)"
)


def share_within_itself(case: Case) -> str | None:
    """Each group is divided by the total of the groups of its own key, which is the group: every share is 1.

    >>> share_within_itself(case("Share of flights by base", "SELECT base, n / SUM(n) OVER (PARTITION BY base) FROM "
    ...     "(SELECT base, COUNT(*) AS n FROM flights GROUP BY base) t"))
    'sum over base, the key of the groups'
    """
    if len(case.sql.group_by) != 1:
        return None
    key = case.sql.group_by[0].operand.name
    for each in case.sql.projections:
        found = _OVER_OWN.search(each.operand.name)
        if found is not None and found[3].strip() == key and found[1].removeprefix("round(") == found[2]:
            return f"sum over {key}, the key of the groups"
    return None


_BY_ITSELF = lazy(
    r"(?P<side>\b(?:count|sum)\s*\(\s*(?:distinct\s+)?(?:\*|[\w.]+)\s*\))(?:\s+as\s+\w+\s*\))?"
    r"(?:\s*\*\s*1(?:00)?(?:\.0+)?)?\s*/\s*(?:nullif\s*\(\s*)?(?P=side)(?!\s*(?:over|filter)\b)",
    re.IGNORECASE,
)


def divided_by_itself(case: Case) -> str | None:
    """The same count or sum stands above and below the line.

    >>> divided_by_itself(case("What % of flights was late, by base", "SELECT base, 100.0 * COUNT(*) / COUNT(*) "
    ...     "FROM flights WHERE late = 1 GROUP BY base"))
    'COUNT(*) / COUNT(*)'
    """
    found = _BY_ITSELF.search(case.written) if case.sql.divisions else None
    return " ".join(found.group().split()) if found is not None else None


def part_of_itself(case: Case) -> str | None:
    """The first of these that makes each share 1."""
    return part_tested_twice(case) or share_within_itself(case) or divided_by_itself(case)
