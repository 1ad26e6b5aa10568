"""Conditions that a follow-up turns around: `and the ones who didn't?`."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.alignment.left_out import anti_joined_blocks, excluded_blocks
from scoring.alignment.matching import effective_op
from scoring.alignment.same_values import Context
from scoring.question.follow_ups import ChangeKind, FollowUp
from scoring.specification import NEGATION, Op, SqlFilter, SqlSpec
from scoring.values import Boolean


def turned_conditions(asked: FollowUp, sql: SqlSpec, context: Context) -> list[SqlFilter]:
    """The conditions of the SQL before whose opposite the answer has, where the follow-up asks for that."""
    before = asked.before
    if before is None or not (asked.is_open or ChangeKind.NEGATE in asked.free):
        return []
    there = Context(context.moment, excluded_blocks(before), anti_joined_blocks(before))
    here = Context(context.moment, excluded_blocks(sql), anti_joined_blocks(sql))
    turned = [each for each in before.filters if any(_is_turned(each, there, new, here) for new in sql.filters)]
    return [*turned, *_beside(turned, before.filters)]


def _is_turned(old: SqlFilter, there: Context, new: SqlFilter, here: Context) -> bool:
    if old.lhs is None or new.lhs is None:
        return False
    if {column.name for column in old.lhs.columns} != {column.name for column in new.lhs.columns}:
        return False
    mine, theirs = effective_op(old, there), effective_op(new, here)
    if isinstance(old.rhs, Boolean) and isinstance(new.rhs, Boolean):
        return (mine == theirs) != (old.rhs == new.rhs)
    return old.rhs == new.rhs and NEGATION.get(mine) is theirs


def _beside(turned: Sequence[SqlFilter], filters: Sequence[SqlFilter]) -> list[SqlFilter]:
    """What stands in a subquery beside a condition that is turned around: that goes with it."""
    blocks = {each.block for each in turned if each.block != "main"}
    return [each for each in filters if each.block in blocks and each not in turned]


def kept_as_it_was(asked: FollowUp, sql: SqlSpec, context: Context) -> bool:
    """Whether nothing of the SQL before is turned around or gone, although the follow-up asks for the other rows."""
    before = asked.before
    if before is None or ChangeKind.NEGATE not in asked.free or turned_conditions(asked, sql, context):
        return False
    absent = {Op.IS_NULL, Op.NOT_EXISTS, Op.NOT_IN, Op.NE}
    return not any(each.op in absent for each in sql.filters) and not excluded_blocks(sql)
