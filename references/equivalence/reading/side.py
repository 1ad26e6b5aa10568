"""Reads a query as SQLite runs it, with the clock stopped."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from sqlglot import exp
from sqlglot.errors import UnsupportedError

from references.equivalence.reading.ordered_values import as_aggregates, ordered_aggregates
from references.equivalence.reading.translation import folding_of, translated
from references.sandbox import Folding
from references.stopped_clocks import stop_clocks
from scoring.query import Unscored, UnscoredReason
from scoring.sql.bounds import screen
from scoring.sql.parsing import parse_query

_UNSTEADY = (exp.Rand, exp.Randn, exp.Uuid)


class RefusalKind(StrEnum):
    UNSUPPORTED = "unsupported"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a query cannot be run."""

    kind: RefusalKind
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One query, ready to run."""

    sql: str
    """The SQL that SQLite runs."""
    tree: exp.Query
    """The same as a tree, which must not be changed."""
    translated: bool
    """Whether it was written for another dialect."""
    dialect: str = "sqlite"
    folding: Folding = Folding.LIKE
    """When texts that differ only in letter case are equal."""
    ordered: bool = False
    """Whether it has aggregates over ordered values."""
    reshaped: bool = False
    """Whether it was written otherwise than as its dialect has it, so that names of columns may be missing by that."""


@lru_cache(maxsize=256)
def read_side(sql: str, dialect: str | None) -> Side | Refusal:
    """Reads a query as SQLite runs it."""
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
        return Refusal(RefusalKind.UNSUPPORTED, "nested too deeply")


_CHANCE = re.compile(r"rand|uuid|newid|sys_guid|nextval|sample", re.IGNORECASE)


def as_written(sql: str, dialect: str | None) -> tuple[str, exp.Query] | None:
    """Returns the query in its own dialect without layout and comments; `None` when it is invalid or random.

    Its text and its tree: each alone leaves out something that the other keeps.

    >>> as_written("select  ARRAY[1] -- one", "postgres") == as_written("SELECT ARRAY[1]", "postgres")
    True
    """
    text = screen(sql)
    parsed = text if isinstance(text, Unscored) else parse_query(text, dialect or "sqlite")
    if isinstance(parsed, Unscored) or not isinstance(parsed.tree, exp.Query) or _CHANCE.search(sql):
        return None
    try:
        return parsed.tree.sql(dialect=parsed.dialect, comments=False), parsed.tree
    except (RecursionError, UnsupportedError):
        return None


_BEYOND = frozenset({UnscoredReason.SQL_TOO_LARGE, UnscoredReason.SQL_TOO_DEEP, UnscoredReason.SQL_TOO_LONG})


def _prepared(sql: str, tree: exp.Query, dialect: str) -> Side | Refusal:
    unsteady = next(tree.find_all(*_UNSTEADY), None)
    if unsteady is not None:
        return Refusal(RefusalKind.UNSUPPORTED, f"{unsteady.key.upper()} returns another value each time")
    inner = next((each.name for each in tree.find_all(exp.Table) if each.name.lower().startswith("sqlite_")), None)
    if inner is not None:
        return Refusal(RefusalKind.UNSUPPORTED, f"SQLite keeps the name {inner} for itself")
    stopped = stop_clocks(tree, sql, dialect)
    if dialect == "databricks" and not _WITH_UNIT.search(sql):
        _count_days(tree)
    if dialect == "sqlite" and not stopped:
        return Side(sql=sql.strip().rstrip("; \t\r\n"), tree=tree, translated=False)
    if dialect == "sqlite":
        return Side(sql=tree.sql(dialect="sqlite"), tree=tree, translated=False)
    return _translated(tree, dialect)


_WITH_UNIT = re.compile(r"date_?diff\s*\(\s*\W?(?:day|dayofyear)s?\W?\s*,", re.IGNORECASE)
"""Databricks' DATEDIFF of three arguments, which counts whole days between moments."""


def _count_days(tree: exp.Query) -> None:
    """Leaves out the unit that the parser adds to a DATEDIFF of two arguments, which counts days of the calendar."""
    for each in tree.find_all(exp.DateDiff):
        if each.text("unit").upper() == "DAY":
            each.set("unit", None)


def _translated(tree: exp.Query, dialect: str) -> Side | Refusal:
    try:
        text = translated(tree, dialect)
    except UnsupportedError as error:
        return Refusal(RefusalKind.UNSUPPORTED, f"cannot be translated to SQLite: {str(error).splitlines()[0][:120]}")
    parsed = parse_query(text, "sqlite")
    if isinstance(parsed, Unscored) or not isinstance(parsed.tree, exp.Query):
        return Refusal(RefusalKind.UNSUPPORTED, f"{dialect} has no equivalent in SQLite")
    read = as_aggregates(parsed.tree)
    ordered = any(True for _ in ordered_aggregates(read))
    return Side(sql=text, tree=read, translated=True, dialect=dialect, folding=folding_of(dialect), ordered=ordered)
