"""The study of the published agents in the development data: `python -m tests.evals.development_study [--write]`.

Their databases are not there: EX-TEST is what the publishers of the labels found on them, and the tables are declared.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.development import HOME, labels_path
from tests.marked_pages import write_between

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/study.md"
_LEFT_OUT = (
    "What could be verified",
    "Refuted, by what",
    "Refuted with at most",
    "Methods that disagree",
    "Cases on which",
)
"""Tables that only the run's own page has."""
FOLDER = ROOT / "build/study"
GOLDS = ("train_bird_ex", "dev_bugs")
"""The sets whose gold SQL answers the questions of the agents; the first that has one counts."""
SCHEMAS = HOME / "equivalence/dev.jsonl"
_BEGIN, _END = "<!-- study: written by `make study` -->", "<!-- end of study -->"


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def write_inputs(folder: Path, every: int = 1) -> list[str]:
    """Writes the benchmark, the predictions and the schemas; returns the arguments of `sqlassay eval run`."""
    golds: dict[tuple[str, str], str] = {}
    for name in GOLDS:
        for row in rows_of(labels_path(name)):
            if row.get("reference_sql"):
                golds.setdefault((row["db_id"], row["question"]), row["reference_sql"])
    answers = [row for row in rows_of(labels_path("dev_agents")) if row["question_id"] % every == 0]
    asked = {(row["db_id"], row["question"]): row for row in answers}
    cases = [
        {
            "case_id": str(row["question_id"]),
            "question": row["question"],
            "gold_sql": golds[key],
            "schema": row["db_id"],
            "complexity": "",
            "category": "",
            "metadata": {"db_id": row["db_id"], "dialect": "sqlite"},
        }
        for key, row in sorted(asked.items(), key=lambda each: each[1]["question_id"])
    ]
    predictions = [
        {
            "case_id": str(row["question_id"]),
            "method": row["agent"],
            "sql": row["sql"],
            "ex_test": row["ex_label"] == 1,
        }
        for row in answers
    ]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "schemas").mkdir(exist_ok=True)
    for row in rows_of(SCHEMAS):
        if row.get("db") and row.get("schema"):
            (folder / "schemas" / f"{row['db']}.sql").write_text(row["schema"], encoding="utf-8")
    for name, lines in (("benchmark", cases), ("predictions", predictions)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    return [
        *("--benchmark", str(folder / "benchmark.jsonl"), "--backend", "recorded", "--no-grounding", "--verify"),
        *("--verify-seconds", "120"),
        *("--predictions", str(folder / "predictions.jsonl"), "--schemas", str(folder / "schemas")),
    ]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--write", action="store_true", help="write the tables into docs/study.md")
    arguments.add_argument("--every", type=int, default=1, help="use one question in so many")
    arguments.add_argument("--out", default=str(FOLDER / "run"), help="the folder of the run")
    given = arguments.parse_args()
    if not labels_path("dev_agents").exists():
        sys.exit(f"make study needs {labels_path('dev_agents')}: set SQLASSAY_DEVELOPMENT_DATA to its folder")
    options = write_inputs(FOLDER, given.every)
    command = [sys.executable, "-m", "service", "eval", "run", *options, "--out", given.out]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)
    page = (Path(given.out) / "study.md").read_text(encoding="utf-8")
    print(page, end="")
    if given.write:
        tables = (
            page.split("\n", 2)[2].rsplit("\n\n", 1)[0].strip().replace("\n## ", "\n### ").replace("## A", "### A", 1)
        )
        kept = [each for each in tables.split("\n### ") if not each.startswith(_LEFT_OUT)]
        write_between(PAGE, _BEGIN, _END, "\n### ".join(kept).strip("\n"))


if __name__ == "__main__":
    main()
