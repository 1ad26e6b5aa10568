"""What a question says of the latest row: which value it has, or that it has not yet come to one."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.mistakes.wording import cue
from scoring.specification.shapes import Shape
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_WHOSE_LATEST = lazy(r"\bwhose (?:very |own )?(?:first|last|latest|most recent|newest|current) \w+\b")
_SAYS = lazy(
    r"^ ?(?:\w+ )?(?:was|were|is|are|isn'?t|wasn'?t|came|comes|got|has|had|shows?|showed|says?|said|ended|went|turned"
    r"|reads?) (?:(?:back|up|out|as|an?|in|marked|set|to|still|not|status|state|result) )*$"
)
_HAPPENED = lazy(r" \w+ed\b")
_NEAR = 40
"""Letters within which a value still belongs to what the question named last."""
_SPELT = 3
"""Letters from which a stored value is a word, not a code."""


def is_of_latest(shape: Shape, text: str) -> bool:
    """Whether the question says that what is the latest has the value: `whose latest inspection came back failed`."""
    found = _WHOSE_LATEST.search(text) if _is_of_same_rows(shape) else None
    after = text[found.end() : found.end() + _NEAR] if found is not None else ""
    places = [place for word in _words(shape) if (place := re.search(rf"\b{word}", after)) is not None]
    if any(place.start() == 1 for place in places) and _HAPPENED.match(after) is not None:
        return True
    return any(_SAYS.search(after[: place.start()]) is not None for place in places)


_NOW = lazy(r"\b(?:right now|now|current(?:ly)?|at the moment|today|latest|most recent|newest)\b")


def is_not_yet(shape: Shape, text: str) -> bool:
    """Whether the question asks for things that are still in another state: `shipments that are not yet delivered`."""
    words = "|".join(_words(shape))
    if not words or not _is_of_same_rows(shape) or _NOW.search(text) is None:
        return False
    return re.search(rf"\b(?:still not|not yet|yet to be|(?:is|are)n'?t) (?:been |yet )?(?:{words})", text) is not None


def _words(shape: Shape) -> list[str]:
    """The stored values, as a question may spell them."""
    return [re.escape(word.replace("_", " ").strip("%")) for word in shape.words if len(word) >= _SPELT]


def _is_of_same_rows(shape: Shape) -> bool:
    """Whether the value belongs to the very rows of which one is the latest."""
    return shape.columns[0].table == shape.columns[-1].table


_LARGEST = lazy(
    r"\b(?:highest|largest|biggest|max(?:imum)?|peak|top|greatest|best|most (?!recent)\w+|minimum|lowest|min)\b"
)
_LATEST_VALUE = cue(
    "latest last current newest recent",
    r"\b(?:latest|last|current|newest|most recent) (?:known |recorded |reported )?(status|state|stage|phase|price"
    r"|salary|balance|score|grade|weight|value|reading|temperature|location|address|owner|plan|tier|note|comment|result)\b",
)


def largest_of_named(case: Case) -> str | None:
    """The latest value of a named column is asked for, and its largest or smallest value comes.

    >>> largest_of_named(case("Latest status of each van", "SELECT van_id, MAX(status) FROM checks GROUP BY van_id"))
    'MAX(status) for the latest status'
    """
    found = _LATEST_VALUE.search(case.asked)
    if found is None or _LARGEST.search(case.said) or case.sql.windows:
        return None
    for each in case.sql.aggregations:
        plain = each.func == "MAX" and [column.name for column in each.columns] == [each.column]
        if plain and stem(found[1]) in identifier_words(each.column)[-1:]:
            return f"MAX({each.column}) for the {found.group()}"
    return None
