"""Invented tables and columns, in every shape of query."""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter, defaultdict

import pytest

from references.comparison.alternatives import expand
from references.databases.access import DatabaseLimits
from references.databases.opening import open_database
from references.sandbox import Failure
from scoring.sql.parsing import Parsed, parse_query
from scoring.sql.unknown_names import unknown_names
from service.commands.gold.case_schemas import CaseSchema, CaseSchemas, Sources
from tests.development import HOME, labels_path
from tests.scoring.sql.named_queries import GROUNDED, INVENTED, SCHEMA


def invented(sql: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    parsed = parse_query(sql, None)
    assert isinstance(parsed, Parsed)
    found = unknown_names(parsed, SCHEMA)
    return found.tables, found.columns


@pytest.mark.parametrize("sql", GROUNDED.strip().splitlines())
def test_what_exists_is_not_reported(sql: str) -> None:
    assert invented(sql) == ((), ())


@pytest.mark.parametrize(("sql", "tables", "columns"), INVENTED)
def test_what_does_not_exist_is_named(sql: str, tables: tuple[str, ...], columns: tuple[str, ...]) -> None:
    assert invented(sql) == (tables, columns)


@pytest.mark.slow
@pytest.mark.development_data("judge/train_spider_ex.jsonl")
@pytest.mark.development_data("spider_db")
def test_names_are_invented_exactly_where_sqlite_does_not_find_them() -> None:
    held: defaultdict[str, list[str]] = defaultdict(list)
    for line in labels_path("train_spider_ex").read_text().splitlines():
        row = json.loads(line)
        held[row["db_id"]].append(row["sql"])
    databases, dice, seen = str(HOME / "spider_db"), random.Random(5), Counter[bool]()
    for db_id, queries in held.items():
        with open_database(databases, db_id, DatabaseLimits()) as database:
            schema = CaseSchemas(Sources(databases=databases)).of_database(db_id, database)
            assert isinstance(schema, CaseSchema)
            columns = sorted({name for table in schema.tables.tables.values() for name in table})
            for sql in [text for query in queries[:60] for text in changed(query, columns, dice)]:
                parsed = parse_query(sql, None)
                assert isinstance(parsed, Parsed)
                result = database.run(f"SELECT * FROM ({sql.strip().rstrip(';')}) LIMIT 0")
                missing = isinstance(result, Failure) and "no such" in result.detail
                assert bool(unknown_names(parsed, schema.tables)) is missing, sql
                seen[missing] += 1
    assert min(seen[True], seen[False]) > 500


def changed(sql: str, columns: list[str], dice: random.Random) -> list[str]:
    """The query, and with one column under a name that does not exist, or under another column's."""
    named = [word for word in re.findall(r"[A-Za-z_]\w+", sql) if word.lower() in columns]
    if not named:
        return [sql]
    column = re.compile(rf"\b{dice.choice(named)}\b")
    return [sql, column.sub("no_such_column", sql, count=1), column.sub(dice.choice(columns), sql, count=1)]


@pytest.mark.slow
@pytest.mark.development_data("defog")
def test_gold_queries_of_other_dialects_invent_nothing() -> None:
    schemas, seen = CaseSchemas(Sources(schemas=str(HOME / "defog" / "schemas"))), 0
    for row in csv.DictReader((HOME / "defog" / "questions_gen_postgres.csv").open()):
        schema = schemas.found(row["db_name"])
        assert isinstance(schema, CaseSchema)
        for each in expand(row["query"], 8, written_out=True).alternatives:
            parsed = parse_query(each.sql, "postgres")
            assert isinstance(parsed, Parsed)
            assert not unknown_names(parsed, schema.tables), each.sql
            seen += 1
    assert seen > 300
