"""Tells a failure of the SQL from one of the server that ran it."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.query import RunResult

_SQL_FAULT = lazy(
    r"no such|syntax|ambiguous|undefined|does not exist|doesn't exist|unknown (?:column|table|function|identifier)"
    r"|invalid (?:column|object|identifier|name|reference)|not found|unrecognized (?:name|token)|misuse|group by"
    r"|\b42(?!501)[0-9A-Z]{3}\b|\b22[0-9A-Z]{3}\b",
    re.IGNORECASE,
)
_NO_SERVER = lazy(
    r"(?<![\"'`.])\b(?:database|role|user|host|server|warehouse|catalog)\s+\S+\s+"
    r"(?:does not exist|doesn't exist|not found)"
    r"|unknown (?:database|host)|translate host",
    re.IGNORECASE,
)
_SERVER_FAULT = lazy(
    r"time(?:d )?[ -]?out|cancell?|interrupt|connect|deadlock|permission|privilege|denied|authori[sz]|authenticat"
    r"|password|out of memory|memory limit|\bdisk\b|\bbusy\b|\blocked\b|\block\b|unavailable|throttl|quota|rate limit"
    r"|shut ?down|shutting|terminat|network|socket|\breset\b|refused|abort|resource|too many (?:requests|queries)"
    r"|unable to open|read.only|\bkilled\b|execution time|serializ|\b(?:08|28|40|53|55|57|58)[0-9A-Z]{3}\b|\b42501\b",
    re.IGNORECASE,
)


def failed(result: RunResult | None) -> bool:
    """Whether the database refused the SQL. A server that was busy, gone or forbidden says nothing about the SQL.

    >>> failed(RunResult(error="no such column: connection")), failed(RunResult(error="connection reset"))
    (True, False)
    >>> failed(RunResult(executed=False)), failed(RunResult(executed=True)), failed(None)
    (True, False, False)
    """
    if result is None or not (result.error or result.executed is False):
        return False
    return not server_failed(result.error)


def server_failed(error: str) -> bool:
    """Whether an error lies with the server, the network or the account, and not with the SQL.

    >>> server_failed('database "sales" does not exist'), server_failed('relation "user" does not exist')
    (True, False)
    >>> server_failed("statement timeout"), server_failed('syntax error at or near "timeout"')
    (True, False)
    """
    if _NO_SERVER.search(error):
        return True
    return _SQL_FAULT.search(error) is None and _SERVER_FAULT.search(error) is not None
