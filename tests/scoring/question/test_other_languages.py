"""A question in another language is judged by its SQL or its English rewriting, never by words unread."""

import json
from pathlib import Path

import pytest

from scoring.question.other_languages import other_language
from sqlassay import score

FOREIGN = [
    ("Wie viele Buchungen gab es im März je Hafen?", "German"),
    ("Umsatz pro Filiale im letzten Quartal", "German"),
    ("¿Cuántas reservas hubo por puerto el mes pasado?", "Spanish"),
    ("ventas por tienda este año", "Spanish"),
    ("Combien de réservations par port le mois dernier ?", "French"),
    ("Quante prenotazioni per porto nel mese scorso?", "Italian"),
    ("Quantas reservas por porto no mês passado?", "Portuguese"),
    ("Hoeveel boekingen per haven vorige maand?", "Dutch"),
    ("先月の港ごとの予約数は？", "another script"),
    ("Сколько бронирований было в прошлом месяце?", "another script"),
]
BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.mark.parametrize(("question", "language"), FOREIGN)
def test_a_right_answer_in_another_language_is_not_called_wrong(question: str, language: str) -> None:
    assert other_language(question) == language
    found = score(
        question=question,
        sql="SELECT port, COUNT(*) FROM bookings WHERE day >= '2026-03-01' AND day < '2026-04-01' GROUP BY port",
        dialect="postgres",
    )
    assert [each.code for each in found.reasons if each.weight] == ["QUESTION_NOT_ENGLISH"]
    assert found.p_correct is not None
    assert found.p_correct >= 0.5


def test_an_english_rewriting_is_read_in_its_place() -> None:
    found = score(
        question="Wie viele Buchungen gab es 2025 je Hafen?",
        enriched_question="How many bookings were there in 2025 for each port?",
        sql="SELECT COUNT(*) FROM bookings",
        dialect="postgres",
    )
    codes = {each.code for each in found.reasons}
    assert "QUESTION_NOT_ENGLISH" not in codes
    assert "GROUPING_MISSING" in codes


def test_no_question_in_english_is_taken_for_another_language() -> None:
    questions = {
        json.loads(line)["question"]
        for path in BENCHMARKS.glob("mistakes/*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    }
    taken = sorted(each for each in questions if other_language(each))
    assert [each.split()[0] for each in taken] == ["Wie", "kilos"]
