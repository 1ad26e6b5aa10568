"""Writes SQL with stand-ins, by the tokens of its dialect: without comments and unknown names."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from consumers.judging.masking.function_names import is_function_name
from consumers.judging.masking.masker import UNITS, Masker
from scoring.sql.dialects import canonical_dialect, parser_dialect

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
        return parser_dialect(canonical_dialect(dialect) or "").tokenize(sql)
    except (SqlglotError, ValueError, RecursionError, IndexError, KeyError):
        return None


def literals_of(tokens: Sequence[Token]) -> list[str]:
    """The text literals."""
    return [token.text for token in tokens if token.token_type in LITERALS]


def numbers_of(tokens: Sequence[Token]) -> list[str]:
    """The numbers and the text literals, which may hold numbers."""
    return [token.text for token in tokens if token.token_type is TokenType.NUMBER or token.token_type in LITERALS]


_COMPARE = frozenset(
    {
        TokenType.EQ,
        TokenType.NEQ,
        TokenType.NULLSAFE_EQ,
        TokenType.GT,
        TokenType.GTE,
        TokenType.LT,
        TokenType.LTE,
        TokenType.LIKE,
        TokenType.ILIKE,
        TokenType.RLIKE,
        TokenType.IRLIKE,
        TokenType.GLOB,
        TokenType.SIMILAR_TO,
        TokenType.BETWEEN,
        TokenType.DPIPE,
    }
)
_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})


def perhaps_texts(sql: str, tokens: Sequence[Token]) -> frozenset[str]:
    """Lower-case names that may be texts: never beside a dot, and only in double quotes or compared with.

    Some databases read a name in double quotes as a text, and some agents forget the quotes.
    """
    perhaps, named = set[str](), set[str]()
    listed = _listed(tokens)
    for place, token in enumerate(tokens):
        if token.token_type not in _NAMES:
            continue
        before = tokens[place - 1].token_type if place else None
        after = tokens[place + 1].token_type if place + 1 < len(tokens) else None
        quoted = token.token_type is TokenType.IDENTIFIER and sql[token.start] == '"'
        alone = TokenType.DOT not in (before, after) and after is not TokenType.L_PAREN
        (perhaps if alone and (quoted or before in _COMPARE or place in listed) else named).add(token.text.lower())
    return frozenset(perhaps - named)


def names_of(sql: str, tokens: Sequence[Token]) -> frozenset[str]:
    """The names that a query uses or gives, as written: of tables, columns and aliases, but none that may be a text."""
    unsure = perhaps_texts(sql, tokens)
    names = (token.text for token in tokens if token.token_type in _NAMES)
    return frozenset(name for name in names if name.isidentifier() and name.lower() not in unsure)


def schemas_of(tokens: Sequence[Token], tables: Collection[str]) -> frozenset[str]:
    """Lower-case names of the schemas and catalogues before the names of tables: `hr` of `hr.employees`."""
    found: set[str] = set()
    for place in range(len(tokens) - 1, 1, -1):
        name, dot, schema = tokens[place], tokens[place - 1], tokens[place - 2]
        if dot.token_type is TokenType.DOT and schema.token_type in _NAMES and name.text.lower() in found.union(tables):
            found.add(schema.text.lower())
    return frozenset(found)


def _listed(tokens: Sequence[Token]) -> frozenset[int]:
    """The places of the members of IN lists, and of the upper bounds of BETWEEN."""
    found: set[int] = set()
    inside = False
    for place, token in enumerate(tokens[1:], start=1):
        before = tokens[place - 1].token_type
        if token.token_type is TokenType.L_PAREN and before is TokenType.IN:
            inside = True
        elif token.token_type in (TokenType.R_PAREN, TokenType.SELECT):
            inside = False
        elif inside or (before is TokenType.AND and place > 2 and tokens[place - 3].token_type is TokenType.BETWEEN):
            found.add(place)
    return frozenset(found)


def mask_sql(masker: Masker, sql: str, tokens: Sequence[Token], dialect: str) -> str:
    """The SQL with stand-ins, and with one space in place of white space and comments."""
    dialect = canonical_dialect(dialect) or ""
    parts: list[str] = []
    end = -1
    for place, token in enumerate(tokens):
        called = place + 1 < len(tokens) and tokens[place + 1].token_type is TokenType.L_PAREN
        gap = " " if parts and token.start > end + 1 else ""
        if _is_point_of_fraction(tokens, place):
            # the number after it is written with it
            parts.append(gap + masker.number(f".{tokens[place + 1].text}"))
        elif place and _is_point_of_fraction(tokens, place - 1):
            pass
        elif _is_phrase_compared_with(tokens, place):
            parts.append(gap + _in_quotes(sql[token.start], masker.literal(token.text).replace("'", "")))
        elif token.token_type is TokenType.IDENTIFIER:
            parts.append(gap + _in_quotes(sql[token.start], _identifier(masker, token.text)))
        else:
            parts.append(gap + _masked(masker, token, called=called, dialect=dialect))
        end = token.end
    return "".join(parts)


def _is_point_of_fraction(tokens: Sequence[Token], place: int) -> bool:
    """Whether the point begins a number, as in .5, and joins no names."""
    token, after = tokens[place], tokens[place + 1 : place + 2]
    if token.token_type is not TokenType.DOT or not after or after[0].token_type is not TokenType.NUMBER:
        return False
    before = tokens[place - 1] if place else None
    apart = before is None or before.end + 1 < token.start or before.text[-1:] in "(,+-*/<>="
    return apart and after[0].start == token.end + 1


def _is_phrase_compared_with(tokens: Sequence[Token], place: int) -> bool:
    """Whether several words in identifier quotes are compared with, as a text in the wrong quotes is."""
    token = tokens[place]
    return token.token_type is TokenType.IDENTIFIER and " " in token.text and tokens[place - 1].token_type in _COMPARE


def _masked(masker: Masker, token: Token, *, called: bool, dialect: str) -> str:
    kind, text = token.token_type, token.text
    if kind in LITERALS:
        return "'" + masker.literal(text).replace("'", "''") + "'"
    if kind is TokenType.NUMBER:
        return masker.number(text.rstrip("lL"))
    if text.isascii() and not any(map(str.isalnum, text)):
        return text if set(text) <= _SIGNS else " "
    lowered = text.lower()
    is_keyword = lowered in UNITS or (kind is not TokenType.VAR and _is_keyword(text, dialect))
    if is_keyword or (called and (masker.words.stays(lowered) or is_function_name(lowered, dialect))):
        masker.words.of_sql.add(lowered)
        return text
    return masker.name(text)


def _is_keyword(text: str, dialect: str) -> bool:
    return " ".join(text.upper().split()) in parser_dialect(dialect).tokenizer_class.KEYWORDS


def _identifier(masker: Masker, name: str) -> str:
    stays = name.lower() in masker.words.schema or masker.words.name_stays(name)
    return name if stays else masker.text(name)


_CLOSED_BY = {'"': '"', "`": "`", "[": "]"}


def _in_quotes(opening: str, name: str) -> str:
    """The name in the quotes that it had: in some dialects other quotes make a text of it."""
    opening = opening if opening in _CLOSED_BY else '"'
    closing = _CLOSED_BY[opening]
    return opening + name.replace(closing, "") + closing
