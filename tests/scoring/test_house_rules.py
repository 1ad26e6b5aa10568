"""What a tenant's rules say of look-alike columns and of the fiscal year, held against answers."""

from __future__ import annotations

import pytest

from scoring.rules import LookAlike, Rules
from scoring.values import FiscalYear
from service.judges.weights import local_judge
from tests.examples import example_case

ASKED = "2026-04-21"
RULES = Rules(
    look_alikes=(
        LookAlike(column="bookings.sailed_on", instead_of=("bookings.made_at", "bookings.cancelled_at")),
        LookAlike(column="bookings.made_at", instead_of=("bookings.sailed_on",), when=("sales",)),
        LookAlike(column="bookings.net_cents", instead_of=("bookings.gross_cents",), when=("sales", "takings")),
    ),
    fiscal_year=FiscalYear(starts=10, words=("ytd", "quarter")),
)


def codes(question: str, sql: str, asked: str | None = ASKED) -> set[str]:
    case = example_case(question, sql, asked=asked, rules=RULES)
    return {each.code.value for each in local_judge().judge(case).reasons}


def counted(column: str) -> str:
    return f"SELECT COUNT(*) FROM bookings WHERE {column} >= '2026-03-01' AND {column} < '2026-04-01'"


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("How many bookings in March 2026?", counted("made_at")),
        ("What were our takings?", "SELECT SUM(gross_cents) / 100 FROM bookings"),
        (
            "Sales in 2026",
            "SELECT SUM(net_cents) FROM bookings WHERE YEAR(sailed_on) = 2026",
        ),
    ],
)
def test_a_look_alike_is_read(question: str, sql: str) -> None:
    assert "LOOK_ALIKE_READ" in codes(question, sql)


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("How many bookings in March 2026?", counted("sailed_on")),
        ("How many bookings were made in March 2026?", counted("made_at")),
        ("How many bookings were cancelled in March 2026?", counted("cancelled_at")),
        ("How many bookings are still on?", "SELECT COUNT(*) FROM bookings WHERE cancelled_at IS NULL"),
        (
            "Sales in 2026",
            "SELECT SUM(net_cents) FROM bookings WHERE YEAR(made_at) = 2026",
        ),
        ("What were our gross takings?", "SELECT SUM(gross_cents) / 100 FROM bookings"),
        ("How many tickets in March 2026?", counted("made_at").replace("bookings", "tickets")),
    ],
)
def test_the_column_that_is_meant_or_spoken_of_is_none(question: str, sql: str) -> None:
    assert "LOOK_ALIKE_READ" not in codes(question, sql)


def fares(start: str, end: str) -> str:
    return f"SELECT SUM(fare) FROM trips WHERE sailed_on >= DATE '{start}' AND sailed_on < DATE '{end}'"


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("Fares this fiscal year", ("2025-10-01", "2026-10-01"), ("2026-01-01", "2027-01-01")),
        ("Fares ytd", ("2025-10-01", "2026-10-01"), ("2026-01-01", "2027-01-01")),
        ("Fares last fiscal year", ("2024-10-01", "2025-10-01"), ("2025-01-01", "2026-01-01")),
        ("Fares in FY25", ("2024-10-01", "2025-10-01"), ("2025-01-01", "2026-01-01")),
        ("Fares in Q2", ("2026-01-01", "2026-04-01"), ("2025-04-01", "2025-07-01")),
        ("Fares in Q3 of FY25", ("2025-04-01", "2025-07-01"), ("2025-07-01", "2025-10-01")),
    ],
)
def test_the_fiscal_year_is_the_house_s_own(question: str, right: tuple[str, str], wrong: tuple[str, str]) -> None:
    assert codes(question, fares(*right)).isdisjoint({"FISCAL_YEAR_AS_CALENDAR", "FILTER_MISMATCHED"})
    assert "FISCAL_YEAR_AS_CALENDAR" in codes(question, fares(*wrong))


@pytest.mark.parametrize("question", ["Fares in calendar year 2025", "Fares in 2025", "Fares last year"])
def test_other_years_are_the_calendar_s(question: str) -> None:
    assert codes(question, fares("2025-01-01", "2026-01-01")).isdisjoint(
        {"FISCAL_YEAR_AS_CALENDAR", "FILTER_MISMATCHED"}
    )


@pytest.mark.parametrize("asked", ["0001-03-01", "9999-12-01"])
@pytest.mark.parametrize("question", ["Fares ytd", "Fares last fiscal year", "Fares in Q2"])
def test_the_first_and_the_last_year_end_in_no_error(question: str, asked: str) -> None:
    assert "FISCAL_YEAR_AS_CALENDAR" not in codes(question, fares("2026-01-01", "2027-01-01"), asked)


def test_without_a_time_of_the_event_nothing_is_said() -> None:
    sql = "SELECT SUM(fare) FROM trips WHERE sailed_on >= '2026-01-01'"
    assert "FISCAL_YEAR_AS_CALENDAR" not in codes("Fares ytd", sql, asked=None)
