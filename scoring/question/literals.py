"""Reads filters on named values: the operator, the column, and whether it is negated."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.question.comparisons import add_filter, negated
from scoring.question.language import Role
from scoring.question.name_lists import Literal
from scoring.question.names import read_literals
from scoring.question.phrases import operand, phrase_at, phrase_before, verb_like
from scoring.question.reading import Reading
from scoring.specification import NEGATION, Op, Operand
from scoring.values import Choices, Scalar, Value, text

_LISTS = frozenset({",", "and", "or", "&", "and/or", "in", "from", '"'})


def read_literal_filters(reading: Reading) -> None:
    """A filter for each literal; those joined by `or` become one list."""
    literals = read_literals(reading)
    place = 0
    while place < len(literals):
        last = place
        while last + 1 < len(literals) and _alternative(reading, literals[last], literals[last + 1]):
            last += 1
        _filter(reading, literals[place : last + 1])
        place = last + 1


def _ends_range(reading: Reading, literal: Literal) -> bool:
    """`between QX010 and QX050`: codes that bound a range are compared in unknown ways."""
    ranges, start = reading.language.ranges, literal.start
    if not any(map(str.isdigit, literal.value)):
        return False
    opens = reading.lower(literal.end) in ranges.get(reading.lower(start - 1), frozenset[str]())
    return opens or reading.lower(start - 1) in ranges.get(reading.lower(start - 3), frozenset[str]())


def _alternative(reading: Reading, left: Literal, right: Literal) -> bool:
    """Whether two literals are joined by `or`, or by a comma of a list that ends with `or`."""
    between = reading.lowers[left.end : right.start]
    if any(word in reading.language.alternatives for word in between) and len(between) <= 3:
        return all(word in _LISTS or word in reading.language.articles for word in between)
    if between == [","]:
        following = reading.lowers[right.end : right.end + 12]
        return (
            next((word for word in following if word in {"and", "or", ".", "?"}), "") in reading.language.alternatives
        )
    return False


def _filter(reading: Reading, literals: Sequence[Literal]) -> None:
    first, last = literals[0], literals[-1]
    op = _text_op(reading, first)
    values: list[Scalar] = [literal.text for literal in literals]
    rhs: Value = values[0]
    if len(values) > 1 and op is Op.EQ:
        op, rhs = Op.IN, Choices(frozenset(values))
    others = tuple([text(other) for other in first.others]) if first.others and len(literals) == 1 else ()
    if _negated(reading, first):
        op = NEGATION.get(op, op)
    certain = min(literal.certain for literal in literals)
    if certain < 1 and _ends_range(reading, first):
        certain = 0.4
    part = op in (Op.CONTAINS, Op.NOT_CONTAINS) and _containing_column(reading, last.end)
    lhs = part or _named_by(reading, first.start, last.end)
    add_filter(reading, lhs, op, rhs, (first.start, last.end), certain, others)


def _text_op(reading: Reading, literal: Literal) -> Op:
    """How a text is compared: by the cue before it (`starting with`) or after it (`in its name`)."""
    at = literal.start
    while at > 0 and literal.start - at < 4 and reading.lower(at - 1) in reading.language.letters:
        at -= 1
    mark = reading.ends.get(at)
    if mark is not None and mark.cue.role is Role.MATCH and mark.cue.op is not None:
        return mark.cue.op
    lettered = at < literal.start and any(
        word in reading.language.letters and word not in reading.language.articles
        for word in reading.lowers[at : literal.start]
    )
    if lettered or (literal.certain == 1 and _containing_column(reading, literal.end)):
        return Op.CONTAINS
    return Op.EQ


def _containing_column(reading: Reading, end: int) -> Operand | None:
    """`"x" in its name`, `"x" in the title`: the column that a text is part of."""
    language = reading.language
    if reading.lower(end) not in _INSIDE:
        return None
    own = reading.lower(end + 1) in language.possessives
    start, last = phrase_at(reading, end + 1)
    if start == last or not (own or reading.lowers[last - 1] in language.ordinary):
        return None
    return operand(reading.span(start, last))


_INSIDE = frozenset({"in", "within"})


def _negated(reading: Reading, literal: Literal) -> bool:
    prefixes = reading.language.negative_prefixes
    if prefixes and reading.lowers[literal.start].startswith(prefixes):
        return True
    after = reading.starts.get(literal.end)
    if after is not None and after.cue.role is Role.NOT:
        copula_before = reading.lower(literal.start - 1) in reading.language.copulas
        copula_inside = reading.lowers[after.start] in reading.language.copulas
        if copula_before or copula_inside:
            return True
    return negated(reading, literal.start)


def _named_by(reading: Reading, start: int, end: int) -> Operand | None:
    """The phrase that names a literal's column: before it, through a copula or `of`, or the classifier after it."""
    named = reading.ends.get(start)
    if named is not None and named.cue.role is Role.NAMED:
        return operand(named.cue.phrase)
    language, after, before = reading.language, reading.lower(end), reading.lower(start - 1)
    if after in language.classifiers and (before in language.articles or before in language.in_time):
        return operand(after)
    at = _before_links(reading, start)
    if reading.lower(at - 1) in language.of:
        return _classified(reading, at - 1)
    if after in language.prepositions and _asked_about(reading, at):
        return None
    linked = _holds_link(reading, at, start)
    if at < start and not linked:
        return None
    return _phrase_if_naming(reading, at, linked=linked)


def _before_links(reading: Reading, start: int) -> int:
    """The place before `start` where the words that only link a column to its value begin."""
    at = start
    while at > 0 and start - at < 4 and _links(reading, at):
        mark = reading.ends.get(at)
        at = mark.start if mark is not None else at - 1
    return at


def _holds_link(reading: Reading, start: int, end: int) -> bool:
    """Whether a copula or a cue stands at [start, end), and not only articles."""
    copulas = reading.language.copulas
    return any(reading.lowers[place] in copulas or place in reading.starts for place in range(start, end))


def _links(reading: Reading, end: int) -> bool:
    """Whether what ends at `end` only links a column to its value: `is`, `the`, `the word`, `not`."""
    word, language, mark = reading.lowers[end - 1], reading.language, reading.ends.get(end)
    if word in language.copulas or word in language.articles or word in language.letters:
        return True
    return (mark is not None and mark.cue.role in _LINKING) or reading.has_role(end - 1, Role.NOT, Role.MATCH)


_LINKING = frozenset({Role.NOT, Role.EXCEPT, Role.MATCH})


def _asked_about(reading: Reading, at: int) -> bool:
    """`Which region is Oban in?`: the phrase is asked for and not what the name is."""
    asked = reading.ends.get(phrase_before(reading, at)[0])
    return asked is not None and asked.cue.role is Role.ASK


def _classified(reading: Reading, of: int) -> Operand | None:
    """`in the category of X`."""
    word, language = reading.lower(of - 1), reading.language
    classifies = word in language.classifiers
    if not (classifies or word in _OWN_NAMES or (word in language.keys and word in language.ordinary)):
        return None
    leads = (reading.lower(of - 2), reading.lower(of - 3))
    led = any(lead in language.haves or (classifies and lead in language.in_time) for lead in leads)
    start, end = phrase_before(reading, of) if led else (of, of)
    return operand(reading.span(start, end)) if start < end else None


_OWN_NAMES = frozenset({"name", "title"})


def _phrase_if_naming(reading: Reading, at: int, *, linked: bool) -> Operand | None:
    """The noun phrase before `at`, if it names the column of the value after it."""
    start, end = phrase_before(reading, at)
    if start == end:
        return None
    head = reading.lowers[end - 1]
    if _cannot_name(reading, at, end - 1, linked=linked):
        return None
    if linked or _names_kind(reading, head) or head in reading.language.keys:
        return operand(reading.span(max(start, end - 3), end))
    return operand(reading.span(start, end)) if _is_lone_noun(reading, start, end) else None


def _cannot_name(reading: Reading, at: int, head: int, *, linked: bool) -> bool:
    """Whether the head noun is a thing with the value rather than a column: before a text cue, a verb, a plural."""
    word, names_kind = reading.lowers[head], _names_kind(reading, reading.lowers[head])
    if not names_kind and at in reading.starts and reading.has_role(at, Role.MATCH):
        return True
    if linked and verb_like(word, reading.language):
        return True
    return reading.tokens[head].stem != word and (not linked or not names_kind)


def _names_kind(reading: Reading, word: str) -> bool:
    return word in reading.language.ordinary or word in reading.language.classifiers


def _is_lone_noun(reading: Reading, start: int, end: int) -> bool:
    """Whether one noun stands after an article: `the paint red`."""
    if end - start != 1 or start + 1 in reading.starts or reading.lower(start - 1) not in reading.language.articles:
        return False
    word, language = reading.lowers[start], reading.language
    return not word.endswith(language.adjective_endings) and word not in language.adjectives
