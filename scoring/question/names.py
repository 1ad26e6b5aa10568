"""Finds the values that a question names: quoted text, proper names, codes, and ordinary words that are stored."""

from __future__ import annotations

from scoring.patterns import lazy
from scoring.question.language import Role
from scoring.question.name_lists import LONGEST, Literal, join_lists, other_forms
from scoring.question.phrases import verb_like
from scoring.question.quantities import SHORT_UNITS
from scoring.question.reading import Reading
from scoring.specification import Token, TokenKind

_CLOCK = lazy(r"\d+:\d+(?:[:.]\d+)*|\d{1,2}(?:am|pm)")
_ENDS = frozenset({".", "?", "!", ";", ":"})
_MARKS_INSIDE = frozenset({",", "-", "/", "("})


def read_literals(reading: Reading) -> list[Literal]:
    """Every value outside times, in order, with how certain it is."""
    found: list[Literal] = []
    title_case = _is_title_case(reading)
    for place in _places(reading):
        if reading.claimed[place] or (found and place < found[-1].end):
            continue
        literal = _literal_at(reading, place, title_case=title_case)
        if literal is not None:
            found.append(literal)
    return join_lists(reading, found) if len(found) > 1 else found


def _places(reading: Reading) -> list[int]:
    """Where a value may start: at each value place except the first word of the text, and after `named`."""
    named = reading.marks_of(Role.NAMED)
    last = len(reading.tokens)
    places = reading.value_places
    if places and places[0] == 0 and reading.lowers[0] in reading.language.openers:
        first = reading.tokens[0].text
        places = places if len(first) > 1 and first.isupper() else places[1:]
    return sorted({*places, *(mark.end for mark in named if mark.end < last)}) if named else places


def _is_title_case(reading: Reading) -> bool:
    """Whether most words are capitalised, so that a capital does not mark a name."""
    if len(reading.value_places) < 5:
        return False
    tokens = reading.tokens
    capitals = sum(
        1 for place in reading.value_places if tokens[place].kind is TokenKind.WORD and tokens[place].text[0].isupper()
    )
    words = sum(1 for token in tokens if token.kind is TokenKind.WORD) if capitals > 4 else 0
    return words > 6 and capitals * 10 > words * 7


def _literal_at(reading: Reading, place: int, *, title_case: bool) -> Literal | None:
    token = reading.tokens[place]
    if token.kind is TokenKind.PUNCTUATION or token.kind is TokenKind.NUMBER:
        return None
    if token.kind is TokenKind.WORD:
        if _HOUSE_YEAR.fullmatch(token.text) is not None or _PERCENTILE.fullmatch(token.lower) is not None:
            return None
        if token.text[0].isupper() and (reading.language.capitals_name or _has_digit(token.text)):
            return _name(reading, place, title_case=title_case)
        return _lower(reading, place) if token.text.isalpha() else _coded(reading, place) or _lower(reading, place)
    inner = token.text[1:-1].strip()
    return Literal(inner.rstrip(",.?") or inner, place, place + 1, 1.0)


def _coded(reading: Reading, place: int) -> Literal | None:
    """A lower-case word with digits or marks in it: an address, a clock time, an identifier."""
    token = reading.tokens[place]
    if "@" in token.text:
        return Literal(token.text, place, place + 1, 0.95)
    if _CLOCK.fullmatch(token.text):
        return Literal(token.text, place, place + 1, 0.45)
    if _has_digit(token.text) and not _is_measured(reading, token):
        certain = (
            0.85
            if (len(token.text) > 2 and not _NO_NAME.fullmatch(token.text)) or _is_kind(reading, place - 1)
            else 0.4
        )
        plural = _PLURAL_CODE.fullmatch(token.text)
        return Literal(plural[1] if plural is not None else token.text, place, place + 1, certain)
    return _prefixed(reading, place)


_HOUSE_YEAR = lazy(r"[A-Z]Y(?:20)?\d\d")
"""A year of a house's own: `WY2025` of water, `SY24` of school."""
_PERCENTILE = lazy(r"p(?:10|25|50|75|80|9\d)")
"""`p90`: a percentile; `P1` is a priority."""
_PLURAL_CODE = lazy(r"([a-z]{1,2}\d)s")
"""`p1s`: what has the code `p1`."""


def _is_measured(reading: Reading, token: Token) -> bool:
    """Whether a word is a number with its unit: `5km`, `3-star`, `10days`."""
    unit, language = token.lower.lstrip("0123456789"), reading.language
    if unit in language.units or unit in SHORT_UNITS or token.stem.endswith(tuple(language.grains)):
        return True
    return unit[:1] == "-" and unit[1:].isalpha() and len(unit) > 2


def _prefixed(reading: Reading, place: int) -> Literal | None:
    """The name in `non-French`."""
    token, language = reading.tokens[place], reading.language
    prefix = next((each for each in language.negative_prefixes if token.lower.startswith(each)), None)
    if prefix is None or not token.text[len(prefix) : len(prefix) + 1].isupper():
        return None
    value = token.text[len(prefix) :]
    return Literal(value, place, place + 1, 0.6, language.demonyms.get(value.lower(), ()))


def _lower(reading: Reading, place: int) -> Literal | None:
    token, language = reading.tokens[place], reading.language
    if token.lower in language.lower_values:
        return Literal(token.lower, place, place + 1, 0.45, language.lower_values[token.lower])
    mark = reading.ends.get(place)
    functional = token.lower in language.breaks or token.lower in language.articles
    if mark is not None and mark.cue.role is Role.NAMED and not functional:
        return Literal(token.text, place, place + 1, 0.6)
    before = reading.lower(place - 1)
    if len(token.text) == 1 and before in language.letters and before not in language.articles:
        return Literal(token.text, place, place + 1, 0.95)
    return None


def _is_kind(reading: Reading, place: int) -> bool:
    """Whether a word says what kind of thing the next word names."""
    word, language = reading.lower(place), reading.language
    return word in language.classifiers or word in language.keys or word in language.ordinary


def _name(reading: Reading, place: int, *, title_case: bool) -> Literal | None:
    opens = _opens_sentence(reading, place) and not _opens_as_name(reading, place)
    if opens or not _nameable(reading, place):
        return None
    start, end = _trimmed(reading, place, _name_end(reading, place))
    if start >= end or _only_names_a_kind(reading, start, end):
        return None
    certain = 0.3 if title_case and not _has_digit(reading.tokens[start].text) else _certainty(reading, start, end)
    return Literal(reading.span(start, end), start, end, certain, other_forms(reading, start, end))


def _opens_sentence(reading: Reading, place: int) -> bool:
    before = place - 1
    while before >= max(place - 4, 0) and reading.tokens[before].kind is TokenKind.PUNCTUATION:
        if reading.lowers[before] in _ENDS or reading.lowers[before] in _MARKS_INSIDE:
            return reading.lowers[before] in _ENDS
        before -= 1
    return before < 0 or reading.lowers[before] in _ENDS


def _opens_as_name(reading: Reading, place: int) -> bool:
    """Whether a sentence's first word is a name all the same: a code, or part of a longer name."""
    word = reading.tokens[place].text
    if (len(word) > 1 and word.isupper()) or _has_digit(word):
        return True
    if place in reading.starts or reading.lowers[place] in reading.language.openers:
        return False
    after, word = place + 1, reading.lower(place + 1)
    if word in reading.language.joiners and word not in reading.language.of:
        after += 1
    return _capitalised(reading, after) or reading.lower(after) == "'s"


def _has_digit(word: str) -> bool:
    return not word.isalpha() and any(map(str.isdigit, word))


def _nameable(reading: Reading, place: int) -> bool:
    """Whether a capitalised word may be part of a name: no function word in capitals, no opener of a sentence."""
    language, token = reading.language, reading.tokens[place]
    if _CONTRACTION.fullmatch(token.lower):
        return False
    if token.lower in language.acronyms:
        return token.text.isupper()
    if token.lower in language.breaks or token.lower in language.articles:
        return _capitalised(reading, place + 1) and not _opens_sentence(reading, place)
    return token.lower not in language.openers or not _opens_sentence(reading, place)


_CONTRACTION = lazy(
    r"(?:i|you|we|they|he|she|it|that|there|this|what|who|where|how|let)['’](?:d|m|ve|ll|re|s)|y['’]all"
)
"""`I'd`, `We're`: no names, however they are written."""


def _capitalised(reading: Reading, place: int) -> bool:
    if not reading.is_word(place) or reading.claimed[place]:
        return False
    token = reading.tokens[place]
    return token.text[0].isupper() and token.lower not in reading.language.openers


def _name_end(reading: Reading, start: int) -> int:
    end = start + 1
    while end < len(reading.tokens) and end - start < LONGEST:
        step = _step(reading, end)
        if not step:
            break
        end += step
    return min(end, len(reading.tokens))


def _step(reading: Reading, end: int) -> int:
    """How many tokens from `end` on still belong to the name before it."""
    word, language = reading.lowers[end], reading.language
    if _capitalised(reading, end):
        return 1
    if word == "." and len(reading.tokens[end - 1].text) <= 2 and _capitalised(reading, end + 1):
        return 2
    if word == "&" and _capitalised(reading, end + 1):
        return 2
    if word == ":" and reading.tokens[end].start == reading.tokens[end - 1].end and _titled(reading, end + 1):
        return 2
    if word in language.joiners:
        return _joined(reading, end)
    return 1 if _numbered(reading, end) else 0


def _titled(reading: Reading, place: int) -> bool:
    """`Dune: The Voyage`: a capitalised word after a colon, an article allowed before another."""
    if _capitalised(reading, place):
        return True
    return reading.lower(place) in reading.language.articles and _capitalised(reading, place + 1)


def _joined(reading: Reading, place: int) -> int:
    """`Duchy of Cornwall` is one name; `Population of Brazil` is an ordinary noun and a name."""
    language, after = reading.language, place
    while after < place + 3 and (reading.lower(after) in language.joiners or reading.lower(after) in language.articles):
        after += 1
    if (
        not _capitalised(reading, after)
        or reading.lowers[after] in language.ordinary
        or "_" in reading.tokens[after].text
    ):
        return 0
    if reading.lowers[place] in language.of and reading.lowers[place - 1] in language.ordinary:
        return 0
    return after + 1 - place


def _numbered(reading: Reading, end: int) -> bool:
    """`Apollo 9`, but not `Grade 9`, whose number is a value of its own."""
    token, language = reading.tokens[end], reading.language
    if token.kind is not TokenKind.NUMBER or reading.claimed[end] or len(token.text) > 4:
        return False
    before = reading.lowers[end - 1]
    if reading.tokens[end - 1].text.isupper() and _YEAR.fullmatch(token.text) is not None:
        return False  # `MTTR 2024`: a measure of a year
    return before not in language.keys and before not in language.ordinary and token.text.isdecimal()


_YEAR = lazy(r"20[0-4]\d")


def _trimmed(reading: Reading, start: int, end: int) -> tuple[int, int]:
    """The name without ordinary nouns before it (`Student Ann Lee`) and attributes after it (`QX001 ID`)."""
    language, lowers = reading.language, reading.lowers
    while start < end and _ordinary(reading, start):
        start += 1
    while end > start and (lowers[end - 1] in language.keys or lowers[end - 1] in language.measures):
        end -= 1
    if end - start == 2 and reading.tokens[start].text.isupper() and lowers[start + 1] in language.classifiers:
        end -= 1
    return start, end


def _ordinary(reading: Reading, place: int) -> bool:
    token, language = reading.tokens[place], reading.language
    return token.lower in language.ordinary or token.stem in language.ordinary


def _only_names_a_kind(reading: Reading, start: int, end: int) -> bool:
    """Whether one capitalised noun only says what a literal or number beside it is: `Airport 'LHR'`."""
    if end - start > 1 or reading.tokens[start].text.isupper():
        return False
    return reading.tokens[start].stem in reading.language.classifiers


def _certainty(reading: Reading, start: int, end: int) -> float:
    token = reading.tokens[start]
    if token.text[0].isupper() and "_" in token.text and not token.text.isupper():
        return 0.4
    if _names_no_value(reading, token, end):
        return 0.3
    if end - start > 1 or _has_digit(token.text):
        return 0.3 if token.lower.startswith(reading.language.currency_codes) else 0.85
    if len(token.text) == 1:
        return 0.75 if _is_kind(reading, start - 1) else 0.3
    if token.text.isupper() or token.text[1:].isupper():
        return _acronym(reading, start)
    return 0.7


def _names_no_value(reading: Reading, token: Token, end: int) -> bool:
    """Whether a capitalised word is part of a time zone, a unit such as `MWh`, or written like no name."""
    unit = token.lower in reading.language.units and not token.text.isupper()
    return unit or reading.lower(end) in _ZONES or _NO_NAME.fullmatch(token.text) is not None


_NO_NAME = lazy(r"[pP]\d{2}|(?:FY|fy)\d{2}(?:\d\d)?|[A-Z]{2,4}s|\d{1,2}(?::\d\d)?[ap]m(?:-\d{1,2}(?::\d\d)?[ap]m)?")
"""Percentiles (`p95`), fiscal years, plural abbreviations (`POs`) and times of the day."""
_ZONES = frozenset({"time", "timezone", "tz"})
"""Words after a place that make it a time zone: `New York time`."""
_ZONE_NAMES = frozenset("utc gmt cet cest est edt cst cdt mst mdt pst pdt bst ist jst aest".split())
_CHANGES = frozenset(
    "change increase decrease drop growth rise decline difference trend sum total average mean".split()
)
"""Nouns of which the measure follows after `in` or `of`."""


def _measures(reading: Reading, place: int) -> bool:
    """Whether capitals name what is measured or a unit: `top 5 stores by NPS`, `growth in MRR`, `in EUR`, `in UTC`."""
    before, earlier, language = reading.lower(place - 1), reading.lower(place - 2), reading.language
    if before in language.by:
        return not verb_like(earlier, language)
    if before in ("in", "of") and earlier in _CHANGES:
        return True
    units = _ZONE_NAMES.union(language.currency_codes)
    return before in ("in", "to", "into") and reading.lowers[place] in units and not verb_like(earlier, language)


def _acronym(reading: Reading, place: int) -> float:
    """How certain it is that capitals are a value: after `in`, `from` or a kind of thing, but not as a unit."""
    language, after = reading.language, reading.lower(place + 1)
    before = reading.lower(place - 1)
    if before in language.articles and before not in language.possessives:
        before = reading.lower(place - 2)
    if reading.lowers[place] in language.units or _measures(reading, place) or before == "(" or place in reading.ends:
        return 0.3
    if _is_kind(reading, place - 1) or after in language.classifiers:
        return 0.8
    if before in language.prepositions and after not in language.copulas and after not in language.measures:
        return 0.6
    return 0.4
