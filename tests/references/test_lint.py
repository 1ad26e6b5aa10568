"""References that do not determine their own answer."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from references.comparison.comparing import Flag
from references.comparison.results import QueryResult
from references.databases.access import DatabaseLimits
from references.databases.opening import open_database
from references.databases.row_orders import reversed_rows
from references.lint import Doubt, lint
from references.sandbox import Failure
from tests.references.memory_database import running

SCHEMA = """
CREATE TABLE boats (id INTEGER, name TEXT, harbour TEXT, length TEXT, crew INTEGER);
INSERT INTO boats VALUES (1, 'Tern', 'Skagen', '9', 4), (2, 'Skua', 'Skagen', '12', 4),
  (3, 'Auk', 'Hirtshals', '30', NULL);
"""


@pytest.fixture
def run():
    return running(SCHEMA)


@pytest.mark.parametrize(
    ("reference", "doubts"),
    [
        ("SELECT name FROM boats ORDER BY id LIMIT 1", set()),
        ("SELECT name FROM boats ORDER BY crew DESC LIMIT 1", {Doubt.LIMIT_CUTS_TIE}),
        ("SELECT name FROM boats ORDER BY crew DESC LIMIT 2", set()),
        ("SELECT name FROM boats ORDER BY crew LIMIT 1", {Doubt.NULL_SORTS_FIRST}),
        ("SELECT name FROM boats ORDER BY length DESC LIMIT 1", {Doubt.NUMBERS_SORT_AS_TEXT}),
        ("SELECT name FROM boats ORDER BY CAST(length AS INTEGER) DESC LIMIT 1", set()),
        ("SELECT name FROM boats LIMIT 2", {Doubt.LIMIT_WITHOUT_ORDER}),
        ("SELECT COUNT(*) FROM boats LIMIT 1", set()),
        ("SELECT name FROM boats WHERE harbour = 'Skagen' OR 'Hirtshals'", {Doubt.CONSTANT_OPERAND}),
        ("SELECT name FROM boats WHERE crew > 90", {Doubt.EMPTY}),
        ("SELECT name, MAX(crew) FROM boats", {Doubt.LOOSE_COLUMN}),
        ("SELECT name, COUNT(*) FROM boats GROUP BY harbour", {Doubt.LOOSE_COLUMN}),
        ("SELECT harbour, COUNT(*) FROM boats GROUP BY harbour", set()),
        ("SELECT harbour, COUNT(*) FROM boats GROUP BY 1", set()),
        ("SELECT harbour FROM boats", {Doubt.REPEATED_ROWS}),
        ("SELECT DISTINCT harbour FROM boats", set()),
        ("SELECT name FROM boats WHERE id < RANDOM()", {Doubt.UNSTEADY_FUNCTION, Doubt.EMPTY}),
        ("SELECT name FROM boats WHERE date('now') > '2020-01-01'", {Doubt.UNSTEADY_FUNCTION}),
        ("SELECT {name FROM boats", {Doubt.MALFORMED}),
        ("SELECT nothing FROM boats", {Doubt.MALFORMED}),
        ("SELEC name", {Doubt.MALFORMED}),
        ("SELECT id FROM boats ORDER BY id; SELECT name FROM boats LIMIT 1", {Doubt.LIMIT_WITHOUT_ORDER}),
    ],
)
def test_what_leaves_an_answer_open_is_named(run, reference, doubts):
    found = {each.doubt for each in lint(reference, "sqlite", run)}
    assert found - {Doubt.EMPTY} == doubts - {Doubt.EMPTY} if Doubt.UNSTEADY_FUNCTION in doubts else found == doubts


@pytest.mark.parametrize(
    ("sql", "open_to_order"),
    [
        ("SELECT name FROM boats LIMIT 2", True),
        ("SELECT name FROM boats WHERE id IN (SELECT id FROM boats ORDER BY crew DESC LIMIT 1)", True),
        ("SELECT name FROM boats WHERE crew = (SELECT crew FROM boats)", True),
        ("SELECT GROUP_CONCAT(name) FROM boats", True),
        ("SELECT harbour, name FROM boats GROUP BY harbour", True),
        ("SELECT name, ROW_NUMBER() OVER (ORDER BY crew) FROM boats WHERE crew = 4", True),
        ("SELECT name FROM boats ORDER BY id LIMIT 2", False),
        ("SELECT name, MAX(id) FROM boats", False),
        ("SELECT harbour, COUNT(*), SUM(crew) FROM boats GROUP BY harbour", False),
        ("SELECT name FROM boats ORDER BY crew", False),
        ("SELECT name FROM boats ORDER BY rowid LIMIT 1", False),
        ("SELECT name FROM marked LIMIT 1", False),
        ("SELECT ABS(RANDOM()) FROM boats LIMIT 1", False),
        ("WITH boats AS (SELECT 7 AS n) SELECT n FROM boats LIMIT 1", False),
    ],
)
def test_a_result_that_depends_on_the_order_of_stored_rows_is_found_by_running_it_on_reversed_tables(
    tmp_path: Path, sql: str, open_to_order: bool
):
    with sqlite3.connect(tmp_path / "boats.sqlite") as connection:
        connection.executescript(SCHEMA + "CREATE TABLE marked (name TEXT COLLATE NOCASE);")
        connection.execute("INSERT INTO marked VALUES ('a'), ('b')")
    before = (tmp_path / "boats.sqlite").read_bytes()
    with open_database(str(tmp_path), "boats", DatabaseLimits()) as database:
        found = {each.doubt for each in lint(sql, "sqlite", database.run, reversed_rows(database))}
    assert (Doubt.ROW_ORDER in found) is open_to_order
    assert (tmp_path / "boats.sqlite").read_bytes() == before


def test_a_copy_of_the_tables_is_read_as_strictly_as_the_file(tmp_path: Path):
    with sqlite3.connect(tmp_path / "boats.sqlite") as connection:
        connection.executescript(SCHEMA)
    with open_database(str(tmp_path), "boats", DatabaseLimits()) as database:
        run = reversed_rows(database)
        assert run is not None
        for sql in ("DELETE FROM boats", "SELECT * FROM sqlite_master", "SELECT load_extension('x')", "PRAGMA user_version"):  # fmt: skip  # noqa: E501
            assert isinstance(run(sql), Failure)
        assert isinstance(run("SELECT name FROM boats"), QueryResult)


def test_what_needs_no_rows_is_found_without_a_database():
    assert {each.doubt for each in lint("SELECT a FROM t LIMIT 2", "postgres")} == {Doubt.LIMIT_WITHOUT_ORDER}
    assert lint("SELECT a FROM t ORDER BY b LIMIT 2", "postgres") == ()


def test_every_doubt_and_flag_is_documented():
    page = (Path(__file__).parents[2] / "docs" / "references.md").read_text(encoding="utf-8")
    assert [each.value for each in [*Doubt, *Flag] if f"`{each.value}`" not in page] == []


@pytest.mark.parametrize(
    ("dialect", "clock"),
    [
        ("postgres", "LOCALTIMESTAMP"),
        ("postgres", "clock_timestamp()"),
        ("duckdb", "get_current_timestamp()"),
        ("mysql", "SYSDATE()"),
    ],
)
def test_every_clock_of_a_dialect_is_unsteady(dialect: str, clock: str) -> None:
    assert [each.doubt for each in lint(f"SELECT {clock}", dialect)] == [Doubt.UNSTEADY_FUNCTION]
