"""Dates in texts and literals: all but the year stays, so that ranges, months and formats can be judged."""

from __future__ import annotations

import re
from collections.abc import Callable

from consumers.judging.masking.plain_words import MONTHS, WEEKDAYS, is_plain

_YEAR = r"(?P<{}>(?:19|20)\d\d)"
_PART = r"(?:0?[1-9]|[12]\d|3[01])"
_TIME = r"\d\d?:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?"
_YEAR_FIRST = _YEAR.format("first") + rf"[-/.]{_PART}(?:[-/.]{_PART}(?:[T ]{_TIME})?)?"
_YEAR_LAST = rf"(?:{_PART}[-/.])?{_PART}[-/.]" + _YEAR.format("last") + rf"(?:[T ]{_TIME})?"
_YEAR_SHORT = rf"(?:{_PART}/(?:0?[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])/{_PART})/(?P<short>\d\d)"
DATE = rf"(?<![\w/.-])(?:{_YEAR_FIRST}|{_YEAR_LAST}|{_YEAR_SHORT})(?![\w/-]|\.\d)"
"""A date of digits, with or without a day and a time. The groups `first`, `last` and `short` hold its year."""
CLOCK = r"(?<![\w:.,-])(?:(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?: ?[ap]m\b)?(?![\w:-])|(?:0?\d|1[0-2]) ?[ap]m\b)"
"""A clock time in a text."""
_DATE = re.compile(DATE)
_COMPACT = re.compile(r"((?:19|20)\d\d)((?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])?)")
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = rf"{_PART}(?:st|nd|rd|th)?"
_NAMED = re.compile(
    rf"(?:{_DAY}(?: of)?[ -])?(?:{_MONTH})\.?(?:[ -]{_DAY},?)?[ -]{_YEAR.format('last')}", re.IGNORECASE
)
_PART_OF_YEAR = re.compile(
    rf"{_YEAR.format('first')}[- ]?(?:[QW]\d\d?|H[12])|(?:[QW]\d\d?|H[12]|FY)[- ]?{_YEAR.format('last')}", re.IGNORECASE
)
_CLOCK = re.compile(_TIME)
_CLOCK_SAID = re.compile(CLOCK, re.IGNORECASE)
_PERIOD = re.compile(r"(?:[+-]?\d{1,6} *[a-z]{1,8}(?: ago)?[ ,]*)+", re.IGNORECASE)
_STEP = re.compile(r"(\d{1,6})( *)([A-Za-z]+)")
_SHORT_UNITS = frozenset("s m h d w y hr hrs min mins sec secs mon mons yr yrs ms us".split())
_WORDS = (
    MONTHS
    | WEEKDAYS
    | frozenset(
        "now today yesterday tomorrow localtime utc unixepoch auto julianday subsec current_date current_time "
        "current_timestamp infinity -infinity epoch allballs midnight noon mon tue wed thu fri sat sun".split()
    )
)
_MODIFIER = re.compile(r"start of (?:day|week|month|quarter|year)|weekday [0-6]")


def is_date_word(literal: str) -> bool:
    """Whether a literal is a word, a modifier or a two-digit part of dates that names no date by itself.

    >>> [is_date_word(each) for each in ("now", "Start of month", "March", "03", "08:30", "2021-03-05")]
    [True, True, True, True, True, False]
    """
    lower = literal.lower()
    return lower in _WORDS or bool(_MODIFIER.fullmatch(lower)) or is_padded(literal) or bool(_CLOCK.fullmatch(literal))


def is_padded(piece: str) -> bool:
    """Whether a piece is one digit after a zero, as months and days are written."""
    return len(piece) == 2 and piece[0] == "0" and piece.isascii() and piece.isdigit()


def masked_date(literal: str, year: Callable[[str], str]) -> str | None:
    """The literal with its year replaced; `None` where it is no date.

    >>> [masked_date(each, lambda _: "YEAR_9") for each in ("05/03/2021", "2021-03", "5 March 2021", "x")]
    ['05/03/YEAR_9', 'YEAR_9-03', '5 March YEAR_9', None]
    >>> [masked_date(each, lambda _: "YEAR_9") for each in ("05-MAR-2021", "3/5/21", "2021-Q3", "FY 2021")]
    ['05-MAR-YEAR_9', '3/5/YEAR_9', 'YEAR_9-Q3', 'FY YEAR_9']
    """
    found = _DATE.fullmatch(literal) or _NAMED.fullmatch(literal) or _PART_OF_YEAR.fullmatch(literal)
    return None if found is None else with_masked_year(found, year)


def with_masked_year(found: re.Match[str], year: Callable[[str], str]) -> str:
    """The text of a match with its year replaced."""
    name = str(found.lastgroup)
    start, end = found.start(name) - found.start(), found.end(name) - found.start()
    return found[0][:start] + year(full_year(found[name])) + found[0][end:]


def full_year(digits: str) -> str:
    """The year of its last two digits: 1970 to 2069; one of four digits as it is."""
    return digits if len(digits) > 2 else ("19" if digits >= "70" else "20") + digits


def clock_numbers(text: str) -> set[str]:
    """The hours and minutes of the clock times in a text, as SQL may write them.

    >>> sorted(clock_numbers("between 8am and 5:30 pm")), clock_numbers("at 08:00") == {"8", "0"}
    (['17', '30', '5', '8'], True)
    """
    found: set[str] = set()
    for match in _CLOCK_SAID.finditer(text):
        digits = [int(each) for each in re.findall(r"\d+", match[0])]
        found.update(map(str, digits))
        if match[0].lower().endswith("pm"):
            found.add(str(digits[0] % 12 + 12))
    return found


def compact_date(digits: str) -> tuple[str, str] | None:
    """The year and the rest of a date of six or eight digits.

    >>> compact_date("202103"), compact_date("20210305"), compact_date("202113")
    (('2021', '03'), ('2021', '0305'), None)
    """
    found = _COMPACT.fullmatch(digits)
    return None if found is None else (found[1], found[2])


def masked_period(literal: str, number: Callable[[str], str]) -> str | None:
    """A period with its numbers replaced, its signs and units kept; `None` where it is none.

    >>> masked_period("-30 days", lambda _: "NUM_1"), masked_period("30 Kotor", str)
    ('-NUM_1 days', None)
    """
    if not _PERIOD.fullmatch(literal):
        return None
    units = [unit.lower() for _, _, unit in _STEP.findall(literal)]
    if not all(is_plain(unit) or unit in _SHORT_UNITS for unit in units):
        return None
    return _STEP.sub(lambda step: f"{number(step[1].lstrip('0') or '0')}{step[2] or ' '}{step[3]}", literal)
