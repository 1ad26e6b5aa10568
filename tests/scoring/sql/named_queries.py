"""Queries whose names a schema has, and queries of which it lacks some."""

from __future__ import annotations

from scoring.schema import ColumnType, DatabaseSchema

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
WITH T AS (SELECT id FROM looms) SELECT t.id FROM t
SELECT x.a FROM (SELECT id, name FROM looms) AS x (a, b)
WITH t AS (SELECT id, name FROM looms) SELECT u.a FROM t AS u (a, b)
SELECT table_name FROM information_schema.tables
SELECT id FROM looms, dual
SELECT DATEDIFF(day, name, name), DATEADD(year, -1, name) FROM looms
SELECT name AT TIME ZONE utc FROM looms
SELECT id * 2 AS twice, twice + 1 AS more FROM looms
SELECT COUNT(l), looms.mill.town FROM looms AS l, looms
SELECT id FROM looms WHERE name = "Ada" OR "id" = 'x'
SELECT s.* FROM (SELECT * EXCLUDE (mill) FROM looms) AS s WHERE s.name = 'a'
SELECT p.q1 FROM (SELECT mill, name FROM looms) PIVOT (COUNT(name) FOR mill IN ('1' AS q1)) AS p
SELECT id FROM looms l WHERE l.mill IN (SELECT m.id FROM mills m WHERE m.town = l.name)
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
    ("SELECT town FROM mills JOIN looms USING (town)", (), ("looms.town",)),
    ("WITH t (a, b) AS (SELECT id, name FROM looms) SELECT a, name FROM t", (), ("name",)),
    ("SELECT x.name FROM (SELECT id, name FROM looms) AS x (a, b)", (), ("x.name",)),
    ("SELECT id, RANK() OVER (PARTITION BY wrong ORDER BY id) FROM looms", (), ("looms.wrong",)),
    ("SELECT t1.name FROM looms AS t1 ORDER BY t1.nope", (), ("looms.nope",)),
    ("SELECT town AS town FROM looms", (), ("looms.town",)),
    ("SELECT SUM(town) AS town FROM looms ORDER BY town", (), ("looms.town",)),
    ("WITH t AS (SELECT town FROM mills) SELECT town FROM looms", (), ("looms.town",)),
    ("SELECT id FROM looms AS l JOIN yarn_view AS y ON y.loom = l.nope", (), ("looms.nope",)),
    ("SELECT looms.id FROM looms AS l", (), ("looms.id",)),
    ("SELECT id FROM looms WHERE `Ada` = name", (), ("looms.ada",)),
    ("SELECT MAX(year) FROM looms", (), ("looms.year",)),
    ("SELECT public.looms.town FROM public.looms", (), ("looms.town",)),
    ("SELECT l.town FROM looms AS l JOIN mills AS m USING (id) WHERE town = 'A'", (), ("looms.town",)),
    ("SELECT x FROM wools", ("wools",), ()),
    ("SELECT (SELECT MAX(t.idd) FROM looms AS t WHERE t.mill = m.id) FROM mills AS m", (), ("looms.idd",)),
]
