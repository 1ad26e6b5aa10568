"""English numbers, months and weekdays."""

from __future__ import annotations

from scoring.question.english.tables import ranks

_TENS = ["twen", "thir", "for", "fif", "six", "seven", "eigh", "nine"]
_UNITS = ranks(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
    0,
)
NUMBERS = _UNITS | {"twice": 2, "thrice": 3} | {f"{tens}ty": ten * 10 for ten, tens in enumerate(_TENS, 2)}

ORDINALS = ranks("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth", 1)

MONTHS = ranks(
    "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sep|sept october|oct "
    "november|nov december|dec",
    1,
)

WEEKDAYS = ranks(
    "sunday|sundays monday|mondays tuesday|tuesdays wednesday|wednesdays thursday|thursdays friday|fridays "
    "saturday|saturdays",
    0,
)
