"""Finds times that a question names only roughly, or by the day on which it is asked: they are no other condition."""

from __future__ import annotations

import re
from bisect import bisect_left

from scoring.patterns import lazy
from scoring.question.reading import Reading

_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*"
_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_UNTIL = r"(?:since|until|till|by|before|after|from|through|on)"
_CLOCK = r"\d{1,2}(?::\d\d)? ?(?:am|pm|a\.m\.|p\.m\.|o'?clock)"
_ROUGH = lazy(
    # `since last tuesday`, `from monday to wednesday last week`
    rf"\b(?:since|until|till|from|by|before|after) (?:last|this|next) {_WEEKDAY}\b"
    rf"|\bfrom {_WEEKDAY} (?:to|till|until|through) {_WEEKDAY}\b(?: (?:last|this|next) week\b)?"
    # `the last week of february`, `the first ten days of march`
    rf"|\b(?:first|last) (?:weekend|(?:\d{{1,2}}|two|three|four|five|ten) (?:days|weeks)) of (?:{_MONTH}|the month)\b"
    rf"(?: 20\d\d\b)?|\blast week of (?:{_MONTH}|the month)\b(?: 20\d\d\b)?"
    # `mid march`, `by the end of march`
    rf"|\b(?:early|mid|late)[ -](?:in )?{_MONTH}\b(?: 20\d\d\b)?"
    rf"|\b(?:by|before) (?:the )?(?:end|start|beginning|middle) of {_MONTH}\b(?! 20\d\d)"
    # `this time last year`
    r"|\b(?:(?:at )?this time|(?:on )?(?:the )?same (?:day|date)) (?:last|a|the previous|the prior) "
    r"(?:year|month|week|quarter)(?: ago)?\b"
    # `the year to june 2025`
    rf"|\b(?:(?<!this )(?<!last )year|(?:twelve|12|six|6|three|3) months) (?:up )?to (?:the )?(?:end of )?{_MONTH}\b"
    rf"(?: 20\d\d\b)?"
    # `since the 1st`
    rf"|\b{_UNTIL} the \d{{1,2}}(?:st|nd|rd|th)\b(?! (?:of|to|and|till|until|through|{_MONTH}|place|\w+est|quarter|half"
    r"|week)\b)"
    # `between 2 and 4 pm`
    rf"|\b\d{{1,2}}(?::\d\d)? ?(?:am|pm)? ?(?:and|to|till|until|-) ?{_CLOCK}"
    # `yesterday and today`
    r"|\byesterday and today\b|\btoday and yesterday\b",
    re.IGNORECASE,
)
"""Forms for which no range of days can be required."""


def claim_rough_times(reading: Reading) -> None:
    """Claims the tokens of times that are named roughly, so that their numbers and days are no conditions."""
    starts = [token.start for token in reading.tokens]
    for found in _ROUGH.finditer(reading.text):
        reading.claim(bisect_left(starts, found.start()), bisect_left(starts, found.end()))
