"""The earlier question as a text in which parts are found, replaced and added."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from scoring.patterns import lazy
from scoring.question.english.countries import COUNTRY_CODES
from scoring.question.english.demonyms import DEMONYMS
from scoring.question.english.follow_ups import ADVERBS_OF_TIME, AGGREGATE_WORDS, TIME_UNITS
from scoring.question.follow_ups.evidence import TurnEvidence
from scoring.question.follow_ups.words import TIMES
from scoring.question.questions import read_question
from scoring.specification import Op, QuestionFilter, QuestionSpec
from scoring.values import Choices, Number, Text

_BEFORE_TIME = lazy(
    r"\b(?:in|for|during|from|since|of|on|at|until|till|through|by|within|over|the|as of|to)\s+$", re.IGNORECASE
)
_LEAVING_OUT = lazy(r",? \b(?:excluding|without|except|ignoring|leaving out)\b", re.IGNORECASE)
_A_YEAR = lazy(r"(?:19|20)\d\d")
_ADDED_EXCLUSION = lazy(r",? ?\bexcluding\b", re.IGNORECASE)
_GROUP = lazy(
    r"[ ,]*\b(?:(?:broken down|split|grouped)(?: (?:up|out))? )?(?:by|per|for (?:each|every)|in each)\s+"
    r"(?P<key>(?:the )?[\w'-]+(?:[ -](?!(?:in|for|from|at|on|of|since|during|with|without|that|who|which|over"
    r"|under|above|below"
    r"|last|this|next|yesterday|today|as|sorted|ordered|ranked|and|or|did|do|does|is|are|was|were|per|by|only"
    r"|where|between"
    r"|before|after|until|to|ytd|right|now)\b)[\w'-]+){0,2}(?:(?:,| and)(?! (?:only|sorted|what|how|this|last|in|for"
    r"|from|without|excluding|no|not|since|q[1-4]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)) [\w'-]+){0,2})",
    re.IGNORECASE,
)
_RANK = lazy(
    r"\b(?P<way>top|bottom|first|last|best|worst|highest|lowest|largest|biggest|smallest)\s+(?P<k>\d{1,4}|two"
    r"|three|four|five"
    r"|six|seven|eight|nine|ten|twenty|fifty)\b(?! (?:day|week|month|quarter|year|hour|minute)s?\b)",
    re.IGNORECASE,
)
_SORTED = lazy(
    r"[ ,]*\b(?:(?:sorted|ordered|ranked|sort|order|rank)(?: (?:it|them))? by [^,?]+|in (?:de|a)scending order"
    r"|alphabetically|(?:newest|oldest|highest|lowest|largest|smallest|biggest|latest|most|best|worst)(?: \w+)? first)",
    re.IGNORECASE,
)
_MEASURED = lazy(rf"\b(?P<name>{AGGREGATE_WORDS})\b", re.IGNORECASE)
_ASKED = lazy(
    r"(?:please |can you |could you )?(?:(?:list|show|give|display|find|get|return|which|whose|name|fetch"
    r"|tell)(?: me| us)?"
    r"|what(?: is| are|'s| was| were)|who(?: are| is)?|(?:what|how) many|how much|number of|count of|count"
    r"|the number of"
    r"|total number of|what)\b(?: all| of| the| our| those)*\s*",
    re.IGNORECASE,
)
_COUNTED = lazy(r"\b(?:how many|number of|nr of|count of|count)\b", re.IGNORECASE)


_DETERMINERS = "this|last|next|previous|current|prior|the last|the next|the previous|the current|first|second|third"


_NUMBERED = lazy(r"(?:the )?(?P<noun>[A-Za-z]+) (?:[\w-]*\d[\w-]*|[A-Z])$")


class EarlierQuestion:
    """The meaning of the question before, with the places of its parts."""

    def __init__(self, text: str) -> None:
        self.text = " ".join(text.split()).rstrip(" ?!.")

    @cached_property
    def spec(self) -> QuestionSpec:
        """Its specification."""
        return read_question(self.text)

    def times(self) -> list[QuestionFilter]:
        """Its conditions on times."""
        return [each for each in self.spec.filters if isinstance(each.rhs, TIMES) or _A_YEAR.fullmatch(each.span)]

    def bounds(self) -> list[QuestionFilter]:
        """Its conditions on numbers."""
        return [each for each in self.spec.filters if isinstance(each.rhs, Number)]

    def without_time(self) -> str | None:
        """The text without its last time and the preposition before it; `None` where it has none."""
        times = self.times()
        if not times:
            return None
        return self._cut(times[-1].start, times[-1].start + len(times[-1].span), before=_BEFORE_TIME)

    def with_time(self, words: str) -> str:
        """The text with another time in the place of its last one, or before what it leaves out."""
        times = self.times()
        if times:
            start, end = times[-1].start, times[-1].start + len(times[-1].span)
        else:
            left_out = _LEAVING_OUT.search(self.text)
            start = end = left_out.start() if left_out is not None else len(self.text)
        head = self.text[:start]
        while times and (found := _BEFORE_TIME.search(head)) is not None:
            head = head[: found.start()]
        return " ".join(f"{head} {words} {self.text[end:]}".split()).replace(" ,", ",").strip(" ,")

    def with_words(self, words: str) -> str:
        """The text with more words: before what it leaves out, unless they leave something out, too."""
        left_out = _ADDED_EXCLUSION.search(self.text)
        if left_out is None or _ADDED_EXCLUSION.match(words):
            return f"{self.text} {words}"
        return f"{self.text[: left_out.start()].rstrip()} {words} {self.text[left_out.start() :].lstrip(' ,')}"

    def replaced(self, start: int, end: int, words: str) -> str:
        """The text with other words in a place."""
        return f"{self.text[:start]}{words}{self.text[end:]}"

    def _cut(self, start: int, end: int, before: re.Pattern[str] | None = None) -> str:
        head = self.text[:start]
        while before is not None and (found := before.search(head)) is not None:
            head = head[: found.start()]
        return " ".join(f"{head} {self.text[end:]}".split()).replace(" ,", ",").strip(" ,")

    def groups(self) -> list[re.Match[str]]:
        """The places of what it is grouped by."""
        return [each for each in _GROUP.finditer(self.text) if not self._is_ranked(each)]

    def _is_ranked(self, group: re.Match[str]) -> bool:
        """Whether `by` says by what it is ranked or sorted, or who did it."""
        before = self.text[: group.start()].rstrip().lower()
        said = group.group().lower().lstrip(" ,")
        if not said.startswith("by"):
            return False
        ranked = _RANK.search(before) is not None and not before.endswith(",")
        return (
            ranked
            or re.search(r"\b(?:sorted|ordered|ranked|sort|order|rank|made|placed|booked|written|sold|sent)$", before)
            is not None
        )

    def without_group(self) -> str:
        """The text without what it is grouped by."""
        text = self.text
        for each in reversed(self.groups()):
            text = text[: each.start()] + text[each.end() :]
        return " ".join(text.split()).strip(" ,")

    def with_rank(self, way: str, count: int) -> str | None:
        """The text with another number of first rows; `None` where it asks for none."""
        found = _RANK.search(self.text)
        if found is None:
            return None
        same = way in ("first", "top", "") and found["way"].lower() in (
            "top",
            "first",
            "best",
            "highest",
            "largest",
            "biggest",
        )
        return self.replaced(found.start(), found.end(), f"{found['way'] if same else way} {count}")

    def without_rank(self) -> str:
        """The text without a number of first rows."""
        return " ".join(_RANK.sub("", self.text).split())

    def without_order(self) -> str:
        """The text without what it is sorted by."""
        return _SORTED.sub("", self.text).strip(" ,")

    def with_aggregate(self, name: str) -> str | None:
        """The text with another aggregate; `None` where it has none."""
        found = _MEASURED.search(self.text)
        if found is not None:
            return self.replaced(found.start(), found.end(), name)
        counted = _COUNTED.search(self.text)
        if counted is not None and name not in ("total", "sum", "count"):
            return None
        return None if counted is not None else f"{name} {self.subject}"

    @property
    def counts(self) -> bool:
        """Whether it asks how many there are."""
        return _COUNTED.search(self.text) is not None

    @property
    def subject(self) -> str:
        """What it asks about, without the words that ask."""
        asked = _ASKED.match(self.text)
        return self.text[asked.end() :] if asked is not None else self.text

    def values(self, evidence: TurnEvidence) -> list[tuple[int, int]]:
        """Where it names values: names, countries in any case, and texts that the SQL before compares with."""
        found = {
            (each.start, each.start + len(each.span))
            for each in self.spec.filters
            if isinstance(each.rhs, (Text, Choices)) and each.op not in (Op.EXISTS, Op.NOT_EXISTS)
        }
        found |= set(self._spoken_values(evidence))
        kept: list[tuple[int, int]] = []
        for start, end in sorted(found, key=lambda place: (place[0], -place[1])):
            if not kept or start >= kept[-1][1]:
                kept.append((start, end))
        return kept

    def parallel(self, words: str) -> tuple[int, int] | None:
        """The place of a phrase that differs in what tells it apart: `last term` for `this term`, `hall 5`."""
        numbered = _NUMBERED.match(words)
        if numbered is not None:
            noun = re.escape(numbered["noun"])
            found = re.search(rf"\b{noun}s? (?:[\w-]*\d[\w-]*|[A-Z])\b", self.text, re.IGNORECASE)
            return found.span() if found is not None else None
        said = re.match(rf"(?:{_DETERMINERS}) (?P<noun>[\w-]+)$", words, re.IGNORECASE)
        if said is None:
            return None
        found = re.search(rf"\b(?:{_DETERMINERS}) {re.escape(said['noun'])}\b", self.text, re.IGNORECASE)
        return found.span() if found is not None else None

    def follows(self, place: tuple[int, int], preposition: str) -> bool:
        """Whether a preposition stands right before a place."""
        return re.search(rf"\b{preposition} (?:the )?$", self.text[: place[0]], re.IGNORECASE) is not None

    def _spoken_values(self, evidence: TurnEvidence) -> Iterator[tuple[int, int]]:
        for word in re.finditer(r"\b(?=([\w'-]+(?: [\w'-]+)?))", self.text):
            for phrase in (word.group(1), word.group(1).split(" ")[0]):
                if phrase.casefold() in COUNTRY_CODES or (phrase.casefold() in DEMONYMS and len(phrase) > 2):
                    yield word.start(), word.start() + len(phrase)
        said = self.text.casefold()
        for value in evidence.old_values:
            for form in (value, f"{value}s", value.removesuffix("s")):
                place = re.search(rf"\b{re.escape(form)}\b", said) if len(form) > 1 else None
                if place is not None:
                    yield place.span()
                    break


def unit_of(words: str) -> str | None:
    """The unit of time that words name, as a group.

    >>> unit_of("weeks"), unit_of("monthly"), unit_of("branch")
    ('week', 'month', None)
    """
    word = words.casefold().split()[-1] if words.split() else ""
    if word not in TIME_UNITS:
        return None
    return ADVERBS_OF_TIME.get(word, word.removesuffix("s"))
