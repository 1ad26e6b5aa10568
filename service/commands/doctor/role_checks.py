"""Examines the role with which we log in: its schema, its limits, and when its password expires."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from service.commands.doctor.findings import CheckResult, error, ok, warning
from service.commands.doctor.other_checks import SOON_DAYS
from service.commands.doctor.setting_sources import CLIENT, take_back
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import translate_errors
from service.storage.refusals import unlimited_statements

_ROLE = text(
    """
    SELECT quote_ident(session_user) AS role, quote_ident(current_database()) AS name, rolsuper AS super,
      rolconnlimit AS sessions, (SELECT datconnlimit FROM pg_database WHERE datname = current_database()) AS of_all,
      CASE WHEN isfinite(rolvaliduntil) THEN extract(epoch FROM rolvaliduntil - now())::float8 / 86400 END AS days,
      current_schema() AS schema, current_setting('search_path') AS path, path.source AS path_source,
      timeout.setting::int AS milliseconds, timeout.source AS timeout_source,
      (SELECT quote_ident(nspname) FROM pg_class JOIN pg_namespace AS spaces ON spaces.oid = relnamespace
       WHERE relname = 'alembic_version' AND relkind = 'r' AND to_regclass('alembic_version') IS NULL
       ORDER BY 1 LIMIT 1) AS home,
      (SELECT string_agg(quote_ident(nspname), ', ' ORDER BY nspname) FROM pg_namespace
       WHERE nspname IN (SELECT replace(btrim(part, ' "'), '$user', session_user)
                         FROM unnest(string_to_array(current_setting('search_path'), ',')) AS part)) AS existing
    FROM pg_roles, pg_settings AS path, pg_settings AS timeout
    WHERE rolname = session_user AND path.name = 'search_path' AND timeout.name = 'statement_timeout'
    """
)
_SHORT_MILLISECONDS = 1000
"""A `statement_timeout` below it keeps the service from working."""


@dataclass(frozen=True, slots=True)
class LoginRole:
    """What PostgreSQL said of the role, its database and its session."""

    said: Any
    """The row of `_ROLE`."""

    @property
    def schema_found(self) -> bool:
        """Whether `search_path` leads to a schema: without one nothing else can be asked about tables."""
        return self.said.schema is not None

    def examine(self, settings: DatabaseSettings) -> Iterator[CheckResult]:
        """What is wrong with the role."""
        yield self._schema()
        if settings.pooler is None:
            yield self._sessions(settings.pool_size + 1)
        yield self._statements(settings.timeout)
        yield self._password()

    def examine_home(self) -> CheckResult | None:
        """The finding where the tables stand in another schema than the one to which `search_path` leads."""
        said = self.said
        if said.home is None:
            return None
        what = f"the schema {said.schema} has no tables; the schema {said.home} has, and search_path is {said.path!r}"
        return error(
            "database.migrations",
            what,
            f"to use {said.home}, {self._path_to(said.home)}; to make new tables here, run sqlassay migrate",
        )

    def _path_to(self, schema: str) -> str:
        if self.said.path_source == CLIENT:
            return f"write {schema} for search_path in SQLASSAY_DATABASE__URL"
        # it wins over what is set for the role, the database, all roles and the server
        return (
            f"run as a superuser: ALTER ROLE {self.said.role} IN DATABASE {self.said.name} SET search_path = {schema}"
        )

    def _schema(self) -> CheckResult:
        check, said = "database.search_path", self.said
        if said.schema is not None:
            return ok(check, f"it leads to the schema {said.schema}")
        where, fix = take_back("search_path", "public", source=said.path_source, role=said.role, name=said.name)
        if said.existing is not None:
            what = f"role {said.role} may not use {said.existing}, to which search_path leads"
            return error(check, what, f"run as a superuser: GRANT USAGE ON SCHEMA {said.existing} TO {said.role}")
        if said.home is not None:
            fix = self._path_to(said.home)
        return error(check, f"search_path is {said.path!r} for {where}, and no such schema exists", fix)

    def _sessions(self, needed: int) -> CheckResult:
        check, said = "database.connections", self.said
        for whose, most in ((f"ROLE {said.role}", said.sessions), (f"DATABASE {said.name}", said.of_all)):
            if 0 <= most < needed and not said.super:
                what = f"{whose.lower().split()[0]} {whose.split()[1]} has at most {most} connections"
                fix = f"run as a superuser: ALTER {whose} CONNECTION LIMIT -1"
                return warning(check, f"{what}, and one process opens up to {needed}", fix)
        return ok(check, "neither the role nor the database limits them below what one process opens")

    def _statements(self, seconds: float) -> CheckResult:
        check, said = "database.statement_timeout", self.said
        if not 0 < said.milliseconds < seconds * 1000:
            return ok(check, "statements have the time that SQLASSAY_DATABASE__TIMEOUT gives them")
        what = f"it ends statements after {said.milliseconds / 1000:g} s, before SQLASSAY_DATABASE__TIMEOUT does"
        fix = unlimited_statements(said.role, said.name, ours=said.timeout_source == CLIENT)
        return (error if said.milliseconds < _SHORT_MILLISECONDS else warning)(check, what, fix)

    def _password(self) -> CheckResult:
        check, said = "database.password", self.said
        if said.days is None:
            return ok(check, f"that of role {said.role} does not expire")
        what = f"that of role {said.role} " + (f"expires in {said.days:.0f} days" if said.days > 0 else "has expired")
        if said.days > SOON_DAYS:
            return ok(check, what)
        fix = f"run as a superuser: ALTER ROLE {said.role} VALID UNTIL 'infinity'"
        return (warning if said.days > 0 else error)(check, what, fix)


async def look_at_role(engine: AsyncEngine) -> LoginRole:
    """Asks the server about the role; raises `StoreUnavailable`."""
    with translate_errors(engine.url):
        async with engine.connect() as connection:
            return LoginRole((await connection.execute(_ROLE)).one())
