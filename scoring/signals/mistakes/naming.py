"""Signals about columns of the answer whose own name says something else than what they read."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.events import is_time
from scoring.signals.mistakes.opposites import kinds_opposed
from scoring.signals.mistakes.wording import shapes
from scoring.specification import Projection
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import key_stems
from scoring.sql.shapes.roles import ABOVE
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_UNITS = {
    "ms": "ms", "millisecond": "ms", "second": "second", "sec": "second", "minute": "minute", "min": "minute",
    "hour": "hour", "hr": "hour", "day": "day", "week": "week", "byte": "byte", "kb": "kb", "mb": "mb", "gb": "gb",
    "gram": "gram", "kg": "kg", "tonne": "tonne", "ton": "tonne", "cent": "cent", "wh": "wh", "kwh": "kwh",
    "mwh": "mwh", "km": "km", "metre": "metre", "meter": "metre", "mile": "mile", "litre": "litre", "ml": "ml",
}  # fmt: skip
_EARLY = frozenset(map(stem, "first earliest initial oldest".split()))
_LATE = frozenset(map(stem, "last latest newest current final now recent".split()))
_OFTEN = frozenset(map(stem, "common frequent popular typical usual mode".split()))
_MEASURED = frozenset({"SUM", "AVG", "MAX", "MIN", None})


def named_otherwise(case: Case) -> Finding | None:
    """A column of the answer is named for the opposite of what it reads.

    `origin AS destination` and `SUM(gross) AS net` contradict themselves, and so do seconds that are named hours, a
    first value that is the latest, and MAX of a text that is named the current or the most common one.

    >>> named_otherwise(case("Net weight per pilot",
    ...     "SELECT pilot, SUM(gross_weight) AS net_weight FROM loads GROUP BY pilot")).detail
    'sum(gross_weight) AS net_weight'
    """
    for each in case.answer:
        if each.alias and not each.star and (_contradicts(each, case) or _counts_others(each, case)):
            return Finding(1.0, f"{each.operand.name} AS {each.alias}")
    picked = next((each for each in shapes(case, ShapeKind.PICKED) if _picks_other_end(each)), None)
    role = next((each for each in shapes(case, ShapeKind.ROLE_OUTPUT) if _is_other_role(each)), None)
    odd = picked or role
    return Finding(1.0, odd.text) if odd is not None else _joined_otherwise(case)


_JOINED_AS = lazy(
    r"\bjoin\s+[\w.]+\s+(?:as\s+)?(?P<alias>\w{3,})\s+on\s+(?P<left>[\w.]+)\s*=\s*(?P<right>[\w.]+)", re.I
)


def _joined_otherwise(case: Case) -> Finding | None:
    """A table is joined under the name of one role by the key of the opposite one: `orig ON orig.id = s.dest_id`."""
    for join in _JOINED_AS.finditer(case.written):
        sides = [side.rpartition(".") for side in (join["left"], join["right"])]
        key = next((name for table, _, name in sides if table.casefold() != join["alias"].casefold()), "")
        if kinds_opposed(_spelt_out(join["alias"]), _spelt_out(key)) or _is_under_itself(join):
            return Finding(1.0, " ".join(join.group().split()))
    return None


_BOSSES = frozenset({"mgr", "manager", "boss", "supervisor", "parent", "lead", "chief"})


def _is_under_itself(join: re.Match[str]) -> bool:
    """Whether the manager is joined by the key of his own manager: `mgr ON mgr.manager_id = e.id`."""
    sides = [side.casefold().rpartition(".") for side in (join["left"], join["right"])]
    own = next((name for table, _, name in sides if table == join["alias"].casefold()), "")
    return join["alias"].casefold() in _BOSSES and own.rpartition("_")[0] in _BOSSES


_SHORT = {
    "orig": "origin", "dep": "departure", "src": "source", "dest": "destination", "dst": "destination",
    "arr": "arrival", "recv": "receiver", "snd": "sender",
}  # fmt: skip


def _spelt_out(name: str) -> tuple[str, ...]:
    return tuple(stem(_SHORT.get(part, part)) for part in name.casefold().split("_"))


def _contradicts(shown: Projection, case: Case) -> bool:
    """Whether one column is shown, bare or in one aggregate, whose kind or unit is not that of its name."""
    operand, named = shown.operand, identifier_words(shown.alias or "")
    if len(operand.columns) != 1 or operand.func not in _MEASURED or not _is_bare(shown):
        return False
    read = identifier_words(operand.columns[0].name)
    return kinds_opposed(named, read) or _other_unit(named, read) or _extreme_for_other(shown, named, case)


def _counts_others(shown: Projection, case: Case) -> bool:
    """Whether different keys are counted under the name of other things, whose key is read too."""
    operand, named = shown.operand, identifier_words(shown.alias or "")
    counted = key_stems(operand.columns[0].name) if operand.func == "COUNT" and len(operand.columns) == 1 else None
    if not counted or not operand.distinct or len(named) != 1 or named[0] == counted[-1]:
        return False
    read = {stems[-1] for column in case.sql.columns if (stems := key_stems(column.name))}
    return named[0] in read and named[0] in case.spoken and not _are_joined(counted[-1], named[0], case)


def _are_joined(one: str, other: str, case: Case) -> bool:
    """Whether keys of both names are compared, so that they hold the same things: learners are persons."""
    pairs = [pair for join in case.sql.joins for pair in join.pairs]
    ends = [{(key_stems(column.name) or ("",))[-1] for column in pair if key_stems(column.name)} for pair in pairs]
    return {one, other} in ends


def _is_bare(shown: Projection) -> bool:
    name = shown.operand.name
    return not shown.conditional and not any(part in name for part in (" over ", "*", "/", " + ", " - ", "case "))


def _other_unit(named: tuple[str, ...], read: tuple[str, ...]) -> bool:
    """Whether both names end with units, and with different ones."""
    wanted, given = _UNITS.get(named[-1] if named else ""), _UNITS.get(read[-1] if len(read) > 1 else "")
    return wanted is not None and given is not None and wanted != given and len(named) > 1


def _extreme_for_other(shown: Projection, named: tuple[str, ...], case: Case) -> bool:
    """Whether the largest value of a plain column is named the latest or the most common one."""
    operand, words = shown.operand, set(named)
    if operand.func not in ("MAX", "MIN") or case.sql.windows or len(case.sql.blocks) > 1 or not case.sql.group_by:
        return False
    column = operand.columns[0].name
    if operand.name != f"{operand.func.lower()}({column})" or is_time(column) or not words.isdisjoint(_EXTREMES):
        return False
    if len(column) < _SHORTEST_WORD:
        return False
    plain = words.isdisjoint(_PERIODS) and _PERIODS.isdisjoint(identifier_words(column))
    timed = not words.isdisjoint(_LATE) and plain and _LATE.isdisjoint(identifier_words(column))
    return timed or not words.isdisjoint(_OFTEN)


_SHORTEST_WORD = 4
"""Letters from which a column's name says what it holds: `atd` may be a time."""
_EXTREMES = frozenset(map(stem, "max min highest lowest largest smallest best top peak".split()))
_PERIODS = frozenset(map(stem, "date time day month year at on week id since until from start end change".split()))


def _picks_other_end(shape: Shape) -> bool:
    """Whether the row at one end of a time is named for the other end."""
    words = set(identifier_words(shape.words[1]))
    if not words or not shape.columns or not is_time(shape.columns[0].name):
        return False
    first, last = bool(words & _EARLY), bool(words & _LATE)
    return (first and not last and shape.words[0] == "most") or (last and not first and shape.words[0] == "least")


def _is_other_role(shape: Shape) -> bool:
    """Whether a column of a joined table is named for another role than that of the key which joins it."""
    how, key, name, column = shape.words
    named, role = identifier_words(name), set(identifier_words(key))
    if how == "by":
        return kinds_opposed(named, tuple(role)) and not kinds_opposed(named, identifier_words(column))
    stems = key_stems(key) or ()
    roles = stems[:-1] if len(stems) > 1 and stems[-1] not in ABOVE else stems
    own = {"of", "from", *identifier_words(column)}
    return bool(named) and named[0] in roles and own.isdisjoint(stems)
