"""What is said of pairs: the cases of `tests/cases/equivalence.yaml`, and what must hold of every finding."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from references.equivalence.candidates import crossed
from references.equivalence.explain import explain
from references.equivalence.finding_json import finding_record
from references.equivalence.pair import EquivalenceVerdict, Level, Pair, PairFinding, Witness
from references.equivalence.pair_reading import PairReading, read_pair
from references.equivalence.search.witnesses import WitnessPool
from references.equivalence.verify import recheck, verify
from references.schema import Schema
from references.semantics import Semantics
from tests.development import HOME

DOCUMENT = yaml.safe_load((Path(__file__).parents[1] / "cases" / "equivalence.yaml").read_text(encoding="utf-8"))
CASES: list[dict[str, Any]] = DOCUMENT["cases"]
LIBRARY: str = DOCUMENT["schema"]
APART = [case for case in CASES if case["verdict"] == "different"]


def pair_of(case: dict[str, Any]) -> Pair:
    return Pair(
        sql_a=case["a"],
        sql_b=case["b"],
        schema=case.get("schema", LIBRARY),
        dialect=case.get("dialect"),
        semantics=Semantics(case.get("semantics", "bag")),
    )


def library(a: str, b: str, semantics: Semantics = Semantics.BAG) -> Pair:
    return Pair(sql_a=a, sql_b=b, schema=LIBRARY, semantics=semantics)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_pair_is_judged_as_its_case_says(case: dict[str, Any]) -> None:
    finding = verify(pair_of(case), bound=2)
    assert (finding.verdict, finding.level) == (case["verdict"], case.get("level")), finding


@pytest.mark.parametrize("case", APART, ids=[case["name"] for case in APART])
def test_no_row_or_value_of_a_witness_can_be_taken_away(case: dict[str, Any]) -> None:
    pair = pair_of(case)
    finding = verify(pair, bound=0)
    assert finding.witness is not None
    assert finding.level is not None
    assert finding.witness.minimal
    read = read_pair(pair)
    assert isinstance(read, PairReading)
    for less in smaller(finding.witness, read.schema):
        found = recheck(pair, finding, [less])
        assert found is None or found.level is None or found.level > finding.level, less


def smaller(witness: Witness, schema: Schema) -> Iterator[Witness]:
    """The witness without each of its rows; where it has NULLs, with one more."""
    nulls = any(None in row for rows in witness.rows.values() for row in rows)
    for name, rows in witness.rows.items():
        table = schema.tables[name.lower()]
        keyed = {each for key in table.keys for each in key.columns}
        for index, row in enumerate(rows):
            yield replace(witness, rows={**witness.rows, name: (*rows[:index], *rows[index + 1 :])})
            for place, column in enumerate(witness.columns[name]):
                declared = table.find(column)
                if not nulls or row[place] is None or column.lower() in keyed or not (declared and declared.nullable):
                    continue
                less = (*row[:place], None, *row[place + 1 :])
                yield replace(witness, rows={**witness.rows, name: (*rows[:index], less, *rows[index + 1 :])})


@pytest.mark.parametrize("backwards", [False, True], ids=["as entered", "in reverse"])
@pytest.mark.parametrize("case", APART, ids=[case["name"] for case in APART])
def test_a_witness_shows_the_difference_on_a_database_of_ones_own(case: dict[str, Any], backwards: bool) -> None:
    pair = pair_of(case)
    finding = verify(pair, bound=0)
    assert finding.witness is not None
    connection = sqlite3.connect(":memory:")
    if pair.schema:
        connection.executescript(pair.schema)
    for name, rows in finding.witness.rows.items():
        columns = ", ".join(finding.witness.columns[name])
        if not pair.schema:
            connection.execute(f"CREATE TABLE {name} ({columns})")
        marks = ", ".join("?" * len(finding.witness.columns[name]))
        ordered = rows[::-1] if backwards else rows
        connection.executemany(f"INSERT INTO {name} ({columns}) VALUES ({marks})", ordered)
    read = read_pair(pair)
    assert isinstance(read, PairReading)
    a, b = (connection.execute(side.sql).fetchall() for side in (read.a, read.b))
    if pair.semantics is Semantics.LIST:
        assert a != b
    else:
        collect = set if pair.semantics is Semantics.SET else Counter
        assert collect(a) != collect(b)


def test_the_same_pair_gets_the_same_finding() -> None:
    pair = library("SELECT title FROM book WHERE pages > 300", "SELECT title FROM book WHERE pages >= 300")
    first, second = verify(pair), verify(pair)
    assert first.witness == second.witness
    assert first.trials == second.trials


def test_a_witness_holds_no_row_that_it_does_not_need() -> None:
    finding = verify(library("SELECT id FROM shelf WHERE height > 7", "SELECT id FROM shelf WHERE height > 8"), bound=0)
    assert finding.witness is not None
    assert finding.witness.size == 1


def test_declared_references_hold_in_every_witness() -> None:
    lent = "SELECT COUNT(*) FROM loan AS l JOIN book AS b ON b.id = l.book_id AND b.pages > 5"
    finding = verify(library("SELECT COUNT(*) FROM loan", lent))
    assert finding.witness is not None
    shelves = {row[0] for row in finding.witness.rows["book"]}
    place = finding.witness.columns["loan"].index("book_id")
    assert {row[place] for row in finding.witness.rows["loan"]} <= shelves


def test_constraints_beside_the_schema_are_honoured() -> None:
    ddl = "CREATE TABLE shelf (id INTEGER, room TEXT)"
    a, b = "SELECT COUNT(id) FROM shelf", "SELECT COUNT(DISTINCT id) FROM shelf"
    constraints = {"primary": [["shelf", ["id"]]], "foreign": [], "not_null": [["shelf", "id"]]}
    assert verify(Pair(sql_a=a, sql_b=b, schema=ddl)).verdict is EquivalenceVerdict.DIFFERENT
    finding = verify(Pair(sql_a=a, sql_b=b, schema=ddl, constraints=constraints), bound=2)
    assert finding.verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND


@pytest.mark.parametrize("constraints", [{"primary": 7}, {"foreign": [["a"]]}, [1], {"not_null": [[1, 2]]}])
def test_constraints_that_cannot_be_read_are_an_error(constraints: object) -> None:
    finding = verify(Pair(sql_a="SELECT 1", sql_b="SELECT 2", schema="CREATE TABLE a (b INT)", constraints=constraints))
    assert finding.verdict is EquivalenceVerdict.ERROR
    assert "constraints" in (finding.reason or "")


ENDLESS = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT MAX(n) FROM c"
HOSTILE = {
    "blank": ("", "SELECT 1"),
    "prose": ("I am sorry, I cannot answer that.", "SELECT 1"),
    "a write": ("DELETE FROM book", "SELECT 1"),
    "a pragma": ("PRAGMA table_info(book)", "SELECT 1"),
    "a file": ("SELECT readfile('/etc/passwd')", "SELECT 1"),
    "an extension": ("SELECT load_extension('x')", "SELECT 1"),
    "an endless query": (ENDLESS, "SELECT 1"),
    "a huge text": ("SELECT hex(zeroblob(900000000))", "SELECT 1"),
    "ten tables": ("SELECT COUNT(*) FROM " + ", ".join(f"book AS b{i}" for i in range(10)), "SELECT 1"),
    "deep brackets": ("SELECT " + "(" * 5000 + "1" + ")" * 5000, "SELECT 1"),
    "many conditions": ("SELECT id FROM book WHERE " + " OR ".join(f"pages = {i}" for i in range(3000)), "SELECT 1"),
    "a lone surrogate": ("SELECT '\ud800'", "SELECT 1"),
    "a NUL": ("SELECT '\0'", "SELECT 1"),
    "a star of nothing": ("SELECT x.* FROM book", "SELECT 1"),
    "a table that is not there": ("SELECT * FROM nowhere", "SELECT 1"),
    "an alias twice": ("SELECT 1 FROM book AS b, shelf AS b", "SELECT 1"),
    "a CTE of itself": ("WITH c AS (SELECT * FROM c) SELECT * FROM c", "SELECT 1"),
    "limits far away": ("SELECT id FROM book LIMIT 99999999999999999999 OFFSET 3", "SELECT id FROM book LIMIT -1"),
    "huge numbers": ("SELECT pages * 9223372036854775807 FROM book WHERE pages > 1e308", "SELECT pages FROM book"),
    "a table without a name": ("SELECT b.id FROM shelf JOIN book () b ON (b.id = shelf.id)", "SELECT 1"),
    "half an expression": ("SELECT CASE WHEN THEN END FROM book", "SELECT 1"),
}


@pytest.mark.parametrize("schema", [LIBRARY, None], ids=["schema", "inferred"])
@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_a_pair_holds_it_gets_a_verdict(name: str, schema: str | None) -> None:
    a, b = HOSTILE[name]
    for sql_a, sql_b in ((a, b), (b, a)):
        finding = verify(Pair(sql_a=sql_a, sql_b=sql_b, schema=schema), bound=1, budget=2.0)
        assert finding.verdict in set(EquivalenceVerdict)
        json.dumps(finding_record(finding))


UNREADABLE = [
    "",
    "CREATE TABLE t (a INT, AS PRIMARY KEY (a))",
    "not ddl at all (",
    "CREATE TABLE (",
    "SELECT 1",
    "CREATE TABLE t ()",
    "x" * 500_000,
]


@pytest.mark.parametrize("schema", UNREADABLE, ids=range(len(UNREADABLE)))
def test_a_schema_that_cannot_be_read_is_no_crash(schema: str) -> None:
    finding = verify(Pair(sql_a="SELECT id FROM book", sql_b="SELECT id FROM shelf", schema=schema), bound=1)
    assert finding.verdict in set(EquivalenceVerdict)


def test_the_side_that_does_not_execute_is_named() -> None:
    finding = verify(library("SELECT title FROM book", "SELECT colour FROM book"))
    assert finding.reason == "sql_b does not execute: no such column: colour"


def test_a_record_has_the_fields_that_are_promised() -> None:
    finding = verify(library("SELECT id FROM shelf", "SELECT id FROM book"), bound=0)
    record = finding_record(finding)
    fields = ("verdict", "level", "assumption", "reason", "bound", "trials", "cpu_seconds", "counterexample")
    assert tuple(record) == fields
    assert json.loads(json.dumps(record))["counterexample"]["tables"]["shelf"]["columns"] == ["id", "room"]


def test_a_guess_stands_with_the_assumption() -> None:
    joined = "SELECT COUNT(*) FROM books AS b JOIN shelves AS s ON b.shelf_id = s.id"
    pair = Pair(sql_a="SELECT COUNT(shelf_id) FROM books", sql_b=joined)
    assert "key shelves(id): named id" in str(finding_record(verify(pair))["assumption"])


def test_an_explanation_marks_the_rows_that_one_side_alone_has() -> None:
    pair = library("SELECT id FROM shelf WHERE height > 7", "SELECT id FROM shelf WHERE height >= 7")
    text = explain("tall shelves", pair.sql_a, pair.sql_b, verify(pair, bound=0))
    assert text.startswith("## tall shelves: different (S0)")
    assert "**A gives** no row" in text
    assert "←" in text


def test_an_explanation_keeps_to_its_table_whatever_the_values() -> None:
    odd = "'a|b\n## c'"
    pair = library(f"SELECT title FROM book WHERE title = {odd}", f"SELECT title FROM book WHERE title <> {odd}")
    text = explain("x", "a", "b", verify(pair, bound=0))
    heads = ("|", "*", "`", "-", "#", "Assumption", "a", "b")
    assert all(line.startswith(heads) or not line for line in text.splitlines())
    assert "## c" not in text.splitlines()


def test_witnesses_of_a_question_tell_its_other_wrong_answers_apart() -> None:
    pool = WitnessPool()
    right = "SELECT title FROM book WHERE pages > 300 AND price < 20"
    first = verify(library(right, "SELECT title FROM book WHERE pages > 300"), bound=0, pool=pool)
    second = verify(library(right, "SELECT title FROM book WHERE pages >= 300"), bound=0, pool=pool)
    again = verify(library(right, "SELECT title FROM book WHERE 300 < pages"), bound=0, pool=pool)
    assert first.level is second.level is again.level is Level.S0
    assert again.trials == 1


def test_candidates_are_checked_against_each_others_witnesses() -> None:
    reference = "SELECT shelf_id FROM book GROUP BY shelf_id HAVING COUNT(*) > 4"
    grouped = "SELECT shelf_id FROM book GROUP BY shelf_id HAVING COUNT(*) >"
    answers = [f"{grouped} 5", reference, f"{grouped} 6"]

    def lazy(pair: Pair) -> PairFinding:
        """Searches for one candidate, and finds nothing for the others."""
        found = verify(pair, bound=0)
        return found if pair.sql_b == answers[0] else PairFinding(verdict=EquivalenceVerdict.NOT_REFUTED)

    pairs = [library(reference, sql) for sql in answers]
    verdicts = [finding.verdict.value for finding in crossed(pairs, [lazy(pair) for pair in pairs])]
    assert verdicts == ["different", "not_refuted", "different"]


def development_pairs() -> list[dict[str, Any]]:
    path = HOME / "equivalence" / "dev.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["verdict"] in {"NEQ", "EQU"}][::6]


@pytest.mark.slow
@pytest.mark.development_data("equivalence/dev.jsonl")
def test_labelled_pairs_are_judged_as_well_as_the_docs_say() -> None:
    refuted, wrong, ran = 0, 0, Counter[str]()
    for row in development_pairs():
        pair = Pair(
            sql_a=row["sql_a"],
            sql_b=row["sql_b"],
            schema=row["schema"],
            constraints=row["constraints"],
            dialect=row["dialect"],
            semantics=Semantics(row["semantics"]),
        )
        finding = verify(pair, bound=0)
        if finding.verdict in {EquivalenceVerdict.ERROR, EquivalenceVerdict.UNSUPPORTED}:
            continue
        ran[row["verdict"]] += 1
        refuted += row["verdict"] == "NEQ" and finding.verdict is EquivalenceVerdict.DIFFERENT
        wrong += row["verdict"] == "EQU" and finding.level is Level.S0
    assert refuted >= 0.96 * ran["NEQ"]
    assert wrong <= 0.02 * ran["EQU"] + 1
