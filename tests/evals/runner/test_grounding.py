"""Invented tables and columns, in every shape of query."""

from __future__ import annotations

import pytest

from evals.runner.grounding import invented_names
from scoring.schema import ColumnType, DatabaseSchema
from scoring.sql.parsing import Parsed, parse_query

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
