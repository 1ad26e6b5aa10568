"""Invented tables and columns, in every shape of query."""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter, defaultdict

import pytest

from evals.runner.grounding import invented_names
from references.comparison.alternatives import expand
from references.databases.access import DatabaseLimits
from references.databases.opening import open_database
from references.sandbox import Failure
from scoring.schema import ColumnType, DatabaseSchema
from scoring.sql.parsing import Parsed, parse_query
from service.commands.eval.runner.case_schemas import CaseSchema, CaseSchemas, Sources
from tests.development import HOME, labels_path

TABLES = {"looms": ("id", "name", "mill"), "mills": ("id", "town")}
COLUMNS = {table: {str(name): ColumnType.TEXT for name in names} for table, names in TABLES.items()}
SCHEMA = DatabaseSchema(tables=COLUMNS, open_tables=frozenset({"yarn_view"}))

GROUNDED = """
SELECT id FROM looms
SELECT LOOMS.Id FROM Looms
SELECT public.looms.id FROM public.looms
SELECT * FROM (SELECT * FROM looms) AS q WHERE q.name = 'a'
WITH t (a, b) AS (SELECT id, name FROM looms) SELECT a, b FROM t
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n
SELECT COUNT(*) AS c FROM looms GROUP BY name HAVING c > 1 ORDER BY c
SELECT id FROM looms UNION SELECT id FROM mills ORDER BY id
SELECT name FROM looms WHERE EXISTS (SELECT 1 FROM mills AS m WHERE m.id = looms.mill)
SELECT name FROM looms WHERE name = "Ada"
SELECT anything FROM yarn_view
SELECT town FROM looms JOIN mills USING (id)
SELECT rowid FROM looms
SELECT l.* FROM looms AS l, json_each(l.name) AS j WHERE j.value = 1
SELECT x.id, y.c FROM looms AS x, LATERAL (SELECT x.name AS c) AS y
VALUES (1, 2)
"""
INVENTED = [
    ("SELECT x FROM looms", (), ("looms.x",)),
    ("SELECT a.x, b.town FROM looms AS a JOIN mills AS b ON a.mill = b.id", (), ("looms.x",)),
    ("SELECT x FROM looms JOIN mills ON mill = mills.id", (), ("x",)),
    ("SELECT zz.id FROM looms", (), ("zz.id",)),
    ("WITH t AS (SELECT id AS k FROM looms) SELECT k, z FROM t", (), ("z",)),
    ("SELECT * FROM (SELECT * FROM looms) AS q WHERE q.nope = 1", (), ("q.nope",)),
    ("SELECT id FROM looms UNION SELECT idd FROM mills", (), ("mills.idd",)),
    ("SELECT id FROM looms WHERE mill IN (SELECT id FROM mils WHERE town = 'A')", ("mils",), ()),
    ("SELECT town FROM looms JOIN mills USING (idx)", (), ("idx",)),
    ("SELECT id, RANK() OVER (PARTITION BY wrong ORDER BY id) FROM looms", (), ("looms.wrong",)),
    ("SELECT t1.name FROM looms AS t1 ORDER BY t1.nope", (), ("looms.nope",)),
    ("SELECT (SELECT MAX(t.idd) FROM looms AS t WHERE t.mill = m.id) FROM mills AS m", (), ("looms.idd",)),
]


def invented(sql: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    parsed = parse_query(sql, None)
    assert isinstance(parsed, Parsed)
    found = invented_names(parsed, sql, SCHEMA)
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
                assert bool(invented_names(parsed, sql, schema.tables)) is missing, sql
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
            assert not invented_names(parsed, each.sql, schema.tables), each.sql
            seen += 1
    assert seen > 300
