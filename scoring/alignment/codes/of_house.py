"""Conditions on what the house stores as codes: a depot by its number, a weekday by its place in the week."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from scoring.rules import Rules
from scoring.specification import Op, QuestionFilter, SqlFilter
from scoring.values import Choices, DatePart, Number, Text, Value
from scoring.verdict import FilterMatch
from scoring.words import identifier_words

_KEEPING = frozenset({Op.EQ, Op.IN})
_WEEKDAYS = frozenset({"dow", "weekday", "wday", "isodow"})


def met_by_codes(
    matched: Sequence[FilterMatch], unmet: Sequence[QuestionFilter], present: Sequence[SqlFilter], rules: Rules
) -> tuple[list[FilterMatch], list[QuestionFilter]]:
    """What is matched, with the conditions that the SQL states in codes, and the conditions that are left."""
    matched = [*matched]
    left: list[QuestionFilter] = []
    for each in unmet:
        met_by = next((other for other in present if _says(each, other, rules)), None)
        if met_by is None:
            left.append(each)
        else:
            matched.append(FilterMatch(each, (met_by,)))
    return matched, left


def _says(each: QuestionFilter, other: SqlFilter, rules: Rules) -> bool:
    if other.op not in _KEEPING or other.lhs is None or len(other.lhs.columns) != 1:
        return False
    column = other.lhs.columns[0]
    if isinstance(each.rhs, DatePart) and each.rhs.part == "weekday":
        return isinstance(other.rhs, Number) and _holds_weekdays(column.name)
    if not rules.codes or not isinstance(each.rhs, Text) or each.op not in _KEEPING:
        return False
    codes = rules.codes.get(f"{column.table}.{column.name}") or rules.codes.get(column.name)
    return codes is not None and any(_is_called(each.rhs.folded, codes, value) for value in _values(other))


def _holds_weekdays(name: str) -> bool:
    words = identifier_words(name)
    return not _WEEKDAYS.isdisjoint(words) or words[-3:] == ("day", "of", "week")


def _is_called(name: str, codes: Mapping[str, str], value: Value | None) -> bool:
    """Whether a code has a name as its meaning."""
    code = value.folded if isinstance(value, Text) else str(value)
    meaning = next((meaning for key, meaning in codes.items() if key.lower() == code), "")
    return name in meaning.casefold().split(" / ") or name == meaning.casefold()


def _values(each: SqlFilter) -> Iterable[Value | None]:
    return each.rhs.members if isinstance(each.rhs, Choices) else (each.rhs,)
