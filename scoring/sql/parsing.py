"""Parses SQL text into the syntax tree of one query, or a reason why it cannot be scored."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import dropwhile
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.parser import Parser, logger
from sqlglot.tokenizer_core import Token, TokenType

from scoring.immutable import immutable
from scoring.patterns import lazy
from scoring.query import Unscored, UnscoredReason
from scoring.sql.bounds import MAX_TOKENS, shortened
from scoring.sql.dialects import FALLBACKS, canonical_dialect, guess, parser_dialect
from scoring.sql.rereading import Tools, most_nodes, refuse_rereading, used_up, without_hints
from scoring.sql.respelling import respelled, with_declared

_CLASS = lazy(r"<class '[\w.]*\.(\w+)'>")
_MISSING = lazy(r"Required keyword: '\w+' missing for (\w+)")
_TOKEN = lazy(r"<Token token_type: TokenType\.(\w+), text: (.*?), line: .*>")
_LOGGED_TEXT = ("Falling back to parsing as a 'Command'", "Invalid JSON path syntax", "Cannot traverse scope")


def _is_free_of_sql(record: Any) -> bool:
    return not any(message in str(record.msg) for message in _LOGGED_TEXT)


# sqlglot logs the SQL that it refuses with these messages; a tenant's SQL must not reach the log.
logger.addFilter(_is_free_of_sql)

_RETRY_LENGTH = 20_000
"""Longer SQL is parsed in the guessed dialect only, so that hostile text is parsed once."""
_RETRIED_LENGTH = 60_000
"""Characters that the other dialects may read in all."""
_SAME_QUERIES = MappingProxyType({"athena": "trino"})
"""Dialects whose queries are read as another's: Athena's parser is two parsers, and counts no nodes."""
_LENIENT = frozenset({"sqlite"})
"""Dialects that read a double-quoted word in a value's place as text, although their tokenizer does not say so."""
_WRITES = (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.DDL, exp.Command)
_QUERIES = (exp.Select, exp.SetOperation, exp.Values, exp.Subquery, exp.Table)
_SEMICOLON = TokenType.SEMICOLON
_PARSER_ERRORS = (
    SqlglotError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    AssertionError,
    OverflowError,
)
"""Errors that the parser raises on hostile text, its own among them."""


@immutable()
class Parsed:
    """The syntax tree of one query."""

    tree: exp.Expr
    dialect: str
    lenient: bool
    """A double-quoted word in a value's place is text."""
    nodes: int
    text: str
    """What was parsed: the positions of the tree's names are places in it."""
    is_guessed: bool = False
    """The SQL does not say its dialect: another may have been meant."""


def parse_query(sql: str, dialect: str | None) -> Parsed | Unscored:
    """Parses the one query in `sql`, in the given dialect or the first guess that parses."""
    if dialect is not None:
        name = canonical_dialect(dialect)
        if name is None:
            return Unscored(UnscoredReason.UNKNOWN_DIALECT, f"{shortened(dialect, 30)!r} is no dialect that is known")
        return _parse(sql, name, lenient=name in _LENIENT)
    first = _parse(sql, guess(sql), lenient=True, is_guessed=True)
    if not _may_retry(first) or len(sql) > _RETRY_LENGTH:
        return first
    tries = _RETRIED_LENGTH // (len(sql) + 1)
    others = (_parse(sql, name, lenient=True, is_guessed=True) for name in FALLBACKS[:tries])
    return next((each for each in others if isinstance(each, Parsed)), first)


def parse_condition(text: str, dialect: str | None) -> Parsed | Unscored:
    """Parses one predicate, such as `status = 'active' AND deleted = 0`."""
    name = canonical_dialect(dialect) if dialect is not None else guess(text)
    if name is None:
        return Unscored(UnscoredReason.UNKNOWN_DIALECT, f"{shortened(dialect or '', 30)!r} is no dialect that is known")
    read = _read(text, name, lambda parser, tokens: parser.parse_into(exp.Condition, tokens, text))
    if isinstance(read, Unscored):
        return read
    if len(read.trees) != 1 or not isinstance(read.trees[0], exp.Expr):
        return Unscored(UnscoredReason.UNPARSEABLE_SQL, f"not one condition: {shortened(text)}")
    lenient = dialect is None or name in _LENIENT
    tree = respelled(read.trees[0], text)
    return Parsed(tree=tree, dialect=name, lenient=lenient, nodes=0, text=text, is_guessed=dialect is None)


def _may_retry(parsed: Parsed | Unscored) -> bool:
    return isinstance(parsed, Unscored) and parsed.reason is UnscoredReason.UNPARSEABLE_SQL


def _parse(sql: str, name: str, *, lenient: bool, is_guessed: bool = False) -> Parsed | Unscored:
    read = _read(sql, name, lambda parser, tokens: parser.parse(tokens, sql))
    if isinstance(read, Unscored):
        return read
    trees = [each for each in read.trees if each is not None and not isinstance(each, exp.Semicolon)]
    if not trees:
        return Unscored(UnscoredReason.EMPTY_SQL, "the SQL holds no statement")
    tree = with_declared(trees)
    if tree is None:
        return Unscored(UnscoredReason.MULTIPLE_STATEMENTS, _SECOND)
    return _refusal(tree) or Parsed(
        tree=respelled(tree, sql), dialect=name, lenient=lenient, nodes=read.nodes, text=sql, is_guessed=is_guessed
    )


class _Read(NamedTuple):
    """What the parser made of a text."""

    trees: list[exp.Expr | None]
    nodes: int


def _read(sql: str, name: str, parse: Callable[[Parser, list[Token]], list[exp.Expr | None]]) -> _Read | Unscored:
    """Parses a text after all that would cost more than its size is refused."""
    tools = _tools(name)
    parser = tools.parser
    try:
        tokens = without_hints(tools.tokenizer.tokenize(sql), sql)
        tokens = [*dropwhile(lambda token: token.token_type is _SEMICOLON, tokens)]  # `;WITH` in T-SQL
        refused = _refuse(tokens, sql) or refuse_rereading(tokens, sql, tools)
        if refused is not None:
            return refused
        parser.max_nodes = most_nodes(tokens)
        trees = parse(parser, tokens)
    except RecursionError:
        return _too_deep()
    except _PARSER_ERRORS as error:
        return used_up(parser) or _unparseable(error, name)
    stopped = used_up(parser)
    if stopped is not None:
        return stopped
    # The parser counts only if it has a limit; walking the tree again would cost a quarter of a parse.
    nodes: int = parser._node_count  # pyright: ignore[reportPrivateUsage]
    _idle(name).append(tools)
    return _Read(trees, nodes)


def _refuse(tokens: list[Token], sql: str) -> Unscored | None:
    if len(tokens) > MAX_TOKENS:
        return Unscored(UnscoredReason.SQL_TOO_LARGE, f"{len(tokens)} tokens; at most {MAX_TOKENS} are read")
    if ";" in sql and _continues(tokens) and tokens[0].token_type is not TokenType.DECLARE:
        return Unscored(UnscoredReason.MULTIPLE_STATEMENTS, _SECOND)
    return None


_SECOND = "text follows the first `;`; one statement is scored"


@cache
def _idle(name: str) -> list[Tools]:
    """Unused tools of a dialect: making them takes a tenth of a parse. Tools that raised an error are not kept."""
    return []


def _tools(name: str) -> Tools:
    """A tokenizer and a parser that no other thread uses."""
    try:
        return _idle(name).pop()
    except IndexError:
        language = parser_dialect(_SAME_QUERIES.get(name, name))
        return Tools(language.tokenizer(), language.parser(max_nodes=0))


def _continues(tokens: list[Token]) -> bool:
    """Whether a token follows the first semicolon; the parser would warn about a second statement."""
    kinds = [token.token_type for token in tokens]
    if _SEMICOLON not in kinds:
        return False
    return any(kind is not _SEMICOLON for kind in kinds[kinds.index(_SEMICOLON) :])


def _refusal(tree: exp.Expr) -> Unscored | None:
    if not isinstance(tree, _QUERIES):
        return Unscored(
            UnscoredReason.NOT_A_SELECT, f"{type(tree).__name__.upper()} is not a query; only SELECT is scored"
        )
    if tree.args.get("into") is not None:
        return Unscored(UnscoredReason.NOT_A_SELECT, "SELECT … INTO writes a table; only reading is scored")
    ctes = tree.args.get("with_")
    for cte in ctes.expressions if ctes is not None else ():
        if isinstance(cte.this, _WRITES):
            return Unscored(UnscoredReason.NOT_A_SELECT, f"the CTE {shortened(cte.alias, 30)} changes data")
    return None


def _too_deep() -> Unscored:
    return Unscored(UnscoredReason.SQL_TOO_DEEP, "nests deeper than the parser can follow")


def _unparseable(error: Exception, dialect: str) -> Unscored:
    found = _first_error(error)
    where = f" at line {found['line']}, column {found['col']}" if found.get("line") else ""
    what = _plainly(str(found.get("description") or error).split("\n", 1)[0])
    near = f", near {shortened(str(found['highlight']), 30)!r}" if found.get("highlight") else ""
    return Unscored(UnscoredReason.UNPARSEABLE_SQL, f"{dialect}: {shortened(what, 80)}{where}{near}")


def _plainly(said: str) -> str:
    """What the parser says, without its own names of things.

    >>> _plainly("Required keyword: 'this' missing for <class 'sqlglot.expressions.query.Where'>")
    'Where is not complete'
    >>> _plainly("Expected table name but got <Token token_type: TokenType.SENTINEL, text: SENTINEL, line: 1, col: 1>")
    'Expected table name but got the end'
    """
    found = _MISSING.sub(r"\1 is not complete", _CLASS.sub(r"\1", said))
    return _TOKEN.sub(lambda token: "the end" if token[1] == "SENTINEL" else token[2], found)


def _first_error(error: Exception) -> dict[str, Any]:
    return error.errors[0] if isinstance(error, ParseError) and error.errors else {}
