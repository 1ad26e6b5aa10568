"""The changes that a fragment is made of."""

from __future__ import annotations

from enum import StrEnum

from scoring.immutable import immutable


class ChangeKind(StrEnum):
    """What a part of a fragment changes in the earlier question."""

    GROUP = "group"
    """By what the answer is grouped."""
    ORDER = "order"
    RANK = "rank"
    """How many of the first rows are asked for."""
    SHARE = "share"
    """Percentages in place of amounts."""
    WITHOUT = "without"
    """A condition that excludes."""
    ONLY = "only"
    """A condition that is added."""
    WIDE = "wide"
    """A restriction is taken away."""
    COMPARE = "compare"
    BOUND = "bound"
    """A number that is a bound."""
    PLACE = "place"
    """What follows a preposition: a time, a value, or another condition."""
    THING = "thing"
    """A name, a time, a measure: what it is depends on the earlier question."""
    COUNT = "count"
    """How many there are in place of which."""
    LIST = "list"
    """Which there are in place of how many."""
    AGGREGATE = "aggregate"
    SHOW = "show"
    """Something is shown in addition."""


@immutable(kw_only=False)
class Edit:
    """One change, in the words of the fragment."""

    kind: ChangeKind
    text: str
    """What follows the words that say the kind; with them for a condition."""
    head: str = ""
    """The words that say the kind, lower case."""
