"""Evidence in the SQL cannot be forged: no forgery of a right answer is called right, and each has a reason."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from scoring.judging.ceiling import evidence, hold
from scoring.judging.combination import RIGHT
from scoring.reason_kinds import FORGERIES, PROOFS
from scoring.reasons import ReasonCode
from scoring.verdict import Reply, Verdict
from tests.scoring.forgery.forging import Pair, filled, pairs, rendered
from tests.scoring.forgery.honest import DIALECTS, FILTERED, REWORDED, TOPS, Honest
from tests.scoring.forgery.scores import JUDGE, examined, judged

pytestmark = pytest.mark.campaign

CASES = Path(__file__).parents[2] / "cases"
PAIRS = tuple(pairs())
LEAST_PAIRS = 300
NAMING = frozenset(FORGERIES) | {ReasonCode.ORDER_FLIPPED}
"""Codes that name a forgery; a sort key whose sign is changed is an order in the other direction."""
SAYING = NAMING | {ReasonCode.FILTER_MISSING, ReasonCode.FILTER_MISMATCHED, ReasonCode.TOTAL_PER_GROUP}
"""Codes that name a forgery, or say that the condition or the one total asked for is not there."""
WAYS = sorted({(pair.kind, pair.way) for pair in PAIRS})


def _of(kind: str, way: str) -> list[Pair]:
    return [pair for pair in PAIRS if (pair.kind, pair.way) == (kind, way)]


def test_there_are_enough_pairs_over_all_dialects() -> None:
    assert len(PAIRS) >= LEAST_PAIRS
    assert len(set(PAIRS)) == len(PAIRS)
    assert set(Counter(pair.dialect for pair in PAIRS)) == set(DIALECTS)


@pytest.mark.parametrize("honest", [*FILTERED, *TOPS], ids=lambda each: each.question)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_right_answers_are_called_right(honest: Honest, dialect: str) -> None:
    assert judged(honest.question, rendered(honest.sql, dialect), dialect).p_correct >= 0.5


@pytest.mark.parametrize(("kind", "way"), WAYS)
def test_a_forgery_is_not_called_right_and_has_a_reason(kind: str, way: str) -> None:
    for pair in _of(kind, way):
        honest, forged = (judged(pair.question, sql, pair.dialect) for sql in (pair.honest, pair.forged))
        assert forged.p_correct < 0.5, pair
        assert forged.p_correct < honest.p_correct, pair
        assert forged.verdict not in RIGHT, pair
        assert NAMING & {reason.code for reason in forged.reasons}, pair


@pytest.mark.parametrize(("kind", "way"), WAYS)
def test_a_model_cannot_call_a_forgery_right(kind: str, way: str) -> None:
    """What is proved limits a model. Other reasons may be misread, and a sure model may overrule them."""
    fooled = Reply(verdict=Verdict.CORRECT, confidence=1.0, p_correct=1.0, reasons=(), judge="a model")
    for pair in _of(kind, way):
        case = examined(pair.question, pair.forged, pair.dialect)
        proved = any(reason.code in PROOFS for reason in JUDGE.judge(case).reasons)
        assert not proved or hold(evidence(case, JUDGE.judge), fooled).verdict not in RIGHT, pair


@pytest.mark.parametrize("way", REWORDED)
@pytest.mark.parametrize("honest", FILTERED, ids=lambda each: each.question)
def test_an_honest_rewording_loses_nothing(honest: Honest, way: str) -> None:
    dialect = DIALECTS[len(way + honest.question) % len(DIALECTS)]
    plain = examined(honest.question, rendered(honest.sql, dialect), dialect)
    reworded_sql = honest.with_condition(filled(REWORDED[way], honest))
    reworded = examined(honest.question, rendered(reworded_sql, dialect), dialect)
    assert reworded.filters.status is plain.filters.status or way == "AND IS NOT NULL"
    assert not reworded.sql.voids
    lost = judged(honest.question, rendered(honest.sql, dialect), dialect).p_correct
    lost -= judged(honest.question, rendered(reworded_sql, dialect), dialect).p_correct
    assert lost < 0.06  # some rewordings are longer, which `OVERLY_COMPLEX` and `NESTED_ANSWER` count


HARMLESS: list[dict[str, str]] = yaml.safe_load((CASES / "harmless.yaml").read_text())


@pytest.mark.parametrize("case", HARMLESS, ids=lambda case: case["question"])
def test_honest_logic_and_arithmetic_is_no_forgery(case: dict[str, str]) -> None:
    for dialect in DIALECTS:
        reply = judged(case["question"], rendered(case["sql"], dialect), dialect)
        assert not {reason.code for reason in reply.reasons} & set(FORGERIES), (dialect, reply.reasons)


OTHERS: list[dict[str, Any]] = yaml.safe_load((CASES / "forgeries.yaml").read_text())


@pytest.mark.parametrize(("case", "way"), [(case, way) for case in OTHERS for way in case["forged"]])
def test_a_forgery_of_the_cases_is_not_called_right_and_has_a_reason(case: dict[str, Any], way: str) -> None:
    for dialect in ("postgres", "sqlite"):
        honest, forged = (judged(case["question"], sql, dialect) for sql in (case["honest"], case["forged"][way]))
        assert honest.p_correct >= 0.5
        assert forged.p_correct < 0.5, (dialect, forged)
        assert forged.verdict not in RIGHT
        assert SAYING & {reason.code for reason in forged.reasons}, dialect
