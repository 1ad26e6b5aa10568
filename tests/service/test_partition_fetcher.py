"""One byte of one batch is wrong: no record is skipped or changed, and the place is named."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest
from aiokafka import TopicPartition
from aiokafka.record.default_records import DefaultRecordBatchBuilder
from aiokafka.record.util import calc_crc32c

from consumers.stream.ports import UnreadableBatch
from service.kafka.library.partition_fetcher import FetchedRecords
from service.kafka.library.record_batches import FetchedBatches

EACH, ALL = 6, 18
"""Records of a batch, and of the three batches of a fetch."""
PLACE = TopicPartition("query-events", 3)
CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}
CRC_AT, COVERED_AT, MAGIC_AT = 17, 21, 16


def batch(codec: int, first: int) -> bytes:
    """A batch whose first record has this offset, as a broker stores it."""
    builder = DefaultRecordBatchBuilder(
        magic=2,
        compression_type=codec,
        is_transactional=0,
        producer_id=-1,
        producer_epoch=-1,
        base_sequence=-1,
        batch_size=10**6,
    )
    for place in range(EACH):
        value = f"value {first + place} ".encode() * 4
        assert builder.append(place, 1000 + place, b"key", value, [("ce_id", b"7")]) is not None
    return struct.pack(">q", first) + bytes(builder.build())[8:]


def corrected(raw: bytearray) -> bytes:
    """The batch with the checksum of what it holds."""
    raw[CRC_AT:COVERED_AT] = struct.pack(">I", calc_crc32c(bytes(raw[COVERED_AT:])))
    return bytes(raw)


def read(data: bytes, offset: int = 0, end: int = ALL) -> tuple[list[tuple[int, bytes]], UnreadableBatch | None, int]:
    """What one fetch gives: records, what ended them, and the offset to fetch from next."""
    records = FetchedRecords(PLACE, FetchedBatches(data, offset=offset, end=end), offset, (), 1)
    found = list(records)
    last = found.pop() if found and isinstance(found[-1], UnreadableBatch) else None
    return [(each.offset, each.value) for each in found], last, records.next_fetch_offset


def wanted(offset: int, end: int) -> list[tuple[int, bytes]]:
    return [(each, f"value {each} ".encode() * 4) for each in range(offset, end)]


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("offset", [0, EACH, EACH + 2])
def test_whichever_byte_of_a_batch_is_changed_no_record_is_skipped_or_changed(codec: str, offset: int):
    parts = [batch(CODECS[codec], first) for first in range(0, ALL, EACH)]
    harmless = 0
    for at in range(len(parts[1])):
        for change in (0x01, 0x80, 0xFF):
            bad = bytearray(parts[1])
            bad[at] ^= change
            fetched = b"".join([*(parts[:1] if offset == 0 else []), bytes(bad), parts[2]])
            records, unreadable, following = read(fetched, offset)
            assert records == wanted(offset, offset + len(records)), (at, change)
            assert following == offset + len(records)
            if unreadable is None and following < ALL:
                # the batch seems cut off, and comes first with the next fetch
                records, unreadable, following = read(bytes(bad) + parts[2], following)
            if unreadable is None:
                harmless += 1
                assert following == ALL, (at, change)
            else:
                assert (unreadable.offset, following) == (max(offset, EACH), max(offset, EACH)), (at, change)
                assert unreadable.last in {None, 2 * EACH - 1}, (at, change)
    # the leader's epoch, and numbers above 2 for the format, change nothing that is read
    assert harmless <= 3 * 5


def changed(at: int, value: int) -> Callable[[bytearray], bytes]:
    def change(raw: bytearray) -> bytes:
        raw[at] = value
        return corrected(raw)

    return change


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (changed(22, 7), "UnsupportedCodecError"),
        (changed(22, 1), "BadGzipFile"),
        (changed(22, 2), "Error"),
        (changed(22, 3), "Error"),
        (changed(22, 4), "Error"),
        (changed(60, 9), "CorruptRecordException"),
        (changed(61, 99), "CorruptRecordException"),
    ],
)
def test_a_batch_that_its_checksum_confirms_and_nothing_can_unpack_ends_its_partition(
    spoil: Callable[[bytearray], bytes], why: str
):
    fetched = batch(0, 0) + spoil(bytearray(batch(0, EACH))) + batch(0, 2 * EACH)
    records, unreadable, _ = read(fetched)
    assert unreadable is not None
    assert why in unreadable.detail
    assert records == wanted(0, len(records))
    assert unreadable.offset == len(records)
    assert unreadable.last == 2 * EACH - 1


def test_a_batch_that_says_it_is_longer_than_what_came_is_unreadable_where_it_comes_first():
    raw = bytearray(batch(0, EACH))
    raw[8:12] = struct.pack(">i", 3_000_000)
    records, unreadable, following = read(batch(0, 0) + bytes(raw))
    assert (len(records), unreadable, following) == (EACH, None, EACH)
    _, unreadable, following = read(bytes(raw), EACH)
    assert unreadable is not None
    assert "a batch of 3000012 bytes" in unreadable.detail
    assert (unreadable.offset, unreadable.last, following) == (EACH, None, EACH)


def test_an_offset_beyond_the_end_of_the_partition_is_not_believed():
    raw = struct.pack(">q", 10**12) + batch(0, 0)[8:]
    records, unreadable, following = read(raw)
    assert (records, following) == ([], 0)
    assert unreadable is not None
    assert "where 0 is due" in unreadable.detail


def test_a_batch_with_a_wrong_offset_before_the_one_that_is_due_is_not_wanted():
    skipped = struct.pack(">q", 10**12) + batch(0, 0)[8:]
    records, unreadable, following = read(skipped + batch(0, EACH) + batch(0, 2 * EACH), EACH)
    assert (records, unreadable, following) == (wanted(EACH, ALL), None, ALL)


def test_offsets_that_compaction_or_transactions_left_out_are_no_damage():
    records, unreadable, following = read(batch(0, 4) + batch(0, 40), end=100)
    assert ([offset for offset, _ in records], unreadable) == ([*range(4, 10), *range(40, 46)], None)
    assert following == 46
