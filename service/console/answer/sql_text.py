"""SQL for people: one clause a line, highlighted, with the constructs of the pairs marked."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pygments.lexers.sql import SqlLexer
from pygments.token import STANDARD_TYPES
from sqlglot import exp
from sqlglot.errors import SqlglotError

from scoring.query import Unscored
from scoring.sql.bounds import screen
from scoring.sql.parsing import parse_query
from service.console.answer.constructs import constructs
from service.console.answer.marked_text import MarkedRun, TextMark, Token, runs
from service.console.answer.pairs import AnswerPart

MOST_FORMATTED = 40_000
"""Longer SQL, in characters, is shown as it came and without colours."""
_BEGIN, _MIDDLE, _END = "\ue000", "\ue001", "\ue002"
_MARKERS = re.compile(f"{_BEGIN}([0-9,]+){_MIDDLE}|{_END}")
_GENERATOR_ERRORS = (SqlglotError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError)
"""Errors that the generator raises on a tree that its parser made of hostile text."""
_LEXER = SqlLexer(ensurenl=False, stripnl=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSql:
    """SQL as runs of text."""

    runs: list[MarkedRun]
    formatted: bool
    """Whether its lines were made anew; else it is as it came."""
    marked: frozenset[int] = frozenset()
    """The pairs that are marked in it."""


def show_sql(sql: str, dialect: str | None, pairs: Sequence[AnswerPart] = ()) -> ShownSql:
    """The SQL as people read it best; as it came, where it cannot be read within the bounds of scoring."""
    laid_out = _laid_out(sql, dialect, pairs)
    text, marks = laid_out or (sql, [])
    tokens = _tokens(text) if len(text) <= MOST_FORMATTED else None
    return ShownSql(
        runs=runs(text, marks, tokens), formatted=laid_out is not None, marked=frozenset(each.number for each in marks)
    )


def _laid_out(sql: str, dialect: str | None, pairs: Sequence[AnswerPart]) -> tuple[str, list[TextMark]] | None:
    if len(sql) > MOST_FORMATTED or any(each in sql for each in (_BEGIN, _MIDDLE, _END)):
        return None
    screened = screen(sql)
    parsed = screened if isinstance(screened, Unscored) else parse_query(screened, dialect)
    if isinstance(parsed, Unscored):
        return None
    kinds = {each.number: each.place.value for each in pairs}
    try:
        _wrap(parsed.tree, constructs(parsed.tree, pairs))
        text = parsed.tree.sql(dialect=parsed.dialect, pretty=True)
    except _GENERATOR_ERRORS:
        return None
    return _without_markers(text, kinds)


def _wrap(tree: exp.Expr, numbered: Sequence[tuple[exp.Expr, int]]) -> None:
    """Puts each construct between markers, which the generator writes as they are."""
    numbers: dict[int, list[int]] = defaultdict(list)
    nodes: dict[int, exp.Expr] = {}
    for node, number in numbered:
        numbers[id(node)].append(number)
        nodes[id(node)] = node
    for key, node in nodes.items():
        if node is tree:
            continue
        marker = exp.Tag(prefix=f"{_BEGIN}{','.join(map(str, numbers[key]))}{_MIDDLE}", postfix=_END)
        node.replace(marker)
        marker.set("this", node)


def _without_markers(text: str, kinds: Mapping[int, str]) -> tuple[str, list[TextMark]]:
    parts: list[str] = []
    marks: list[TextMark] = []
    opened: list[tuple[int, list[int]]] = []
    length = last = 0
    for found in _MARKERS.finditer(text):
        part = text[last : found.start()]
        parts.append(part)
        length, last = length + len(part), found.end()
        if found[1] is not None:
            opened.append((length, [int(each) for each in found[1].split(",")]))
        elif opened:
            start, numbers = opened.pop()
            marks += [TextMark(start=start, end=length, number=each, kind=kinds[each]) for each in numbers]
    parts.append(text[last:])
    plain = "".join(parts)
    return plain, [_trimmed(each, plain) for each in marks]


def _trimmed(mark: TextMark, text: str) -> TextMark:
    inside = text[mark.start : mark.end]
    start = mark.start + len(inside) - len(inside.lstrip())
    return TextMark(start=start, end=start + len(inside.strip()), number=mark.number, kind=mark.kind)


def _tokens(text: str) -> Iterator[Token]:
    for start, kind, piece in _LEXER.get_tokens_unprocessed(text):
        while kind not in STANDARD_TYPES and kind.parent is not None:
            kind = kind.parent  # noqa: PLW2901 the nearest kind that has a class
        yield start, STANDARD_TYPES.get(kind, ""), piece
