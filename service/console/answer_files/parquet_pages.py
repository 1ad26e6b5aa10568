"""Answers in Parquet, with the extra `arrow`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import IO, Any
from uuid import UUID

from service.api.errors import ApiError
from service.console.answer_files.answer_lines import COLUMNS, COUNTS, NUMBERS

_CHUNK = 256 * 1024
_IN_MEMORY = 4 * 1024 * 1024
"""Bytes of a file beyond which it is kept on the disk while it is made."""


class ParquetAnswers:
    """A Parquet file that grows by pages of answers. Its methods take CPU time: call them in a thread."""

    def __init__(self) -> None:
        """Raises a 501 `ApiError` without the extra `arrow`."""
        try:
            # pyarrow has no types
            self._arrow: Any = import_module("pyarrow")
            parquet: Any = import_module("pyarrow.parquet")
        except ImportError as error:
            fix = "Install the extra on the service, or take JSONL: pip install 'sqlassay[arrow]'."
            message = f"Parquet needs the extra arrow ({error.name} is missing)"
            raise ApiError(501, "EXTRA_MISSING", message, fix) from error
        self._schema: Any = self._arrow.schema([(name, self._kind(name)) for name in COLUMNS])
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 closed by whoever reads it
        self._writer: Any = parquet.ParquetWriter(self._file, self._schema)

    def _kind(self, name: str) -> Any:
        if name == "occurred_at":
            return self._arrow.timestamp("us", tz="UTC")
        if name == "reason_codes":
            return self._arrow.list_(self._arrow.string())
        if name in NUMBERS:
            return self._arrow.float64()
        return self._arrow.int64() if name in COUNTS else self._arrow.string()

    def add(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Writes a page."""
        rows = [{name: _value(each[name]) for name in COLUMNS} for each in lines]
        self._writer.write_table(self._arrow.Table.from_pylist(rows, schema=self._schema))

    def content(self) -> Iterator[bytes]:
        """Ends the file and reads it."""
        self._writer.close()
        with self._file as file:
            file.seek(0)
            while chunk := file.read(_CHUNK):
                yield chunk


def _value(value: object) -> object:
    """The value as a column holds it: an id as text."""
    return str(value) if isinstance(value, UUID) else value
