"""`sqlassay eval run` without --benchmark runs the questions that we ship."""

from __future__ import annotations

import json
from pathlib import Path

from evals.runner.gold_kinds import QuestionKind
from references.comparison.alternatives import expand
from service.commands.eval.runner.shipped_benchmark import BENCHMARK
from tests.evals.runner.weaving import lines
from tests.service.commands.command_line import sqlassay

CASES = [json.loads(line) for line in BENCHMARK.read_text().splitlines()]


def test_its_gold_sql_passes_on_its_own_database_and_covers_every_kind(tmp_path: Path) -> None:
    golds = [{"case_id": each["case_id"], "sql": expand(each["gold_sql"]).alternatives[0].sql} for each in CASES]
    predictions = lines(tmp_path / "golds.jsonl", list(golds))
    arguments = ("--backend", "recorded", "--predictions", str(predictions), "--out", str(tmp_path / "run"))
    done = sqlassay("eval", "run", *arguments, "--no-verify")
    assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert (summary["cases"], summary["pass_rate"], summary["grounding_rate"]) == (len(CASES), 1.0, 1.0)
    assert set(summary["slices"]["question_kind"]) == set(QuestionKind)
    assert {"empty", "malformed"}.isdisjoint(summary["gold_doubts"])
    again = sqlassay("eval", "run", *arguments, "--no-verify")
    assert again.stdout == done.stdout


def test_its_database_is_not_mixed_with_another(tmp_path: Path) -> None:
    arguments = ("--backend", "recorded", "--predictions", "p.jsonl", "--out", str(tmp_path / "run"))
    done = sqlassay("eval", "run", *arguments, "--databases", str(tmp_path))
    assert done.returncode == 2
    assert "belong to a --benchmark" in done.stderr
