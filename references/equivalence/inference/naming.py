"""What the names of tables and columns suggest."""

from __future__ import annotations

import re
from collections.abc import Iterator

from references.schema import ValueKind

_NUMBERS = re.compile(
    r"(?:^|_|[a-z])(?:id|ids|no|num|number|count|age|year|amount|price|cost|score|total|rank|salary|size|qty|quantity|"
    r"points|rating|weight|height|length|population|capacity|percent|rate|hours|minutes|level)$"
)
_TIMES = re.compile(r"date|time|_at$|_on$|birthday|dob")
_MOMENTS = re.compile(r"time|stamp|(?:_|^)at$|(?:_|^)ts$|^(?:created|updated|modified)")
_PLURALS = (("people", "person"), ("ies", "y"), ("ves", "f"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("s", ""))
_MOST_WORDS = 8
_ENDINGS = ("id", "code", "no", "number", "key", "uuid", "nr", "ref")


def kind_by_name(name: str) -> ValueKind:
    """Guesses what a column holds from its name.

    >>> kind_by_name("member_id"), kind_by_name("joined_on"), kind_by_name("nickname")
    (<ValueKind.INTEGER: 'INTEGER'>, <ValueKind.DATE: 'DATE'>, <ValueKind.TEXT: 'TEXT'>)
    """
    folded = name.lower()
    if _TIMES.search(folded):
        return ValueKind.DATE
    return ValueKind.INTEGER if _NUMBERS.search(folded) else ValueKind.TEXT


def has_time(name: str) -> bool:
    """Whether a column of dates has times of day, from its name.

    >>> has_time("created_at"), has_time("order_date")
    (True, False)
    """
    return bool(_MOMENTS.search(name.lower()))


def plain_name(name: str) -> str:
    """The name in lower case, without spaces and underscores."""
    return name.lower().replace("_", "").replace(" ", "")


def resemblance(column: str, table: str) -> int:
    """Counts the letters of the longest stem of the table that the column's name begins with."""
    plain = plain_name(column)
    return max((len(stem) for stem in stems(table) if plain.startswith(stem)), default=0)


def stems(table: str) -> dict[str, int]:
    """Returns words that a key of the table may begin with, rated: 3 the whole name, 2 its end, 1 another part.

    The schema before a name counts for nothing.

    >>> stems("order_lines")
    {'order': 1, 'line': 2, 'lines': 2, 'orderline': 3, 'orderlines': 3}
    """
    table = table.rpartition(".")[2]
    words = [each for each in re.split(r"[_\s]+", table.lower()) if each][:_MOST_WORDS]
    found: dict[str, int] = {}
    for size in range(1, len(words)):
        _add_stem(found, "".join(words[:size]), 1)
    for size in range(1, len(words)):
        _add_stem(found, "".join(words[-size:]), 2)
    _add_stem(found, plain_name(table), 3)
    return found


def _add_stem(found: dict[str, int], name: str, strength: int) -> None:
    for each in (*_singulars(name), name):
        found[each] = strength


def _singulars(word: str) -> Iterator[str]:
    """Yields the possible singulars of a word."""
    for ending, rest in _PLURALS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            yield word.removesuffix(ending) + rest


def names_table(column: str, table: str) -> int:
    """Rates how much of a table's name a column such as `line_id` repeats: 3 all, 2 its end, 1 less, 0 nothing."""
    plain = plain_name(column)
    best = 0
    for stem, strength in stems(table).items():
        if strength > 1 and plain.startswith(stem) and plain[len(stem) :] in _ENDINGS:
            best = max(best, strength)
        short = plain.removesuffix("id")
        if short != plain and len(short) > 2 and stem.startswith(short):
            best = max(best, 1)
    return best
