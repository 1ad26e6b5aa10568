"""Ray Data, with the extra `ray`: scores a data set of answers on all workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from sqlassay.tables import TableScorer

try:
    import_module("ray.data")
    pa: Any = import_module("pyarrow")
except ModuleNotFoundError as error:
    message = "sqlassay.ray needs Ray Data: pip install 'sqlassay[ray]'"
    raise ModuleNotFoundError(message, name="ray") from error


def score_dataset(
    dataset: Any,
    *,
    rules: Mapping[str, object] | None = None,
    columns: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
    cpu_seconds: float | None = None,
    batch_size: int = 1024,
) -> Any:
    """Returns a data set with the columns in `keep` and those of the scores, a row for each row of `dataset`.

    The options are those of `TableScorer`; `batch_size` rows are scored by one call. The workers need this package.
    """
    scorer = TableScorer(rules, columns=columns, keep=keep, cpu_seconds=cpu_seconds)

    def score(table: Any) -> Any:
        empty = scorer(pa.RecordBatch.from_pylist([], schema=table.schema))
        return pa.Table.from_batches(map(scorer, table.to_batches()), schema=empty.schema)

    return dataset.map_batches(score, batch_format="pyarrow", batch_size=batch_size)
