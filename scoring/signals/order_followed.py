"""The signal that rows come in another order than the one asked for."""

from __future__ import annotations

import re

from scoring.alignment.outputs.amounts import holds_any_amount
from scoring.alignment.outputs.shown_names import alias_words, shown_names
from scoring.linking import LINKED, best_likeness, content_words, initials, operand_words
from scoring.patterns import lazy
from scoring.signals.definitions import is_defined
from scoring.signals.extreme_words import INVERTED
from scoring.signals.finding import Finding, differing
from scoring.specification import Operand
from scoring.verdict import Case
from scoring.words import identifier_words


def order_changed(case: Case) -> Finding | None:
    """Rows are ordered by something else than the order asked for.

    Alphabetical order must follow a column of the answer; any other order must follow the thing that the question
    names.

    >>> order_changed(case("List the names alphabetically", "SELECT name FROM pilots ORDER BY age")).detail
    'expected → actual: alphabetical → age'
    """
    asked = case.question.ordering
    keys = [each.operand for each in case.sql.order_by if each.block in case.sql.outputs]
    if asked is None or not keys or _is_rank_shown(case):
        return None
    if "alphabet" in case.question.text[asked.start : asked.start + _ORDER_LENGTH].casefold():
        fits = any(key.name == each.operand.name or each.star for key in keys for each in case.answer)
    else:
        fits = _follows(asked.phrase, keys, case)
    return None if fits or _is_by_size(keys, case) else differing(asked.phrase or "alphabetical", keys[0].name)


_RANKED = lazy(r"\brank (?:the |these |those |our )?\w+\s*[?.!]*$")
"""`rank the reasons` says what is ranked, and not by what."""


def _is_by_size(keys: list[Operand], case: Case) -> bool:
    """Whether `biggest team first` is asked for, and rows come by how many there are, or by an amount."""
    counted = any(re.search(r"\b(?:count|sum|avg)\(", key.name) for key in keys)
    return counted and (_BY_SIZE.search(case.asked) is not None or _RANKED.search(case.asked) is not None)


def _is_rank_shown(case: Case) -> bool:
    """Whether a rank stands beside the rows, which may then come in any order."""
    ranks = [each for each in case.sql.windows if each.func in ("RANK", "DENSE_RANK", "ROW_NUMBER")]
    asked = case.question.ordering
    keys = [key.operand for each in ranks for key in each.order_by]
    if asked is None or not keys or "rank" not in case.spoken:
        return False
    named = _is_named_by(asked.phrase, keys, case)
    return named or any(each.partition_by for each in ranks) or _follows(asked.phrase, keys, case)


def _is_named_by(phrase: str, keys: list[Operand], case: Case) -> bool:
    """Whether a figure that is made of a key's columns is named after the order asked for."""
    same = [each.alias or "" for each in case.answer if _is_of_same(each.operand, keys)]
    return any(word in identifier_words(alias) for alias in same for word in content_words(phrase))


def _is_of_same(shown: Operand, keys: list[Operand]) -> bool:
    """Whether a figure is made of the same columns as a key: `SUM(cents) / 100` beside `ORDER BY SUM(cents)`."""
    return bool(shown.columns) and any(set(shown.columns) == set(key.columns) for key in keys)


def _follows(phrase: str, keys: list[Operand], case: Case) -> bool:
    """Whether some key is defined or resembles the phrase."""
    if any(is_defined(column, case) for key in keys for column in key.columns):
        return True
    words = [word for word in content_words(phrase) if word not in _ORDER_WORDS]
    if any(_is_spelt(words, operand_words(key)) for key in keys):
        return True
    names = shown_names(case.sql)
    return not words or any(_orders(word, key, alias_words(key, names)) for word in words for key in keys)


def _is_spelt(words: list[str], own: tuple[str, ...]) -> bool:
    """Whether a key's words hold the initials of a phrase, or a birth for an age."""
    return initials(words) in own or (words == ["age"] and not INVERTED.isdisjoint(own))


_BY_SIZE = lazy(
    r"\b(?:(?:bigg|larg|small|busi|high|low|long|short)est\b[^.;?]{0,30}|(?:most|least) [a-z]+ed(?: about)?)"
    r" (?:first|on top|at the top)\b"
)
_ORDER_LENGTH = 40
"""Characters of an ordering in which `alphabetical` is looked for."""


_ORDER_WORDS = frozenset(
    "ascending descending order ordered sort sorted increasing decreasing reverse rank quantity"
    " amount value figure one ones".split()
)
_COUNTED = frozenset({"number", "count", "many", "most", "frequency", "popularity"})


def _orders(word: str, key: Operand, called: frozenset[str]) -> bool:
    """Whether a key is what a word says: `overdue` is a number of days, or in the order of what is `due_on`."""
    own = (*operand_words(key), *called)
    if best_likeness(word, own) >= LINKED or any(len(each) > 2 and each in word for each in own):
        return True
    if key.func != "COUNT" and all(holds_any_amount(column.name, column.table) for column in key.columns):
        return True
    return (key.func == "COUNT" or "count(" in key.name) and word in _COUNTED
