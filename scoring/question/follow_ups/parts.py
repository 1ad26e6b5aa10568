"""Cuts a fragment into its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scoring.patterns import lazy
from scoring.question.english.follow_up_forms import UNDONE
from scoring.question.english.follow_ups import (
    ADVERBS_OF_TIME,
    AGGREGATES,
    ALL,
    DIRECTIONS,
    EARLIER,
    HEADS,
    LATER,
    ONES,
    SHARES,
    THOSE,
)
from scoring.question.follow_ups.edits import ChangeKind, Edit
from scoring.question.follow_ups.words import is_time


def names_nothing(text: str) -> bool:
    """Whether words name no thing: a time, a direction, an aggregate, `the ripe ones`."""
    patterns = (ONES, THOSE, AGGREGATES, SHARES, DIRECTIONS, EARLIER, LATER, ALL)
    return is_time(text) or any(each.match(text) for each in patterns) or HEADS.match(text) is not None


def parts(text: str) -> Iterator[Edit]:
    """The parts of a fragment, each from a word that begins one to the next.

    >>> [(each.kind.value, each.text) for each in parts("by country for 2024")]
    [('group', 'country'), ('place', '2024')]
    """
    text = text.strip(" ,:;-–")
    if text.lower() in ADVERBS_OF_TIME:
        yield Edit(ChangeKind.GROUP, ADVERBS_OF_TIME[text.lower()], "by")
    elif any(each.match(text) for each in _WHOLE) or is_time(text):
        yield Edit(ChangeKind.THING, text)
    elif _is_of_ones(text):
        yield from _of_ones(text)
    else:
        yield from _headed(text)


_WHOLE = (DIRECTIONS, EARLIER, LATER, AGGREGATES, SHARES, ALL)
"""What is one part as a whole."""


def _is_of_ones(text: str) -> bool:
    """Whether it begins as `the ripe ones` does, and not as `without the ripe ones`."""
    head = HEADS.match(text)
    own = head is None or head.lastgroup == "only"
    return own and (ONES.match(text) is not None or THOSE.match(text) is not None)


def _of_ones(text: str) -> Iterator[Edit]:
    if _DENIED.fullmatch(text):
        yield Edit(ChangeKind.NEGATE, "")
        return
    cut = _next_head(text, 0, only=frozenset({"group", "order", "rank", "share"}))
    yield Edit(ChangeKind.ONLY, text[:cut].strip(" ,"))
    if text[cut:].strip(" ,"):
        yield from parts(text[cut:])


_DENIED = lazy(rf"(?:only |just )?(?:the |those |these )?(?:ones?|those|these) (?:who|that|which) {UNDONE}", re.I)


def _headed(text: str) -> Iterator[Edit]:
    while text:
        head = HEADS.match(text)
        kind = (head.lastgroup if head is not None else None) or "thing"
        begin = head.end() if head is not None else 0
        end = _next_head(text, begin, only=_WITHIN.get(kind))
        words = _ENDING.sub("", text[begin:end]).strip(" ,")
        cut = _comma(words) if kind in ("place", "thing") else None
        if cut is not None:
            end, words = text.index(words, begin) + cut, words[:cut]
        if words or kind not in ("only", "thing"):
            yield Edit(ChangeKind(kind), words, head.group().lower() if head is not None else "")
        text = _JOINING.sub("", text[end:])


_ENDING = lazy(r"(?:,| and| but| )+$")
_JOINING = lazy(r"^(?:[ ,;]|and\b|but\b|then\b|also\b)+")


_WITHIN = {
    "without": frozenset({"group", "order", "rank", "share", "only"}),
    "only": frozenset({"group", "order", "share", "without"}),
    "place": frozenset({"group", "order", "rank", "share", "only", "without", "place", "bound"}),
    "order": frozenset({"rank", "without", "only"}),
    "rank": frozenset({"without", "only", "share", "place"}),
    "group": frozenset({"order", "rank", "share", "only", "without", "place", "wide", "bound", "group", "compare"}),
}
"""Which parts end a part of each kind; of the others all do."""
_BETWEEN = lazy(r"\b(?:between|from|since)\b", re.IGNORECASE)


def _comma(words: str) -> int | None:
    """Where the words end at a comma that no list has: `wholesalers, all cities`."""
    found = words.find(", ")
    return found if found > 0 and " and " not in words and words.count(",") == 1 else None


def _next_head(text: str, start: int, only: frozenset[str] | None) -> int:
    """Where the next part begins."""
    ranged = _BETWEEN.search(text[:start]) is not None
    for found in HEADS.finditer(text, start + 1):
        ends_range = ranged and found.group().lower() in ("to", "until", "through")
        if (only is None or found.lastgroup in only) and text[start : found.start()].strip() and not ends_range:
            return found.start()
    return len(text)
