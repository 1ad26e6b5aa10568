"""Reads batches of records whose header names are not UTF-8, which Kafka accepts and aiokafka cannot read.

aiokafka decodes names while it unpacks a fetch. A name that is not UTF-8 raises there, loses the records fetched with
it and blocks all that follow. Here such a batch is read again with the invalid bytes kept as lone surrogates, so that
its records are decoded and dead-lettered like all others. See `docs/adr/0020-header-names-that-are-not-utf-8.md`.
"""

from __future__ import annotations

import struct
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, cast

from aiokafka.codec import gzip_decode, lz4_decode, snappy_decode, zstd_decode
from aiokafka.consumer import fetcher
from aiokafka.errors import CorruptRecordException
from aiokafka.record.memory_records import MemoryRecords
from aiokafka.record.util import decode_varint

_BATCH = struct.Struct(">qiibIhiqqqhii")
"""Offset, length, leader epoch, magic, checksum, attributes, last offset, first and last time, producer, epoch,
sequence, count: the head of a batch (Kafka protocol, RecordBatch)."""
_LENGTH_ENDS = 12
_UNPACK = {0: bytes, 1: gzip_decode, 2: snappy_decode, 3: lz4_decode, 4: zstd_decode}
_APPENDED = 1
"""Timestamp type of a time that the broker assigned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignRecord:
    """A record in the shape that aiokafka's fetcher expects."""

    offset: int
    timestamp: int
    timestamp_type: int
    key: bytes | None
    value: bytes | None
    headers: list[tuple[str, bytes | None]]
    checksum: None = None


class LenientRecords:
    """The records of one partition in a fetch: aiokafka's reader, but header names never make a batch fail."""

    def __init__(self, data: bytes) -> None:
        self._records, self._data, self._at = MemoryRecords(data), data, 0

    def has_next(self) -> bool:
        """Whether another complete batch follows."""
        return self._records.has_next()

    def size_in_bytes(self) -> int:
        """Size of everything that was fetched."""
        return self._records.size_in_bytes()

    def next_batch(self) -> Any:
        """The next batch."""
        batch = self._records.next_batch()
        start, length = self._at, int.from_bytes(self._data[self._at + 8 : self._at + _LENGTH_ENDS])
        self._at = start + _LENGTH_ENDS + length
        return _LenientBatch(batch, memoryview(self._data)[start : self._at])


class _LenientBatch:
    """An aiokafka batch with its own iteration."""

    __slots__ = ("_batch", "_raw")

    def __init__(self, batch: Any, raw: memoryview) -> None:
        self._batch, self._raw = batch, raw

    def __getattr__(self, name: str) -> Any:
        return getattr(self._batch, name)

    def __next__(self) -> Any:
        return next(self._batch)

    def __iter__(self) -> Generator[Any]:
        read = 0
        try:
            for record in self._batch:
                yield record
                read += 1
        except UnicodeDecodeError:
            yield from read_batch(self._raw, skipped=read)


def read_batch(raw: memoryview, *, skipped: int = 0) -> Generator[ForeignRecord]:
    """The records of a batch after the first `skipped`; raises aiokafka's `CorruptRecordException` if it is invalid."""
    head = _BATCH.unpack_from(raw)
    attributes, count = head[5], head[-1]
    body = bytearray(_UNPACK[attributes & 7](raw[_BATCH.size :]))
    at = 0
    for number in range(count):
        length, start = decode_varint(body, at)
        at = start + length
        if number >= skipped:
            try:
                record = _record(body, start, at, head)
            except IndexError as error:
                raise CorruptRecordException("a record says that it is longer than its batch") from error
            yield record


def _record(body: bytearray, start: int, end: int, head: tuple[Any, ...]) -> ForeignRecord:
    kind = (head[5] >> 3) & 1
    since, at = decode_varint(body, start + 1)
    place, at = decode_varint(body, at)
    key, at = _bytes(body, at)
    value, at = _bytes(body, at)
    headers, at = _headers(body, at)
    if at != end:
        raise CorruptRecordException(f"a record ends at byte {at} of its batch and not at {end}")
    return ForeignRecord(
        offset=head[0] + place,
        timestamp=head[8] if kind == _APPENDED else head[7] + since,
        timestamp_type=kind,
        key=key,
        value=value,
        headers=headers,
    )


def _bytes(body: bytearray, at: int) -> tuple[bytes | None, int]:
    length, at = decode_varint(body, at)
    return (None, at) if length < 0 else (bytes(body[at : at + length]), at + length)


def _headers(body: bytearray, at: int) -> tuple[list[tuple[str, bytes | None]], int]:
    count, at = decode_varint(body, at)
    found: list[tuple[str, bytes | None]] = []
    for _ in range(count):
        name, at = _bytes(body, at)
        value, at = _bytes(body, at)
        found.append(((name or b"").decode("utf-8", "surrogateescape"), value))
    return found, at


def read_leniently() -> None:
    """Makes every consumer of this process read leniently; raises `AttributeError` if aiokafka has changed."""
    if fetcher.MemoryRecords is not cast("Any", LenientRecords):
        fetcher.MemoryRecords = LenientRecords  # pyright: ignore[reportAttributeAccessIssue] a class of the same shape
