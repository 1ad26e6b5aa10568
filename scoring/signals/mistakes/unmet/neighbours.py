"""Signals about rows before and after: in the order of another time, from one value to another, by another key."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.events import is_time
from scoring.signals.mistakes.unmet.ratios.averages import is_calendar
from scoring.signals.mistakes.wording import cue, shapes
from scoring.specification import Clause, Op, Operand, SqlFilter, Window
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import key_stems
from scoring.values import Text
from scoring.verdict import Case
from scoring.words import stem

_OFFSET = lazy(r"\b(lag|lead)\((?:\w+\.)?(\w+)\) over\b")


def other_order(case: Case) -> Finding | None:
    """The time since the row before is measured, and the rows follow a third time.

    >>> other_order(case("Days between the stays of each guest", "SELECT arrived_on - LAG(left_on) OVER (PARTITION BY "
    ...     "guest_id ORDER BY booked_at) FROM stays")).detail
    'LAG(left_on) in the order of booked_at'
    """
    windows = [each for each in case.sql.windows if each.func in ("LAG", "LEAD")]
    if len(windows) != 1 or not windows[0].order_by:
        return None
    follows = windows[0].order_by[0].operand.name
    for each in case.sql.projections:
        found = _OFFSET.search(each.operand.name)
        if found is not None and found[2] != follows and _is_third(follows, each.operand):
            return Finding(1.0, f"{windows[0].func}({found[2]}) in the order of {follows}")
    return None


def _is_third(name: str, operand: Operand) -> bool:
    """Whether a time is neither of the two whose difference is taken."""
    times = {column.name for column in operand.columns if is_time(column.name)}
    differs = operand.name.startswith(("datediff", "date_diff", "timestampdiff")) or " - lag(" in operand.name
    return differs and len(times) > 2 and name in times


_FROM_TO = cue("from", r"\bfrom (?:the |an? )?([a-z]+)\b(?: \w+)? to (?:the |an? )?([a-z]+)\b")


_OWN_PREVIOUS = cue(
    "previous prior last preceding before next",
    r"\b(?:the|each|every|a|same) ([a-z]+?)(?:'?s'?)? (?:own )?(?:previous|prior|last|preceding) [a-z]+"
    r"|\bfor (?:each|every) ([a-z]+)\b(?=[^.;?]{0,60}\b(?:between|before|since|next|previous)\b)",
)


def within_other(case: Case) -> Finding | None:
    """The row before of each thing is asked for, and the rows of another thing follow each other.

    >>> within_other(case("Days since the pilot's previous flight", "SELECT pilot_id, day - LAG(day) OVER "
    ...     "(PARTITION BY plane_id ORDER BY day) FROM flights")).detail
    'LAG within plane_id, not within each pilot'
    """
    keys = [(each.func, [key.name for key in each.partition_by]) for each in case.sql.windows if each.func in _OFFSETS]
    if len(keys) != 1 or len(keys[0][1]) != 1:
        return None
    func, (name,) = keys[0]
    stems = key_stems(name)
    things = [stem(found[1] or found[2]) for found in _OWN_PREVIOUS.matches(case.asked)]
    odd = next((each for each in things[:1] if each in _keyed(case)), None)
    if not stems or odd is None or not {*things}.isdisjoint(stems):
        return None
    return Finding(1.0, f"{func} within {name}, not within each {odd}")


_OFFSETS = ("LAG", "LEAD")


def _keyed(case: Case) -> set[str]:
    """The things whose keys are read."""
    return {words[-1] for column in case.sql.columns if (words := key_stems(column.name))}


def change_backwards(case: Case) -> Finding | None:
    """Who went from one value to another is asked for, and the SQL keeps those who went back.

    >>> change_backwards(case("Who went from the small plan to the large one?", "SELECT guest FROM (SELECT guest, plan,"
    ...     " LEAD(plan) OVER (PARTITION BY guest ORDER BY day) AS n FROM plans) t WHERE plan = 'large' AND n = 'small'"
    ... )).detail
    'from small to large: large, then small'
    """
    found = _FROM_TO.search(case.asked)
    if found is None or not any(each.func in ("LAG", "LEAD") for each in case.sql.windows):
        return None
    pinned = {_side(each): each.rhs.folded for each in case.sql.filters if isinstance(each.rhs, Text) and _pins(each)}
    before = pinned.get("lag") or (pinned.get("") if "lead" in pinned else None)
    after = pinned.get("lead") or (pinned.get("") if "lag" in pinned else None)
    if (after, before) != (found[1], found[2]) or before == after:
        return None
    return Finding(1.0, f"from {found[1]} to {found[2]}: {before}, then {after}")


def _pins(each: SqlFilter) -> bool:
    return each.op is Op.EQ and each.clause in (Clause.WHERE, Clause.QUALIFY)


def _side(each: SqlFilter) -> str:
    """Whether a condition is on the row before or after, or on the row itself."""
    name = each.lhs.name if each.lhs is not None else ""
    return next((word for word in ("lag", "lead") if name.startswith(f"{word}(")), "")


def _reads_other_key(window: Window, thing: str, keys: dict[str, str]) -> bool:
    """Whether a rank is within a key that names another thing than the one asked for, whose key is read."""
    names = [key.name for key in window.partition_by]
    return len(names) == 1 and thing in keys.values() and keys.get(names[0], thing) != thing


def ranked_by_other(thing: str, case: Case) -> str | None:
    """The first of each thing is asked for, and the rank is within another thing whose key nothing asks for."""
    keys = {column.name: stems[-1] for column in case.sql.columns if (stems := key_stems(column.name))}
    if len(shapes(case, ShapeKind.RANK_GROUPS)) != 1:
        return None
    ranks = [each for each in case.sql.windows if each.func in ("ROW_NUMBER", "RANK", "DENSE_RANK")]
    odd = next((each for each in ranks if _reads_other_key(each, thing, keys)), None)
    name = odd.partition_by[0].name if odd is not None else ""
    return name if name and keys[name] not in case.spoken else None


_OFFSET_OVER = lazy(r"\b(?:LAG|LEAD)\(.+?\) OVER \(ORDER BY ", re.IGNORECASE)


def across_finer_groups(case: Case) -> str | None:
    """The row before is looked for among the groups of all things, where an inner query makes the groups.

    >>> across_finer_groups(case("Change of fares by base", "SELECT base, q, f - LAG(f) OVER (ORDER BY q, base) "
    ...     "FROM (SELECT base, quarter AS q, SUM(fare) AS f FROM trips GROUP BY base, quarter) t"))
    'LAG among all base: no PARTITION BY'
    """
    lone = [each for each in shapes(case, ShapeKind.NEIGHBOUR) if _OFFSET_OVER.search(each.text) is not None]
    keys = [key.operand for key in case.sql.group_by] if lone else []
    others = [key for key in keys if not is_calendar(key)]
    if (len(keys), len(others)) != (2, 1) or len({key.block for key in case.sql.group_by}) > 1:
        return None
    told = others[0].name not in {each.operand.name for each in case.answer} or _tells_groups(others[0], lone, case)
    return None if told else f"{lone[0].text.partition('(')[0]} among all {others[0].name}: no PARTITION BY"


def _tells_groups(key: Operand, lone: Sequence[Shape], case: Case) -> bool:
    """Whether one group is picked by a condition, or the group of the row before is compared."""
    pinned = any(each.op is Op.EQ and each.lhs is not None and each.lhs.name == key.name for each in case.sql.filters)
    names = [column.name for column in key.columns]
    return pinned or not names or any(re.match(rf"\w+\((?:\w+\.)?{names[0]}\b", each.text) for each in lone)
