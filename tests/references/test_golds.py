"""Published gold queries, where they stand beside the checkout: each runs, is itself, and no longer is once changed."""

from __future__ import annotations

import asyncio
import csv
import re
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
import sqlglot
from sqlalchemy import URL
from sqlglot import exp

from references.comparison.alternatives import expand
from references.comparison.comparing import ResultMatch, compare
from references.comparison.results import QueryResult
from references.databases.access import Allowance, Database, DatabaseLimits
from references.databases.opening import open_database
from tests.development import HOME

GOLDS = HOME / "defog" / "questions_gen_postgres.csv"
LIMITS = DatabaseLimits(seconds=20)
ALLOWANCE = Allowance(any_role=True)
pytestmark = pytest.mark.development_data("defog")


@pytest.fixture(scope="module")
def golds() -> list[dict[str, str]]:
    with GOLDS.open(newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def server(golds: list[dict[str, str]], postgres_url: URL) -> Iterator[str]:
    """A URL with `{db_id}` of databases loaded from the schemas."""
    url = postgres_url.set(drivername="postgresql")
    schemas = {row["db_name"]: HOME / "defog" / "schemas" / f"{row['db_name']}.sql" for row in golds}
    asyncio.run(_load(url, schemas))
    yield url.set(database="gold_NAME").render_as_string(hide_password=False).replace("NAME", "{db_id}")
    asyncio.run(_administer(url, [f"DROP DATABASE gold_{name} WITH (FORCE)" for name in schemas]))


async def _administer(url: URL, statements: list[str]) -> None:
    connection = await asyncpg.connect(url.render_as_string(hide_password=False))
    for statement in statements:
        await connection.execute(statement)
    await connection.close()


async def _load(url: URL, schemas: dict[str, Path]) -> None:
    await _administer(url, [f"CREATE DATABASE gold_{name}" for name in schemas])
    for name, path in schemas.items():
        await _administer(url.set(database=f"gold_{name}"), [path.read_text()])


@pytest.mark.parametrize("every", [12, pytest.param(1, marks=pytest.mark.slow)])
def test_golds_expand_run_and_match_themselves_in_every_alternative(
    golds: list[dict[str, str]], server: str, every: int
):
    failed: list[str] = []
    for row in golds[::every]:
        with open_database(server, row["db_name"], LIMITS, ALLOWANCE) as database:
            failed += [each.text for each in _unlike_itself(row["query"], database)]
    assert failed == []


def _unlike_itself(gold: str, database: Database):
    for alternative in expand(gold).alternatives:
        ran = database.run(alternative.sql)
        shown = _shown(alternative.sql, alternative.keep, ran) if isinstance(ran, QueryResult) else None
        found = shown is not None and compare(gold, shown, database.run, dialect=database.dialect).match
        if found is not ResultMatch.EXACT:
            yield alternative


def _shown(sql: str, keep: tuple[int, ...] | None, ran: QueryResult) -> str:
    """The alternative as an agent would write it: with the columns that count and no other."""
    if keep is None:
        return sql
    tree = sqlglot.parse_one(sql, read="postgres")
    assert isinstance(tree, exp.Query)
    tree.set("expressions", [tree.selects[place] for place in keep])
    assert len(ran.columns) > max(keep)
    return tree.sql(dialect="postgres")


@pytest.mark.slow
def test_golds_that_are_changed_do_not_match(golds: list[dict[str, str]], server: str):
    changed = told_apart = 0
    for row in golds:
        with open_database(server, row["db_name"], LIMITS, ALLOWANCE) as database:
            for mutant in _mutants(expand(row["query"]).alternatives[0].sql):
                before, after = database.run(expand(row["query"]).alternatives[0].sql), database.run(mutant)
                if not (isinstance(before, QueryResult) and isinstance(after, QueryResult)) or _same_rows(
                    before, after
                ):
                    continue
                changed += 1
                found = compare(row["query"], mutant, database.run, dialect=database.dialect)
                told_apart += found.match is ResultMatch.NONE
    assert changed >= 100
    assert told_apart / changed >= 0.95


def _same_rows(before: QueryResult, after: QueryResult) -> bool:
    return sorted(map(repr, before.rows)) == sorted(map(repr, after.rows))


def _mutants(sql: str) -> Iterator[str]:
    """The query with a comparison turned, a number moved, an aggregate swapped, or a filter gone."""
    for old, new in ((">", "<"), ("<", ">"), ("=", "<>"), ("AVG(", "SUM("), ("COUNT(", "MAX("), ("MAX(", "MIN(")):
        mutant = re.sub(rf"(?<![<>=!:]){re.escape(old)}(?![<>=])", new, sql, count=1, flags=re.IGNORECASE)
        if mutant != sql:
            yield mutant
    tree = sqlglot.parse_one(sql, read="postgres")
    where = tree.find(exp.Where)
    if where is not None:
        where.pop()
        yield tree.sql(dialect="postgres")
