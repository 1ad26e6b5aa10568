"""Weights that are fair: a style that goes with bad agents costs little, and few databases prove little."""

from __future__ import annotations

import random
from dataclasses import replace

from evals.agreement import Judged
from evals.by_agent import by_agent
from learning.calibration import LEAST_SLOPE, calibrate
from learning.fitting import PRIOR, fit_log_odds
from learning.labelled import CODES, Labelled, LabelTable
from learning.selection import DOUBTED_FAULT, FEW_DATABASES_BOUND, LEAST_FAULT, UNPROVEN_BOUND, bounds
from scoring.reason_kinds import FORGERIES
from scoring.reasons import ReasonCode

ERROR, STYLE = ReasonCode.FILTER_MISMATCHED, ReasonCode.KEY_UNASKED
SKILLED = {f"skilled {n}": 0.8 for n in range(3)}
WEAK = {f"weak {n}": 0.3 for n in range(3)}


def answers(styled: set[str], *, databases: int = 6, seed: int = 1) -> list[Labelled]:
    """Sixty questions to six agents: wrong answers mostly show an error, and agents of `styled` share a style."""
    dice = random.Random(seed)
    rows: list[Labelled] = []
    for number in range(60):
        for agent, skill in (SKILLED | WEAK).items():
            correct = dice.random() < skill
            strengths = {ERROR: 1.0} if not correct and dice.random() < 0.7 else {}
            if dice.random() < (0.9 if agent in styled else 0.1):
                strengths[STYLE] = 1.0
            question = f"question {number}"
            rows.append(
                Labelled(
                    strengths=strengths,
                    correct=correct,
                    groups=(question, agent),
                    question=question,
                    database=f"database {number % databases}",
                    agent=agent,
                    strict=True,
                )
            )
    return rows


def bound(rows: list[Labelled], code: ReasonCode) -> float | None:
    return bounds(LabelTable.of(rows))[CODES.index(code)][0]


def test_agents_that_no_fit_has_seen_are_put_in_their_order() -> None:
    rows = answers({"skilled 0", "skilled 1", "weak 0"})
    held_out = calibrate(rows, folds=(3, 3)).held_out
    found = by_agent(
        [
            Judged(id="", correct=row.correct, p_correct=p, group="", fields={}, question=row.question, agent=row.agent)
            for row, p in zip(rows, held_out, strict=True)
        ]
    )
    assert found is not None
    assert found.rank_correlation > 0.7
    assert found.same_question > 0.75


def test_a_style_that_says_nothing_within_an_agent_gets_the_small_bound() -> None:
    """All weak agents share a style: over all answers it goes with wrong ones, within an agent with right ones."""
    rows = [
        replace(row, strengths={**row.strengths, STYLE: 1.0} if row.agent in WEAK and row.correct else row.strengths)
        for row in answers(set(WEAK))
    ]
    assert bound(rows, STYLE) == -UNPROVEN_BOUND
    assert bound(rows, ERROR) is None


def test_a_direction_that_one_database_clearly_contradicts_gets_a_small_bound() -> None:
    """A form as a fault: but a fault stays one, however many labels of one database speak for it."""
    for code, small in ((STYLE, UNPROVEN_BOUND), (ERROR, DOUBTED_FAULT)):
        rows = [replace(row, strengths={code: row.strengths.get(ERROR, 0.0)}) for row in answers(set())]
        contradicted = [
            replace(row, strengths={code: float(row.correct)}) if row.database == "database 0" else row for row in rows
        ]
        assert (bound(rows, code), bound(contradicted, code)) == (None, -small)
    assert bounds(LabelTable.of(contradicted))[CODES.index(ERROR)][1] == -LEAST_FAULT


def test_a_form_that_fires_on_few_databases_is_bounded_unless_the_labels_have_no_more() -> None:
    spread, one = (
        [replace(row, strengths={STYLE: row.strengths.get(ERROR, 0.0)}) for row in answers(set(), databases=databases)]
        for databases in (6, 1)
    )
    few = [
        replace(row, strengths={}) if row.database not in {"database 0", "database 1", "database 2"} else row
        for row in spread
    ]
    assert bound(spread, STYLE) is None
    assert bound(few, STYLE) == -FEW_DATABASES_BOUND
    assert bound(one, STYLE) is None


def test_a_fault_that_fires_on_few_databases_keeps_its_weight() -> None:
    """Its prior says what it is worth, and labels of few databases do not bound it."""
    few = [
        replace(row, strengths={}) if row.database not in {"database 0", "database 1", "database 2"} else row
        for row in answers(set())
    ]
    assert bound(few, ERROR) is None
    assert calibrate(few, folds=(3, 3)).weights[ERROR] < LEAST_SLOPE * PRIOR[CODES.index(ERROR)]


def test_a_fault_that_no_label_shows_or_that_labels_excuse_still_counts_against_an_answer() -> None:
    unseen, excused = ReasonCode.INTEGER_DIVISION, ReasonCode.ROLES_SWAPPED
    rows = [replace(row, strengths={excused: float(row.correct)}) for row in answers(set())]
    weights = calibrate(rows, folds=(3, 3)).weights
    assert weights[unseen] <= LEAST_SLOPE * PRIOR[CODES.index(unseen)] * 0.99
    assert -LEAST_SLOPE * DOUBTED_FAULT <= weights[excused] <= -LEAST_SLOPE * LEAST_FAULT


def test_a_forgery_keeps_its_weight_whatever_the_labels_say() -> None:
    code = ReasonCode.CONDITION_VOID
    rows = [replace(row, strengths={code: 1.0} if row.correct else {}) for row in answers(set())]
    assert calibrate(rows, folds=(3, 3)).weights[code] <= FORGERIES[code]


def test_pairs_teach_what_differs_between_answers_and_not_which_questions_are_hard() -> None:
    """Every answer to a hard question has one signal: it foretells the label, but ranks no answer above another."""
    hard = ReasonCode.WORDS_UNCOVERED
    rows = [
        replace(row, correct=row.correct and number % 3 > 0, strengths={**row.strengths, hard: 1.0})
        if number // 6 % 2
        else row
        for number, row in enumerate(answers(set()))
    ]
    limits = bounds(LabelTable.of(rows))
    alone = fit_log_odds(LabelTable.of([replace(row, agent="") for row in rows]), limits)
    paired = fit_log_odds(LabelTable.of(rows), limits)
    error, question = (1 + CODES.index(code) for code in (ERROR, hard))
    assert paired[error] < alone[error]
    assert paired[error] / paired[question] > alone[error] / alone[question]


def test_a_contradiction_is_not_bounded_for_being_rare() -> None:
    code = ReasonCode.LIMIT_WRONG
    rows = [
        replace(row, strengths={code: 1.0} if row.database == "database 0" and not row.correct else {})
        for row in answers(set())
    ]
    assert bound(rows, code) is None
    assert calibrate(rows, folds=(3, 3)).weights[code] < -1.5


def test_each_fit_balances_the_rows_it_sees() -> None:
    """Else the rest of a set would have more right answers just where the answers held out are wrong."""
    rows = [
        replace(row, source=f"set {number % 2}", weight=1 + number % 3) for number, row in enumerate(answers(set()))
    ]
    table = LabelTable.of(rows[:150]).balanced()
    for source in ("set 0", "set 1"):
        sides = [table.share[(table.source == source) & (table.correct == side)].sum() for side in (0, 1)]
        assert abs(sides[0] - sides[1]) < 1e-9
    assert abs(table.share.sum() - sum(row.weight for row in rows[:150])) < 1e-9
