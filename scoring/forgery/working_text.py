"""The words and numbers that an SQL text works with: what only decorates it does not count."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.sql.bounds import declares_values
from scoring.verdict import Case

_QUOTED = r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`"
_ALIAS = lazy(rf"\bas\s+(?:{_QUOTED})", re.IGNORECASE)
_COMPARED_CASE = lazy(
    r"\bcase\b((?:(?!\bcase\b|\bend\b).)*)\bend\b[\s)]*(?:=|<>|!=|\bin\b|\blike\b)[\s(]*(?:'[^']*'|\d+)",
    re.IGNORECASE | re.DOTALL,
)
_LABEL = lazy(r"\b(then|else)\s+(?:'[^']*'|\d+)", re.IGNORECASE)
_SIGNS = ("case", "CASE")
_STATEMENT = lazy(rf"(?:{_QUOTED}|[^;'\"`])+")
_DECLARED = lazy(r"@\w+(?=\s+[a-z])")
_LITERAL = lazy(rf"{_QUOTED}|(?<![\w.])\d+(?:\.\d+)?")


def working_text(case: Case) -> str:
    """The literals of the SQL and the names of the tables and columns that it reads, without upper case.

    Comments, aliases, the labels of a CASE that is compared with a label and DECLAREd values that nothing uses are left
    out: they restrict nothing.

    >>> working_text(case("Shops in Lisbon", "SELECT name AS 'Lisbon' FROM shops WHERE size > 40 -- in Lisbon"))
    '40 name shops size'
    """
    sql = case.written
    if declares_values(sql):
        sql = _without_idle(sql)
    sql = _ALIAS.sub(" ", sql)
    sql = _COMPARED_CASE.sub(lambda match: _LABEL.sub(" ", match[1]), sql)
    tables = {table for block in case.sql.blocks for table in block.tables if "/" not in table}
    return " ".join([*_LITERAL.findall(sql), *sorted(case.read), *sorted(tables - case.read)]).casefold()


def _without_idle(sql: str) -> str:
    """The query, with the declarations before it of which all values are used."""
    *before, query = _STATEMENT.findall(sql.rstrip("; \t\r\n")) or [sql]
    kept = query
    for each in reversed(before):
        if all(name in kept.lower() for name in _DECLARED.findall(each.lower())):
            kept = f"{each};{kept}"
    return kept


def may_be_idle(number: str, sql: str) -> bool:
    """Whether a number of an SQL text may stand in an alias, a label or another name; quick to find."""
    if any(map(sql.__contains__, _SIGNS)) or declares_values(sql):
        return True
    before = sql[: sql.find(number)][-5:]
    return before[-1:].isalpha() or before[-1:] == "_" or " as " in f"{before} ".lower().replace('"', " ")
