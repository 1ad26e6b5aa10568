"""No query leaves its database: none reads a file, a setting or a secret, none writes, none outlives its limit."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from sqlalchemy import URL

from references.comparison.results import QueryResult
from references.databases.access import Allowance, Database, DatabaseLimits, UnknownDatabaseError
from references.databases.opening import open_database, open_one
from references.databases.vocabulary import POSTGRES
from references.sandbox import Failure, FailureKind
from tests.deploy.charts import ROOT
from tests.references.named_databases import (
    MARKER,
    NamedServer,
    cases,
    duckdb_url,
    named_server,
    role_recipe,
    sqlite_folder,
)

LIMITS = DatabaseLimits(seconds=0.3, rows=1000, result_megabytes=8)
ANY = Allowance(any_role=True)
ESCAPES = cases("escapes")
HONEST = cases("honest")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    folder.chmod(0o777)
    path = folder / "marker.txt"
    path.write_text(MARKER)
    path.chmod(0o666)
    return path


@pytest.fixture(scope="module", params=["postgres15", pytest.param("postgres_url", marks=pytest.mark.slow)])
def server(request: pytest.FixtureRequest) -> Iterator[NamedServer]:
    with named_server(request.getfixturevalue(request.param)) as opened:
        yield opened


STATE = """
SELECT (SELECT array_agg(looms::text) FROM looms), (SELECT last_value FROM turns), (SELECT count(*) FROM pg_class),
    (SELECT count(*) FROM pg_proc), (SELECT count(*) FROM pg_largeobject_metadata), (SELECT count(*) FROM pg_extension),
    (SELECT array_agg(rolname || coalesce(rolpassword, '')) FROM pg_authid),
    (SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
        WHERE locktype = 'advisory' AND datname = current_database()), (SELECT count(*) FROM pg_file_settings),
    (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active')
"""


@pytest.mark.slow  # waits for statements that never end
@pytest.mark.parametrize("group", ESCAPES)
def test_no_escape_runs_on_postgresql_even_for_a_superuser(server: NamedServer, file: Path, group: str):
    before = server.ask(STATE)
    ran: list[str] = []
    with open_database(server.url, server.name, LIMITS, ANY) as database:
        for escape in ESCAPES[group]:
            found = database.run(escape.format(file=file))
            if isinstance(found, QueryResult) or MARKER in found.detail:
                ran.append(f"{escape}: {found}")
        assert counted(database) == ((3,),)
    assert ran == []
    assert server.ask(STATE) == before
    assert [each.name for each in file.parent.iterdir()] == [file.name]
    assert file.read_text() == MARKER


ENCODED = "é" * 31
"""62 bytes in UTF-8, and 93 in EUC_JP: a letter more is cut there."""


@pytest.mark.parametrize(("encoding", "start"), [("EUC_JP", ENCODED), ("LATIN1", "a" * 63)])
def test_no_two_names_are_one_for_a_server_that_holds_them_in_another_encoding(
    postgres15: URL, encoding: str, start: str
):
    with named_server(postgres15, encoding) as server, open_database(server.url, server.name, LIMITS, ANY) as database:
        row, value = f'"{start}b"', f'"{start}c"'
        inner = f"SELECT {row}.ts_stat AS ts_stat FROM (SELECT 1 AS q) AS k, unnest(ARRAY['{LOOKING}']) AS {value}"
        found = database.run(f"SELECT z.ts_stat FROM ({inner}) AS z, looms AS {row}")
        plain = database.run("SELECT cloth, 'é' FROM looms")
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.REFUSED
    assert isinstance(plain, QueryResult)


LOOKING = "select to_tsvector(''simple'', rolname) from pg_roles"


def test_a_name_that_the_server_would_cut_is_refused_with_its_reason_wherever_it_stands(server: NamedServer):
    long = '"' + "a" * 64 + '"'
    queries = (
        f"SELECT cloth AS {long} FROM looms",
        f"SELECT {long} FROM looms",
        f"SELECT 1 FROM {long}",
        f"SELECT 1 FROM {long}.looms",
        f"SELECT {long}.cloth FROM looms AS {long}",
        f"SELECT x.y FROM (SELECT 1) AS x({long})",
        f"WITH {long} AS (SELECT 1) SELECT 1",
        f"WITH x({long}) AS (SELECT 1) SELECT 1",
        f"SELECT {long}('a')",
        f"SELECT ('a'::text).{long}",
        f"SELECT 'a'::{long}",
        f"SELECT 'a' COLLATE {long}",
        f"SELECT sum(id) OVER {long} FROM looms WINDOW {long} AS (ORDER BY id)",
        f"SELECT make_date(year => 2024, month => 1, {long} => 1)",
        f"SELECT cloth FROM looms JOIN weavers USING ({long})",
    )
    with open_database(server.url, server.name, LIMITS, ANY) as database:
        said = {query: database.run(query) for query in queries}
    for query, found in said.items():
        assert isinstance(found, Failure), query
        assert found.kind is FailureKind.REFUSED, f"{query}: {found}"
        assert "is longer than 63 bytes" in found.detail or "USING" in query or "=>" in query, f"{query}: {found}"


def unchecked(database: Any, sql: str) -> QueryResult | Failure:
    """Sends a text as it is to an open PostgreSQL, past the check."""
    return database.inner.runner.run(database.inner._run(sql))


CALLED = """
SELECT DISTINCT proname, format_type(proargtypes[0], NULL), provolatile = 'i' FROM pg_proc
WHERE pronargs >= 1 AND pronargs - pronargdefaults <= 1
"""


@pytest.mark.slow  # thousands of functions
def test_no_function_that_takes_one_value_is_called_as_a_field_unless_it_is_known_to_be_harmless(server: NamedServer):
    offered = "SELECT name FROM pg_available_extensions WHERE name IN ('dblink', 'adminpack', 'pageinspect', 'sslinfo')"
    extensions = [str(name) for (name,) in server.ask(offered)]
    server.ask(*(f"CREATE EXTENSION {name}" for name in extensions), "SELECT 1")
    try:
        functions = server.ask(CALLED)
        harmless = {name for name, _, steady in functions if steady} | POSTGRES.words
        with open_database(server.url, server.name, LIMITS, ANY) as database:
            sent: set[str] = set()
            for name, kind, _ in functions:
                given = f"NULL::{kind}" if isinstance(database.run(f"SELECT NULL::{kind}"), QueryResult) else "'1'"
                for query in (
                    f'SELECT ({given})."{name}"',
                    f'SELECT t."{name}" FROM unnest(ARRAY[{given}]) AS t(x)',
                    f'SELECT t."{name}" FROM unnest(ARRAY[{given}]) AS t(x), (SELECT 1 AS "{name}") AS u',
                ):
                    found = database.run(query)
                    if isinstance(found, QueryResult) or found.kind is not FailureKind.REFUSED:
                        sent.add(str(name))
            of_a_row = 'SELECT t."{0}" FROM looms AS t, (SELECT 1 AS "{0}") AS u'
            asked = {str(name): database.run(of_a_row.format(name)) for name, _, _ in functions}
    finally:
        server.ask(*(f"DROP EXTENSION {name}" for name in extensions), "SELECT 1")
    assert len(functions) > 1000
    assert sent <= harmless
    assert {name for name, found in asked.items() if isinstance(found, QueryResult)} <= harmless
    assert {"lower", "area"} <= sent


def counted(database: Database) -> object:
    found = database.run("SELECT COUNT(*) FROM looms")
    assert isinstance(found, QueryResult), found
    return found.rows


def test_there_are_as_many_cases_as_the_documentation_says():
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    counts = f"try {sum(map(len, ESCAPES.values()))} escapes on PostgreSQL as a superuser, {len(DUCKDB)} on DuckDB and"
    assert f"{counts} {len(SQLITE)} on SQLite" in page
    assert sum(map(len, HONEST.values())) >= 125


@pytest.mark.slow  # many queries
def test_honest_queries_give_what_the_server_gives_for_the_text_itself(server: NamedServer):
    with open_database(server.url, server.name, LIMITS, ANY) as database:
        for query in HONEST["postgres"]:
            found = database.run(query)
            assert isinstance(found, QueryResult), f"{query}: {found}"
            assert list(found.rows) == server.ask(query), query


def test_honest_queries_run_on_duckdb(tmp_path: Path):
    with open_database(duckdb_url(tmp_path), "mill", LIMITS) as database:
        ran = {query: database.run(query) for query in HONEST["duckdb"]}
    with duckdb.connect(str(tmp_path / "mill.duckdb"), read_only=True) as connection:
        for query, found in ran.items():
            assert isinstance(found, QueryResult), f"{query}: {found}"
            assert list(found.rows) == connection.execute(query).fetchall(), query


def test_honest_queries_run_on_sqlite(tmp_path: Path):
    folder = sqlite_folder(tmp_path)
    with open_database(folder, "mill", LIMITS) as database, sqlite3.connect(tmp_path / "mill.sqlite") as connection:
        for query in HONEST["sqlite"]:
            found = database.run(query)
            assert isinstance(found, QueryResult), f"{query}: {found}"
            assert list(found.rows) == connection.execute(query).fetchall(), query


EMBEDDED = [
    escape for group in ("files", "quoting", "settings", "secrets", "writing", "time") for escape in ESCAPES[group]
]
DUCKDB = cases("duckdb_escapes")["all"]
SQLITE = cases("sqlite_escapes")["all"]


@pytest.mark.slow  # waits for statements that never end
@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_no_escape_runs_on_a_file(tmp_path: Path, file: Path, kind: str):
    where = duckdb_url(tmp_path) if kind == "duckdb" else sqlite_folder(tmp_path)
    path = tmp_path / f"mill.{kind}"
    before = path.read_bytes()
    with open_database(where, "mill", LIMITS) as database:
        for escape in EMBEDDED:
            found = database.run(escape.format(file=file))
            # what another database knows under the same name may run, if it shows nothing
            assert MARKER not in str(found), escape
        for escape in DUCKDB if kind == "duckdb" else SQLITE:
            found = database.run(escape.format(file=file))
            assert isinstance(found, Failure), f"{escape}: {found}"
        assert counted(database) == ((3,),)
    assert path.read_bytes() == before
    assert {each.name for each in tmp_path.iterdir()} == {path.name}
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_a_result_that_is_too_large_is_a_failure_before_it_fills_the_memory(server: NamedServer, tmp_path: Path):
    wide = "SELECT repeat('x', 9999) FROM generate_series(1, 100000)"
    with open_database(server.url, server.name, DatabaseLimits(seconds=20, result_megabytes=2), ANY) as database:
        found = database.run(wide)
    assert isinstance(found, Failure)
    assert (found.kind, found.detail) == (FailureKind.TOO_LARGE, "its result is larger than 2 MB")


def test_a_function_of_the_database_runs_once_it_is_allowed_by_name(server: NamedServer):
    asked = {"SELECT margin(price) FROM looms ORDER BY id": "margin", "SELECT hidden.secret()": "hidden.secret"}
    for query, name in asked.items():
        with open_database(server.url, server.name, LIMITS, ANY) as database:
            found = database.run(query)
            assert isinstance(found, Failure)
            assert f"the function {name} is not known to be harmless" in found.detail
        with open_database(server.url, server.name, LIMITS, Allowance.of([name.upper()], any_role=True)) as database:
            assert isinstance(database.run(query), QueryResult)
            assert isinstance(database.run("SELECT secret()"), Failure)


def test_a_function_named_like_the_servers_is_the_databases_own(server: NamedServer):
    server.ask("CREATE FUNCTION lower(bigint) RETURNS text LANGUAGE sql AS $$ SELECT secret() $$", "SELECT 1")
    try:
        with open_database(server.url, server.name, LIMITS, ANY) as database:
            found = database.run("SELECT lower(1::bigint)")
        with open_database(server.url, server.name, LIMITS, Allowance.of(["lower"], any_role=True)) as database:
            allowed = database.run("SELECT lower('A'), upper('b')")
    finally:
        server.ask("DROP FUNCTION lower(bigint)", "SELECT 1")
    assert isinstance(found, Failure)
    assert "the function lower of the database" in found.detail
    assert isinstance(allowed, QueryResult)


def test_a_function_that_a_schema_on_the_path_defines_does_not_replace_the_servers_own(server: NamedServer):
    server.ask(
        "CREATE FUNCTION public.upper(text) RETURNS text LANGUAGE sql AS $$ SELECT 'replaced' $$",
        f"ALTER DATABASE {server.name} SET search_path = public, pg_catalog",
        "SELECT 1",
    )
    with open_database(server.url, server.name, LIMITS, ANY) as database:
        found = unchecked(database, "SELECT UPPER('a') FROM looms LIMIT 1")
    server.ask(f"ALTER DATABASE {server.name} RESET search_path", "DROP FUNCTION public.upper(text)", "SELECT 1")
    assert isinstance(found, QueryResult)
    assert found.rows == (("A",),)


@pytest.fixture
def role(server: NamedServer) -> Iterator[str]:
    """The role that the documentation makes, and its URL."""
    server.ask(role_recipe().replace("shop", server.name), "SELECT 1")
    yield server.url.replace(server.url.split("//")[1].split("@")[0], "comparer:change-me")
    server.ask("DROP OWNED BY comparer", "DROP ROLE comparer", "SELECT 1")


def test_the_documented_role_is_accepted_and_reads(server: NamedServer, role: str):
    with open_database(role, server.name, LIMITS) as database:
        assert counted(database) == ((3,),)
        assert isinstance(database.run("SELECT * FROM hidden.secrets"), Failure)


@pytest.mark.slow  # an extension of its own
def test_the_documented_role_can_neither_write_large_objects_nor_open_connections(server: NamedServer, role: str):
    revoking = "DO $$" + role_recipe().partition("DO $$")[2]
    server.ask("CREATE EXTENSION dblink", revoking, "SELECT 1")
    try:
        with open_database(role, server.name, LIMITS) as database:
            for call in ("lo_create(0)", "lo_creat(-1)", "lo_from_bytea(0, 'x')", "dblink_connect('dbname=postgres')"):
                found = unchecked(database, f"SELECT {call}")
                assert isinstance(found, Failure)
                assert "permission denied for function" in found.detail
    finally:
        server.ask("DROP EXTENSION dblink", "SELECT 1")


def test_a_query_that_is_let_through_leaves_nothing_behind(server: NamedServer):
    with open_database(server.url, server.name, LIMITS, ANY) as database:
        for call in ("lo_create(0)", "pg_advisory_xact_lock(7)", "set_config('search_path', 'hidden', false)"):
            unchecked(database, f"SELECT {call}")
        assert counted(database) == ((3,),)
    assert server.ask("SELECT count(*) FROM pg_largeobject_metadata") == [(0,)]


def test_a_row_that_the_driver_cannot_decode_is_a_failure(server: NamedServer):
    with open_database(server.url, server.name, LIMITS, ANY) as database:
        assert isinstance(database.run("SELECT ROW(mood) FROM looms"), Failure)
        assert counted(database) == ((3,),)


GRANTS = {
    "ALTER ROLE comparer SUPERUSER": "is a superuser",
    "ALTER ROLE comparer CREATEROLE": "has CREATEROLE",
    "ALTER ROLE comparer CREATEDB": "has CREATEDB",
    "ALTER ROLE comparer REPLICATION": "has REPLICATION",
    "ALTER ROLE comparer BYPASSRLS": "has BYPASSRLS",
    "GRANT pg_read_server_files TO comparer": "is a member of pg_read_server_files",
    "GRANT pg_write_server_files TO comparer": "is a member of pg_write_server_files",
    "GRANT pg_execute_server_program TO comparer": "is a member of pg_execute_server_program",
    "GRANT pg_monitor TO comparer": "is a member of pg_",
    "GRANT pg_read_all_settings TO comparer": "is a member of pg_read_all_settings",
    "GRANT pg_signal_backend TO comparer": "is a member of pg_signal_backend",
    "GRANT pg_write_all_data TO comparer": "is a member of pg_write_all_data",
    "GRANT pg_read_all_data TO comparer": "is a member of pg_read_all_data",
    "GRANT INSERT ON looms TO comparer": "may change looms",
    "GRANT UPDATE (cloth) ON looms TO comparer": "may change looms",
    "GRANT DELETE ON looms TO PUBLIC": "may change looms",
    "GRANT TRUNCATE ON hidden.secrets TO comparer": "may change hidden.secrets",
    "GRANT USAGE ON SEQUENCE turns TO comparer": "may change turns",
    "GRANT CREATE ON SCHEMA hidden TO comparer": "may create in the schema hidden",
    "GRANT CREATE ON SCHEMA public TO PUBLIC": "may create in the schema public",
    "ALTER TABLE weavers OWNER TO comparer": "may change weavers",
    "ALTER ROLE comparer RESET temp_file_limit": "has no limit of temporary files",
    "GRANT CREATE ON DATABASE {name} TO comparer": "may create in the database",
    "ALTER DATABASE {name} OWNER TO comparer": "may create in the database",
}
UNDO = (
    "ALTER TABLE weavers OWNER TO CURRENT_USER",
    "ALTER DATABASE {name} OWNER TO CURRENT_USER",
    "REVOKE DELETE ON looms FROM PUBLIC",
    "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
)


@pytest.mark.slow  # processes of its own
def test_a_role_that_can_do_more_than_read_is_refused_unless_the_user_accepts_it(server: NamedServer, role: str):
    for grant, said in GRANTS.items():
        server.ask(grant.format(name=server.name), "SELECT 1")
        with pytest.raises(UnknownDatabaseError) as refused, open_database(role, server.name, LIMITS):
            pass
        assert said in str(refused.value), grant
        assert "--any-role" in str(refused.value)
        with open_database(role, server.name, LIMITS, ANY) as database:
            assert counted(database) == ((3,),)
        server.ask(
            *(each.format(name=server.name) for each in UNDO),
            "DROP OWNED BY comparer",
            "DROP ROLE comparer",
            "SELECT 1",
        )
        server.ask(role_recipe().replace("shop", server.name), "SELECT 1")


def test_a_right_that_comes_through_another_role_counts(server: NamedServer, role: str):
    server.ask(
        "CREATE ROLE between_us NOLOGIN", "GRANT pg_monitor TO between_us", "GRANT between_us TO comparer", "SELECT 1"
    )
    with pytest.raises(UnknownDatabaseError, match="is a member of pg_"), open_database(role, server.name, LIMITS):
        pass
    server.ask("DROP ROLE between_us", "SELECT 1")


def test_the_session_cannot_write_even_where_a_query_would_be_let_through(server: NamedServer):
    """The walls do not lean on one another: the transaction refuses what the check of the text would not."""
    with open_database(server.url, server.name, LIMITS, ANY) as database:
        for statement in ("INSERT INTO looms (id) VALUES (9)", "CREATE TABLE mine (id int)", "SELECT nextval('turns')"):
            found = unchecked(database, statement)
            assert isinstance(found, Failure)
            assert "read-only transaction" in found.detail
        found = unchecked(database, "SELECT pg_sleep(30)")
        assert isinstance(found, Failure)
        assert found.kind is FailureKind.TOO_LONG
        found = unchecked(database, "SELECT 1; SELECT 2")
        assert isinstance(found, Failure)
        assert "multiple commands" in found.detail


ENDLESS = """
import sys
from references.databases.access import Allowance, DatabaseLimits
from references.databases.opening import open_one
with open_one(sys.argv[1], DatabaseLimits(seconds=300), Allowance(any_role=True)) as database:
    database.run("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
"""
RUNNING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'WITH RECURSIVE%'"


@pytest.mark.slow
async def test_a_query_whose_process_is_killed_ends_on_the_server_too(server: NamedServer, wait_until: Any):
    async def running(count: int) -> bool:
        return (await asyncio.to_thread(server.ask, RUNNING))[0][0] == count

    process = subprocess.Popen(  # noqa: ASYNC220 it is killed as its owner would kill it
        [sys.executable, "-c", ENDLESS, server.whole], cwd=ROOT
    )
    try:
        await wait_until(lambda: running(1))
    finally:
        process.kill()
        process.wait()
    await wait_until(lambda: running(0))


@pytest.mark.parametrize(
    "sql", ["SELECT " + "(" * 5000, "SELECT " + "1+" * 10_000 + "1", "SELECT '" + "x" * 200_000 + "'", "\0"]
)
def test_a_monstrous_query_is_a_failure(server: NamedServer, sql: str):
    with open_database(server.url, server.name, LIMITS, ANY) as database:
        assert isinstance(database.run(sql), Failure)


def test_one_file_or_url_is_opened_like_a_named_one(tmp_path: Path):
    sqlite_folder(tmp_path)
    with open_one(str(tmp_path / "mill.sqlite"), LIMITS) as database:
        assert counted(database) == ((3,),)
