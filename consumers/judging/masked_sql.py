"""Writes SQL with stand-ins, by the tokens of its dialect: without comments and unknown names."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from consumers.judging.masking import Masker
from scoring.sql.dialects import known, parser_dialect

LITERALS = frozenset(
    {
        TokenType.STRING,
        TokenType.NATIONAL_STRING,
        TokenType.RAW_STRING,
        TokenType.HEREDOC_STRING,
        TokenType.UNICODE_STRING,
        TokenType.BYTE_STRING,
        TokenType.HEX_STRING,
        TokenType.BIT_STRING,
    }
)
_SIGNS = frozenset(".,;:()[]+-*/%=<>!|&^~@?#{}")
"""Characters of operators and brackets; any other sign becomes a space."""


def tokens_of(sql: str, dialect: str) -> list[Token] | None:
    """The tokens of a text; `None` where it cannot be tokenized."""
    try:
        return parser_dialect(known(dialect) or "").tokenize(sql)
    except (SqlglotError, ValueError, RecursionError, IndexError, KeyError):
        return None


def literals_of(tokens: Sequence[Token]) -> list[str]:
    """The text literals."""
    return [token.text for token in tokens if token.token_type in LITERALS]


def numbers_of(tokens: Sequence[Token]) -> list[str]:
    """The numbers and the text literals, which may hold numbers."""
    return [token.text for token in tokens if token.token_type is TokenType.NUMBER or token.token_type in LITERALS]


def double_quoted(sql: str, tokens: Sequence[Token]) -> frozenset[str]:
    """Lower-case names that stand only in double quotes and never after a dot."""
    quoted, named = set[str](), set[str]()
    before = None
    for token in tokens:
        alone = token.token_type is TokenType.IDENTIFIER and before is not TokenType.DOT and sql[token.start] == '"'
        (quoted if alone else named).add(token.text.lower())
        before = token.token_type
    return frozenset(quoted - named)


def mask_sql(masker: Masker, tokens: Sequence[Token], dialect: str) -> str:
    """The SQL with stand-ins, and with one space in place of white space and comments."""
    keywords = parser_dialect(known(dialect) or "").tokenizer_class.KEYWORDS
    parts: list[str] = []
    end = -1
    for place, token in enumerate(tokens):
        called = place + 1 < len(tokens) and tokens[place + 1].token_type is TokenType.L_PAREN
        gap = " " if parts and token.start > end + 1 else ""
        parts.append(gap + _masked(masker, token, called=called, keywords=keywords))
        end = token.end
    return "".join(parts)


def _masked(masker: Masker, token: Token, *, called: bool, keywords: dict[str, TokenType]) -> str:
    kind, text = token.token_type, token.text
    if kind in LITERALS:
        return "'" + masker.literal(text).replace("'", "''") + "'"
    if kind is TokenType.NUMBER:
        plain = text.lower().rstrip("l")
        return masker.number(plain.rstrip("0").rstrip(".") if "." in plain and "e" not in plain else plain)
    if kind is TokenType.IDENTIFIER:
        return f'"{_quoted(masker, text)}"'
    if text.isascii() and not any(map(str.isalnum, text)):
        return text if set(text) <= _SIGNS else " "
    is_keyword = kind is not TokenType.VAR and " ".join(text.upper().split()) in keywords
    return text if is_keyword or (called and masker.words.stays(text.lower())) else masker.name(text)


def _quoted(masker: Masker, name: str) -> str:
    return name if name.lower() in masker.words.schema else masker.text(name).replace('"', "")
