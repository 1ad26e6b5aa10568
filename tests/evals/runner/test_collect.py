"""`sqlassay eval collect`: reviewed answers become a benchmark that `eval run` accepts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.evals.runner.weaving import lines
from tests.service.commands.command_line import sqlassay

QUESTION = "How many looms are there?"


def review(sql: str, label: object = 1, **more: Any) -> dict[str, Any]:
    return {"question": QUESTION, "sql": sql, "label": label, "db_id": "weaving", **more}


def collected(folder: Path, *rows: object) -> tuple[int, list[dict[str, Any]], str]:
    out = folder / "benchmark.jsonl"
    done = sqlassay("eval", "collect", str(lines(folder / "reviewed.jsonl", list(rows))), "--out", str(out))
    found = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    return done.returncode, found, done.stderr


def test_reviews_of_one_question_are_one_case_and_answers_that_mean_the_same_count_together(tmp_path: Path) -> None:
    code, cases, said = collected(
        tmp_path,
        review("SELECT COUNT(*) FROM looms"),
        review("select  count(*) from looms as l", "right", question="how many looms are there"),
        review("SELECT COUNT(*) FROM mills"),
        review("SELECT 7", 0, correction="SELECT COUNT(*) FROM looms"),
        review("SELECT name FROM looms", question="Which looms?", db_id="other", category="names"),
    )
    assert code == 0
    assert [(each["question"], each["gold_sql"], each["schema"]) for each in cases] == [
        (QUESTION, "SELECT COUNT(*) FROM looms", "weaving"),
        ("Which looms?", "SELECT name FROM looms", "other"),
    ]
    assert cases[0]["metadata"] == {"db_id": "weaving", "reviews": 4}
    assert said.startswith("2 cases, 2 repeated reviews")
    predictions = lines(tmp_path / "p.jsonl", [{"case_id": each["case_id"], "sql": each["gold_sql"]} for each in cases])
    done = sqlassay(
        "eval", "run", "--benchmark", str(tmp_path / "benchmark.jsonl"), "--backend", "recorded",
        "--predictions", str(predictions), "--out", str(tmp_path / "run"),
    )  # fmt: skip
    assert json.loads(done.stdout)["pass_rate"] == 1.0


def test_what_cannot_be_a_case_is_left_out_and_said(tmp_path: Path) -> None:
    code, cases, said = collected(
        tmp_path,
        review("SELECT 7", "wrong"),
        review("SELECT 7", "unsure"),
        review("SELEC", 1),
        review("SELECT COUNT(*) FROM looms"),
        review("SELECT COUNT(*) FROM mills"),
    )
    assert (code, cases) == (1, [])
    assert "2 reviews without right SQL" in said
    assert "1 reviews whose right SQL does not parse" in said
    assert "1 questions whose reviewers disagree" in said
    again = review("SELECT COUNT(*) FROM looms"), review("SELECT COUNT(*) FROM looms", 0)
    assert collected(tmp_path, *again)[:2] == (1, [])
    assert collected(tmp_path, *again, again[0])[0] == 0
    assert collected(tmp_path, "{")[0] == 2
    assert "line 1: label" in collected(tmp_path, review("SELECT 1", 2))[2]
