"""Follow-up questions are judged on what they mean after the turns before them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from scoring.evaluation import conclude, examine
from scoring.query import Query, Turn, Unscored, UnscoredReason
from scoring.rules import Rules
from scoring.verdict import Score
from service.judges.weights import local_judge

ASKED = datetime(2026, 11, 20, 10)
CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parents[1] / "cases" / "follow_ups.yaml").read_text())
RIGHT, LOST = 65, 40


def scored(asked: dict[str, Any], sql: str) -> Score | Unscored:
    query = Query(
        question=asked["question"],
        sql=sql,
        enriched_question=asked.get("enriched"),
        dialect=asked.get("dialect", "postgres"),
        occurred_at=ASKED,
        history=tuple(Turn(question=each["question"], sql=each["sql"]) for each in asked.get("history", ())),
    )
    case = examine(query, Rules())
    return case if isinstance(case, Unscored) else conclude(case, local_judge().judge(case))


def named(cases: list[dict[str, Any]], kind: str) -> Any:
    found = [each for each in cases if kind in each]
    return pytest.mark.parametrize("asked", found, ids=[f"{each['question']} {each[kind][:60]}" for each in found])


@named(CASES, "right")
def test_sql_that_answers_what_the_fragment_means_is_right(asked: dict[str, Any]) -> None:
    found = scored(asked, asked["right"])
    assert isinstance(found, Score)
    assert found.composite.score >= RIGHT, (found.case.query.question, found.reply.reasons)


@named(CASES, "lost")
def test_sql_that_lost_a_part_of_the_turn_before_is_wrong(asked: dict[str, Any]) -> None:
    found = scored(asked, asked["lost"])
    assert isinstance(found, Score)
    assert found.composite.score <= LOST, (found.case.query.question, found.reply.reasons)
    assert asked.get("code") in (None, *[each.code.value for each in found.reply.reasons])


@named(CASES, "unscored")
def test_a_fragment_that_nothing_completes_has_no_score(asked: dict[str, Any]) -> None:
    found = scored(asked, asked["unscored"])
    assert isinstance(found, Unscored)
    assert found.reason is UnscoredReason.FOLLOW_UP_UNRESOLVED


def test_a_question_that_stands_alone_has_the_same_score_with_any_history() -> None:
    sql = "SELECT COUNT(*) FROM orders WHERE placed_on >= '2025-01-01' AND placed_on < '2026-01-01'"
    history = [{"question": "Which hens lay in Graz?", "sql": "SELECT name FROM hens WHERE town = 'Graz'"}]
    alone, after = (scored({"question": "How many orders last year?", "history": each}, sql) for each in ([], history))
    assert isinstance(alone, Score)
    assert isinstance(after, Score)
    assert alone.composite == after.composite
    assert alone.reply == after.reply


@pytest.mark.parametrize("sql", ["SELECT", "DROP TABLE hens", "x" * 50_000, "SELECT (" + "(" * 5000, ""])
def test_sql_of_an_earlier_turn_that_cannot_be_read_is_as_absent(sql: str) -> None:
    asked = {"question": "and in Linz?", "history": [{"question": "How many hens live in Graz?", "sql": sql}]}
    found = scored(asked, "SELECT COUNT(*) FROM hens WHERE town = 'Linz'")
    assert isinstance(found, Score)
    assert found.case.query.question == "How many hens live in Linz"


def test_small_talk_between_the_turns_changes_nothing() -> None:
    turns = [
        {"question": "How many hens live in Graz?", "sql": "SELECT COUNT(*) FROM hens WHERE town = 'Graz'"},
        {"question": "thanks, great!", "sql": None},
    ]
    found = scored({"question": "and in Linz?", "history": turns}, "SELECT COUNT(*) FROM hens WHERE town = 'Linz'")
    assert isinstance(found, Score)
    assert found.case.query.question == "How many hens live in Linz"
