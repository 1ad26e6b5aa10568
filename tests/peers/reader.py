"""Asks one peer whether each answer is right. Runs in the peer's own environment: `python reader.py METHOD DATABASES`.

Reads a JSON object a line with `id`, `db_id`, `question`, `gold_sql` and `sql`, and writes `{"id", "right", "note"}`.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

Case: TypeAlias = dict[str, str]
Judge: TypeAlias = Callable[[Case, Path], bool]


def toolkit(metric: str) -> Judge:
    """A metric of text2sql-eval-toolkit over the results of both queries."""
    pandas = import_module("pandas")
    evaluate = import_module("text2sql_eval_toolkit.evaluation.evaluation_tools").evaluate_prediction

    def judged(case: Case, database: Path) -> bool:
        with contextlib.closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as opened:
            gold = pandas.read_sql_query(case["gold_sql"], opened).to_json(orient="split")
            answer = pandas.read_sql_query(case["sql"], opened).to_json(orient="split")
        record = {"sql": case["gold_sql"], "gt_df": gold}
        found = evaluate(record, {"predicted_sql": case["sql"], "predicted_df": answer})
        return bool(found[metric])

    return judged


def sqlas() -> Judge:
    """Execution accuracy of sqlas without its share for speed: all values found, and as many rows."""
    execution_accuracy = import_module("sqlas.correctness").execution_accuracy

    def judged(case: Case, database: Path) -> bool:
        _, found = execution_accuracy(case["sql"], case["gold_sql"], str(database))
        return found.get("output_score") == 1 and bool(found.get("count_match"))

    return judged


def nl2sql360(metric: str) -> Judge:
    """Execution match of nl2sql360: that of Spider, or that of BIRD."""
    spider = import_module("nl2sql360.evaluator.test_suite_sql_eval.exec_eval")
    bird = import_module("nl2sql360.evaluator.bird_eval.bird_ex")

    def judged(case: Case, database: Path) -> bool:
        if metric == "bird":
            found = bird.execute_model(case["sql"], case["gold_sql"], str(database), 0, 30, "SQLite")
            return bool(found["res"])
        # it tries every database in the folder of the one named
        with tempfile.TemporaryDirectory() as folder:
            alone = Path(folder) / database.name
            alone.symlink_to(database)
            return bool(spider.eval_exec_match(str(alone), case["sql"], case["gold_sql"], False, False, False))

    return judged


METHODS: dict[str, Callable[[], Judge]] = {
    "toolkit-exact": lambda: toolkit("execution_accuracy"),
    "toolkit-subset": lambda: toolkit("subset_non_empty_execution_accuracy"),
    "sqlas": sqlas,
    "nl2sql360-spider": lambda: nl2sql360("spider"),
    "nl2sql360-bird": lambda: nl2sql360("bird"),
}


def verdict(judge: Judge, case: Case, databases: Path) -> dict[str, Any]:
    """What the peer says of one answer; an answer that it cannot run is wrong."""
    try:
        right, note = judge(case, databases / f"{case['db_id']}.sqlite"), ""
    except Exception as error:  # whatever a peer raises on one answer must not end the run
        right, note = False, type(error).__name__
    return {"id": case["id"], "right": right, "note": note}


def main(method: str, databases: str) -> None:
    """Judges every line of stdin."""
    out = sys.stdout
    # peers print their progress
    with contextlib.redirect_stdout(sys.stderr):
        judge = METHODS[method]()
        for line in sys.stdin:
            print(json.dumps(verdict(judge, json.loads(line), Path(databases).absolute())), file=out)


if __name__ == "__main__":
    main(*sys.argv[1:])
