"""The conditions that a follow-up inherits of the SQL before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scoring.alignment.left_out import anti_joined_blocks, excluded_blocks
from scoring.alignment.matching import effective_op, meets
from scoring.alignment.requirements import Requirements
from scoring.alignment.same_values import Context
from scoring.alignment.turns.inherited_times import is_time, names_time
from scoring.alignment.turns.kept_details import WIDENS
from scoring.alignment.turns.kept_values import ADDED
from scoring.alignment.turns.misread import without_coded, without_misread
from scoring.alignment.turns.negated import turned_conditions
from scoring.alignment.turns.renumbered import is_renumbered, without_renumbered
from scoring.question.follow_ups import ChangeKind, FollowUp
from scoring.question.follow_ups.evidence import FLAGS, stems, stored_forms, texts
from scoring.specification import (
    NEGATION,
    Clause,
    FilterOrigin,
    Op,
    QuestionFilter,
    SqlFilter,
    SqlSpec,
)
from scoring.values import Boolean, Choices, DatePart, Expression, Number, RelativeTime, TimeRange, intersect
from scoring.verdict import FilterAlignment

INHERITED = 0.99
"""Certainty of an inherited condition: by it, such a condition is told from those that words ask for."""
_NOT_KEPT = frozenset({Op.OTHER, Op.EXISTS, Op.NOT_EXISTS, Op.NOT_NULL})
_CLAUSES = frozenset({Clause.WHERE, Clause.ON, Clause.HAVING, Clause.CASE, Clause.FILTER})


def with_inherited(wanted: Requirements, asked: FollowUp | None, sql: SqlSpec, context: Context) -> Requirements:
    """The requirements with the conditions of the SQL before that the follow-up neither replaces nor takes away."""
    if asked is None or asked.before is None:
        return wanted
    wanted = without_coded(without_misread(wanted, asked, context), asked, sql, context)
    wanted = without_renumbered(wanted, asked, sql)
    wanted = replace(wanted, permitted=(*wanted.permitted, *_turned(asked, sql, context)))
    inherited = [
        each for each in inherited_conditions(asked, sql, context) if not _is_covered(each, wanted.required, context)
    ]
    return replace(wanted, required=(*wanted.required, *inherited)) if inherited else wanted


def _turned(asked: FollowUp, sql: SqlSpec, context: Context) -> list[QuestionFilter]:
    """The opposites of the conditions that the answer turns around: asked for by `the ones who didn't`."""
    turned = [each for each in turned_conditions(asked, sql, context) if _is_kept(each)]
    before = asked.before
    if before is None or not turned:
        return []
    there = Context(context.moment, excluded_blocks(before), anti_joined_blocks(before))
    ops = [effective_op(each, there) for each in turned]
    return [_required(each, NEGATION.get(op, op)) for each, op in zip(turned, ops, strict=True)]


def inherited_conditions(asked: FollowUp, sql: SqlSpec, context: Context) -> list[QuestionFilter]:
    """The conditions of the SQL before, as requirements."""
    before = asked.before
    if before is None:
        return []
    there = Context(context.moment, excluded_blocks(before), anti_joined_blocks(before))
    turned = turned_conditions(asked, sql, context)
    found: dict[tuple[object, ...], QuestionFilter] = {}
    for each in before.filters:
        if each not in turned and _is_kept(each) and not _is_freed(each, asked, sql) and not _is_implied(each, sql):
            op = effective_op(each, there)
            key = (each.lhs.name if each.lhs is not None else "", op, each.rhs)
            found.setdefault(key, _required(each, op))
    return _without_released(list(found.values()), asked, sql) if not turned else list(found.values())


def _without_released(found: list[QuestionFilter], asked: FollowUp, sql: SqlSpec) -> list[QuestionFilter]:
    """The conditions but the one that the follow-up takes away in words which do not name its column or value."""
    if not asked.free & {ChangeKind.RESTORE, ChangeKind.NEGATE} or asked.before is None:
        return found
    names = {name for other in sql.filters for name in _columns(other)}
    gone = [each for each in asked.before.filters if _is_released(each, names)]
    named = any(_is_dropped(each, asked, sql) for each in asked.before.filters)
    if named or len(gone) != 1 or _is_freed(gone[0], asked, sql):
        return found
    return [each for each in found if each.span != gone[0].text]


def _is_released(each: SqlFilter, names: set[str]) -> bool:
    """Whether the answer does not test the column of a condition."""
    return _is_kept(each) and not is_time(each) and bool(_columns(each)) and not _columns(each) & names


def lost_conditions(filters: FilterAlignment) -> list[QuestionFilter]:
    """The inherited conditions that the answer lacks."""
    unmet = (*filters.missing, *(each.required for each in filters.mismatched))
    return [each for each in unmet if each.certain == INHERITED]


def unmet_words(filters: FilterAlignment) -> bool:
    """Whether the answer lacks a condition that words seem to ask for."""
    unmet = (*filters.missing, *(each.required for each in filters.mismatched))
    return any(each.certain != INHERITED for each in unmet)


def loses_openly(asked: FollowUp, filters: FilterAlignment) -> bool:
    """Whether the answer to an open follow-up lacks conditions of the SQL before.

    A question that may stand alone follows where the answer has another condition of that SQL, which no words ask for.
    """
    return bool(lost_conditions(filters)) and (keeps_conditions(filters) or not asked.may_stand)


def keeps_all(asked: FollowUp, sql: SqlSpec) -> bool:
    """Whether the answer does something with the column of each condition of the SQL before."""
    filters = asked.before.filters if asked.before is not None else ()
    return all(_is_there(each, sql) or _is_named_again(each, asked, sql) for each in filters if _is_kept(each))


def keeps_conditions(filters: FilterAlignment) -> bool:
    """Whether the answer has a condition of the SQL before."""
    return any(each.required.certain == INHERITED for each in filters.matched)


def _required(each: SqlFilter, op: Op) -> QuestionFilter:
    return QuestionFilter(
        lhs=each.lhs, op=op, rhs=each.rhs, source=FilterOrigin.DEFINITION, span=each.text, start=0, certain=INHERITED
    )


def _is_kept(each: SqlFilter) -> bool:
    """Whether a condition restricts by a value that stands in the SQL."""
    if each.lhs is None or each.op in _NOT_KEPT or each.clause not in _CLAUSES:
        return False
    members = each.rhs.members if isinstance(each.rhs, Choices) else (each.rhs,)
    return not any(isinstance(member, Expression) for member in members)


def _is_freed(each: SqlFilter, asked: FollowUp, sql: SqlSpec) -> bool:
    """Whether the follow-up replaces the condition or takes it away."""
    if asked.is_open:
        widened = WIDENS.search(asked.fragment) is not None
        return not _is_there(each, sql) and (widened or _is_named_again(each, asked, sql))
    return (
        (is_time(each) and (ChangeKind.PLACE in asked.free or _is_other_time(each, asked, sql)))
        or (bool(asked.free & {ChangeKind.AGGREGATE, ChangeKind.SHARE}) and each.clause in (Clause.CASE, Clause.FILTER))
        or ((ChangeKind.SHOW in asked.kinds or ADDED.search(asked.fragment) is not None) and _is_widened(each, sql))
        or any(freed(each, asked, sql) for freed in (_is_dropped, is_renumbered, _is_replaced))
    )


def _is_other_time(each: SqlFilter, asked: FollowUp, sql: SqlSpec) -> bool:
    """Whether the follow-up speaks of a time, and the answer selects another one by the same column."""
    return names_time(asked.fragment) and _has_other_value(each, sql)


def _is_there(each: SqlFilter, sql: SqlSpec) -> bool:
    return any((_columns(other), other.op, other.rhs) == (_columns(each), each.op, each.rhs) for other in sql.filters)


def _is_named_again(each: SqlFilter, asked: FollowUp, sql: SqlSpec) -> bool:
    """Whether the answer does something else with its column: compares it otherwise, groups by it or shows it anew."""
    alike = [other for other in sql.filters if _part(other) == _part(each)]
    names = {name for other in alike for name in _columns(other)}
    if not is_time(each):
        names |= {column.name for column in sql.columns} - _shown_plainly(asked.before, sql)
    return not _columns(each) or bool(_columns(each) & names)


def _shown_plainly(before: SqlSpec | None, sql: SqlSpec) -> set[str]:
    """The columns that both answers show, but for those by which the new one alone groups its rows."""
    if before is None:
        return set()
    (old, were), (new, are) = ((_shown(spec), _grouped(spec)) for spec in (before, sql))
    return (old & new) - (are - were)


def _shown(spec: SqlSpec) -> set[str]:
    return {column.name for each in spec.projections if not each.operand.func for column in each.operand.columns}


def _grouped(spec: SqlSpec) -> set[str]:
    return {column.name for key in spec.group_by for column in key.operand.columns}


def _part(each: SqlFilter) -> str:
    """The part of a date that a condition tests."""
    members = each.rhs.members if isinstance(each.rhs, Choices) else (each.rhs,)
    return next((member.part for member in members if isinstance(member, DatePart)), "")


def _is_dropped(each: SqlFilter, asked: FollowUp, _sql: SqlSpec) -> bool:
    """Whether its value, or the word of which that is the code, is replaced or taken away in the question."""
    values = {word for value in texts(each) for word in stems(value)}
    values |= _length(each)
    return bool(asked.dropped) and (bool(values & asked.dropped) or _is_stored_form(each, asked.dropped))


def _length(each: SqlFilter) -> set[str]:
    """How many days or months a time lies back: `drop the 5 days bit`."""
    rhs = each.rhs
    return {str(abs(edge)) for edge in (rhs.start, rhs.end) if edge} if isinstance(rhs, RelativeTime) else set()


def _is_replaced(each: SqlFilter, asked: FollowUp, sql: SqlSpec) -> bool:
    """Whether the answer compares its column with another value, and the follow-up gives one of this kind."""
    if isinstance(each.rhs, Boolean):
        said = stems(asked.fragment)
        said |= {word.removeprefix("in").removeprefix("un") for word in said}
        return any(part in said - FLAGS for name in _columns(each) for part in name.split("_"))
    kind = ChangeKind.BOUND if isinstance(each.rhs, Number) and each.op in _BOUNDS else ChangeKind.THING
    return kind in asked.free and not is_time(each) and _has_other_value(each, sql)


def _is_implied(each: SqlFilter, sql: SqlSpec) -> bool:
    """Whether a stricter condition of the answer on the same column implies it: `= 3` implies `IN (2, 3)`."""
    columns = _columns(each)
    return any(
        _implies(other, each) for other in sql.filters if _columns(other) == columns and other.alternative is None
    )


def _is_widened(each: SqlFilter, sql: SqlSpec) -> bool:
    """Whether the answer takes more values of the column: `include the returned ones`."""
    if _negates(each) is not False and not isinstance(each.rhs, TimeRange):
        return False
    same = [other for other in sql.filters if _columns(other) == _columns(each)]
    return any(_members(each) < _members(other) or _lies_in(each, other) for other in same)


def _implies(new: SqlFilter, old: SqlFilter) -> bool:
    if new.op is old.op and new.op not in (Op.EQ, Op.IN, Op.NE, Op.NOT_IN):
        return new.rhs != old.rhs and _lies_in(new, old)
    mine, theirs = _members(new), _members(old)
    match _negates(new), _negates(old):
        case False, True:
            return not mine & theirs
        case False, False:
            return mine < theirs
        case True, True:
            return mine > theirs
        case _:
            return False


def _lies_in(new: SqlFilter, old: SqlFilter) -> bool:
    """Whether a bound or a range lies within another."""
    if isinstance(new.rhs, Number) and isinstance(old.rhs, Number) and new.op in _BOUNDS:
        return (new.rhs.value > old.rhs.value) == (new.op in (Op.GT, Op.GE))
    return isinstance(new.rhs, TimeRange) and isinstance(old.rhs, TimeRange) and intersect(new.rhs, old.rhs) == new.rhs


def _negates(each: SqlFilter) -> bool | None:
    """Whether it excludes values; `None` where it compares otherwise."""
    return True if each.op in (Op.NE, Op.NOT_IN) else False if each.op in (Op.EQ, Op.IN) else None


_BOUNDS = frozenset({Op.LT, Op.LE, Op.GT, Op.GE})


def _members(each: SqlFilter) -> frozenset[object]:
    return frozenset(each.rhs.members) if isinstance(each.rhs, Choices) else frozenset({each.rhs})


def _is_stored_form(each: SqlFilter, dropped: frozenset[str]) -> bool:
    """Whether a value is the code of a dropped word: `at` of `austria`."""
    forms = {form for word in dropped for form in stored_forms(word)} | stored_forms(" ".join(sorted(dropped)))
    return any(value in forms for value in texts(each))


def _has_other_value(each: SqlFilter, sql: SqlSpec) -> bool:
    """Whether the answer compares the same column with another value alone."""
    columns, bound = _columns(each), isinstance(each.rhs, Number)
    own = [
        other
        for other in sql.filters
        if (_columns(other) == columns or (bound and columns and _columns(other) > columns))
        and type(other.rhs) is type(each.rhs)
    ]
    return bool(own) and all(other.rhs != each.rhs for other in own)


def _columns(each: SqlFilter) -> frozenset[str]:
    return frozenset([column.name for column in each.lhs.columns]) if each.lhs is not None else frozenset()


def _is_covered(each: QuestionFilter, required: Sequence[QuestionFilter], context: Context) -> bool:
    """Whether words of the question require the same condition."""
    as_present = SqlFilter(lhs=each.lhs, op=each.op, rhs=each.rhs, block="main", clause=Clause.WHERE, text=each.span)
    return any(meets(own, as_present, context) for own in required)
