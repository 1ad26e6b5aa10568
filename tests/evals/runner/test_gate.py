"""The gate, the comparison of runs and the leaderboard: a regression fails, noise does not."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from evals.runner.gate import read_thresholds
from evals.runner.paired_runs import ALPHA, chances_of, pair_runs
from evals.runner.rates import interval
from tests.development import labels_path
from tests.evals.runner.weaving import GOLDS, Mill, lines
from tests.service.commands.command_line import sqlassay

RIGHT: dict[str, str | None] = {case_id: gold for case_id, (_, gold) in GOLDS.items()}


@pytest.fixture
def mill(tmp_path: Path) -> Mill:
    return Mill(tmp_path)


def answers(passes: list[bool], sample: int = 1) -> list[dict[str, Any]]:
    return [
        {"case_id": str(n), "pass": each, "score": 50.0, "gold_sql": "", "question": "", "sample": sample}
        for n, each in enumerate(passes)
    ]


def stored(folder: Path, passes: list[bool]) -> Path:
    folder.mkdir()
    rest = {"parse_ok": True, "grounding_ok": None, "equivalence": "different", "rationale": "no"}
    lines(folder / "cases.jsonl", [{**each, **rest} for each in answers(passes)])
    return folder


def test_a_threshold_that_is_not_reached_fails_and_junit_says_which(mill: Mill) -> None:
    junit = mill.folder / "junit.xml"
    predictions = mill.predictions({**RIGHT, "count": "SELECT 7 \v", "names": None})
    options = ("--backend", "recorded", "--predictions", predictions, "--databases", mill.databases, "--junit", junit)
    said = mill.run(*options, "--fail-under", "pass=0.8", "--fail-under", "parse=0.5", code=1)
    assert "FAILED: pass >= 0.8: pass is 0.5" in said
    assert "passed: parse >= 0.5" in said
    gate, cases = ElementTree.parse(junit).getroot()
    assert (gate.get("tests"), gate.get("failures")) == ("2", "1")
    assert (cases.get("tests"), cases.get("failures"), cases.get("skipped")) == ("4", "0", "2")
    mill.run(*options, "--fail-under", "pass=0.5")
    mill.run(*options)
    assert ElementTree.parse(junit).getroot()[1].get("failures") == "2"


@pytest.mark.parametrize("given", ["pass", "pass=", "pass=1.5", "speed=0.5", "pass=nan", "score=101"])
def test_a_threshold_that_cannot_be_read_is_refused(mill: Mill, given: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_thresholds([given])
    predictions = mill.predictions(RIGHT)
    said = mill.run("--backend", "recorded", "--predictions", predictions, "--fail-under", given, code=2)
    assert "--fail-under" in said


@pytest.mark.slow  # takes over a second
def test_a_run_worse_than_another_fails_and_one_as_good_does_not(mill: Mill) -> None:
    cases = [json.loads(line) for line in mill.benchmark.read_text().splitlines()] * 3
    many = [{**each, "case_id": str(n)} for n, each in enumerate(cases)]
    lines(mill.benchmark, many)

    def predicted(name: str, wrong: int) -> tuple[str | Path, ...]:
        rows = [{"case_id": str(n), "sql": "SELECT 7" if n < wrong else many[n]["gold_sql"]} for n in range(len(many))]
        return "--backend", "recorded", "--predictions", lines(mill.folder / f"{name}.jsonl", rows)

    mill.run(*predicted("good", 0), "--databases", mill.databases, out="good")
    against = ("--databases", mill.databases, "--fail-on-regression", mill.folder / "good")
    assert "FAILED: no regression" in mill.run(*predicted("bad", 6), *against, out="bad", code=1)
    assert "passed: no regression" in mill.run(*predicted("noisy", 2), *against, out="noisy")
    found = sqlassay("eval", "compare", str(mill.folder / "good"), str(mill.folder / "bad"))
    document = json.loads(found.stdout)
    assert (document["difference"], document["worse"], len(document["regressions"])) == (-0.5, True, 6)
    assert document["p_value"] == 0.03125
    board = mill.folder / "board"
    runs = [str(mill.folder / name) for name in ("bad", "good", "noisy")]
    assert sqlassay("eval", "leaderboard", *runs, "--out", str(board)).returncode == 0
    table = (board / "leaderboard.md").read_text()
    assert table.index("| good |") < table.index("| noisy |") < table.index("| bad |")
    page = (board / "leaderboard.html").read_text()
    assert "<svg" in page
    assert "http" not in page


def test_runs_of_other_questions_are_not_compared(tmp_path: Path) -> None:
    first, second = stored(tmp_path / "a", [True, False]), stored(tmp_path / "b", [True, False])
    assert sqlassay("eval", "compare", str(first), str(second)).returncode == 0
    changed = (second / "cases.jsonl").read_text().replace('"question": ""', '"question": "other"')
    (second / "cases.jsonl").write_text(changed)
    assert sqlassay("eval", "compare", str(first), str(second)).returncode == 2
    assert sqlassay("eval", "compare", str(first), str(tmp_path)).returncode == 2
    (second / "cases.jsonl").write_text("{}\n")
    assert sqlassay("eval", "compare", str(first), str(second)).returncode == 2


def test_the_exact_test_is_mcnemar_s_and_several_answers_are_permuted() -> None:
    found = pair_runs(answers([True] * 8 + [False] * 2), answers([False] * 6 + [True] * 4))
    assert (len(found.regressions), len(found.improvements)) == (6, 2)
    assert found.p_value == pytest.approx(0.2890625)
    first = answers([True] * 10) + answers([True] * 10, 2)
    second = answers([True] * 10, 1) + answers([False] * 10, 2)
    assert pair_runs(first, second).p_worse < 0.01
    assert pair_runs(first, first).p_value == 1.0
    with pytest.raises(ValueError, match="share no case"):
        pair_runs(first, [{**each, "case_id": "x"} for each in second])


def test_intervals_hold_the_true_rate_as_often_as_they_say() -> None:
    dice = np.random.default_rng(3)
    draws = dice.random((300, 60)) < 0.7
    held = [interval({str(n): [bool(each)] for n, each in enumerate(row)}) or [1, 0] for row in draws]
    assert np.mean([low <= 0.7 <= high for low, high in held]) >= 0.92


def labelled() -> dict[str, dict[str, bool]]:
    """By agent, which questions of the development set it answered right."""
    found: defaultdict[str, dict[str, bool]] = defaultdict(dict)
    for line in labels_path("dev_agents").read_text().splitlines():
        row = json.loads(line)
        found[row["agent"]][str(row["question_id"])] = row["label"] == 1
    return found


@pytest.mark.development_data("judge/dev_agents.jsonl")
def test_of_published_agents_a_worse_one_is_found_and_one_against_itself_resampled_is_not() -> None:
    agents = labelled()
    shares = {name: np.mean(list(held.values())) for name, held in agents.items()}
    best, worst = max(shares, key=lambda name: shares[name]), min(shares, key=lambda name: shares[name])
    both = sorted(set(agents[best]) & set(agents[worst]))
    good, bad = (answers([agents[name][each] for each in both]) for name in (best, worst))
    assert pair_runs(good, bad).worse
    assert not pair_runs(bad, good).worse
    assert not pair_runs(good, good).worse
    # an agent resampled: each question is answered right as often as all agents answer it right
    ease = np.array([np.mean([held[each] for held in agents.values() if each in held]) for each in both])
    dice = np.random.default_rng(0)
    runs = dice.random((400, 2, len(both))) < ease
    changes = runs[:, 1].astype(int) - runs[:, 0].astype(int)
    alarms = [chances_of(each)[0] <= ALPHA for each in changes]
    assert np.mean(alarms) <= ALPHA + 2 * (ALPHA * (1 - ALPHA) / len(alarms)) ** 0.5
