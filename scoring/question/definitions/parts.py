"""The tokens of a formula: names, literals, operators and marks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from scoring.patterns import lazy

_TOKEN = lazy(
    r"""
      (?=\S)(?:  # at a space, no alternative is tried
      (?P<plain>[a-z_][\w$]*(?:\.(?:[\w$]+|`[^`]{1,100}`))*)
    | (?P<text>'(?:[^']|'(?=\w)){0,400}'|"[^"]{0,400}"(?!\s*[=<>!])|“[^”]{0,400}”|‘[^’]{0,400}’)
    | (?P<hyphened>[A-Z]+-[A-Z]+(?![\w(]))
    | (?P<name>`[^`]{1,100}`|"[^"]{1,100}"|[^\W\d][\w$]*(?:\.(?:[\w$]+|`[^`]{1,100}`))*)
    | (?P<number>\d+(?:,\d{3}(?!\d))*(?:\.\d+)?(?!\w|\.\d))
    | (?P<op><\s?=|>\s?=|!\s?=|<>|==|[=<>≥≤≠])
    | (?P<mark>[-+*/%(),])
    )
    """,
    re.VERBOSE,
)

AGGREGATES = {
    "count": "COUNT",
    "sum": "SUM",
    "total": "SUM",
    "avg": "AVG",
    "average": "AVG",
    "max": "MAX",
    "min": "MIN",
}
"""How formulas write the aggregates."""

FUNCTIONS = AGGREGATES | {
    "divide": "DIVIDE", "multiply": "MULTIPLY", "subtract": "SUBTRACT", "substract": "SUBTRACT", "year": "YEAR",
    "month": "MONTH", "day": "DAY", "strftime": "STRFTIME", "substr": "SUBSTR", "substring": "SUBSTR", "date": "DATE",
    "distinct": "DISTINCT", "round": "ROUND", "cast": "CAST", "length": "LENGTH", "lower": "LOWER", "upper": "UPPER",
}  # fmt: skip

NOW = frozenset({"current_timestamp", "current_date", "now", "getdate", "curdate", "sysdate", "today"})

PROSE = frozenset({"table", "value", "values", "column", "database", "data"})
"""Words before `is 'x'` that are prose and not columns."""

ARITHMETIC = {"/": "DIVIDE", "*": "MULTIPLY", "-": "SUBTRACT"}

OPERATORS = frozenset({"between", "in", "like", "is"})

KEYWORDS = frozenset(
    "and or not is null between like in where when then else case end select from as the a of to by desc asc "
    "with group "
    "order limit refers means both except for from if on that which are be has have it its at an than".split()
)

_KINDS = {"plain": "name", "hyphened": "name"}
"""Forms of a name: the pattern tries the commonest first, and names with hyphens before those without."""


class Part(NamedTuple):
    """One token of a formula."""

    kind: str
    text: str
    lower: str
    start: int
    end: int

    @property
    def bare(self) -> str:
        """Without quotes."""
        return self.text[1:-1] if self.kind == "text" else self.text


def split_formula(text: str) -> list[Part]:
    """The parts of a formula; characters that belong to none are skipped."""
    found: list[Part] = []
    for match in _TOKEN.finditer(text):
        kind, raw, start = match.lastgroup or "", match[0], match.start()
        found.append(_new(Part, (_KINDS.get(kind, kind), raw, raw.lower(), start, start + len(raw))))
    return found


# The named tuple's own constructor takes twice as long; typeshed leaves what `tuple.__new__` takes open.
_new: Callable[[type[Part], tuple[object, ...]], Part] = tuple.__new__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def word_at(parts: list[Part], place: int) -> str:
    """The lower-case text of a part; empty beyond the ends."""
    return parts[place].lower if 0 <= place < len(parts) else ""


def text_at(parts: list[Part], place: int) -> str:
    """The text of a part; empty beyond the ends."""
    return parts[place].text if 0 <= place < len(parts) else ""


def kind_at(parts: list[Part], place: int) -> str:
    """The kind of a part; empty beyond the ends."""
    return parts[place].kind if 0 <= place < len(parts) else ""


def literal_at(parts: list[Part], place: int) -> tuple[Part | None, int]:
    """The quoted text or number at `place`, with its sign, and the place after it; not a number in arithmetic."""
    if place >= len(parts):
        return None, place
    part = parts[place]
    if part.kind == "text":
        return part, place + 1
    if part.text == "-" and kind_at(parts, place + 1) == "number":
        number = parts[place + 1]
        return Part("number", "-" + number.text, "-" + number.lower, part.start, number.end), place + 2
    if part.kind == "number" and text_at(parts, place + 1) not in ARITHMETIC:
        return part, place + 1
    return None, place + 1
