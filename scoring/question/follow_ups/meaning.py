"""What a fragment asks after an earlier question: that question, with the changes of the fragment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from scoring.question.follow_ups.bound_changes import bound_change
from scoring.question.follow_ups.changed_question import Meaning
from scoring.question.follow_ups.corrections import (
    columns_change,
    compare_change,
    correct_change,
    negate_change,
    next_change,
    restore_change,
)
from scoring.question.follow_ups.earlier import EarlierQuestion
from scoring.question.follow_ups.edits import ChangeKind, Edit
from scoring.question.follow_ups.evidence import TurnEvidence
from scoring.question.follow_ups.forms import Fragment
from scoring.question.follow_ups.row_changes import (
    only_change,
    place_change,
    thing_change,
    wide_change,
    without_change,
)
from scoring.question.follow_ups.shape_changes import (
    aggregate_change,
    count_change,
    group_change,
    list_change,
    order_change,
    rank_change,
    share_change,
    show_change,
)


def resolve(fragment: Fragment, earlier: str, evidence: TurnEvidence, moment: datetime | None) -> Meaning | None:
    """The question that a fragment asks after `earlier`; `None` where a change of it is not understood."""
    if not fragment.changes:
        return None
    meaning = Meaning(EarlierQuestion(earlier), evidence, moment, fragment.instead, fragment.further)
    for change in fragment.changes:
        changed = _CHANGES.get(change.kind)
        if changed is None or not changed(meaning, change):
            return None
    return meaning


_CHANGES: Mapping[ChangeKind, Callable[[Meaning, Edit], bool]] = {
    ChangeKind.GROUP: group_change,
    ChangeKind.ORDER: order_change,
    ChangeKind.RANK: rank_change,
    ChangeKind.SHARE: share_change,
    ChangeKind.WITHOUT: without_change,
    ChangeKind.ONLY: only_change,
    ChangeKind.WIDE: wide_change,
    ChangeKind.COMPARE: compare_change,
    ChangeKind.BOUND: bound_change,
    ChangeKind.PLACE: place_change,
    ChangeKind.THING: thing_change,
    ChangeKind.COUNT: count_change,
    ChangeKind.LIST: list_change,
    ChangeKind.AGGREGATE: aggregate_change,
    ChangeKind.SHOW: show_change,
    ChangeKind.COLUMNS: columns_change,
    ChangeKind.NEXT: next_change,
    ChangeKind.NEGATE: negate_change,
    ChangeKind.CORRECT: correct_change,
    ChangeKind.RESTORE: restore_change,
}
