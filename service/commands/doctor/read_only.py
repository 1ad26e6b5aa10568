"""Says why a database that answers takes no writes, and how it takes them again."""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from service.commands.doctor.findings import CheckResult, error
from service.commands.doctor.setting_sources import take_back
from service.storage.database import translate_errors

_WHY = text(
    "SELECT pg_is_in_recovery() AS standby, quote_ident(current_user) AS role,"
    " quote_ident(current_database()) AS name, source"
    " FROM pg_settings WHERE pg_settings.name = 'default_transaction_read_only'"
)
_OPTION = "default_transaction_read_only"


async def explain_read_only(engine: AsyncEngine) -> CheckResult:
    """The finding for a database that is read-only; raises `StoreUnavailable`."""
    with translate_errors(engine.url):
        async with engine.connect() as connection:
            why = (await connection.execute(_WHY)).one()
    if why.standby:
        return error("database.writable", "it is a standby", "name the primary in SQLASSAY_DATABASE__URL")
    where, fix = take_back(_OPTION, "off", source=why.source, role=why.role, name=why.name)
    return error("database.writable", f"{_OPTION} is on for {where}, and the server is no standby", fix)
