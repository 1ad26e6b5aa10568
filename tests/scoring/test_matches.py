"""Projection, aggregation and grouping: each matches or not, and the verdict does not contradict it (STEF, 3.3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring.evaluation import conclude, examine
from scoring.matches import MISMATCHES
from scoring.query import Query
from scoring.reason_kinds import ReasonKind, kind_of
from scoring.reasons import ReasonCode
from scoring.rules import Rules
from scoring.verdict import Case, Reason, Reply, Verdict
from sqlassay import Scorer
from tests.scoring.test_answers import CASES

SCORER = Scorer()
DIMENSIONS = ("projection", "aggregation", "grouping")
SURE = Reply(verdict=Verdict.CORRECT, confidence=0.9, p_correct=0.9, reasons=(), judge="local/5")


def mismatches(question: str, sql: str) -> tuple[str | None, list[str]]:
    answer = SCORER.score(question=question, sql=sql)
    assert answer.alignment is not None
    return answer.verdict, [each for each in DIMENSIONS if not answer.alignment[each]["match"]]


@pytest.mark.parametrize(
    ("question", "sql", "wrong"),
    [
        ("What is the distinct customer count?", "SELECT COUNT(customer_id) FROM orders", ["aggregation"]),
        ("What is the total spend?", "SELECT AVG(spend) FROM spend_table", ["aggregation"]),
        ("Orders per quarter", "SELECT region, COUNT(*) FROM orders GROUP BY region", ["grouping"]),
        ("Average revenue per quarter", "SELECT region, AVG(revenue) FROM sales GROUP BY region", ["grouping"]),
        ("Total spend broken down by country", "SELECT SUM(spend) FROM spend_table", ["grouping"]),
        ("Total spend by country", "SELECT region, SUM(spend) FROM spend_table GROUP BY region", ["grouping"]),
        ("For each department, what is the average salary?", "SELECT AVG(salary) FROM emp", ["grouping"]),
        ("List the name and email of each customer", "SELECT name FROM customers", ["projection"]),
    ],
)
def test_what_the_paper_asks_for_and_the_sql_lacks_is_no_match_and_not_correct(
    question: str, sql: str, wrong: list[str]
) -> None:
    verdict, found = mismatches(question, sql)
    assert (verdict, found) == ("Potentially Incorrect", wrong)


@pytest.mark.parametrize(
    ("question", "sql", "missing"),
    [
        ("sales by region and quarter", "SELECT region, SUM(sales) FROM t GROUP BY region", ["quarter"]),
        ("total spend by country and month", "SELECT country, SUM(spend) FROM t GROUP BY country", ["month"]),
        (
            "average revenue broken down by country and product",
            "SELECT country, AVG(revenue) FROM t GROUP BY country",
            ["product"],
        ),
        (
            "total spend by country and month",
            "SELECT country, month, SUM(spend) FROM t GROUP BY country, month",
            [],
        ),
    ],
)
def test_the_second_group_that_is_left_out_is_named(question: str, sql: str, missing: list[str]) -> None:
    answer = SCORER.score(question=question, sql=sql)
    assert answer.alignment is not None
    assert answer.alignment["grouping"] == {"match": not missing, "missing": missing, "extra": []}


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("Total spend by country", "SELECT country, SUM(spend) FROM spend_table GROUP BY country"),
        # an amount that no word sums
        ("revenue last month?", "SELECT SUM(amount) FROM payments WHERE paid_at >= '2026-01-01'"),
        # a further column is a form
        ("List the names of the pilots", "SELECT name, licence FROM pilots"),
        ("rank workshops by number of bays, most first", "SELECT name, bays FROM workshops ORDER BY bays DESC"),
    ],
)
def test_what_moves_nothing_is_a_match(question: str, sql: str) -> None:
    assert mismatches(question, sql)[1] == []


PLAIN = [each for each in CASES if each.keys() <= {"question", "right", "wrong"}]
RIGHT = [(each["question"], sql) for each in PLAIN for sql in each.get("right", ())]


def test_no_verdict_is_correct_against_a_signal() -> None:
    for question, sql in RIGHT:
        verdict, found = mismatches(question, sql)
        assert not (verdict == Verdict.CORRECT and found), (question, sql)


def test_a_model_and_a_reviewer_may_hold_a_signal_to_be_misread() -> None:
    case = examine(Query(question="What is the total spend?", sql="SELECT AVG(spend) FROM spend_table"), Rules())
    assert isinstance(case, Case)
    assert conclude(case, SURE).reply.verdict is Verdict.LIKELY_CORRECT
    assert conclude(case, replace(SURE, model="m")).reply.verdict is Verdict.CORRECT
    assert conclude(case, replace(SURE, model="m", fallback=True)).reply.verdict is Verdict.LIKELY_CORRECT
    reviewed = Reason(code=ReasonCode.MATCHES_REVIEWED, detail="a reviewer called this SQL right", weight=3.0)
    assert conclude(case, replace(SURE, reasons=(reviewed,))).reply.verdict is Verdict.CORRECT


def test_each_dimension_heeds_faults_alone() -> None:
    codes = [code for each in MISMATCHES.values() for code in each]
    assert len(codes) == len(set(codes))
    assert {kind_of(code) for code in codes} == {ReasonKind.FAULT}
