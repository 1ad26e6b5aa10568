"""The log: one JSON object per line on stderr. Texts of people are shortened and hashed, never written whole."""

from __future__ import annotations

import hashlib
import logging
import sys
from typing import Any, cast

import orjson
import structlog

from consumers.texts import shorten
from service.settings import LogSettings

log = cast("structlog.stdlib.BoundLogger", structlog.get_logger("sqlassay"))


def configure_logs(settings: LogSettings) -> None:
    """Sends all logs of this process, libraries' included, to stderr in the format that is set."""
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
    """What the log shows of a question or SQL: 80 characters and a hash to find the row by.

    >>> digest("SELECT 1")
    'SELECT 1 #e004ebd5'
    """
    return f"{shorten(text)} #{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:8]}"
