"""`sqlassay verify` and `bench equivalence` as scripts call them."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.service.commands.command_line import sqlassay

SCHEMA = "CREATE TABLE shelf (id INTEGER PRIMARY KEY, room TEXT, height INTEGER)"
TALL = "SELECT id FROM shelf WHERE height > 3"
ENDLESS = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT MAX(n) FROM c"
PAIRS: list[dict[str, Any]] = [
    {"id": "bound", "schema": SCHEMA, "sql_a": TALL, "sql_b": "SELECT id FROM shelf WHERE height >= 3"},
    {"id": "same", "schema": SCHEMA, "sql_a": TALL, "sql_b": "SELECT id FROM shelf WHERE NOT height <= 3"},
    {"id": 7, "sql_a": "SELECT id FROM shelf", "sql_b": "SELECT id FROM shelf WHERE id > 0", "extra": True},
    {"id": "endless", "sql_a": ENDLESS, "sql_b": "SELECT 1"},
]
FIELDS = ["id", "verdict", "level", "assumption", "reason", "bound", "trials", "cpu_seconds", "counterexample"]


def run(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return sqlassay(*arguments, text=given)


def lines(pairs: list[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(pair)}\n" for pair in pairs)


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.slow  # takes over a second
def test_a_line_out_for_each_line_in_and_in_order() -> None:
    done = run("verify", "-", "--budget", "5", "--bound", "2", given=lines(PAIRS) + "no json\n\n" + '{"id": "half"}\n')
    assert done.returncode == 0, done.stderr
    found = rows(done.stdout)
    assert [row["id"] for row in found] == ["bound", "same", "7", "endless", None, None, None]
    assert [row["verdict"] for row in found] == [
        "different",
        "equivalent_up_to_bound",
        "different",
        "unsupported",
        "error",
        "error",
        "error",
    ]
    assert all(list(row)[: len(FIELDS)] == FIELDS for row in found)
    assert found[0]["level"] == "S0"
    shelf = found[0]["counterexample"]["tables"]["shelf"]
    assert [dict(zip(shelf["columns"], row, strict=True))["height"] for row in shelf["rows"]] == [3]
    assert found[1]["bound"] == 2
    assert [row["line"] for row in found[4:]] == [5, 6, 7]


@pytest.mark.slow  # processes of its own
def test_semantics_of_the_option_hold_for_lines_that_name_none() -> None:
    pair = {"id": "d", "schema": SCHEMA, "sql_a": "SELECT room FROM shelf", "sql_b": "SELECT DISTINCT room FROM shelf"}
    given = lines([pair, {**pair, "semantics": "bag"}])
    found = rows(run("verify", "-", "--bound", "1", "--semantics", "set", given=given).stdout)
    assert [row["verdict"] for row in found] == ["equivalent_up_to_bound", "different"]


@pytest.mark.slow  # processes of its own
def test_an_explanation_is_markdown_where_it_is_piped(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = run("verify", "-", "--explain", "--bound", "0", "--out", str(out), given=lines(PAIRS[:1]))
    assert done.stdout.startswith("## bound: different (S0)")
    assert "| id |" in done.stdout
    assert len(rows(out.read_text())) == 1


@pytest.mark.slow  # processes of its own
def test_an_explanation_takes_the_place_of_the_lines_on_stdout() -> None:
    done = run("verify", "-", "--explain", "--bound", "0", given=lines(PAIRS[:1]))
    assert done.stdout.count("## ") == 1
    assert "{" not in done.stdout


@pytest.mark.slow  # processes of its own
def test_witnesses_are_run_on_the_other_answers_when_asked() -> None:
    answers = [
        {**PAIRS[0], "id": str(bound), "sql_b": f"SELECT id FROM shelf WHERE height >= {bound}"} for bound in (3, 4)
    ]
    done = run("verify", "-", "--cross-check", given=lines(answers))
    assert [row["verdict"] for row in rows(done.stdout)] == ["different", "equivalent_up_to_bound"]


@pytest.mark.parametrize(
    "arguments", [["--semantics", "heap"], ["--bound", "99"], ["--budget", "0"]], ids=lambda each: each[0]
)
def test_bad_usage_is_said(arguments: list[str]) -> None:
    done = run("verify", "-", *arguments, given=lines(PAIRS[:1]))
    assert done.returncode == 2
    assert done.stdout == ""


def test_a_file_that_is_not_there_is_said() -> None:
    done = run("verify", "nowhere.jsonl")
    assert done.returncode == 2
    assert "nowhere.jsonl" in done.stderr


@pytest.mark.slow  # runs a benchmark
def test_the_bench_counts_what_was_told_apart_and_proved(tmp_path: Path) -> None:
    source = tmp_path / "pairs.jsonl"
    source.write_text(
        lines(
            [
                {**PAIRS[0], "verdict": "NEQ", "source": "made up"},
                {**PAIRS[1], "verdict": "EQU", "source": "made up"},
                {**PAIRS[2], "verdict": None},
            ]
        )
    )
    figures = json.loads(run("bench", "equivalence", str(source), "--json").stdout)
    assert figures["pairs"] == 2
    assert figures["refuted_share"] == 1.0
    assert figures["equal_refuted_at_s0"] == 0
    assert figures["proved_although_different"] == []
    assert (figures["witnesses"], figures["witnesses_that_differ_anew"]) == (1, 1)
    assert figures["contradictions"] == []
    assert figures["by_source"]["made"]["proof_covers"] == 2


def test_a_bench_without_labels_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "pairs.jsonl"
    source.write_text(lines(PAIRS))
    assert run("bench", "equivalence", str(source)).returncode == 2


@pytest.fixture(scope="module")
def shelves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shelves") / "shelves.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(SCHEMA)
        connection.executemany(
            "INSERT INTO shelf VALUES (?, ?, ?)", [(n, f"room {n % 3}", n % 5) for n in range(1, 40)]
        )
    return path


def on(database: object, *pairs: dict[str, Any], options: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    done = run("verify", "-", "--bound", "1", "--database", str(database), *options, given=lines(list(pairs)))
    assert done.returncode == 0, done.stderr
    return rows(done.stdout)


MANY = "SELECT room FROM shelf GROUP BY room HAVING COUNT(*) > 12"
SQUARES = "SELECT COUNT(*) FROM shelf HAVING SUM(id * id) = 20540"
TIES = "SELECT id FROM shelf ORDER BY height LIMIT 3"
ON_SHELVES: list[dict[str, Any]] = [
    {"id": "many", "schema": SCHEMA, "sql_a": MANY, "sql_b": MANY.replace("12", "13")},
    PAIRS[0],
    {"id": "squares", "schema": SCHEMA, "sql_a": SQUARES, "sql_b": SQUARES.replace("40", "41")},
    {
        "id": "repeats",
        "schema": SCHEMA,
        "sql_a": "SELECT room FROM shelf",
        "sql_b": "SELECT DISTINCT room FROM shelf",
    },
    {
        "id": "columns",
        "schema": SCHEMA,
        "sql_a": "SELECT id, height FROM shelf",
        "sql_b": "SELECT height, id FROM shelf",
    },
    {"id": "ties", "schema": SCHEMA, "sql_a": TIES, "sql_b": TIES.replace("height", "height, id DESC")},
    {"id": "weight", "sql_a": "SELECT weight FROM shelf", "sql_b": "SELECT weight FROM shelf WHERE id > 1"},
    {"id": "drop", "sql_a": "DROP TABLE shelf", "sql_b": "SELECT id FROM shelf"},
]


@pytest.fixture(scope="module")
def found_on_shelves(shelves: Path) -> dict[str, dict[str, Any]]:
    """What one run of the command says of every pair above: starting it takes longer than all of them."""
    return {row["id"]: row for row in on(shelves, *ON_SHELVES)}


Found = dict[str, dict[str, Any]]


def test_a_difference_on_the_database_named_counts_whatever_the_search_finds(found_on_shelves: Found) -> None:
    found = found_on_shelves["many"]
    assert (found["verdict"], found["level"]) == ("different", "S0")
    assert "A gives 3 rows and B 0 rows" in found["reason"]


def test_a_small_database_is_shown_where_the_search_has_one_of_that_level(found_on_shelves: Found) -> None:
    found = found_on_shelves["bound"]
    assert found["counterexample"]["tables"]["shelf"]["rows"]
    assert "on the named database A gives 8 rows and B 16 rows" in found["reason"]


def test_rows_that_only_one_side_gives_are_shown_where_no_small_database_is_found(found_on_shelves: Found) -> None:
    found = found_on_shelves["squares"]
    assert (found["verdict"], found["level"]) == ("different", "S0")
    assert found["counterexample"]["tables"] == {}
    assert found["counterexample"]["result_a"]["rows"] == [[39.0]]
    assert found["counterexample"]["result_b"]["rows"] == []
    assert found["assumption"] == "none: they differ on the named database"


@pytest.mark.parametrize(("name", "level"), [("repeats", "S4"), ("columns", "S5"), ("ties", "S3")])
def test_what_sets_two_results_apart_on_the_database_gives_the_level(
    name: str, level: str, found_on_shelves: Found
) -> None:
    assert (found_on_shelves[name]["verdict"], found_on_shelves[name]["level"]) == ("different", level)


def test_a_side_that_the_database_does_not_run_is_named_and_the_pair_is_judged_without(found_on_shelves: Found) -> None:
    found = found_on_shelves["weight"]
    assert found["verdict"] == "different"
    assert "does not run sql_a: no such column: weight" in found["reason"]


def test_queries_only_read_the_database_named(shelves: Path, found_on_shelves: Found) -> None:
    assert found_on_shelves["drop"]["verdict"] == "error"
    with sqlite3.connect(shelves) as connection:
        assert connection.execute("SELECT COUNT(*) FROM shelf").fetchone() == (39,)


@pytest.mark.slow  # processes of its own
def test_witnesses_of_other_answers_are_tried_beside_a_database_too(shelves: Path) -> None:
    pairs = [
        {"id": str(n), "schema": SCHEMA, "sql_a": TALL, "sql_b": f"SELECT id FROM shelf WHERE height > {n}"}
        for n in (3, 4)
    ]
    found = on(shelves, *pairs, options=("--cross-check",))
    assert [row["verdict"] for row in found] == ["equivalent_up_to_bound", "different"]


@pytest.mark.slow  # takes over a second
def test_a_database_that_is_not_there_ends_the_command(tmp_path: Path) -> None:
    done = run("verify", "-", "--database", str(tmp_path / "gone.sqlite"), given=lines(PAIRS))
    assert done.returncode == 2
    assert "gone.sqlite" in done.stderr
