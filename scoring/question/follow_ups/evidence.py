"""What the SQL of two turns says about a fragment: which value took the place of which."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from scoring.question.english.countries import COUNTRY_CODES
from scoring.question.english.demonyms import DEMONYMS
from scoring.specification import SqlFilter, SqlSpec
from scoring.values import Choices, Text
from scoring.words import stem

_PLACES = frozenset("city town country state region province county district area location place market nation".split())
"""Words of columns that hold places: one of them may take the place of another."""


@dataclass(frozen=True)
class TurnEvidence:
    """The answer, and the SQL of the turn before it."""

    now: SqlSpec
    before: SqlSpec | None

    @cached_property
    def new_values(self) -> dict[str, frozenset[str]]:
        """The texts that only the answer compares with, each with its columns."""
        old = {value for each in self._filters(self.before) for value in texts(each)}
        found: dict[str, set[str]] = {}
        for each in self._filters(self.now):
            for value in texts(each):
                if value not in old:
                    found.setdefault(value, set()).update(_columns(each))
        return {value: frozenset(columns) for value, columns in found.items()}

    @cached_property
    def gone_values(self) -> dict[str, frozenset[str]]:
        """The texts that only the SQL before compares with, each with its columns."""
        kept = {value for each in self._filters(self.now) for value in texts(each)}
        found: dict[str, set[str]] = {}
        for each in self._filters(self.before):
            for value in texts(each):
                if value not in kept:
                    found.setdefault(value, set()).update(_columns(each))
        return {value: frozenset(columns) for value, columns in found.items()}

    @cached_property
    def old_values(self) -> dict[str, frozenset[str]]:
        """The texts that the SQL before compares with, each with its columns."""
        return {value: _columns(each) for each in self._filters(self.before) for value in texts(each)}

    @property
    def differs(self) -> bool:
        """Whether some text is compared with in one of both alone."""
        return bool(self.new_values or self.gone_values)

    def columns_of(self, words: str) -> frozenset[str] | None:
        """The columns that the answer compares with a new value of these words; `None` if there is none."""
        said, forms = stems(words), stored_forms(words)
        columns = [
            columns
            for value, columns in self.new_values.items()
            if value in forms or (said and likely(said, stems(value)))
        ]
        return frozenset[str]().union(*columns) if columns else None

    def left_out(self, words: str) -> bool:
        """Whether the measure before reads a column of these words and the answer does not: `without the discounts`."""
        read = {column.name for column in self.now.columns}
        measures = self.before.aggregations if self.before is not None else ()
        gone = [column.name for each in measures for column in each.columns if column.name not in read]
        return any(stems(words) & stems(name) for name in gone)

    def knows(self, words: str) -> bool:
        """Whether a condition that is new in the answer is of these words, by its value or its column."""
        return self.columns_of(words) is not None or self.reads(words)

    def replaces(self, new: str, old: str) -> bool | None:
        """Whether a new value stands in the column of an old one; `None` where the SQL does not say."""
        forms = stored_forms(old)
        theirs = frozenset[str]().union(*(columns for value, columns in self.old_values.items() if value in forms))
        mine = self.columns_of(new)
        if not theirs or mine is None:
            return None
        return bool(mine & theirs) or (_are_places(mine) and _are_places(theirs))

    def reads(self, words: str) -> bool:
        """Whether a condition that is new in the answer is named like these words: `is_refund` like `refunds`."""
        said = stems(words) - FLAGS
        old = {column for each in self._filters(self.before) for column in _columns(each)}
        new = {column for each in self._filters(self.now) for column in _columns(each)} - old
        return any(said & {stem(part) for part in column.split("_")} for column in new)

    def released(self, words: str) -> bool:
        """Whether the answer lacks a condition of the SQL before that is named like these words: `is_test`."""
        said = stems(words) - FLAGS
        new = {column for each in self._filters(self.now) for column in _columns(each)}
        old = {column for each in self._filters(self.before) for column in _columns(each)} - new
        gone = {word for value in self.gone_values for word in stems(value)}
        return bool(said & gone) or any(said & {stem(part) for part in column.split("_")} for column in old)

    @staticmethod
    def _filters(spec: SqlSpec | None) -> tuple[SqlFilter, ...]:
        return spec.filters if spec is not None else ()


def stored_forms(words: str) -> frozenset[str]:
    """How a value of these words may be stored: the words, and the names and codes of a country.

    >>> sorted(stored_forms("Austrian"))
    ['at', 'austria', 'austrian', 'aut']
    """
    plain = " ".join(words.casefold().replace('"', "").replace("'", "").split()).removeprefix("the ")
    return frozenset({plain, *COUNTRY_CODES.get(plain, ()), *DEMONYMS.get(plain, ())})


def texts(each: SqlFilter) -> Iterator[str]:
    """The texts that a filter compares with."""
    members = each.rhs.members if isinstance(each.rhs, Choices) else (each.rhs,)
    return (member.folded for member in members if isinstance(member, Text) and member.folded)


def stems(words: str) -> frozenset[str]:
    """The stems of the words of a phrase, without articles."""
    return frozenset(stem(word) for word in words.casefold().replace("-", " ").replace("_", " ").split()) - _ARTICLES


FLAGS = frozenset({"is", "has", "was", "are", "that", "it"})
"""Words that begin the names of flags and name nothing."""
_ARTICLES = frozenset({"the", "a", "an", "of", "and"})


def likely(said: frozenset[str], value: frozenset[str]) -> bool:
    """Whether words name a value: they share one, or begin alike."""
    if said & value:
        return True
    return any(len(a) > _ALIKE and len(b) > _ALIKE and a[:_ALIKE] == b[:_ALIKE] for a in said for b in value)


_ALIKE = 4


def _columns(each: SqlFilter) -> frozenset[str]:
    return frozenset(column.name for column in each.lhs.columns) if each.lhs is not None else frozenset()


def _are_places(columns: frozenset[str]) -> bool:
    return any(part in _PLACES for column in columns for part in column.split("_"))
