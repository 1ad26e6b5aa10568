"""Finds definitions that compare with hardly a letter of the name asked for: `city LIKE 'L%'` for Lisbon."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.alignment.telling_apart import texts_of
from scoring.question.definitions.vacuous import LONGEST, plain_letters, words_of
from scoring.specification import Definition, Op, QuestionFilter
from scoring.values import Pattern, Text
from scoring.words import identifier_words, in_order, letters

_PATTERNS = frozenset({Op.STARTS_WITH, Op.ENDS_WITH, Op.CONTAINS, Op.LIKE})
_CUTS = frozenset({"substr", "substring", "left", "right", "mid"})
_CODES = frozenset(
    {"code", "abbr", "abbreviation", "symbol", "iso", "prefix", "zip", "postcode", "initial", "initials"}
)
"""Words of columns whose first letters may stand for a whole group."""
_FEW = 2


def is_wide_pattern(own: QuestionFilter, each: QuestionFilter, columns: Sequence[str], definition: Definition) -> bool:
    """Whether a condition of a definition compares with one or two letters of the name that the question asks for.

    A word without a capital is the kind of a thing, which its first letter may tell: `sex LIKE 'F%'` for female.
    """
    is_name = own.op not in _PATTERNS and own.span.strip("'\"")[:1].isupper()
    kept = _kept(each, definition) if is_name else None
    if kept is None or not _CODES.isdisjoint({word for name in columns for word in identifier_words(name)}):
        return False
    return any(in_order(kept, name) and len(name) > len(kept) + 1 for name in map(letters, texts_of(own.rhs)))


def _kept(each: QuestionFilter, definition: Definition) -> str | None:
    """The letters that a pattern, or the comparison of a part, keeps of a name; `None` where they are more than few."""
    cut = each.op is Op.EQ and not _CUTS.isdisjoint(words_of(plain_letters(definition.text[:LONGEST])))
    if not (cut or each.op in _PATTERNS) or not isinstance(each.rhs, Text | Pattern):
        return None
    kept = letters(each.rhs.folded if isinstance(each.rhs, Text) else each.rhs.text)
    return kept if len(kept) <= _FEW else None
