"""Definitions in an enriched question: `X refers to col = 'v'`, `rate = a / b`, `col = '+' means X`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from scoring.question.conditions import read_formula
from scoring.question.language import Language
from scoring.specification import Definition

_BRACKETS = {"(": ")", "[": "]"}
_LONGEST = 6000
"""Characters of one bracket that is looked into."""


def _words(patterns: Iterable[str]) -> str:
    """A pattern of any of the words, in any case, from a word's start.

    It opens with the set of first letters, which the regular expression engine looks for four times as fast as for
    alternatives.
    """
    by_first: dict[str, list[str]] = {}
    for each in patterns:
        by_first.setdefault(each[0].lower(), []).append(each[1:])
    rest = "|".join(f"(?<=[{first}{first.upper()}])(?i:{'|'.join(ends)})" for first, ends in by_first.items())
    return rf"[{''.join(by_first)}{''.join(by_first).upper()}](?<!\w.)(?:{rest})"


_CALLS = (rf"{name}\s*\(" for name in ("in", "max", "min", "avg", "sum", "count", "divide"))
_FORMULA = re.compile(_words([r"is\s+(?:not\s+)?null", "between", "like", *_CALLS]))
_COMPARISON = re.compile("[=<>≥≤]")
_EQUATION = re.compile(r"(?<![<>!=])=(?![=<>])")
_IDENTIFIER = re.compile(r"\s*[`\"\[]?[A-Za-z_][\w.]*[`\"\]]?\s*")
_PROSE_END = re.compile(r"[.?!](?=\s|$)")


class _Piece(NamedTuple):
    text: str
    start: int


def read_definitions(text: str, language: Language) -> tuple[tuple[Definition, ...], tuple[tuple[int, int], ...]]:
    """The definitions of a text, and the character ranges they take from it.

    >>> from scoring.question.english import ENGLISH
    >>> found, blanks = read_definitions("Which shops are busy? (busy refers to visits > 90)", ENGLISH)
    >>> found[0].phrase, found[0].text, str(found[0].filters[0].rhs), blanks
    ('busy', 'visits > 90', '90', ((22, 50),))
    """
    folded = text.casefold()
    told = [word for word in _telling_words(language.defines) if word in folded]
    defines = _defines(language.defines, tuple(told) if len(told) <= _FEW else None) if told else _NEVER
    if defines is _NEVER and not _holds_one(folded, _FORMULA_SIGNS):
        return (), ()
    found: list[Definition] = []
    blanks: list[tuple[int, int]] = []
    for start, end in _bracketed(text):
        inside = _definitions(text, start + 1, end - 1, defines)
        trailing = not text[end:].strip(" .") and text[:start].rstrip()[-1:] in ".?!"
        if trailing and not inside:
            inside = _definitions(text, start + 1, end - 1, _defines(language.weak_defines, None))
        if inside or trailing:
            found += inside
            blanks.append((start, end))
    for start, end in _unbracketed(text, blanks, defines, language.openers):
        inside = _definitions(text, start, end, defines)
        if inside:
            found += inside
            blanks.append((start, end))
    return tuple(found), tuple(sorted(blanks))


def _computes(text: str) -> bool:
    """Whether a text compares or computes something, as columns do."""
    if _COMPARISON.search(text) is not None:
        return True
    return _holds_one(text.casefold(), _FORMULA_WORDS) and _FORMULA.search(text) is not None


_NEVER = re.compile(r"(?!)")
_FORMULA_WORDS = ("(", "null", "between", "like")
_FEW = 2
"""Most telling words for which there is a pattern of their phrases alone: it reads a text in a third of the time."""
_FORMULA_SIGNS = (*_FORMULA_WORDS, "[", "=", "<", ">", "≥", "≤")
"""One of them stands in every bracket and every formula."""


def _holds_one(folded: str, signs: Iterable[str]) -> bool:
    """Whether one of the signs stands in a text: most have none, and to see that takes a tenth of a pattern's time."""
    for sign in signs:  # noqa: SIM110 any() with a generator takes twice as long
        if sign in folded:
            return True
    return False


@lru_cache(maxsize=16)
def _telling_words(phrases: tuple[str, ...]) -> tuple[str, ...]:
    """A word of each phrase, without which none of them can stand in a text: the longest, shared by several."""
    words = {max(phrase.split(), key=len).casefold() for phrase in phrases}
    return tuple(sorted(word for word in words if not any(other != word and other in word for other in words)))


@lru_cache(maxsize=512)
def _defines(phrases: tuple[str, ...], told: tuple[str, ...] | None) -> re.Pattern[str]:
    """All defining phrases, or those that hold one of some telling words, as one pattern."""
    if told is not None:
        phrases = tuple([each for each in phrases if _holds_one(each.casefold(), told)])
    words = [re.escape(each) for each in phrases if each[0].isalpha()]
    marks = [re.escape(each) for each in phrases if not each[0].isalpha()]
    alternatives = [rf"{_words(words)}(?!\w)"] if words else []
    return re.compile("|".join([*alternatives, *marks])) if phrases else _NEVER


def _bracketed(text: str) -> list[tuple[int, int]]:
    """Outermost brackets preceded by a space or the start, quotes respected; an unclosed one runs to the end."""
    found: list[tuple[int, int]] = []
    if "(" not in text and "[" not in text:
        return found
    depth, opened, quote = 0, 0, ""
    first = min(place for place in (text.find("("), text.find("[")) if place >= 0)
    for match in _STRUCTURE.finditer(text, first):
        place, char = match.start(), match.group()
        if quote:
            quote = "" if char == quote else quote
        elif depth and char in "\"'`" and not (place and text[place - 1].isalnum()):
            quote = char if text.find(char, place + 1, place + 400) > 0 else ""
        elif char in _BRACKETS:
            if depth == 0:
                opened = place
            depth += 1
        elif char in ")]" and depth:
            depth -= 1
            if depth == 0 and (opened == 0 or text[opened - 1].isspace()) and place - opened < _LONGEST:
                found.append((opened, place + 1))
    return found


_STRUCTURE = re.compile(r"[()\[\]\"'`]")


def _unbracketed(
    text: str, blanks: list[tuple[int, int]], defines: re.Pattern[str], openers: frozenset[str]
) -> list[tuple[int, int]]:
    """Clauses outside the brackets that define something by a phrase, and sentences that are an equation."""
    found: list[tuple[int, int]] = []
    start = 0
    for blank_start, blank_end in [*sorted(blanks), (len(text), len(text))]:
        pieces = _sentences(text, start, blank_start) if _may_define(text, start, blank_start, defines) else []
        for piece in pieces:
            phrase = defines.search(piece.text)
            if phrase is not None and _computes(piece.text[phrase.end() :]):
                found.append(_clause(piece, phrase))
            elif "=" in piece.text and _is_equation(piece.text, openers):
                found.append((piece.start, piece.start + len(piece.text)))
        start = blank_end
    return found


def _may_define(text: str, start: int, end: int, defines: re.Pattern[str]) -> bool:
    return text.find("=", start, end) >= 0 or defines.search(text, start, end) is not None


_CLAUSE_START = re.compile(r"(?:,|\bwhere|\bgiven that|\bnoting that|\bi\.e\.)\s")


def _clause(piece: _Piece, phrase: re.Match[str]) -> tuple[int, int]:
    """The clause around a defining phrase: from the comma or `where` before it to the comma or `?` after it."""
    starts = [match.end() for match in _CLAUSE_START.finditer(piece.text, 0, phrase.start())]
    depth, quote, end = 0, "", len(piece.text)
    for place in range(phrase.end(), len(piece.text)):
        char = piece.text[place]
        if quote or char in "\"'":
            quote = "" if char == quote else quote or char
        elif char in "()":
            depth += 1 if char == "(" else -1
        elif depth <= 0 and char in ",?":
            end = place
            break
    return piece.start + (starts[-1] if starts else 0), piece.start + end


def _is_equation(sentence: str, openers: frozenset[str]) -> bool:
    """`rate = a / b` as a sentence of its own: few words before its `=`, and they ask nothing."""
    match = _EQUATION.search(sentence)
    words = sentence[: match.start()].split() if match is not None else []
    return 0 < len(words) <= 5 and "?" not in sentence and words[0].lower() not in openers


def _sentences(text: str, start: int, end: int) -> list[_Piece]:
    found: list[_Piece] = []
    at = start
    for match in _PROSE_END.finditer(text, start, end):
        found += [_Piece(text[at : match.start()], at)]
        at = match.end()
        if match.group() == "?":
            found[-1] = _Piece(found[-1].text + "?", found[-1].start)
    found += _split(text, at, end)
    return [piece for piece in found if piece.text.strip()]


def _split(text: str, start: int, end: int) -> list[_Piece]:
    """The text cut at `;` and line ends outside quotes."""
    found: list[_Piece] = []
    at, quote = start, ""
    if text.find(";", start, end) < 0 and text.find("\n", start, end) < 0:
        return [_Piece(text[start:end], start)]
    for match in _CUTS.finditer(text, start, end):
        place, char = match.start(), match.group()
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'" and not (place > start and text[place - 1].isalnum()):
            quote = char if text.find(char, place + 1, min(end, place + 400)) > -1 else ""
        elif char in ";\n":
            found.append(_Piece(text[at:place], at))
            at = place + 1
    found.append(_Piece(text[at:end], at))
    return found


_CUTS = re.compile(r"[;\n\"']")


def _definitions(text: str, start: int, end: int, defines: re.Pattern[str]) -> list[Definition]:
    found: list[Definition] = []
    for piece in _split(text, start, end):
        for part in _unchained(piece, defines):
            definition = _definition(part, defines)
            if definition is not None:
                found.append(definition)
    return found


def _unchained(piece: _Piece, defines: re.Pattern[str]) -> list[_Piece]:
    """`a = 1 means x, a = 2 means y` cut at the last comma between two defining phrases."""
    if "," not in piece.text:
        return [piece]
    phrases = list(defines.finditer(piece.text))
    cuts = [0]
    for first, second in pairwise(phrases):
        comma = piece.text.rfind(",", max(first.end(), cuts[-1]), second.start())
        if comma > 0:
            cuts.append(comma + 1)
    ends = [cut - 1 for cut in cuts[1:]] + [len(piece.text)]
    return [_Piece(piece.text[cut:end], piece.start + cut) for cut, end in zip(cuts, ends, strict=True)]


def _definition(piece: _Piece, defines: re.Pattern[str]) -> Definition | None:
    """One definition: by its phrase in either direction, by an equation, or a bare condition."""
    match = defines.search(piece.text)
    if match is not None and piece.text[: match.start()].strip():
        left, right = piece.text[: match.start()], piece.text[match.end() :]
        offset = piece.start + match.end()
        if _computes(left) and not _computes(right):
            left, right, offset = right, left, piece.start
        return _build(left, right, piece, offset)
    if not _computes(piece.text):
        return None
    equation = _EQUATION.search(piece.text)
    if equation is not None and _names_a_formula(piece.text, equation):
        return _build(piece.text[: equation.start()], piece.text[equation.end() :], piece, piece.start + equation.end())
    return _build(piece.text, piece.text, piece, piece.start)


def _names_a_formula(text: str, equation: re.Match[str]) -> bool:
    """Whether `left = right` defines a quantity rather than compares a column: the right side computes."""
    right = text[equation.end() :].strip()
    if not right or right[0] in "'\"" or (right[:1].isdigit() and not re.search(r"[-+*/]", right)):
        return False
    left = text[: equation.start()].strip()
    return not (_IDENTIFIER.fullmatch(left) and ("_" in left or "." in left))


def _build(phrase: str, formula: str, piece: _Piece, offset: int) -> Definition:
    parts = read_formula(formula, offset)
    return Definition(
        phrase=_unquoted(phrase.strip()),
        text=formula.strip(),
        filters=parts.filters,
        columns=parts.columns,
        functions=parts.functions,
        start=piece.start + len(piece.text) - len(piece.text.lstrip()),
    )


def _unquoted(phrase: str) -> str:
    quoted = len(phrase) > 1 and phrase[0] == phrase[-1] and phrase[0] in "`\"'"
    return phrase[1:-1].strip() if quoted else phrase
