"""Search, proof and SQLite never contradict each other, whatever two queries of a small grammar say.

`SQLASSAY_TEST_PAIRS` sets how many pairs are drawn: a slice here, ten thousand by `make pairs`.
"""

from __future__ import annotations

import os
from zlib import crc32

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from references.ddl import read_schema
from references.equivalence.data.planning import populate
from references.equivalence.data.relevant import relevant
from references.equivalence.facts.gathering import gathered
from references.equivalence.pair import EquivalenceVerdict, Level, Pair
from references.equivalence.proof.certificate import ANY, prove
from references.equivalence.proof.logic import Unprovable
from references.equivalence.reading.side import Side, read_side
from references.equivalence.search.bench import PairBench
from references.equivalence.search.trials import search
from references.equivalence.verify import verify
from references.sandbox import Limits
from references.schema import Schema
from references.semantics import Semantics

pytestmark = pytest.mark.slow  # a campaign: `make pairs` runs a longer one

PAIRS = int(os.environ.get("SQLASSAY_TEST_PAIRS", "60"))
SCHEMA = """
CREATE TABLE shelf (id INTEGER PRIMARY KEY, room TEXT, height INTEGER);
CREATE TABLE book (id INTEGER PRIMARY KEY, shelf_id INTEGER REFERENCES shelf (id), title TEXT, pages INTEGER);
"""
relaxed = settings(
    max_examples=PAIRS, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], database=None
)

numbers = st.sampled_from(["b.pages", "s.height", "b.id", "s.id", "b.shelf_id"])
texts = st.sampled_from(["b.title", "s.room"])
columns = numbers | texts
constants = st.integers(-1, 3).map(str)
words = st.sampled_from(["'a'", "'Atlas'", "'zoo'"])
comparisons = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
amounts = st.one_of(
    numbers,
    st.tuples(numbers, st.sampled_from(["+", "-", "*"]), constants).map(lambda each: f"({' '.join(each)})"),
    st.tuples(numbers, constants).map(lambda each: f"COALESCE({each[0]}, {each[1]})"),
    st.tuples(numbers, constants).map(lambda each: f"CASE WHEN {each[0]} > {each[1]} THEN 1 ELSE 0 END"),
)
plain = st.one_of(
    st.tuples(amounts, comparisons, constants | numbers).map(" ".join),
    st.tuples(texts, comparisons, words).map(" ".join),
    st.tuples(columns, st.sampled_from(["IS NULL", "IS NOT NULL"])).map(" ".join),
    st.tuples(numbers, constants, constants).map(lambda each: f"{each[0]} IN ({each[1]}, {each[2]})"),
    st.tuples(numbers, constants, constants).map(lambda each: f"{each[0]} BETWEEN {each[1]} and {each[2]}"),
    st.tuples(texts, st.sampled_from(["'a%'", "'%o%'", "'atlas'"])).map(" LIKE ".join),
    st.sampled_from(
        [
            "b.shelf_id IN (SELECT id FROM shelf WHERE height > 1)",
            "b.shelf_id NOT IN (SELECT height FROM shelf)",
            "EXISTS (SELECT 1 FROM book AS x WHERE x.shelf_id = s.id AND x.pages > 2)",
            "b.pages = (SELECT MAX(pages) FROM book)",
        ]
    ),
)
conditions = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(lambda each: f"({' '.join(each)})"),
        inner.map(lambda each: f"NOT ({each})"),
    ),
    max_leaves=3,
)
joins = st.sampled_from(["JOIN", "LEFT JOIN"])
sources = joins.map(lambda kind: f"book AS b {kind} shelf AS s ON b.shelf_id = s.id")
aggregates = st.sampled_from(
    [
        "COUNT(*)",
        "COUNT(b.title)",
        "COUNT(DISTINCT b.shelf_id)",
        "SUM(b.pages)",
        "MIN(s.height)",
        "MAX(b.pages)",
        "AVG(b.pages)",
    ]
)
rows = st.builds(
    lambda distinct, outputs, source, where: f"SELECT {distinct}{', '.join(outputs)} FROM {source} WHERE {where}",
    st.sampled_from(["", "DISTINCT "]),
    st.lists(columns | amounts, min_size=1, max_size=2),
    sources,
    conditions,
)
groups = st.builds(
    lambda key, value, source, where, having: (
        f"SELECT {key}, {value} FROM {source} WHERE {where} GROUP BY {key}{having}"
    ),
    columns,
    aggregates,
    sources,
    conditions,
    st.sampled_from(["", " HAVING COUNT(*) > 1", " HAVING SUM(b.pages) > 2"]),
)
totals = st.builds(
    lambda value, source, where: f"SELECT {value} FROM {source} WHERE {where}", aggregates, sources, conditions
)
sets = st.builds(
    lambda a, kind, b: f"SELECT b.pages FROM {a[0]} WHERE {a[1]} {kind} SELECT b.pages FROM {b[0]} WHERE {b[1]}",
    st.tuples(sources, conditions),
    st.sampled_from(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"]),
    st.tuples(sources, conditions),
)
queries = rows | groups | totals | sets

MUTATIONS = [
    (" > ", " >= "),
    (" = 1", " = 2"),
    ("LEFT JOIN", "JOIN"),
    ("SELECT b.", "SELECT DISTINCT b."),
    ("COUNT(*)", "COUNT(b.pages)"),
    ("AND", "OR"),
    ("UNION ALL", "UNION"),
    ("b.pages", "s.height"),
]
REWRITES = [
    ("WHERE ", "WHERE 1 = 1 AND "),
    (" >= 1", " > 1 - 1"),
    ("b.shelf_id = s.id", "s.id = b.shelf_id"),
    (" IS NOT NULL", " IS NOT NULL AND 2 > 1"),
    ("COUNT(*)", "SUM(1)"),
    ("FROM book AS b JOIN", "FROM (SELECT * FROM book) AS b JOIN"),
]


def changed(sql: str, change: tuple[str, str]) -> str:
    return sql.replace(*change, 1)


def read(a: str, b: str) -> tuple[Side, Side, Schema]:
    one, other, schema = read_side(a, "sqlite"), read_side(b, "sqlite"), read_schema(SCHEMA)
    assert isinstance(one, Side)
    assert isinstance(other, Side)
    assert isinstance(schema, Schema)
    return one, other, schema


def check(a: str, b: str, semantics: Semantics) -> None:
    """What the search tells apart on few rows, the proof does not call equal; what the proof finds, SQLite confirms."""
    one, other, schema = read(a, b)
    population = populate(schema, gathered(schema, (one, other)), relevant(schema, (one, other)))
    bench = PairBench(one, other, population, semantics, Limits(), typeless=False)
    try:
        assert bench.failures() == (None, None)
        found = search(bench, population, crc32(f"{a}{b}".encode())).found
        try:
            proof = prove(one, other, population, semantics, 2, ANY, 1_000)
        except Unprovable:
            return
        if found is not None and max(map(len, found.contents.values())) <= 2:
            assert proof.equal is not True, (a, b, found)
        if proof.contents is not None and "LIKE" not in a + b:
            assert bench.differs(proof.contents) is not None, (a, b, proof.contents)
    finally:
        bench.close()


@relaxed
@given(queries, queries, st.sampled_from([Semantics.BAG, Semantics.SET]))
def test_search_proof_and_sqlite_agree_on_any_two_queries(a: str, b: str, semantics: Semantics) -> None:
    check(a, b, semantics)


@relaxed
@given(queries, st.sampled_from(MUTATIONS), st.sampled_from([Semantics.BAG, Semantics.SET]))
def test_search_proof_and_sqlite_agree_on_a_query_and_its_mutation(
    sql: str, mutation: tuple[str, str], semantics: Semantics
) -> None:
    check(sql, changed(sql, mutation), semantics)


@relaxed
@given(rows | totals, st.sampled_from(REWRITES))
def test_a_rewrite_that_keeps_the_meaning_is_not_told_apart(sql: str, rewrite: tuple[str, str]) -> None:
    finding = verify(Pair(sql_a=sql, sql_b=changed(sql, rewrite), schema=SCHEMA), bound=1)
    allowed = rewrite[0] == "COUNT(*)" and finding.level is Level.S6
    assert finding.verdict is not EquivalenceVerdict.DIFFERENT or allowed, finding
