"""`sqlassay learn rules` over real HTTP, with a server whose replies are functions of what they answer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from consumers.wire.learned_rules_document import LearnedRulesDocument, decode_learned
from tests.learning.rule_habits import drawn_labels, habit_labels, write_labels
from tests.servers.model_server import ModelServer, model_process_server, model_server
from tests.service.commands.command_line import sqlassay

__all__ = ["model_process_server", "model_server"]

ROOT = Path(__file__).parents[3]
LEARNER = {"do": "learner"}
PRICES = '{"weak": {"sent": 0, "received": 0}}'


class Learning:
    """Runs the command in one folder."""

    def __init__(self, server: ModelServer, folder: Path, rows: list[dict[str, object]]) -> None:
        self.server = server
        self.folder = folder
        self.labels = write_labels(folder / "labels.jsonl", rows)

    def settings(self) -> dict[str, str]:
        return {
            "SQLASSAY_JUDGE__BASE_URL": self.server.url,
            "SQLASSAY_JUDGE__MODEL": "weak",
            "SQLASSAY_JUDGE__PRICES": PRICES,
            "SQLASSAY_LEARN__MODEL": "strong",
        }

    def options(self, out: str) -> tuple[str, ...]:
        return "--out", str(self.folder / out), "--cluster-size", "8"

    def __call__(self, *arguments: str, out: str = "rules.json", **settings: str) -> Any:
        return sqlassay(
            "learn", "rules", self.labels, *self.options(out), *arguments, **{**self.settings(), **settings}
        )

    def document(self, out: str = "rules.json") -> LearnedRulesDocument:
        return decode_learned((self.folder / out).read_bytes())


@pytest.fixture
def learn(model_server: ModelServer, tmp_path: Path) -> Learning:
    model_server.script(LEARNER)
    return Learning(model_server, tmp_path, habit_labels())


@pytest.mark.slow  # two thousand calls of a model
@pytest.mark.parametrize("seed", range(4))
def test_each_step_of_the_paper_gains_whatever_labels_are_odd(learn: Learning, seed: int) -> None:
    learn.labels = write_labels(learn.folder / "drawn.jsonl", drawn_labels(seed))
    options = ("--journal", str(learn.folder / "journal"), "--seed", str(seed), "--cluster-size", "12")
    accuracy: dict[str, float] = {}
    for without in ("", "clusters", "refinement", "consolidation"):
        done = learn(*options, *(("--without", without) if without else ()), out=f"{without}.json")
        assert done.returncode == 0, done.stderr
        held_out = learn.document(f"{without}.json").held_out
        assert held_out is not None
        accuracy[without] = held_out.after.accuracy
        accuracy["no rules"] = held_out.before.accuracy
    whole = accuracy.pop("")
    # eleven of twelve labels follow a rule
    assert whole > 0.85
    assert {name: whole - each > 0.03 for name, each in accuracy.items()} == dict.fromkeys(accuracy, True), accuracy


@pytest.mark.slow  # some hundred calls of a model, twice
def test_a_run_that_ended_goes_on_from_its_journal_to_the_same_document(learn: Learning) -> None:
    learn.labels = write_labels(learn.folder / "half.jsonl", habit_labels(7))
    spent = learn("--max-calls", "60")
    assert (spent.returncode, "budget of this run is spent" in spent.stderr) == (1, True)
    assert not (learn.folder / "rules.json").exists()
    with (learn.folder / "rules.json.journal").open("ab") as journal:
        journal.write(b'\n{"model": "weak", "dig')
    learn.server.script({"do": "status", "status": 500, "headers": {}})
    down = learn(SQLASSAY_JUDGE__TRIES="1")
    assert (down.returncode, "the same command goes on" in down.stderr) == (3, True)
    learn.server.script(LEARNER)
    resumed = learn()
    assert resumed.returncode == 0, resumed.stderr
    assert len(learn.server.seen()) < len(habit_labels(7)) * 4
    at_once = learn("--journal", str(learn.folder / "other"), out="at_once.json")
    assert at_once.returncode == 0
    assert learn.document() == learn.document("at_once.json")
    learn.server.script(LEARNER)
    assert learn().returncode == 0
    assert learn.server.seen() == []
    other = learn("--journal", learn.labels)
    assert (other.returncode, "holds no reply" in other.stderr) == (2, True)


@pytest.mark.slow  # starts the command as a process
def test_an_interrupted_run_says_where_its_replies_are_and_loses_none(learn: Learning) -> None:
    learn.server.script({**LEARNER, "seconds": 0.05})
    settings = learn.settings() | {"PATH": os.environ["PATH"], "HOME": str(learn.folder)}
    command = [sys.executable, "-m", "service", "learn", "rules", learn.labels, *learn.options("rules.json")]
    process = subprocess.Popen(command, env=settings, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    journal = learn.folder / "rules.json.journal"
    while not journal.exists() or journal.read_bytes().count(b"\n") < 10:
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert (process.returncode, "interrupted; what models wrote is kept" in said) == (130, True), said
    kept = journal.read_bytes().splitlines()
    assert all(json.loads(line)["text"] for line in kept)
    learn.server.script(LEARNER)
    assert learn("--max-calls", "1").returncode == 1
    assert len(journal.read_bytes().splitlines()) == len(kept) + 1


@pytest.mark.slow  # a hundred calls of a model
def test_the_strong_model_writes_the_weak_one_judges_and_both_see_masked_texts(learn: Learning) -> None:
    rows = [row | {"question": f"{row['question']} for 'Amalia Brightwater'"} for row in habit_labels(6)]
    learn.labels = write_labels(learn.folder / "names.jsonl", rows)
    learn("--cluster-by", "db_id", "--group", "db_id", "--learn-from", "24")
    bodies = [json.loads(each["body"]) for each in learn.server.seen()]
    judging = {each["model"] for each in bodies if "You judge" in each["messages"][0]["content"]}
    writing = {each["model"] for each in bodies if "rules by which another" in each["messages"][0]["content"]}
    assert (judging, writing) == ({"weak"}, {"strong"})
    assert not any("brightwater" in each["body"].lower() for each in learn.server.seen())


@pytest.mark.slow  # a hundred calls of a model
def test_the_writer_sees_references_and_both_results_and_the_judge_does_not(learn: Learning) -> None:
    reference = {
        "reference_sql": "SELECT name FROM loaves LIMIT 77",
        "reference_rows": [["rye", 4321]],
        "rows": [["oat"]],
    }
    learn.labels = write_labels(learn.folder / "references.jsonl", [row | reference for row in habit_labels(4)])
    learn("--references")
    for each in learn.server.seen():
        body = json.loads(each["body"])
        judges = "You judge" in body["messages"][0]["content"]
        joins = body["messages"][0]["content"].startswith("You join")
        assert ("reference_sql" in body["messages"][-1]["content"]) is not (judges or joins)
        assert "4321" not in each["body"]


def test_questions_are_compared_by_the_embeddings_of_the_configured_model(learn: Learning) -> None:
    learn.labels = write_labels(learn.folder / "few.jsonl", habit_labels(4))
    done = learn("--rounds", "0", SQLASSAY_LEARN__EMBEDDING_MODEL="vectors")
    assert done.returncode in (0, 1), done.stderr
    made = learn.document().made
    assert made is not None
    assert (made["clusters_by"], made["writer"], made["judge_model"]) == ("vectors", "strong", "weak")
    asked = [json.loads(each["body"]) for each in learn.server.seen() if each["path"].endswith("/embeddings")]
    assert {each["model"] for each in asked} == {"vectors"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--without", "thinking"), "--without is clusters, refinement, consolidation"),
        (("--without", "clusters", "--cluster-by", "db_id"), "contradict"),
        (("--group", "shelf"), "needs `shelf`"),
        (("--cluster-by", "shelf"), "needs `shelf`"),
        (("--references",), "no line has one"),
        (("--tenant", "bakers"), "name files of labels, or a tenant"),
    ],
)
def test_options_that_cannot_work_are_refused_before_a_model_is_asked(learn: Learning, arguments, said: str) -> None:
    done = learn(*arguments)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert learn.server.seen() == []


def test_without_a_model_the_command_names_the_settings(learn: Learning) -> None:
    done = sqlassay("learn", "rules", learn.labels, "--out", str(learn.folder / "rules.json"))
    assert (done.returncode, "SQLASSAY_JUDGE__BASE_URL" in done.stderr) == (2, True)


def test_labels_that_say_one_thing_only_are_refused(learn: Learning) -> None:
    learn.labels = write_labels(learn.folder / "right.jsonl", [row | {"label": 1} for row in habit_labels()])
    done = learn()
    assert (done.returncode, "training labels say right" in done.stderr) == (2, True)


@pytest.mark.parametrize("text", ["no json", '{"rules": 7}', '{"reasoning": "", "rules": []}', "[" * 9000])
def test_a_writer_that_writes_no_rules_ends_with_the_answer_no(learn: Learning, text: str) -> None:
    learn.labels = write_labels(learn.folder / "few.jsonl", habit_labels(2))
    learn.server.script({"do": "text", "text": text})
    done = learn("--rounds", "1")
    assert (done.returncode, "no rules could be read" in done.stderr) == (1, True), done.stderr
    assert not (learn.folder / "rules.json").exists()
