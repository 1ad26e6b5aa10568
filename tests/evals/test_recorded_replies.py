"""`sqlassay eval judge --replies`: recorded replies of a model count as they would if its server gave them now."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from service.commands.cli import app
from tests.evals.test_eval_command import PILOTS, RUNNER, labels, live, measured
from tests.servers.model_server import VERDICT, ModelServer, model_process_server, model_server

__all__ = ["labels", "live", "model_process_server", "model_server"]


def written(path: Path, reply: object) -> str:
    path.write_text("".join(json.dumps({"id": f"p{n}", "reply": reply}) + "\n" for n in range(len(PILOTS))))
    return str(path)


@pytest.mark.slow  # asks a server
def test_the_prompts_are_those_that_a_server_is_sent(labels: Path, live: ModelServer, tmp_path: Path) -> None:
    prompts = tmp_path / "prompts.jsonl"
    done = RUNNER.invoke(app, ["eval", "judge", str(labels), "--prompts", str(prompts)])
    assert (done.exit_code, done.stdout) == (0, ""), done.output
    rows = [json.loads(line) for line in prompts.read_text().splitlines()]
    assert [row["id"] for row in rows] == [f"p{n}" for n in range(len(PILOTS))]
    assert not any("label" in row for row in rows)
    live.script(VERDICT)
    measured(str(labels), "--judge", "llm")
    bodies = [json.loads(request["body"]) for request in live.seen()]
    sent = {tuple(message["content"] for message in body["messages"]) for body in bodies}
    assert sent == {(row["system"], row["user"]) for row in rows}


@pytest.mark.slow  # asks a server
def test_a_recorded_reply_counts_as_a_live_one(labels: Path, live: ModelServer, tmp_path: Path) -> None:
    said = {**VERDICT, "verdict": "Correct", "confidence": 0.7}
    live.script(said)
    asked = measured(str(labels), "--judge", "llm")
    for name, reply in (("object", said), ("text", json.dumps(said))):
        replies = written(tmp_path / f"{name}.jsonl", reply)
        assert measured(str(labels), "--replies", replies)["measures"] == asked["measures"]


@pytest.mark.slow  # takes over a second
def test_alone_is_what_the_model_says_and_not_what_the_record_makes_of_it(labels: Path, tmp_path: Path) -> None:
    replies = written(tmp_path / "replies.jsonl", {**VERDICT, "verdict": "Correct", "confidence": 0.7})
    alone = measured(str(labels), "--replies", replies, "--alone")["measures"]
    with_record = measured(str(labels), "--replies", replies)["measures"]
    assert (alone["auc"], alone["accuracy"]) == (0.5, 0.5)
    assert with_record["auc"] > 0.5


def test_a_line_that_holds_neither_a_score_nor_a_reply_ends_the_command(labels: Path, tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text('{"id": "p0", "said": "Correct"}\n')
    done = RUNNER.invoke(app, ["eval", "judge", str(labels), "--replies", str(path)])
    assert done.exit_code == 2
    assert "line 1: needs `event_id` and `p_correct`" in done.stderr


def test_alone_needs_replies(labels: Path) -> None:
    done = RUNNER.invoke(app, ["eval", "judge", str(labels), "--alone"])
    assert (done.exit_code, "--replies" in done.stderr) == (2, True)
