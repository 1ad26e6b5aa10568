"""Forms that unread companies brought: each right answer is free of a code that its wrong twin has."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

import pytest

from sqlassay import Scorer, score

ASKED = datetime(2025, 11, 24, tzinfo=UTC)


class Twin(NamedTuple):
    """A question with a right answer, and a wrong one that has the code."""

    code: str
    question: str
    right: str
    wrong: str
    dialect: str = "snowflake"


TWINS = [
    Twin(
        "NAME_UNUSED",
        "Swims at Oldport (OPT) in May 2025",
        "SELECT COUNT(*) FROM swims s JOIN pool p USING (pool_id) WHERE p.pool_cd = 'OPT'",
        "SELECT COUNT(*) FROM swims s JOIN pool p USING (pool_id) WHERE p.pool_cd = 'NPT'",
    ),
    Twin(
        "NAME_UNUSED",
        "average fare on the Skerry-Holm line",
        "SELECT AVG(fare) FROM legs WHERE (dep = 'SKY' AND arr = 'HLM') OR (dep = 'HLM' AND arr = 'SKY')",
        "SELECT AVG(fare) FROM legs WHERE dep = 'SKY' AND arr = 'OBN'",
    ),
    Twin(
        "ARITHMETIC_UNASKED",
        "fees per month this year",
        "SELECT DATE_TRUNC('month', d), SUM(amt_cents) / 100 / 1.1 FROM fees GROUP BY 1",
        "SELECT DATE_TRUNC('month', d), SUM(amt_cents) / 100 / 1.4 FROM fees GROUP BY 1",
    ),
    Twin(
        "PAIR_COUNTED_TWICE",
        "Who covers for whom the most? Top 20 pairs",
        "SELECT a.nm, b.nm, COUNT(*) FROM shifts s JOIN staff a ON a.staff_id = s.sub_id JOIN staff b"
        " ON b.staff_id = s.lead_id GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 20",
        "SELECT a.nm, b.nm, COUNT(*) FROM shifts a JOIN shifts b ON a.day = b.day GROUP BY 1, 2"
        " ORDER BY 3 DESC LIMIT 20",
    ),
    Twin(
        "LAST_DAY_CUT",
        "visits in August 2025",
        "WITH v AS (SELECT in_at::DATE AS day FROM gate) SELECT COUNT(*) FROM v WHERE day BETWEEN"
        " '2025-08-01' AND '2025-08-31'",
        "WITH v AS (SELECT in_at AS day FROM gate) SELECT COUNT(*) FROM v WHERE day BETWEEN"
        " '2025-08-01' AND '2025-08-31'",
    ),
    Twin(
        "FISCAL_YEAR_AS_CALENDAR",
        "leavers this fin year, by reason",
        "SELECT reason, COUNT(*) FROM staff WHERE left_on >= '2025-07-01' GROUP BY reason",
        "SELECT reason, COUNT(*) FROM staff WHERE YEAR(left_on) = 2025 GROUP BY reason",
    ),
    Twin(
        "STATE_UNTESTED",
        "3 longest serving PTs we still have?",
        "SELECT nm FROM staff WHERE role_cd = 'PT' AND left_on IS NULL ORDER BY hired_on LIMIT 3",
        "SELECT nm FROM staff WHERE role_cd = 'PT' ORDER BY hired_on LIMIT 3",
    ),
    Twin(
        "COMPARISON_FLIPPED",
        "top products by trays returned. skip anything under 200 trays",
        "SELECT sku, SUM(back) FROM lines GROUP BY sku HAVING SUM(trays) >= 200 ORDER BY 2 DESC",
        "SELECT sku, SUM(back) FROM lines GROUP BY sku HAVING SUM(trays) < 200 ORDER BY 2 DESC",
    ),
    Twin(
        "COLUMN_OF_OPPOSITE_KIND",
        "copies sent from ANR to MAN",
        "SELECT COUNT(*) FROM dlv WHERE dep_from = 'ANR' AND dep_to = 'MAN'",
        "SELECT COUNT(*) FROM dlv WHERE dep_from = 'MAN' AND dep_to = 'ANR'",
    ),
    Twin(
        "FILTER_MISMATCHED",
        "orders january to march by shop",
        "SELECT shop, COUNT(*) FROM orders WHERE day BETWEEN '2025-01-01' AND '2025-03-31' GROUP BY shop",
        "SELECT shop, COUNT(*) FROM orders WHERE day BETWEEN '2025-01-01' AND '2025-01-31' GROUP BY shop",
    ),
    Twin(
        "BOUND_AT_WRONG_LEVEL",
        "which clubs have more than 5 coaches",
        "SELECT club_nm, COUNT(*) FROM staff JOIN club USING (club_id) WHERE role = 'C' GROUP BY"
        " club_nm HAVING COUNT(*) > 5",
        "SELECT state, COUNT(*) FROM staff JOIN club USING (club_id) WHERE role = 'C' GROUP BY state"
        " HAVING COUNT(*) > 5",
    ),
]


def codes(twin: Twin, sql: str) -> set[str]:
    given = score(question=twin.question, sql=sql, dialect=twin.dialect, occurred_at=ASKED)
    return {each.code for each in given.reasons}


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: f"{twin.code}: {twin.question[:30]}")
def test_the_right_form_is_free_of_the_code_that_the_wrong_one_has(twin: Twin) -> None:
    assert twin.code in codes(twin, twin.wrong)
    assert twin.code not in codes(twin, twin.right)


@pytest.mark.parametrize(
    ("code", "question", "sql"),
    [
        ("NEGATION_LOST", "how many people sailed? people not trips", "SELECT COUNT(DISTINCT person_id) FROM pax"),
        ("RATIO_MISSING", "what nok rate did we use", "SELECT gbp_per_unit FROM fx WHERE ccy = 'NOK'"),
        (
            "COLUMN_OF_OPPOSITE_KIND",
            "copies sent from ANR to MAN, and how many the other way round",
            "SELECT SUM(dep_from = 'ANR' AND dep_to = 'MAN'), SUM(dep_from = 'MAN' AND dep_to = 'ANR') FROM dlv",
        ),
        (
            "CONDITION_VOID",
            "routes that have no driver, or whose driver has left",
            "SELECT r.nm FROM routes r LEFT JOIN staff s ON s.id = r.driver_id WHERE r.driver_id IS"
            " NULL OR s.baja IS NOT NULL",
        ),
        (
            "EXTREME_PER_GROUP",
            "guests without a visit in the last 30 days, and when last",
            "WITH v AS (SELECT guest_id, MAX(in_at) AS seen FROM gate GROUP BY guest_id) SELECT"
            " g.nm, v.seen FROM guests g"
            " LEFT JOIN v ON v.guest_id = g.guest_id WHERE v.seen IS NULL OR v.seen < '2025-10-25'",
        ),
    ],
)
def test_an_honest_form_has_no_fault(code: str, question: str, sql: str) -> None:
    given = score(question=question, sql=sql, dialect="postgres", occurred_at=ASKED)
    assert code not in {each.code for each in given.reasons}


def p_of(question: str, sql: str = "SELECT name FROM ships") -> float:
    given = score(question=question, sql=sql).p_correct
    assert given is not None
    return given


def test_a_question_without_period_and_figure_is_safer_but_not_beside_a_fault() -> None:
    assert p_of("list the names of the ships") > p_of(
        "list the fares of the ships this month", "SELECT fares FROM ships"
    )
    faulty = score(question="For each harbour, what is the average depth?", sql="SELECT AVG(depth) FROM harbours")
    assert "PLAIN_QUESTION" not in {each.code for each in faulty.reasons}


EITHER = {"conventions": [{"table": "gate", "predicate": "guest.is_test = FALSE OR club.kind <> 'T'"}]}


@pytest.mark.parametrize(
    ("join", "missing"),
    [
        ("", True),
        ("JOIN club c ON c.club_id = g.club_id WHERE c.kind <> 'T'", False),
        ("JOIN guest m ON m.guest_id = g.guest_id WHERE NOT m.is_test", False),
        ("JOIN club c ON c.club_id = g.club_id WHERE c.state = 'VIC'", True),
    ],
)
def test_one_of_several_conditions_of_a_house_is_enough(join: str, missing: bool) -> None:
    given = Scorer(EITHER).score(
        question="how many swipes?", sql=f"SELECT COUNT(*) FROM gate g {join}", dialect="snowflake"
    )
    assert ("CONVENTION_MISSING" in {each.code for each in given.reasons}) is missing


OWN = {
    "conventions": [{"table": "club", "predicate": "kind <> 'T'"}, {"table": "guest", "predicate": "is_test = FALSE"}]
}


@pytest.mark.parametrize(
    ("question", "sql", "missing"),
    [
        ("where is club BDI?", "SELECT suburb FROM club WHERE club_cd = 'BDI'", False),
        ("guest on the phone, card HG204417", "SELECT nm FROM guest WHERE card_no = 'HG204417'", False),
        ("how many clubs in VIC?", "SELECT COUNT(*) FROM club WHERE state_cd = 'VIC'", True),
        (
            "how many guests of club BDI?",
            "SELECT COUNT(*) FROM guest JOIN club USING (club_id) WHERE club.club_cd = 'BDI'",
            True,
        ),
    ],
)
def test_a_row_that_is_looked_up_by_its_code_needs_no_condition(question: str, sql: str, missing: bool) -> None:
    given = Scorer(OWN).score(question=question, sql=sql, dialect="snowflake")
    assert ("CONVENTION_MISSING" in {each.code for each in given.reasons}) is missing
