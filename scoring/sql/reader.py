"""From text to specification: bounds, parse, one walk."""

from __future__ import annotations

from types import MappingProxyType

from sqlglot import exp

from scoring.query import Unscored, UnscoredReason
from scoring.specification import Clause, SqlFilter, SqlSpec
from scoring.sql import aggregates, dates, expressions, subqueries, windows
from scoring.sql.blocks import read_query
from scoring.sql.bounds import screen, shortened
from scoring.sql.conditions import record
from scoring.sql.parsing import Parsed, parse_condition, parse_query
from scoring.sql.scopes import Names, Reader, Reading, Scope

READERS: MappingProxyType[type[exp.Expr], Reader] = MappingProxyType(
    {**expressions.READERS, **dates.READERS, **aggregates.READERS, **windows.READERS, **subqueries.READERS}
)
"""Which function reads which kind of node. Later modules win: a call may be an aggregate before a plain function."""


def specify(sql: str, dialect: str | None) -> SqlSpec | Unscored:
    """The specification of one query, or why it has none."""
    text = screen(sql)
    if isinstance(text, Unscored):
        return text
    parsed = parse_query(text, dialect)
    if isinstance(parsed, Unscored):
        return parsed
    try:
        return walk(parsed)
    except RecursionError:
        return Unscored(UnscoredReason.SQL_TOO_DEEP, "an expression nests deeper than can be followed")
    except (AttributeError, KeyError, TypeError, IndexError) as error:
        # The parser takes some broken calls and leaves out what they need; no list of them would be complete.
        return Unscored(
            UnscoredReason.UNPARSEABLE_SQL, f"{parsed.dialect}: incomplete expression ({shortened(str(error))})"
        )


def walk(parsed: Parsed) -> SqlSpec:
    """The specification of a parsed query; raises where the parser left a part of the tree out."""
    reading = _reading(parsed.dialect, lenient=parsed.lenient)
    read_query(reading, parsed.tree, "main", None, Names(), True)
    return reading.specification(parsed.nodes)


def predicate_filters(text: str, dialect: str | None) -> tuple[SqlFilter, ...] | Unscored:
    """The filters of one predicate, or why it has none."""
    screened = screen(f"SELECT {text}")
    if isinstance(screened, Unscored):
        return screened
    parsed = parse_condition(text, dialect)
    if isinstance(parsed, Unscored):
        return parsed
    reading = _reading(parsed.dialect, lenient=parsed.lenient)
    try:
        record(Scope(reading, "main", None, Names()), parsed.tree, Clause.WHERE)
    except RecursionError:
        return Unscored(UnscoredReason.SQL_TOO_DEEP, "an expression nests deeper than can be followed")
    except (AttributeError, KeyError, TypeError, IndexError) as error:
        return Unscored(
            UnscoredReason.UNPARSEABLE_SQL, f"{parsed.dialect}: incomplete expression ({shortened(str(error))})"
        )
    if reading.subqueries or not reading.filters:
        return Unscored(UnscoredReason.UNPARSEABLE_SQL, f"not a condition on columns: {shortened(text)}")
    return tuple(reading.filters.values())


def _reading(dialect: str, *, lenient: bool) -> Reading:
    return Reading(
        dialect=dialect,
        lenient=lenient,
        readers=READERS,
        read_query=read_query,
        read_subquery=subqueries.read_subquery,
    )
