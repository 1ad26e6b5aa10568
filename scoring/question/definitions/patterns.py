"""Patterns of the phrases that define something, and of formulas."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


def _any_of(patterns: Iterable[str]) -> str:
    """A pattern of any of the words, in any case, at the start of a word.

    It starts with the set of first letters, because the engine finds a set four times as fast as alternatives.
    """
    by_first: dict[str, list[str]] = {}
    for each in patterns:
        by_first.setdefault(each[0].lower(), []).append(each[1:])
    rest = "|".join(f"(?<=[{first}{first.upper()}])(?i:{'|'.join(ends)})" for first, ends in by_first.items())
    return rf"[{''.join(by_first)}{''.join(by_first).upper()}](?<!\w.)(?:{rest})"


_CALLS = (rf"{name}\s*\(" for name in ("in", "max", "min", "avg", "sum", "count", "divide"))
_FORMULA = re.compile(_any_of([r"is\s+(?:not\s+)?null", "between", "like", *_CALLS]))
_COMPARISON = re.compile("[=<>≥≤]")
EQUATION = re.compile(r"(?<![<>!=])=(?![=<>])")
NEVER = re.compile(r"(?!)")
_FORMULA_WORDS = ("(", "null", "between", "like")
_FEW = 2
"""Up to this many required words, a pattern of their phrases alone is used: it takes a third of the time."""
_FORMULA_SIGNS = (*_FORMULA_WORDS, "[", "=", "<", ">", "≥", "≤")
"""Every bracket and every formula contains one of them."""


def computes(text: str) -> bool:
    """Whether a text compares or calculates something."""
    if _COMPARISON.search(text) is not None:
        return True
    return _contains_any(text.casefold(), _FORMULA_WORDS) and _FORMULA.search(text) is not None


def _contains_any(folded: str, signs: Iterable[str]) -> bool:
    """Whether a text contains one of the signs: for most texts this saves a pattern that takes ten times as long."""
    for sign in signs:  # noqa: SIM110 any() with a generator takes twice as long
        if sign in folded:
            return True
    return False


@lru_cache(maxsize=16)
def _required_words(phrases: tuple[str, ...]) -> tuple[str, ...]:
    """Words of which a text contains one if it contains a phrase: the longest of each phrase, without duplicates."""
    words = {max(phrase.split(), key=len).casefold() for phrase in phrases}
    return tuple(sorted(word for word in words if not any(other != word and other in word for other in words)))


@lru_cache(maxsize=512)
def phrase_pattern(phrases: tuple[str, ...], required: tuple[str, ...] | None) -> re.Pattern[str]:
    """The phrases as one pattern; if `required` is given, only those that contain one of these words."""
    if required is not None:
        phrases = tuple([each for each in phrases if _contains_any(each.casefold(), required)])
    words = [re.escape(each) for each in phrases if each[0].isalpha()]
    marks = [re.escape(each) for each in phrases if not each[0].isalpha()]
    alternatives = [rf"{_any_of(words)}(?!\w)"] if words else []
    return re.compile("|".join([*alternatives, *marks])) if phrases else NEVER


def pattern_for(folded: str, phrases: tuple[str, ...]) -> re.Pattern[str]:
    """The pattern that finds the phrases in a case-folded text; `NEVER` if the text contains none of them."""
    required = [word for word in _required_words(phrases) if word in folded]
    if not required:
        return NEVER
    return phrase_pattern(phrases, tuple(required) if len(required) <= _FEW else None)


def may_hold_formula(folded: str) -> bool:
    """Whether a case-folded text contains a sign that every formula has."""
    return _contains_any(folded, _FORMULA_SIGNS)
