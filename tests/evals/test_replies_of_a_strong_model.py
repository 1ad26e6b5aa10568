"""The replies of a strong model in `benchmarks/replies`: the product loses nothing, and learned rules add to it."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from tests.evals.test_eval_command import measured

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SETS = {
    "everyday-choose": "everyday/choose/*/answers.jsonl",
    "everyday-fit": "everyday/fit/*/answers.jsonl",
    "mistakes": "mistakes/*.jsonl",
}


@pytest.mark.slow  # judges hundreds of answers twice
@pytest.mark.parametrize("name", SETS)
def test_a_strong_model_is_as_good_within_the_product_as_alone(name: str, tmp_path: Path) -> None:
    replies = BENCHMARKS / f"replies/{name}.jsonl"
    ids = {json.loads(line)["id"] for line in replies.read_text().splitlines()}
    lines = [line for path in BENCHMARKS.glob(SETS[name]) for line in path.read_text().splitlines()]
    answers = tmp_path / "answers.jsonl"
    answers.write_text("\n".join(line for line in lines if json.loads(line)["id"] in ids))
    asked = (str(answers), "--replies", str(replies))
    alone, product = (measured(*asked, *more)["measures"] for more in (["--alone"], []))
    assert product["auc"] >= alone["auc"] - 0.01
    assert product["score_auc"] >= alone["auc"] - 0.03
    assert alone["answers"] == product["answers"] == len(ids)


@pytest.mark.slow  # judges a hundred answers twice
@pytest.mark.parametrize(("company", "gain"), [("farmgate", 0.2), ("paywise", 0.04)])
def test_rules_learned_from_labels_raise_agreement_on_held_out_ones(company: str, gain: float, tmp_path: Path) -> None:
    """The figures of docs/learning.md; the document of the rules is beside the replies."""
    replies = BENCHMARKS / f"replies/rules-{company}.jsonl"
    ids = {json.loads(line)["id"] for line in replies.read_text().splitlines()}
    lines = (BENCHMARKS / f"everyday/choose/{company}/answers.jsonl").read_text().splitlines()
    answers = tmp_path / "answers.jsonl"
    answers.write_text("\n".join(line for line in lines if json.loads(line)["id"] in ids))
    without = BENCHMARKS / "replies/everyday-choose.jsonl"
    before, after = (measured(str(answers), "--replies", str(each))["measures"] for each in (without, replies))
    assert before["answers"] == after["answers"] == len(ids)
    assert after["accuracy"] >= before["accuracy"] + gain
    assert after["auc"] >= before["auc"] + 0.05


@pytest.mark.parametrize(("part", "spread"), [("fit", 0.25), ("choose", 0.18)])
def test_the_model_errs_too_differently_about_agents_for_a_prior_to_stand_in_for_labels(
    part: str, spread: float
) -> None:
    """An interval of 0.20 needs agents that differ by less than 0.06; docs/adr/0065 says what follows."""
    replies = (BENCHMARKS / f"replies/everyday-{part}.jsonl").read_text().splitlines()
    said = {row["id"]: row["reply"]["verdict"] in ("Correct", "Likely Correct") for row in map(json.loads, replies)}
    errors: dict[tuple[str, str], list[int]] = defaultdict(list)
    for path in BENCHMARKS.glob(f"everyday/{part}/*/answers.jsonl"):
        for row in map(json.loads, path.read_text().splitlines()):
            if row["id"] in said:
                errors[row["company"], row["agent"]].append(said[row["id"]] - row["label"])
    # beyond what the draw of few answers makes
    luck = np.mean([np.var(each, ddof=1) / len(each) for each in errors.values()])
    found = float(np.sqrt(np.var([np.mean(each) for each in errors.values()], ddof=1) - luck))
    assert found == pytest.approx(spread, abs=0.03)
