"""Runs queries on a database in memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from references.comparison.results import QueryResult
from references.sandbox import Failure, FailureKind


def running(schema: str) -> Callable[[str], QueryResult | Failure]:
    """What a query gives on a new database with these tables."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(schema)

    def query(sql: str) -> QueryResult | Failure:
        try:
            cursor = connection.execute(sql)
            return QueryResult(columns=tuple(each[0] for each in cursor.description), rows=tuple(cursor.fetchall()))
        except sqlite3.Error as error:
            return Failure(kind=FailureKind.ERROR, detail=str(error))

    return query
