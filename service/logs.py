"""The log: one JSON object per line on stderr. Questions and SQL are shortened and hashed, never written whole."""

from __future__ import annotations

import hashlib
import logging
import sys
import time
from collections.abc import Callable
from typing import Any, cast

import orjson
import structlog

from consumers.wire.texts import shorten
from service.settings.observability_settings import LogSettings

_MAX_REMEMBERED = 1000
"""Messages remembered at most, because messages with values in them are all different."""

log = cast("structlog.stdlib.BoundLogger", structlog.get_logger("sqlassay"))


class RateLimited(logging.Filter):
    """Limits what libraries repeat while a server is down, which would bury the service's own lines.

    Of one message with any values a line is written per `seconds`, and with the same values per `repeated` seconds.
    """

    def __init__(self, seconds: float = 1.0, repeated: float = 30.0) -> None:
        super().__init__()
        self._seconds, self._repeated = seconds, repeated
        self._until: dict[tuple[str, str], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to write the record. Those with a traceback always are."""
        if record.exc_info is not None:
            return True
        message, line = (record.name, str(record.msg)), (record.name, f"{record.msg} {record.args}")
        if record.created < max(self._until.get(message, 0.0), self._until.get(line, 0.0)):
            return False
        if len(self._until) > _MAX_REMEMBERED - 2:
            self._until.clear()
        self._until[message] = record.created + self._seconds
        self._until[line] = record.created + self._repeated
        return True


class LimitedLine:
    """A log line that senders can cause at will: at most one per `seconds`, with how many were left out."""

    def __init__(self, event: str, seconds: float = 1.0, timer: Callable[[], float] = time.monotonic) -> None:
        self._event, self._seconds, self._timer = event, seconds, timer
        self._next, self._left_out = 0.0, 0

    def warning(self, **fields: object) -> None:
        """Writes the line, or counts it."""
        now = self._timer()
        if now < self._next:
            self._left_out += 1
            return
        log.warning(self._event, **fields, left_out=self._left_out)
        self._next, self._left_out = now + self._seconds, 0


def configure_logs(settings: LogSettings) -> None:
    """Sends all logs of this process, including libraries', to stderr in the configured format."""
    level = logging.getLevelNamesMapping()[settings.level.upper()]
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*shared, _renderer(settings)],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _renderer(settings)],
            foreign_pre_chain=shared,
        )
    )
    handler.addFilter(RateLimited())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(max(level, logging.WARNING))


def _renderer(settings: LogSettings) -> Any:
    if settings.format == "console":
        return structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    return structlog.processors.JSONRenderer(serializer=_dumps)


def _dumps(value: object, **_: object) -> str:
    return orjson.dumps(value, default=repr).decode("utf-8", "replace")


def digest(text: str) -> str:
    """A question or SQL as the log shows it: 80 characters and a hash to find the row by.

    >>> digest("SELECT 1")
    'SELECT 1 #e004ebd5'
    """
    return f"{shorten(text)} #{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:8]}"
