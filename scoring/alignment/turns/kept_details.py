"""Whether a follow-up's answer keeps what must have a value, what is shown beside, and sorts otherwise if asked."""

from __future__ import annotations

import re

from scoring.alignment.turns.inherited_times import TIMES
from scoring.patterns import lazy
from scoring.question.follow_ups import ChangeKind, FollowUp
from scoring.question.follow_ups.evidence import stems, texts
from scoring.specification import Clause, Op, Projection, SqlFilter, SqlSpec

WIDENS = lazy(
    r"\b(?:all|every\w*|any\w*|total|together|overall|whole|entire|back|without|drop|remove|ignore|forget|regardless"
    r"|either|whether|instead|not|no|never|except|else|other|undo|reset|keep)\b|n't\b",
    re.IGNORECASE,
)
"""Words that may take a condition away."""
_CONDITIONAL = frozenset({Clause.CASE, Clause.FILTER})
_LOOSENING = frozenset(
    {ChangeKind.WIDE, ChangeKind.RESTORE, ChangeKind.UNDO, ChangeKind.RETURN, ChangeKind.NEGATE, ChangeKind.CORRECT}
)
_OF_ROWS = frozenset(
    {ChangeKind.ONLY, ChangeKind.WITHOUT, ChangeKind.BOUND, ChangeKind.ORDER, ChangeKind.PLACE, ChangeKind.RANK}
)
"""Changes of which rows come, and in what order."""


def lost_presence(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """What the SQL before asks to have a value, in words of the question, and the answer does not read.

    `only the paid ones` is `paid_at IS NOT NULL`: an answer that reads neither that nor another `paid` has lost it.
    """
    before = asked.before
    if before is None or asked.kinds & _LOOSENING or (asked.is_open and WIDENS.search(asked.fragment)):
        return []
    read = stems(" ".join([*(column.name for column in sql.columns), *_values(sql)]))
    said = stems(asked.earlier) - asked.dropped - stems(asked.fragment)
    tests = (each for each in before.filters if each.op is Op.NOT_NULL and each.alternative is None)
    return [each.text for each in tests if (words := _words(each) & said) and not words & read]


def _words(each: SqlFilter) -> frozenset[str]:
    return stems(" ".join(column.name for column in each.lhs.columns)) if each.lhs is not None else frozenset()


def _values(sql: SqlSpec) -> list[str]:
    return [value for each in sql.filters for value in texts(each)]


def narrowed_conditions(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The conditions on all rows that the answer puts on one of its figures alone: the others count every row."""
    before = asked.before
    if before is None or asked.kinds & (_LOOSENING | {ChangeKind.SHARE, ChangeKind.COMPARE, ChangeKind.AGGREGATE}):
        return []
    if not _counts_all_rows(sql):
        return []
    found = [each for each in before.filters if each.clause is Clause.WHERE and not isinstance(each.rhs, TIMES)]
    return [each.text for each in found if _is_conditional_only(each, sql)]


def _counts_all_rows(sql: SqlSpec) -> bool:
    """Whether a figure is of all rows, and none is a share."""
    shown = [each for each in sql.aggregations if each.block in sql.outputs and not each.windowed]
    return not sql.divisions and not all(each.conditional for each in shown)


def _is_conditional_only(old: SqlFilter, sql: SqlSpec) -> bool:
    columns = old.lhs.columns if old.lhs is not None else ()
    names = {column.name for column in columns}
    same = [
        each for each in sql.filters if each.lhs is not None and names & {column.name for column in each.lhs.columns}
    ]
    return bool(names) and bool(same) and all(each.clause in _CONDITIONAL for each in same)


def lost_columns(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The columns that were asked for by name and that the answer shows no more, where only its rows were to change."""
    before = asked.before
    if before is None or asked.is_open or not asked.kinds or not asked.kinds <= _OF_ROWS:
        return []
    shown, old = _plain_columns(sql), _plain_columns(before)
    said, names = stems(asked.earlier) - asked.dropped, stems(" ".join(map(_name, shown)))
    return [_name(each) for each in old if shown and _is_asked_alone(each, said, names)]


def _plain_columns(sql: SqlSpec) -> list[Projection]:
    """The columns of an answer that lists rows; none of one that computes a figure or shows all columns."""
    shown = [each for each in sql.projections if each.block in sql.outputs]
    return [] if any(each.star or each.operand.func for each in shown) else shown


def _name(shown: Projection) -> str:
    return f"{shown.alias or ''} {shown.operand.name}".strip()


def _is_asked_alone(shown: Projection, said: frozenset[str], names: frozenset[str]) -> bool:
    """Whether words ask for a column, and no column of the answer is called alike."""
    own = stems(_name(shown).replace(".", " "))
    return bool(own & said) and not own & names


def sorted_as_before(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The first key of the order before, where rows are to come in the order of another column that is shown."""
    before = asked.before
    if before is None or asked.kinds != frozenset({ChangeKind.ORDER}) or not before.order_by or len(sql.order_by) < 2:
        return []
    first, said = sql.order_by[0], stems(asked.fragment)
    other = any(said & stems(key.operand.name) for key in sql.order_by[1:])
    same = first.operand.name == before.order_by[0].operand.name and not said & stems(first.operand.name)
    return [first.operand.name] if same and other else []
