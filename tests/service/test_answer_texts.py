"""What the page of one answer is made of: pairs, marked texts, laid out SQL, the sum of the score and the headline."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from scoring.evaluation import conclude, examine
from scoring.judging.probability import LEAST_PROVED
from scoring.query import Query
from scoring.record import score_record
from scoring.rules import Rules
from scoring.verdict import Case
from service.console.answer.benchmark_case import benchmark_case
from service.console.answer.headline import headline
from service.console.answer.marked_text import MarkedRun, TextMark, find_words, runs
from service.console.answer.pairs import pairs_of
from service.console.answer.question_text import show_texts
from service.console.answer.score_sum import sum_of
from service.console.answer.specification_lines import specification_lines
from service.console.answer.sql_text import MOST_FORMATTED, show_sql
from service.judges.weights import local_judge
from tests.costs import normal_seconds

QUESTION = "What are the names and total sales of shops in Oslo with more than 3 employees per region in 2023?"
SQL = (
    "SELECT s.name, r.region, SUM(o.sales) FROM shops s JOIN orders o ON o.shop_id = s.id JOIN regions r"
    " ON r.id = s.region_id WHERE s.city = 'Oslo' AND s.employees > 4 AND s.status = 'active'"
    " AND o.day >= '2023-01-01' AND o.day < '2024-01-01' GROUP BY r.region, s.name"
    " ORDER BY SUM(o.sales) DESC LIMIT 1000"
)


def recorded(question: str, sql: str, enriched: str | None = None) -> dict[str, Any]:
    """The record of an answer, as it is stored."""
    case = examine(Query(question=question, sql=sql, enriched_question=enriched), Rules())
    assert isinstance(case, Case)
    return json.loads(json.dumps(score_record(conclude(case, local_judge().judge(case)))))


def marked(found: list[MarkedRun]) -> dict[int, list[str]]:
    """The text under each pair."""
    texts: dict[int, list[str]] = {}
    for run in found:
        for number in run.numbers:
            texts.setdefault(number, []).append("".join(piece for _, piece in run.pieces))
    return texts


def plain(found: list[MarkedRun]) -> str:
    return "".join(piece for run in found for _, piece in run.pieces)


def tied(question: str, sql: str) -> set[tuple[str, str, str, str]]:
    """Part and fit of each pair with the words and the SQL that are marked for it."""
    record = recorded(question, sql)
    pairs = pairs_of(record)
    words = marked(show_texts(question, None, pairs, record).question)
    written = marked(show_sql(sql, None, pairs).runs)
    return {
        (
            each.part.value,
            each.place.value,
            " ".join(words.get(each.number, [])),
            " ".join(written.get(each.number, [])),
        )
        for each in pairs
    }


def test_words_and_sql_that_belong_together_have_one_number():
    assert tied(QUESTION, SQL) == {
        ("filter", "matched", "Oslo", "s.city = 'Oslo'"),
        ("filter", "mismatched", "more than 3", "s.employees > 4"),
        ("filter", "matched", "2023", "o.day >= '2023-01-01' o.day < '2024-01-01'"),
        ("filter", "extra", "", "s.status = 'active'"),
        ("output", "matched", "names", "s.name"),
        ("aggregation", "matched", "sales", "SUM(o.sales)"),
        ("grouping", "matched", "region", "r.region"),
        ("excused", "excused", "", "r.region s.name"),
        ("excused", "excused", "", "SUM(o.sales) DESC"),
        ("excused", "excused", "", "1000"),
    }


@pytest.mark.parametrize(
    ("question", "sql", "expected"),
    [
        (
            "How many ovens are in Oslo?",
            "WITH o AS (SELECT * FROM ovens WHERE city = 'Oslo') SELECT COUNT(*) FROM o",
            ("filter", "matched", "Oslo", "city = 'Oslo'"),
        ),
        (
            "Which pilots flew in 2021?",
            "SELECT name FROM pilots WHERE id IN (SELECT pilot FROM flights WHERE YEAR(day) = 2021)",
            ("filter", "matched", "2021", "YEAR(day) = 2021"),
        ),
        (
            "List parcels between 5 and 9 kg",
            "SELECT id FROM parcels WHERE kg BETWEEN 5 AND 9",
            ("filter", "matched", "between 5", "kg BETWEEN 5 AND 9"),
        ),
        (
            "Who is the oldest pilot?",
            "SELECT name FROM pilots ORDER BY age DESC LIMIT 1",
            ("order", "matched", "oldest", "age DESC 1"),
        ),
        (
            "How many orders were shipped in 2023?",
            "SELECT COUNT(*) FROM orders",
            ("filter", "missing", "2023", ""),
        ),
    ],
)
def test_constructs_are_found_wherever_they_stand(question, sql, expected):
    assert expected in tied(question, sql)


def test_no_record_breaks_the_page():
    for record in ({}, {"alignment": 3, "question_spec": [], "sql_spec": {"filters": "x", "projections": [1]}}):
        assert pairs_of(record) == []
        assert specification_lines(record) == []


def test_words_are_found_as_a_person_reads_them():
    assert find_words("Ovens in OSLO", "oslo") == (9, 13)
    assert find_words("in Oslofjord", "Oslo") is None
    assert find_words("a (b)", "(b)") == (2, 5)
    assert find_words("x", "  ") is None


def test_marks_may_overlap_and_the_text_stays_whole():
    words = "one two three"
    found = runs(words, [TextMark(start=0, end=7, number=1, kind="a"), TextMark(start=4, end=13, number=2, kind="b")])
    assert plain(found) == words
    assert [(each.numbers, each.begins, each.ends) for each in found] == [
        ((1,), (1,), ()),
        ((1, 2), (2,), (1,)),
        ((2,), (), (2,)),
    ]
    assert (
        plain(
            runs(words, [TextMark(start=5, end=99, number=1, kind="a"), TextMark(start=3, end=3, number=2, kind="a")])
        )
        == words
    )


def test_sql_is_laid_out_and_coloured_by_classes():
    shown = show_sql("select a from t where b='x' -- why", None)
    assert shown.formatted
    assert plain(shown.runs).startswith("SELECT\n  a\nFROM t\nWHERE\n  b = 'x'")
    assert {"k", "s1"} <= {css for run in shown.runs for css, _ in run.pieces}


UNREADABLE = [
    "",
    "SELECT count(* FROM t",
    "I'm sorry",
    "(" * 500,
    "x\0y",
    "SELECT '\ue000 1'",
    "DROP TABLE t",
    "'" * 999,
]


@pytest.mark.parametrize("sql", UNREADABLE)
def test_sql_that_cannot_be_read_is_shown_as_it_came(sql):
    shown = show_sql(sql, None)
    assert not shown.formatted
    assert plain(shown.runs) == sql


def test_an_unknown_dialect_and_a_long_text_are_shown_as_they_came():
    assert plain(show_sql("SELECT 1", "klingon").runs) == "SELECT 1"
    long = "SELECT a FROM t WHERE b = '" + "x" * MOST_FORMATTED + "'"
    assert plain(show_sql(long, None).runs) == long


@pytest.mark.slow
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT\n" + ",\n".join(f"  t.column_{n} AS c{n}" for n in range(250)) + "\nFROM t\nWHERE a = 1\n"
        + "\n".join(f"  AND t.other_{n} = 'value {n}'" for n in range(190)),
        "(" * MOST_FORMATTED,
        "SELECT " + "a." * (MOST_FORMATTED // 2),
        "/*" * (MOST_FORMATTED // 2),
        "SELECT 1" + " UNION SELECT 1" * 2600,
    ],
    ids=["500 lines", "open", "dots", "comments", "unions"],
)  # fmt: skip
def test_laying_out_sql_takes_less_than_a_second(sql):
    record = {"alignment": {"filters": {"extra": [{"lhs": f"other_{n}", "rhs": f"value {n}"} for n in range(190)]}}}
    pairs = pairs_of(record)
    assert normal_seconds(lambda: show_sql(sql, None, pairs), 1.0) <= 1.0


def test_what_the_enrichment_changed_is_marked_in_both_texts():
    record = recorded(
        "How many ovens are in Oslo and older than 3 years?",
        "SELECT COUNT(*) FROM ovens WHERE city = 'Bergen'",
        "How many ovens are in Bergen made of steel?",
    )
    record["enrichment"] |= {"lost": ["older than 3 years"], "added": ["made of steel"], "changed": ["Oslo → Bergen"]}
    shown = show_texts(
        "How many ovens are in Oslo and older than 3 years?",
        "How many ovens are in Bergen made of steel?",
        pairs_of(record),
        record,
    )
    asked = {kind: plain([run]) for run in shown.question for kind in run.kinds.split()}
    rewritten = {kind: plain([run]) for run in shown.enriched for kind in run.kinds.split()}
    assert asked["lost"] in "older than 3 years"
    assert asked["changed"] == "Oslo"
    assert (rewritten["added"], rewritten["changed"]) == ("made of steel", "Bergen")


def test_the_steps_of_the_sum_lead_to_the_stored_probability():
    record = recorded(QUESTION, SQL)
    weights = local_judge().weights
    row = {"record": record, "judge": record["judge"], "model": None}
    found = sum_of(row, weights)
    assert found is not None
    assert math.isclose(sum(step.move for step in found.steps), found.total, abs_tol=0.02)
    least, most = weights.probability.least, weights.probability.most
    assert math.isclose(least + (most - least) / (1 + math.exp(-found.total)), record["p_correct"], abs_tol=1e-3)
    assert [step.code for step in found.steps if step.code] == [
        each["code"] for each in record["reasons"] if each["weight"]
    ]
    other = sum_of({**row, "judge": "local/99"}, weights)
    assert other is not None
    assert "the start" in other.steps[-1].words
    assert sum_of({**row, "model": "some-model", "judge": "llm/x"}, weights) is None


def test_the_bounds_of_the_probability_are_those_of_the_evidence():
    weights = local_judge().weights
    counted = "SELECT COUNT(*) FROM ovens WHERE city = 'Oslo'"
    for sql, least in ((counted, weights.probability.least), (f"{counted} AND 1 = 0", LEAST_PROVED)):
        record = recorded("How many ovens are in Oslo?", sql)
        found = sum_of({"record": record, "judge": record["judge"], "model": None}, weights)
        assert found is not None
        assert found.bounds == (least, weights.probability.most)
        assert least - 1e-3 <= record["p_correct"] <= weights.probability.most


ROW = {"reference_verdict": None, "reference_level": None, "labels": [], "unscored": None, "verdict": "Correct"}


@pytest.mark.parametrize(
    ("fields", "words", "against"),
    [
        ({}, "Correct", False),
        ({"verdict": "Incorrect"}, "Incorrect", True),
        ({"reference_verdict": "different", "reference_level": "S0"}, "Proved different from its reference", True),
        (
            {"reference_verdict": "different", "reference_level": "S3", "labels": [{"label": "right"}]},
            "Differs from its reference, under an assumption",
            True,
        ),
        ({"labels": [{"label": "wrong"}, {"label": "unsure"}]}, "A reviewer says wrong", True),
        ({"labels": [{"label": "right"}, {"label": "right"}, {"label": "wrong"}]}, "2 of 3 reviewers say right", False),
        ({"labels": [{"label": "right"}, {"label": "wrong"}]}, "Correct", False),
        ({"unscored": "EMPTY_SQL", "verdict": None}, "No score", False),
    ],
)
def test_a_proof_outranks_people_and_people_the_score(fields, words, against):
    found = headline({**ROW, **fields})
    assert (found.words, found.against) == (words, against)


def test_the_gold_sql_of_a_case_is_what_people_vouch_for():
    row = {
        "tenant": "bakers", "agent": "crumb", "agent_version": None, "id": "1", "event_id": "e", "question": "Q?",
        "enriched_question": None, "dialect": None, "sql": "SELECT 1", "reference_sql": None, "labels": [],
    }  # fmt: skip
    wrong = {"label": "wrong", "correction": None}
    for changed, gold in (
        ({}, ""),
        ({"reference_sql": "SELECT 2"}, "SELECT 2"),
        ({"reference_sql": "SELECT 2", "labels": [wrong]}, "SELECT 2"),
        ({"reference_sql": "SELECT 2", "labels": [wrong, {"label": "right", "correction": None}]}, "SELECT 1"),
        ({"labels": [{"label": "wrong", "correction": "SELECT 3"}]}, "SELECT 3"),
    ):
        case = json.loads(benchmark_case({**row, **changed}))
        assert case["gold_sql"] == gold
        assert set(case) == {"case_id", "question", "gold_sql", "schema", "complexity", "category", "metadata"}
