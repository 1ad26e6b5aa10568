"""Reads filters on numbers: `more than 5 orders`, `between 10 and 20`, `id 5`, `a discount of 30%`."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.question.comparisons import add_filter, comparison_before, range_opener, signed, suffix_after
from scoring.question.language import Cue, Role
from scoring.question.marks import Mark
from scoring.question.phrases import operand, phrase_before, phrase_end, verb_like
from scoring.question.quantities import Quantity, time_unit
from scoring.question.reading import Reading
from scoring.specification import Op, Operand, TokenKind
from scoring.values import LENGTHS, Grain, Number, RelativeTime, Value, other_units


def read_number_filters(reading: Reading, quantities: Sequence[Quantity]) -> None:
    """Adds a filter for each number that is compared, is a key or counts; others give an uncertain one or none."""
    quantities = sorted([*quantities, *_single_units(reading)], key=lambda each: each.start)
    place = 0
    while place < len(quantities):
        quantity = quantities[place]
        if reading.claimed[quantity.start]:
            place += 1
        elif place + 1 < len(quantities) and _number_range(reading, quantity, quantities[place + 1]):
            place += 2
        else:
            _one_number(reading, quantity)
            place += 1


def _single_units(reading: Reading) -> list[Quantity]:
    """`more than an hour`, `within a day`: one unit of time."""
    if _TIME_UNITS.isdisjoint(reading.lowers):
        return []
    found: list[Quantity] = []
    for place, word in enumerate(reading.lowers):
        if word in _TIME_UNITS and reading.lower(place - 1) in ("a", "an"):
            led = reading.lower(place - 2) in reading.language.within or place - 1 in reading.ends
            size = 1.5 if reading.lowers[place + 1 : place + 4] == ["and", "a", "half"] else 1.0
            found += [Quantity(Number(size), place - 1, place)] if led and not reading.claimed[place] else []
    return found


_TIME_UNITS = frozenset(each.value for each in Grain)


def _one_number(reading: Reading, quantity: Quantity) -> None:
    readers = (_compared, _within, _idle, _keyed)
    if not any(read(reading, quantity) for read in readers):
        _bare(reading, quantity)


def _within(reading: Reading, quantity: Quantity) -> bool:
    """`resolved within 24 hours`: at most so long."""
    lengths = _other_units(reading, quantity)
    if reading.lower(quantity.start - 1) not in reading.language.within or not lengths:
        return False
    start = quantity.start - 1
    op, negation = signed(reading, Op.LE, start), _negation(reading, start)
    place = (start if negation is None or op is Op.LE else negation), quantity.end
    add_filter(reading, None, op, quantity.number, place, 0.9, lengths)
    return True


def _idle(reading: Reading, quantity: Quantity) -> bool:
    """`not logged in for 90 days`: not within the last 90 days."""
    start, grain = quantity.start - 1, reading.language.grains.get(reading.lower(quantity.end))
    op = signed(reading, Op.WITHIN, start) if reading.lower(start) in reading.language.lasting else Op.WITHIN
    if grain is None or op is Op.WITHIN or not float(quantity.number.value).is_integer():
        return False
    since = RelativeTime(grain, -int(quantity.number.value), 0)
    add_filter(reading, None, op, since, (start, quantity.end + 1), 0.7)
    return True


def _other_units(reading: Reading, quantity: Quantity) -> tuple[Value, ...]:
    """The same length of time in other units, and up to now: 24 hours are 1 day, 1440 minutes and 86,400 seconds."""
    unit, count = time_unit(reading, quantity), quantity.number.value
    if unit is None or reading.lower(quantity.end + 1) in _AGES:
        return ()
    others = other_units(count, unit)
    if unit in (Grain.SECOND, Grain.MINUTE, Grain.HOUR):
        others += (Number(count * LENGTHS[unit].total_seconds() * 1000),)
    return (*others, RelativeTime(unit, -int(count), 0)) if float(count).is_integer() else others


def _number_range(reading: Reading, first: Quantity, last: Quantity) -> bool:
    """`between 170 and 190`, `from 5 to 10`."""
    opener = -1 if first.ordinal or last.ordinal else range_opener(reading, first.start)
    if opener < 0 or not _joins_range(reading, first.end, last.start, reading.language.ranges[reading.lower(opener)]):
        return False
    lhs = _subject(reading, opener, last.end, Cue(role=Role.COMPARE))
    negated = signed(reading, Op.EQ, opener) is Op.NE
    if negated:
        add_filter(reading, lhs, Op.LT, first.number, (opener, first.end), 0.45)
        add_filter(reading, lhs, Op.GT, last.number, (last.start, last.end), 0.45)
        return True
    add_filter(reading, lhs, Op.GE, first.number, (opener, first.end), 0.95)
    add_filter(reading, lhs, Op.LE, last.number, (last.start, last.end), 0.95)
    return True


def _joins_range(reading: Reading, end: int, start: int, joins: frozenset[str]) -> bool:
    words = reading.lowers[end:start]
    return (
        len(words) <= 4 and any(word in joins for word in words) and not any(word in {".", "?", ";"} for word in words)
    )


def _compared(reading: Reading, quantity: Quantity) -> bool:
    mark = comparison_before(reading, quantity.start)
    suffix = suffix_after(reading, quantity.end)
    if suffix is None and reading.lower(quantity.end) == "+":
        mark = mark or Mark(Cue(role=Role.COMPARE, op=Op.GE), quantity.start, quantity.start)
    found = suffix or mark
    if found is None or found.cue.op is None or _is_stretch(reading, found):
        return False
    start, end = (mark.start if mark else quantity.start), (suffix.end if suffix else quantity.end)
    return _undone(reading, quantity, found, start, end) or _bounded(reading, quantity, found, (start, end))


def _is_stretch(reading: Reading, mark: Mark) -> bool:
    """Whether `over` says how long a window is: `rolling average of the price over 7 days`."""
    return not _WINDOWS.isdisjoint(reading.lowers[max(0, mark.start - _NEAR_BY) : mark.start])


_WINDOWS = frozenset({"rolling", "moving", "trailing"})
_NEAR_BY = 8
"""Words between a window and its length."""


def _bounded(reading: Reading, quantity: Quantity, found: Mark, place: tuple[int, int]) -> bool:
    """Adds the filter of a number that is compared at tokens [start, end)."""
    if found.cue.op is None:
        return False
    start, end = place
    lhs = _subject(reading, start, quantity.end, found.cue)
    op = found.cue.op if found.cue.op in (Op.EQ, Op.NE) else signed(reading, found.cue.op, start)
    vague = quantity.spelt and quantity.number.value == 1 and op is Op.GE
    certain, others = 0.4 if vague else 0.95, _other_units(reading, quantity)
    add_filter(reading, lhs, op, quantity.number, (start, end), certain, others)
    return True


def _undone(reading: Reading, quantity: Quantity, found: Mark, start: int, end: int) -> bool:
    """`haven't paid for 90+ days`, `not seen in over a year`: it did not happen since; `after 3 days`: 3 days ago."""
    at, op = quantity.end + (reading.lower(quantity.end) == "+"), found.cue.op
    unit = reading.language.grains.get(reading.lower(at))
    negation = _negation(reading, start) if unit is not None and op in (Op.GT, Op.GE) else None
    if unit is None or op is None or negation is None or not quantity.number.value.is_integer():
        return False
    end = max(end, at + 1)
    if reading.lowers[found.start] in _LATER:
        add_filter(reading, None, op, quantity.number, (start, end), 0.9, _other_units(reading, quantity))
    else:
        since = RelativeTime(unit, -int(quantity.number.value), 0)
        add_filter(reading, None, Op.NOT_WITHIN, since, (negation, end), 0.7)
    return True


_LATER = frozenset({"after", "later", "beyond", "following"})


def _negation(reading: Reading, place: int) -> int | None:
    """Where the negation of the verb before a length of time starts, if one stands in its clause."""
    for at in range(place, max(place - _CLAUSE, 0), -1):
        mark = reading.ends.get(at)
        if mark is not None and mark.cue.role in _NEGATING:
            return mark.start if at < place else None
        if reading.lowers[at - 1] in _CLAUSE_ENDS or reading.claimed[at - 1]:
            return None
    return None


_CLAUSE = 7
"""Words between a negation and the length of time that it is about."""
_CLAUSE_ENDS = frozenset({",", ".", "?", ";", ":", "and", "or"})
_NEGATING = frozenset({Role.NOT, Role.NEVER, Role.LACK, Role.EXCEPT})


def _subject(reading: Reading, start: int, end: int, cue: Cue) -> Operand | None:
    """What is compared: the column that the cue names, the phrase before, or the counted noun after."""
    language = reading.language
    named = cue.phrase or _attribute_beside(reading, start, end)
    if named:
        return operand(named)
    before = _phrase_left(reading, start)
    counted = None if reading.lower(end) in language.units else _counted(reading, end)
    return counted if counted is not None and (before is None or counted.func) else before or counted


def _attribute_beside(reading: Reading, start: int, end: int) -> str:
    """`under age 30`, `25 years old`: an attribute named beside the number itself."""
    language = reading.language
    for word in (*reading.lowers[start:end], *reading.lowers[end : end + 2]):
        if word in _AGES and word in language.attributes:
            return language.attributes[word]
        if word in {",", "and", "or", "?", "."}:
            break
    return ""


_AGES = frozenset({"age", "aged", "old"})


def _phrase_left(reading: Reading, place: int) -> Operand | None:
    """The noun phrase before a comparison, also before a copula or `of`; `None` for a plural, which counts things."""
    language, at = reading.language, place
    while at > 0 and place - at < 4 and (_links(reading, at - 1) or reading.has_role(at - 1, Role.NOT, Role.NEVER)):
        at -= 1
    word = reading.lower(at - 1)
    if word in language.attributes:
        return operand(language.attributes[word])
    start, end = phrase_before(reading, at)
    if start == end:
        return None
    head = reading.tokens[end - 1]
    symbol = reading.tokens[place].kind is TokenKind.PUNCTUATION and place < len(reading.tokens) - 1
    thing = head.stem != head.lower and head.lower not in language.measures and head.stem not in language.measures
    thing = thing and not symbol
    return None if thing else operand(reading.span(start, end))


_LINKS = frozenset({"that", "which", "not", "value", "equal", "to"})


def _links(reading: Reading, place: int) -> bool:
    """Whether a word only links a column to what it is compared with."""
    word, language = reading.lower(place), reading.language
    return (
        word in language.copulas
        or word in language.of
        or word in language.auxiliaries
        or word in language.articles
        or word in _LINKS
    )


def _counted(reading: Reading, place: int) -> Operand | None:
    """The noun after a number: a count of things, or a measure by its own name."""
    at = place
    while at < place + 3 and reading.lower(at) in _BEFORE_COUNTED:
        at += 1
    end = phrase_end(reading, at)
    if end == at:
        return None
    word = reading.lowers[end - 1]
    if word in reading.language.units or verb_like(word, reading.language):
        return None
    phrase = reading.span(at, end)
    return operand(phrase) if word in reading.language.measures else operand(phrase, "COUNT")


_BEFORE_COUNTED = frozenset(
    {"different", "distinct", "unique", "or", "more", "of", "the", "total", "separate", "individual"}
)


def _keyed(reading: Reading, quantity: Quantity) -> bool:
    """`id 5`, `grade 9`, `number is 29`, `points of 10`: the number is the value of the word before it."""
    at = quantity.start
    while at > 0 and quantity.start - at < 3 and _links_key(reading, at - 1):
        at -= 1
    if quantity.ordinal or not _is_key(reading, at, linked=at < quantity.start) or _counts(reading, quantity, at):
        return False
    certain = 0.9 if not quantity.spelt else 0.5
    place = quantity.start, quantity.end
    add_filter(reading, _key_operand(reading, at), signed(reading, Op.EQ, at), quantity.number, place, certain)
    return True


def _counts(reading: Reading, quantity: Quantity, at: int) -> bool:
    """Whether a number after the word before `at` is a pronoun (`one`), counts the noun after it, or has an article."""
    if quantity.spelt and quantity.number.value == 1:
        return True
    linked = at < quantity.start and reading.lower(at) not in {".", ":"}
    if linked and _starts_phrase(reading, quantity.end):
        return True
    return reading.lower(quantity.start - 1) in reading.language.articles


def _key_operand(reading: Reading, at: int) -> Operand:
    """The phrase that ends before `at`; an attribute by the column that it means."""
    start, end = phrase_before(reading, at)
    phrase = reading.span(start, end) if start < end else reading.lower(at - 1)
    words = phrase.lower().split()
    return operand(reading.language.attributes.get(words[-1], phrase) if len(words) == 1 else phrase)


def _links_key(reading: Reading, place: int) -> bool:
    word, language = reading.lowers[place], reading.language
    return word in language.copulas or word in language.of or word in _KEY_LINKS


_KEY_LINKS = frozenset({":", ".", "the", "value", "a", "an"})


def _starts_phrase(reading: Reading, place: int) -> bool:
    """Whether a noun follows a number, which then counts it and is no key."""
    return reading.is_word(place) and reading.lowers[place] not in reading.language.breaks


def _is_key(reading: Reading, at: int, *, linked: bool) -> bool:
    """Whether a number right after the word before `at` (or linked to it by `is`, `of`) is its value."""
    language, word = reading.language, reading.lower(at - 1)
    if word in language.keys:
        return True
    if not linked:
        return word in language.classifiers
    if word in language.measures or word in language.ordinary:
        return True
    start, end = phrase_before(reading, at)
    return (
        start < end
        and reading.lower(at) in language.of
        and (reading.lower(start - 1) in language.articles or reading.lower(start - 1) in language.haves)
    )


def _before_name(reading: Reading, place: int) -> bool:
    return reading.is_word(place) and reading.tokens[place].text[0].isupper()


def _bare(reading: Reading, quantity: Quantity) -> None:
    """A number beside a noun: how many there must be, or a value without a column."""
    has = reading.lower(quantity.start - 1) in reading.language.haves
    if _is_no_condition(reading, quantity, has=has):
        return
    rated = quantity.number.unit or "" if "-" in reading.lowers[quantity.start] else ""
    counted = operand(rated) if rated else _counted(reading, quantity.end)
    measured = (has and counted is not None) or rated in reading.language.measures
    op, place = signed(reading, Op.EQ, quantity.start), (quantity.start, quantity.end)
    certain = 0.6 if measured else 0.5 if counted is None and _stands_alone(reading, quantity) else 0.4
    add_filter(reading, counted, op, quantity.number, place, certain)


def _is_no_condition(reading: Reading, quantity: Quantity, *, has: bool) -> bool:
    if quantity.ordinal or reading.lower(quantity.start - 1) in _KNOWN:
        return True
    return quantity.spelt and (quantity.number.value == 1 or not has)


_KNOWN = frozenset({"between", "my", "our", "these", "those", "/"})
"""Words before a number of things that are known: `my 5 containers`, `between 2 visits`, `l/100km`."""


def _stands_alone(reading: Reading, quantity: Quantity) -> bool:
    """Whether a number is too large for a day and not part of a name."""
    return quantity.number.value > 31 and not _before_name(reading, quantity.end)
