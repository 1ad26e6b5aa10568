"""`sqlassay score` with earlier turns: in a line, and in a file for a single answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.service.commands.command_line import sqlassay

TURN = {"question": "How many hens live in Graz?", "sql": "SELECT COUNT(*) FROM hens WHERE town = 'Graz' AND alive"}
RIGHT = "SELECT COUNT(*) FROM hens WHERE town = 'Linz' AND alive"
LOST = "SELECT COUNT(*) FROM hens WHERE town = 'Linz'"


def test_lines_of_a_file_are_judged_after_their_earlier_turns() -> None:
    lines = [{"question": "and in Linz?", "sql": sql, "history": [TURN]} for sql in (RIGHT, LOST)]
    lines.append({"question": "and in Linz?", "sql": RIGHT})
    done = sqlassay("score", "-", text="\n".join(map(json.dumps, lines)).encode())
    right, lost, alone = map(json.loads, done.stdout.splitlines())
    assert right["score"] > 60 > 40 >= lost["score"]
    assert right["follow_up"] == {"asked": "and in Linz?", "meaning": "How many hens live in Linz"}
    assert (alone["score"], alone["unscored"], alone["follow_up"]) == (None, "FOLLOW_UP_UNRESOLVED", None)


@pytest.mark.parametrize("text", [json.dumps([TURN]), json.dumps(TURN) + "\n"])
def test_the_turns_before_a_single_answer_stand_in_a_file(tmp_path: Path, text: str) -> None:
    turns = tmp_path / "turns.json"
    turns.write_text(text)
    done = sqlassay("score", "-q", "and in Linz?", "--sql", RIGHT, "--history", str(turns), "--json")
    assert json.loads(done.stdout)["follow_up"]["meaning"] == "How many hens live in Linz"


@pytest.mark.parametrize(
    ("text", "says"),
    [("[{]", "not JSON"), ('[{"sql": "SELECT 1"}]', "a turn needs its question"), ("[7]", "history.0")],
)
def test_a_file_that_holds_no_turns_is_refused(tmp_path: Path, text: str, says: str) -> None:
    turns = tmp_path / "turns.json"
    turns.write_text(text)
    done = sqlassay("score", "-q", "and in Linz?", "--sql", RIGHT, "--history", str(turns))
    assert done.returncode == 2
    assert says in done.stderr
    assert "turns.json" in done.stderr


def test_turns_without_an_answer_are_refused(tmp_path: Path) -> None:
    done = sqlassay("score", "--history", str(tmp_path / "turns.json"))
    assert done.returncode == 2
    assert "one answer needs both -q and --sql" in done.stderr
