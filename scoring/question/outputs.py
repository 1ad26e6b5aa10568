"""Reads what the question wants listed: `names and ages of singers`, `which country`, `who`."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from scoring.question.language import Role
from scoring.question.marks import Mark
from scoring.question.phrases import phrase_end, skip_openers
from scoring.question.reading import Reading
from scoring.specification import Output, Token, TokenKind
from scoring.words import stem

_MOST = 12
"""Most outputs of one list."""


def read_outputs(reading: Reading) -> tuple[Output, ...]:
    """Everything asked for, in order; counts, sums and extremes are aggregations, not outputs."""
    found: list[Output] = []
    for mark in reading.marks:
        role = mark.cue.role
        if role is Role.ASK:
            found.extend(_asked(reading, mark))
        elif role is Role.COMMAND or role is Role.ALSO:
            found.extend(_listed(reading, mark.end))
    unique = {(output.head, output.phrase.lower(), output.of): output for output in _without_chosen(reading, found)}
    return tuple(unique.values())


def _without_chosen(reading: Reading, found: list[Output]) -> list[Output]:
    """The outputs without `which shop` if a later sentence commands an output: `Which shop …? Give me its name.`"""
    commanding = reading.marks_of(Role.COMMAND)
    if not found or not commanding or not commanding[-1].start:
        return found
    closed = next((token.start for token in reading.tokens if token.lower in _CLOSING), None)
    if closed is None or found[-1].start < closed:
        return found
    commands = any(reading.tokens[mark.start].start > closed for mark in commanding)
    return [each for each in found if each.start > closed or not _is_chosen(reading, each)] if commands else found


_CLOSING = frozenset({"?", "."})
_CHOOSING = frozenset({"which", "who", "whose"})


def _start(token: Token) -> int:
    return token.start


def _is_chosen(reading: Reading, output: Output) -> bool:
    """Whether `which`, `who` or `whose` stands right before an output."""
    place = bisect_left(reading.tokens, output.start, key=_start)
    return not _CHOOSING.isdisjoint(reading.lowers[max(0, place - 2) : place + 1])


def _asked(reading: Reading, mark: Mark) -> list[Output]:
    """`what is the X`, `which X`, `who`; a relative `who` or `which` asks for nothing."""
    if not _interrogates(reading, mark):
        return []
    language = reading.language
    if mark.cue.phrase:
        summed = mark.cue.func and any(each.cue.trailing for each in reading.marks_of(Role.AGGREGATE))
        return [] if summed else [_implied(reading, mark)]
    at = mark.end
    if reading.lower(at) in language.copulas:
        return _listed(reading, at + 1)
    return _listed(reading, at + 1 if reading.lower(at) in language.of else at)


def _implied(reading: Reading, mark: Mark) -> Output:
    phrase = mark.cue.phrase
    return Output(phrase=phrase, head=stem(phrase), start=reading.tokens[mark.start].start)


def _interrogates(reading: Reading, mark: Mark) -> bool:
    """Whether a wh-word opens a question: at the start of a clause, or after a preposition there."""
    at = mark.start - 1
    if at < 0:
        return True
    word, language = reading.lowers[at], reading.language
    if word in _CLAUSE_ENDS or reading.tokens[mark.start].text[0].isupper():
        return True
    if word in language.prepositions and (at == 0 or not reading.is_word(at - 1)):
        return True
    if word in {",", "and"} and _asks_again(reading, mark):
        return True
    if word in language.conjunctions and (at == 0 or reading.lowers[at - 1] in {".", "?", "!"}):
        return True
    before = reading.ends.get(mark.start)
    return before is not None and before.cue.role is Role.COMMAND


_CLAUSE_ENDS = frozenset({".", "?", "!", ";", ":"})


def _asks_again(reading: Reading, mark: Mark) -> bool:
    """Whether a wh-word after a comma or `and` is a question and not a relative clause."""
    if mark.cue.phrase not in {"person", "date", "place"} and reading.lowers[mark.start] != "which":
        return True
    if reading.lower(mark.start - 1) == "," and _is_commanded(reading, mark):
        return False
    after = reading.lower(mark.end)
    return after in reading.language.copulas or after in reading.language.auxiliaries


def _is_commanded(reading: Reading, mark: Mark) -> bool:
    """Whether a command opens the sentence: `List the vans of the depot, which are new` asks for vans only."""
    ends = [place for place in range(mark.start) if reading.lowers[place] in _CLAUSE_ENDS]
    first = ends[-1] + 1 if ends else 0
    return any(first <= each.start < mark.start for each in reading.marks_of(Role.COMMAND))


def _listed(reading: Reading, place: int) -> list[Output]:
    """The noun phrases of a list with their owner; a list may continue after it (`and ages of teachers`)."""
    items = _items(reading, place)
    if not items:
        return []
    owner, end = _owner(reading, items[-1][1])
    found = [output for start, last in items for output in _outputs_of(reading, start, last, owner)]
    after = _past_joint(reading, end) if owner else None
    if after is not None and len(found) < _MOST:
        start, last = _item(reading, after)
        if start < last and reading.lower(last) in reading.language.of:
            found.append(_output(reading, start, last, _owner(reading, last)[0]))
    return found


def _items(reading: Reading, place: int) -> list[tuple[int, int]]:
    """The phrases joined by commas and `and` from `place` on."""
    found: list[tuple[int, int]] = []
    at = place
    for _ in range(_MOST):
        start, end = _item(reading, at)
        if reading.lower(end) in _VERSUS:
            break
        if end > start:
            found.append((start, end))
        elif end == at:
            break
        after = _past_joint(reading, end)
        if after is None:
            break
        at = after
    return found


_VERSUS = frozenset({"vs", "versus"})
"""Words between two groups of rows, which are no columns."""


def _item(reading: Reading, at: int) -> tuple[int, int]:
    """One item of a list; an aggregate or an extreme is skipped together with its phrase."""
    start = at
    while start < at + 4 and start not in reading.starts and _introduces(reading, start):
        start += 1
    mark = reading.starts.get(start)
    if mark is not None and _is_computed(reading, mark):
        end = phrase_end(reading, skip_openers(reading, mark.end))
        return end, max(end, mark.end)
    start = skip_openers(reading, start)
    end = phrase_end(reading, start)
    return _with_owner(reading, start, end) if end > start else (at, at)


def _is_computed(reading: Reading, mark: Mark) -> bool:
    """Whether a cue makes its phrase an aggregation and not an output."""
    if mark.cue.role is Role.SUPERLATIVE:
        return _is_value(reading, mark)
    return mark.cue.role in (Role.AGGREGATE, Role.RATIO)


def _with_owner(reading: Reading, start: int, end: int) -> tuple[int, int]:
    """`driver's name` is a name; `date of birth` is one phrase."""
    if reading.lower(end) in _POSSESSIVE:
        owned = skip_openers(reading, end + 1)
        last = phrase_end(reading, owned)
        start, end = (owned, last) if last > owned else (start, end)
    if reading.lower(end) in reading.language.of and reading.lower(end + 1) in _LIFE:
        end += 2
    return start, end


_POSSESSIVE = frozenset({"'s", "'", "’s", "’"})
_LIFE = frozenset({"birth", "death", "origin"})
"""Words after `date of`, `place of` or `country of` that make one name with it."""


def _is_value(reading: Reading, mark: Mark) -> bool:
    """Whether an extreme is a value (`highest price`, `largest number of wells`) and not the thing listed."""
    return mark.cue.value or (mark.cue.counted and reading.lowers[mark.end - 1] in reading.language.of)


def _introduces(reading: Reading, place: int) -> bool:
    word = reading.lower(place)
    return word in reading.language.articles or word in reading.language.pronouns or word in {":", "'s"}


def _past_joint(reading: Reading, end: int) -> int | None:
    """The place after `,`, `and` or `, and`; `None` if no further item can follow."""
    language, at = reading.language, end
    if reading.lower(at) == ",":
        at += 1
    if reading.lower(at) in language.conjunctions and reading.lower(at) not in {"but", "so", "because"}:
        at += 1
    if at == end or reading.has_role(at, Role.COMMAND, Role.ASK, Role.GROUP, Role.ORDER, Role.COMPARE):
        return None
    return at


def _owner(reading: Reading, end: int) -> tuple[str | None, int]:
    """`of the drivers`, `for each singer`: the phrase, and where it ends."""
    if reading.lower(end) not in reading.language.of:
        return None, end
    start = skip_openers(reading, end + 1)
    last = phrase_end(reading, start)
    return reading.span(start, last) or None, last


def _outputs_of(reading: Reading, start: int, end: int, of: str | None) -> list[Output]:
    """One output, or one for each part of `first, middle and last names`."""
    whole = _output(reading, start, end, of)
    if end - start < _COORDINATED or reading.language.conjunctions.isdisjoint(reading.lowers[start:end]):
        return [whole]
    noun = reading.tokens[end - 1].text
    firsts = [place for place in range(start, end - 1) if _distinguishes(reading, place)]
    return [
        replace(whole, phrase=f"{reading.tokens[place].text} {noun}", start=reading.tokens[place].start)
        for place in firsts
    ]


_COORDINATED = 4
"""Words of `first and last names`, at least."""


def _distinguishes(reading: Reading, place: int) -> bool:
    word = reading.tokens[place]
    return word.kind is TokenKind.WORD and word.lower not in reading.language.conjunctions


def _output(reading: Reading, start: int, end: int, of: str | None) -> Output:
    return Output(
        phrase=reading.span(start, end), head=reading.tokens[end - 1].stem, start=reading.tokens[start].start, of=of
    )
