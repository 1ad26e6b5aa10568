"""A connection that was reset a moment ago: uvloop answers the next write with a plain `RuntimeError`."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

_CLOSED = "the handler is closed"
"""The end of uvloop's message."""


@contextmanager
def closed_as_reset() -> Generator[None]:
    """Raises uvloop's error for a closed connection as a `ConnectionResetError`, which callers handle as an outage."""
    try:
        yield
    except RuntimeError as error:
        if _CLOSED not in str(error):
            raise
        raise ConnectionResetError("the connection was closed") from error
