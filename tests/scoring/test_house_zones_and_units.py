"""What a tenant's rules say of time zones and of stored units, held against answers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sqlassay import Scorer

RULES = {
    "time_zones": [
        {"zone": "Europe/Madrid", "columns": ["trips.left_at", "calls.began_at"]},
        {"zone": "ports.tz_name", "columns": ["landings.landed_at"], "parts": ["hour", "day"]},
        {"zone": "UTC", "columns": ["logs.kept_at"]},
        {"zone": "Europe/Lisbon", "columns": ["visits.begun_at"]},
    ],
    "units": {"trips.fare_ct": "cents", "crews.worked": "tenths of an hour", "boats.load": "kg"},
}
SCORER = Scorer(RULES)


def codes(question: str, sql: str, dialect: str = "postgres") -> set[str]:
    scored = SCORER.score(
        question=question, sql=sql, dialect=dialect, occurred_at=datetime(2026, 4, 21, 10, tzinfo=UTC)
    )
    return {each.code for each in scored.reasons}


MARCH = "SELECT COUNT(*) FROM trips WHERE left_at >= '2026-03-01' AND left_at < '2026-04-01'"
YESTERDAY = "SELECT COUNT(*) FROM calls WHERE began_at::date = current_date - 1"
LANDED = "SELECT COUNT(*) FROM landings WHERE landed_at >= '2026-04-{}' AND landed_at < '2026-04-{}'"


@pytest.mark.parametrize(
    ("question", "sql", "dialect"),
    [
        ("How many trips in March 2026?", MARCH, "postgres"),
        ("How many calls yesterday?", YESTERDAY, "postgres"),
        ("Calls per hour of the day", "SELECT EXTRACT(HOUR FROM began_at), COUNT(*) FROM calls GROUP BY 1", "postgres"),
        ("Trips per day", "SELECT DATE(left_at) AS day, COUNT(*) FROM trips GROUP BY 1", "mysql"),
        ("How many landings on April 3, 2026?", LANDED.format("03", "04"), "postgres"),
        (
            "How many visits in June 2026?",
            MARCH.replace("trips", "visits").replace("left_at", "begun_at").replace("03-", "06-").replace("04-", "07-"),
            "postgres",
        ),
        ("Logs per day", "SELECT DATE(kept_at, 'Asia/Tokyo') AS day, COUNT(*) FROM logs GROUP BY 1", "bigquery"),
    ],
)
def test_a_time_is_cut_in_another_zone(question: str, sql: str, dialect: str) -> None:
    assert "TIME_ZONE_DIFFERS" in codes(question, sql, dialect)


@pytest.mark.parametrize(
    ("question", "sql", "dialect"),
    [
        ("How many trips in March 2026 (UTC)?", MARCH, "postgres"),
        ("How many boats in March 2026?", MARCH.replace("trips", "boats"), "postgres"),
        ("How many trips were there?", "SELECT COUNT(*) FROM trips", "postgres"),
        (
            "Trips in the last 24 hours",
            "SELECT COUNT(*) FROM trips WHERE left_at >= now() - interval '24 hours'",
            "postgres",
        ),
        (
            "How many calls yesterday?",
            YESTERDAY.replace("began_at", "(began_at AT TIME ZONE 'Europe/Madrid')"),
            "postgres",
        ),
        (
            "Trips per day",
            "SELECT DATE(CONVERT_TZ(left_at, 'UTC', 'Europe/Madrid')) AS day, COUNT(*) FROM trips GROUP BY 1",
            "mysql",
        ),
        ("Trips per day", "SELECT DATE(left_at, 'Europe/Madrid') AS day, COUNT(*) FROM trips GROUP BY 1", "bigquery"),
        (
            "How many trips in March 2026?",
            MARCH.replace("'2026-03-01'", "TIMESTAMP('2026-03-01', 'Europe/Madrid')"),
            "bigquery",
        ),
        (
            "How many visits in February 2026?",
            MARCH.replace("trips", "visits").replace("left_at", "begun_at").replace("03-", "02-").replace("04-", "03-"),
            "postgres",
        ),
        ("How many landings in March 2026?", LANDED.replace("04-{}", "0{}-01").format(3, 4), "postgres"),
        ("Logs per day", "SELECT DATE(kept_at) AS day, COUNT(*) FROM logs GROUP BY 1", "bigquery"),
        ("Which trip left last?", "SELECT id FROM trips ORDER BY left_at DESC LIMIT 1", "postgres"),
    ],
)
def test_a_time_is_cut_in_the_house_s_zone_or_nowhere(question: str, sql: str, dialect: str) -> None:
    assert "TIME_ZONE_DIFFERS" not in codes(question, sql, dialect)


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("What did we take in fares?", "SELECT SUM(fare_ct) AS fares FROM trips"),
        ("Average fare per boat", "SELECT boat, AVG(t.fare_ct) AS average_fare FROM trips t GROUP BY boat"),
        ("How long did each crew work?", "SELECT crew, SUM(worked) AS hours FROM crews GROUP BY crew"),
    ],
)
def test_an_amount_is_left_as_it_is_stored(question: str, sql: str) -> None:
    assert "UNIT_LEFT" in codes(question, sql)


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("What did we take in fares?", "SELECT SUM(fare_ct) / 100.0 AS fares FROM trips"),
        ("What did we take in fares, in cents?", "SELECT SUM(fare_ct) AS fares FROM trips"),
        ("What did we take in fares?", "SELECT SUM(fare_ct) AS fares_cents FROM trips"),
        ("How many trips had a fare?", "SELECT COUNT(fare_ct) FROM trips"),
        ("Load per boat", "SELECT boat, SUM(load) AS load FROM boats GROUP BY boat"),
        ("Rank the trips by fare", "SELECT id, RANK() OVER (ORDER BY fare_ct DESC) AS place FROM trips"),
        ("Average fare per boat", "SELECT boat, AVG(fare_ct) AS average_fare FROM tours GROUP BY boat"),
    ],
)
def test_an_amount_is_converted_or_says_its_unit(question: str, sql: str) -> None:
    assert "UNIT_LEFT" not in codes(question, sql)
