"""Names that SQL has in another way: longer, as `Porto` of `cars at Porto airport`, or as groups, as `Solo vs Team`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scoring.patterns import lazy
from scoring.specification import GroupKey, Op, QuestionFilter, QuestionSpec, SqlFilter, SqlSpec
from scoring.values import Choices, Text, Value
from scoring.verdict import FilterMatch
from scoring.words import identifier_words


def named_longer(
    unmet: Sequence[QuestionFilter], present: Sequence[SqlFilter], question: QuestionSpec
) -> list[FilterMatch]:
    """Such names, met by a value that stands whole in the question, or by a list of such values.

    `cars at Porto airport` asks for 'porto airport', and `who know SQL and Python` for both members of a list.
    """
    said = question.text.casefold()
    found: list[FilterMatch] = []
    for each in unmet:
        if isinstance(each.rhs, Text) and _is_bare_name(each):
            wanted = each.rhs.folded.split()
            found += [FilterMatch(each, (other,)) for other in present if _holds(wanted, other, said)][:1]
    return found


def _holds(wanted: list[str], present: SqlFilter, said: str) -> bool:
    texts = _texts(present.rhs) if present.op in (Op.EQ, Op.IN) else []
    spoken = all(text and text in said for text in texts)
    return spoken and any(text.split()[: len(wanted)] == wanted for text in texts)


def _texts(value: Value | None) -> list[str]:
    """The texts of a value, or of a list of texts only."""
    members = value.members if isinstance(value, Choices) else {value}
    texts = [each.folded for each in members if isinstance(each, Text)]
    return texts if len(texts) == len(members) else []


def told_by_groups(unmet: Sequence[QuestionFilter], question: QuestionSpec, sql: SqlSpec) -> list[FilterMatch]:
    """Names that the question holds against each other, met by groups of a column that no condition restricts.

    `Solo vs Team` and `Solo and Team separately` are met by `GROUP BY plan`, which has a row for each of them.
    """
    names = [each for each in unmet if isinstance(each.rhs, Text) and _is_bare_name(each)]
    if not names or not any(_shows_all(key, sql) for key in sql.group_by):
        return []
    return [FilterMatch(each, ()) for each in names if _is_held_against_another(each, question.text)]


def _is_bare_name(each: QuestionFilter) -> bool:
    return each.op is Op.EQ and not (each.lhs is not None and each.lhs.columns)


def _shows_all(key: GroupKey, sql: SqlSpec) -> bool:
    """Whether rows are grouped by a stored column other than a period, whose every value is a row of the answer."""
    columns = set(key.operand.columns)
    plain = key.operand.func is None and len(columns) == 1
    if not plain or any(not _PERIODS.isdisjoint(identifier_words(each.name)) for each in columns):
        return False
    shown = any(each.block in sql.outputs and columns == set(each.operand.columns) for each in sql.projections)
    restricted = any(each.lhs is not None and columns & set(each.lhs.columns) for each in sql.filters)
    return shown and not restricted


_PERIODS = frozenset({"day", "date", "week", "weekday", "month", "quarter", "year", "hour"})
_AGAINST = r"(?:vs\.?|versus|compared (?:to|with))"
_BEFORE = lazy(rf"\b(?:{_AGAINST}|compare [\w-]{{1,30}} (?:with|to|and))\s+(?:the\s+)?\Z", re.IGNORECASE)
_AFTER = lazy(rf"\W{{0,3}}{_AGAINST}(?!\w)", re.IGNORECASE)
_COMPARED = lazy(r"\bcompare (?:the )?\Z", re.IGNORECASE)
_BESIDE_BEFORE = lazy(r"[\w-] ?(?:and|&|/) ?\Z", re.IGNORECASE)
_BESIDE_AFTER = lazy(r" ?(?:and|&|/) ?[\w-]", re.IGNORECASE)
_APART = lazy(r"[^.?!;]{0,30}\b(?:sep[ae]rate(?:ly)?|side by side|apart|next to each other)\b", re.IGNORECASE)
_NEAR = 50
"""Characters to each side of a name that are looked at."""


def _is_held_against_another(each: QuestionFilter, text: str) -> bool:
    end = each.start + len(each.span)
    before, after = text[max(each.start - _NEAR, 0) : each.start], text[end : end + _NEAR]
    if _BEFORE.search(before) or _AFTER.match(after) or _COMPARED.search(before):
        return True
    beside = _BESIDE_BEFORE.search(before) or _BESIDE_AFTER.match(after)
    return beside is not None and _APART.match(after) is not None
