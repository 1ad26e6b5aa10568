"""Conditions that go without saying in most companies: rows that are deleted, of tests, of other tenants, outdated."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.specification import Op, SqlFilter
from scoring.values import Boolean, Choices, Number, Text, Value
from scoring.words import identifier_words

_REMOVED = frozenset("deleted delete del removed purged archived void voided tombstone".split())
_UNREAL = frozenset("test demo internal sandbox dummy fake bot synthetic training sample staff".split())
_CURRENT = frozenset("current latest".split())
_OWNER = frozenset("tenant org organization organisation workspace".split())
_FLAG_WORDS = frozenset("is flag flg yn ind indicator at on date ts time row record account user customer".split())
_NO = frozenset("n no f false 0".split())
_YES = frozenset("y yes t true 1".split())
_STATE = frozenset("status state stage".split())
_NEVER_COUNTED = frozenset(
    "cancelled canceled cancel void voided draft deleted test rejected failed declined duplicate spam reversed".split()
)


def conventions(filters: Iterable[SqlFilter], spoken: frozenset[str]) -> list[SqlFilter]:
    """The filters that a house convention explains, where the question (its word stems) does not speak of them."""
    return [each for each in filters if _is_convention(each, spoken)]


def _is_convention(each: SqlFilter, spoken: frozenset[str]) -> bool:
    if each.lhs is None or len(each.lhs.columns) != 1 or each.lhs.func is not None:
        return False
    words = _words(each.lhs.columns[0].name)
    telling = words - _FLAG_WORDS
    if telling & spoken:
        return False
    if telling & _REMOVED or (telling & _UNREAL and _says_no(each)):
        return _says_no(each) or each.op is Op.IS_NULL
    if telling & _CURRENT and telling <= _CURRENT:
        return _says_yes(each)
    if words & _OWNER:
        return each.op is Op.EQ
    return bool(words & _STATE) and _leaves_out_dead_states(each, spoken)


def _words(name: str) -> frozenset[str]:
    """The words of a column's name, also of one that was written in humps and folded: `istest`, `deletedat`."""
    words = identifier_words(name)
    if len(words) != 1:
        return frozenset(words)
    stem = words[0].removeprefix("is").removesuffix("at").removesuffix("on").removesuffix("code")
    return frozenset({*words, stem}) if stem in _REMOVED | _UNREAL | _STATE | _CURRENT else frozenset(words)


def _says_no(each: SqlFilter) -> bool:
    return (each.op is Op.EQ and _truth(each.rhs) is False) or (each.op is Op.NE and _truth(each.rhs) is True)


def _says_yes(each: SqlFilter) -> bool:
    return (each.op is Op.EQ and _truth(each.rhs) is True) or (each.op is Op.NE and _truth(each.rhs) is False)


def _truth(value: Value | None) -> bool | None:
    """What a flag's value says; `None` where it is no flag's value."""
    match value:
        case Boolean(truth):
            return truth
        case Number(number):
            return {0.0: False, 1.0: True}.get(number)
        case Text(folded):
            return False if folded in _NO else True if folded in _YES else None
        case _:
            return None


def _leaves_out_dead_states(each: SqlFilter, spoken: frozenset[str]) -> bool:
    """Whether it excludes only states in which nothing counts: void, draft, cancelled."""
    if each.op is Op.NE:
        excluded = [each.rhs]
    elif each.op is Op.NOT_IN and isinstance(each.rhs, Choices):
        excluded = list(each.rhs.members)
    else:
        return False
    return all(isinstance(value, Text) and value.folded in _NEVER_COUNTED - spoken for value in excluded)
