"""Arrow, with the extra `arrow`: a batch of answers in, a batch of scores out."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from sqlassay.answers import ScoredAnswer
from sqlassay.scorer import ANSWER_FIELDS, Scorer

try:
    pa: Any = import_module("pyarrow")  # it has no types
except ModuleNotFoundError as error:
    message = "sqlassay.arrow needs pyarrow: pip install 'sqlassay[arrow]'"
    raise ModuleNotFoundError(message, name="pyarrow") from error

_REASON = pa.struct([("code", pa.string()), ("kind", pa.string()), ("detail", pa.string()), ("weight", pa.float64())])
SCORES = pa.schema(
    [
        ("score", pa.float64()),
        ("tier", pa.string()),
        ("verdict", pa.string()),
        ("confidence", pa.float64()),
        ("p_correct", pa.float64()),
        ("reasons", pa.list_(_REASON)),
        ("unscored", pa.string()),
        ("evaluator_version", pa.string()),
    ]
)
"""The columns of a batch of scores; each is what the attribute of `ScoredAnswer` with its name is."""


def score_batch(batch: Any, *, scorer: Scorer | None = None) -> Any:
    """Scores a `pyarrow.RecordBatch`, and returns a `RecordBatch` with one row for each of its rows, in order.

    The columns `question` and `sql` are read, and, where the batch has them, the others that `score_many` reads. The
    result has the columns of `SCORES`. A `Table` has `to_batches`.
    """
    read = [name for name in ANSWER_FIELDS if name in batch.schema.names]
    scored = (scorer or _default_scorer()).score_many(batch.select(read).to_pylist())
    return pa.RecordBatch.from_pylist([_row(each) for each in scored], schema=SCORES)


@cache
def _default_scorer() -> Scorer:
    return Scorer()


def _row(answer: ScoredAnswer) -> dict[str, object]:
    row: dict[str, object] = {name: getattr(answer, name) for name in SCORES.names}
    fields = ("code", "kind", "detail", "weight")
    reasons = [{name: getattr(each, name) for name in fields} for each in answer.reasons]
    return row | {"reasons": reasons}
