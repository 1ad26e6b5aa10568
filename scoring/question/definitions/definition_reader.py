"""Reads the definitions of an enriched question: `X refers to col = 'v'`, `rate = a / b`, `col = '+' means X`."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.question.definitions.formulas import read_formula
from scoring.question.definitions.patterns import (
    EQUATION,
    NEVER,
    computes,
    may_hold_formula,
    pattern_for,
    phrase_pattern,
)
from scoring.question.definitions.places import Piece, bracketed, split_pieces, unbracketed, unchained
from scoring.question.language import Language
from scoring.specification import Definition

_IDENTIFIER = lazy(r"\s*[`\"\[]?[A-Za-z_][\w.]*[`\"\]]?\s*")


def read_definitions(text: str, language: Language) -> tuple[tuple[Definition, ...], tuple[tuple[int, int], ...]]:
    """The definitions of a text, and the character ranges that they fill.

    >>> from scoring.question.english import ENGLISH
    >>> found, blanks = read_definitions("Which shops are busy? (busy refers to visits > 90)", ENGLISH)
    >>> found[0].phrase, found[0].text, str(found[0].filters[0].rhs), blanks
    ('busy', 'visits > 90', '90', ((22, 50),))
    """
    folded = text.casefold()
    defines = pattern_for(folded, language.defines)
    if defines is NEVER and not may_hold_formula(folded):
        return (), ()
    found: list[Definition] = []
    blanks: list[tuple[int, int]] = []
    for start, end in bracketed(text):
        trailing = not text[end:].strip(" .") and text[:start].rstrip()[-1:] in ".?!"
        inside = _read_range(text, start + 1, end - 1, defines)
        if trailing and not inside:
            inside = _read_range(text, start + 1, end - 1, phrase_pattern(language.weak_defines, None))
        if inside or trailing:
            found += inside
            blanks.append((start, end))
    for start, end in unbracketed(text, blanks, defines, language.openers):
        inside = _read_range(text, start, end, defines)
        if inside:
            found += inside
            blanks.append((start, end))
    return tuple(found), tuple(sorted(blanks))


def _read_range(text: str, start: int, end: int, defines: re.Pattern[str]) -> list[Definition]:
    found: list[Definition] = []
    for piece in split_pieces(text, start, end):
        for part in unchained(piece, defines):
            definition = _read_piece(part, defines)
            if definition is not None:
                found.append(definition)
    return found


def _read_piece(piece: Piece, defines: re.Pattern[str]) -> Definition | None:
    """One definition: by its phrase in either direction, by an equation, or a bare condition."""
    match = defines.search(piece.text)
    if match is not None and piece.text[: match.start()].strip():
        left, right = piece.text[: match.start()], piece.text[match.end() :]
        offset = piece.start + match.end()
        if computes(left) and not computes(right):
            left, right, offset = right, left, piece.start
        return _build(left, right, piece, offset)
    if not computes(piece.text):
        return None
    equation = EQUATION.search(piece.text)
    if equation is not None and _defines_quantity(piece.text, equation):
        return _build(piece.text[: equation.start()], piece.text[equation.end() :], piece, piece.start + equation.end())
    return _build(piece.text, piece.text, piece, piece.start)


def _defines_quantity(text: str, equation: re.Match[str]) -> bool:
    """Whether `left = right` defines a quantity and does not compare a column: its right side is a calculation."""
    right = text[equation.end() :].strip()
    if not right or right[0] in "'\"" or (right[:1].isdigit() and not re.search(r"[-+*/]", right)):
        return False
    left = text[: equation.start()].strip()
    return not (_IDENTIFIER.fullmatch(left) and ("_" in left or "." in left))


def _build(phrase: str, formula: str, piece: Piece, offset: int) -> Definition:
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
