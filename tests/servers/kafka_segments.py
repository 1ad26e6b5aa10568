"""The batches in a broker's log on disk, and ways to damage one as a failing disk or a faulty writer would.

A broker does not look at a batch that it sends: what is changed in its file is what consumers get.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from aiokafka.record.util import calc_crc32c

_HEAD = 61
_MAGIC_AT, _CRC_AT, _COVERED_AT, _CODEC_AT, _LAST_AT = 16, 17, 21, 22, 23


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBatch:
    """One batch in a log."""

    log: Path
    at: int
    first: int
    last: int
    raw: bytes

    def become(self, raw: bytes) -> None:
        """Changes its bytes in the log."""
        assert len(raw) == len(self.raw)
        with self.log.open("r+b") as log:
            log.seek(self.at)
            log.write(raw)


Damage = Callable[[bytes], bytes]
"""What becomes of a batch."""


def batches(data: Path, topic: str, partition: int) -> Iterator[StoredBatch]:
    """All batches of a partition that has one segment, oldest first."""
    log = data / f"{topic}-{partition}" / "00000000000000000000.log"
    content, at = log.read_bytes(), 0
    while at < len(content):
        first, length = struct.unpack_from(">qi", content, at)
        raw = content[at : at + 12 + length]
        (delta,) = struct.unpack_from(">i", raw, _LAST_AT)
        yield StoredBatch(log=log, at=at, first=first, last=first + delta, raw=raw)
        at += len(raw)


def wrong_checksum(raw: bytes) -> bytes:
    """A byte of the last record is another."""
    return raw[:-2] + bytes([raw[-2] ^ 0x01]) + raw[-1:]


def unknown_codec(raw: bytes) -> bytes:
    """Packed in a way that does not exist; the checksum is right."""
    return _corrected(raw, _CODEC_AT, raw[_CODEC_AT] | 0x07)


def broken_compression(raw: bytes) -> bytes:
    """Says that it is packed with gzip, which it is not; the checksum is right."""
    return _corrected(raw, _CODEC_AT, raw[_CODEC_AT] & ~0x07 | 0x01)


def old_format(raw: bytes) -> bytes:
    """Says that it is of a format that the broker must not send any more."""
    return raw[:_MAGIC_AT] + b"\x01" + raw[_MAGIC_AT + 1 :]


def wrong_offset(raw: bytes) -> bytes:
    """Says that it begins far beyond the end of its partition."""
    return struct.pack(">q", 10**9) + raw[8:]


def too_large(raw: bytes) -> bytes:
    """Says that it is longer than all that the broker sends."""
    return raw[:8] + struct.pack(">i", 2**30) + raw[12:]


def _corrected(raw: bytes, at: int, byte: int) -> bytes:
    changed = raw[:at] + bytes([byte]) + raw[at + 1 :]
    return changed[:_CRC_AT] + struct.pack(">I", calc_crc32c(changed[_COVERED_AT:])) + changed[_COVERED_AT:]
