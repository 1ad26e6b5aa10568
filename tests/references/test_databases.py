"""Databases that the user named: read, never written, and nothing beyond them."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import asyncpg
import duckdb
import pytest
from sqlalchemy import URL

from references.comparison.results import QueryResult
from references.databases.access import Allowance, Database, DatabaseLimits, UnknownDatabaseError
from references.databases.opening import open_database
from references.sandbox import Failure, FailureKind

ROWS = "CREATE TABLE looms (id INTEGER, cloth TEXT); INSERT INTO looms VALUES (1, 'tweed'), (2, 'serge');"
LIMITS = DatabaseLimits(seconds=1.0, rows=1000)


@pytest.fixture
def folder(tmp_path: Path) -> str:
    with sqlite3.connect(tmp_path / "mill.sqlite") as connection:
        connection.executescript(ROWS)
    return str(tmp_path)


@pytest.fixture
def ducks(tmp_path: Path) -> str:
    with duckdb.connect(str(tmp_path / "mill.duckdb")) as connection:
        connection.execute(ROWS)
    return f"duckdb:///{tmp_path}/{{db_id}}.duckdb"


@pytest.fixture
def server(database: URL) -> str:
    url = database.set(drivername="postgresql").render_as_string(hide_password=False)

    async def fill() -> None:
        connection = await asyncpg.connect(url)
        await connection.execute(ROWS)
        await connection.close()

    asyncio.run(fill())
    return url.replace(str(database.database), "{db_id}")


def test_parameters_of_libpq_may_follow_a_url(server: str, database: URL):
    url = f"{server}?connect_timeout=5&application_name=compare&sslmode=prefer"
    with open_database(url, str(database.database), LIMITS, Allowance(any_role=True)) as found:
        assert isinstance(found.run("SELECT 1"), QueryResult)
    with (
        pytest.raises(UnknownDatabaseError, match="a parameter that neither the driver nor the server has"),
        open_database(f"{server}?unheard_of=1", str(database.database), LIMITS, Allowance(any_role=True)),
    ):
        pass


Run = Callable[[str], QueryResult | Failure]


@pytest.fixture(params=["sqlite", "duckdb", "postgres"])
def opened(request: pytest.FixtureRequest) -> Iterator[Database]:
    if request.param == "postgres":
        url = request.getfixturevalue("server")
        name = request.getfixturevalue("database").database
    else:
        url, name = request.getfixturevalue("folder" if request.param == "sqlite" else "ducks"), "mill"
    with open_database(url, name, LIMITS, Allowance(any_role=True)) as found:
        yield found


@pytest.fixture
def run(opened: Database) -> Run:
    return opened.run


def test_its_tables_are_listed_and_queries_are_held_as_before(opened: Database):
    looms = opened.tables()["looms"]
    assert [name for name, _ in looms] == ["id", "cloth"]
    assert all(kind for _, kind in looms)
    assert not any(name.startswith(("sqlite_", "pg_", "duckdb_")) for name in opened.tables())
    hidden = {"sqlite": "SELECT name FROM sqlite_master", "duckdb": "SELECT * FROM duckdb_columns()"}
    assert isinstance(opened.run(hidden.get(opened.dialect, "SELECT * FROM pg_catalog.pg_authid")), Failure)


def test_a_query_gives_its_rows(run: Run):
    assert run("SELECT id, cloth FROM looms ORDER BY id;") == QueryResult(
        columns=("id", "cloth"), rows=((1, "tweed"), (2, "serge"))
    )


def counted(run: Run) -> object:
    """How many looms there are."""
    found = run("SELECT COUNT(*) FROM looms")
    assert isinstance(found, QueryResult)
    return found.rows


@pytest.mark.slow  # 45 cases, each with a database of its own
@pytest.mark.parametrize(
    "hostile",
    [
        "DELETE FROM looms",
        "DROP TABLE looms",
        "INSERT INTO looms VALUES (3, 'x')",
        "SELECT 1; DELETE FROM looms",
        "CREATE TABLE mine (id INTEGER)",
        "ATTACH DATABASE '/tmp/other' AS other",
        "PRAGMA writable_schema = 1",
        "COPY looms TO '/tmp/looms.csv'",
        "SELECT load_extension('x')",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "WITH gone AS (DELETE FROM looms RETURNING id) SELECT * FROM gone",
        "",
        "no SQL at all",
    ],
)
def test_what_is_not_reading_its_tables_is_refused_and_changes_nothing(run: Run, hostile: str):
    assert isinstance(run(hostile), Failure)
    assert counted(run) == ((2,),)


ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"


@pytest.mark.slow  # waits for statements that never end
def test_what_does_not_end_is_ended(run: Run):
    found = run(ENDLESS)
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.TOO_LONG
    assert counted(run) == ((2,),)


def test_what_gives_too_many_rows_is_a_failure_and_never_a_part(run: Run):
    many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) SELECT i FROM n"
    found = run(many)
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.TOO_LARGE


@pytest.mark.parametrize("name", ["../mill", "mill/../mill", "", ".hidden", "mill?mode=rw", "nö", "a" * 200])
def test_an_invalid_database_name_is_refused(folder: str, name: str):
    with pytest.raises(UnknownDatabaseError, match="is not a database name"), open_database(folder, name, LIMITS):
        pass


def test_a_database_that_is_not_there_is_said_to_be(folder: str, ducks: str):
    for databases in (folder, ducks, "mysql://somewhere/{db_id}"):
        with pytest.raises(UnknownDatabaseError), open_database(databases, "elsewhere", LIMITS):
            pass


def test_a_connection_that_is_lost_says_something_of_the_database_and_nothing_of_the_query(server: str, database: URL):
    name = str(database.database)

    async def end_others() -> None:
        connection = await asyncpg.connect(server.replace("{db_id}", name))
        others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()"
        await connection.execute(others, name)
        await connection.close()

    with open_database(server, name, LIMITS, Allowance(any_role=True)) as opened:
        assert isinstance(opened.run("SELECT id FROM looms"), QueryResult)
        asyncio.run(end_others())
        with pytest.raises(UnknownDatabaseError, match="connection was lost"):
            opened.run("SELECT id FROM looms")


QUALIFIED = [
    "public.looms",
    "dbo.looms",
    "shop.dbo.looms",
    "proj.ds.looms",
    "mill.looms",
    "mill.main.looms",
    '"S"."Looms"',
]


@pytest.mark.parametrize("kind", ["folder", "ducks"])
@pytest.mark.parametrize("name", QUALIFIED)
def test_a_name_with_a_schema_that_the_database_has_not_means_its_own_table(
    kind: str, name: str, request: pytest.FixtureRequest
):
    where: str = request.getfixturevalue(kind)
    queries = (
        f"SELECT COUNT(*) FROM {name}",
        f"SELECT COUNT(l.id) FROM {name} AS l WHERE l.cloth <> '{name}'",
        f"SELECT COUNT({name}.id) FROM {name}",
        f"WITH w AS (SELECT id FROM {name}) SELECT COUNT(*) FROM w",
    )
    for query in queries:
        with open_database(where, "mill", LIMITS) as found:
            ran = found.run(query)
            assert isinstance(ran, QueryResult), ran
            assert ran.rows == ((2,),)


def test_a_name_with_a_catalogue_means_a_table_of_the_server(server: str, database: URL):
    for name in ("public.looms", f"{database.database}.public.looms", "dbo.looms", "shop.dbo.looms"):
        with open_database(server, str(database.database), LIMITS, Allowance(any_role=True)) as found:
            ran = found.run(f"SELECT COUNT(*) FROM {name}")
            assert isinstance(ran, QueryResult), ran
            assert ran.rows == ((2,),)


@pytest.mark.parametrize("kind", ["folder", "ducks"])
def test_two_schemas_keep_apart_where_the_database_has_none(kind: str, request: pytest.FixtureRequest):
    where: str = request.getfixturevalue(kind)
    with open_database(where, "mill", LIMITS) as found:
        assert isinstance(found.run("SELECT * FROM looms"), QueryResult)
        assert isinstance(found.run("SELECT * FROM shop.looms"), QueryResult)
        other = found.run("SELECT * FROM archive.looms")
        assert isinstance(other, Failure)
        assert other.detail == "archive.looms and shop.looms may be two tables, and the database has one"
        assert isinstance(found.run("SELECT * FROM shop.gone"), Failure)
        assert isinstance(found.run("SELECT gone FROM shop.looms"), Failure)
