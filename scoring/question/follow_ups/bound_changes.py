"""Changes of a bound: `over 1000`, `lower the bar to 500`."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.question.follow_ups.changed_question import Meaning
from scoring.question.follow_ups.edits import ChangeKind, Edit
from scoring.question.follow_ups.evidence import stems


def bound_change(meaning: Meaning, change: Edit) -> bool:
    """`over 1000`: a bound in place of one on the same side, else another condition."""
    if not change.head:
        return moved_bound(meaning, change.text)
    words = f"{change.head} {change.text}"
    sides = {each.start: each for each in meaning.earlier.bounds()}
    up = change.head.split()[0] in _UP
    same = [each for each in sides.values() if (each.span.lower().split()[0] in _UP) == up]
    same = same or (list(sides.values()) if meaning.instead else [])
    if not same:
        return meaning.add(words)
    old = same[-1]
    start, end = old.start, old.start + len(old.span)
    after = meaning.text[end:].split(" ", 2)
    unit = after[1] if len(after) > 1 and not after[0] and len(change.text.split()) > 1 else ""
    meaning.dropped |= stems(old.span)
    meaning.free.add(ChangeKind.BOUND)
    return meaning.say(meaning.earlier.replaced(start, end + (len(unit) + 1 if unit else 0), words))


def moved_bound(meaning: Meaning, number: str) -> bool:
    """`lower the bar to 500`: another number in the place of the last bound."""
    found = [(each, _NUMBER.search(each.span)) for each in meaning.earlier.bounds()]
    old, place = next(reversed([pair for pair in found if pair[1] is not None]), (None, None))
    if old is None or place is None:
        return False
    meaning.dropped |= stems(old.span)
    meaning.free.add(ChangeKind.BOUND)
    start = old.start + place.start()
    return meaning.say(meaning.earlier.replaced(start, old.start + place.end(), number))


_NUMBER = lazy(r"[$€£]?\d[\d.,]*(?: ?(?:k|m|thousand|million|mio|bn|billion)\b)?", re.IGNORECASE)
_UP = frozenset({"over", "above", "more", "at", "greater", "higher", "longer", "older", "bigger", "exceeding", ">"})
