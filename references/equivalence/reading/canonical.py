"""Normalises a query's text so that queries that differ only in spelling are equal."""

from __future__ import annotations

from sqlglot import exp


def same_query(a: exp.Query, b: exp.Query) -> bool:
    """Whether two queries differ in spelling only. Most do not even name the same things, which is soon seen.

    >>> from sqlglot import parse_one
    >>> same_query(parse_one("SELECT Name AS n FROM Shelf"), parse_one("select name from shelf"))
    True
    """
    return _named(a) == _named(b) and canonical(a) == canonical(b)


def _named(tree: exp.Query) -> list[str]:
    """The columns, tables and constants of a query, in order."""
    return sorted(node.name.lower() for node in tree.find_all(exp.Column, exp.Table, exp.Literal))


def canonical(tree: exp.Query) -> str:
    """Returns the query in lower case, without comments and without output names that nothing uses.

    >>> from sqlglot import parse_one
    >>> canonical(parse_one("SELECT Name AS n FROM Shelf")) == canonical(parse_one("select name from shelf"))
    True
    """
    copy = tree.copy()
    for node in copy.find_all(exp.Identifier):
        if not _may_be_text(node):
            node.set("this", node.name.lower())
            node.set("quoted", False)
    if isinstance(copy, exp.Select) and not _uses_outputs(copy):
        copy.set("expressions", [each.unalias() for each in copy.expressions])
    return copy.sql(dialect="sqlite", comments=False)


def _may_be_text(node: exp.Identifier) -> bool:
    """Whether a quoted word has no table: SQLite reads it as text when no column has its name."""
    parent = node.parent
    return bool(node.args.get("quoted")) and isinstance(parent, exp.Column) and not parent.args.get("table")


def _uses_outputs(select: exp.Select) -> bool:
    names = {each.alias.lower() for each in select.expressions if isinstance(each, exp.Alias)}
    used = (each.name.lower() for each in select.find_all(exp.Column) if not each.args.get("table"))
    return any(name in names for name in used)
