"""What a few words of a fragment name: a time, or a thing with a name of its own."""

from __future__ import annotations

import re
from functools import lru_cache

from scoring.patterns import lazy
from scoring.question.english.countries import COUNTRY_CODES
from scoring.question.english.demonyms import DEMONYMS
from scoring.question.english.follow_ups import EMPTY
from scoring.question.questions import read_question
from scoring.specification import QuestionFilter
from scoring.values import DatePart, RelativeTime, TimeRange

TIMES = (TimeRange, RelativeTime, DatePart)
_NAME = lazy(r"[\"'“‘]|\b[A-Z]|\b\w*\d\w*\b")
_WORD = lazy(r"[\w'&.-]+")


@lru_cache(maxsize=256)
def time_phrase(text: str) -> str | None:
    """A time with its preposition, where the words name one and nothing else.

    >>> time_phrase("2024"), time_phrase("last year"), time_phrase("since May"), time_phrase("the ripe ones")
    ('in 2024', 'last year', 'since May', None)
    """
    text = re.sub(
        r"^(?:for|the|of|from) (?=(?:the )?(?:last|this|past|previous|next|yesterday|today))",
        "",
        text.strip(),
        flags=re.I,
    )
    text = re.sub(r" (?:so far|to date|ytd|as well|overall|only)$", "", text, flags=re.IGNORECASE)
    text = re.sub(r"^the (?=last|this|past|previous|next)", "", text, flags=re.IGNORECASE)
    for phrase in (text, f"in {text}", f"on {text}", f"in {text.removeprefix('for ').title()}"):
        found = [each for each in read_question(phrase).filters if isinstance(each.rhs, TIMES)]
        if len(found) == 1 and found[0].certain >= _SURE and not _left(phrase, found[0]):
            return phrase
    return None


_SURE = 0.5


def _left(phrase: str, found: QuestionFilter) -> set[str]:
    """The words of a phrase that are no part of the time in it."""
    rest = f"{phrase[: found.start]} {phrase[found.start + len(found.span) :]}".lower()
    return (
        set(_WORD.findall(rest)) - EMPTY - {"during", "since", "of", "before", "after", "until", "as", "all", "whole"}
    )


def is_time(text: str) -> bool:
    """Whether words name a time and nothing else."""
    return len(text) < _LONGEST and time_phrase(text) is not None


_LONGEST = 60


def is_name(text: str) -> bool:
    """Whether words hold a name: quoted, with a capital or a digit, or a country's."""
    return _NAME.search(text) is not None or is_country(text)


def is_country(text: str) -> bool:
    """Whether words are a country, a state or its people, whatever their case."""
    plain = " ".join(_WORD.findall(text.casefold()))
    plain = plain.removeprefix("the ")
    return plain in COUNTRY_CODES or plain in DEMONYMS


def named(words: str) -> str:
    """The words with capitals where they are countries in lower case."""
    if is_country(words) and len(words) > len("usa"):
        return words.removeprefix("the ").title()
    return " ".join(each.title() if is_country(each) and len(each) > len("usa") else each for each in words.split())
