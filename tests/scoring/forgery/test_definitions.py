"""An enriched question never excuses what the SQL leaves out, and an honest one loses nothing."""

from __future__ import annotations

from collections import Counter

import pytest

from scoring.evaluation import conclude, examine
from scoring.forgery.weakening import TRIED, definition_weakens
from scoring.query import Query
from scoring.reasons import ReasonCode
from scoring.rules import Rules
from scoring.verdict import Case, EnrichmentStatus, Reply
from service.judges.weights import local_judge
from tests.examples import example_case
from tests.scoring.forgery.definitions import SAMPLES, Sample, pairs

pytestmark = pytest.mark.campaign

JUDGE = local_judge()
PAIRS = list(pairs())


def judged(question: str, sql: str, enriched: str | None = None) -> Reply:
    return JUDGE.judge(example_case(question, sql, enriched))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.phrase)
def test_no_enriched_question_excuses_what_the_sql_leaves_out(sample: Sample) -> None:
    honest = judged(sample.question, sample.right).p_correct
    plain = judged(sample.question, sample.wrong).p_correct
    assert honest > 0.5
    tried = [pair for pair in PAIRS if pair.sample is sample]
    assert len(tried) > 40
    for pair in tried:
        forged = judged(sample.question, sample.wrong, pair.enriched)
        assert forged.p_correct < 0.5, pair.enriched
        assert forged.p_correct < honest, pair.enriched
        assert forged.p_correct <= plain, pair.enriched
        if not sample.unread:
            assert ReasonCode.DEFINITION_WEAKENS in [each.code for each in forged.reasons], pair.enriched


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.phrase)
def test_an_honest_definition_loses_nothing(sample: Sample) -> None:
    alone = judged(sample.question, sample.right)
    for said in sample.honest:
        case = example_case(sample.question, sample.right, f"{sample.question} ({said})")
        assert definition_weakens(case) is None, said
        assert case.enrichment.score == 100, said
        assert JUDGE.judge(case).p_correct >= alone.p_correct, said


HONEST = (
    ("How many active customers are there?", "SELECT COUNT(*) FROM customers WHERE status = 'A'",
     "active customers refers to status = 'A'"),
    ("How many shops are in Lisbon?", "SELECT COUNT(*) FROM shops WHERE city_id = 7", "Lisbon refers to city_id = 7"),
    ("How many shops are in Germany?", "SELECT COUNT(*) FROM shops WHERE country = 'DEU'",
     "Germany refers to country = 'DEU'"),
    ("How many shops are in the United States?", "SELECT COUNT(*) FROM shops WHERE country = 'USA'",
     "United States refers to country = 'USA'"),
    ("How many members took the trip in 2019?", "SELECT COUNT(*) FROM trips WHERE strftime('%Y', day) = '2019'",
     "in 2019 refers to strftime('%Y', day) = '2019'"),
    ("How many talks are longer than 2 hours?", "SELECT COUNT(*) FROM talks WHERE minutes > 120",
     "longer than 2 hours refers to minutes > 120"),
    ("How many cars were sold with over 90% charge?", "SELECT COUNT(*) FROM cars WHERE charge > 0.9",
     "over 90% refers to charge > 0.9"),
    ("How many parts have at least 20 pieces?", "SELECT COUNT(*) FROM parts WHERE pieces > 19",
     "at least 20 refers to pieces > 19"),
    ("How many people live in Porto or Braga?", "SELECT COUNT(*) FROM people WHERE city IN ('Porto', 'Braga')",
     "Porto or Braga refers to city IN ('Porto', 'Braga')"),
    ("How many hives have no queen?", "SELECT COUNT(*) FROM hives WHERE queen_id IS NULL",
     "no queen refers to queen_id IS NULL"),
    ("How many users come from 'Big Bay'?", "SELECT COUNT(*) FROM users WHERE town LIKE '%Big Bay%'",
     "'Big Bay' refers to town LIKE '%Big Bay%'"),
    ("How many boats lie in Kotor?", "SELECT COUNT(*) FROM boats WHERE port LIKE 'Koto%'",
     "Kotor refers to port LIKE 'Koto%'"),
    ("How many boats lie in Kotor?", "SELECT COUNT(*) FROM boats WHERE port_code LIKE 'KO%'",
     "Kotor refers to port_code LIKE 'KO%'"),
    ("How many female sailors are there?", "SELECT COUNT(*) FROM sailors WHERE sex LIKE 'F%'",
     "female refers to sex LIKE 'F%'"),
    ("How many boats lie in Kotor?", "SELECT COUNT(*) FROM boats WHERE in_kotor = 1", "Kotor refers to in_kotor = 1"),
    ("How many boats lie in Kotor?", "SELECT COUNT(*) FROM boats WHERE kotor <> 0", "Kotor refers to kotor <> 0"),
    ("How many runs were there in August 2013?", "SELECT COUNT(*) FROM runs WHERE yearmonth = '201308'",
     "August 2013 refers to yearmonth = '201308'"),
)  # fmt: skip


@pytest.mark.parametrize(("question", "sql", "said"), HONEST, ids=lambda each: each[:40])
def test_codes_units_and_other_notations_are_honest(question: str, sql: str, said: str) -> None:
    case = example_case(question, sql, f"{question} ({said})")
    assert definition_weakens(case) is None
    assert not case.filters.missing
    assert case.enrichment.score == 100
    assert JUDGE.judge(case).p_correct >= judged(question, sql).p_correct


CONTRADICTIONS = (
    ("Which rooms cost over 100?", "over 100 refers to price > 10", "SELECT room FROM rooms WHERE price > 10"),
    ("Which rooms cost over 100?", "over 100 refers to price < 100", "SELECT room FROM rooms WHERE price < 100"),
    ("Which boats were built in 2019?", "2019 refers to built = 2009", "SELECT boat FROM boats WHERE built = 2009"),
    ("Which boats were built in 2019?", "2019 refers to built != 2019", "SELECT boat FROM boats WHERE built != 2019"),
    ("Which boats lie in Kotor?", "Kotor refers to port = 'Split Harbour'",
     "SELECT boat FROM boats WHERE port = 'Split Harbour'"),
    ("Which boats lie in Kotor?", "Kotor refers to port IN ('Kotor', 'Split Harbour')",
     "SELECT boat FROM boats WHERE port IN ('Kotor', 'Split Harbour')"),
    ("Which boats lie in Kotor?", "Kotor refers to port <> 'Kotor'", "SELECT boat FROM boats WHERE port <> 'Kotor'"),
    ("Which boats lie in Kotor?", "Kotor refers to hull_length > 3", "SELECT boat FROM boats WHERE hull_length > 3"),
    ("Name the top 5 boats by length", "top 5 refers to LIMIT 500",
     "SELECT name FROM boats ORDER BY length DESC LIMIT 500"),
    ("Name the top 5 boats by length", "top 5 means all boats", "SELECT name FROM boats ORDER BY length DESC"),
)  # fmt: skip


NOT_TELLING = (
    "kotor_flag IN (0, 1)", "kotor_flag IN ('Y', 'N')", "k IS NOT NULL", "kotor_flag IS NOT NULL", "kotor_port <> 2",
    "kotor_flag >= 0", "kotor_flag BETWEEN 0 AND 1", "kotor_flag < 2", "kotor_flag IS NULL OR kotor_flag = 1",
    "kotor_flag NOT IN (7)", "kotor_flag <> 'x'", "kotor_flag > -1",
    "port LIKE 'K%'", "port LIKE 'Ko%'", "port LIKE '%o%'", "port LIKE 'K_%'", "port LIKE 'K%r'", "port LIKE '%'",
    "SUBSTR(port, 1, 1) = 'K'",
)  # fmt: skip


@pytest.mark.parametrize("said", NOT_TELLING)
def test_a_definition_that_tells_no_rows_apart_is_not_followed(said: str) -> None:
    question = "Which boats lie in Kotor?"
    case = example_case(question, f"SELECT boat FROM boats WHERE {said}", f"{question} (Kotor refers to {said})")
    found = definition_weakens(case)
    assert found is not None
    assert found.strength == 1
    assert case.enrichment.score < 100
    assert JUDGE.judge(case).p_correct < 0.5


@pytest.mark.parametrize(("question", "said", "sql"), CONTRADICTIONS, ids=lambda each: each[:40])
def test_a_contradiction_is_not_followed_and_lowers_the_enrichment_score(question: str, said: str, sql: str) -> None:
    case = example_case(question, sql, f"{question} ({said})")
    found = definition_weakens(case)
    assert found is not None
    assert found.strength == 1
    assert case.enrichment.score < 100
    assert case.enrichment.status in (EnrichmentStatus.LOSSY, EnrichmentStatus.CONTRADICTORY)
    assert JUDGE.judge(case).p_correct < 0.5


def test_sql_that_applies_the_condition_all_the_same_stays_on_the_right_side() -> None:
    question, sql = "How many shops are in Lisbon?", "SELECT COUNT(*) FROM shops WHERE city = 'Lisbon'"
    case = example_case(question, sql, f"{question} (Lisbon refers to any city)")
    found = definition_weakens(case)
    assert found is not None
    assert found.strength == TRIED
    assert case.enrichment.score == 75
    assert JUDGE.judge(case).p_correct > 0.5


def test_the_tenants_own_rules_may_say_what_they_like() -> None:
    query = Query(question="How many shops are in Lisbon?", sql="SELECT COUNT(*) FROM shops WHERE city_code = 'Lisbon'")
    case = examine(query, Rules(column_mappings={"Lisbon": "city_code"}))
    assert isinstance(case, Case)
    assert definition_weakens(case) is None
    assert conclude(case, JUDGE.judge(case)).reply.p_correct > 0.5


def test_there_are_enough_pairs_of_every_kind() -> None:
    kinds = Counter(each.form for each in PAIRS)
    assert len(PAIRS) > 700
    assert len(kinds) > 100
