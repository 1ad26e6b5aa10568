"""`sqlassay eval estimate`: scores and labels in, a line for each group out; wrong input is said, not raised."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from service.commands.cli import app
from tests.development import labels_path
from tests.evals.drawn_labels import LEVEL, Found, Known, drawn

RUNNER = CliRunner()


def written(path: Path, rows: Sequence[object]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def answer(number: int, agent: str = "alba", **changed: Any) -> dict[str, Any]:
    p_correct = (number * 37 % 100) / 100
    return {
        "event_id": f"{agent}-{number}",
        "tenant": "default",
        "agent": agent,
        "judge": "local/4",
        "p_correct": p_correct,
        **changed,
    }


def label(number: int, right: object = 1, agent: str = "alba", **more: Any) -> dict[str, Any]:
    return {"event_id": f"{agent}-{number}", "tenant": "default", "label": right, **more}


def run(tmp_path: Path, answers: Sequence[object], labels: Sequence[object], *options: str) -> Result:
    scored, labelled = written(tmp_path / "scored.jsonl", answers), written(tmp_path / "labels.jsonl", labels)
    return RUNNER.invoke(app, ["eval", "estimate", scored, "--labels", labelled, *options])


def rows(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


ANSWERS = [answer(number) for number in range(100)]


def test_a_line_for_all_answers_has_the_documented_keys(tmp_path: Path) -> None:
    [row] = rows(run(tmp_path, ANSWERS, [label(n, int(n % 3 > 0)) for n in range(0, 100, 7)]))
    names = "group answers labels verdicts raw estimate low high method more_labels more_calls"
    assert list(row) == [*names.split(), "model_before", "model_after", "model_worse"]
    assert (row["more_labels"], row["more_calls"], row["model_worse"]) == (58, None, None)
    assert (row["group"], row["answers"], row["labels"], row["method"]) == ("all", 100, 15, "ppi++")
    assert row["raw"] == pytest.approx(0.495)
    assert row["low"] <= row["estimate"] <= row["high"]


def test_each_agent_has_a_line_and_those_without_labels_say_so(tmp_path: Path) -> None:
    answers = [*ANSWERS, *(answer(n, "bora", p_correct=0.6 + n / 250) for n in range(50))]
    found = rows(run(tmp_path, answers, [label(n) for n in range(0, 100, 10)], "--by", "agent"))
    assert [(each["group"], each["labels"], each["method"]) for each in found] == [
        ("alba", 10, "exact"),
        ("bora", 0, "no labels"),
    ]


def test_agents_of_the_same_name_in_two_tenants_are_two_groups(tmp_path: Path) -> None:
    answers = [*ANSWERS, *(answer(n, tenant="north") for n in range(20))]
    labels = [label(n) for n in range(5)] + [{**label(n, 0), "tenant": "north"} for n in range(4)]
    found = rows(run(tmp_path, answers, labels, "--by", "agent"))
    assert {each["group"]: (each["labels"], each["estimate"]) for each in found} == {
        "default/alba": (5, 1.0),
        "north/alba": (4, 0.0),
    }


def test_an_event_id_of_several_agents_needs_the_agent(tmp_path: Path) -> None:
    answers = [answer(1, agent, event_id="7") for agent in ("alba", "bora")]
    plain = {"event_id": "7", "tenant": "default", "label": 1}
    refused = run(tmp_path, answers, [plain])
    assert refused.exit_code == 2
    assert "labels.jsonl, line 1: event_id '7' is that of several agents (alba, bora)" in refused.stderr
    found = rows(run(tmp_path, answers, [{**plain, "agent": "bora"}], "--by", "agent"))
    assert [each["labels"] for each in found] == [0, 1]


def test_several_labels_of_an_answer_count_once(tmp_path: Path) -> None:
    votes = [label(1), label(1), label(1, 0), label(2, 1), label(2, 0)]
    result = run(tmp_path, ANSWERS, votes)
    [row] = rows(result)
    assert (row["labels"], row["method"]) == (2, "exact")
    assert row["estimate"] == pytest.approx(0.75)
    assert "answers with as many labels 1 as 0, which count half: 1" in result.stderr


def test_labels_of_unknown_events_are_counted_and_not_used(tmp_path: Path) -> None:
    result = run(tmp_path, ANSWERS, [label(1), label(1000)])
    assert rows(result)[0]["labels"] == 1
    assert "not used: 1" in result.stderr
    none = run(tmp_path, ANSWERS, [label(1000)])
    assert none.exit_code == 2
    assert "no label names an answer" in none.stderr


def test_answers_without_a_score_count_and_lines_that_are_no_events_do_not(tmp_path: Path) -> None:
    unscored = [answer(n, p_correct=None, judge=None) for n in range(100, 110)]
    no_event = {"event_id": None, "line": 3, "p_correct": None}
    result = run(tmp_path, [*ANSWERS, *unscored, no_event], [label(n, 0) for n in range(100, 103)])
    assert (rows(result)[0]["answers"], rows(result)[0]["labels"]) == (110, 3)
    assert "lines that were not events, not counted: 1" in result.stderr
    assert "answers without a score, which count as answers of the mean score: 10" in result.stderr


def test_an_answer_delivered_twice_counts_once(tmp_path: Path) -> None:
    assert rows(run(tmp_path, [*ANSWERS, ANSWERS[3]], [label(1)]))[0]["answers"] == 100
    differs = run(tmp_path, [*ANSWERS, {**ANSWERS[3], "p_correct": 0.99}], [label(1)])
    assert differs.exit_code == 2
    assert "event_id 'alba-3' has another line that differs" in differs.stderr


WORST = [label(int(each["event_id"][5:]), 0) for each in sorted(ANSWERS, key=lambda each: each["p_correct"])[:20]]


def test_labels_of_the_worst_answers_are_refused_unless_their_probability_is_recorded(tmp_path: Path) -> None:
    refused = run(tmp_path, ANSWERS, WORST)
    assert refused.exit_code == 2
    assert "the labelled answers have other scores than a random draw would have" in refused.stderr
    assert rows(run(tmp_path, ANSWERS, WORST, "--random"))[0]["labels"] == 20
    drawn_most = [{**each, "probability": 0.9 if n < 18 else 0.02} for n, each in enumerate(WORST)]
    [row] = rows(run(tmp_path, ANSWERS, drawn_most))
    assert row["method"] == "ppi++ weighted"


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([{**label(1), "probability": 0.5}, label(2)], "1 labels have a probability and 1 have none"),
        ([{**label(1), "probability": 0}], "line 1: probability"),
        ([{**label(1), "probability": 1.5}], "line 1: probability"),
        ([{**label(1), "probability": 0.5}, {**label(1), "probability": 0.4}], "another probability"),
        ([label(1, 0.5)], "line 1: label"),
        ([label(1, "yes")], "line 1: label"),
        ([label(1, None)], "line 1: label"),
        ([{"label": 1}], "line 1: event_id"),
    ],
)
def test_labels_that_cannot_be_used_are_refused_with_their_line(
    tmp_path: Path, labels: list[object], said: str
) -> None:
    refused = run(tmp_path, ANSWERS, labels)
    assert refused.exit_code == 2, refused.output
    assert said in refused.stderr


@pytest.mark.parametrize("options", [("--by", "question"), ("--level", "1"), ("--level", "0.2")])
def test_options_out_of_range_are_refused(tmp_path: Path, options: tuple[str, str]) -> None:
    assert run(tmp_path, ANSWERS, [], *options).exit_code == 2


@pytest.mark.slow  # scores a whole development set twice
@pytest.mark.nightly
@pytest.mark.development_data("judge/dev_agents.jsonl")
def test_thirty_random_labels_tell_the_share_of_a_published_agent(tmp_path: Path) -> None:
    """Prints the table of docs/trust.md."""
    source = labels_path("dev_agents")
    known = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    widths: dict[tuple[str, int], float] = {}
    for name, options in {"alone": (), "memory": ("--memory",)}.items():
        out = tmp_path / f"{name}.jsonl"
        assert RUNNER.invoke(app, ["score", str(source), "--out", str(out), *options]).exit_code == 0
        scored = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        for labels in (10, 30, 60):
            found = _agents(known, [row["p_correct"] for row in scored], labels)
            covered, width = np.mean([each.covered for each in found]), float(np.mean([each.width for each in found]))
            low = min(each.covered for each in found)
            print(f"| {name} | {labels} | {covered:.3f} | {low:.3f} | {width:.3f} |")
            assert covered >= 0.88
            widths[name, labels] = width
    alone = _agents(known, [0.5] * len(known), 30)
    widths["labels alone", 30] = float(np.mean([each.width for each in alone]))
    print(
        f"| labels alone | 30 | {np.mean([each.covered for each in alone]):.3f} | | {widths['labels alone', 30]:.3f} |"
    )
    assert widths["memory", 30] < widths["alone", 30] <= 0.25 < widths["labels alone", 30]


def _agents(known: list[dict[str, Any]], p_correct: list[float | None], labels: int) -> list[Found]:
    assert LEVEL == 0.9
    held: dict[str, list[tuple[float, float]]] = {}
    for row, probability in zip(known, p_correct, strict=True):
        held.setdefault(row["agent"], []).append((row["label"], 0.6 if probability is None else probability))
    return [
        drawn(Known(*(np.array(column, dtype=np.float64) for column in zip(*rows, strict=True))), labels, draws=200)
        for rows in held.values()
    ]
