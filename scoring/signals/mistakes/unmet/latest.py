"""What a question says of the latest row: which value it has, or that it has not yet come to one."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.specification.shapes import Shape

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
