"""`sqlassay learn rules --pairs`: rules of pairs of SQL without a question, and a score in [0, 1] under them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from learning.rules.figures import score_auc
from tests.learning.rule_habits import habit_labels, write_labels
from tests.servers.model_server import ModelServer, model_process_server, model_server
from tests.service.commands.command_line import sqlassay

__all__ = ["model_process_server", "model_server"]

LEARNER = {"do": "learner"}


def pairs(each: int = 12) -> list[dict[str, object]]:
    """The habits as pairs: the plain query of the table, and the one with the construct."""
    found: list[dict[str, object]] = []
    for number, row in enumerate(habit_labels(each)):
        table = str(row["db_id"]).split("_", maxsplit=1)[0]
        named = {"id": row["event_id"], "label": row["label"], "db_id": row["db_id"]}
        queries = {"sql_a": f"SELECT name FROM {table} LIMIT {1000 + number % 5}", "sql_b": row["sql"]}
        schema = f"CREATE TABLE {table} (name TEXT); CREATE TABLE other (x INT)"
        found.append({**named, **queries, "schema": schema})
    return found


class PairLearning:
    """Runs commands over pairs in one folder, with a scripted model."""

    def __init__(self, server: ModelServer, folder: Path, rows: list[dict[str, object]]) -> None:
        self.folder = folder
        self.pairs = write_labels(folder / "pairs.jsonl", rows)
        self.settings = {
            "SQLASSAY_JUDGE__BASE_URL": server.url,
            "SQLASSAY_JUDGE__MODEL": "weak",
            "SQLASSAY_JUDGE__PRICES": '{"weak": {"sent": 0, "received": 0}}',
            "SQLASSAY_LEARN__MODEL": "strong",
        }

    def learn(self, *options: str, code: int = 0) -> Any:
        out = ("--out", str(self.folder / "rules.json"), "--cluster-size", "8", "--group", "id")
        done = sqlassay("learn", "rules", self.pairs, "--pairs", *out, *options, **self.settings)
        assert done.returncode == code, done.stdout + done.stderr
        return done


def data_of(server: ModelServer, start: str) -> list[dict[str, Any]]:
    messages = [json.loads(each["body"])["messages"] for each in server.seen()]
    users = [user["content"] for system, user in messages if system["content"].startswith(start)]
    return [json.loads(user.split("BEGIN DATA\n")[1].split("\nEND DATA")[0]) for user in users]


@pytest.mark.slow  # hundreds of calls of a model
def test_rules_of_pairs_raise_the_auc_of_scores_on_held_out_pairs(model_server: ModelServer, tmp_path: Path) -> None:
    model_server.script(LEARNER)
    learning = PairLearning(model_server, tmp_path, pairs())
    about = tmp_path / "about.txt"
    about.write_text("Loaves are baked daily.")
    done = learning.learn("--background", str(about))
    document = json.loads((tmp_path / "rules.json").read_text())
    before, after = document["held_out"]["before"], document["held_out"]["after"]
    assert before["auc"] == 0.5, "without rules it believes every pair"
    assert after["auc"] > 0.8
    assert "AUC" in done.stdout
    assert document["made"]["prompts"][0] == "pair-1"
    asked = data_of(model_server, "You say how far")[0]
    assert set(asked) == {"background", "dialect", "gold_sql", "sql", "schema"}
    assert [each["table"] for each in asked["schema"]] == [asked["sql"].split("FROM ")[1].split()[0]]
    samples = data_of(model_server, "You write rules by which another reader will say how far")[0]["samples"]
    assert {"label", "gold_sql", "sql"} <= set(samples[0])
    assert "question" not in samples[0]

    model_server.script(LEARNER)
    scored = sqlassay(
        "eval", "judge", learning.pairs, "--judge", "pair_score", "--learned", str(tmp_path / "rules.json"), "--json",
        **learning.settings,
    )  # fmt: skip
    assert scored.returncode == 0, scored.stderr
    [report] = json.loads(scored.stdout)
    assert report["measures"]["auc"] > 0.8
    assert len(model_server.seen()) == len(pairs())


@pytest.mark.parametrize(
    ("row", "options", "named"),
    [
        ({"sql_a": "SELECT 1"}, (), "line 1: sql_b"),
        ({"sql_a": "SELECT 1", "sql_b": "SELECT 2", "label": 2}, (), "line 1: label"),
        ({"sql_a": "SELECT 1", "sql_b": "SELECT 2", "label": 1}, ("--cluster-by", "db_id"), "needs `db_id`"),
        ({"sql_a": "SELECT 1", "sql_b": "SELECT 2", "label": 1, "schema": "{"}, (), "line 1: schema"),
        ({}, ("--tenant", "library"), "--pairs reads files of pairs"),
    ],
)
def test_lines_and_options_that_are_no_pairs_are_named(
    row: dict[str, object], options: tuple[str, ...], named: str, tmp_path: Path
) -> None:
    path = write_labels(tmp_path / "pairs.jsonl", [{"id": "one", **row}])
    done = sqlassay("learn", "rules", path, "--pairs", "--out", str(tmp_path / "r.json"), "--group", "id", *options)
    assert done.returncode == 2
    assert named in done.stderr


def test_background_is_for_pairs(tmp_path: Path) -> None:
    path = write_labels(tmp_path / "labels.jsonl", habit_labels(4))
    done = sqlassay("learn", "rules", path, "--out", str(tmp_path / "r.json"), "--background", "about.txt")
    assert (done.returncode, "--background is for --pairs" in done.stderr) == (2, True)


def test_auc_counts_ties_half() -> None:
    assert score_auc([(0.5, True), (0.5, False)]) == 0.5
    assert score_auc([(0.1, True), (0.9, False)]) == 0.0
    assert score_auc([(0.3, True)]) is None
