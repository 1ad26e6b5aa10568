"""The years of a house that begin in another month than January: what `ytd` or `last fiscal year` means there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from scoring.patterns import lazy
from scoring.specification import Op, QuestionFilter, QuestionSpec
from scoring.values import DatePart, FiscalYear, Grain, RelativeTime, TimeRange, shift

_SAID = lazy(
    r"\b(?:(?P<which>this|current|last|previous|prior|next)\s+)?(?:(?:fiscal|fin(?:ancial)?)\s+(?:years?|yrs?)|fy)\b"
    r"(?!\s*['’]?\d)|\bfytd\b",
    re.IGNORECASE,
)
_FISCAL = lazy(r"\b(?:fiscal|financial|fin (?:year|yr)|fy|fytd)\b", re.IGNORECASE)
_NAMED = lazy(r"\bfy\s*['’]?(\d\d|20\d\d)\b", re.IGNORECASE)
_RANKED = lazy(r"\bq([1-4])\b", re.IGNORECASE)
_CALENDAR = lazy(r"\bcalendar\b", re.IGNORECASE)
_STEPS = {"last": -1, "previous": -1, "prior": -1, "next": 1}
_YEARS = range(2, 9999)
"""Years of `now` of which the one before and the one after can be written."""
_CERTAIN = 0.9
_BEFORE = 12
"""How far before a time a word may stand that makes it one of the house, in characters."""

_MONTHS: tuple[str, ...] = tuple("jan feb mar apr may jun jul aug sep oct nov dec".split())
_MONTH = rf"({'|'.join(_MONTHS)})[a-z]*\.?"
_DAY = r"(?:the )?(?:(?:1(?:st)?|first)(?: day)?(?: of)? )?"
_BEGINS = lazy(
    rf"\b(?:start|begin|began|run|go|span)(?:e?s|ning|ting|ed)? "
    rf"(?:(?:each year )?(?:on|in|from|with) )?{_DAY}{_MONTH}(?![a-z])"
)
_STRETCH = lazy(
    rf"{_DAY}\b{_MONTH}(?: (?:19|20)\d\d)? ?(?:to|through|thru|until|till|-|–|—) ?"
    rf"(?:the )?(?:end of )?(?:\d+(?:st|th)? )?{_MONTH}(?![a-z])"
)
_NAMED_AFTER = lazy(
    r"\b(?:named|called|labell?ed|carr(?:y|ies)|numbered|takes? (?:the name|its name))\b"
    r"[^.;]{0,40}\b(ends?|starts?|begins?)\b"
    r"|\b(ending|closing|starting|opening) (?:calendar )?year\b"
)


def in_house_years(question: QuestionSpec, year: FiscalYear, now: datetime | None) -> QuestionSpec:
    """The question with its conditions on years and quarters of the house as the dates that they mean at `now`.

    >>> from scoring.question import read_question
    >>> asked = read_question("revenue ytd and in FY25")
    >>> year = FiscalYear(starts=4, words=("ytd",))
    >>> [str(each.rhs) for each in in_house_years(asked, year, datetime(2026, 3, 1)).filters]
    ['[2025-04-01, )', '[2024-04-01, 2025-04-01)']
    """
    if year.starts == 1 or now is None or now.year not in _YEARS or _CALENDAR.search(question.text):
        return question
    dated = [_dated(each, question, year, now) for each in question.filters]
    return replace(question, filters=(*dated, *_unread(question, dated, year, now)))


def first_month(text: str) -> int | None:
    """The month in which a text, in lower case, says that the fiscal year begins.

    >>> first_month("1 july to 30 june"), first_month("it starts on 1 october"), first_month("may to september")
    (7, 10, None)
    """
    for match in _STRETCH.finditer(text):
        first, last = _number(match[1]), _number(match[2])
        if last % 12 + 1 == first:
            return first
    found = _BEGINS.search(text)
    return _number(found[1]) if found is not None else None


def _number(month: str) -> int:
    """The number of a month from 1, of the first letters of its name."""
    return {name: place for place, name in enumerate(_MONTHS, 1)}[month]


def named_after_end(text: str) -> bool | None:
    """Whether a text, in lower case, names a fiscal year by the year that it ends in; `None` if it does not say.

    >>> named_after_end("named after the year it ends in"), named_after_end("from july")
    (True, None)
    """
    found = _NAMED_AFTER.search(text)
    return (found[1] or found[2]).startswith(("end", "clos")) if found is not None else None


def _dated(own: QuestionFilter, question: QuestionSpec, year: FiscalYear, now: datetime) -> QuestionFilter:
    """A condition on a year or quarter of the house as the dates that it means."""
    found: TimeRange | None = None
    if isinstance(own.rhs, TimeRange) and _NAMED.search(own.span):
        first, quarter = _named_year(own.span, year), _RANKED.search(own.span)
        found = _years(first, 1) if quarter is None else _quarter(first, int(quarter[1]))
    elif isinstance(own.rhs, RelativeTime) and own.rhs.whole:
        return _counted(own, own.rhs, year, now, house=_is_of_house(own, question, year))
    elif isinstance(own.rhs, DatePart) and own.rhs.part == "quarter" and own.rhs.last is None:
        found = _ranked(own, own.rhs.value, question, year, now)
    return own if found is None else replace(own, rhs=found, alternatives=())


def _counted(
    own: QuestionFilter, asked: RelativeTime, year: FiscalYear, now: datetime, *, house: bool
) -> QuestionFilter:
    """A condition on years or quarters counted from now, as those of the house."""
    if asked.unit is Grain.QUARTER:
        return _of_quarters(own, asked, year, now, house=house)
    if asked.unit is not Grain.YEAR or not house:
        return own
    return replace(own, rhs=_relative(asked, _begun(year, now), now), alternatives=())


def _of_quarters(
    own: QuestionFilter, asked: RelativeTime, year: FiscalYear, now: datetime, *, house: bool
) -> QuestionFilter:
    """A condition on quarters counted from now, as those of the house; as either where the house may mean both."""
    begun = _begun(year, now)
    months = (now.year - begun.year) * 12 + now.month - begun.month
    this = shift(begun, Grain.MONTH, months - months % 3)
    start = None if asked.start is None else shift(this, Grain.MONTH, 3 * asked.start)
    until = now if asked.start == asked.end else this
    end = None if asked.end is None else shift(until, Grain.MONTH, 3 * asked.end)
    found = TimeRange(start, end)
    return replace(own, rhs=found, alternatives=() if house else (*own.alternatives, asked))


def _ranked(
    own: QuestionFilter, rank: int, question: QuestionSpec, year: FiscalYear, now: datetime
) -> TimeRange | None:
    """A quarter of the year that the question names, or of the house where its quarters are meant."""
    named = _NAMED.search(question.text)
    if named is not None:
        return _quarter(_named_year(named[0], year), rank)
    return _last_begun(rank, _begun(year, now), now) if _is_of_house(own, question, year) else None


def _is_of_house(own: QuestionFilter, question: QuestionSpec, year: FiscalYear) -> bool:
    """Whether a time, with the word before it, is one that the house counts by its own years."""
    words = question.text[max(0, own.start - _BEFORE) : own.start + len(own.span)].lower()
    said = own.span.lower()
    return _FISCAL.search(words) is not None or any(
        re.search(rf"\b{re.escape(word)}", said) or (word == "quarter" and said.startswith("q")) for word in year.words
    )


def _unread(
    question: QuestionSpec, read: Sequence[QuestionFilter], year: FiscalYear, now: datetime
) -> Iterator[QuestionFilter]:
    """The first year of the house that the question speaks of without a number, where nothing was read of it."""
    match = _SAID.search(question.text)
    if match is None or (match["which"] is None and match[0].lower() != "fytd"):
        return
    if any(each.start < match.end() and match.start() < each.start + len(each.span) for each in read):
        return
    first = shift(_begun(year, now), Grain.YEAR, _STEPS.get((match["which"] or "").lower(), 0))
    yield QuestionFilter(
        lhs=None, op=Op.WITHIN, rhs=_years(first, 1), span=match[0], start=match.start(), certain=_CERTAIN
    )


def _begun(year: FiscalYear, now: datetime) -> datetime:
    """The first day of the year of the house that `now` is in."""
    return datetime(now.year - (now.month < year.starts), year.starts, 1)


def _named_year(text: str, year: FiscalYear) -> datetime:
    """The first day of the year that a name such as `FY26` means."""
    match = _NAMED.search(text)
    number = int(match[1]) % 100 + 2000 if match is not None else 0
    return datetime(number - year.named_after_end, year.starts, 1)


def _years(first: datetime, count: int) -> TimeRange:
    return TimeRange(first, shift(first, Grain.YEAR, count))


def _relative(asked: RelativeTime, begun: datetime, now: datetime) -> TimeRange:
    """A range of whole years; equal ends are a year up to the point where now is in its own."""
    start = None if asked.start is None else shift(begun, Grain.YEAR, asked.start)
    until = now if asked.start == asked.end else begun
    return TimeRange(start, None if asked.end is None else shift(until, Grain.YEAR, asked.end))


def _quarter(first: datetime, number: int) -> TimeRange:
    start = shift(first, Grain.MONTH, 3 * number - 3)
    return TimeRange(start, shift(start, Grain.MONTH, 3))


def _last_begun(number: int, begun: datetime, now: datetime) -> TimeRange:
    """The quarter of this number that began last."""
    this = _quarter(begun, number)
    return this if this.start is not None and this.start <= now else _quarter(shift(begun, Grain.YEAR, -1), number)
