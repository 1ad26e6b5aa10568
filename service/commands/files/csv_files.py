"""Answers in CSV: the first record names the columns; commas, semicolons and tabs part them."""

from __future__ import annotations

import csv
import io
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from io import BufferedReader
from typing import BinaryIO

from consumers.wire.events import MAX_EVENT_BYTES
from service.commands.exits import refuse
from service.commands.files.columns import Columns, table_line
from service.commands.files.row_sinks import RowSink, flat_row
from service.commands.jsonl import InputLine
from service.csv_tables import CsvTable

_SEPARATORS = ",;\t"
_LONGEST_CELL = 4 * MAX_EVENT_BYTES


def csv_lines(stream: BinaryIO, source: str, columns: Columns) -> Iterator[InputLine]:
    """Reads the head at once and returns each record as a line of JSON.

    Ends the command if the text is no CSV, is empty or lacks a column.
    """
    csv.field_size_limit(_LONGEST_CELL)
    separator = _separator(stream)
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    reader = csv.DictReader(text, restval="", delimiter=separator, strict=True)
    with _faults_named(source, reader):
        names = reader.fieldnames
    if not names:
        refuse(f"{source} is empty: the first line of a CSV file names its columns, such as question,sql")
    return _records(source, reader, columns.of_table(source, names))


def _records(source: str, reader: csv.DictReader[str], fields: dict[str, str]) -> Iterator[InputLine]:
    begins = reader.line_num + 1
    with _faults_named(source, reader):
        for row in reader:
            yield table_line(begins, row, fields)
            begins = reader.line_num + 1


@contextmanager
def _faults_named(source: str, reader: csv.DictReader[str]) -> Generator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        refuse(f"cannot read {source}: byte {error.object[error.start]:#04x} is not UTF-8; save it as UTF-8")
    except csv.Error as error:
        refuse(f"cannot read {source}: line {reader.line_num} is not CSV ({error}): close its quotes")


def _separator(stream: BinaryIO) -> str:
    """The sign that parts the columns: the one of which the first line has most."""
    begin: bytes = stream.peek(1) if isinstance(stream, BufferedReader) else b""
    head = begin.partition(b"\n")[0]
    return max(_SEPARATORS, key=lambda sign: head.count(sign.encode()))


def csv_rows(stream: BinaryIO, target: str, fields: tuple[str, ...]) -> RowSink:
    """Writes the head of a table, and returns what writes its rows."""
    return _CsvRows(stream, "\t" if target.lower().endswith(".tsv") else ",", fields)


class _CsvRows:
    def __init__(self, stream: BinaryIO, separator: str, fields: tuple[str, ...]) -> None:
        self._stream, self._fields = stream, fields
        self._text = io.StringIO(newline="")
        self._table = CsvTable(self._text, separator=separator)
        self._table.write(fields)
        self._flush()

    def write(self, content: bytes, /) -> None:
        self._table.write(flat_row(content, self._fields).values())
        self._flush()

    def _flush(self) -> None:
        self._stream.write(self._text.getvalue().encode())
        self._text.seek(0)
        self._text.truncate()
