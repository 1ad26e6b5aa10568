"""The examples for continuous integration run `sqlassay score` as it is."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.service.commands.command_line import sqlassay

ROOT = Path(__file__).parents[3]
RIGHT = {
    "question": "How many members joined in 2025?",
    "sql": "SELECT COUNT(*) FROM members WHERE joined_on >= '2025-01-01' AND joined_on < '2026-01-01'",
}
WRONG = {"question": "How many members joined in 2025?", "sql": "SELECT COUNT(*) FROM members"}


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(("answer", "code"), [(RIGHT, 0), (WRONG, 1)])
def test_the_workflow_fails_for_answers_that_score_too_low(
    tmp_path: Path, monkeypatch, answer: dict, code: int
) -> None:
    [job] = read("examples/score-answers.yml")["jobs"].values()
    [command] = [each["run"] for each in job["steps"] if each.get("run", "").startswith("sqlassay ")]
    [kept] = [each["with"]["path"] for each in job["steps"] if "upload-artifact" in each.get("uses", "")]
    monkeypatch.chdir(tmp_path)
    Path("answers.csv").write_text(f'question,sql\n"{answer["question"]}","{answer["sql"]}"\n')
    assert sqlassay(*shlex.split(command)[1:]).returncode == code
    assert Path(kept).exists()


@pytest.mark.parametrize(("answer", "code"), [(RIGHT, 0), (WRONG, 1)])
def test_the_hook_fails_for_answers_that_score_too_low(tmp_path: Path, monkeypatch, answer: dict, code: int) -> None:
    [repository] = read("examples/pre-commit-config.yaml")["repos"]
    [used] = repository["hooks"]
    [offered] = [each for each in read(".pre-commit-hooks.yaml") if each["id"] == used["id"]]
    assert re.search(used["files"], used["args"][0])
    monkeypatch.chdir(tmp_path)
    Path(used["args"][0]).write_text(json.dumps(answer))
    assert sqlassay(*shlex.split(offered["entry"])[1:], *used["args"]).returncode == code
