"""Whether a turn goes on with the answer before, which its words alone do not say: `north branch`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scoring.patterns import lazy
from scoring.question.english.follow_ups import ASKING
from scoring.question.follow_ups.edits import ChangeKind
from scoring.question.follow_ups.evidence import stems
from scoring.question.follow_ups.forms import Fragment
from scoring.specification import SqlFilter, SqlSpec

_MOST_WORDS = 7
"""Most words of a turn that changes the answer before without saying how."""


def is_undone(fragment: Fragment) -> bool:
    """Whether a fragment takes the last change back."""
    return any(each.kind is ChangeKind.UNDO for each in fragment.changes)


def back_at(fragment: Fragment, texts: Sequence[str]) -> tuple[int, Fragment] | None:
    """At which of the meanings so far a fragment starts, and its other changes; `None` where that cannot be told."""
    if not fragment.changes:
        return None
    first = fragment.changes[0]
    if first.kind is ChangeKind.UNDO:
        return (len(texts) - 2, Fragment((), certain=True)) if len(texts) > 1 else None
    if first.kind is not ChangeKind.RETURN:
        return len(texts) - 1, fragment
    place = returned_to(first.text, texts)
    return (place, Fragment(fragment.changes[1:], certain=True)) if place is not None else None


def returned_to(words: str, texts: Sequence[str]) -> int | None:
    """Which of the meanings so far is asked for again: by a word of it, or as the first or the one before.

    >>> returned_to("monthly one", ["monthly fees", "fees per club", "fees per club in May"])
    0
    """
    if len(texts) < 2:
        return None
    if _FIRST.search(words):
        return 0
    if _BEFORE.search(words):
        return len(texts) - 2
    said = stems(words) - _EMPTY
    found = [place for place, text in enumerate(texts[:-1]) if said & stems(text)]
    return found[0] if found else None


_FIRST = lazy(r"\b(?:first|original|initial|beginning|start)\b", re.IGNORECASE)
_BEFORE = lazy(r"\b(?:previous|last|one before|before that)\b", re.IGNORECASE)
_EMPTY = stems("one ones number numbers list view version query question result table figure")


def goes_on(question: str, now: SqlSpec | None, before: SqlSpec | None) -> bool:
    """Whether few words were answered by the SQL before with something added."""
    if now is None or before is None or len(question.split()) > _MOST_WORDS or ASKING.match(question.strip()):
        return False
    old, new = ({table for block in spec.blocks for table in block.tables} for spec in (before, now))
    conditions = {_condition(each) for each in before.filters}
    return bool(old) and old <= new and bool(conditions) and conditions <= {_condition(each) for each in now.filters}


def shares_conditions(before: SqlSpec, now: SqlSpec) -> bool:
    """Whether two answers read a table together and have a condition in common."""
    old, new = ({table for block in spec.blocks for table in block.tables} for spec in (before, now))
    known = {_condition(each) for each in before.filters}
    return bool(old & new) and any(_condition(each) in known for each in now.filters)


def _condition(each: SqlFilter) -> tuple[object, ...]:
    columns = frozenset([column.name for column in each.lhs.columns]) if each.lhs is not None else frozenset[str]()
    return columns, each.op, each.rhs
