"""Whether a learned rule speaks of a condition of the question: of its column, its words, or its kind of value."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scoring.alignment.outputs.shown_names import table_words
from scoring.foreign_words import ENGLISH
from scoring.linking import STOP_WORDS
from scoring.patterns import lazy
from scoring.specification import QuestionFilter
from scoring.values import Choices, DatePart, FiscalYear, Number, RelativeTime, Text, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_WORD = lazy(r"[^\W\d_]+|\d{4}")
_YEAR = lazy(r"(?:19|20)\d\d")
_TIMES = (TimeRange, RelativeTime, FiscalYear, DatePart)
_OF_TIME = frozenset(
    "time date day week month quarter year hour season period fiscal calendar since zeit zeitraum quartal tag periode "
    "periodo trimestre kwartal kvartal".split()
)
_OF_PLACE = frozenset(
    "place city town village country region district state province area location site branch store shop office port "
    "harbour harbor station airport warehouse campus market land ort standort staat hafen laden ville lieu lugar luogo "
    "puerto porto plats sted".split()
)
"""What a name after `in` or `at` may be the name of."""
_LONG = 5
"""Letters at the start of two words by which they are the same: `cancelled` and `cancellation`."""


def speaks_of(text: str, condition: QuestionFilter, case: Case) -> bool:
    """Whether a rule's text speaks of a condition that the question asks for.

    A time is spoken of by a word of time, a place by a word of place, and each by its own words or its column; what
    the question counts is no word of a condition.
    """
    said = frozenset(_words(text))
    if isinstance(condition.rhs, _TIMES) or _YEAR.fullmatch(condition.span.strip()):
        return bool(said & _OF_TIME) or _shares(said, frozenset(_column_words(condition)))
    if _is_place(condition, case) and said & _OF_PLACE:
        return True
    own = frozenset((*_column_words(condition), *_value_words(condition, case)))
    return _shares(said, own - table_words(case.sql) - _counted(case))


def _is_place(condition: QuestionFilter, case: Case) -> bool:
    if not isinstance(condition.rhs, Text | Choices):
        return False
    name = re.escape(condition.span.strip("'\" ").casefold())
    return re.search(rf"\b(?:in|at|from|to|near)\s+(?:the\s+)?['\"]?{name}", case.question.text.casefold()) is not None


def _column_words(condition: QuestionFilter) -> Iterator[str]:
    if condition.lhs is not None:
        yield from (word for word in identifier_words(condition.lhs.name) if word not in STOP_WORDS)


def _value_words(condition: QuestionFilter, case: Case) -> Iterator[str]:
    """The words of the question for a condition; for a number also the unit that follows."""
    yield from _words(condition.span)
    if isinstance(condition.rhs, Text):
        yield from _words(condition.rhs.folded)
    _, _, rest = case.question.text.partition(condition.span)
    if isinstance(condition.rhs, Number) and (unit := _WORD.match(rest.lstrip())) is not None:
        yield from _words(unit[0])


def _counted(case: Case) -> frozenset[str]:
    """The words for what the question counts and shows."""
    counted = [each.column for each in case.question.aggregations]
    shown = [each.phrase for each in case.question.outputs]
    return frozenset(word for each in (*counted, *shown) for word in _words(each))


def _words(text: str) -> Iterator[str]:
    """The words of a text in one form, in English where a foreign one is known."""
    for word in _WORD.findall(text.casefold()):
        if word not in STOP_WORDS and len(word) > 2:
            yield stem(_translated(word))


def _translated(word: str) -> str:
    """The English word, also of a form with another ending: `stornierte` is `storniert`."""
    forms = (word, *(word[:-cut] for cut in (1, 2) if len(word) - cut > 3))
    return next((ENGLISH[each] for each in forms if each in ENGLISH), word)


def _shares(said: frozenset[str], own: frozenset[str]) -> bool:
    if said & own:
        return True
    starts = {word[:_LONG] for word in said if len(word) > _LONG}
    return any(word[:_LONG] in starts for word in own if len(word) > _LONG)
