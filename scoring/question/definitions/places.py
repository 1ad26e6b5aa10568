"""Finds the parts of a text that may be definitions: brackets, clauses and sentences."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from scoring.patterns import lazy
from scoring.question.definitions.patterns import EQUATION, computes

_OPENING = lazy(r"[(\[]")
_LONGEST = 6000
"""Characters of the longest bracket that is read."""
_LONGEST_QUOTE = 400
"""Characters of the longest quote."""
_PROSE_END = lazy(r"[.?!](?=\s|$)")
_STRUCTURE = lazy(r"[()\[\]\"'`]")
_CLAUSE_START = lazy(r"(?:,|\bwhere|\bgiven that|\bnoting that|\bi\.e\.)\s")
_CUTS = lazy(r"[;\n\"']")


class Piece(NamedTuple):
    text: str
    start: int


def bracketed(text: str) -> list[tuple[int, int]]:
    """Outermost brackets after a space or at the start, without those in quotes; unclosed brackets are left out."""
    found: list[tuple[int, int]] = []
    first = _OPENING.search(text)
    if first is None:
        return found
    depth, opened, quote = 0, 0, ""
    for match in _STRUCTURE.finditer(text, first.start()):
        place, char = match.start(), match.group()
        if quote:
            quote = "" if char == quote else quote
        elif char in "([":
            opened = place if depth == 0 else opened
            depth += 1
        elif depth == 0:
            continue
        elif char in ")]":
            depth -= 1
            if depth == 0 and _stands_apart(text, opened, place):
                found.append((opened, place + 1))
        else:
            quote = _opened_quote(text, place, 0, len(text))
    return found


def _stands_apart(text: str, opened: int, closed: int) -> bool:
    return (opened == 0 or text[opened - 1].isspace()) and closed - opened < _LONGEST


def _opened_quote(text: str, place: int, start: int, end: int) -> str:
    """The quotation mark at `place` if it opens a quote, else nothing: an apostrophe in a word does not."""
    if place > start and text[place - 1].isalnum():
        return ""
    mark = text[place]
    return mark if text.find(mark, place + 1, min(end, place + _LONGEST_QUOTE)) > -1 else ""


def unbracketed(
    text: str, blanks: list[tuple[int, int]], defines: re.Pattern[str], openers: frozenset[str]
) -> list[tuple[int, int]]:
    """Clauses outside brackets with a defining phrase, and sentences that are an equation."""
    found: list[tuple[int, int]] = []
    start = 0
    for blank_start, blank_end in [*sorted(blanks), (len(text), len(text))]:
        pieces = _sentences(text, start, blank_start) if _may_define(text, start, blank_start, defines) else []
        for piece in pieces:
            phrase = defines.search(piece.text)
            if phrase is not None and computes(piece.text[phrase.end() :]):
                found.append(_clause(piece, phrase))
            elif "=" in piece.text and _is_equation(piece.text, openers):
                found.append((piece.start, piece.start + len(piece.text)))
        start = blank_end
    return found


def _may_define(text: str, start: int, end: int, defines: re.Pattern[str]) -> bool:
    return text.find("=", start, end) >= 0 or defines.search(text, start, end) is not None


def _clause(piece: Piece, phrase: re.Match[str]) -> tuple[int, int]:
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
    """Whether a sentence is an equation such as `rate = a / b`: few words before its `=`, and no question."""
    match = EQUATION.search(sentence)
    words = sentence[: match.start()].split() if match is not None else []
    return 0 < len(words) <= 5 and "?" not in sentence and words[0].lower() not in openers


def _sentences(text: str, start: int, end: int) -> list[Piece]:
    found: list[Piece] = []
    at = start
    for match in _PROSE_END.finditer(text, start, end):
        found += [Piece(text[at : match.start()], at)]
        at = match.end()
        if match.group() == "?":
            found[-1] = Piece(found[-1].text + "?", found[-1].start)
    found += split_pieces(text, at, end)
    return [piece for piece in found if piece.text.strip()]


def split_pieces(text: str, start: int, end: int) -> list[Piece]:
    """The text cut at `;` and line ends outside quotes."""
    found: list[Piece] = []
    at, quote = start, ""
    if text.find(";", start, end) < 0 and text.find("\n", start, end) < 0:
        return [Piece(text[start:end], start)]
    for match in _CUTS.finditer(text, start, end):
        place, char = match.start(), match.group()
        if quote:
            quote = "" if char == quote else quote
        elif char in ";\n":
            found.append(Piece(text[at:place], at))
            at = place + 1
        else:
            quote = _opened_quote(text, place, start, end)
    found.append(Piece(text[at:end], at))
    return found


def unchained(piece: Piece, defines: re.Pattern[str]) -> list[Piece]:
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
    return [Piece(piece.text[cut:end], piece.start + cut) for cut, end in zip(cuts, ends, strict=True)]
