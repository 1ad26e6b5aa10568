"""All English cues, by first and second word."""

from __future__ import annotations

from scoring.question.english.answer_cues import AGGREGATES, ALSOS, ASKS, COMMANDS, GROUPS, ORDERS, RATIOS, SUPERLATIVES
from scoring.question.english.filter_cues import (
    ADJECTIVES,
    COMPARISONS,
    EARLIER_UNITS,
    MATCHES,
    NAMES,
    NEGATIONS,
    SUFFIXES,
    TIMES,
    WHOLES,
)
from scoring.question.english.tables import each
from scoring.question.language import Cue, CueIndex, Role, index

_PLAIN = each(
    "first name, first names, last name, last names, first and last name, first and last names, last and first "
    "name, first time, first aid, first aider, first aiders, first party, first floor, at first, at last, first class, "
    "last known, top level, most of, best of, of each other, each "
    "other, one another, middle name, middle names, last modified, last updated, the list of, at once, in order to, "
    "first letter, last letter, first date, like to, would like, each once, once each, looks like, look like, more "
    "than one of, not only, named after, what about, called back, called off, called up",
    Cue(role=Role.PLAIN),
)

_NAME_PARTS = {
    phrase: Cue(role=Role.PLAIN)
    for name in ("name", "names")
    for phrase in (
        f"first , middle and last {name}",
        f"first , middle , and last {name}",
        f"first {name} , last {name}",
    )
}
CUES: CueIndex = index(
    COMPARISONS,
    ADJECTIVES,
    SUFFIXES,
    NEGATIONS,
    MATCHES,
    NAMES,
    AGGREGATES,
    SUPERLATIVES,
    GROUPS,
    ORDERS,
    RATIOS,
    ASKS,
    COMMANDS,
    ALSOS,
    {phrase: Cue(role=Role.TIME, time=time) for phrase, time in (TIMES | WHOLES | EARLIER_UNITS).items()},
    each("different, distinct, unique, non-repeated, without duplicates, without repetition", Cue(role=Role.DISTINCT)),
    each("whether, is it true that, is there any, is there a, are there any", Cue(role=Role.WHETHER)),
    _PLAIN,
    _NAME_PARTS,
)
