"""Refuses text that the parser would read again and again: its cost doubles with each level of it.

The parser tries a reading, gives it up and tries another. Where such text nests, each level is read twice, and inner
levels as often as all outer ones together. A query of 200 characters could keep the parser busy for years.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from sqlglot.errors import SqlglotError
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType
from sqlglot.tokens import Tokenizer

from scoring.query import Unscored, UnscoredReason

_SPARE_NODES = 1000
"""Nodes that a short text may make beyond those of its tokens: enough for eight JOINs without ON in a row."""
_SPARE_READS = 20_000
"""Reads of tokens that a short text may take beyond four for each token."""
_ENOUGH = 1_000_000
"""Reads beyond which no more are counted."""
_FEW = 6
"""Brackets or JOINs that are too few to be read often."""
_MOST_PIPES = 60
"""The parser copies the whole query at each `|>`."""
_MOST_DOTS = 60
"""Parts of one quoted name; the parser copies the name for each part."""
_HARMLESS = 2
"""Brackets in a quoted name, such as `Price (EUR)`, that need no count."""

_OPENERS = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSERS = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})
_NAME = TokenType.IDENTIFIER


class Tools(NamedTuple):
    """A tokenizer and a parser of one dialect; both reset themselves for each text."""

    tokenizer: Tokenizer
    parser: Parser


def most_nodes(tokens: Collection[Token]) -> int:
    """The most nodes that a parse may make. Text that is read once makes less than one node for each token."""
    return 2 * len(tokens) + _SPARE_NODES


def used_up(parser: Parser) -> Unscored | None:
    """Why a parse was stopped that made more nodes than it may, if it did: JOINs without ON nest."""
    if parser._node_count <= parser.max_nodes:  # pyright: ignore[reportPrivateUsage]
        return None
    return Unscored(
        UnscoredReason.SQL_TOO_DEEP,
        "nests JOINs without ON, or other text with several readings: give each JOIN its ON, or write CROSS JOIN",
    )


def without_hints(tokens: list[Token], sql: str) -> list[Token]:
    """The tokens but optimizer hints (`/*+ … */`), which the parser would parse as a text of their own."""
    if "/*+" not in sql:
        return tokens
    return [token for token in tokens if token.token_type is not TokenType.HINT]


def refuse_rereading(tokens: list[Token], sql: str, tools: Tools) -> Unscored | None:
    """Why text would be read too often, if so."""
    if "|>" in sql and sql.count("|>") > _MOST_PIPES:
        return _too_deep(f"has more than {_MOST_PIPES} pipes (`|>`): write subqueries or CTEs")
    brackets = sql.count("(") + sql.count("[") + sql.count("{") + sql.count("<")
    if brackets <= _FEW and _has_few_joins(sql) and sql.count(".") <= _MOST_DOTS:
        return None
    if any(token.text.count(".") > _MOST_DOTS for token in tokens if token.token_type is _NAME):
        return _too_deep(f"a quoted name has more than {_MOST_DOTS} parts")
    if _reads(tokens, tools) > 4 * len(tokens) + _SPARE_READS:
        return _too_deep("nests types, or functions that are named like types, too deep: nest DATE(…) less")
    return None


def _has_few_joins(sql: str) -> bool:
    # Letters are counted first: a text in lower case takes longer to make.
    return sql.count("j") + sql.count("J") <= _FEW or sql.lower().count("join") <= _FEW


def _reads(tokens: list[Token], tools: Tools) -> int:
    """How many tokens the parser reads at most. Text in brackets after a type's name is read as a type, then as a call.

    A quoted name may be a type: what it holds is read too.
    """
    types = tools.parser.TYPE_TOKENS
    reads = 0
    again = 1
    outer: list[int] = []
    doubles = False
    for token in tokens:
        kind = token.token_type
        if kind in _OPENERS:
            outer.append(again)
            again = min(again * 2, _ENOUGH) if doubles else again
        elif kind in _CLOSERS and outer:
            again = outer.pop()
        doubles = kind in types or kind is _NAME
        reads += again * (1 + _reads_of_name(token.text, tools)) if kind is _NAME else again
    return reads


def _reads_of_name(name: str, tools: Tools) -> int:
    """How many tokens the parser reads in a quoted name: none, unless it begins with a type and goes on."""
    if sum(map(name.count, "([{<")) <= _HARMLESS:
        return 0
    try:
        tokens = tools.tokenizer.tokenize(name)
    except SqlglotError:
        return 0
    if tokens[0].token_type not in tools.parser.TYPE_TOKENS:
        return 0
    joins = [token.token_type for token in tokens].count(TokenType.JOIN)
    return 2 ** min(joins, _ENOUGH.bit_length()) * _reads(tokens, tools)


def _too_deep(detail: str) -> Unscored:
    return Unscored(UnscoredReason.SQL_TOO_DEEP, detail)
