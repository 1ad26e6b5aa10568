"""Reads a question: runs its readers in the order in which they claim tokens."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter

from scoring.patterns import lazy
from scoring.question.absences import is_included, read_absences
from scoring.question.aggregations import read_aggregations, read_ratios
from scoring.question.amounts import read_number_filters
from scoring.question.asides import asides
from scoring.question.background import without_background
from scoring.question.calendar.periods import read_time_filters
from scoring.question.calendar.times import read_times
from scoring.question.english import ENGLISH
from scoring.question.excluded_words import excluded_words
from scoring.question.grouping import read_groups, read_ordering
from scoring.question.language import Language, Role
from scoring.question.literals import read_literal_filters
from scoring.question.marks import Mark
from scoring.question.other_languages import other_language
from scoring.question.outputs import read_outputs
from scoring.question.quantities import read_quantities
from scoring.question.reading import Reading, read
from scoring.question.superlatives import read_superlatives
from scoring.specification import Definition, FilterOrigin, QuestionSpec
from scoring.values import Choices, RelativeTime, TimeRange

_NEGATIVE_ROLES = frozenset({Role.NOT, Role.EXCEPT, Role.LACK, Role.NEVER})


def read_question(text: str, *, language: Language = ENGLISH) -> QuestionSpec:
    """What a question asks, in time linear in its length; any text has a specification, if an empty one.

    That of a question in another language is empty.

    >>> spec = read_question("How many of the customers in Peru paid more than $20?")
    >>> [(str(each.lhs and each.lhs.name), each.op.value, str(each.rhs)) for each in spec.filters]
    [('None', '=', "'peru'"), ('None', '>', '20')]
    >>> spec.aggregations[0].func
    'COUNT'
    """
    return _short_question(text, language) if len(text) <= _MEMO_LENGTH else _question(text, language)


def _question(text: str, language: Language) -> QuestionSpec:
    foreign = other_language(text) if language is ENGLISH else ""
    if foreign:
        return QuestionSpec(text=text, language=foreign)
    text = without_background(text)
    return specify(read(text, FilterOrigin.QUESTION, language, asides(text)))


_MEMO_LENGTH = 400
"""Longest question, in characters, whose specification is kept: several agents answer the same question."""
_short_question = lru_cache(maxsize=512)(_question)


def specify(reading: Reading, definitions: tuple[Definition, ...] = ()) -> QuestionSpec:
    """The specification of a text: times claim their tokens first, then k, names and numbers.

    Filters of `definitions` come last. Outputs, `yes_no` and `parts` are read from Qu only.
    """
    of_user = reading.source is FilterOrigin.QUESTION
    times = read_times(reading)
    quantities = read_quantities(reading)
    superlatives, values = read_superlatives(reading, quantities)
    read_literal_filters(reading)
    read_number_filters(reading, quantities)
    read_time_filters(reading, times)
    aggregations = (*read_aggregations(reading), *values)
    read_absences(reading)
    reading.filters.sort(key=attrgetter("start"))
    time_ranges = _time_ranges(reading)
    for definition in definitions:
        reading.filters += definition.filters
    negations = _negations(reading)
    return QuestionSpec(
        text=reading.text,
        tokens=tuple(reading.tokens),
        outputs=read_outputs(reading) if of_user else (),
        aggregations=aggregations,
        filters=tuple(reading.filters),
        group_by=read_groups(reading),
        superlatives=tuple(superlatives),
        ordering=read_ordering(reading),
        time_ranges=time_ranges,
        numbers=tuple(quantity.number for quantity in quantities),
        distinct=bool(reading.marks_of(Role.DISTINCT)) or any(each.distinct for each in aggregations),
        ratios=tuple(read_ratios(reading)),
        negations=negations,
        excluded=excluded_words(reading) if negations else (),
        yes_no=of_user and _yes_no(reading),
        parts=_parts(reading) if of_user else 1,
        definitions=definitions,
    )


def _time_ranges(reading: Reading) -> tuple[TimeRange | RelativeTime, ...]:
    found: list[TimeRange | RelativeTime] = []
    for each in reading.filters:
        if isinstance(each.rhs, (TimeRange, RelativeTime)):
            found.append(each.rhs)
        elif isinstance(each.rhs, Choices):
            members = [member for member in each.rhs.members if isinstance(member, TimeRange)]
            found.extend(sorted(members, key=str))
    return tuple(found)


_OTHER_MEASURE = lazy(
    r"not (?:per|by (?:the )?(?:count|number|value|amount|volume|revenue|units?|quantity|size|weight|date|name))\b",
    re.IGNORECASE,
)
"""What a measure is not: `by rate, not by count`, `per quote, not per lead`."""


def _negations(reading: Reading) -> tuple[str, ...]:
    found: list[str] = []
    if not _NEGATIVE_ROLES.isdisjoint(reading.by_role):
        found = [
            reading.span(each.start, each.end).lower()
            for each in reading.marks
            if each.cue.role in _NEGATIVE_ROLES
            and not is_included(reading, each)
            and _OTHER_MEASURE.match(reading.text, reading.tokens[each.start].start) is None
        ]
    prefixes = reading.language.negative_prefixes
    if prefixes:
        lowers = reading.lowers
        found += [lowers[place] for place in reading.number_places if lowers[place].startswith(prefixes)]
    return tuple(found)


def _yes_no(reading: Reading) -> bool:
    """Whether it is a yes-no question: an auxiliary opens it, and no command follows."""
    if reading.marks_of(Role.WHETHER):
        return True
    first = reading.lower(0)
    language = reading.language
    opens = first in language.copulas or first in language.auxiliaries or first in language.haves
    return opens and not any(mark.cue.role is Role.COMMAND for mark in reading.marks[:3])


def _parts(reading: Reading) -> int:
    """Counts the sentences that ask or command, and further questions in one sentence (`…, and how many …`)."""
    if len(reading.marks) < 2:
        return 1
    asking = [mark.start for mark in reading.marks if mark.cue.role in _ASKING and _asks(mark)]
    asking = [
        place for place in asking if reading.lower(place) not in _INSTRUCTIONS and not _is_relative(reading, place)
    ]
    if len(asking) < 2:
        return 1
    ends = [place for place, word in enumerate(reading.lowers) if word in _SENTENCE_ENDS]
    again = (
        bisect_left(ends, before) < bisect_left(ends, place) or _asks_again(reading, place)
        for before, place in pairwise(asking)
    )
    return 1 + sum(again)


def _is_relative(reading: Reading, place: int) -> bool:
    """`people who came`, `those which are open`."""
    before = reading.lower(place - 1)
    return reading.lower(place) in {"who", "which", "whose", "where"} and (before in _ANTECEDENTS or before[-1:] == "s")


_ANTECEDENTS = frozenset(
    "people ppl those ones one person all anyone anybody someone somebody everyone everybody".split()
)
_INSTRUCTIONS = frozenset("take use exclude include ignore assume".split())
"""Commands that say which rows count, and ask for nothing."""
_ASKING = frozenset({Role.ASK, Role.COMMAND, Role.WHETHER, Role.AGGREGATE})
_SENTENCE_ENDS = frozenset({".", "?", "!", ";"})


def _asks(mark: Mark) -> bool:
    """Whether a cue asks: an aggregate only if it has several words, as `how many`."""
    return mark.cue.role is not Role.AGGREGATE or mark.end - mark.start > 1


def _asks_again(reading: Reading, place: int) -> bool:
    if reading.lower(place - 1) not in reading.language.conjunctions or not reading.has_role(
        place, Role.ASK, Role.COMMAND
    ):
        return reading.lower(place) == "how" and reading.lower(place - 1) in reading.language.conjunctions
    return reading.lowers[place] not in {"who", "whom", "which", "where", "when"} or reading.lower(place - 2) == ","
