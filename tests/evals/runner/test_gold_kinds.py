"""The kinds and the difficulty of a case come from its gold SQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.runner.gold_kinds import gold_kinds
from tests.evals.runner.weaving import GOLDS, Mill, case, lines


@pytest.mark.parametrize(
    ("sql", "kinds"),
    [
        ("SELECT id FROM t WHERE d >= date('now')", "date filter"),
        ("SELECT id FROM t WHERE d >= date('now', '-1 month')", "date filter"),
        ("SELECT id FROM t WHERE d >= DATE('2024')", "date filter"),
        ("SELECT time('now'), datetime(d, 'start of month') FROM t", "date"),
        ("SELECT shipped_at - ordered_at FROM t", "date"),
        ("SELECT AVG(end_date - start_date) FROM t", "date"),
        ("SELECT MAX(returnDate) - MIN(loanDate) FROM t", "date"),
        ("SELECT julianday(a) - julianday(b) FROM t", "date"),
        ("SELECT sold - bought FROM t", "date"),
        ("SELECT sold + 7 FROM t", "date"),
        ("SELECT d + INTERVAL '1 day' FROM t", "date"),
        ("SELECT id FROM t WHERE d > CURRENT_DATE", "date filter"),
        ("SELECT price - discount FROM t", ""),
        ("SELECT format - pat FROM t", ""),
        ("SELECT id FROM t WHERE a IN (SELECT a FROM u UNION SELECT a FROM v)", "nested set_operation filter"),
        ("SELECT * FROM (SELECT a FROM t UNION ALL SELECT a FROM u) AS x", "nested set_operation"),
        ("WITH x AS (SELECT a FROM t UNION SELECT a FROM u) SELECT a FROM x", "nested set_operation"),
        ("(SELECT a FROM t) UNION (SELECT a FROM u)", "set_operation"),
        ("SELECT a FROM t UNION SELECT a FROM u EXCEPT SELECT a FROM v", "set_operation"),
        ("SELECT AVG((status = 'paid')::int) FROM t", "ratio"),
        ("SELECT AVG(CASE WHEN status = 'paid' THEN 1.0 ELSE 0 END) FROM t", "ratio"),
        ("SELECT AVG(CASE WHEN status = 'paid' THEN 100 ELSE 0 END) FROM t", "ratio"),
        ("SELECT 100 * AVG(IF(status = 'paid', 1, 0)) FROM t", "ratio"),
        ("SELECT AVG(status = 'paid') FROM t", "ratio"),
        ("SELECT SUM(cents) / 100.0 FROM t", ""),
        ("SELECT SUM(cents) / (COUNT(*) * 100.0) FROM t", "ratio"),
        ("SELECT AVG(CASE WHEN status = 'paid' THEN amount ELSE 0 END) FROM t", ""),
        ("SELECT AVG(CASE WHEN status = 'paid' THEN amount END) FROM t", ""),
        ("SELECT AVG(amount) FROM t", ""),
    ],
)
def test_dates_nested_unions_and_shares_are_seen(sql: str, kinds: str) -> None:
    found = gold_kinds(sql, "postgres" if "::" in sql else None, frozenset({"sold", "bought"}))
    assert found is not None
    assert [kind.value for kind in found.kinds] == kinds.split()


def test_dates_are_those_that_the_schema_declares(tmp_path: Path) -> None:
    mill = Mill(tmp_path)
    lines(mill.benchmark, [case("count", gold_sql="SELECT sold - bought FROM looms")])
    mill.ddl.write_text("CREATE TABLE looms (id INTEGER, sold DATE, bought TIMESTAMP);")
    for answer, out in (("SELECT 1", "one"), (None, "none")):
        found = mill.recorded({"count": answer}, "--schemas", mill.ddl, out=out)
        assert found["count"]["question_kinds"] == ["date"]
    assert mill.recorded({"count": "SELECT 1"}, out="blind")["count"]["question_kinds"] == []


@pytest.mark.parametrize(
    ("sql", "kinds", "difficulty"),
    [
        ("SELECT name FROM looms", "", "easy"),
        ("SELECT name FROM looms WHERE width > 3", "filter", "easy"),
        ("SELECT name FROM looms WHERE a = 1 AND b = 2 AND c = 3", "filter", "easy"),
        ("SELECT name FROM looms ORDER BY width DESC LIMIT 3", "order_by", "easy"),
        ("SELECT l.name FROM looms l, mills m WHERE l.mill = m.id", "join filter", "easy"),
        ("SELECT 1.0 * SUM(a) / COUNT(*) FROM looms GROUP BY mill", "group_by ratio", "medium"),
        ("SELECT id FROM t WHERE d >= '2024-01-01'", "date filter", "easy"),
        ("SELECT STRFTIME('%Y', d), COUNT(*) FROM t GROUP BY 1", "group_by date", "medium"),
        ("SELECT id FROM t WHERE d > CURRENT_DATE - INTERVAL '7 days'", "date filter", "easy"),
        ("SELECT id FROM t WHERE a IN (SELECT a FROM u)", "nested filter", "medium"),
        ("WITH x AS (SELECT a FROM t) SELECT * FROM x", "nested", "medium"),
        ("SELECT a FROM t UNION SELECT a FROM u", "set_operation", "medium"),
        ("SELECT a, RANK() OVER (ORDER BY b) FROM t", "window", "medium"),
        (
            "SELECT m.town, COUNT(*) FROM a JOIN b ON a.x = b.x JOIN m ON m.id = b.m WHERE a.d = '2024-05' "
            "GROUP BY 1 HAVING COUNT(*) > 2 ORDER BY 2",
            "join group_by order_by date filter",
            "hard",
        ),
        (
            "SELECT a FROM t JOIN u ON t.a = u.a WHERE b IN (SELECT b FROM v) GROUP BY a "
            "UNION SELECT a FROM w ORDER BY a",
            "join group_by order_by nested set_operation filter",
            "extra",
        ),
        ("SELECT {id, name} FROM looms; SELECT a FROM t JOIN u ON t.a = u.a", "", "easy"),
    ],
)
def test_what_a_gold_query_does(sql: str, kinds: str, difficulty: str) -> None:
    found = gold_kinds(sql)
    assert found is not None
    assert ([kind.value for kind in found.kinds], found.difficulty.value) == (kinds.split(), difficulty)


def test_gold_sql_that_cannot_be_read_has_none() -> None:
    assert gold_kinds("SELECT {a FROM t") is None
    assert gold_kinds("SELECT FROM WHERE") is None


def test_rates_are_sliced_by_them_beside_the_labels(tmp_path: Path) -> None:
    mill = Mill(tmp_path)
    answers: dict[str, str | None] = {case_id: gold for case_id, (_, gold) in GOLDS.items()}
    found = mill.recorded(answers, "--databases", mill.databases)
    assert (found["names"]["question_kinds"], found["names"]["difficulty"]) == (["join", "filter"], "easy")
    slices = mill.summary()["slices"]
    assert {name: rates["cases"] for name, rates in slices["question_kind"].items()} == {
        "join": 1, "filter": 2, "order_by": 1
    }  # fmt: skip
    assert slices["difficulty"]["easy"]["cases"] == 4
    assert slices["complexity"]["easy"]["cases"] == 1


def test_a_run_can_use_the_rule_of_sql_eval(tmp_path: Path) -> None:
    mill = Mill(tmp_path)
    reversed_towns: dict[str, str | None] = {"towns": "SELECT town FROM mills ORDER BY town DESC"}
    found = mill.recorded(reversed_towns, "--databases", mill.databases)
    assert found["towns"]["equivalence"] == "different"
    found = mill.recorded(reversed_towns, "--databases", mill.databases, "--semantics", "defog", out="defog")
    assert found["towns"]["equivalence"] == "partially_equivalent"
    where = ("--backend", "recorded", "--predictions", mill.folder / "predictions.jsonl")
    assert "unknown semantics 'x'" in mill.run(*where, "--semantics", "x", out="x", code=2)
    assert "name the --databases" in mill.run(*where, "--semantics", "set", out="x", code=2)
