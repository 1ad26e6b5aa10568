"""Several hosts of one database: the one that takes writes is found, whatever the others do."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import URL, text
from sqlalchemy.exc import DBAPIError

from consumers.errors import StoreUnavailable
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine, translate_errors
from service.storage.libpq_url import read_url
from tests.conftest import administer
from tests.servers.processes import free_port


def beside(postgres_url: URL, port: int) -> URL:
    """The server's URL after another host of that port."""
    plain = postgres_url.set(drivername="postgresql").render_as_string(hide_password=False)
    host = f"{postgres_url.host}:{postgres_url.port}"
    return read_url(plain.replace(host, f"127.0.0.1:{port},{host}"))


async def ask(url: URL) -> object:
    engine = create_engine(url, DatabaseSettings())
    try:
        async with engine.connect() as connection:
            return await connection.scalar(text("SHOW transaction_read_only"))
    finally:
        await engine.dispose()


async def test_a_host_that_is_gone_is_passed_over(postgres_url: URL):
    assert await ask(beside(postgres_url, free_port())) == "off"


@pytest.mark.slow  # waits for a deadline
async def test_a_host_that_accepts_and_answers_nothing_is_passed_over(postgres_url: URL):
    silent = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    async with silent:
        assert await ask(beside(postgres_url, silent.sockets[0].getsockname()[1])) == "off"


@pytest.mark.parametrize("written", ["postgresql://u:p@a:1,b/db", "postgres://u:p@a:1,b:5432/db?sslmode=disable"])
def test_a_url_of_several_hosts_keeps_its_other_parts(written: str):
    url = read_url(written)
    assert (url.query["host"], url.query["port"], url.database) == ("a,b", "1,5432", "db")
    assert (url.username, url.password) == ("u", "p")
    assert "p@" not in url.render_as_string(hide_password=True)


def test_parts_that_libpq_fills_in_or_knows_from_jdbc_are_read_as_libpq_does():
    assert read_url("postgresql://u:p@a:/db") == read_url("postgresql://u:p@a:5432/db")
    assert read_url("postgresql://a:,b:2/db") == read_url("postgresql://a:5432,b:2/db")
    assert read_url("postgresql://a/db?ssl=true") == read_url("postgresql://a/db?sslmode=require")


async def test_a_connection_whose_server_became_read_only_is_replaced(database: URL):
    engine = create_engine(database, DatabaseSettings(pool_size=2))
    write = text("INSERT INTO tenant_rules (tenant, version, document) VALUES ('bakers', 1, '{}')")
    try:
        async with engine.begin() as connection:
            await connection.execute(text("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"))
        with pytest.raises(DBAPIError, match="read-only"):
            async with engine.begin() as connection:
                await connection.execute(write)
        async with engine.begin() as connection:
            assert (await connection.execute(write)).rowcount == 1
    finally:
        await engine.dispose()


async def test_a_session_that_was_ended_is_not_taken_for_a_server_that_is_away(database: URL, postgres_url: URL):
    engine = create_engine(database, DatabaseSettings())
    own = engine.execution_options(isolation_level="AUTOCOMMIT")
    async with own.connect() as connection:
        pid = await connection.scalar(text("SELECT pg_backend_pid()"))
        await administer(postgres_url, f"SELECT pg_terminate_backend({pid}, 5000)")
        with pytest.raises(StoreUnavailable, match="session of the database was ended"), translate_errors(engine.url):
            await connection.execute(text("SELECT 1"))
    await engine.dispose()


async def test_one_refused_write_replaces_every_session_of_the_pool(database: URL):
    engine = create_engine(database, DatabaseSettings(pool_size=3))
    read_only = text("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")

    async def write(number: int) -> None:
        async with engine.begin() as connection:
            await connection.execute(
                text("INSERT INTO tenant_rules (tenant, version, document) VALUES ('bakers', :number, '{}')"),
                {"number": number},
            )
            # the others are asked for meanwhile
            await connection.execute(text("SELECT pg_sleep(0.1)"))

    try:
        async with engine.begin() as one, engine.begin() as two, engine.begin() as three:
            for each in (one, two, three):
                await each.execute(read_only)
        with pytest.raises(DBAPIError, match="read-only"):
            await write(0)
        await asyncio.gather(*map(write, (1, 2, 3)))
    finally:
        await engine.dispose()
