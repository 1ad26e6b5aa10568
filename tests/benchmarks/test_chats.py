"""Answers of everyday agents by authors who knew no judge: few right ones are called wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sqlassay import Scorer

CHATS = Path(__file__).parents[2] / "benchmarks" / "chats"
FIELDS = ("question", "enriched_question", "sql", "dialect", "occurred_at")


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CHATS / name).read_text(encoding="utf-8").splitlines()]


@pytest.mark.slow  # thousands of answers
@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("answers-1.jsonl", 8),
        ("answers-2.jsonl", 4),
        ("answers-3.jsonl", 4),
        ("answers-4.jsonl", 3),
        ("right-1.jsonl", 3),
        ("right-2.jsonl", 1),
        ("right-3.jsonl", 9),
        ("right-4.jsonl", 14),
        ("right-5.jsonl", 9),
        ("right-6.jsonl", 5),
        ("right-7.jsonl", 13),
        ("right-8.jsonl", 6),
        ("right-9.jsonl", 2),
    ],
)
def test_few_right_answers_of_everyday_agents_are_called_wrong(name: str, most: int) -> None:
    right = [each for each in _lines(name) if each["label"]]
    scores = {each["id"]: Scorer().score(**{field: each[field] for field in FIELDS}).p_correct for each in right}
    called_wrong = [key for key, p_correct in scores.items() if p_correct is not None and p_correct < 0.5]
    assert len(called_wrong) <= most, called_wrong


@pytest.mark.slow  # thousands of answers
@pytest.mark.parametrize(
    ("name", "most_low", "least_lost"),
    [
        ("follow_ups.jsonl", 1, 55),
        ("follow_ups-2.jsonl", 1, 52),
        ("follow_ups-3.jsonl", 4, 44),
        ("follow_ups-4.jsonl", 0, 60),
        ("follow_ups-5.jsonl", 5, 50),
        ("follow_ups-6.jsonl", 0, 33),
        ("follow_ups-7.jsonl", 2, 32),
    ],
)
def test_follow_ups_are_judged_by_what_they_mean(name: str, most_low: int, least_lost: int) -> None:
    """Right SQL has 65 points or more, and SQL that lost something 40 or less; or there is no score."""
    scorer, low, lost = Scorer(), 0, 0
    lines = _lines(name)
    for each in lines:
        given = {field: each[field] for field in ("question", "history", "dialect", "occurred_at")}
        right, wrong = (scorer.score(sql=each[sql], **given).score for sql in ("right", "lost"))
        low += right is not None and right < 65
        lost += wrong is None or wrong <= 40
    assert low <= most_low, low
    assert lost >= least_lost, lost
