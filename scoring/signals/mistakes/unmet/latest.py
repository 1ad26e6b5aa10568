"""What a question says of the latest row: which value it has, or that it has not yet come to one."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.mistakes.wording import cue
from scoring.specification.shapes import Shape
from scoring.sql.shapes.naming import key_stems
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
_MEAN = lazy(r"\b(?:average|avg|mean|typical)\b")
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
    if found is None or _LARGEST.search(case.said) or _MEAN.search(case.said) or case.sql.windows:
        return None
    for each in case.sql.aggregations:
        plain = each.func in ("MAX", "AVG") and [column.name for column in each.columns] == [each.column]
        if plain and stem(found[1]) in identifier_words(each.column)[-1:]:
            return f"{each.func}({each.column}) for the {found.group()}"
    return None


_CHEAPEST = cue(
    "est most least",
    r"\b(?:cheapest|most expensive|best|worst|highest|lowest|largest|biggest|smallest|fastest|slowest|longest|shortest"
    r"|heaviest|latest|newest|oldest) (?P<thing>[a-z]+)\b",
)


def key_of_any_row(case: Case) -> str | None:
    """The thing with the extreme value is asked for, and the smallest key of a group stands beside the value.

    >>> key_of_any_row(case("Cheapest seller for each part",
    ...     "SELECT part_id, MIN(price), MIN(seller_id) FROM offers GROUP BY part_id"))
    'MIN(seller_id) beside MIN(price)'
    """
    found = _CHEAPEST.search(case.asked) if case.sql.group_by and not case.sql.windows else None
    extremes = [each for each in case.sql.aggregations if each.func in ("MIN", "MAX") and len(each.columns) == 1]
    if found is None or len(extremes) != 2 or extremes[0].block != extremes[1].block:
        return None
    thing = stem(found["thing"])
    for key, value in (extremes, reversed(extremes)):
        if (key_stems(key.column) or ("",))[-1] == thing and key_stems(value.column) is None:
            return f"{key.func}({key.column}) beside {value.func}({value.column})"
    return None
