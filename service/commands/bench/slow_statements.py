"""Notes which SQL statements of an engine take long, and asks PostgreSQL for their plans."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ExceptionContext, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

_PLAN_SECONDS = 300
_EXPLAINED = ("SELECT", "WITH")
"""Statements that have a plan: not those that change a setting."""


@dataclass(slots=True, kw_only=True)
class SlowStatement:
    """A statement with the parameters of its longest run."""

    text: str
    parameters: Any
    seconds: float


@dataclass(slots=True)
class SlowStatements:
    """The statements that took longer than `seconds` at least once."""

    engine: AsyncEngine
    seconds: float
    found: dict[str, SlowStatement] = field(default_factory=dict[str, SlowStatement])

    @contextmanager
    def noting(self) -> Generator[None]:
        """Notes statements while the context is open."""
        began: dict[int, float] = {}

        def before(_connection: Any, _cursor: Any, _text: str, _parameters: Any, context: Any, _many: bool) -> None:
            began[id(context)] = time.perf_counter()

        def after(_connection: Any, _cursor: Any, said: str, parameters: Any, context: Any, _many: bool) -> None:
            self._note(said, parameters, time.perf_counter() - began.pop(id(context), time.perf_counter()))

        def failed(error: ExceptionContext) -> None:
            start = began.pop(id(error.execution_context), None)
            if start is not None and error.statement is not None:
                self._note(error.statement, error.parameters, time.perf_counter() - start)

        heard = {"before_cursor_execute": before, "after_cursor_execute": after, "handle_error": failed}
        for name, listener in heard.items():
            event.listen(self.engine.sync_engine, name, listener)
        try:
            yield
        finally:
            for name, listener in heard.items():
                event.remove(self.engine.sync_engine, name, listener)

    def _note(self, said: str, parameters: Any, seconds: float) -> None:
        if not said.lstrip().upper().startswith(_EXPLAINED):
            return
        known = self.found.get(said)
        if seconds > self.seconds and (known is None or seconds > known.seconds):
            self.found[said] = SlowStatement(text=said, parameters=parameters, seconds=seconds)

    async def plans(self) -> list[str]:
        """The plan of each, the slowest first, as PostgreSQL ran it now."""
        return [await self._plan(each) for each in sorted(self.found.values(), key=lambda each: -each.seconds)]

    async def _plan(self, slow: SlowStatement) -> str:
        """The plan, or why there is none: retention may have dropped a table since."""
        async with self.engine.connect() as connection:
            await connection.execute(text(f"SET LOCAL statement_timeout = '{_PLAN_SECONDS}s'"))
            explained = f"EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, SUMMARY ON) {slow.text}"
            try:
                rows = await connection.exec_driver_sql(explained, slow.parameters)
                plan = "\n".join(str(row[0]) for row in rows)
            except DBAPIError as error:
                plan = f"no plan: {error.orig}"
            await connection.rollback()
        return f"{slow.seconds * 1e3:.0f} ms: {' '.join(slow.text.split())}\n{plan}"
