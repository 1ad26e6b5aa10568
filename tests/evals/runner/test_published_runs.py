"""Two sets of published predictions on Spider's databases: as files, and the second as an agent behind HTTP."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.development import HOME, labels_path
from tests.evals.runner.agent_server import Reply, agent_server, as_json
from tests.evals.runner.weaving import lines
from tests.service.commands.command_line import sqlassay

DATABASES = str(HOME / "spider_db")


class Published:
    """The questions with two predictions at least; the first of each is one set, the last the other."""

    def __init__(self, folder: Path) -> None:
        asked: defaultdict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        for line in labels_path("train_spider_ex").read_text().splitlines():
            row = json.loads(line)
            asked[row["db_id"], row["question"]].append(row)
        pairs = {rows[0]["id"]: (rows[0], rows[-1]) for rows in asked.values() if len(rows) > 1}
        labels = {"complexity": "", "category": ""}
        cases = [
            {"case_id": name, "question": one["question"], "gold_sql": one["reference_sql"], "schema": one["db_id"]}
            | labels
            | {"metadata": {"db_id": one["db_id"]}}
            for name, (one, _) in pairs.items()
        ]
        self.folder = folder
        self.benchmark = lines(folder / "benchmark.jsonl", cases)
        self.sets = [{name: rows[place]["sql"] for name, rows in pairs.items()} for place in (0, 1)]

    def run(self, out: str, *options: str) -> Any:
        arguments = ("--benchmark", str(self.benchmark), "--databases", DATABASES, "--out", str(self.folder / out))
        return sqlassay("eval", "run", *arguments, *options)

    def recorded(self, out: str, place: int, *options: str) -> Any:
        rows = [{"case_id": name, "sql": sql} for name, sql in self.sets[place].items()]
        predictions = lines(self.folder / f"{out}.jsonl", rows)
        return self.run(out, "--backend", "recorded", "--predictions", str(predictions), *options)

    def records(self, out: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / out / "cases.jsonl").read_text().splitlines()]


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.development_data("judge/train_spider_ex.jsonl")
@pytest.mark.development_data("spider_db")
def test_of_two_published_sets_the_worse_fails_the_gate_and_has_the_same_records_behind_http(tmp_path: Path) -> None:
    published = Published(tmp_path)
    assert published.recorded("first", 0).returncode == 0
    gate = published.recorded("second", 1, "--fail-on-regression", str(tmp_path / "first"))
    assert gate.returncode == 1
    first, second = ([each["pass"] for each in published.records(out)] for out in ("first", "second"))
    changes = Counter(zip(first, second, strict=True))
    assert (changes[True, False], changes[False, True]) == (29, 12)
    assert [round(100 * sum(each) / 573, 1) for each in (first, second)] == [88.1, 85.2]

    def reply(path: str, asked: dict[str, Any], before: int) -> Reply:
        return as_json({"sql": published.sets[1][asked["case_id"]]})

    with agent_server(reply) as agent:
        assert published.run("behind", "--backend", agent.url).returncode == 0
    behind = [{**each, "backend": "recorded"} for each in published.records("behind")]
    assert behind == published.records("second")
