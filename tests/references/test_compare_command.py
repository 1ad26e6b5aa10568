"""`sqlassay compare`, as scripts call it."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.development import HOME, labels_path
from tests.service.commands.command_line import sqlassay


def compare(lines: list[object], databases: Path, *options: str) -> tuple[int, list[dict[str, Any]], str]:
    given = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    done = sqlassay("compare", "-", "--databases", str(databases), *options, text=given)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


@pytest.fixture
def bakery(tmp_path: Path) -> Path:
    with sqlite3.connect(tmp_path / "bakery.sqlite") as connection:
        connection.executescript("CREATE TABLE loaves (id INTEGER, kind TEXT); INSERT INTO loaves VALUES (1, 'rye');")
    return tmp_path


def pair(**changed: Any) -> dict[str, Any]:
    same = {"id": "a", "db_id": "bakery", "reference_sql": "SELECT id FROM loaves", "sql": "SELECT id FROM loaves"}
    return {**same, "question": "Which loaves?", **changed}


def test_each_line_gives_one_in_order_whatever_it_holds(bakery: Path):
    code, rows, said = compare(
        [
            pair(),
            pair(id=7, sql="SELECT id, kind FROM loaves"),
            pair(sql="SELECT kind FROM loaves"),
            pair(sql="SELEC"),
            pair(reference_sql="SELECT gone FROM loaves"),
            pair(db_id="../etc"),
            pair(db_id="nowhere"),
            "{not json",
            {"id": "b"},
            [1],
            pair(id="last"),
        ],
        bakery,
    )
    assert code == 0
    assert [row["match"] for row in rows] == ["exact", "subset", "none", "none", *["not_compared"] * 6, "exact"]
    assert rows[0] == {"id": "a", "match": "exact", "error": None, "alternative": "SELECT id FROM loaves"}
    assert rows[1]["id"] == "7"
    assert [str(row["error"]).partition(":")[0] for row in rows[3:7]] == ["answer", "reference", "database", "database"]
    assert [row.get("line") for row in rows[7:10]] == [8, 9, 10]
    assert rows[-1]["id"] == "last"
    assert "6 of 11 lines were not compared" in said


def test_an_answer_is_not_blamed_where_the_reference_fails_alike(bakery: Path):
    missing = [pair(sql="SELECT id FROM gone", reference_sql="SELECT id FROM gone AS g")] * 2
    code, rows, said = compare([*missing], bakery)
    assert [(row["match"], row["error"]) for row in rows] == [("not_compared", "reference: no such table: gone")] * 2
    assert code == 1
    assert "no line could be compared" in said
    _, rows, _ = compare([*missing], bakery, "--semantics", "defog")
    assert {row["match"] for row in rows} == {"not_compared"}


def test_names_with_a_schema_are_compared_as_without(bakery: Path):
    names = (
        "public.loaves",
        "dbo.loaves",
        "shop.dbo.loaves",
        "`proj.ds.loaves`",
        "[shop].[dbo].[loaves]",
        "bakery.loaves",
    )
    code, rows, _ = compare([pair(sql=f"SELECT id FROM {name}") for name in names], bakery)
    assert (code, {row["match"] for row in rows}) == (0, {"exact"}), rows
    _, rows, _ = compare(
        [pair(sql=f"SELECT kind FROM {name}", reference_sql=f"SELECT id FROM {name}") for name in names], bakery
    )
    assert {(row["match"], row["error"]) for row in rows} == {("none", None)}


@pytest.mark.slow  # processes of its own
def test_explained_a_line_says_in_what_they_differ(bakery: Path):
    _, rows, _ = compare([pair(sql="SELECT id + 1 FROM loaves")], bakery, "--explain")
    assert rows[0]["difference"]["missing_rows"] == [[1.0]]
    assert rows[0]["difference"]["extra_rows"] == [[2.0]]
    assert rows[0]["flags"] == []
    assert rows[0]["doubts"] == []
    _, rows, _ = compare([pair(reference_sql="SELECT id FROM loaves LIMIT 1")], bakery, "--explain")
    assert [doubt["code"] for doubt in rows[0]["doubts"]] == ["limit_without_order"]


@pytest.mark.slow  # waits for a deadline
def test_a_query_that_never_ends_costs_its_own_line_only(bakery: Path):
    endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
    _, rows, _ = compare([pair(sql=endless), pair()], bakery, "--seconds", "0.3")
    assert rows[0]["error"] == "answer: it took more than 0.3 s"
    assert rows[1]["match"] == "exact"


@pytest.mark.slow  # fills memory
def test_a_query_that_would_fill_the_memory_costs_its_own_line_only(bakery: Path):
    huge = "SELECT hex(zeroblob(400000000)) || hex(zeroblob(400000000))"
    _, rows, _ = compare([pair(sql=huge), pair()], bakery)
    assert rows[0]["match"] == "none"
    assert rows[0]["error"]
    assert rows[1]["match"] == "exact"


def test_wrong_usage_is_refused(bakery: Path):
    assert compare([pair()], bakery, "--semantics", "pile")[0] == 2


@pytest.mark.slow
@pytest.mark.development_data("judge/dev_spider_ex.jsonl")
@pytest.mark.development_data("spider_db")
def test_matches_agree_with_labels_made_by_execution_on_many_databases(tmp_path: Path):
    labels = labels_path("dev_spider_ex")
    out = tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "service", "compare", str(labels), "--databases", str(HOME / "spider_db")]
    subprocess.run([*command, "--out", str(out)], check=True, capture_output=True)
    expected = [json.loads(line)["label"] == 1 for line in labels.read_text().splitlines()]
    found = [json.loads(line)["match"] == "exact" for line in out.read_text().splitlines()]
    agreed = sum(left == right for left, right in zip(expected, found, strict=True)) / len(expected)
    assert agreed >= 0.98
