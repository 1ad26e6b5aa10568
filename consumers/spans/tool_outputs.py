"""Finds the error of a database in what a tool gave back, for tools that catch it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from consumers.spans.json_texts import decoded

_ERROR = re.compile(
    r"\W*(?:(?:sql|database|db|query|tool|execution)\s+)?"
    r"(?:error|failed|failure|exception|traceback|ORA-\d{5}|SQLSTATE|no such (?:table|column|function)\b"
    r"|[\w.]*(?:Error|Exception)\b)",
    re.IGNORECASE,
)
"""How the text of an error begins."""
_ZERO = re.compile(r"\s*(?:error|failed|exception)s?\s*[:=]\s*(?:0|none|null|false|no)\s*(?:$|[,;\n])", re.IGNORECASE)
_TEXTS = (
    "content",
    "text",
    "output",
    "result",
    "message",
    "kwargs",
    "data",
    "response",
    "parts",
    "blocks",
    "raw_output",
)
_ERRORS = ("error", "error_message")
_MESSAGE = frozenset({"content", "text", "role", "parts"})
"""Keys of which a message has one, and a row hardly."""
_FAILED = frozenset({"error", "failed", "failure"})
_DEEPEST = 8
_MOST_ITEMS = 20
_LONGEST = 200_000
"""Characters of an output that is parsed; a longer one holds rows."""


def error_of_output(value: object, depth: int = 0) -> str | None:
    """The error that a tool gave back; `None` where it gave something else.

    >>> error_of_output("Error: (sqlite3.OperationalError) no such column: nam")
    'Error: (sqlite3.OperationalError) no such column: nam'
    >>> error_of_output('{"is_error": true, "content": "relation kites does not exist"}')
    'relation kites does not exist'
    >>> error_of_output('[["error", 4]]'), error_of_output("3 errors were logged")
    (None, None)
    """
    if depth > _DEEPEST:
        return None
    if isinstance(value, str):
        held = decoded(value, _LONGEST)
        if held is not None:
            return error_of_output(held, depth + 1)
        return value if _ERROR.match(value) and not _ZERO.match(value) else None
    if isinstance(value, list):
        items = cast("list[object]", value)[:_MOST_ITEMS]
        return next(
            (found for each in items if _is_message(each) and (found := error_of_output(each, depth + 1))), None
        )
    return _of_mapping(cast("Mapping[str, object]", value), depth) if isinstance(value, Mapping) else None


def _of_mapping(value: Mapping[str, object], depth: int) -> str | None:
    failed = str(value.get("status")).lower() in _FAILED and _is_message(value)
    if failed or value.get("is_error", value.get("isError")) is True:
        return _first_text(value) or "error"
    told = (text for key in _ERRORS if isinstance(text := value.get(key), str) and text.strip())
    inner = (found for key in _TEXTS if (found := error_of_output(value.get(key), depth + 1)) is not None)
    return next(told, None) or next(inner, None)


def _is_message(value: object) -> bool:
    return isinstance(value, Mapping) and not _MESSAGE.isdisjoint(cast("Mapping[object, object]", value))


def _first_text(value: object, depth: int = 0) -> str | None:
    if isinstance(value, str):
        return value.strip() or None
    if depth > _DEEPEST:
        return None
    if isinstance(value, list):
        held = cast("list[object]", value)[:_MOST_ITEMS]
    elif isinstance(value, Mapping):
        fields = cast("Mapping[str, object]", value)
        held = [fields.get(key) for key in (*_ERRORS, *_TEXTS)]
    else:
        return None
    return next((text for each in held if (text := _first_text(each, depth + 1))), None)
