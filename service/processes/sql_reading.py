"""Checks SQL that a person typed, in a process that can be ended: it may be costly to parse."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from scoring.query import Unscored
from scoring.sql.parsing import parse_query
from service.processes.child import limit_cpu, note_step
from service.processes.endable import CallFailed, EndableProcess, ProcessEnded


class SqlReading:
    """Says what is wrong with SQL."""

    def __init__(self, cpu_seconds: float) -> None:
        self._cpu_seconds = cpu_seconds
        self._process = EndableProcess(_prepare)

    async def fault(self, sql: str, dialect: str | None) -> str | None:
        """Why the SQL is not one readable query; `None` where it is."""
        try:
            return await self._process.call(_fault, self._cpu_seconds, sql, dialect)
        except ProcessEnded:
            return "it takes too long to read: shorten it"
        except CallFailed as error:
            return f"it cannot be read ({error.kind}): please report it"

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()


@asynccontextmanager
async def sql_reading(cpu_seconds: float) -> AsyncGenerator[SqlReading]:
    """Opens it; the process starts with the first SQL and ends on leaving."""
    reading = SqlReading(cpu_seconds)
    try:
        yield reading
    finally:
        reading.close()


def _prepare() -> None:
    """All modules are loaded already."""


def _fault(cpu_seconds: float, sql: str, dialect: str | None) -> str | None:
    note_step()
    limit_cpu(cpu_seconds)
    try:
        read = parse_query(sql, dialect)
        return (read.detail or read.reason.value) if isinstance(read, Unscored) else None
    except (ValueError, MemoryError, RecursionError) as error:
        return str(error) or type(error).__name__
    finally:
        limit_cpu(0)
