"""Answers in Parquet, with the extra `arrow`."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from service.commands.exits import refuse
from service.commands.files.columns import Columns, table_line
from service.commands.files.row_sinks import RowSink, flat_row
from service.commands.jsonl import InputLine

# pyarrow has no types
arrow: Any = import_module("pyarrow")
parquet: Any = import_module("pyarrow.parquet")

_ROWS = 1024
"""Rows that are read or converted together."""
_READ_BYTES = 1 << 20
_BATCHES = 16
"""Batches in a row group: a file's footer describes each group, and both writer and reader hold it in memory."""
_NUMBERS = ("score", "confidence", "p_correct", "p_alone", "p_judge", "cost", "enrichment_score")
_COUNTS = ("line", "tokens_in", "tokens_out", "rules_version")
_MARKS = ("fallback", "cached")
KINDS: dict[str, Any] = {
    **dict.fromkeys(_NUMBERS, arrow.float64()),
    **dict.fromkeys(_COUNTS, arrow.int64()),
    **dict.fromkeys(_MARKS, arrow.bool_()),
}
"""The type of each field that a table holds as a number or mark: that of its stored column. All others are text."""


def parquet_lines(source: str, columns: Columns) -> Iterator[InputLine]:
    """Opens the file at once and returns each row as a line of JSON.

    Ends the command if the file is no Parquet or lacks a column.
    """
    with _faults_named(source):
        file = _opened(source)
    return _records(source, file, columns.of_table(source, file.schema_arrow.names))


def _records(source: str, file: Any, fields: dict[str, str]) -> Iterator[InputLine]:
    number = 0
    with file, _faults_named(source):
        for batch in file.iter_batches(_ROWS, columns=list(fields.values())):
            for row in batch.to_pylist():
                number += 1
                yield table_line(number, row, fields)


def parquet_records(source: str) -> Iterator[dict[str, object]]:
    """Opens the file at once and returns each row as it is. Ends the command if the file is no Parquet."""
    with _faults_named(source):
        file = _opened(source)
    return _rows(source, file)


def _rows(source: str, file: Any) -> Iterator[dict[str, object]]:
    with file, _faults_named(source):
        for batch in file.iter_batches(_ROWS):
            yield from batch.to_pylist()


def _opened(source: str) -> Any:
    # what is read ahead by default stays in memory until the end of the file
    return parquet.ParquetFile(source, pre_buffer=False, buffer_size=_READ_BYTES)


@contextmanager
def _faults_named(source: str) -> Generator[None]:
    try:
        yield
    except (OSError, arrow.ArrowInvalid) as error:
        refuse(f"cannot read {source}: {str(error).splitlines()[0]}")


@contextmanager
def parquet_rows(target: str, fields: tuple[str, ...]) -> Generator[RowSink]:
    """Opens the file, yields what writes its rows, and completes the file on leaving."""
    schema = table_schema(fields)
    try:
        with parquet.ParquetWriter(target, schema) as writer:
            rows = _ParquetRows(writer, schema)
            yield rows
            rows.flush()
    except OSError as error:
        refuse(f"cannot write {target}: {error.strerror or error}")


def table_schema(fields: Iterable[str]) -> Any:
    """The `pyarrow.Schema` of a table of rows with these fields."""
    return arrow.schema([(name, KINDS.get(name, arrow.string())) for name in fields])


class _ParquetRows:
    def __init__(self, writer: Any, schema: Any) -> None:
        self._writer, self._schema = writer, schema
        self._rows: list[dict[str, Any]] = []
        self._batches: list[Any] = []

    def write(self, content: bytes, /) -> None:
        self._rows.append(flat_row(content, self._schema.names))
        if len(self._rows) == _ROWS:
            self._convert()
        if len(self._batches) == _BATCHES:
            self.flush()

    def _convert(self) -> None:
        if self._rows:
            self._batches.append(arrow.RecordBatch.from_pylist(self._rows, schema=self._schema))
            self._rows = []

    def flush(self) -> None:
        """Writes the rows that wait."""
        self._convert()
        if self._batches:
            self._writer.write_table(arrow.Table.from_batches(self._batches))
            self._batches = []
