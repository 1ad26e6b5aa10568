"""Asks SQLite, DuckDB and PostgreSQL what expressions come to, many in one query."""

from __future__ import annotations

import asyncio
import math
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date
from decimal import Decimal
from typing import Any

import asyncpg
import duckdb

from scoring.sql.evaluation.values import Near
from tests.scoring.sql.value_grammar import COLUMNS, ROWS

Rows = Sequence[Sequence[Any]]
Ask = Callable[[str], Rows]
"""Runs one query."""
_MADE = f"CREATE TEMPORARY TABLE t ({COLUMNS})"
_FILLED = f"INSERT INTO t VALUES {ROWS}"
_AT_ONCE = 200
_EXACT, _NEAR = 1e-9, 1e-6
"""How far two numbers may differ, for their size; a REAL has seven digits."""


@contextmanager
def sqlite_engine() -> Iterator[Ask]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(_MADE)
        connection.execute(_FILLED)
        yield lambda sql: connection.execute(sql).fetchall()


@contextmanager
def duckdb_engine() -> Iterator[Ask]:
    with closing(duckdb.connect()) as connection:
        connection.execute("SET threads = 1")
        connection.execute(_MADE)
        connection.execute(_FILLED)
        yield lambda sql: connection.execute(sql).fetchall()


@contextmanager
def postgres_engine(url: str) -> Iterator[Ask]:
    with asyncio.Runner() as runner:
        connection = runner.run(asyncpg.connect(url))
        runner.run(connection.execute(_MADE))
        runner.run(connection.execute(_FILLED))
        yield lambda sql: runner.run(connection.fetch(sql))
        runner.run(connection.close())


def answers(ask: Ask, expressions: Sequence[str]) -> list[list[Any] | None]:
    """What each expression comes to in each row; `None` for those that the engine refuses.

    One of them makes the whole query fail, so the others are asked in smaller and smaller parts.
    """
    found: list[list[Any] | None] = []
    for start in range(0, len(expressions), _AT_ONCE):
        found += _part(ask, expressions[start : start + _AT_ONCE])
    return found


def _part(ask: Ask, expressions: Sequence[str]) -> list[list[Any] | None]:
    try:
        rows = ask(f"SELECT {', '.join(f'{each} AS c{place}' for place, each in enumerate(expressions))} FROM t")
    except (sqlite3.Error, duckdb.Error, asyncpg.PostgresError):
        if len(expressions) == 1:
            return [None]
        size = -(-len(expressions) // 4)
        return [each for start in range(0, len(expressions), size) for each in _part(ask, expressions[start:][:size])]
    return [[row[place] for row in rows] for place in range(len(expressions))]


def agrees(stated: Any, found: Any) -> bool:
    """Whether a stated value is the one that an engine found."""
    if stated is None or found is None:
        return stated is found
    if isinstance(stated, bool):
        return bool(found) is stated and not isinstance(found, str)
    if isinstance(stated, int | float | Decimal):
        near = _NEAR if isinstance(stated, Near) else _EXACT
        return not isinstance(found, str) and math.isclose(found, stated, rel_tol=near, abs_tol=near)
    return found == stated if isinstance(stated, date) else str(found) == stated


def has_no_value(found: Any) -> bool:
    """Whether a result is NULL, or what DuckDB makes of 0 / 0."""
    return found is None or (isinstance(found, float) and math.isnan(found))
