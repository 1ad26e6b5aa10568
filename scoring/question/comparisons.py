"""Reads how a value is compared: the words before it (`more than`, `not`), after it (`or more`), and ranges of two."""

from __future__ import annotations

from scoring.question.language import Cue, Role
from scoring.question.marks import Mark
from scoring.question.reading import Reading
from scoring.specification import NEGATION, Op, Operand, QuestionFilter, TokenKind
from scoring.values import Text, Value
from scoring.words import in_order

_NEAR = 3
"""Words that may stand between a comparison and its number."""


def add_filter(
    reading: Reading,
    lhs: Operand | None,
    op: Op,
    rhs: Value | None,
    span: tuple[int, int],
    certain: float,
    alternatives: tuple[Value, ...] = (),
) -> None:
    """Adds a filter read from tokens [start, end) and claims them."""
    start, end = span
    if certain >= 0.5 or not isinstance(rhs, Text):
        reading.claim(start, end)
    reading.filters.append(
        QuestionFilter(
            lhs=lhs,
            op=op,
            rhs=rhs,
            source=reading.source,
            span=reading.span(start, end),
            start=reading.tokens[start].start,
            certain=certain,
            alternatives=(*alternatives, *_code_behind(reading, end)) if isinstance(rhs, Text) else alternatives,
        )
    )


def _code_behind(reading: Reading, end: int) -> tuple[Text, ...]:
    """What a name is stored as, where the question says so: `Newtown (NTN)`, `the Newtown depot, NTN`."""
    lowers, name = reading.lowers, reading.lowers[end - 1]
    mark = end if lowers[end : end + 1] in (["("], [","]) else end + 1
    if lowers[mark : mark + 1] not in (["("], [","]) or mark + 1 >= len(lowers):
        return ()
    code, folded = reading.span(mark + 1, mark + 2), lowers[mark + 1]
    if not code.isalnum() or not (code.isupper() or code.isdecimal()):
        return ()
    closed = lowers[mark] == "(" and lowers[mark + 2 : mark + 3] == [")"]
    short = 2 <= len(code) < len(name) and folded[0] == name[0] and in_order(folded, name)
    return (Text(folded),) if closed or (short and lowers[mark] == ",") else ()


def comparison_before(reading: Reading, place: int) -> Mark | None:
    """The comparison whose number or time starts at `place`, filler words between allowed."""
    fillers, currencies = reading.language.fillers, reading.language.currencies
    for at in range(place, max(place - _NEAR, 0), -1):
        mark = reading.ends.get(at)
        if mark is not None and mark.cue.role is Role.COMPARE:
            return mark
        if at >= 2 and _comparative(reading, at):
            return Mark(Cue(role=Role.COMPARE, op=Op.GT), at - 2, at)
        word = reading.lower(at - 1)
        if word not in fillers and word not in currencies and reading.language.attributes.get(word) is None:
            return None
    return None


def _comparative(reading: Reading, end: int) -> bool:
    """`hotter than`."""
    language, word = reading.language, reading.lower(end - 2)
    return (
        reading.lower(end - 1) in language.than
        and word not in language.months
        and (word.endswith(language.comparative_endings or ("\0",)))
    )


def suffix_after(reading: Reading, place: int) -> Mark | None:
    """`or more` right after a number, a unit or a counted noun between allowed; not `or more often`."""
    for at in range(place, place + 3):
        mark = reading.starts.get(at)
        if mark is not None and mark.cue.role is Role.SUFFIX:
            return None if reading.lower(mark.end) in _FREQUENCIES else mark
        if not reading.is_word(at) or reading.lowers[at] in reading.language.breaks:
            return None
    return None


_FREQUENCIES = frozenset({"often", "frequently", "seldom", "rarely"})
"""`every 4 weeks or more often` are fewer weeks."""


def range_opener(reading: Reading, place: int) -> int:
    """The place of the `between` or `from` before a value, fillers between allowed; -1 where there is none."""
    at = place - 1
    language = reading.language
    while at > place - _NEAR and (
        reading.lower(at) in language.fillers
        or reading.lower(at) in language.year_words
        or reading.lower(at) in language.currencies
    ):
        if reading.lower(at) in reading.language.ranges:
            return at
        at -= 1
    return at if reading.lower(at) in reading.language.ranges else -1


def signed(reading: Reading, op: Op, place: int) -> Op:
    """The operator of a comparison that begins at `place`, negated where the words before it negate it.

    A comparison is a condition of its own: `except Fife and over 20 seats` negates Fife only.
    """
    return NEGATION.get(op, op) if negated(reading, place, led=True) else op


def negated(reading: Reading, place: int, *, led: bool = False) -> bool:
    """Whether `not`, `never` or `without` stands before `place` in its clause, or `except` in its sentence.

    An `except` before another value does not count if a word, or the caller (`led`), begins a new condition. What
    stands in brackets before `place` negates nothing outside them.
    """
    if _is_left_out(reading, place):
        return True
    if reading.by_role.keys().isdisjoint(_NEGATING_ALL):
        return False
    near, depth = True, 0
    for at in range(place, max(place - _SENTENCE, 0), -1):
        depth = _depth(depth, reading.lowers[at - 1])
        if depth:
            continue
        if _negates(reading, at, place, near=near):
            return True
        word = reading.lowers[at - 1]
        if word in _STOPS or (led and reading.claimed[at - 1]):
            return False
        led = led or _leads_apart(reading, at - 1)
        near = near and place - at < _CLAUSE and not _ends_clause(reading, at - 1)
    return False


def _is_left_out(reading: Reading, place: int) -> bool:
    """Whether rows of such a value are to be left out: `leave out lanes with fewer than 20`, `skip severity 'INFO'`."""
    for at in range(place - 1, max(place - _CLAUSE - 1, 0) - 1, -1):
        word = reading.lowers[at]
        if word in _STOPS or reading.tokens[at].kind is TokenKind.PUNCTUATION or word in reading.language.conjunctions:
            return False
        if word in _LEAVING or (word == "out" and reading.lower(at - 1) in _LEAVING_OUT):
            return True
    return False


_LEAVING = frozenset({"skip", "ignore", "exclude", "omit", "discard", "remove"})
_LEAVING_OUT = frozenset({"leave", "leaving", "kick", "throw", "filter", "cut"})


def _negates(reading: Reading, at: int, place: int, *, near: bool) -> bool:
    """Whether `except` ends at a place, or another negation that is near."""
    mark = reading.ends.get(at)
    if mark is not None and reading.lowers[mark.start] == "outside" and at < place:
        # `outside the zone in july` is in July
        return all(word in reading.language.articles for word in reading.lowers[at:place])
    if mark is not None and reading.lower(at) in _OWN and mark.cue.role is Role.NOT:
        return False  # `a hub that isn't their own in june` is in June
    return mark is not None and (mark.cue.role is Role.EXCEPT or (near and mark.cue.role in _NEGATING))


def _depth(depth: int, word: str) -> int:
    """How many brackets are open before a word, read backwards."""
    return depth + (word == ")") - (word == "(" and depth > 0)


def _leads_apart(reading: Reading, place: int) -> bool:
    """Whether a word begins a condition of its own: `in` of `except Fife in 2020`, not of `in Fife and in Oban`."""
    word, language, before = reading.lowers[place], reading.language, reading.lower(place - 1)
    leads = word in language.prepositions or word in language.haves
    return leads and before not in language.conjunctions and place not in reading.starts


def _ends_clause(reading: Reading, place: int) -> bool:
    word = reading.lowers[place]
    return word in reading.language.conjunctions or word in reading.language.relatives or bool(reading.claimed[place])


_SENTENCE = 9
"""Words before a value in which an exception that holds it stands."""
_CLAUSE = 5
"""Words before a value in which its negation stands."""
_NEGATING = frozenset({Role.NOT, Role.NEVER, Role.LACK})
_NEGATING_ALL = _NEGATING | {Role.EXCEPT}
_OWN = frozenset("their its his her our your own".split())
_STOPS = frozenset({",", ".", "?", "!", ";", ":"})
"""What a negation before it does not reach past."""
