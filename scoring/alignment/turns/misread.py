"""Conditions that the words of a conversation seem to ask, and the SQL of its turns shows to be read otherwise."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from scoring.alignment.left_out import anti_joined_blocks, excluded_blocks
from scoring.alignment.matching import meets
from scoring.alignment.requirements import Requirements
from scoring.alignment.same_values import Context
from scoring.alignment.turns.inherited_times import TIMES, is_time, names_time
from scoring.patterns import lazy
from scoring.question.follow_ups import ChangeKind, FollowUp
from scoring.question.follow_ups.evidence import texts
from scoring.question.questions import read_question
from scoring.specification import FilterOrigin, Op, QuestionFilter, SqlFilter, SqlSpec
from scoring.values import Choices, Number, Text


def without_misread(wanted: Requirements, asked: FollowUp, context: Context) -> Requirements:
    """Permits what the words of earlier turns seem to ask and the SQL before does not apply, and times to compare."""
    times = ChangeKind.COMPARE in asked.kinds or _reads_times_otherwise(asked, context.moment)
    times = times or ChangeKind.SPAN in asked.free
    times = times or (asked.is_open and _COMPARED.search(asked.fragment) is not None)
    excused = [
        each for each in wanted.required if (times and _is_timed(each)) or not _was_applied(each, asked, context.moment)
    ]
    if not excused:
        return wanted
    required = tuple([each for each in wanted.required if each not in excused])
    return replace(wanted, required=required, permitted=(*wanted.permitted, *excused))


_COMPARED = lazy(r"\bcompar\w+|\bvs\b|\bversus\b", re.IGNORECASE)


def _reads_times_otherwise(asked: FollowUp, moment: datetime | None) -> bool:
    """Whether the SQL before applies no time as the words of its question are read: `summer 2025`."""
    times = [each for each in read_question(asked.earlier).filters if _is_timed(each)]
    there = asked.before.filters if asked.before is not None else ()
    context = Context(moment and moment.replace(tzinfo=None))
    timed = any(is_time(each) for each in there)
    return timed and bool(times) and not any(meets(each, other, context) for each in times for other in there)


def _is_timed(each: QuestionFilter) -> bool:
    return isinstance(each.rhs, TIMES) or _A_YEAR.fullmatch(each.span) is not None


_A_YEAR = lazy(r"(?:19|20)\d\d")


def _was_applied(each: QuestionFilter, asked: FollowUp, moment: datetime | None) -> bool:
    """Whether the fragment itself asks for a condition, or the SQL before has it as earlier turns ask for it."""
    own = each.source is not FilterOrigin.QUESTION or not each.span or each.span.casefold() in asked.fragment.casefold()
    return own or each.span not in asked.earlier or was_kept(each, asked, moment)


def without_coded(wanted: Requirements, asked: FollowUp, sql: SqlSpec, context: Context) -> Requirements:
    """Permits a name that both answers seem to write as a code: `airport = 'VIE'` for Vienna.

    The SQL before has a text that no word of its question explains. The answer has the same one, or for a name of the
    follow-up another one of the same column.
    """
    coded = _codes(asked)
    excused: list[QuestionFilter] = []
    for each in wanted.required if coded else ():
        if _is_unmet_name(each, sql, context):
            new = each.span.casefold() in asked.fragment.casefold()
            code = next((code for code in coded if _is_compared(code, sql) and _is_changed(code, sql) == new), None)
            if code is not None:
                coded.remove(code)
                excused.append(each)
    if not excused:
        return wanted
    required = tuple([each for each in wanted.required if each not in excused])
    return replace(wanted, required=required, permitted=(*wanted.permitted, *excused))


def _codes(asked: FollowUp) -> list[SqlFilter]:
    """The conditions of the SQL before whose texts do not stand in its question."""
    earlier = f" {' '.join(_WORDS.findall(asked.earlier.casefold()))} "
    found = asked.before.filters if asked.before is not None else ()
    return [each for each in found if (said := _spelled(each)) and not any(f" {text} " in earlier for text in said)]


def _spelled(each: SqlFilter) -> list[str]:
    """The texts and whole numbers that a condition compares with by equality, as they are written."""
    members = each.rhs.members if isinstance(each.rhs, Choices) else (each.rhs,)
    numbers = [f"{member.value:g}" for member in members if isinstance(member, Number)]
    return [*texts(each), *numbers] if each.op in (Op.EQ, Op.IN) else list(texts(each))


_WORDS = lazy(r"[\w'&.-]+")


def _is_unmet_name(each: QuestionFilter, sql: SqlSpec, context: Context) -> bool:
    named = each.source is FilterOrigin.QUESTION and isinstance(each.rhs, Text)
    return named and not any(meets(each, other, context) for other in sql.filters)


def _is_changed(each: SqlFilter, sql: SqlSpec) -> bool:
    """Whether the answer compares the column with something else."""
    return all(other.rhs != each.rhs for other in sql.filters if _columns(other) == _columns(each))


def _is_compared(each: SqlFilter, sql: SqlSpec) -> bool:
    return any(_columns(other) == _columns(each) for other in sql.filters)


def was_kept(each: QuestionFilter, asked: FollowUp, moment: datetime | None) -> bool:
    """Whether the SQL before has a condition of the earlier question, which the follow-up leaves as it is.

    A time is not left as it is where the follow-up speaks of another one.
    """
    if isinstance(each.rhs, TIMES) and ChangeKind.PLACE not in asked.free and names_time(asked.fragment):
        return False
    before = asked.before
    if before is None or each.span not in asked.earlier:
        return True
    there = Context(moment and moment.replace(tzinfo=None), excluded_blocks(before), anti_joined_blocks(before))
    return any(meets(each, other, there) for other in before.filters)


def _columns(each: SqlFilter) -> frozenset[str]:
    return frozenset([column.name for column in each.lhs.columns]) if each.lhs is not None else frozenset()
