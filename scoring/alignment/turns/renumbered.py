"""Bounds of the SQL before in whose place a follow-up puts another number: `make it 1500`, `the 30 to 90 bucket`."""

from __future__ import annotations

from dataclasses import replace

from scoring.alignment.requirements import Requirements
from scoring.alignment.turns.inherited_times import TIMES
from scoring.patterns import lazy
from scoring.question.follow_ups import FollowUp
from scoring.specification import QuestionFilter, SqlFilter, SqlSpec
from scoring.values import Number

_NUMBER = lazy(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\d.])")


def is_renumbered(old: SqlFilter, asked: FollowUp, sql: SqlSpec) -> bool:
    """Whether the answer compares the column of a condition with a number that the follow-up names, and not as before.

    `more than 60 days overdue` after a due date in the past is the number of days since the due date.
    """
    said = _numbers(asked.fragment)
    if not said or not _columns(old):
        return False
    new = [each for each in sql.filters if _is_said(each, said)]
    if isinstance(old.rhs, TIMES):
        return any(_measures(each, old) for each in new)
    return isinstance(old.rhs, Number) and _moves(new, old, sql, spans=_SPAN.search(asked.fragment) is not None)


_SPAN = lazy(r"\d ?(?:to|-|–|and) ?\d")
"""Two ends: `the 30 to 90 bucket`."""


def _moves(new: list[SqlFilter], old: SqlFilter, sql: SqlSpec, *, spans: bool) -> bool:
    """Whether new conditions bound the column of an old one on its side, or on both, and the old one is gone."""
    own = [each for each in new if _columns(each) == _columns(old)]
    kept = any((each.op, each.rhs, _columns(each)) == (old.op, old.rhs, _columns(old)) for each in sql.filters)
    return not kept and any(spans or each.op is old.op for each in own)


def _measures(each: SqlFilter, old: SqlFilter) -> bool:
    """Whether a condition is on an expression of the column of an old one: a number of days since it."""
    if each.lhs is None or old.lhs is None or each.lhs.name == old.lhs.name:
        return False
    return _columns(old) <= _columns(each)


def _is_said(each: SqlFilter, said: set[float]) -> bool:
    return isinstance(each.rhs, Number) and each.rhs.value in said


def without_renumbered(wanted: Requirements, asked: FollowUp, sql: SqlSpec) -> Requirements:
    """Permits what the words of both turns seem to ask of a bound that has another number now."""
    before = asked.before
    gone = [each for each in before.filters if is_renumbered(each, asked, sql)] if before is not None else []
    excused = [each for each in wanted.required if gone and _is_of(each, gone, asked)]
    if not excused:
        return wanted
    required = tuple([each for each in wanted.required if each not in excused])
    return replace(wanted, required=required, permitted=(*wanted.permitted, *excused))


def _is_of(wanted: QuestionFilter, gone: list[SqlFilter], asked: FollowUp) -> bool:
    """Whether words ask for the old number, or for the new one in whatever they are read as."""
    if not wanted.span:
        return False
    numbers = _numbers(wanted.span)
    if numbers and numbers <= _numbers(asked.fragment):
        return True
    return isinstance(wanted.rhs, Number) and any(each.rhs == wanted.rhs for each in gone)


def _numbers(text: str) -> set[float]:
    return {float(found.replace(",", "")) for found in _NUMBER.findall(text)}


def _columns(each: SqlFilter) -> frozenset[str]:
    return frozenset([column.name for column in each.lhs.columns]) if each.lhs is not None else frozenset()
