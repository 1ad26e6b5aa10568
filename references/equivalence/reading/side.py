"""Both queries as SQLite may run them, with the clock stopped; or why one of them may not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from sqlglot import exp
from sqlglot.errors import UnsupportedError

from references.equivalence.reading.translation import folding_of, translated
from references.sandbox import Folding
from scoring.query import Unscored, UnscoredReason
from scoring.sql.bounds import screen
from scoring.sql.parsing import parse_query

NOW = "2024-06-15 12:00:00"
"""What every clock of a query shows."""

_CLOCKS: dict[type[exp.Expr], str] = {
    exp.CurrentDate: NOW[:10],
    exp.CurrentTime: NOW[11:],
    exp.CurrentTimestamp: NOW,
    exp.CurrentDatetime: NOW,
}
_UNSTEADY = (exp.Rand, exp.Randn, exp.Uuid)
_NOW = re.compile(r"now|current_|getdate|sysdate|localtime|unixepoch", re.IGNORECASE)


class RefusalKind(StrEnum):
    UNSUPPORTED = "unsupported"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a query is not run."""

    kind: RefusalKind
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One query, ready to run."""

    sql: str
    """As SQLite runs it."""
    tree: exp.Query
    """The same as a tree; not to be changed."""
    translated: bool
    """It was written for another dialect."""
    folding: Folding = Folding.LIKE
    """When letter case is taken for the same."""


@lru_cache(maxsize=256)
def read_side(sql: str, dialect: str | None) -> Side | Refusal:
    """The query as SQLite runs it, or why it does not."""
    text = screen(sql)
    parsed = text if isinstance(text, Unscored) else parse_query(text, dialect or "sqlite")
    if isinstance(parsed, Unscored):
        kind = RefusalKind.UNSUPPORTED if parsed.reason in _BEYOND else RefusalKind.ERROR
        return Refusal(kind, parsed.detail)
    tree = parsed.tree
    if not isinstance(tree, exp.Query):
        return Refusal(RefusalKind.UNSUPPORTED, "not a SELECT")
    try:
        return _prepared(sql, tree, parsed.dialect)
    except RecursionError:
        return Refusal(RefusalKind.UNSUPPORTED, "nests deeper than can be followed")


_CHANCE = re.compile(r"rand|uuid|newid|sys_guid|nextval|sample", re.IGNORECASE)


def as_written(sql: str, dialect: str | None) -> str | None:
    """The query in its own dialect, without layout and comments; `None` where it is none or leaves something to chance.

    >>> as_written("select  ARRAY[1] -- one", "postgres") == as_written("SELECT ARRAY[1]", "postgres")
    True
    """
    text = screen(sql)
    parsed = text if isinstance(text, Unscored) else parse_query(text, dialect or "sqlite")
    if isinstance(parsed, Unscored) or not isinstance(parsed.tree, exp.Query) or _CHANCE.search(sql):
        return None
    try:
        return parsed.tree.sql(dialect=parsed.dialect, comments=False)
    except (RecursionError, UnsupportedError):
        return None


_BEYOND = frozenset({UnscoredReason.SQL_TOO_LARGE, UnscoredReason.SQL_TOO_DEEP, UnscoredReason.SQL_TOO_LONG})


def _prepared(sql: str, tree: exp.Query, dialect: str) -> Side | Refusal:
    unsteady = next(tree.find_all(*_UNSTEADY), None)
    if unsteady is not None:
        return Refusal(RefusalKind.UNSUPPORTED, f"{unsteady.key.upper()} gives another value each time")
    stopped = bool(_NOW.search(sql)) and _stop_clocks(tree)
    if dialect == "sqlite" and not stopped:
        return Side(sql=sql.strip().rstrip("; \t\r\n"), tree=tree, translated=False)
    if dialect == "sqlite":
        return Side(sql=tree.sql(dialect="sqlite"), tree=tree, translated=False)
    return _translated(tree, dialect)


def _translated(tree: exp.Query, dialect: str) -> Side | Refusal:
    try:
        text = translated(tree, dialect)
    except UnsupportedError as error:
        return Refusal(RefusalKind.UNSUPPORTED, f"not in SQLite's words: {str(error).splitlines()[0][:120]}")
    parsed = parse_query(text, "sqlite")
    if isinstance(parsed, Unscored) or not isinstance(parsed.tree, exp.Query):
        return Refusal(RefusalKind.UNSUPPORTED, f"{dialect} says what SQLite cannot")
    return Side(sql=text, tree=parsed.tree, translated=True, folding=folding_of(dialect))


def _stop_clocks(tree: exp.Query) -> bool:
    """Puts the frozen time in the place of every clock; whether there was one."""
    found = [node for node in tree.walk() if type(node) in _CLOCKS or _is_now(node)]
    for node in found:
        node.replace(exp.Literal.string(_CLOCKS.get(type(node), NOW)))
    return bool(found)


def _is_now(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.is_string and node.this.lower() == "now"
