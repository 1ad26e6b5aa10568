"""The format of a file of answers, by its suffix: JSONL, CSV or Parquet."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

from consumers.wire.events import MAX_EVENT_BYTES
from service.commands.exits import refuse
from service.commands.files.columns import Columns
from service.commands.files.csv_files import csv_lines, csv_rows
from service.commands.files.row_sinks import RowSink
from service.commands.jsonl import STANDARD, InputLine, open_input, open_output, read_lines, same_file, size_of


class Format(Enum):
    JSONL = auto()
    CSV = auto()
    PARQUET = auto()

    @classmethod
    def of(cls, name: str) -> Format:
        """The format that a file's suffix names. A name without a known one, and stdin, is JSONL.

        >>> Format.of("answers.CSV").name, Format.of("-").name
        ('CSV', 'JSONL')
        """
        return _SUFFIXES.get(Path(name).suffix.lower(), cls.JSONL)


_SUFFIXES = {
    ".csv": Format.CSV,
    ".tsv": Format.CSV,
    ".parquet": Format.PARQUET,
    ".pq": Format.PARQUET,
}


@dataclass(frozen=True, slots=True)
class ScoredFiles:
    """The file of answers, the file of rows, and how to read the first."""

    source: str
    target: str = STANDARD
    columns: Columns = field(default_factory=Columns)

    @property
    def size(self) -> int | None:
        """The bytes of all lines; None where they are not known beforehand."""
        return size_of(self.source) if Format.of(self.source) is Format.JSONL else None

    @contextmanager
    def lines(self) -> Generator[Iterator[InputLine]]:
        """Opens the file of answers; yields its answers as lines of JSON. Ends the command if it cannot be read."""
        if same_file(self.source, self.target):
            refuse(f"{self.source} is both input and output: name another --out")
        kind = Format.of(self.source)
        if kind is Format.PARQUET:
            yield parquet_module().parquet_lines(self.source, self.columns)
            return
        with open_input(self.source) as stream:
            yield csv_lines(stream, self.source, self.columns) if kind is Format.CSV else self._json(stream)

    def _json(self, stream: BinaryIO) -> Iterator[InputLine]:
        return (self.columns.renamed(line) for line in read_lines(stream, MAX_EVENT_BYTES))

    @contextmanager
    def rows(self, fields: tuple[str, ...]) -> Generator[RowSink]:
        """Opens the file of rows; a table has these fields as columns."""
        with row_sink(self.target, fields) as sink:
            yield sink


@contextmanager
def row_sink(target: str, fields: tuple[str, ...]) -> Generator[RowSink]:
    """Opens a file of rows in the format of its suffix; a table has these fields as columns."""
    kind = Format.of(target)
    if kind is Format.PARQUET:
        with parquet_module().parquet_rows(target, fields) as sink:
            yield sink
        return
    with open_output(target) as stream:
        yield csv_rows(stream, target, fields) if kind is Format.CSV else stream


def parquet_module() -> ModuleType:
    """Reads and writes Parquet. Ends the command where pyarrow is not installed."""
    try:
        from service.commands.files import parquet_files  # noqa: PLC0415 an extra
    except ModuleNotFoundError:
        refuse("Parquet needs the package pyarrow: pip install 'sqlassay[arrow]', or use CSV or JSONL")
    return parquet_files
