"""Builds tables of words from plain text, so that they read as lists and not as code."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.question.language import Cue


def words(text: str) -> frozenset[str]:
    """The words of a text.

    >>> sorted(words("of for"))
    ['for', 'of']
    """
    return frozenset(text.split())


def ranks(text: str, start: int) -> dict[str, int]:
    """The words of a text with their numbers, counted from `start`; `|` separates words for one number.

    >>> ranks("one two|pair", 1)
    {'one': 1, 'two': 2, 'pair': 2}
    """
    return {word: start + place for place, group in enumerate(text.split()) for word in group.split("|")}


def each(phrases: str, cue: Cue) -> dict[str, Cue]:
    """The same cue for each of the phrases, which commas separate."""
    return {phrase.strip(): cue for phrase in phrases.split(",")}


def merged(tables: Iterable[dict[str, Cue]]) -> dict[str, Cue]:
    """All tables as one; later tables override earlier ones."""
    return {phrase: cue for table in tables for phrase, cue in table.items()}
