"""What signals of plain mistakes ask of both texts, and of the shapes of the SQL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from scoring.alignment.same_values import TIMES
from scoring.patterns import lazy
from scoring.specification import Column, Op
from scoring.specification.shapes import Shape, ShapeKind
from scoring.verdict import Case
from scoring.words import stem

IDENTIFIER = lazy(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")


def said(case: Case) -> str:
    """Both questions in lower case."""
    return case.said


def asked(case: Case) -> str:
    """The person's own question in lower case."""
    return case.asked


def said_stems(case: Case) -> set[str]:
    """The stems of the words of both questions, names in code too."""
    return stems_of(case.said)


def stems_of(text: str) -> set[str]:
    """The stems of the words of a text in lower case, and of its names in code."""
    return {stem(word) for word in re.findall(r"[a-z]+", text)}


def is_called(word: str, columns: Iterable[Column]) -> bool:
    """Whether a column, or its table, is called by a word."""
    return any(word in stems_of(f"{column.name} {column.table or ''}") for column in columns)


def spoken_in_full(case: Case) -> str:
    """Both questions in lower case, with what the person says in passing."""
    return f"{case.query.question}\n{case.said}".casefold()


def shapes(case: Case, kind: ShapeKind) -> Sequence[Shape]:
    """The shapes of one kind."""
    return case.sql.shaped.get(kind, ())


def first(case: Case, kind: ShapeKind) -> Shape | None:
    """The first shape of a kind, if any."""
    found = case.sql.shaped.get(kind)
    return found[0] if found else None


_FOLLOWS = lazy(
    r"\s*(?:ok(?:ay)?|thanks?|thx|great|hm+)?[ ,]*\b(?:and|with|only|same|what about|how about|also|but|now|then|just"
    r"|in|for|exclud\w*|includ\w*|without|no|instead|as|per|by|sort\w*|order(?:ed)? by|those|these"
    r"|them|that|it|plus|minus|or)\b"
)


def follows(case: Case) -> bool:
    """Whether the question goes on with an earlier one, which may have asked for more than it repeats."""
    return _FOLLOWS.match(asked(case)) is not None


@dataclass(frozen=True)
class CuedPattern:
    """A pattern that only matches text with one of some parts: looking for the parts takes a tenth of the time.

    It is compiled when a text first has one of them.
    """

    parts: tuple[str, ...]
    source: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.source)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match of the pattern."""
        return self.pattern.search(text) if self._may_match(text) else None

    def matches(self, text: str) -> Iterable[re.Match[str]]:
        """All matches of the pattern."""
        return self.pattern.finditer(text) if self._may_match(text) else ()

    def _may_match(self, text: str) -> bool:
        for each in self.parts:  # noqa: SIM110 any() with a generator takes longer than what it saves
            if each in text:
                return True
        return False


def cue(parts: str, pattern: str) -> CuedPattern:
    """The cue of a pattern.

    >>> running = cue("rolling moving", "(?:rolling|moving) average")
    >>> running.search("fares"), running.search("moving average of fares").group()
    (None, 'moving average')
    """
    return CuedPattern(tuple(parts.split()), pattern)


HAS_ONE = cue(
    "at least one any",
    r"\b(?:with|w|contain(?:s|ing)?|includ(?:es?|ing)|having|have|has|had) "
    r"(?:at least (?:one|1|an?)|one or more|any) (\w+)",
)
"""Whole things that have at least one part of a kind; the group is the part."""


_CONSTANT = lazy(r"[\d.()\s*]+")


def divides(case: Case) -> bool:
    """Whether something is divided by more than a constant, such as the cents of a unit."""
    return (
        any(not _CONSTANT.fullmatch(each.denominator) for each in case.sql.divisions)
        or any(each.func == "DIVIDE" for each in case.sql.aggregations)
        or "RATIO_TO_REPORT" in case.sql.functions | {each.func for each in case.sql.windows}
    )


def asks_nothing_since(case: Case) -> bool:
    """Whether the question asks for who has done nothing within a time, or since one."""
    asked = any(each.op is Op.NOT_WITHIN and isinstance(each.rhs, TIMES) for each in case.question.filters)
    return asked or _NOTHING_SINCE.search(case.asked) is not None


_NOTHING_SINCE = lazy(
    r"\b(?:haven'?t|hasn'?t|have not|has not|didn'?t|never) (?:\w+ ){1,4}?since (?:the )?"
    r"(?:new year|start|beginning|\d|jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec|last|easter|christmas|xmas)"
)
