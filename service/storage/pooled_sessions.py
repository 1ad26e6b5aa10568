"""Which sessions of a pool are used again: none that ended while idle, and none that may still be read-only."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, ExceptionContext, event
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import ConnectionPoolEntry

READ_ONLY = "25006"
"""SQLSTATE of a write in a read-only transaction."""
_IDLE_SECONDS = 1.0
"""A session that was idle for so long is asked whether it is still open before it is used again."""
_LEFT, _OPENED = "left", "opened"
_AGE = "sqlassay_session_age"


@dataclass(slots=True)
class SessionAge:
    """How old a pool's sessions may be."""

    not_before: float = 0.0
    """A session that was opened before this moment of the monotonic clock is not used again."""


def session_options() -> dict[str, SessionAge]:
    """Options of the engine by which `renew_sessions` knows its pool."""
    return {_AGE: SessionAge()}


def watch_sessions(engine: Engine) -> None:
    """Opens sessions anew that ended while idle, that are too old, or that refused a write as read-only."""
    age: SessionAge = engine.get_execution_options()[_AGE]

    def opened(connection: object, entry: ConnectionPoolEntry) -> None:
        entry.info[_OPENED] = time.monotonic()

    def leave(connection: object, entry: ConnectionPoolEntry) -> None:
        entry.info[_LEFT] = time.monotonic()

    def ask(connection: Any, entry: ConnectionPoolEntry, fairy: object) -> None:
        if entry.info.get(_OPENED, age.not_before) < age.not_before:
            raise InvalidatePoolError
        left = entry.info.get(_LEFT)
        if left is None or time.monotonic() - left < _IDLE_SECONDS:
            return
        # `pool_pre_ping` asks each time, at three more trips
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise InvalidatePoolError from error

    event.listen(engine, "connect", opened)
    event.listen(engine, "checkin", leave)
    event.listen(engine, "checkout", ask)
    event.listen(engine, "handle_error", _drop_read_only_sessions)


def renew_sessions(engine: AsyncEngine) -> None:
    """Replaces each session of the pool before its next use: it keeps the settings with which it was opened."""
    age: SessionAge = engine.sync_engine.get_execution_options()[_AGE]
    age.not_before = time.monotonic()


def _drop_read_only_sessions(context: ExceptionContext) -> None:
    """Marks the whole pool: a primary that became a standby, or a role that was read-only, keeps its sessions so."""
    if getattr(driver_error(context.original_exception), "sqlstate", None) == READ_ONLY:
        context.is_disconnect = True


def driver_error(error: BaseException) -> BaseException:
    """The driver's own exception, which SQLAlchemy wraps twice and COPY raises directly."""
    wrapped = getattr(error, "orig", None)
    return (wrapped.__cause__ or wrapped) if isinstance(wrapped, BaseException) else error
