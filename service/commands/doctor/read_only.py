"""Says why a database that answers takes no writes, and how it takes them again."""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from service.commands.doctor.findings import CheckResult, error
from service.storage.database import translate_errors

_WHY = text(
    "SELECT pg_is_in_recovery() AS standby, quote_ident(current_user) AS role,"
    " quote_ident(current_database()) AS name, source"
    " FROM pg_settings WHERE pg_settings.name = 'default_transaction_read_only'"
)
_OPTION = "default_transaction_read_only"
_CLIENT = "client"
"""What `pg_settings` says of a setting that the connection brought."""


async def explain_read_only(engine: AsyncEngine) -> CheckResult:
    """The finding for a database that is read-only; raises `StoreUnavailable`."""
    with translate_errors(engine.url):
        async with engine.connect() as connection:
            why = (await connection.execute(_WHY)).one()
    if why.standby:
        return error("database.writable", "it is a standby", "name the primary in SQLASSAY_DATABASE__URL")
    where, fix = _reset(why.source, why.role, why.name)
    return error("database.writable", f"{_OPTION} is on for {where}, and the server is no standby", fix)


def _reset(source: str, role: str, name: str) -> tuple[str, str]:
    """What the option is set for, and the statement that takes it back.

    >>> _reset("user", "assay", "quality")
    ('the role', 'run as a superuser: ALTER ROLE assay RESET default_transaction_read_only')
    """
    if source == _CLIENT:
        return "this connection", f"take {_OPTION} out of SQLASSAY_DATABASE__URL"
    where, statement = {
        "user": ("the role", f"ALTER ROLE {role} RESET {_OPTION}"),
        "database user": ("the role in this database", f"ALTER ROLE {role} IN DATABASE {name} RESET {_OPTION}"),
        "database": ("the database", f"ALTER DATABASE {name} RESET {_OPTION}"),
        "global": ("all roles", f"ALTER ROLE ALL RESET {_OPTION}"),
    }.get(source, ("the server", f"ALTER SYSTEM SET {_OPTION} = off; SELECT pg_reload_conf()"))
    return where, f"run as a superuser: {statement}"
