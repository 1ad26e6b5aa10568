"""Batches of Arrow: one row of scores for each row of answers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sqlassay import Scorer, score, score_many

pa = pytest.importorskip("pyarrow", reason="needs pyarrow: the extra arrow")

ANSWERS = [
    {"question": "How many hens?", "sql": "SELECT COUNT(*) FROM hens", "dialect": None, "bytes": b"\xff"},
    {"question": "How many eggs last month?", "sql": None, "dialect": "duckdb", "bytes": b""},
    {"question": "List the barns", "sql": "SELECT name FROM barns", "dialect": "klingon", "bytes": None},
]


def test_a_batch_has_the_scores_of_its_answers() -> None:
    from sqlassay.arrow import SCORES, score_batch

    scores = score_batch(pa.RecordBatch.from_pylist(ANSWERS))
    assert scores.schema == SCORES
    expected = list(score_many(ANSWERS))
    for row, answer in zip(scores.to_pylist(), expected, strict=True):
        assert (row["score"], row["p_correct"], row["unscored"]) == (answer.score, answer.p_correct, answer.unscored)
        assert [each["detail"] for each in row["reasons"]] == [each.detail for each in answer.reasons]


def test_a_batch_is_scored_with_the_rules_of_a_scorer_and_at_its_time() -> None:
    from sqlassay.arrow import score_batch

    at, rules = datetime(2025, 2, 10, tzinfo=UTC), {"benign_filters": ["barn = 'north'"]}
    answer = {
        "question": "How many eggs were laid last month?",
        "sql": "SELECT COUNT(*) FROM eggs WHERE laid_on >= '2025-01-01' AND laid_on < '2025-02-01' AND barn = 'north'",
        "occurred_at": at,
    }
    [row] = score_batch(pa.RecordBatch.from_pylist([answer]), scorer=Scorer(rules)).to_pylist()
    assert row["score"] == score(**answer, rules=rules).score != score(**answer).score


def test_an_empty_batch_gives_an_empty_one() -> None:
    from sqlassay.arrow import SCORES, score_batch

    empty = pa.RecordBatch.from_pylist([], schema=pa.schema([("question", pa.string()), ("sql", pa.string())]))
    assert score_batch(empty).equals(pa.RecordBatch.from_pylist([], schema=SCORES))
