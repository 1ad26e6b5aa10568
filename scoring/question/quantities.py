"""Reads numbers: `1,000`, `5k`, `1.5 million`, `twenty-five`, `$20`, `30%`, `third`."""

from __future__ import annotations

from scoring.immutable import immutable
from scoring.patterns import lazy
from scoring.question.language import Language, Role
from scoring.question.reading import Reading
from scoring.specification import Token, TokenKind
from scoring.values import Grain, Number

_PLAIN = lazy(r"(\d+(?:,\d{3})*(?:\.\d+)?)(k|mm|m|bn|b|st|nd|rd|th)?")
_GLUED = lazy(r"(\d+)([^\W\d]+)")
_SUFFIXES = {"k": 1e3, "m": 1e6, "mm": 1e6, "b": 1e9, "bn": 1e9}
_RANKS = frozenset({"st", "nd", "rd", "th"})
SHORT_UNITS = {
    name: grain
    for grain, names in {
        Grain.SECOND: "s sec secs",
        Grain.MINUTE: "min mins",
        Grain.HOUR: "h hr hrs",
        Grain.DAY: "d",
        Grain.WEEK: "w wk wks",
        Grain.MONTH: "mo mos",
        Grain.YEAR: "y yr yrs",
    }.items()
    for name in names.split()
}
"""Units of time as they are written right after a number: `24h`."""
_LONGEST = 15
"""Digits of a number; a longer run is an identifier."""


@immutable(kw_only=False)
class Quantity:
    """A number at tokens [start, end)."""

    number: Number
    start: int
    end: int
    ordinal: bool = False
    spelt: bool = False
    """It is written in words."""


def read_quantities(reading: Reading) -> list[Quantity]:
    """Every number in order, also those that are part of a time; ordinals only outside times."""
    found: list[Quantity] = []
    for place in reading.number_places:
        if found and place < found[-1].end:
            continue
        token = reading.tokens[place]
        quantity = _figure(reading, place) if token.kind is TokenKind.NUMBER else _in_words(reading, place, token)
        if quantity is not None:
            found.append(quantity)
    return found


_TIMES = frozenset({"twice", "thrice"})
_OF_ANOTHER = frozenset({"the", "as", "that", "their", "its", "his", "her", "what", "a", "an", "per", "every", "each"})
"""Words after `twice` that make it a factor or a rate: `twice the average`, `twice a week`."""


def _in_words(reading: Reading, place: int, token: Token) -> Quantity | None:
    """A number that a word says: `three`, `third`, `twenty-five`, `180cm`."""
    language = reading.language
    if token.lower in _TIMES and reading.lower(place + 1) in _OF_ANOTHER:
        return None
    if token.lower in language.numbers:
        return _spelt(reading, place)
    if token.lower in language.ordinals and not reading.claimed[place] and not _ends_a_wait(reading, place):
        return Quantity(Number(language.ordinals[token.lower]), place, place + 1, ordinal=True, spelt=True)
    if "-" in token.lower:
        return _hyphened(token.lower, place, language)
    return _glued(token.lower, place, language) if token.text[0].isdecimal() else None


def _ends_a_wait(reading: Reading, place: int) -> bool:
    """Whether something ends a wait: `until the first guard comes`, and not `until the first of May`."""
    waits = reading.lower(place - 1) == "the" and reading.lower(place - 2) in {"until", "till", "til"}
    after = reading.lower(place + 1)
    return waits and after != "of" and after not in reading.language.months


def time_unit(reading: Reading, quantity: Quantity) -> Grain | None:
    """The unit of time that a number counts: `24 hours`, `24h`."""
    glued = _GLUED.fullmatch(reading.lower(quantity.start)) if quantity.end == quantity.start + 1 else None
    if glued is not None and glued[2] in SHORT_UNITS:
        return SHORT_UNITS[glued[2]]
    after = reading.lower(quantity.end)
    return reading.language.grains.get(after) or (SHORT_UNITS[after] if after in _SHORTENED else None)


_SHORTENED = frozenset({"sec", "secs", "min", "mins", "hr", "hrs", "wk", "wks", "yr", "yrs"})
"""Short units that are also written apart: `over 10 min`."""


def _figure(reading: Reading, place: int) -> Quantity | None:
    match = _PLAIN.fullmatch(reading.tokens[place].lower)
    if match is None and place in reading.ends and reading.ends[place].cue.role is Role.COMPARE:
        return _glued(reading.tokens[place].lower, place, reading.language)  # `shorter than 30s`
    if match is None or len(match[1]) > _LONGEST:
        return None
    suffix = match[2] or ""
    value = float(match[1].replace(",", "")) * _SUFFIXES.get(suffix, 1.0)
    end = place + 1
    scale = reading.language.scales.get(reading.lower(end))
    if scale is not None:
        value, end = value * scale, end + 1
    start = place
    if not suffix and _signed(reading, place):
        value, start = -value, place - 1
    unit, end = _unit(reading, start, end)
    return Quantity(Number(value, unit), start, end, ordinal=suffix in _RANKS)


def _signed(reading: Reading, place: int) -> bool:
    """A minus stands right before the number and apart from what comes before it."""
    if place == 0 or reading.lower(place - 1) != "-":
        return False
    tokens = reading.tokens
    touches = tokens[place - 1].end == tokens[place].start
    return touches and (place == 1 or tokens[place - 2].end < tokens[place - 1].start)


def _unit(reading: Reading, start: int, end: int) -> tuple[str | None, int]:
    after = reading.lower(end)
    if after == "%":
        return "%", end + 1
    if after in _PERCENT:
        return "%", end
    if after in reading.language.units and after not in reading.language.grains:
        return after, end
    return reading.language.currencies.get(reading.lower(start - 1)), end


_PERCENT = frozenset({"percent", "pct"})


def _spelt(reading: Reading, place: int) -> Quantity:
    language, end = reading.language, place
    total, part = 0, 0
    while (word := reading.lower(end)) in language.numbers or (end > place and word in language.scales):
        if word in language.scales:
            part = max(part, 1) * language.scales[word]
            if language.scales[word] > 100:
                total, part = total + part, 0
        elif end > place and (part % 10 or language.numbers[word] > 90) and part % 100:
            break
        else:
            part += language.numbers[word]
        end += 1
    return Quantity(Number(float(total + part)), place, end, spelt=True)


def _glued(lower: str, place: int, language: Language) -> Quantity | None:
    """`50usd`, `180cm`."""
    match = _GLUED.fullmatch(lower)
    if match is None or len(match[1]) > _LONGEST:
        return None
    if match[2] in SHORT_UNITS:
        return Quantity(Number(float(match[1])), place, place + 1)
    if match[2] not in language.units:
        return None
    return Quantity(Number(float(match[1]), match[2]), place, place + 1)


def _hyphened(lower: str, place: int, language: Language) -> Quantity | None:
    """`twenty-five`, `1-star`."""
    tens, _, ones = lower.partition("-")
    if tens.isdecimal() and len(tens) <= _LONGEST and ones.isalpha() and len(ones) > 1:
        return Quantity(Number(float(tens), ones), place, place + 1)
    if language.numbers.get(tens, 0) >= 20 and 0 < language.numbers.get(ones, 0) < 10:
        return Quantity(Number(float(language.numbers[tens] + language.numbers[ones])), place, place + 1, spelt=True)
    return None
