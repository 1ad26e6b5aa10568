"""Finds fields that PostgreSQL would read as calls: `(value).name` runs `name(value)` if no column has that name.

`table.name` gives the whole row of the table to a function `name`. A function in FROM that returns plain values has
no row: there the name of its alias stands for the value.

Names are compared in lower case. The server tells more names apart, as it reads them in quotes; a name that it would
take for another one is refused before (`Vocabulary.misread`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from references.databases.vocabulary import OwnNames, Vocabulary

_DEFAULT = re.compile(r"(column|f)\d{1,4}|ordinality|\?column\?")
"""Columns that PostgreSQL names itself."""


def called_fields(tree: exp.Expr, vocabulary: Vocabulary, own: OwnNames) -> Iterator[str]:
    """Yields an objection for each field that is no known column, or that may call a function.

    A field is known when the catalogue has a column of its name, when the query itself names a column so, or when a
    function of its name is known to be harmless.

    >>> from references.databases.vocabulary import POSTGRES
    >>> from sqlglot import parse_one
    >>> own = OwnNames(columns=frozenset({"cloth"}), calling=frozenset({"lo_create"}))
    >>> def said(sql): return list(called_fields(parse_one(sql, read="postgres"), POSTGRES, own))
    >>> said("SELECT l.cloth, s.n FROM looms AS l, (SELECT 1 AS n) AS s")
    []
    >>> said("SELECT (0::oid).lo_create, l.weft FROM looms AS l")
    ['the function lo_create is not known to be harmless', 'the field weft is not known to be a column']
    """
    known = own.columns | vocabulary.words | own.last_names | _named(tree)
    rows = _row_sources(tree)
    for node in tree.find_all(exp.Column, exp.Dot):
        if (last := _last(node)) is None or (isinstance(node, exp.Column) and not node.table):
            continue
        name = _read_as(last)
        of_a_row = isinstance(node, exp.Column) and node.table.lower() in rows
        if name in (own.computed if of_a_row else own.calling):
            yield f"the function {name} is not known to be harmless"
        elif name not in known and not _DEFAULT.fullmatch(name):
            yield f"the field {name[:80]} is not known to be a column"


def names_after_dots(tree: exp.Expr) -> set[str]:
    """The names that follow a dot in the text of the tree."""
    found = {each.name for dot in tree.find_all(exp.Dot) if (each := _last(dot)) is not None}
    for node in tree.find_all(exp.Column, exp.Table):
        found |= {part.name for part in node.parts[1:]}
    return found


def _last(node: exp.Column | exp.Dot) -> exp.Identifier | None:
    last = node.expression if isinstance(node, exp.Dot) else node.this
    return last if isinstance(last, exp.Identifier) else None


def _read_as(name: exp.Identifier) -> str:
    return name.name.lower()


def _named(tree: exp.Expr) -> set[str]:
    """Names that the query gives to columns; a source's own name is one where its rows have no other."""
    found: set[str] = set()
    for node in tree.find_all(exp.Alias, exp.TableAlias, exp.Table, exp.ColumnDef):
        given = node.args.get("alias") if isinstance(node, exp.Alias) else node.this
        listed = node.columns if isinstance(node, exp.TableAlias) else []
        found |= {_read_as(each) for each in (given, *listed) if isinstance(each, exp.Identifier)}
    return found


def _row_sources(tree: exp.Expr) -> set[str]:
    """Names in FROM that stand for a row wherever the query uses them; none if a function there has no alias."""
    rows: set[str] = set()
    values: set[str] = set()
    for source in _sources(tree):
        name = source.alias_or_name.lower()
        if _has_rows(source):
            rows.add(name)
        elif not source.alias:
            return set()
        else:
            values.add(name)
    return rows - values


def _sources(tree: exp.Expr) -> Iterator[exp.Expr]:
    for node in tree.walk():
        if isinstance(node, exp.Table | exp.Lateral):
            yield node
        elif isinstance(node, exp.From | exp.Join | exp.Subquery | exp.TableAlias):
            source = node.parent if isinstance(node, exp.TableAlias) else node.this
            if isinstance(source, exp.Subquery) or not isinstance(source, exp.CTE | exp.Query | None):
                yield source


def _has_rows(source: exp.Expr) -> bool:
    if isinstance(source, exp.Lateral):
        return isinstance(source.this, exp.Subquery)
    if isinstance(source, exp.Table):
        return isinstance(source.this, exp.Identifier)
    return isinstance(source, exp.Subquery | exp.Values)
