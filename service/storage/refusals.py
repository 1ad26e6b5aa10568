"""What to do about an error of a PostgreSQL that answers."""

from __future__ import annotations

from sqlalchemy import URL
from sqlalchemy.dialects import postgresql

from service.storage.pooled_sessions import READ_ONLY

TOO_MANY = "53300"
"""SQLSTATE of a session for which the server, the database or the role has no connection left."""
ENDED = "57014"
"""SQLSTATE of a statement that ran longer than `statement_timeout`, or that somebody cancelled."""
_FIXES = {
    "40P01": "another session took the same locks in another order; if this repeats, look for it in pg_stat_activity",
    "55P03": "another session holds a lock; sqlassay doctor names the session and how to end it",
    "53100": "free or add space on the database's disk",
    TOO_MANY: "raise max_connections of the server, or lower SQLASSAY_DATABASE__POOL_SIZE",
    "28P01": "correct the password in SQLASSAY_DATABASE__URL; if it is right, it has expired: ALTER ROLE … VALID UNTIL",
    READ_ONLY: "it is a standby, or default_transaction_read_only is on; sqlassay doctor says which, with the fix",
}
"""By SQLSTATE."""
_OF_ROLE, _OF_DATABASE = "InitializeSessionUserId", "CheckMyDatabase"
"""The server's functions that count the connections of a role and of a database: its messages may be translated."""
_NAMES = postgresql.dialect().identifier_preparer


def fix_of(cause: BaseException, url: URL) -> str | None:
    """What to do about the driver's error, or `None`.

    Role and database are named only where the server has accepted both: before, they may be a part of a password.
    """
    state = str(getattr(cause, "sqlstate", None) or "")
    counted = getattr(cause, "server_source_function", None)
    if state == TOO_MANY and counted == _OF_ROLE:
        return f"run as a superuser: ALTER ROLE {_role(url)} CONNECTION LIMIT -1"
    if state == TOO_MANY and counted == _OF_DATABASE:
        return f"run as a superuser: ALTER DATABASE {_database(url)} CONNECTION LIMIT -1"
    if state == ENDED:
        return unlimited_statements(_role(url), _database(url), ours="statement_timeout" in _options(url))
    return _FIXES.get(state)


def unlimited_statements(role: str, database: str, *, ours: bool) -> str:
    """How `statement_timeout` is taken back; `ours` says that the connection brought it.

    >>> unlimited_statements("assay", "quality", ours=False)
    'run as a superuser: ALTER ROLE assay IN DATABASE quality SET statement_timeout = 0'
    """
    if ours:
        return "take statement_timeout out of SQLASSAY_DATABASE__URL"
    # it wins over what is set for the role, the database, all roles and the server
    return f"run as a superuser: ALTER ROLE {role} IN DATABASE {database} SET statement_timeout = 0"


def _options(url: URL) -> str:
    return str(url.query.get("options", ""))


def _role(url: URL) -> str:
    return _NAMES.quote(url.username) if url.username else "NAME"


def _database(url: URL) -> str:
    name = url.database or url.username
    return _NAMES.quote(name) if name else "NAME"
