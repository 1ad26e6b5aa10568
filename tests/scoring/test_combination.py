"""A model's verdict with the record: a correct model always adds, and what is not proved never decides alone."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.agreement import rank_auc
from scoring.evaluation import conclude, examine
from scoring.judging.ceiling import Evidence, evidence, hold, is_limited
from scoring.judging.combination import MOST_MOVED, RIGHT, ModelCalibration, combined
from scoring.judging.orders import may_give_orders
from scoring.judging.proposals import Proposal
from scoring.query import Query
from scoring.reasons import ReasonCode
from scoring.rules import Rules
from scoring.verdict import Case, Reply, Verdict
from service.judges.weights import local_judge
from tests.development import HOME, labels_path
from tests.examples import example_case
from tests.injections import injections

ROOT = Path(__file__).parents[2]
JUDGE = local_judge()
EVERYDAY = sorted((ROOT / "benchmarks/everyday").glob("[fc]*/*/answers.jsonl"))
"""The everyday answers to fit and to choose by; those of the reports are kept aside."""
MOST_ANSWERS = 400


def said(right: bool, confidence: float) -> Reply:
    """The reply of a model that knows the label."""
    verdict = Verdict.CORRECT if right else Verdict.INCORRECT
    p_correct = confidence if right else 1 - confidence
    return Reply(verdict=verdict, confidence=confidence, p_correct=p_correct, reasons=(), judge="llm/x", model="x")


def labelled(*paths: Path, every: int = 1) -> Iterator[tuple[Case, bool]]:
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines()[::every]:
            row = json.loads(line)
            query = Query(
                question=row["question"],
                sql=row["sql"],
                enriched_question=row.get("enriched_question"),
                dialect=row.get("dialect"),
            )
            case = examine(query, Rules())
            if isinstance(case, Case) and row.get("label") is not None:
                yield case, bool(row["label"])


def adds(cases: list[tuple[Case, bool]]) -> tuple[float, float, float]:
    """The AUC of the local judge, of the model's replies with the record, and of Φ with them."""
    drawn = random.Random(7)
    local, together, phi, labels = [], [], [], []
    for case, right in cases:
        counted = hold(evidence(case, JUDGE.judge), said(right, drawn.choice((0.75, 0.85, 0.95, 1.0))))
        local.append(JUDGE.judge(case).p_correct)
        together.append(counted.p_correct)
        phi.append(conclude(case, counted).composite.score)
        labels.append(right)
    truth = np.array(labels)
    one, two, three = (rank_auc(np.array(each, dtype=float), truth) for each in (local, together, phi))
    return one, two, three


@pytest.mark.campaign
@pytest.mark.parametrize("path", EVERYDAY, ids=lambda path: path.parent.name)
def test_a_correct_model_never_lowers_the_auc_of_everyday_answers(path: Path) -> None:
    cases = list(labelled(path, every=4))
    local, together, phi = adds(cases)
    limited = sum(right and is_limited(evidence(case, JUDGE.judge)) for case, right in cases)
    assert together >= local
    assert together >= 0.97 or limited
    assert phi >= together - 0.03


@pytest.mark.slow  # thousands of answers
@pytest.mark.campaign
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.development_data(f"judge/{name}.jsonl"))
        for name in ("dev_agents", "dev_bugs", "dev_spider_ex")
    ],
)
def test_a_correct_model_never_lowers_the_auc_of_a_development_set(name: str) -> None:
    path = labels_path(name)
    lines = len(path.read_text(encoding="utf-8").splitlines())
    local, together, phi = adds(list(labelled(path, every=max(1, lines // MOST_ANSWERS))))
    assert together >= max(local, 0.97)
    assert phi >= together - 0.03


@pytest.mark.slow  # thousands of answers
@pytest.mark.campaign
@pytest.mark.development_data("everyday/answers.jsonl")
def test_a_correct_model_never_lowers_the_auc_of_other_everyday_answers() -> None:
    local, together, phi = adds(list(labelled(HOME / "everyday" / "answers.jsonl")))
    assert together >= max(local, 0.97)
    assert phi >= together - 0.03


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.74, 1), st.booleans())
def test_a_model_that_is_rather_sure_is_never_overruled(one: float, two: float, confidence: float, right: bool) -> None:
    counted = [combined(said(right, confidence), local) for local in (one, two)]
    assert {each.verdict in RIGHT for each in counted} == {right}


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.booleans())
def test_more_doubt_of_the_record_or_the_model_never_raises_p_correct(
    one: float, two: float, p_correct: float, swapped: bool
) -> None:
    lower, higher = sorted((one, two))
    reply = [said(p >= 0.5, max(p, 1 - p)) for p in ((lower, higher) if swapped else (p_correct, p_correct))]
    local = (p_correct, p_correct) if swapped else (lower, higher)
    assert combined(reply[0], local[0]).p_correct <= combined(reply[1], local[1]).p_correct


@given(st.floats(0, 1), st.floats(0.5, 1), st.booleans())
def test_confidence_is_the_probability_of_the_side_taken(local: float, confidence: float, right: bool) -> None:
    counted = combined(said(right, confidence), local)
    side = counted.p_correct if counted.verdict in RIGHT else 1 - counted.p_correct
    assert counted.confidence == pytest.approx(side, abs=1e-3)
    changed = (counted.verdict in RIGHT) is not right
    assert changed is any(each.code is ReasonCode.JUDGE_CONTRADICTS_EVIDENCE for each in counted.reasons)


def test_a_condition_that_the_record_misses_moves_a_sure_model_little() -> None:
    case = example_case("How many boats are moored in Kotor?", "SELECT COUNT(*) FROM boats WHERE berth = 'K7'")
    counted = hold(evidence(case, JUDGE.judge), said(True, 0.95))
    assert case.filters.missing
    assert counted.verdict is Verdict.CORRECT
    assert 0.85 < counted.p_correct < 0.95
    assert conclude(case, counted).composite.score >= 75


def test_a_proof_decides_whatever_a_model_says() -> None:
    case = example_case("boats in Kotor", "SELECT name FROM boats WHERE harbour = 'Kotor' AND 1 = 0")
    readings = evidence(case, JUDGE.judge)
    assert is_limited(readings)
    assert hold(readings, said(True, 1.0)).p_correct <= 0.5


def test_a_condition_that_the_model_read_and_the_sql_lacks_counts_against_the_answer() -> None:
    case = example_case("name the seaworthy boats", "SELECT name FROM boats")
    proposal = Proposal(lhs="hull_state", op="=", rhs="S", span="seaworthy")
    reading = Evidence(case=case, local=JUDGE.judge(case))
    plain, lacking = hold([reading], said(True, 0.9)), hold([reading], said(True, 0.9), [proposal])
    assert plain.p_correct - lacking.p_correct > 0.1


def test_a_calibration_draws_a_model_that_is_too_sure_towards_one_half() -> None:
    doubted = combined(said(True, 0.95), 0.5, ModelCalibration(slope=0.5))
    assert 0.7 < doubted.p_correct < 0.85
    assert combined(said(True, 0.6), 0.5, ModelCalibration(offset=-1.0)).verdict is Verdict.POTENTIALLY_INCORRECT
    assert ModelCalibration().log_odds(0.74) > MOST_MOVED


def test_every_known_order_is_seen_and_ordinary_questions_give_none() -> None:
    for each in injections():
        query = Query(question=each.question, enriched_question=each.enriched, sql=each.sql)
        assert may_give_orders(query), each
    honest = [case for case, _ in labelled(*EVERYDAY, every=20)]
    assert sum(may_give_orders(case.query) for case in honest) <= 0.01 * len(honest)
