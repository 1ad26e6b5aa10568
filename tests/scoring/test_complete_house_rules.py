"""Answers held against all that a house states: what a condition is of, and what only looks as if it were missing."""

from __future__ import annotations

from typing import Any

import pytest

from sqlassay import Scorer

RULES: dict[str, Any] = {
    "conventions": [
        {"table": "trips", "predicate": "deleted_at IS NULL"},
        {"table": "boats", "predicate": "boats.is_demo = 0"},
        {"table": "fares", "predicate": "state <> 'X'", "when": ["income"]},
        {"table": "fares", "predicate": "state = 'paid'", "when": ["took in"]},
        {"table": "fares", "predicate": "state = 'issued'", "when": ["billed"]},
        {"table": "claims", "predicate": "closed_on IS NULL", "when": ["open"]},
    ],
    "codes": {
        "boats.is_demo": {"1": "demo boat"},
        "claims.kind": {"INJ": "injury", "DMG": "damage"},
        "fares.state": {"paid": "", "issued": "", "X": "void"},
        "piers.pier_no": {"30": "pier of Kotor"},
        "trips.status_code": {"moored": "at its pier", "sailed": "gone"},
    },
    "look_alikes": [{"column": "trips.left_at", "instead_of": ["boats.built_on"], "when": ["new"]}],
}


def weights(question: str, sql: str, **fields: Any) -> dict[str, float]:
    found = Scorer(RULES).score(question=question, sql=sql, **fields)
    return {each.code: each.weight for each in found.reasons}


def without(code: str, question: str, sql: str, **fields: Any) -> None:
    assert code not in weights(question, sql, **fields)


@pytest.mark.parametrize(
    ("code", "question", "sql"),
    [
        ("CODE_UNKNOWN", "How many boats?", "SELECT COUNT(*) FROM boats WHERE is_demo = 0"),
        (
            "CODE_UNKNOWN",
            "Which boats have no paid fare?",
            "SELECT boat_id FROM fares GROUP BY boat_id HAVING SUM(CASE WHEN state = 'paid' THEN 1 ELSE 0 END) = 0",
        ),
        (
            "CONVENTION_MISSING",
            "Which piers never had a trip?",
            "SELECT p.name FROM piers p LEFT JOIN trips t ON t.pier_id = p.pier_id WHERE t.trip_id IS NULL",
        ),
        ("CONVENTION_MISSING", "Income from paid fares", "SELECT SUM(fare) FROM fares WHERE state = 'paid'"),
        ("CONVENTION_MISSING", "When did trip 40217 leave?", "SELECT left_at FROM trips WHERE trip_id = 40217"),
        (
            "CONVENTION_MISSING",
            "What we took in in May 2025",
            "SELECT SUM(fare) FROM fares WHERE paid_at >= '2025-05-01' AND paid_at < '2025-06-01'",
        ),
        (
            "CONVENTION_MISSING",
            "Claims per month, and how many are open",
            "SELECT month, COUNT(*), SUM(CASE WHEN closed_on IS NULL THEN 1 ELSE 0 END) FROM claims GROUP BY month",
        ),
        (
            "NAME_UNUSED",
            "How many tickets did Kotor sell?",
            "SELECT COUNT(*) FROM tickets t JOIN piers p ON p.pier_no = t.pier_no WHERE p.pier_no = 30",
        ),
        ("WORD_FOR_CODE", "Trips still moored", "SELECT COUNT(*) FROM trips WHERE status_code = 'moored'"),
        (
            "GROUPING_MISSING",
            "Average days lost per injury",
            "SELECT AVG(days_lost) FROM claims WHERE kind = 'INJ'",
        ),
    ],
)
def test_nothing_is_wrong(code: str, question: str, sql: str) -> None:
    without(code, question, sql)


def test_what_looks_like_it_is_still_wrong() -> None:
    assert "CODE_UNKNOWN" in weights("How many fares?", "SELECT COUNT(*) FROM fares WHERE state = 'open'")
    billed = "SELECT SUM(fare) FROM fares WHERE issued_at >= '2025-05-01' AND issued_at < '2025-06-01'"
    assert "CONVENTION_MISSING" in weights("What we billed in May 2025", billed)
    assert "GROUPING_MISSING" in weights("Average days lost per ship", "SELECT AVG(days_lost) FROM claims")
    joined = (
        "SELECT AVG(f.fare) FROM boats b LEFT JOIN fares f ON f.boat_id = b.id WHERE b.is_demo = 0 AND b.state = 'ACT'"
    )
    assert "GROUPING_MISSING" in weights("Average fare per active boat", joined)


def test_rows_that_only_lead_to_others_need_their_condition_less() -> None:
    joined = "FROM tickets k JOIN trips t ON t.trip_id = k.trip_id JOIN piers p ON p.pier_id = t.pier_id"
    passed = weights("Tickets per pier", f"SELECT p.name, COUNT(*) {joined} GROUP BY p.name")
    counted = weights("Trips per pier", f"SELECT p.name, COUNT(DISTINCT t.trip_id) {joined} GROUP BY p.name")
    assert passed["CONVENTION_MISSING"] > -1 > counted["CONVENTION_MISSING"]


def test_who_follows_one_condition_of_two_knows_half_of_the_house() -> None:
    sql = "SELECT COUNT(*) FROM trips t JOIN boats b ON b.boat_id = t.boat_id WHERE t.deleted_at IS NULL"
    part = weights("How many trips with which boats?", sql.replace("COUNT(*)", "b.boat_id, t.trip_id"))
    both = weights(
        "How many trips with which boats?", f"{sql.replace('COUNT(*)', 'b.boat_id, t.trip_id')} AND is_demo = 0"
    )
    assert part["CONVENTION_FOLLOWED"] < both["CONVENTION_FOLLOWED"]


def test_a_look_alike_of_a_table_that_is_not_read_is_a_doubt() -> None:
    asked = "How many new boats in 2025?"
    alone = "SELECT COUNT(*) FROM boats WHERE is_demo = 0 AND built_on >= '2025-01-01' AND built_on < '2026-01-01'"
    beside = alone.replace("FROM boats", "FROM boats JOIN trips ON trips.boat_id = boats.boat_id")
    assert weights(asked, alone)["LOOK_ALIKE_READ"] > weights(asked, beside)["LOOK_ALIKE_READ"]


@pytest.mark.parametrize("word", ["anywhere", "somewhere", "anybody"])
def test_nobody_is_called_so(word: str) -> None:
    found = weights(
        f"Boats that have not called {word} since May",
        "SELECT name FROM boats WHERE is_demo = 0 AND NOT EXISTS (SELECT 1 FROM trips WHERE trips.boat_id = boats.id"
        " AND deleted_at IS NULL AND left_at >= '2025-05-01')",
        enriched_question="Boats without a trip since 1 May 2025",
        occurred_at="2025-09-01T00:00:00",
    )
    assert {"NAME_UNUSED", "DEFINITION_WEAKENS"}.isdisjoint(found)


def test_more_often_is_after_fewer_weeks() -> None:
    found = weights(
        "How many boats are cleaned every 4 weeks or more often?",
        "SELECT COUNT(*) FROM boats WHERE is_demo = 0 AND every_n_weeks <= 4",
    )
    assert {"COMPARISON_FLIPPED", "FILTER_MISMATCHED"}.isdisjoint(found)


def test_texts_of_nations_are_texts() -> None:
    found = Scorer().score(
        question="Who owns Blue Heron?", sql="SELECT owner FROM boats WHERE name LIKE N'%Blue Heron%'", dialect="tsql"
    )
    assert found.sql_spec["filters"][0]["op"] == "contains"
