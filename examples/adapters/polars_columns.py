"""Scores beside the answers of a Polars data frame: with_scores(pl.read_parquet("answers.parquet"))."""

import polars as pl
import pyarrow as pa

from sqlassay.arrow import SCORES, score_batch


def with_scores(answers: pl.DataFrame) -> pl.DataFrame:
    """The frame, which has the columns `question` and `sql`, with the columns of the scores."""
    batches = answers.select("question", "sql").to_arrow().to_batches()
    scores = pa.Table.from_batches([score_batch(each) for each in batches], schema=SCORES)
    return answers.hstack(pl.DataFrame(pl.from_arrow(scores)))
