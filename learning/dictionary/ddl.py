"""Reads `CREATE TABLE` and its comments: `--` and `/* */`, COMMENT ON, MySQL's COMMENT, BigQuery's OPTIONS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from learning.dictionary.catalogue import Catalogue
from learning.dictionary.notes import Note
from scoring.words import letters

MOST_DDL = 2_000_000
"""Most characters that are read."""
_CONSTRAINTS = frozenset(
    "CONSTRAINT PRIMARY FOREIGN UNIQUE CHECK KEY INDEX EXCLUDE PERIOD FULLTEXT LIKE CLUSTER PARTITION".split()
)

_WRAPPERS = frozenset({"NULLABLE", "LOWCARDINALITY", "("})
"""What stands around a type in ClickHouse."""


@dataclass(slots=True)
class ReadDdl:
    """What DDL declares, and the comments in it."""

    catalogue: Catalogue = field(default_factory=Catalogue)
    notes: list[Note] = field(default_factory=list[Note])


def read_ddl(text: str, dialect: str | None, catalogue: Catalogue | None = None) -> ReadDdl:
    """The tables, columns, foreign keys and comments of DDL. What cannot be read is left out.

    >>> read = read_ddl("CREATE TABLE pots (id INT, state CHAR(1) /* N new, O old */, -- see there\\n glaze INT)", None)
    >>> [(each.table, each.column, each.text) for each in read.notes]
    [('pots', 'state', 'N new, O old'), ('pots', 'state', 'see there')]
    >>> [each.text for each in read.catalogue.tables["pots"].columns.values()]
    ['pots.id', 'pots.state', 'pots.glaze']
    """
    read = ReadDdl(catalogue if catalogue is not None else Catalogue())
    try:
        tokens = Dialect.get_or_raise(dialect or "").tokenize(text[:MOST_DDL])
    except (SqlglotError, ValueError):
        return read
    for statement in _statements(tokens):
        words = [each.text.upper() for each in statement[:6]]
        if words[:1] == ["CREATE"] and "TABLE" in words:
            _read_table(read, statement[words.index("TABLE") + 1 :])
        elif words[:2] == ["COMMENT", "ON"]:
            _read_comment(read, statement[2:])
    return read


def _statements(tokens: Sequence[Token]) -> list[list[Token]]:
    found: list[list[Token]] = [[]]
    for each in tokens:
        if each.token_type is TokenType.SEMICOLON:
            found.append([])
        else:
            found[-1].append(each)
    return [each for each in found if each]


def _read_table(read: ReadDdl, tokens: Sequence[Token]) -> None:
    opened = next((place for place, each in enumerate(tokens) if each.token_type is TokenType.L_PAREN), None)
    if opened is None:
        return
    names = [each.text for each in tokens[:opened] if each.token_type is not TokenType.DOT]
    names = [each for each in names if each.upper() not in ("IF", "NOT", "EXISTS")]
    if not names:
        return
    table = read.catalogue.add_table(names[-1]).name
    _note(read, table, None, _comments(tokens[: opened + 1]))
    items, after = _items(tokens[opened + 1 :])
    for item in items:
        _read_item(read, table, item)
    _note(read, table, None, [*_stated(after), *_comments(after)])


def _items(tokens: Sequence[Token]) -> tuple[list[list[Token]], Sequence[Token]]:
    """What stands between the brackets, split at commas, each with its comma; and what follows the brackets."""
    items: list[list[Token]] = [[]]
    depth = 0
    for place, each in enumerate(tokens):
        depth += (each.token_type is TokenType.L_PAREN) - (each.token_type is TokenType.R_PAREN)
        depth += (each.text == "<") - (each.text == ">")
        if depth < 0:
            return items, tokens[place:]
        items[-1].append(each)
        if each.token_type is TokenType.COMMA and not depth:
            items.append([])
    return items, ()


def _read_item(read: ReadDdl, table: str, item: Sequence[Token]) -> None:
    if not item:
        return
    words = [each.text.upper() for each in item]
    quoted = item[0].token_type is TokenType.IDENTIFIER
    if words[0] in _CONSTRAINTS and not quoted:
        if "REFERENCES" in words and (target := _path(item, words.index("REFERENCES") + 1)):
            read.catalogue.add_table(table).refers.add(_key(read, target))
        return
    name = item[0].text
    kind = next((word for word in words[1:] if word not in _WRAPPERS), "").lower()
    read.catalogue.add_column(table, name, kind)
    if "REFERENCES" in words and (target := _path(item, words.index("REFERENCES") + 1)):
        read.catalogue.add_table(table).refers.add(_key(read, target))
    _note(read, table, name, [*_stated(item), *_comments(item)])


def _key(read: ReadDdl, target: str) -> str:
    return letters(read.catalogue.add_table(target).name)


def _path(tokens: Sequence[Token], start: int) -> str:
    """The last part of the dotted name that starts here."""
    last = ""
    dotted = True
    for each in tokens[start:]:
        if each.token_type is TokenType.DOT:
            dotted = True
        elif each.token_type is TokenType.L_PAREN or not dotted:
            break
        else:
            last, dotted = each.text, False
    return last


def _stated(tokens: Sequence[Token]) -> list[str]:
    """Texts behind COMMENT and description."""
    found: list[str] = []
    for place, each in enumerate(tokens[:-1]):
        if each.text.upper() in ("COMMENT", "DESCRIPTION"):
            later = [other for other in tokens[place + 1 : place + 3] if other.text != "="]
            if later and later[0].token_type is TokenType.STRING:
                found.append(later[0].text)
    return found


def _comments(tokens: Sequence[Token]) -> list[str]:
    return [comment for each in tokens for comment in each.comments]


def _read_comment(read: ReadDdl, tokens: Sequence[Token]) -> None:
    words = [each.text.upper() for each in tokens]
    if "IS" not in words or words[0] not in ("TABLE", "COLUMN", "VIEW"):
        return
    at = words.index("IS")
    path = [each.text for each in tokens[1:at] if each.token_type is not TokenType.DOT]
    text = tokens[at + 1].text if at + 1 < len(tokens) else ""
    if words[0] == "COLUMN" and len(path) > 1:
        read.catalogue.add_column(path[-2], path[-1])
        _note(read, read.catalogue.add_table(path[-2]).name, path[-1], [text])
    elif path and words[0] != "COLUMN":
        _note(read, read.catalogue.add_table(path[-1]).name, None, [text])


def _note(read: ReadDdl, table: str, column: str | None, texts: Sequence[str]) -> None:
    for each in texts:
        text = " ".join(each.split())
        if text:
            read.notes.append(Note(text=text, table=table, column=column))
