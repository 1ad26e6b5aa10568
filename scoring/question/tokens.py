"""Cuts a question into words, numbers, quoted literals and marks in one linear pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from scoring.patterns import lazy
from scoring.specification import Token, TokenKind
from scoring.words import stem

_TOKEN = lazy(
    r"""
      \d{1,3}(?:,\d{3})+(?!\d|,\d{3})(?:\.\d+)?
    | \w+(?:[-.:/'’&@+]\w+)*
    | "[^"\n]{1,400}"
    | “[^“”\n]{1,400}”
    | '(?=\S)(?:[^'\n]|'(?=\w)){1,400}'(?!\w)
    | ‘(?:[^‘’\n]|’(?=\w)){1,400}’
    | `[^`\n]{1,100}`
    | [<>!=]=|<>|[-–]>
    | [^\w\s]
    """,
    re.VERBOSE,
)
_NUMBER = lazy(r"\d+(?:,\d{3})*(?:\.\d+)?(?:k|m|mm|bn|b|st|nd|rd|th|s)?|\d{1,4}([-/.])\d{1,2}(?:\1\d{1,4})?", re.I)
_YEARS = lazy(r"\d{4}[-/]\d{2,4}")
_PARTS = lazy(r"[^./:]+|[./:]")
_ENDINGS = ("'s", "’s")
_SINGLE_MARKS = frozenset(".,?!;:()")
_QUOTES = frozenset("\"“'‘")


class Cut(NamedTuple):
    """A text in tokens."""

    tokens: list[Token]
    value_places: list[int]
    """Places of the tokens whose form may be a value: capitals, digits, quotes, numerals, months."""


Ranges: TypeAlias = tuple[tuple[int, int], ...]


def tokenise(text: str, values: frozenset[str] = frozenset(), blanks: Ranges = ()) -> Cut:
    """The tokens of a text outside `blanks`; quoted literals are one token whose `lower` lacks the quotes.

    `values` are words that are a value by themselves.

    >>> cut = tokenise("Brazil's 1,000 'big' dogs may bark", frozenset({"may"}))
    >>> [(token.text, token.kind.value) for token in cut.tokens]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('Brazil', 'word'), ("'s", 'punctuation'), ('1,000', 'number'), ("'big'", 'quoted'), ('dogs', 'word'),
     ('may', 'word'), ('bark', 'word')]
    >>> [cut.tokens[place].lower for place in cut.value_places]
    ['brazil', '1,000', 'big', 'may']
    """
    cut = Cut([], [])
    start = 0
    for blank_start, blank_end in blanks:
        _add(cut, text, start, blank_start, values)
        start = max(start, blank_end)
    _add(cut, text, start, len(text), values)
    return cut


def _add(cut: Cut, text: str, begin: int, until: int, values: frozenset[str]) -> None:
    """Cuts the characters from `begin` until `until`, at single spaces first.

    Most of a question is plain words: looked up by the chunk between two spaces, they cost half of what the pattern
    takes to find them. The named tuple's own constructor would take as long again.
    """
    found, value_places = cut
    add, forms, new, word = found.append, _forms, _new, TokenKind.WORD
    part = text[begin:until]
    quoting = _QUOTE.search(part) is not None
    place = done = begin
    for chunk in part.split(" "):
        end = place + len(chunk)
        if place < done or (quoting and not chunk.isalpha() and _QUOTE.search(chunk)):
            if end > done:
                done = _add_matches(cut, text, (max(place, done), end, until), values)
        elif chunk.isalpha():
            lower, stemmed, plain = forms(chunk)
            if not plain or lower in values:
                value_places.append(len(found))
            add(new(Token, (chunk, lower, stemmed, word, place, end)))
        else:
            _add_pieces(cut, chunk, place, values)
        place = end + 1


def _add_pieces(cut: Cut, chunk: str, place: int, values: frozenset[str]) -> None:
    """Adds the tokens of a run of characters without spaces and quotes that starts at `place`."""
    for piece, is_value in _pieces(chunk) if len(chunk) <= _MEMO_LENGTH else _cut_chunk(chunk):
        if is_value or (is_value is None and piece.lower in values):
            cut.value_places.append(len(cut.tokens))
        cut.tokens.append(_new(Token, (*piece[:4], piece.start + place, piece.end + place)))


# Typeshed leaves what `tuple.__new__` takes open.
_new: Callable[[type[Token], tuple[object, ...]], Token] = tuple.__new__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
_QUOTE = lazy("[\"“'‘`]")
_MEMO_LENGTH = 40
"""Longest run without a space, in characters, whose tokens are cached."""


def _add_matches(cut: Cut, text: str, span: tuple[int, int, int], values: frozenset[str]) -> int:
    """Adds the tokens that start in [start, stop); quotes may extend to `reach`. Returns where the last token ends."""
    begin, stop, reach = span
    done = stop
    for match in _TOKEN.finditer(text, begin, reach):
        if match.start() >= stop:
            break
        done = max(done, match.end())
        for token, is_value in _tokens(match.group(), match.start()):
            if is_value or (is_value is None and token.lower in values):
                cut.value_places.append(len(cut.tokens))
            cut.tokens.append(token)
    return done


Piece: TypeAlias = tuple[Token, bool | None]
"""A token and whether its form may be a value; `None` for a plain word, which may be one by its meaning."""


def _cut_chunk(chunk: str) -> tuple[Piece, ...]:
    """The tokens of a run without spaces and quotes."""
    return tuple([each for match in _TOKEN.finditer(chunk) for each in _tokens(match.group(), match.start())])


_pieces = lru_cache(maxsize=16384)(_cut_chunk)


def _tokens(word: str, start: int) -> tuple[Piece, ...]:
    """The tokens of a match of the pattern."""
    if word.isalpha():
        lower, stemmed, plain = _forms(word)
        return ((Token(word, lower, stemmed, TokenKind.WORD, start, start + len(word)), None if plain else True),)
    if word in _SINGLE_MARKS:
        return ((Token(word, word, word, TokenKind.PUNCTUATION, start, start + len(word)), False),)
    if word[0].isalnum() or word[0] == "_":
        return tuple([(token, _is_value(token)) for token in _chunk(word, start)])
    marked = _marked(word, start, start + len(word))
    return ((marked, _is_value(marked)),)


def _is_value(token: Token) -> bool:
    if token.kind is TokenKind.PUNCTUATION:
        return False
    return token.text != token.lower or not token.lower.isalpha() or len(token.lower) < 2


@lru_cache(maxsize=65536)
def _forms(word: str) -> tuple[str, str, bool]:
    """A word of letters in lower case, its stem, and whether it was written in lower case. `havent` is `haven't`."""
    lower = word.lower()
    if lower in _CONTRACTED:
        return _CONTRACTED[lower], _CONTRACTED[lower], word == lower
    return lower, stem(lower), word == lower and len(word) > 1


_CONTRACTED = (
    {f"{verb}nt": f"{verb}n't" for verb in "do does did is are was were has have had ca could would should".split()}
    | dict.fromkeys(("havnt", "havn't"), "haven't")
    | dict.fromkeys(("dosnt", "dosen't", "doesent"), "doesn't")
)
"""Negations typed without their apostrophe, or misspelt."""


def _marked(word: str, start: int, end: int) -> Token:
    """A quoted literal, a name in backticks, or a mark."""
    if len(word) > 2 and word[0] in _QUOTES:
        lower = word[1:-1].strip().lower()
        return Token(word, lower, lower, TokenKind.QUOTED, start, end)
    if len(word) > 2 and word[0] == "`":
        lower = word[1:-1].lower()
        return Token(word, lower, lower, TokenKind.WORD, start, end)
    return Token(word, word, word, TokenKind.PUNCTUATION, start, end)


def _chunk(word: str, start: int) -> Iterator[Token]:
    """A run of word characters and inner marks: a number, a possessive, a code, or several words."""
    if word.endswith(_ENDINGS) and len(word) > 2:
        owner, end = word[:-2], start + len(word)
        # One possessive only: a run of them would recurse once for each.
        yield from [_word(owner, start)] if owner.endswith(_ENDINGS) else _chunk(owner, start)
        yield Token(word[-2:], "'s", "'s", TokenKind.PUNCTUATION, end - 2, end)
    elif _NUMBER.fullmatch(word) or _YEARS.fullmatch(word):
        yield Token(word, word.lower(), word, TokenKind.NUMBER, start, start + len(word))
    elif _splits(word):
        for part in _PARTS.finditer(word):
            yield from _part(part.group(), start + part.start())
    else:
        yield _word(word, start)


def _splits(word: str) -> bool:
    """Whether `./:` separate words: not in addresses, initials, clock times and dates."""
    if not any(mark in word for mark in "./:") or "@" in word:
        return False
    pieces = re.split(r"[./:]", word)
    return not (all(len(piece) == 1 for piece in pieces) or all(piece.isdigit() for piece in pieces))


def _part(word: str, start: int) -> Iterator[Token]:
    if word in ".:/":
        yield Token(word, word, word, TokenKind.PUNCTUATION, start, start + 1)
    elif _NUMBER.fullmatch(word):
        yield Token(word, word.lower(), word, TokenKind.NUMBER, start, start + len(word))
    else:
        yield _word(word, start)


def _word(word: str, start: int) -> Token:
    lower = word.lower().replace("’", "'")
    lower = "without" if lower == "w/o" else lower
    return Token(
        word, lower, stem(lower) if lower.isalpha() else _stem_last(lower), TokenKind.WORD, start, start + len(word)
    )


def _stem_last(lower: str) -> str:
    head, dash, last = lower.rpartition("-")
    return head + dash + stem(last) if dash else lower
