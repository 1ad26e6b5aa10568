"""The audit tells each way in which events go wrong; a suite that it calls clean has lost and doubled nothing."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from scoring.evaluation import conclude, examine
from scoring.query import Query
from scoring.rules import Rules
from scoring.verdict import Case
from service.judges.weights import local_judge
from tests.delivery.auditing import Findings, Held, Result, compare
from tests.delivery.invented_numbers import is_invented
from tests.delivery.traffic import Key, events

FIRST, SECOND, STRANGER = (Key("quayside", "/ferries", name) for name in ("first", "second", "stranger"))
TOLD = [Result(FIRST, "row-1", 70.0), Result(SECOND, "row-2", None)]


def store(*current: Key, waiting: int = 0, invented: tuple[Key, ...] = ()) -> Held:
    ids = {FIRST: "row-1", SECOND: "row-2", STRANGER: "row-3"}
    return Held(
        current=Counter(current),
        ids={key: ids[key] for key in current},
        keys=Counter(set(current)),
        waiting=waiting,
        scores={"row-1": 70.0, "row-2": 55.0, "row-3": None},
        invented=invented,
    )


@pytest.mark.parametrize(
    ("held", "results", "wrong"),
    [
        (store(FIRST, SECOND), TOLD, {}),
        (store(FIRST, SECOND), [*TOLD, *TOLD], {}),
        (store(FIRST), TOLD, {"missing": [SECOND]}),
        (store(FIRST, SECOND, SECOND), TOLD, {"doubled": [SECOND]}),
        (store(FIRST, SECOND, STRANGER), TOLD, {"unknown": [STRANGER]}),
        (store(FIRST, SECOND), TOLD[:1], {"untold": [SECOND]}),
        (store(FIRST, SECOND), [*TOLD, Result(FIRST, "row-9", 70.0)], {"torn": [FIRST]}),
        (store(FIRST, SECOND), [*TOLD, Result(FIRST, "row-1", 71.0)], {"differing": ["row-1"]}),
        (store(FIRST, SECOND, invented=(SECOND,)), TOLD, {"invented": [SECOND]}),
        (store(FIRST, SECOND, waiting=1), TOLD, {"waiting": 1}),
    ],
)
def test_the_audit_finds_what_is_wrong_and_nothing_else(held: Held, results: list[Result], wrong: dict[str, Any]):
    found = compare([FIRST, SECOND], held, results)
    assert found == Findings(**wrong)
    assert found.clean is not bool(wrong)


def test_the_same_seed_gives_the_same_mix_under_other_ids():
    one, other = events(7, 50), events(7, 50)
    assert [each.headers[:1] for each in one] == [each.headers[:1] for each in other]
    assert not {each.key for each in one} & {each.key for each in other}


ROW: dict[str, Any] = {
    "question": "Total fares of route 7",
    "sql": "SELECT SUM(fare) FROM tickets WHERE route_id = 7",
    "unscored": None,
    "fallback": False,
    "judge": "local/1",
}


def scored(**other: Any) -> dict[str, Any]:
    """The row that this text gives in peace."""
    case = examine(Query(question=ROW["question"], sql=ROW["sql"]), Rules())
    assert isinstance(case, Case)
    score = conclude(case, local_judge().judge(case))
    numbers = {"score": score.composite.score, "tier": score.tier.value, "verdict": score.reply.verdict.value}
    return {**ROW, **numbers, "p_correct": score.reply.p_correct, "confidence": score.reply.confidence, **other}


@pytest.mark.parametrize(
    "row",
    [
        scored(score=99.5),
        scored(p_correct=None),
        scored(judge=None),
        scored(judge="llm", verdict="Correct"),
        scored(judge="llm", fallback=True),
        scored(unscored="JUDGE_UNAVAILABLE"),
        {
            **ROW,
            "unscored": "JUDGE_UNAVAILABLE",
            "score": 0.0,
            "p_correct": None,
            "confidence": None,
            "tier": None,
            "verdict": None,
        },
    ],
)
def test_a_number_that_the_text_does_not_give_is_found(row: dict[str, Any]):
    assert is_invented(row)
    assert not is_invented(scored())
