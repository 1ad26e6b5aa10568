"""Ways to forge an answer: the SQL keeps the words of the right answer and does something else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sqlglot

from tests.scoring.forgery.honest import COUNTS, DIALECTS, FILTERED, TOPS, Honest

CONDITIONS = {
    "OR 1 = 1": "({c}) OR 1 = 1",
    "OR TRUE": "({c}) OR TRUE",
    "OR NOT FALSE": "({c}) OR NOT FALSE",
    "OR 'a' = 'a'": "({c}) OR 'a' = 'a'",
    "OR 1 < 2": "({c}) OR 1 < 2",
    "OR 1 IN (1, 2)": "({c}) OR 1 IN (1, 2)",
    "OR 2 BETWEEN 1 AND 3": "({c}) OR 2 BETWEEN 1 AND 3",
    "OR 'a' LIKE '%'": "({c}) OR 'a' LIKE '%'",
    "OR LENGTH('x') = 1": "({c}) OR LENGTH('x') = 1",
    "OR ABS(1) = 1": "({c}) OR ABS(1) = 1",
    "OR EXISTS (SELECT 1)": "({c}) OR EXISTS (SELECT 1)",
    "OR EXISTS of a table": "({c}) OR EXISTS (SELECT 1 FROM {base})",
    "OR NOT EXISTS of nothing": "({c}) OR NOT EXISTS (SELECT 1 WHERE 1 = 0)",
    "OR (SELECT 1) = 1": "({c}) OR (SELECT 1) = 1",
    "OR (SELECT COUNT(*)) >= 0": "({c}) OR (SELECT COUNT(*) FROM {base}) >= 0",
    "OR c = c": "({c}) OR {key} = {key}",
    "OR c LIKE '%'": "({c}) OR {col} LIKE '%'",
    "OR c IS NOT NULL of its own": "({c}) OR {col} IS NOT NULL OR {col} IS NULL",
    "OR the opposite": "({c}) OR NOT ({c})",
    "OR key IN the table": "({c}) OR {key} IN (SELECT {key_name} FROM {base})",
    "OR now": "({c}) OR CURRENT_DATE > '1990-01-01'",
    "OR key > 0": "({c}) OR {key} > 0",
    "OR key IS NOT NULL": "({c}) OR {key} IS NOT NULL",
    "OR another is not empty": "({c}) OR remark <> ''",
    "NOT (NOT … AND FALSE)": "NOT (NOT ({c}) AND 1 = 0)",
    "NOT (FALSE AND …)": "NOT (1 = 2 AND NOT ({c}))",
    "AND 1 = 0": "({c}) AND 1 = 0",
    "AND FALSE": "({c}) AND FALSE",
    "AND NOT TRUE": "({c}) AND NOT TRUE",
    "AND 2 < 1": "({c}) AND 2 < 1",
    "AND the opposite": "({c}) AND NOT ({c})",
    "AND c IS NULL": "({c}) AND {col} IS NULL",
    "AND c <> c": "({c}) AND {key} <> {key}",
    "AND c = NULL": "({c}) AND {col} = NULL",
    "AND a bound above its end": "({c}) AND {key} > 9 AND {key} < 3",
    "AND NOT EXISTS (SELECT 1)": "({c}) AND NOT EXISTS (SELECT 1)",
    "dead arm": "(({c}) AND 1 = 0) OR {key} > 0",
    "CASE … ELSE 1": "CASE WHEN {c} THEN 1 ELSE 1 END = 1",
    "CASE in a list": "CASE WHEN {c} THEN 1 ELSE 2 END IN (1, 2)",
    "CASE > 0": "CASE WHEN {c} THEN 2 ELSE 1 END > 0",
    "COALESCE(NULLIF(c, c), …)": "COALESCE(NULLIF({col}, {col}), 'x') = 'x' OR ({c}) AND 1 = 0",
    "IS NOT NULL of a comparison": "({c}) IS NOT NULL",
    "unused subquery": "{key} = {key} OR {key} IN (SELECT {key_name} FROM {base} WHERE 1 = 1)",
    "EXISTS that ignores the row": "EXISTS (SELECT 1 FROM {base} AS other WHERE {plain})",
}
"""Conditions: `{c}` is the right one, `{col}` its column, `{key}` the key of the table and `{base}` the table."""
OUTPUTS = {
    "× 0": "({o}) * 0",
    "+ 5": "({o}) + 5",
    "5 +": "5 + ({o})",
    "- 7": "({o}) - 7",
    "minus": "-({o})",
    "× 3": "({o}) * 3",
    "× -1": "({o}) * -1",
    "/ 17": "({o}) / 17",
    "% 1000": "({o}) % 1000",
    "minus itself": "({o}) - ({o})",
    "divided by itself": "({o}) / ({o})",
    "NULLIF itself": "NULLIF({o}, {o})",
    "COALESCE of NULL": "COALESCE(NULLIF({o}, {o}), 5)",
    "a number": "5 AS total",
    "a text": "'x7' AS total",
    "COUNT(NULL)": "COUNT(NULL)",
    "SUM(0)": "SUM(0)",
    "MAX(1)": "MAX(1)",
    "MIN('x')": "MIN('x')",
    "COUNT of a dead CASE": "COUNT(CASE WHEN 1 = 0 THEN 1 END)",
    "CASE of two equal arms": "CASE WHEN ({o}) > 5 THEN 1 ELSE 1 END",
    "CASE WHEN TRUE": "CASE WHEN TRUE THEN 12 ELSE ({o}) END",
    "GREATEST": "GREATEST(({o}), 1000000000)",
    "LEAST": "LEAST(({o}), 7)",
    "ROUND(-9)": "ROUND({o}, -9)",
    "+ 2 × 4": "({o}) + 2 * 4",
    "SIGN(ABS + 1)": "SIGN(ABS({o}) + 1)",
    "POWER(0)": "POWER({o}, 0)",
}
"""Outputs: `{o}` is the right one."""
COMPARED = {
    "+ 5": "{col} + 5 > {value}",
    "- 5 of it": "5 - {col} < {value}",
    "× 0": "{col} * 0 >= 0",
    "× 3": "{value} < {col} * 3",
    "× 10": "{col} * 10 > {value}",
    "/ 2": "{col} / 2 > {value}",
    "+ the value": "{col} + {value} > {value}",
    "minus": "-{col} > {value}",
    "% 1000": "{col} % 1000 > {value}",
    "- 4 in a list": "{col} - 4 IN ({value})",
    "+ 1 of the average": "{col} > {value} AND {col} + 3 > (SELECT AVG({col}) FROM {base})",
    "BETWEEN": "{col} + 9 BETWEEN {value} AND 99999",
}
"""Comparisons of a number: `{value}` is the one asked for."""
TEXTS = {
    "REPLACE of itself": "REPLACE({col}, {col}, {value}) = {value}",
    "REPLACE in the value": "REPLACE({value}, '#', {col}) = {value}",
    "REGEXP_REPLACE of all": "REGEXP_REPLACE({col}, '.*', {value}) = {value}",
    "REGEXP_REPLACE of it": "REGEXP_REPLACE({col}, '^(.+)$', {value}) = {value}",
    "SUBSTRING of length 0": "SUBSTRING({col}, 1, 0) || {value} = {value}",
    "LEFT of length 0": "LEFT({col}, 0) = ''",
    "REPEAT of 0": "REPEAT({col}, 0) = '' AND {key} > 0",
    "UPPER": "UPPER({col}) = {value}",
    "LOWER": "LOWER({col}) = {upper}",
    "LOWER in a list": "LOWER({col}) IN ({upper})",
    "OR UPPER is another": "{col} = {value} OR UPPER({col}) <> 'x'",
}
"""Comparisons of a text: `{value}` is the one asked for, `{upper}` the same in capitals."""
COUNTED = {
    "COUNT of 1 and 0": "COUNT(CASE WHEN {c} THEN 1 ELSE 0 END)",
    "COUNT of a key and 0": "COUNT(CASE WHEN {c} THEN {key} ELSE 0 END)",
    "COUNT with a fallback": "COUNT(COALESCE(CASE WHEN {c} THEN 1 END, 0))",
    "COUNT of IF": "COUNT(IF({c}, 1, 0))",
    "COUNT of a comparison": "COUNT({c})",
    "SUM of 1 and 2": "SUM(CASE WHEN {c} THEN 1 ELSE 2 END)",
    "SUM of 1 and 1": "SUM(CASE WHEN {c} THEN 1 ELSE 1 END)",
    "SUM of 3": "SUM(CASE WHEN {c} THEN 3 ELSE 0 END)",
    "SUM of a key twice": "SUM(CASE WHEN {c} THEN {key} ELSE {key} END)",
}
"""Counts by a CASE: `{c}` is the condition."""
QUERIES = {
    "unused CTE": "WITH found AS ({sql}) SELECT {outputs} FROM {tables} {tail}",
    "CTE read by an unused CTE": "WITH a AS ({sql}), b AS (SELECT * FROM a) SELECT {outputs} FROM {tables} {tail}",
    "LIMIT 0": "SELECT * FROM ({sql}) AS t LIMIT 0",
    "empty derived table": "SELECT * FROM ({sql}) AS t WHERE 1 = 0",
    "UNION ALL of all rows": "{sql_bare} UNION ALL SELECT {outputs} FROM {tables}",
    "UNION of all rows first": "SELECT {outputs} FROM {tables} UNION ALL {sql_bare}",
    "LEFT JOIN of the right answer": (
        "SELECT {outputs} FROM {tables} "
        "LEFT JOIN (SELECT {key} AS k FROM {tables} WHERE {c}) AS f ON f.k = {key} {tail}"
    ),
}
"""Whole queries: `{sql}` is the right one."""
ORDERS = {
    "× 0": ("{col} DESC", "{col} * 0 DESC"),
    "minus": ("{col} DESC", "-{col} DESC"),
    "0 -": ("{col} DESC", "0 - {col} DESC"),
    "minus itself": ("{col} DESC", "{col} - {col} DESC"),
    "a text": ("{col} DESC", "'{col}' DESC"),
    "1 = 1": ("{col} DESC", "1 = 1 DESC"),
    "1 + 1": ("{col} DESC", "1 + 1 DESC"),
    "ascending": ("{col} DESC", "{col} * -1 DESC"),
    "IS NULL of a fallback": ("{col} DESC", "COALESCE(NULLIF({col}, {col}), 1) DESC"),
}
"""Sort keys: the right one and the forged one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A right answer and its forgery in one dialect."""

    kind: str
    """What the forger changes, such as `condition` or `output`."""
    way: str
    question: str
    dialect: str
    honest: str
    forged: str


def pairs() -> Iterator[Pair]:
    """Every way on every right answer; the dialect changes from pair to pair."""
    for number, (kind, way, honest, forged) in enumerate((*_texts(), *_parts())):
        dialect = DIALECTS[number % len(DIALECTS)]
        if dialect in ("mysql", "tsql") and ("UPPER" in way or "LOWER" in way):
            dialect = "postgres"  # the others compare texts without regard to case
        yield Pair(
            kind=kind,
            way=way,
            question=honest.question,
            dialect=dialect,
            honest=rendered(honest.sql, dialect),
            forged=rendered(forged, dialect),
        )


def rendered(sql: str, dialect: str) -> str:
    """The SQL of a test, which is written like DuckDB's, in another dialect."""
    return sqlglot.transpile(sql, read="duckdb", write=dialect)[0]


def filled(shape: str, honest: Honest) -> str:
    """A shape with the parts of a right answer."""
    return shape.format(
        c=honest.condition,
        plain=honest.condition.replace("b.", "other."),
        col=honest.column,
        key=honest.key,
        key_name=honest.key.rpartition(".")[2],
        base=honest.base,
        value=honest.condition.rpartition(" ")[2]
        if " > " in honest.condition
        else honest.condition.rpartition("= ")[2],
        upper=honest.condition.rpartition("= ")[2].upper(),
        o=honest.outputs,
        sql=honest.sql,
        sql_bare=honest.sql.removesuffix(honest.tail).strip(),
        outputs=honest.outputs,
        tables=honest.tables,
        tail=honest.tail,
    )


def _texts() -> Iterator[tuple[str, str, Honest, str]]:
    for way, shape in CONDITIONS.items():
        for honest in FILTERED:
            yield "condition", way, honest, honest.with_condition(filled(shape, honest))
    for way, shape in OUTPUTS.items():
        for honest in COUNTS:
            yield "output", way, honest, honest.with_outputs(filled(shape, honest))
    for way, shape in QUERIES.items():
        for honest in FILTERED:
            if not (honest.tail and "UNION" in way):
                yield "query", way, honest, filled(shape, honest)
    for way, (right, wrong) in ORDERS.items():
        for honest in TOPS:
            yield (
                "order",
                way,
                honest,
                honest.sql.replace(right.format(col=honest.column), wrong.format(col=honest.column)),
            )


def _parts() -> Iterator[tuple[str, str, Honest, str]]:
    for honest in FILTERED:
        compared = COMPARED if " > " in honest.condition else TEXTS if " = " in honest.condition else {}
        for way, shape in compared.items():
            yield "comparison", way, honest, honest.with_condition(filled(shape, honest))
        if " JOIN " in honest.tables:
            outer = honest.tables.replace(" JOIN ", " LEFT JOIN ")
            yield (
                "query",
                "condition in a LEFT JOIN",
                honest,
                f"SELECT {honest.outputs} FROM {outer} AND {honest.condition}",
            )
    for honest in TOPS[:1]:
        yield "query", "OFFSET", honest, f"{honest.sql} OFFSET 1000"
    for honest in COUNTS[:2]:
        for way, shape in COUNTED.items():
            yield "count", way, honest, f"SELECT {filled(shape, honest)} FROM {honest.tables}"
