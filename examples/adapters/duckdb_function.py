"""`assay(question, sql)` in DuckDB: SELECT agent, avg(assay(question, sql)) FROM 'answers.parquet' GROUP BY agent."""

import duckdb
import pyarrow as pa

from sqlassay.arrow import score_batch


def register(connection: duckdb.DuckDBPyConnection) -> None:
    """Gives the connection the function."""

    def assay(question: pa.ChunkedArray, sql: pa.ChunkedArray) -> pa.Array:
        columns = [pa.concat_arrays(each.chunks) for each in (question, sql)]
        return score_batch(pa.RecordBatch.from_arrays(columns, names=["question", "sql"])).column("score")

    connection.create_function("assay", assay, ["VARCHAR", "VARCHAR"], "DOUBLE", type="arrow", null_handling="special")
