"""Gives dbt-duckdb the function `assay(question, sql)`: the score of an answer, or NULL."""

import duckdb
import pyarrow as pa
from dbt.adapters.duckdb.plugins import BasePlugin

from sqlassay.arrow import score_batch


class Plugin(BasePlugin):
    """Registers the function in each connection."""

    def configure_connection(self, conn: duckdb.DuckDBPyConnection) -> None:
        """Called by dbt-duckdb."""
        conn.create_function("assay", _assay, ["VARCHAR", "VARCHAR"], "DOUBLE", type="arrow", null_handling="special")


def _assay(question: pa.ChunkedArray, sql: pa.ChunkedArray) -> pa.Array:
    columns = [pa.concat_arrays(each.chunks) for each in (question, sql)]
    return score_batch(pa.RecordBatch.from_arrays(columns, names=["question", "sql"])).column("score")
