"""Reads a query, checks what it does, and writes it anew: a server runs only text generated from the checked tree.

A server may read a text otherwise than the parser here (comments inside comments, escapes, quoting), so the text of an
answer is never sent. The generated text is checked once more, word by word, by `plain_sql`.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.errors import SqlglotError

from references.databases.fields import called_fields, names_after_dots
from references.databases.plain_sql import objection
from references.databases.vocabulary import OwnNames, Vocabulary
from references.sandbox import Failure, FailureKind
from scoring.query import Unscored, UnscoredReason
from scoring.sql.parsing import parse_query

MOST_CHARACTERS = 100_000
"""Length of the longest query that is sent to a server."""
_LONGEST_PADDING = 10_000
_NO_NAMES = OwnNames()


def checked_query(sql: str, vocabulary: Vocabulary, own: OwnNames = _NO_NAMES) -> str | Failure:
    """Returns the query as it may be sent, or why it is not sent.

    >>> from references.databases.vocabulary import POSTGRES
    >>> checked_query("select Name /* x */ from looms;", POSTGRES)
    'SELECT "name" FROM "looms"'
    >>> checked_query("SELECT pg_read_file/**/('/etc/passwd')", POSTGRES).detail
    'the function pg_read_file is not known to be harmless: if it is your own, allow it with --allow-function'
    >>> checked_query("SELECT * FROM pg_catalog.pg_authid", POSTGRES).detail
    'pg_catalog.pg_authid describes the server, it is not a table of yours'
    """
    tree = _read(sql, vocabulary.dialect)
    if isinstance(tree, Failure):
        return tree
    try:
        stopped = next(_objections(tree, vocabulary, own), None)
        if stopped is not None:
            return _refuse(stopped)
        _rewrite(tree, own, folds=vocabulary.dialect == "postgres")
        written = tree.sql(dialect=vocabulary.dialect, identify=True, comments=False)
    except (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, KeyError) as error:
        return _unread(error)
    said = objection(written, vocabulary, own, _names_before_columns(tree), names_after_dots(tree))
    return written if said is None else _refuse(_with_advice(said))


def _with_advice(said: str) -> str:
    return f"{said}: if it is your own, allow it with --allow-function" if said.startswith("the function") else said


def _refuse(detail: str) -> Failure:
    return Failure(kind=FailureKind.REFUSED, detail=detail)


def _unread(error: Exception) -> Failure:
    detail = str(error).partition("\n")[0][:200] or type(error).__name__
    return Failure(kind=FailureKind.ERROR, detail=f"it cannot be read: {detail}")


def _read(sql: str, dialect: str) -> exp.Query | exp.Values | Failure:
    if len(sql) > MOST_CHARACTERS:
        return _refuse(f"it is longer than {MOST_CHARACTERS} characters")
    parsed = parse_query(sql, dialect)
    if isinstance(parsed, Unscored):
        if parsed.reason is UnscoredReason.UNPARSEABLE_SQL:
            return Failure(kind=FailureKind.ERROR, detail=f"it cannot be read: {parsed.detail}")
        return _refuse(f"it is not one query: {parsed.detail}")
    tree = parsed.tree
    return tree if isinstance(tree, exp.Query | exp.Values) else _refuse("it is not a query")


def _objections(tree: exp.Expr, vocabulary: Vocabulary, own: OwnNames) -> Iterator[str]:
    yield from _of_names(tree, vocabulary, own)
    if vocabulary.dialect == "postgres":
        yield from (_with_advice(said) for said in called_fields(tree, vocabulary, own))
    for node in tree.walk():
        if node.args.get("into") is not None:
            yield "SELECT … INTO writes a table"
        elif node.args.get("locks"):
            yield "FOR UPDATE and FOR SHARE lock rows"
        elif isinstance(node, exp.Table):
            yield from _of_table(node, vocabulary)
        elif isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
            yield from _of_call(node, vocabulary, own)
        elif isinstance(node, exp.Pad | exp.Repeat):
            yield from _of_padding(node)
        elif isinstance(node, exp.DataType):
            yield from _of_type(node, own)
        elif isinstance(node, exp.ByteString | exp.UnicodeString | exp.HexString | exp.BitString | exp.National):
            yield "strings with a prefix (E'', U&'', B'', X'', N'') are not sent: write a plain string"


def _of_names(tree: exp.Expr, vocabulary: Vocabulary, own: OwnNames) -> Iterator[str]:
    for each in tree.find_all(exp.Identifier):
        if (said := vocabulary.misread(each.name, own)) is not None:
            yield said


def _of_table(table: exp.Table, vocabulary: Vocabulary) -> Iterator[str]:
    parts = [part.name for part in table.parts if isinstance(part, exp.Identifier)]
    if any(vocabulary.hidden.match(part) for part in parts):
        yield f"{'.'.join(parts)[:120]} describes the server, it is not a table of yours"
    elif len(parts) > 2:
        yield f"{'.'.join(parts)[:120]} names another database"


def _of_call(call: exp.Anonymous | exp.AnonymousAggFunc, vocabulary: Vocabulary, own: OwnNames) -> Iterator[str]:
    schema, name = _schema_of(call), _called(call)
    full = f"{schema}.{name}" if schema else name
    known = name in vocabulary.words and schema in {"", "pg_catalog"}
    if not known and full not in own.functions:
        yield _with_advice(f"the function {full[:80]} is not known to be harmless")


def _called(call: exp.Expr) -> str:
    this = call.this
    return (this.name if isinstance(this, exp.Expr) else str(this)).lower()


def _schema_of(call: exp.Expr) -> str:
    """The qualifier of a call; a call that is a field of something else has one that no list holds."""
    parent = call.parent
    if not isinstance(parent, exp.Dot) or parent.expression is not call:
        return ""
    this = parent.this
    return this.name.lower() if isinstance(this, exp.Identifier | exp.Column) and not _qualified(this) else "?"


def _qualified(this: exp.Expr) -> bool:
    return isinstance(this, exp.Column) and bool(this.table)


def _of_padding(call: exp.Pad | exp.Repeat) -> Iterator[str]:
    length = call.args.get("times" if isinstance(call, exp.Repeat) else "expression")
    if not isinstance(length, exp.Literal) or length.is_string or not length.name.isdigit():
        yield "the length in REPEAT, LPAD and RPAD must be a number"
    elif int(length.name[:9]) > _LONGEST_PADDING:
        yield f"the length in REPEAT, LPAD and RPAD may be {_LONGEST_PADDING} at most"


def _of_type(kind: exp.DataType, own: OwnNames) -> Iterator[str]:
    said = kind.args.get("kind")
    if said is None:
        return
    name = said.sql(dialect="postgres") if isinstance(said, exp.Expr) else str(said)
    plain = name.replace('"', "").lower()
    if plain not in own.types:
        yield f"the type {plain[:80]} is not known to be harmless"


def _rewrite(tree: exp.Expr, own: OwnNames, *, folds: bool) -> None:
    """Writes names as the server would understand them unquoted, and calls of its own functions without a schema."""
    for node in list(tree.walk()):
        if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
            node.set("this", _called(node))
            parent = node.parent
            if _schema_of(node) == "pg_catalog" and parent is not None and parent is not tree:
                parent.replace(node)
        elif isinstance(node, exp.Identifier) and folds and not node.args.get("quoted"):
            node.set("this", "".join(each.lower() if each.isascii() else each for each in node.name))


def _names_before_columns(tree: exp.Expr) -> set[str]:
    """Names of sources and common tables that a list of their columns follows."""
    return {alias.name for alias in tree.find_all(exp.TableAlias) if alias.args.get("columns")}
