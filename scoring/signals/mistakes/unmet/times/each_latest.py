"""Signals about the latest row of each thing: it comes once for each of other things, or without what it has."""

from __future__ import annotations

from scoring.signals.mistakes.events import is_time
from scoring.signals.mistakes.unmet.links import one_step_to
from scoring.signals.mistakes.wording import cue, is_called
from scoring.specification import Column, Operand
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_LAST_AND = cue(
    "last latest recent first",
    r"\b(?:last|latest|most recent|first) (?:\w+ )?\w+ and (?:the |its |their )?([a-z]+) (?:for|of|per|by) "
    r"(?:each|every|all|any) (?:\w+ )?([a-z]+)\b",
)


def latest_of_each_pair(case: Case) -> str | None:
    """The latest event of each thing is asked for with where it was, and the latest at each place comes.

    >>> latest_of_each_pair(case("Last flight date and base for every pilot", "SELECT p.name, b.base, MAX(f.day) FROM "
    ...     "pilots p JOIN flights f ON f.pilot_id = p.id JOIN bases b ON b.id = f.base_id GROUP BY p.name, b.base"))
    'max(day) by name, base'
    """
    keys = [key.operand for key in case.sql.group_by if key.block in case.sql.outputs]
    latest = _latest(case) if len(keys) > 1 and not case.sql.windows else None
    columns = [column for key in keys for column in key.columns]
    if latest is None or not (_is_grouped_by_detail(latest, columns, case) or _is_of_pairs(latest, columns, case)):
        return None
    return f"{latest.name} by {keys[0].name}, {keys[1].name}"


def _is_grouped_by_detail(latest: Operand, columns: list[Column], case: Case) -> bool:
    """Whether the groups are also those of what the question wants to know of the latest event."""
    found = _LAST_AND.search(case.asked)
    of_event = latest.columns[0].table in {each.table for each in columns}
    return found is not None and is_called(stem(found[1]), columns) and not of_event


def _is_of_pairs(latest: Operand, columns: list[Column], case: Case) -> bool:
    """Whether an event is grouped by two things that it refers to, or by where it is from and where it goes."""
    event = latest.columns[0].table
    if event is None or _OF_EACH.search(case.asked) is None:
        return False
    steps = {one_step_to(column.table, event, case.sql) for column in columns} - {None}
    return len(steps) > 1 or _are_two_ends([column for column in columns if column.table == event])


_OF_EACH = cue(
    "each every per",
    r"^(?:(?!\b(?:each|every|per|by|pair|combination)\b(?! (?:each|every))).)*?"
    r"\b(?:last|latest|most recent|newest|first)(?: ever)? "
    r"(?!(?:\d|few|couple|day|week|month|quarter|year|season|hour|half)\w*)(?:[a-z]+ ){1,4}?(?:each|every|per)\b"
    r"(?!.*\b(?:each|every|per|by|pair|combination)\b)",
)
"""The latest event of each of one kind of things, and of no other kind."""


def _are_two_ends(columns: list[Column]) -> bool:
    """Whether columns are named as where something is from and where it goes."""
    names = [identifier_words(column.name) for column in columns]
    return any({one[0], other[0]} >= _ENDS and one[1:] == other[1:] for one in names for other in names if one[1:])


_ENDS = frozenset({"from", "to"})


def _latest(case: Case) -> Operand | None:
    """The one extreme of a time that is shown."""
    found = [each.operand for each in case.answer if each.operand.func in ("MAX", "MIN") and each.operand.columns]
    return found[0] if len(found) == 1 and is_time(found[0].columns[0].name) else None


_WITH_DETAIL = cue(
    "and with",
    r"\b(?:last|latest|most recent|newest|first)\b(?! (?:\d|few|\w+ (?:days|weeks|months|years)))[^.?;]{3,60}?"
    r"(?:\band (?:on |at |in |from |by |for |with )?(?:which|what|whose) |\bwith (?:the |its |their )?"
    r"(?:date|day|time|when)(?: and|,| &) (?:the |its |their )?)(?P<what>[a-z]{4,})\b",
)


def detail_of_latest_missing(case: Case) -> str | None:
    """The latest row is asked for with something it has, and the answer is its time alone.

    >>> detail_of_latest_missing(case("When did each pilot last fly, and with which plane?",
    ...     "SELECT pilot, MAX(day) FROM flights GROUP BY pilot"))
    'plane: only max(day) is given'
    """
    found, sql = _WITH_DETAIL.search(case.asked), case.sql
    latest = _latest(case) if found is not None and len(sql.blocks) == 1 and not sql.windows else None
    if found is None or latest is None or len([each for each in case.answer if each.operand.func]) > 1:
        return None
    return None if _is_shown(stem(found["what"]), case) else f"{found['what']}: only {latest.name} is given"


def _is_shown(what: str, case: Case) -> bool:
    """Whether a column of the answer, its table or its alias may be called so, or short for it."""
    tables = [column.table or "" for each in case.answer for column in each.operand.columns]
    names = [name or "" for each in case.answer for name in (each.operand.name, each.alias)]
    words = {word for name in (*tables, *names) for word in identifier_words(name)}
    return any(what.startswith(word) or word.startswith(what) for word in words if len(word) > 1)
