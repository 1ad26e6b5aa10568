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
    UNIT = "unit"
    """The same measure in another unit."""
    SPAN = "span"
    """Another time is added to the old one."""
    COLUMNS = "columns"
    """The same rows with these columns alone."""
    NEXT = "next"
    """The rows that come after the first ones."""
    NEGATE = "negate"
    """The rows that a condition left out: `and the ones who didn't?`."""
    CORRECT = "correct"
    """What takes the place of what it names: `not Graz, Linz`."""
    RESTORE = "restore"
    """What was left out counts again."""
    UNDO = "undo"
    """The last change is taken back."""
    RETURN = "return"
    """An earlier question is asked again: `back to the monthly one`."""


ALONE = "alone"
"""The head of a group that takes the place of all others."""
BARE = "bare"
"""The head of a thing that is named with nothing else, so that only the SQL can say whether it changes the answer."""


MEASURE = "measure"
"""The head of a thing that is another measure."""


@immutable(kw_only=False)
class Edit:
    """One change, in the words of the fragment."""

    kind: ChangeKind
    text: str
    """What follows the words that say the kind; with them for a condition."""
    head: str = ""
    """The words that say the kind, lower case."""
