"""Declared and given constraints: databases keep to them, proofs use them, and what is ignored is named."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
import yaml

from references.ddl import read_schema
from references.equivalence.pair import EquivalenceVerdict, Pair
from references.equivalence.verify import verify
from references.schema import Schema

DOCUMENT: dict[str, Any] = yaml.safe_load(
    (Path(__file__).parents[1] / "cases" / "constraints.yaml").read_text(encoding="utf-8")
)
CASES: list[dict[str, Any]] = DOCUMENT["cases"]
APART = [case for case in CASES if case["verdict"] == "different" and "dialect" not in case]


def pair(case: dict[str, Any]) -> Pair:
    return Pair(
        sql_a=case["a"],
        sql_b=case["b"],
        schema=case.get("schema", DOCUMENT["schema"]),
        constraints=case.get("constraints"),
        dialect=case.get("dialect"),
    )


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_pair_is_judged_by_the_rows_that_its_constraints_allow(case: dict[str, Any]) -> None:
    finding = verify(pair(case), bound=2)
    assert (finding.verdict, finding.level) == (case["verdict"], case.get("level")), finding
    assert [each for each in finding.notes if "ignored" in each] == case.get("notes", [])


@pytest.mark.parametrize("case", APART, ids=[case["name"] for case in APART])
def test_sqlite_accepts_a_witness_under_its_own_constraints(case: dict[str, Any]) -> None:
    finding = verify(pair(case), bound=0)
    assert finding.witness is not None
    connection = sqlite3.connect(":memory:")
    connection.executescript(case.get("schema", DOCUMENT["schema"]))
    for name, rows in finding.witness.rows.items():
        names = finding.witness.columns[name]
        kept = [place for place, each in enumerate(names) if each not in DOCUMENT["generated"]]
        columns = ", ".join(names[place] for place in kept)
        for row in rows:
            marks = ", ".join("?" * len(kept))
            connection.execute(f"INSERT INTO {name} ({columns}) VALUES ({marks})", [row[place] for place in kept])
        assert connection.execute(f"SELECT {', '.join(names)} FROM {name}").fetchall() == [*rows]
    connection.close()


@pytest.mark.parametrize("case", DOCUMENT["ignored"], ids=[each["name"] for each in DOCUMENT["ignored"]])
def test_what_is_ignored_is_named(case: dict[str, Any]) -> None:
    schema = read_schema(case["ddl"], case.get("constraints"), case.get("dialect"))
    assert isinstance(schema, Schema)
    assert len(schema.ignored) == 1, schema.ignored
    assert case["named"] in schema.ignored[0]


def test_a_condition_that_sqlite_cannot_evaluate_is_named_in_the_finding() -> None:
    ddl = "CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL CHECK (regexp_like(n, 'x')))"
    found = verify(Pair(sql_a="SELECT id FROM t WHERE n > 1", sql_b="SELECT id FROM t WHERE n > 2", schema=ddl))
    assert found.verdict is EquivalenceVerdict.DIFFERENT
    assert any("CHECK on t" in each for each in found.notes)
