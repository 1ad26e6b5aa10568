"""Says why a server does not answer, without its address.

The address comes from a URL that may be malformed: a password with an unescaped `@` or `/` puts its tail where a host
or a database's name belongs, and a driver repeats it.
"""

from __future__ import annotations

import os
import socket
import ssl
from collections.abc import Iterator

from consumers.wire.texts import shorten

_ABOUT_THE_ADDRESS = frozenset({"08", "28", "3D"})
"""SQLSTATE classes whose messages repeat parts of the URL: connection, authorization and name of the database."""
_OTHER_NAMES = frozenset({62, 64})
"""OpenSSL's codes of a certificate for another name or address."""
_MOST_CAUSES = 10


def failure_text(error: BaseException) -> str:
    """What failed, without host, user and name of a database.

    >>> failure_text(ConnectionRefusedError(111, "Connect call failed ('db.example', 5432)"))
    'Connection refused'
    >>> failure_text(OSError("Multiple exceptions: [Errno 111] Connect call failed ('db.example', 5432)"))
    'OSError'
    """
    for each in _causes(error):
        if isinstance(each, OSError):
            return _of_the_system(each)
    state = str(getattr(error, "sqlstate", None) or "")
    if state and state[:2] not in _ABOUT_THE_ADDRESS:
        return shorten(str(getattr(error, "message", None) or error) or type(error).__name__, 200)
    return type(error).__name__


def _of_the_system(error: OSError) -> str:
    if isinstance(error, socket.gaierror):
        return "its host name is not known"
    if isinstance(error, TimeoutError):
        return "it took too long"
    if isinstance(error, ssl.SSLCertVerificationError):
        other_name = error.verify_code in _OTHER_NAMES
        return f"its certificate {'names another host' if other_name else f'is refused: {error.verify_message}'}"
    if isinstance(error, ssl.SSLError):
        return f"TLS fails: {error.reason}"
    if isinstance(error, ConnectionError) and "rejected SSL" in str(error):
        return "it has no TLS"
    return os.strerror(error.errno) if error.errno else type(error).__name__


def _causes(error: BaseException) -> Iterator[BaseException]:
    current: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if current is None:
            return
        yield current
        current = current.__cause__ or current.__context__
