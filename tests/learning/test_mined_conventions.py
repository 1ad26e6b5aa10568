"""Conventions of a house, mined from answers without any label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from learning.mining.conventions import conventions
from learning.mining.observing import ObservedAnswer, observe
from learning.mining.proposals import ProposedRule
from scoring.query import Query, Unscored
from scoring.rules import BenignFilter, Rules
from scoring.sql import read_predicate
from tests.learning.simulated_tenant import scored

QUESTIONS = (
    ("How many kilns are there?", "SELECT COUNT(*) FROM kilns k"),
    ("What is the largest kiln?", "SELECT MAX(k.size) FROM kilns k"),
    ("How many kilns are in Faro?", "SELECT COUNT(*) FROM kilns k WHERE k.town = 'Faro'"),
    ("Average heat of kilns", "SELECT AVG(k.heat) FROM kilns k"),
    ("Kilns by town", "SELECT k.town, COUNT(*) FROM kilns k GROUP BY k.town"),
    ("Names of kilns", "SELECT k.name FROM kilns k"),
)


def answers(
    condition: str, *, agents: Iterable[str] = ("a", "b"), without: Iterable[str] = (), questions: int = 6
) -> list[ObservedAnswer]:
    return list(_answers(condition, agents, without, questions))


def _answers(condition: str, agents: Iterable[str], without: Iterable[str], questions: int) -> Iterator[ObservedAnswer]:
    for question, sql in QUESTIONS[:questions]:
        for agent in (*agents, *without):
            yield seen(question, sql if agent in without else added(sql, condition), agent)


def added(sql: str, condition: str) -> str:
    if "WHERE" in sql:
        return f"{sql} AND {condition}"
    return sql.replace("FROM kilns k", f"FROM kilns k WHERE {condition}")


def seen(question: str, sql: str, agent: str) -> ObservedAnswer:
    query = Query(question=question, sql=sql)
    score = scored(query, Rules())
    assert not isinstance(score, Unscored)
    return observe(query, score, right=None, agent=agent)


def said(found: Iterable[ProposedRule]) -> list[str]:
    return [each.text for each in found]


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ("k.removed_on IS NULL", "kilns: removed_on IS NULL"),
        ("k.is_demo = FALSE", "kilns: is_demo = FALSE"),
        ("k.flow <> 'shut'", "kilns: flow != 'shut'"),
        ("k.house = 4", "kilns: house = 4"),
    ],
)
def test_what_comes_with_a_table_in_most_answers_is_a_convention(condition: str, text: str) -> None:
    (found,) = conventions(answers(condition, without=["c"]), Rules())
    assert (found.text, found.entry) == (
        text,
        [{"table": "kilns", "predicate": text.partition(": ")[2], "required": True, "when": []}],
    )
    assert found.counts is not None
    assert found.counts._asdict() == {"having": 12, "reading": 18, "questions": 6, "agents": 2}
    assert (found.precision, found.support, len(found.examples)) == (0.6667, 6, 3)


def test_fewer_than_three_fifths_are_none() -> None:
    assert said(conventions(answers("k.is_demo = FALSE", agents=["a"], without=["b"]), Rules())) == []


def test_four_questions_are_none() -> None:
    assert said(conventions(answers("k.is_demo = FALSE", questions=4), Rules())) == []


def test_one_agent_of_several_is_none_and_one_agent_alone_may_be() -> None:
    of_one = answers("k.is_demo = FALSE", agents=["a"])
    assert said(conventions(of_one, Rules())) == ["kilns: is_demo = FALSE"]
    others = [seen(question, sql, "b") for question, sql in QUESTIONS[:2]]
    assert said(conventions([*of_one, *others], Rules())) == []


def test_values_that_change_are_none() -> None:
    found = [
        seen(question, added(sql, f"k.fleet = {place}"), agent)
        for place, (question, sql) in enumerate(QUESTIONS)
        for agent in "ab"
    ]
    assert said(conventions(found, Rules())) == []


def test_what_the_question_speaks_of_is_none() -> None:
    found = [
        seen(f"{question} Leave demo kilns out.", added(sql, "k.is_demo = FALSE"), agent)
        for question, sql in QUESTIONS
        for agent in "ab"
    ]
    assert said(conventions(found, Rules())) == []


def test_what_the_rules_say_is_not_proposed_again() -> None:
    shown = answers("k.is_demo = FALSE")
    (found,) = conventions(shown, Rules())
    assert said(conventions(shown, found.added_to(Rules()))) == []
    terms = read_predicate("is_demo = 0", None)
    assert not isinstance(terms, Unscored)
    assert said(conventions(shown, Rules(benign_filters=(BenignFilter(text="is_demo = 0", terms=terms),)))) == []
    assert said(conventions(shown, Rules(ignore_filters=frozenset({"is_demo"})))) == []


def test_an_accepted_convention_is_held_against_an_answer_without_it() -> None:
    (found,) = conventions(answers("k.removed_on IS NULL"), Rules())
    lacking = scored(
        Query(question="How many kilns are there?", sql="SELECT COUNT(*) FROM kilns"), found.added_to(Rules())
    )
    assert not isinstance(lacking, Unscored)
    assert "CONVENTION_MISSING" in {each.code.value for each in lacking.reply.reasons}
