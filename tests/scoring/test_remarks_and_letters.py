"""Remarks, letters and other words that ask for nothing, and the plain mistakes that new pairs showed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from scoring.question import read_question
from scoring.question.background import is_letter, without_background
from sqlassay import score

ASKED = datetime(2026, 4, 2, 12, tzinfo=UTC)
PAIRS: list[dict[str, str]] = yaml.safe_load((Path(__file__).parents[1] / "cases" / "remarks.yaml").read_text("utf-8"))
LETTER = (
    "Dear colleagues, the harbour board meets on Monday and last year nobody had a figure. Which boats came in more"
    " than 10 times in 2025? A boat that only passed is in another table, and most of them came from Skerry, which has"
    " 3 piers. Please give name and number of visits. Crews don't matter. Thank you, Ida"
)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Hi all, how many boats came in May? Thanks a lot, Ida", "how many boats came in May?"),
        ("how many boats came in may? we run 3 piers", "how many boats came in may?"),
        ("how many boats? Laid up boats are out.", "how many boats? Laid up boats are out."),
        ("how many boats? They have at least 3 berths.", "how many boats? They have at least 3 berths."),
        ("lets in may? The currency is euro", "lets in may? The currency is euro"),
        ("lets in may, the fee was over 50", "lets in may, the fee was over 50"),
        ("lets per pier. Some are drills, leave them out", "lets per pier. Some are drills, leave them out"),
        ("boats per pier. cancelled ones don't count", "boats per pier. cancelled ones don't count"),
        ("how many boats left bc the pier was shut", "how many boats left"),
        ("list boats; the length column is stored in feet", "list boats; the length column is stored in feet"),
    ],
)
def test_what_asks_for_nothing_is_left_out(text: str, kept: str) -> None:
    assert " ".join(without_background(text).split()) == kept


def test_of_a_letter_only_what_asks_is_read() -> None:
    assert is_letter(LETTER)
    assert [each.span for each in read_question(LETTER).filters] == ["more than 10", "2025"]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["question"])
def test_a_right_answer_is_not_called_wrong_and_its_twin_is(pair: dict[str, str]) -> None:
    def p_correct(sql: str) -> float:
        dialect = pair.get("dialect", "postgres")
        found = score(question=pair["question"], sql=sql, dialect=dialect, occurred_at=ASKED).p_correct
        assert found is not None
        return found

    assert p_correct(pair["right"]) >= 0.5
    assert "wrong" not in pair or p_correct(pair["wrong"]) < 0.5


@pytest.mark.parametrize("pair", [each for each in PAIRS if "wrong" in each], ids=lambda pair: pair["question"])
def test_a_comment_changes_nothing(pair: dict[str, str]) -> None:
    """What the wrong twin writes, as a comment of the right one."""
    dialect = pair.get("dialect", "postgres")

    def scored(sql: str) -> tuple[float | None, list[str]]:
        found = score(question=pair["question"], sql=sql, dialect=dialect, occurred_at=ASKED)
        return found.p_correct, [each.code for each in found.reasons]

    assert scored(f"{pair['right']}\n/* not {pair['wrong']} */") == scored(pair["right"])
