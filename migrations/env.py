"""Connects Alembic to the database: over the caller's connection, or its own for the `alembic` command."""

from __future__ import annotations

import asyncio

from alembic import context
from sqlalchemy import Connection

from service.settings.loading import load_settings
from service.storage import tables
from service.storage.database import create_engine
from service.storage.libpq_url import read_url
from service.storage.partitions import is_declared


def run(connection: Connection) -> None:
    """Runs the revisions on a connection that the caller commits."""
    context.configure(connection=connection, target_metadata=tables.METADATA, include_name=is_declared)
    with context.begin_transaction():
        context.run_migrations()


async def run_apart() -> None:
    """Runs the revisions on a new connection, for `alembic revision --autogenerate`."""
    settings = load_settings().database
    if settings.url is None:
        raise SystemExit("set SQLASSAY_DATABASE__URL to write revisions; `sqlassay migrate` runs them anywhere")
    engine = create_engine(read_url(settings.url.get_secret_value()), settings)
    async with engine.begin() as connection:
        await connection.run_sync(run)
    await engine.dispose()


given: Connection | None = context.config.attributes.get("connection")
if given is None:
    asyncio.run(run_apart())
else:
    run(given)
