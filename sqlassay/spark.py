"""Spark, with the extra `spark`: scores a data frame of answers where its partitions are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

from sqlassay.tables import TableScorer, row_schema

try:
    _types: Any = import_module("pyspark.sql.types")
    _arrow: Any = import_module("pyspark.sql.pandas.types")
except ModuleNotFoundError as error:
    message = "sqlassay.spark needs PySpark: pip install 'sqlassay[spark]'"
    raise ModuleNotFoundError(message, name="pyspark") from error


def score_frame(
    frame: Any,
    *,
    rules: Mapping[str, object] | None = None,
    columns: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
    cpu_seconds: float | None = None,
) -> Any:
    """Returns a data frame with the columns in `keep` and those of the scores, a row for each row of `frame`.

    The options are those of `TableScorer`. The executors need this package.
    """
    scorer = TableScorer(rules, columns=columns, keep=keep, cpu_seconds=cpu_seconds)
    scores = _arrow.from_arrow_schema(row_schema())
    schema = _types.StructType([*(frame.schema[name] for name in keep), *scores])
    return frame.mapInArrow(_scored(scorer), schema)


def _scored(scorer: TableScorer) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def score(batches: Iterator[Any]) -> Iterator[Any]:
        return map(scorer, batches)

    return score
