"""A small benchmark about a weaving mill, with its database and predictions."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from tests.service.commands.command_line import sqlassay

DDL = """
CREATE TABLE mills (id INTEGER PRIMARY KEY, town TEXT NOT NULL);
CREATE TABLE looms (id INTEGER PRIMARY KEY, name TEXT NOT NULL, mill INTEGER REFERENCES mills (id), width REAL);
"""
ROWS = """
INSERT INTO mills VALUES (1, 'Asker'), (2, 'Bodø');
INSERT INTO looms VALUES (1, 'Ada', 1, 90), (2, 'Berit', 1, 120), (3, 'Cato', 2, 120), (4, 'Dag', 2, NULL);
"""
GOLDS = {
    "count": ("How many looms are there?", "SELECT COUNT(*) FROM looms"),
    "names": ("What are the names of the looms in Asker?",
              "SELECT l.name FROM looms AS l JOIN mills AS m ON l.mill = m.id WHERE m.town = 'Asker'"),
    "widest": ("Which looms are 120 wide?", "SELECT name FROM looms WHERE width = 120"),
    "towns": ("List the towns of the mills by name.", "SELECT town FROM mills ORDER BY town"),
}  # fmt: skip


def case(case_id: str, **changed: Any) -> dict[str, Any]:
    question, gold = GOLDS[case_id]
    labels = {"schema": "weaving", "complexity": "easy" if case_id == "count" else "hard", "category": "looms"}
    return {"case_id": case_id, "question": question, "gold_sql": gold, **labels, "metadata": {"db_id": "weaving"}, **changed}  # fmt: skip  # noqa: E501


def lines(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


class Mill:
    """A folder with the benchmark, its database and its schema."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.benchmark = lines(folder / "benchmark.jsonl", [case(each) for each in GOLDS])
        self.databases = folder / "databases"
        self.databases.mkdir()
        with sqlite3.connect(self.databases / "weaving.sqlite") as connection:
            connection.executescript(DDL + ROWS)
        self.ddl = folder / "weaving.sql"
        self.ddl.write_text(DDL)

    def predictions(self, answers: dict[str, str | None], name: str = "predictions.jsonl") -> Path:
        rows = [{"case_id": case_id, "sql": sql, "metadata": {"model": "tiny"}} for case_id, sql in answers.items()]
        return lines(self.folder / name, rows)

    def run(self, *options: str | Path, out: str = "run", code: int = 0) -> str:
        """Runs the command; returns what it printed."""
        arguments = ["--benchmark", self.benchmark, "--out", self.folder / out, *options]
        done = sqlassay("eval", "run", *map(str, arguments))
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def recorded(
        self, answers: dict[str, str | None], *options: str | Path, out: str = "run"
    ) -> dict[str, dict[str, Any]]:
        """Runs recorded answers; returns the records by case."""
        self.run("--backend", "recorded", "--predictions", self.predictions(answers), *options, out=out)
        return {each["case_id"]: each for each in self.records(out)}

    def records(self, out: str = "run") -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / out / "cases.jsonl").read_text().splitlines()]

    def summary(self, out: str = "run") -> dict[str, Any]:
        return json.loads((self.folder / out / "summary.json").read_text())
