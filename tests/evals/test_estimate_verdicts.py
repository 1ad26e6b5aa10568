"""`sqlassay eval estimate --verdicts`: a model's verdicts beside labels and scores, and what cannot be used."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from service.commands.cli import app
from tests.evals.test_estimate_command import rows, written

RUNNER = CliRunner()
DICE = random.Random(3)
RIGHT = [DICE.random() < 0.7 for _ in range(400)]
MISTAKEN = [DICE.random() < 0.05 for _ in range(400)]
TRUE = sum(RIGHT) / len(RIGHT)
LABELLED = sorted(DICE.sample(range(400), 31))


def answer(number: int, agent: str = "alba") -> dict[str, Any]:
    return {"event_id": f"a-{number}", "agent": agent, "judge": "local/4", "p_correct": (number * 37 % 100) / 100}


def verdict(number: int, **changed: Any) -> dict[str, Any]:
    said = RIGHT[number] != MISTAKEN[number]
    return {"event_id": f"a-{number}", "p_correct": 0.9 if said else 0.1, "model": "m", "fallback": False, **changed}


def label(number: int, **more: Any) -> dict[str, Any]:
    return {"event_id": f"a-{number}", "label": int(RIGHT[number]), **more}


ANSWERS = [answer(number) for number in range(400)]
LABELS = [label(number) for number in LABELLED]


def run(path: Path, labels: Sequence[object], verdicts: Sequence[object], *options: str) -> Result:
    scored, labelled = written(path / "scored.jsonl", ANSWERS), written(path / "labels.jsonl", labels)
    said = written(path / "verdicts.jsonl", verdicts)
    return RUNNER.invoke(app, ["eval", "estimate", scored, "--labels", labelled, "--verdicts", said, *options])


def test_verdicts_on_a_random_half_narrow_the_interval(tmp_path: Path) -> None:
    asked = sorted({*range(0, 400, 2), *LABELLED})
    [row] = rows(run(tmp_path, LABELS, [verdict(number) for number in asked]))
    assert (row["labels"], row["verdicts"], row["method"]) == (31, len(asked), "ppi++ with model")
    assert row["low"] <= TRUE <= row["high"]
    assert row["more_labels"] > 0
    [without] = rows(run(tmp_path, LABELS, [verdict(1)]))
    assert without["method"] == "ppi++"
    assert row["high"] - row["low"] < 0.7 * (without["high"] - without["low"])


def test_recorded_probabilities_make_verdicts_of_unsure_answers_a_random_sample(tmp_path: Path) -> None:
    """The model is always asked below a half, and about a third of the others."""
    said = [
        verdict(n, asked_probability=1.0 if ANSWERS[n]["p_correct"] < 0.5 else 1 / 3)
        for n in range(400)
        if ANSWERS[n]["p_correct"] < 0.5 or n % 3 == 0
    ]
    [row] = rows(run(tmp_path, LABELS, said))
    both = sum(ANSWERS[n]["p_correct"] < 0.5 or n % 3 == 0 for n in LABELLED)
    assert (row["labels"], row["method"]) == (both, "ppi++ with model")
    assert row["low"] <= TRUE <= row["high"]
    drawn = {each["event_id"] for each in said}
    rest = [verdict(n) for n in LABELLED if f"a-{n}" not in drawn]
    [complete] = rows(run(tmp_path, LABELS, [*said, *rest]))
    assert (complete["labels"], complete["verdicts"]) == (31, len(said))


def test_verdicts_on_the_worst_answers_are_refused_without_their_probability(tmp_path: Path) -> None:
    worst = [verdict(n) for n in range(400) if ANSWERS[n]["p_correct"] < 0.4]
    refused = run(tmp_path, LABELS, worst)
    assert refused.exit_code == 2
    assert "group all: the answers with a model's verdict have other scores" in refused.stderr
    assert rows(run(tmp_path, LABELS, worst, "--random"))[0]["answers"] == 400


def test_lines_that_are_no_verdict_of_a_model_are_counted_and_not_used(tmp_path: Path) -> None:
    others = [verdict(1, fallback=True), verdict(2, p_correct=None), {**verdict(3), "event_id": "unknown"}]
    result = run(tmp_path, LABELS, [*others, *(verdict(n) for n in range(4, 200))], "--random")
    assert rows(result)[0]["verdicts"] in (0, 196)
    assert "lines not used, no verdict of a model: 2" in result.stderr
    assert "lines not used, unknown answer: 1" in result.stderr
    none = run(tmp_path, LABELS, others)
    assert (none.exit_code, "no line has a model's verdict" in none.stderr) == (2, True)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([verdict(1, p_correct=2)], "line 1: p_correct"),
        ([verdict(1, asked_probability=0)], "line 1: asked_probability"),
        ([verdict(1), verdict(1, p_correct=0.3)], "line 2: event_id 'a-1' has another verdict that differs"),
    ],
)
def test_a_line_that_cannot_be_read_ends_the_command(tmp_path: Path, lines: list[object], said: str) -> None:
    refused = run(tmp_path, LABELS, lines)
    assert (refused.exit_code, said in refused.stderr) == (2, True), refused.stderr


def test_a_model_that_became_worse_is_named_with_both_shares(tmp_path: Path) -> None:
    said = [verdict(n, p_correct=0.9 if RIGHT[n] == (n < 200) else 0.1) for n in range(400)]
    result = run(tmp_path, LABELS, said)
    [row] = rows(result)
    assert (row["model_before"], row["model_worse"]) == (1.0, True)
    assert row["model_after"] < 0.4
    assert row["low"] <= TRUE <= row["high"]
    assert "group all: the model agrees with 100% of the earlier labels and with" in result.stderr
    assert json.loads(result.stdout)["method"] == "ppi++ with model"
