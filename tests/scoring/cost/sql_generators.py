"""Queries of any size: a generator for each construct of SQL that repeats."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tests.scoring.cost.texts import SELECT, Make, Texts, each, nested, sql

JOINS: Mapping[str, Make] = MappingProxyType(
    {
        "joins with ON": sql("SELECT a.x FROM a", " JOIN b{n} ON a.x = b{n}.x"),
        "left joins with ON": sql("SELECT a.x FROM a", " LEFT JOIN b{n} ON a.x = b{n}.x"),
        "joins of one table": sql("SELECT a.x FROM a", " JOIN b ON a.x = b.x"),
        "cross joins": sql("SELECT a.x FROM a", " CROSS JOIN b{n}"),
        "natural joins": sql("SELECT a.x FROM a", " NATURAL JOIN b{n}"),
        "comma joins": sql("SELECT a.x FROM a", ", b{n}"),
        "comma joins with conditions": lambda n: Texts(
            sql="SELECT a.x FROM a" + each(", b{n}", n) + " WHERE " + each("a.x = b{n}.x", n, " AND ")
        ),
        "joins with USING": sql("SELECT a.x FROM a", " JOIN b{n} USING (x)"),
        "joins of subqueries": sql("SELECT a.x FROM a", " JOIN (SELECT x FROM b{n}) s{n} ON a.x = s{n}.x"),
        "anti joins": lambda n: Texts(
            sql="SELECT a.x FROM a"
            + each(" LEFT JOIN b{n} ON a.x = b{n}.x", n)
            + " WHERE "
            + each("b{n}.x IS NULL", n, " AND ")
        ),
        "bigquery unnests": sql("SELECT 1 FROM a", ", a.b", dialect="bigquery"),
        "long ON conditions": sql("SELECT a.x FROM a JOIN b ON ", "a.x{n} = b.y{n}", between=" AND "),
    }
)
SUBQUERIES: Mapping[str, Make] = MappingProxyType(
    {
        "CTEs": sql("WITH ", "c{n} AS (SELECT a FROM t{n})", " SELECT a FROM c0", ", "),
        "CTEs of CTEs": sql("WITH c AS (SELECT a FROM t)", ", c{n} AS (SELECT a FROM c)", " SELECT a FROM c0"),
        "CTEs that read the one before": lambda n: Texts(
            sql="WITH c0 AS (SELECT a FROM t)"
            + "".join(f", c{k} AS (SELECT a || a AS a FROM c{k - 1})" for k in range(1, n + 1))
            + f" SELECT a FROM c{n} WHERE a = 'x'"
        ),
        "stars of stars": lambda n: Texts(
            sql="WITH c0 AS (SELECT 1 AS a)"
            + "".join(f", c{k} AS (SELECT * FROM c{k - 1})" for k in range(1, n + 1))
            + f" SELECT a FROM c{n}"
        ),
        "IN subqueries": sql(SELECT, "a{n} IN (SELECT b FROM u{n})", between=" AND "),
        "NOT IN subqueries": sql(SELECT, "a NOT IN (SELECT b FROM u WHERE c = {n})", between=" AND "),
        "EXISTS subqueries": sql(SELECT, "EXISTS (SELECT 1 FROM u WHERE u.b = t.a{n})", between=" AND "),
        "NOT EXISTS subqueries": sql(SELECT, "NOT EXISTS (SELECT 1 FROM u WHERE u.b = t.a{n})", between=" AND "),
        "scalar subqueries": sql("SELECT ", "(SELECT MAX(b) FROM u{n})", " FROM t", ", "),
        "compared subqueries": sql(SELECT, "a{n} = (SELECT MAX(b) FROM u)", between=" AND "),
        "subqueries in FROM": sql("SELECT s0.a FROM ", "(SELECT a FROM t{n}) s{n}", between=", "),
        "unions": sql("", "SELECT a FROM t WHERE b = {n}", between=" UNION "),
        "unions of the same rows": sql("", "SELECT a FROM t WHERE b = 1", between=" UNION ALL "),
        "extremes of the column": sql(SELECT, "a <= (SELECT MAX(a) FROM t)", between=" OR "),
        "columns of the row in IN": sql(SELECT, "t.a{n} IN (SELECT t.a{n} FROM u WHERE u.b = 1)", between=" AND "),
        "constant columns": sql(
            "SELECT 1 FROM (SELECT DATE '2020-01-01' AS a FROM t) s WHERE ", "a > '20{n}-01-01'", between=" AND "
        ),
        "unions of one": sql("SELECT a FROM t", " UNION ALL SELECT a FROM t"),
        "excepts": sql("SELECT a FROM t", " EXCEPT SELECT a FROM t WHERE b = {n}"),
        "intersects": sql("SELECT a FROM t", " INTERSECT SELECT a FROM t WHERE b = {n}"),
        "texts put together": sql("SELECT ", "a{n} || 'x{n}'", " FROM t", " || "),
        "capped counts": sql("SELECT CASE ", "WHEN COUNT(*) > {n} THEN {n}", " ELSE COUNT(*) END FROM t", " "),
        "nested subqueries": nested("SELECT ", "(SELECT a FROM t WHERE b IN ", "(1)", ")", " FROM t"),
        "nested brackets": nested(SELECT + "a IN (", "(", "1", ")", ")"),
        "limits in unions": sql("SELECT a FROM t", " UNION ALL SELECT a FROM (SELECT a FROM t ORDER BY b LIMIT {n}) s"),
    }
)
CONDITIONS: Mapping[str, Make] = MappingProxyType(
    {
        "ANDs of columns": sql(SELECT, "a{n} = {n}", between=" AND "),
        "ANDs of one column": sql(SELECT, "a = {n}", between=" AND "),
        "ANDs of parameters": sql(SELECT, "a{n} = ?", between=" AND "),
        "ORs of optional parameters": sql(SELECT, "(:x{n} IS NULL OR a{n} = :x{n})", between=" AND "),
        "catalogues": sql("SELECT 1 FROM ", "pg_class c{n}", between=", "),
        "constants of the server": sql("SELECT ", "version()", between=", "),
        "ANDs of texts": sql(SELECT, "a{n} = 'x{n}'", between=" AND "),
        "ORs of one column": sql(SELECT, "a = {n}", between=" OR "),
        "ORs of columns": sql(SELECT, "a{n} = 1", between=" OR "),
        "ORs of texts": sql(SELECT, "a = 'x{n}'", between=" OR "),
        "ORs of ANDs": sql(SELECT, "(a{n} = 1 AND b{n} = 2)", between=" OR "),
        "ANDs of ORs": sql(SELECT, "(a{n} = 1 OR b{n} = 2)", between=" AND "),
        "ANDs of tautologies": sql(SELECT, "(a = 1 OR 1 = 1)", between=" AND "),
        "ANDs of decoys": sql(SELECT, "TRIM('x{n}') = 'x{n}'", between=" AND "),
        "NOTs": sql(SELECT, "NOT (a{n} = 1)", between=" AND "),
        "NOTs of ORs": sql(SELECT, "NOT (a{n} = 1 OR b = 2)", between=" AND "),
        "inequalities": sql(SELECT, "a <> {n}", between=" AND "),
        "ranges": sql(SELECT, "a{n} > {n} AND a{n} < 9", between=" AND "),
        "bounds of one column": sql(SELECT, "a > {n}", between=" AND "),
        "BETWEENs": sql(SELECT, "a{n} BETWEEN {n} AND 9", between=" AND "),
        "BETWEENs of one column": sql(SELECT, "a BETWEEN {n} AND 9", between=" OR "),
        "LIKEs": sql(SELECT, "a{n} LIKE '%x{n}%'", between=" OR "),
        "equalities in a chain": lambda n: Texts(sql=SELECT + " AND ".join(f"a{k} = a{k + 1}" for k in range(n))),
        "equalities of one column": sql(SELECT, "a = b{n}", between=" AND "),
        "equalities of tables": lambda n: Texts(
            sql="SELECT t0.a FROM "
            + each("t{n}", n, ", ")
            + " WHERE "
            + " AND ".join(f"t{k}.a = t{k + 1}.a" for k in range(n))
        ),
        "IN list of numbers": sql(SELECT + "a IN (", "{n}", ")", ", "),
        "IN list of texts": sql(SELECT + "a IN (", "'x{n}'", ")", ", "),
        "IN lists": sql(SELECT, "a{n} IN (1, 2, 3)", between=" AND "),
        "IN lists of one column": sql(SELECT, "a IN ({n}, 2, 3)", between=" OR "),
        "NOT IN list": sql(SELECT + "a NOT IN (", "'x{n}'", ")", ", "),
        "tuples": sql(SELECT + "(a, b) IN (", "({n}, 2)", ")", ", "),
        "IS NULLs": sql(SELECT, "a{n} IS NULL", between=" AND "),
        "dates": sql(SELECT, "a{n} >= '2020-01-01'", between=" AND "),
        "dates of one column": sql(SELECT, "a >= DATE('now', '-{n} day')", between=" AND "),
        "repeated conditions": sql(SELECT, "a = 1", between=" AND "),
        "conditions of HAVING": sql("SELECT a FROM t GROUP BY a HAVING ", "COUNT(b{n}) > {n}", between=" AND "),
        "ranges of one column": sql(SELECT, "(a < {n} OR a > 9 OR b <> 'x{n}')", between=" AND "),
        "ORs that keep all": sql(SELECT, "(a{n} < 5 OR a{n} >= 5)", between=" AND "),
        "a long OR that keeps all": sql(SELECT, "a <> {n}", between=" OR "),
        "conditions of CASE": sql(SELECT, "CASE WHEN a{n} = 1 THEN 1 ELSE 2 END > {n}", between=" AND "),
        "fallbacks": sql(SELECT, "COALESCE(a{n}, 'x') = 'x'", between=" AND "),
        "regular expressions": sql(SELECT, "a{n} ~ '(x|y)*z'", between=" AND ", dialect="postgres"),
        "a pattern of wildcards": lambda n: Texts(
            sql=f"{SELECT}c SIMILAR TO '{'%' * n}b' OR c = '{'a' * n}'", dialect="postgres"
        ),
        "a repeated group": lambda n: Texts(sql=f"{SELECT}c ~ '((a+)+)+b' OR c = '{'a' * n}'", dialect="postgres"),
        "queries of their own keys": sql(SELECT, "a{n} IN (SELECT a{n} FROM t WHERE a{n} IS NOT NULL)", between=" OR "),
        "comparisons of columns": sql(SELECT, "a{n} > b{n}", between=" AND "),
    }
)
EXPRESSIONS: Mapping[str, Make] = MappingProxyType(
    {
        "columns": sql("SELECT ", "a{n}", " FROM t, u", ", "),
        "one column": sql("SELECT ", "a", " FROM t", ", "),
        "aliases": sql("SELECT ", "a{n} AS b{n}", " FROM t ORDER BY b0", ", "),
        "aliases in WHERE": lambda n: Texts(
            sql="SELECT " + each("a{n} AS b{n}", n, ", ") + " FROM t WHERE " + each("b{n} = 1", n, " AND ")
        ),
        "stars": sql("SELECT ", "t.*", " FROM t", ", "),
        "CASEs": sql("SELECT ", "CASE WHEN a = {n} THEN 1 ELSE 2 END", " FROM t", ", "),
        "WHENs of one CASE": sql("SELECT CASE", " WHEN a = {n} THEN {n}", " END FROM t"),
        "sums of CASEs": sql("SELECT ", "SUM(CASE WHEN a = {n} THEN 1 ELSE 0 END)", " FROM t", ", "),
        "functions": sql("SELECT ", "UPPER(a{n})", " FROM t", ", "),
        "arguments": sql("SELECT COALESCE(", "a{n}", ") FROM t", ", "),
        "aggregates": sql("SELECT ", "SUM(a{n})", " FROM t", ", "),
        "aggregates and columns": sql("SELECT ", "SUM(a{n}), b{n}", " FROM t GROUP BY b0", ", "),
        "aggregates of distinct values": sql("SELECT ", "COUNT(DISTINCT a{n})", " FROM t", ", "),
        "windows": sql("SELECT ", "SUM(a) OVER (PARTITION BY b{n} ORDER BY c)", " FROM t", ", "),
        "named windows": sql("SELECT a FROM t WINDOW ", "w{n} AS (ORDER BY a)", between=", ", dialect="postgres"),
        "sum of columns": sql("SELECT ", "a{n}", " FROM t", " + "),
        "concatenation": sql("SELECT ", "a{n}", " FROM t", " || "),
        "sums of one count": sql("SELECT ", "COUNT(*)", " FROM t", " + "),
        "functions of counts": sql("SELECT ", "SQRT(COUNT(*)) * COUNT(a{n})", " FROM t", ", "),
        "divisions": sql("SELECT ", "a{n}", " FROM t", " / "),
        "ratios": sql("SELECT ", "SUM(a{n}) * 100.0 / COUNT(*)", " FROM t", ", "),
        "casts": sql("SELECT ", "CAST(a{n} AS INT)", " FROM t", ", "),
        "casts in a row": sql("SELECT ", "a{n}::INT::TEXT", " FROM t", ", ", dialect="postgres"),
        "keys of GROUP BY": sql("SELECT a0 FROM t GROUP BY ", "a{n}", between=", "),
        "columns and keys": lambda n: Texts(
            sql="SELECT " + each("a{n}", n, ", ") + ", COUNT(*) FROM t GROUP BY " + each("a{n}", n, ", ")
        ),
        "keys of ORDER BY": sql("SELECT a FROM t ORDER BY ", "a{n} DESC", between=", "),
        "columns and order": lambda n: Texts(
            sql="SELECT " + each("a{n}", n, ", ") + " FROM t ORDER BY " + each("a{n}", n, ", ")
        ),
        "computed columns that nothing reads": sql(
            "SELECT COUNT(*) FROM (SELECT ", "CASE WHEN a{n} = 'x' THEN 1 END AS b{n}", " FROM t) AS u", ", "
        ),
        "constant columns": sql("SELECT COUNT(*) FROM (SELECT ", "'xy{n}' AS b{n}", " FROM t) AS u", ", "),
        "FULL JOINs": sql("SELECT COUNT(*) FROM t0", " FULL JOIN t{n} AS u{n} ON t0.a = u{n}.a AND u{n}.b = 'x'"),
        "RIGHT JOINs of subqueries": sql(
            "SELECT COUNT(*) FROM t0", " RIGHT JOIN (SELECT a FROM t{n} WHERE b = 1) AS u{n} ON t0.a = u{n}.a"
        ),
        "UNIONs with all others": sql(
            "", "SELECT a FROM t WHERE b = {n} UNION SELECT a FROM t WHERE b <> {n}", between=" UNION "
        ),
        "values": sql("SELECT * FROM (VALUES ", "({n}, 'x')", ") AS v (a, b)", ", ", dialect="postgres"),
        "comments": sql("SELECT a ", "/* x{n} */ ", " FROM t"),
        "one long text": lambda n: Texts(sql=SELECT + f"a = '{'x ' * n}'"),
        "one long name": lambda n: Texts(sql=f"SELECT {'a_b' * n} FROM t"),
        "one long pattern": lambda n: Texts(sql=SELECT + f"a LIKE '{'%x_' * n}'"),
        "one long number": lambda n: Texts(sql=SELECT + f"a = {'1' * n}"),
        "array elements": sql("SELECT ARRAY[", "{n}", "]", ", ", dialect="postgres"),
        "JSON paths": sql("SELECT ", "a -> 'b{n}'", " FROM t", ", ", dialect="postgres"),
        "dialects that fit not": sql("SELECT a FROM t WHERE ", "b{n} = 1", " (", " AND "),
    }
)
