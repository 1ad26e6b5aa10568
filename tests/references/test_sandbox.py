"""SQL that nobody trusts reads its own tables and nothing else, and ends."""

from __future__ import annotations

import pytest

from references.sandbox import Failure, FailureKind, Layout, Limits, Result, Sandbox

SHELF = Layout(name="shelf", columns=(("id", "INTEGER"), ("room", "TEXT")))


@pytest.fixture
def sandbox() -> Sandbox:
    made = Sandbox([SHELF], Limits(seconds=0.2, rows=100))
    made.fill({"shelf": [(1, "cellar"), (2, "attic")]})
    return made


def test_a_query_reads_the_rows_that_are_held(sandbox: Sandbox) -> None:
    assert sandbox.run("SELECT room FROM shelf ORDER BY id") == Result(
        columns=("room",), rows=(("cellar",), ("attic",))
    )


def test_filling_again_forgets_the_rows_before(sandbox: Sandbox) -> None:
    sandbox.fill({"shelf": [(3, "hall")]})
    assert sandbox.run("SELECT id FROM shelf") == Result(columns=("id",), rows=((3,),))


def test_rows_are_held_as_sqlite_converts_them() -> None:
    made = Sandbox([SHELF])
    made.fill({"shelf": [("7", 8)]})
    assert made.stored("shelf") == ((7, "8"),)


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM shelf",
        "INSERT INTO shelf VALUES (3, 'hall')",
        "UPDATE shelf SET room = ''",
        "CREATE TABLE other (id)",
        "DROP TABLE shelf",
        "ATTACH ':memory:' AS other",
        "PRAGMA table_info(shelf)",
        "PRAGMA hard_heap_limit = 0",
        "SELECT load_extension('x')",
        "SELECT random()",
        "SELECT * FROM pragma_table_info('shelf')",
        "VACUUM",
        "SAVEPOINT a",
        "COMMIT",
        "EXPLAIN SELECT 1",
    ],
)
def test_what_is_not_reading_rows_is_refused_and_changes_nothing(sandbox: Sandbox, sql: str) -> None:
    before = sandbox.stored("shelf")
    result = sandbox.run(sql)
    assert isinstance(result, Failure) or sql.startswith("EXPLAIN")
    assert sandbox.stored("shelf") == before


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT MAX(n) FROM c", FailureKind.TOO_LONG),
        ("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c", FailureKind.TOO_LARGE),
        ("SELECT hex(zeroblob(1000000000))", FailureKind.TOO_LARGE),
        ("SELECT no FROM shelf", FailureKind.ERROR),
        ("SELECT", FailureKind.ERROR),
        ("", FailureKind.REFUSED),
        ("SELECT 1; SELECT 2", FailureKind.ERROR),
    ],
)
def test_a_query_that_gives_nothing_says_why(sandbox: Sandbox, sql: str, kind: FailureKind) -> None:
    result = sandbox.run(sql)
    assert isinstance(result, Failure)
    assert result.kind is kind


def test_a_query_that_was_ended_leaves_the_sandbox_working(sandbox: Sandbox) -> None:
    sandbox.run("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT MAX(n) FROM c")
    assert isinstance(sandbox.run("SELECT id FROM shelf"), Result)


@pytest.mark.parametrize("name", ['a"b', "select", "ta ble", "x); DROP TABLE y; --", "ä"])
def test_any_name_can_be_a_table(name: str) -> None:
    made = Sandbox([Layout(name=name, columns=((name, "INT); DROP"),))])
    made.fill({name: [(1,)]})
    assert made.stored(name) == ((1,),)
