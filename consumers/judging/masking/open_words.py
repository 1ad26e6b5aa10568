"""The words that leave the machine unmasked: plain words and names of the schema."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from consumers.judging.masking.plain_words import is_plain, names_somebody
from scoring.words import identifier_words, stem

SMALL_WORDS = frozenset("a an the of in on at to by or and is no as it be i".split())
_SHORT_ALIAS = re.compile(r"[a-z]{1,2}\d{0,2}")
_PLAIN_LITERAL = re.compile(r"[A-Z]?[a-z]+(?:[ _/&-]+[A-Z]?[a-z]+){0,3}|[A-Z]+(?:[ _/&-]+[A-Z]+){0,3}")
_PERIOD = re.compile(r"[qh][1-4]|w[0-5]?\d")
"""A quarter, a half or a week of a year."""
_JOINTS = re.compile(r"[_'’-]")


def is_code(part: str) -> bool:
    """Whether a part of a name is one character or at most two digits."""
    return len(part) == 1 or (part.isdigit() and len(part) <= 2)


def is_plain_literal(value: str) -> bool:
    """Whether a literal is one letter, a part of a year, or up to four plain words that are nobody's name.

    >>> [is_plain_literal(value) for value in ("Y", "Q3", "in_progress", "Credit Card", "Rose", "Kotor")]
    [True, True, True, True, False, False]
    """
    if len(value) == 1 or _PERIOD.fullmatch(value.lower()):
        return value.isascii() and not value.isdigit()
    words = [word.lower() for word in re.split(r"[ _/&-]+", value)]
    return _PLAIN_LITERAL.fullmatch(value) is not None and not any(
        names_somebody(word) or not (is_plain(word) or word in SMALL_WORDS) for word in words
    )


@dataclass(slots=True)
class OpenWords:
    """Decides which words and names stay.

    >>> words = OpenWords(frozenset({"hive_name"}))
    >>> [words.stays(word) for word in ("borrowed", "hive", "varga")], words.name_stays("hive_name")
    ([True, True, False], True)
    """

    schema: frozenset[str] = frozenset()
    """Lower-case names of tables and columns."""
    of_sql: set[str] = field(default_factory=set[str])
    """Lower-case keywords and names of functions that stay in the SQL: they stay in texts about it too."""
    _schema_words: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        # in a dialect without dollar quotes the reader takes a text between dollars for a column
        self.schema = frozenset(name for name in self.schema if "$" not in name.replace("$", "", 1) and name[:1] != "$")
        self._schema_words = frozenset(word for name in self.schema for word in identifier_words(name))

    def is_of_schema(self, word: str) -> bool:
        """Whether a lower-case word is a name of the schema or one of its words."""
        return word in self.schema or stem(word) in self._schema_words

    def stays(self, word: str) -> bool:
        """Whether a lower-case word of a text may be sent."""
        if (
            word in SMALL_WORDS
            or word in self.of_sql
            or self.is_of_schema(word)
            or is_plain(word)
            or _PERIOD.fullmatch(word)
        ):
            return True
        parts = [part for part in _JOINTS.split(word) if part]
        return len(parts) > 1 and self._all_stay(parts)

    def name_stays(self, name: str) -> bool:
        """Whether an identifier may be sent: names of the schema, short aliases and plain words may."""
        lower = name.lower()
        if lower in self.schema or _SHORT_ALIAS.fullmatch(lower):
            return True
        words = identifier_words(name)
        return bool(words) and name.isascii() and self._all_stay(words)

    def _all_stay(self, parts: Sequence[str]) -> bool:
        """Whether all parts may be sent, and at most one is a code: several codes together may tell a number."""
        return sum(map(is_code, parts)) < min(2, len(parts)) and all(self._part_stays(part) for part in parts)

    def _part_stays(self, part: str) -> bool:
        return is_code(part) or self.is_of_schema(part) or is_plain(part)
