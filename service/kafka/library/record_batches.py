"""Splits what a broker returns for one partition into batches, and refuses those that cannot be right.

aiokafka decodes a batch, with two exceptions. Kafka accepts header names that are not UTF-8, which aiokafka cannot
decode: such a batch is read here, with the invalid bytes kept as lone surrogates, so that its events become dead
letters like all others. And a batch's checksum covers neither its offset nor its length: both are compared with what
was asked for and with what follows, because a wrong offset would make the consumer skip records.
"""

from __future__ import annotations

import struct
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, NamedTuple

from aiokafka.codec import gzip_decode, lz4_decode, snappy_decode, zstd_decode
from aiokafka.errors import CorruptRecordException
from aiokafka.record.memory_records import MemoryRecords
from aiokafka.record.util import decode_varint

_HEAD = struct.Struct(">qiibIhiqqqhii")
_LENGTH_ENDS = 12
"""Where the bytes begin that a batch's length counts."""
_MAGIC_AT = 16
_UNPACK = {0: bytes, 1: gzip_decode, 2: snappy_decode, 3: lz4_decode, 4: zstd_decode}
_APPENDED = 1
"""Timestamp type of a time that the broker assigned."""


class _Head(NamedTuple):
    """The head of a batch (Kafka protocol, RecordBatch)."""

    base: int
    """Offset of its first record."""
    length: int
    epoch: int
    magic: int
    checksum: int
    attributes: int
    last_delta: int
    """Offset of its last record, from `base`."""
    first_time: int
    last_time: int
    producer: int
    producer_epoch: int
    sequence: int
    number: int
    """Of its records."""


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


class FetchedBatches:
    """The batches of one partition in one response, in the shape that aiokafka's fetcher expects."""

    def __init__(self, data: bytes, *, offset: int, end: int) -> None:
        self._data, self._at, self._next, self._end = data, 0, offset, end
        self.last: int | None = None
        """Offset of the last record of the batch being read; `None` where nothing says it credibly."""

    def has_next(self) -> bool:
        """Whether another batch follows. One that is cut off comes whole with the next fetch, unless it is first."""
        return self._at < len(self._data) and (self._at == 0 or self._size(self._at) is not None)

    def next_batch(self) -> Any:
        """The next batch; raises `CorruptRecordException` if its place or size is impossible."""
        self.last = None
        size = self._size(self._at)
        if size is None:
            said = int.from_bytes(self._data[8:_LENGTH_ENDS]) + _LENGTH_ENDS
            raise CorruptRecordException(f"a batch of {said} bytes, of which the broker returned {len(self._data)}")
        following = self._offset(self._at + size)
        if following is not None and self._next < following <= self._end:
            # this one ends before the next, whatever its own head says
            self.last = following - 1
        raw = self._data[self._at : self._at + max(0, size)]
        if len(raw) > _MAGIC_AT and raw[_MAGIC_AT] >= 2:
            try:
                self._check(raw, following)
            except CorruptRecordException:
                if following is None or following > self._next:
                    raise
                # what is due begins behind it: the broker returns a damaged batch before those that it cannot place
                self._at += size
                return self.next_batch()
        batch = MemoryRecords(raw).next_batch()
        if batch is None:
            raise CorruptRecordException(f"a batch of {size} bytes")
        self._at += size
        return _LenientBatch(batch, memoryview(raw))

    def _size(self, at: int) -> int | None:
        """Bytes of the batch at this place; `None` where it is cut off."""
        if len(self._data) - at < _LENGTH_ENDS:
            return None
        size = _LENGTH_ENDS + int.from_bytes(self._data[at + 8 : at + _LENGTH_ENDS], signed=True)
        return size if at + size <= len(self._data) else None

    def _check(self, raw: bytes, following: int | None) -> None:
        if len(raw) < _HEAD.size:
            raise CorruptRecordException(f"a batch of {len(raw)} bytes")
        head = _Head._make(_HEAD.unpack_from(raw))
        due, last = self._next, head.base + head.last_delta
        if following is None and due <= last < self._end:
            self.last = last
        begins_early = self._at > 0 and head.base < due
        # one that begins where it is due is right, and the next is wrong if both hold the same offsets
        overlaps = head.base != due and following is not None and last >= following
        if begins_early or overlaps or head.last_delta < 0 or not due <= last < self._end:
            raise CorruptRecordException(f"a batch of offsets {head.base} to {last} where {due} is due")
        self._next = last + 1

    def _offset(self, at: int) -> int | None:
        """First offset of the batch at this place; `None` if no whole batch is there."""
        return None if self._size(at) is None else int.from_bytes(self._data[at : at + 8], signed=True)


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
    head = _Head._make(_HEAD.unpack_from(raw))
    body = bytearray(_UNPACK[head.attributes & 7](raw[_HEAD.size :]))
    at = 0
    for number in range(head.number):
        length, start = decode_varint(body, at)
        at = start + length
        if number >= skipped:
            try:
                record = _record(body, start, at, head)
            except IndexError as error:
                raise CorruptRecordException("a record says that it is longer than its batch") from error
            yield record


def _record(body: bytearray, start: int, end: int, head: _Head) -> ForeignRecord:
    kind = (head.attributes >> 3) & 1
    since, at = decode_varint(body, start + 1)
    place, at = decode_varint(body, at)
    key, at = _bytes(body, at)
    value, at = _bytes(body, at)
    headers, at = _headers(body, at)
    if at != end:
        raise CorruptRecordException(f"a record ends at byte {at} of its batch and not at {end}")
    return ForeignRecord(
        offset=head.base + place,
        timestamp=head.last_time if kind == _APPENDED else head.first_time + since,
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
