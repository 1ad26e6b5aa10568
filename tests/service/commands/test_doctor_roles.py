"""`sqlassay doctor` on a real PostgreSQL with faults of the role and of indexes, which what it prints corrects."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import asyncpg
import pytest
from pydantic import SecretStr
from sqlalchemy import URL, text
from sqlalchemy.ext.asyncio import create_async_engine

from consumers.errors import StoreUnavailable
from service.commands.doctor.database_checks import examine_database
from service.commands.doctor.findings import CheckHealth, CheckResult
from service.settings.storage_settings import DatabaseSettings
from service.storage.locks import AdvisoryLock, try_alone
from service.storage.scores.search_index import make_search_index
from service.storage.tables import METADATA
from tests.conftest import administer
from tests.waiting import WaitUntil

Role = tuple[str, URL]
"""A role's name, and the URL with which it logs in."""


@pytest.fixture
async def role(database: URL, postgres_url: URL) -> AsyncIterator[Role]:
    """A role that owns everything in a database of its own, as an installation's does."""
    name = f"owner_{database.database}"
    await administer(postgres_url, f"CREATE ROLE {name} LOGIN PASSWORD 'quartz'")
    here = postgres_url.set(database=database.database)
    await administer(here, f"GRANT ALL ON SCHEMA public TO {name}")
    await administer(
        here,
        f"DO $$ DECLARE one text; BEGIN FOR one IN SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND"
        f" relnamespace = 'public'::regnamespace LOOP EXECUTE format('ALTER TABLE %I OWNER TO {name}', one);"
        f" END LOOP; END $$",
    )
    yield name, database.set(username=name, password="quartz")
    await administer(here, f"REASSIGN OWNED BY {name} TO CURRENT_USER")
    await administer(here, f"DROP OWNED BY {name}")
    await administer(postgres_url, f"DROP ROLE {name}")


async def examined(url: URL, *, searches: bool = False) -> dict[str, CheckResult]:
    """The findings, by default of an installation that does without the index of searches."""
    secret = SecretStr(url.render_as_string(hide_password=False))
    settings = DatabaseSettings(url=secret, search_index=searches)
    return {each.check: each for each in await examine_database(settings)}


def bad(found: dict[str, CheckResult]) -> dict[str, CheckResult]:
    return {check: each for check, each in found.items() if each.health is not CheckHealth.OK}


async def run(url: URL, fix: str | None) -> None:
    """Runs what a finding prints, one statement after the other."""
    for statement in str(fix).partition(": ")[2].split("; "):
        await administer(url, statement.replace(":", r"\:"))


async def test_an_installations_own_role_has_no_finding_but_ok(role: Role):
    assert bad(await examined(role[1])) == {}


async def test_a_search_path_to_no_schema_is_named_and_set(role: Role, postgres_url: URL):
    name, url = role
    await administer(postgres_url, f"ALTER ROLE {name} SET search_path = 'nope'")
    found = bad(await examined(url))
    assert list(found) == ["database.search_path"], found
    named = found["database.search_path"]
    assert (named.health, "search_path is 'nope' for the role" in named.detail) == (CheckHealth.ERROR, True), named
    assert f"ALTER ROLE {name} IN DATABASE {url.database} SET search_path = public" in str(named.fix)
    await run(postgres_url, named.fix)
    assert bad(await examined(url)) == {}


async def test_a_search_path_of_the_url_is_corrected_there(role: Role):
    found = bad(await examined(role[1].update_query_dict({"options": "-csearch_path=nope"})))
    assert list(found) == ["database.search_path"], found
    assert "SQLASSAY_DATABASE__URL" in str(found["database.search_path"].fix)


async def test_a_schema_that_may_not_be_used_is_granted(role: Role, database: URL, postgres_url: URL):
    name, url = role
    here = postgres_url.set(database=database.database)
    await administer(here, f"REVOKE ALL ON SCHEMA public FROM PUBLIC, {name}")
    found = bad(await examined(url))
    assert list(found) == ["database.search_path"], found
    await run(here, found["database.search_path"].fix)
    assert "database.search_path" not in bad(await examined(url))


async def test_tables_of_another_schema_are_named(role: Role, database: URL, postgres_url: URL):
    name, url = role
    await administer(postgres_url.set(database=database.database), f"CREATE SCHEMA empty AUTHORIZATION {name}")
    await administer(postgres_url, f"ALTER ROLE {name} SET search_path = empty")
    named = (await examined(url))["database.migrations"]
    assert "the schema public has, and search_path is 'empty'" in named.detail
    assert f"ALTER ROLE {name} IN DATABASE {url.database} SET search_path = public" in str(named.fix)


async def held(url: URL) -> asyncpg.Connection:
    """One more session of the role."""
    return await asyncpg.connect(
        host=url.host, port=url.port, user=url.username, password=url.password, database=url.database
    )


@pytest.mark.parametrize("whose", ["ROLE", "DATABASE"])
async def test_a_limit_of_connections_is_named_by_its_statement(role: Role, postgres_url: URL, whose: str):
    name, url = role
    named = name if whose == "ROLE" else str(url.database)
    await administer(postgres_url, f"ALTER {whose} {named} CONNECTION LIMIT 1")
    alone = bad(await examined(url))
    session = await held(url)
    try:
        refused = bad(await examined(url))
    finally:
        await session.close()
    for found in (alone, refused):
        assert list(found) == ["database.connections"], found
        assert found["database.connections"].fix == f"run as a superuser: ALTER {whose} {named} CONNECTION LIMIT -1"
    assert (
        alone["database.connections"].health,
        "one process opens up to 11" in alone["database.connections"].detail,
    ) == (CheckHealth.WARNING, True)
    assert refused["database.connections"].health is CheckHealth.ERROR
    await run(postgres_url, refused["database.connections"].fix)
    assert bad(await examined(url)) == {}


@pytest.mark.parametrize(("value", "health"), [("1ms", CheckHealth.ERROR), ("10s", CheckHealth.WARNING)])
async def test_a_timeout_of_statements_is_named_by_its_statement(
    role: Role, postgres_url: URL, value: str, health: CheckHealth
):
    name, url = role
    await administer(postgres_url, f"ALTER ROLE {name} SET statement_timeout = '{value}'")
    found = bad(await examined(url))
    assert list(found) == ["database.statement_timeout"], found
    named = found["database.statement_timeout"]
    assert named.health is health, named
    assert named.fix == f"run as a superuser: ALTER ROLE {name} IN DATABASE {url.database} SET statement_timeout = 0"
    await run(postgres_url, named.fix)
    assert bad(await examined(url)) == {}


async def test_a_timeout_of_statements_in_the_url_is_corrected_there(role: Role):
    found = bad(await examined(role[1].update_query_dict({"options": "-cstatement_timeout=1ms"})))
    assert list(found) == ["database.statement_timeout"], found
    assert found["database.statement_timeout"].fix == "take statement_timeout out of SQLASSAY_DATABASE__URL"


@pytest.mark.parametrize(
    ("until", "health", "said"),
    [
        ("now() + interval '40 days'", CheckHealth.OK, "expires in 40 days"),
        ("now() + interval '13 days'", CheckHealth.WARNING, "expires in 13 days"),
        ("'infinity'::timestamptz", CheckHealth.OK, "does not expire"),
    ],
)
async def test_a_password_that_expires_soon_is_named(
    role: Role, postgres_url: URL, until: str, health: CheckHealth, said: str
):
    name, url = role
    await administer(postgres_url, f"DO $$ BEGIN EXECUTE format('ALTER ROLE {name} VALID UNTIL %L', {until}); END $$")
    found = await examined(url)
    named = found["database.password"]
    assert (named.health, said in named.detail) == (health, True), named
    assert list(bad(found)) == (["database.password"] if health is CheckHealth.WARNING else [])
    if named.fix is not None:
        await run(postgres_url, named.fix)
        assert bad(await examined(url)) == {}


async def test_a_password_that_has_expired_is_not_a_server_that_is_down(role: Role, postgres_url: URL):
    name, url = role
    await administer(postgres_url, f"ALTER ROLE {name} VALID UNTIL '2020-01-01'")
    named = bad(await examined(url))["database.reachable"]
    assert "VALID UNTIL" in str(named.fix)
    assert "start PostgreSQL" not in str(named.fix)


async def definitions(url: URL) -> dict[str, str]:
    """How each index on a declared table is made, by its name."""
    engine = create_async_engine(url)
    async with engine.connect() as connection:
        rows = await connection.execute(
            text("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename = ANY(:tables)"),
            {"tables": sorted(METADATA.tables)},
        )
        found = {row.indexname: row.indexdef for row in rows}
    await engine.dispose()
    return found


async def test_every_index_that_is_missing_is_named_with_the_statement_that_makes_it(role: Role):
    _, url = role
    before = await definitions(url)
    ours = {str(index.name): index for table in METADATA.sorted_tables for index in table.indexes}
    assert ours.keys() <= before.keys()
    for name in ours:
        await administer(url, f"DROP INDEX {name}")
    found = bad(await examined(url))
    assert found.keys() == {f"database.indexes {name}" for name in ours}
    for name, index in ours.items():
        named = found[f"database.indexes {name}"]
        assert named.health is (CheckHealth.ERROR if index.unique else CheckHealth.WARNING)
        await run(url, named.fix)
    assert await definitions(url) == before
    assert bad(await examined(url)) == {}


async def cut_short(database: URL) -> str:
    """A build that failed: PostgreSQL leaves the index, and does not use it."""
    await administer(
        database,
        "INSERT INTO event_keys SELECT 'a', 's', n::text, '', gen_random_uuid(), now() FROM generate_series(1, 2) n",
    )
    with pytest.raises(Exception, match="could not create unique index"):
        await administer(database, "CREATE UNIQUE INDEX CONCURRENTLY by_hand ON event_keys (tenant)")
    await administer(database, "DELETE FROM event_keys")
    return "by_hand"


async def without_parts(database: URL) -> str:
    """An index of a table of which no partition has its part."""
    await administer(database, "DROP INDEX evaluations_judge")
    await administer(database, "CREATE INDEX evaluations_judge ON ONLY evaluations (judge)")
    return "evaluations_judge"


async def of_a_partition(database: URL) -> str:
    """An index of one partition, as an operator marks one that is damaged."""
    await administer(
        database,
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'evaluations_other_judge_idx'::regclass",
    )
    return "evaluations_other_judge_idx"


async def left_over(database: URL) -> str:
    """What REINDEX CONCURRENTLY leaves where it is cut short."""
    await administer(database, "CREATE INDEX labels_newest_ccnew ON labels (tenant)")
    await administer(
        database, "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'labels_newest_ccnew'::regclass"
    )
    return "labels_newest_ccnew"


@pytest.mark.parametrize("plant", [cut_short, without_parts, of_a_partition, left_over])
async def test_an_index_that_is_not_valid_is_named_and_repaired(
    role: Role, database: URL, plant: Callable[[URL], Awaitable[str]]
):
    _, url = role
    name = await plant(database)
    found = bad(await examined(url))
    assert list(found) == [f"database.indexes {name}"], found
    assert "is not valid" in found[f"database.indexes {name}"].detail
    await run(database, found[f"database.indexes {name}"].fix)
    assert bad(await examined(url)) == {}


async def test_an_index_of_searches_that_is_not_whole_is_made_by_migrate(role: Role, database: URL):
    _, url = role
    assert await make_search_index(database, DatabaseSettings())
    assert bad(await examined(url, searches=True)) == {}
    await administer(database, "DROP INDEX evaluations_texts")
    await administer(
        database,
        "CREATE INDEX evaluations_texts ON ONLY evaluations USING gin (question gin_trgm_ops, sql gin_trgm_ops)",
    )
    found = bad(await examined(url, searches=True))
    assert [(check, each.fix) for check, each in found.items()] == [
        ("database.indexes evaluations_texts", "run sqlassay migrate")
    ]
    assert await make_search_index(database, DatabaseSettings())
    assert bad(await examined(url, searches=True)) == {}


async def test_an_index_of_searches_that_was_never_made_is_named_with_what_makes_it(
    role: Role, database: URL, postgres_url: URL
):
    name, url = role
    check, here = "database.indexes evaluations_texts", postgres_url.set(database=database.database)
    refused = bad(await examined(url, searches=True))
    assert (list(refused), refused[check].health) == ([check], CheckHealth.WARNING)
    assert f"run as a superuser in {url.database}: CREATE EXTENSION pg_trgm" in str(refused[check].fix)
    assert bad(await examined(url)) == {}, "an installation that does without it"
    await administer(here, f"GRANT CREATE ON DATABASE {url.database} TO {name}")
    assert str(bad(await examined(url, searches=True))[check].fix).startswith("run sqlassay migrate")
    await administer(here, f"REVOKE CREATE ON DATABASE {url.database} FROM {name}")
    await administer(here, "CREATE EXTENSION pg_trgm")
    assert str(bad(await examined(url, searches=True))[check].fix).startswith("run sqlassay migrate")
    assert await make_search_index(url, DatabaseSettings())
    assert bad(await examined(url, searches=True)) == {}


async def test_an_index_of_searches_whose_extension_may_not_be_used_is_named(
    role: Role, database: URL, postgres_url: URL
):
    _, url = role
    here = postgres_url.set(database=database.database)
    await administer(here, "CREATE SCHEMA locked")
    await administer(here, "CREATE EXTENSION pg_trgm SCHEMA locked")
    with pytest.raises(StoreUnavailable, match="sqlassay doctor prints the GRANT"):
        await make_search_index(url, DatabaseSettings())
    [(check, found)] = bad(await examined(url, searches=True)).items()
    assert (check, "may not use the schema locked" in found.detail) == ("database.indexes evaluations_texts", True)
    await run(here, str(found.fix).partition("; then")[0])
    assert str(bad(await examined(url, searches=True))[check].fix).startswith("run sqlassay migrate")
    assert await make_search_index(url, DatabaseSettings())
    assert bad(await examined(url, searches=True)) == {}


async def test_an_index_of_searches_in_another_schema_is_none(role: Role, database: URL, postgres_url: URL):
    name, url = role
    here = postgres_url.set(database=database.database)
    await administer(here, f"CREATE SCHEMA older AUTHORIZATION {name}")
    await administer(here, "CREATE TABLE older.evaluations (sql text)")
    await administer(here, "CREATE INDEX evaluations_texts ON older.evaluations (sql)")
    await administer(here, f"ALTER ROLE {name} SET search_path = public, older")
    assert "is missing" in bad(await examined(url, searches=True))["database.indexes evaluations_texts"].detail


async def test_an_index_of_searches_that_migrate_is_making_is_no_finding(role: Role, database: URL):
    _, url = role
    await administer(database, "CREATE EXTENSION pg_trgm")
    await administer(database, "CREATE INDEX evaluations_texts ON ONLY evaluations USING gin (question gin_trgm_ops)")
    engine = create_async_engine(database)
    async with try_alone(engine, AdvisoryLock.SEARCH_INDEX):
        found = await examined(url, searches=True)
    await engine.dispose()
    assert bad(found) == {}
    assert "is being made" in found["database.indexes evaluations_texts"].detail
    assert list(bad(await examined(url, searches=True))) == ["database.indexes evaluations_texts"]


async def test_an_index_that_is_being_built_is_no_finding(role: Role, database: URL, wait_until: WaitUntil):
    engine = create_async_engine(database)

    async def begun() -> bool:
        async with engine.connect() as connection:
            return bool(await connection.scalar(text("SELECT count(*) FROM pg_index WHERE NOT indisvalid")))

    async with engine.begin() as writer:
        # the build waits for this transaction, which knows nothing of the index
        await writer.execute(text("INSERT INTO event_keys SELECT 'a', 's', '1', '', gen_random_uuid(), now()"))
        statement = "CREATE INDEX CONCURRENTLY by_hand ON event_keys (payload_hash)"
        building = asyncio.create_task(administer(database, statement))
        await wait_until(begun)
        # the second may not see which index it is
        found = [bad(await examined(each)) for each in (database, role[1])]
        await writer.rollback()
    await building
    await engine.dispose()
    assert found == [{}, {}]
