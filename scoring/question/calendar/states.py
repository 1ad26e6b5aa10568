"""Is `today` a condition, or the time of a state? `orders placed today` has a date, `the balance today` has none."""

from __future__ import annotations

from scoring.question.marks import Mark
from scoring.question.phrases import verb_like
from scoring.question.reading import Reading

_STATES = frozenset({"current", "currently", "outstanding", "existing"})
_FLOWS = frozenset(
    "revenue turnover income spend spending traffic volume usage consumption output intake weather profit activity "
    "attendance throughput demand schedule agenda production rain rainfall news".split()
)
"""Singular nouns of what a day has an amount of."""


def is_of_state(reading: Reading, mark: Mark) -> bool:
    """Whether what `today` belongs to is a state that has no date of its own.

    >>> from scoring.question import read_question
    >>> [read_question(text).filters[0].certain > 0.5 for text in ("Total balance today", "Orders placed today")]
    [False, True]
    """
    before, language = reading.lower(mark.start - 1), reading.language
    if before == "of" and reading.lower(mark.start - 2) == "as":
        return True
    if not reading.is_word(mark.start - 1) or before in language.auxiliaries or before in language.copulas:
        return False
    if before in language.haves or not _STATES.isdisjoint(reading.lowers[: mark.start]):
        return True
    plural = reading.tokens[mark.start - 1].stem != before
    return not (plural or before in _FLOWS or verb_like(before, language) or before in language.breaks)
