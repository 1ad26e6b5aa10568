"""Filters that name a value: quoted text, proper names, codes, and words that are values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.question.comparisons import add_filter
from scoring.question.language import Role
from scoring.question.phrases import operand, phrase_before, verb_like
from scoring.question.reading import Mark, Reading
from scoring.specification import NEGATION, Kind, Op, Operand
from scoring.values import Choices, Scalar, Text, Value, text

_CODE = re.compile(r"(?=[\w-]*\d)[\w-]+|[\w.+-]+@[\w.-]+|\d+:\d+(?::\d+)?|\d[\d-]+\d")
_ENDS = frozenset({".", "?", "!", ";", ":"})
_LISTS = frozenset({",", "and", "or", "&", "and/or"})
_WINDOW = 5
"""How many words before a literal a negation of it may stand."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A value said at tokens [start, end)."""

    value: str
    start: int
    end: int
    certain: float
    demonym: tuple[str, ...] = ()


def read_literal_filters(reading: Reading) -> None:
    """A filter for each literal; those joined by `or` become one list."""
    literals = _literals(reading)
    place = 0
    while place < len(literals):
        last = place
        while last + 1 < len(literals) and _alternative(reading, literals[last], literals[last + 1]):
            last += 1
        _filter(reading, literals[place : last + 1])
        place = last + 1


def _literals(reading: Reading) -> list[Literal]:
    found: list[Literal] = []
    shouting = _shouting(reading)
    place, count = 0, len(reading.tokens)
    while place < count:
        literal = None if reading.taken[place] else _literal_at(reading, place, shouting)
        if literal is None:
            place += 1
        else:
            found.append(literal)
            place = literal.end
    return found


def _shouting(reading: Reading) -> bool:
    """Whether most words are capitalised, so that capitals say nothing."""
    words = [token.text for token in reading.tokens if token.kind is Kind.WORD]
    capitals = sum(1 for word in words if word[0].isupper())
    return len(words) > 4 and capitals * 10 > len(words) * 7


def _literal_at(reading: Reading, place: int, shouting: bool) -> Literal | None:
    token = reading.tokens[place]
    if token.kind is Kind.QUOTED:
        return Literal(token.text[1:-1], place, place + 1, 1.0)
    if token.kind is Kind.NUMBER:
        return None
    if token.kind is not Kind.WORD:
        return None
    if _CODE.fullmatch(token.text) and any(map(str.isdigit, token.text)) and "-year" not in token.lower:
        return (
            _name_from(reading, place, shouting)
            if token.text[0].isupper()
            else Literal(token.text, place, place + 1, 0.85)
        )
    if token.text[0].isupper():
        return _name_from(reading, place, shouting)
    return _lower_literal(reading, place)


def _lower_literal(reading: Reading, place: int) -> Literal | None:
    token, language = reading.tokens[place], reading.language
    if token.lower in language.lower_values:
        return Literal(token.lower, place, place + 1, 0.45, language.lower_values[token.lower])
    mark = reading.ends.get(place)
    if mark is not None and mark.cue.role is Role.NAMED and token.lower not in language.breaks | language.articles:
        return Literal(token.text, place, place + 1, 0.6)
    if "@" in token.text:
        return Literal(token.text, place, place + 1, 0.95)
    if len(token.text) == 1 and reading.lower(place - 1) in language.letters - language.articles:
        return Literal(token.text, place, place + 1, 0.95)
    prefix = next((each for each in language.negative_prefixes if token.lower.startswith(each)), None)
    if prefix is not None and token.text[len(prefix) : len(prefix) + 1].isupper():
        value = token.text[len(prefix) :]
        return Literal(value, place, place + 1, 0.6, language.demonyms.get(value.lower(), ()))
    return None


def _name_from(reading: Reading, place: int, shouting: bool) -> Literal | None:
    start = place
    if _opens_sentence(reading, place) and not _is_code(reading.tokens[place].text):
        if reading.lowers[place] in reading.language.openers or place in reading.starts:
            return None
        if not _continues(reading, place + 1):
            return None
    if not _nameable(reading, start):
        return None
    end = _name_end(reading, start)
    start, end = _trimmed(reading, start, end)
    if start >= end:
        return None
    return Literal(
        reading.span(start, end), start, end, _certainty(reading, start, end, shouting), _demonym(reading, start, end)
    )


def _demonym(reading: Reading, start: int, end: int) -> tuple[str, ...]:
    if end - start != 1:
        return ()
    return reading.language.demonyms.get(reading.tokens[start].stem, ())


def _opens_sentence(reading: Reading, place: int) -> bool:
    before = place - 1
    while (
        before >= 0
        and reading.tokens[before].kind is Kind.PUNCTUATION
        and reading.lowers[before] not in _ENDS | {",", "-", "/"}
    ):
        before -= 1
    return before < 0 or reading.lowers[before] in _ENDS


def _is_code(word: str) -> bool:
    return (len(word) > 1 and word.isupper()) or any(map(str.isdigit, word)) or "@" in word


def _nameable(reading: Reading, place: int) -> bool:
    """Whether a capitalised word may be part of a name: no ordinary noun, no function word in capitals."""
    language, token = reading.language, reading.tokens[place]
    if token.kind is not Kind.WORD or reading.taken[place] or not (token.text[0].isupper() or token.text[0].isdigit()):
        return False
    return token.lower not in language.openers or (
        token.lower not in language.breaks and not _opens_sentence(reading, place)
    )


def _continues(reading: Reading, place: int) -> bool:
    return place < len(reading.tokens) and _nameable(reading, place) and reading.tokens[place].text[0].isupper()


def _name_end(reading: Reading, start: int) -> int:
    language, end = reading.language, start + 1
    while end < len(reading.tokens) and end - start < 12:
        if _continues(reading, end):
            end += 1
        elif reading.lowers[end] == "." and len(reading.tokens[end - 1].text) <= 2 and _continues(reading, end + 1):
            end += 2
        elif reading.lowers[end] in language.joiners and _joins_name(reading, end):
            end = _after_joiners(reading, end) + 1
        elif _numbered(reading, start, end) or (reading.lowers[end] == "&" and _continues(reading, end + 1)):
            end += 1 if reading.lowers[end] != "&" else 2
        else:
            break
    return end


def _after_joiners(reading: Reading, place: int) -> int:
    while reading.lower(place) in reading.language.joiners or (reading.lower(place) == "the" and place):
        place += 1
    return place


def _joins_name(reading: Reading, place: int) -> bool:
    """`Heart of Midlothian` is one name; `Population of Brazil` is an ordinary noun and a name."""
    after = _after_joiners(reading, place)
    if after - place > 2 or not _continues(reading, after) or reading.lowers[after] in reading.language.ordinary:
        return False
    return not (
        reading.lowers[place - 1] in reading.language.ordinary | reading.language.classifiers
        and reading.lowers[place] in reading.language.of
        and not reading.tokens[place - 1].text[0].isupper()
    )


def _numbered(reading: Reading, start: int, end: int) -> bool:
    """`Formula 1`, but not `Grade 9`, whose number is a value of its own."""
    if (
        reading.tokens[end].kind is not Kind.NUMBER
        or reading.taken[end]
        or reading.tokens[end].start - reading.tokens[end - 1].end > 1
    ):
        return False
    return (
        reading.lowers[end - 1] not in reading.language.keys | reading.language.ordinary
        and len(reading.tokens[end].text) < 5
    )


def _trimmed(reading: Reading, start: int, end: int) -> tuple[int, int]:
    """The name without ordinary nouns around it (`Student Ann Lee`, `TR001 ID`), or nothing when all are."""
    language = reading.language
    inside = range(start, end)
    if all(reading.lowers[at] in language.ordinary or not reading.is_word(at) for at in inside):
        return start, start
    while start < end and reading.lowers[start] in language.ordinary:
        start += 1
    while end > start and reading.lowers[end - 1] in language.ordinary & _DROPPED_LAST:
        end -= 1
    return start, end


_DROPPED_LAST = frozenset(
    {"id", "ids", "name", "names", "code", "number", "score", "scores", "date", "student", "students"}
)


def _certainty(reading: Reading, start: int, end: int, shouting: bool) -> float:
    words = end - start
    token = reading.tokens[start]
    coded = any(map(str.isdigit, token.text)) and not token.text.isdigit()
    if shouting and not coded:
        return 0.3
    if coded:
        return 0.85
    if words > 1:
        return 0.85
    if len(token.text) == 1:
        return 0.4
    if token.text.isupper():
        return 0.5
    return 0.7


def _alternative(reading: Reading, left: Literal, right: Literal) -> bool:
    """Whether two literals are joined by `or`, or by a comma of a list that ends with `or`."""
    between = reading.lowers[left.end : right.start]
    if any(word in reading.language.alternatives for word in between) and len(between) <= 3:
        return all(
            word in _LISTS or word in reading.language.articles or word in {"in", "from", '"'} for word in between
        )
    if between == [","]:
        following = reading.lowers[right.end : right.end + 12]
        return (
            next((word for word in following if word in {"and", "or", ".", "?"}), "") in reading.language.alternatives
        )
    return False


def _filter(reading: Reading, literals: Sequence[Literal]) -> None:
    first, last = literals[0], literals[-1]
    op = _text_op(reading, first)
    values: list[Scalar] = [_value(literal) for literal in literals]
    rhs: Value = values[0]
    if len(values) > 1 and op is Op.EQ:
        op, rhs = Op.IN, Choices(frozenset(values))
    others = tuple(text(other) for other in first.demonym) if len(literals) == 1 else ()
    if _negated(reading, first):
        op = NEGATION.get(op, op)
    certain = min(literal.certain for literal in literals)
    lhs = _named_by(reading, first.start, last.end)
    add_filter(reading, lhs, op, rhs, (first.start, last.end), certain, others)


def _value(literal: Literal) -> Text:
    return text(literal.value.strip(" ,.?") if literal.certain == 1.0 and len(literal.value) > 3 else literal.value)


def _text_op(reading: Reading, literal: Literal) -> Op:
    """How a text is compared: by the cue before it (`starting with`) or after it (`in its name`)."""
    at = literal.start
    while at > 0 and literal.start - at < 4 and reading.lower(at - 1) in reading.language.letters:
        at -= 1
    mark = reading.ends.get(at)
    if mark is not None and mark.cue.role is Role.MATCH and mark.cue.op is not None:
        return mark.cue.op
    lettered = any(
        reading.lower(place) in reading.language.letters - reading.language.articles
        for place in range(at, literal.start)
    )
    if lettered or _stands_in(reading, literal.end):
        return Op.CONTAINS
    return Op.EQ


def _stands_in(reading: Reading, end: int) -> bool:
    """`"x" in its name`, `"x" in the title`."""
    return reading.lower(end) in {"in", "within"} and (
        reading.lower(end + 1) in reading.language.possessives
        or (
            reading.lower(end + 1) == "the"
            and reading.tokens[end - 1].kind is Kind.QUOTED
            and reading.lower(end + 2) in {"name", "title", "description", "text"}
        )
    )


def _negated(reading: Reading, literal: Literal) -> bool:
    if any(reading.lowers[literal.start].startswith(prefix) for prefix in reading.language.negative_prefixes):
        return True
    at = literal.start
    while at > 0 and literal.start - at < _WINDOW:
        mark: Mark | None = reading.ends.get(at)
        if mark is not None and mark.cue.role in (Role.NOT, Role.NEVER, Role.LACK, Role.EXCEPT):
            return True
        word = reading.lower(at - 1)
        if (
            word in _ENDS
            or word in reading.language.relatives
            or (word in {",", "and", "but"} and not reading.taken[at - 2])
        ):
            return False
        at -= 1
    return False


def _named_by(reading: Reading, start: int, end: int) -> Operand | None:
    """The naming phrase nearest to a literal: before it, through a copula or `of`, or the classifier after it."""
    named = reading.ends.get(start)
    if named is not None and named.cue.role is Role.NAMED:
        return operand(named.cue.phrase)
    after = reading.lower(end)
    if (
        after in reading.language.classifiers
        and reading.lower(start - 1) in reading.language.articles | reading.language.in_time
    ):
        return operand(after)
    at = start
    while (
        at > 0
        and start - at < 4
        and (
            reading.lower(at - 1) in reading.language.copulas | reading.language.articles | reading.language.letters
            or reading.has_role(at - 1, Role.NOT, Role.MATCH)
            or (at in reading.ends and reading.ends[at].cue.role in (Role.NOT, Role.EXCEPT, Role.MATCH))
        )
    ):
        mark = reading.ends.get(at)
        at = mark.start if mark is not None else at - 1
    linked = at < start and any(
        reading.lowers[place] in reading.language.copulas or place in reading.starts for place in range(at, start)
    )
    if reading.lower(at - 1) in reading.language.of:
        return _classified(reading, at - 1)
    if at < start and not linked:
        return None
    return _phrase_if_naming(reading, at, linked=linked)


def _classified(reading: Reading, of: int) -> Operand | None:
    """`in the category of X`."""
    word = reading.lower(of - 1)
    wanted = reading.language.classifiers | (reading.language.keys & reading.language.ordinary)
    led = {reading.lower(of - 2), reading.lower(of - 3)} & (reading.language.haves | reading.language.in_time)
    if (word in reading.language.classifiers and led) or (
        word in wanted | {"name", "title"} and led & reading.language.haves
    ):
        start, end = phrase_before(reading, of)
        return operand(reading.span(start, end)) if start < end else None
    return None


def _phrase_if_naming(reading: Reading, at: int, *, linked: bool) -> Operand | None:
    start, end = phrase_before(reading, at)
    if start == end:
        return None
    language, head = reading.language, reading.lowers[end - 1]
    if linked and verb_like(head, language):
        return None
    if linked or head in language.classifiers or head in language.keys or head in language.ordinary:
        return operand(reading.span(max(start, end - 3), end))
    led = reading.lower(start - 1) in language.articles and end - start <= 2 and head == reading.tokens[end - 1].stem
    return operand(reading.span(start, end)) if led else None
