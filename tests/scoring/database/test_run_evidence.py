"""What running the SQL says about an answer, and how little it can say for one."""

from __future__ import annotations

import pytest

from scoring.evaluation import conclude, examine
from scoring.memory.context import MemoryContext, Voice
from scoring.memory.decision import weigh_context
from scoring.query import Query, RunResult
from scoring.reason_kinds import FORGERIES, FROM_DATABASE
from scoring.reasons import ReasonCode
from scoring.record import score_record
from scoring.rules import Rules
from scoring.verdict import Case, FilterStatus, Score, Verdict
from service.judges.weights import local_judge

JUDGE = local_judge()
QUESTION = "How many parcels weigh more than 20 kg?"
RIGHT = "SELECT COUNT(*) FROM parcels WHERE weight > 20"
FORGED = "SELECT COUNT(*) FROM parcels WHERE weight > 20 OR 1 = 1"


def scored(result: RunResult | None, sql: str = RIGHT, question: str = QUESTION) -> Score:
    case = examine(Query(question=question, sql=sql, result=result), Rules())
    assert isinstance(case, Case)
    return conclude(case, JUDGE.judge(case))


def codes(score: Score) -> set[ReasonCode]:
    return {each.code for each in score.reply.reasons} & FROM_DATABASE


@pytest.mark.parametrize(
    "result",
    [
        RunResult(executed=False),
        RunResult(error="no such column: weight"),
        RunResult(executed=False, error="42703"),
        RunResult(error='relation "user" does not exist'),
        RunResult(error="no such table: connection"),
        RunResult(error="Object … does not exist or not authorized"),
        RunResult(error="division by zero"),
        RunResult(error="…"),
    ],
)
def test_sql_that_failed_to_run_is_wrong_and_says_so(result: RunResult) -> None:
    score = scored(result)
    assert (score.reply.verdict, score.case.filters.status) == (Verdict.INCORRECT, FilterStatus.NOT_APPLIED)
    assert (score.reply.p_correct, score.composite.score) == (0.02, 0.0)
    assert score.reply.reasons[0].code is ReasonCode.SQL_FAILED
    assert result.error in score.reply.reasons[0].detail


@pytest.mark.parametrize(
    "error",
    [
        "canceling statement due to statement timeout",
        "57014",
        "TimeoutError",
        "database is locked",
        "connection reset by …",
        "permission denied for table parcels",
        'database "…" does not exist',
        "too many connections",
        "deadlock detected",
        "server closed the connection unexpectedly",
    ],
)
def test_a_failure_of_the_server_says_nothing_about_the_sql(error: str) -> None:
    assert score_record(scored(RunResult(executed=False, error=error))) == score_record(scored(None))


@pytest.mark.parametrize("result", [None, RunResult(), RunResult(executed=True), RunResult(columns=1, executed=True)])
def test_without_evidence_nothing_changes(result: RunResult | None) -> None:
    assert score_record(scored(result)) == score_record(scored(None))


def test_an_empty_result_and_one_of_null_are_bounded_hints() -> None:
    alone = scored(None).reply.p_correct
    for result, code in (
        (RunResult(rows=0), ReasonCode.RAN_EMPTY),
        (RunResult(empty=True), ReasonCode.RAN_EMPTY),
        (RunResult(rows=1, only_null=True), ReasonCode.RAN_ONLY_NULL),
    ):
        score = scored(result)
        assert codes(score) == {code}
        assert alone - 0.2 < score.reply.p_correct < alone


def test_no_row_may_be_the_answer_to_a_yes_or_no_question() -> None:
    sql = "SELECT 1 FROM parcels WHERE weight > 20 LIMIT 1"
    assert codes(scored(RunResult(rows=0), sql, "Is there a parcel of more than 20 kg?")) == set()


@pytest.mark.parametrize("rows", [1, 10**15])
@pytest.mark.parametrize("sql", [RIGHT, FORGED, "SELECT MIN(city) FROM trucks", "SELECT COUNT(*) FROM parcels"])
def test_no_result_lifts_an_answer(sql: str, rows: int) -> None:
    best = RunResult(executed=True, rows=rows, columns=1, empty=False, only_null=False)
    lifted, alone = scored(best, sql), scored(None, sql)
    assert 0 <= lifted.reply.p_correct - alone.reply.p_correct <= 0.026
    if any(each.code in FORGERIES for each in alone.reply.reasons):
        assert lifted.reply == alone.reply


def test_agreement_does_not_rescue_sql_that_failed() -> None:
    failed = scored(RunResult(executed=False)).reply
    voices = [
        Voice(agent=f"a{n}", event_id=str(n), same=True, same_filters=True, same_tables=True, reviewed=True)
        for n in range(9)
    ]
    assert weigh_context(failed, MemoryContext(answers=99, voices=tuple(voices)), JUDGE.weights.thresholds) == failed
