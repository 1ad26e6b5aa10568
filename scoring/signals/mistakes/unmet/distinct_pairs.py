"""The signal that different pairs, of a person and a day, say, are counted for the people."""

from __future__ import annotations

from collections.abc import Collection

from scoring.signals.mistakes.events import is_time
from scoring.sql.shapes.naming import key_stems
from scoring.verdict import Case


def pairs_counted(case: Case, people: Collection[str]) -> str | None:
    """The different rows of a key of people and of something else are counted, and nothing groups by that.

    >>> pairs_counted(case("How many different pilots flew?",
    ...     "SELECT COUNT(*) FROM (SELECT DISTINCT pilot_id, flown_on FROM flights) t"), {"pilot"})
    'pilot_id counts once for each flown_on'
    """
    inner = [block.path for block in case.sql.blocks if block.distinct and block.path not in case.sql.outputs]
    counted = any(each.func == "COUNT" and not each.distinct for each in case.sql.aggregations)
    if len(inner) != 1 or not counted or case.sql.set_operations:
        return None
    keyed, others = _shown(inner[0], people, case)
    return f"{keyed[0]} counts once for each {others[0]}" if keyed and others else None


def _shown(block: str, people: Collection[str], case: Case) -> tuple[list[str], list[str]]:
    """The keys of people that a block shows, and its times and other keys by which nothing groups."""
    names = [
        each.operand.columns[0].name for each in case.sql.projections if each.block == block and each.operand.columns
    ]
    grouped = {column.name for key in case.sql.group_by for column in key.operand.columns}
    keyed = [name for name in names if (key_stems(name) or ("",))[-1] in people]
    return keyed, [name for name in names if name not in {*keyed, *grouped} and _tells_apart(name)]


def _tells_apart(name: str) -> bool:
    return is_time(name) or key_stems(name) is not None
