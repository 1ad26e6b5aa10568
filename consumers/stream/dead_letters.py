"""Dead letters: records that can never become an evaluation, kept with the reason; how they are read and replayed."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from consumers.errors import Unavailable
from consumers.evaluation.outcomes import Trigger
from consumers.stream.ports import Message, Publisher, StreamRecord

MAX_KEPT_BYTES = 900 * 1024
"""Bytes of a record's value that its dead letter keeps: brokers refuse messages over 1 MiB by default."""
KEPT_BYTES = (MAX_KEPT_BYTES, MAX_KEPT_BYTES // 10, MAX_KEPT_BYTES // 100, MAX_KEPT_BYTES // 1000, 0)
"""Sizes to try, for brokers that accept less. The last one keeps only the record's place and the reason."""
MAX_DETAIL = 500
HEADER_PREFIX = "dead-letter-"
"""Prefix of the headers that hold a dead letter's origin and reason."""
TRIGGER_HEADER = "sqlassay-trigger"
"""Header of a record that was replayed."""
_MARK_HEADER = HEADER_PREFIX + "replayed"
_MOST_HEADERS = 48 * 1024
"""Bytes of a record's own headers that are kept."""
_MOST_KEY = 16 * 1024
_KEY_HEADER = HEADER_PREFIX + "key"
"""Header with the record's own key."""


def dead_letter(record: StreamRecord, topic: str, *, reason: str, detail: str, most: int = MAX_KEPT_BYTES) -> Message:
    """The dead letter of a record: its value cut to `most` bytes, with its place and the reason in the headers."""
    value, key = record.value, record.key
    cut = value is not None and len(value) > most
    texts = {
        "reason": reason,
        "detail": detail[:MAX_DETAIL],
        "topic": record.topic,
        "partition": str(record.partition),
        "offset": str(record.offset),
        "timestamp": str(record.timestamp),
        # to Kafka a null value deletes the key's records, so a tombstone's dead letter gets an empty value
        "tombstone": "1" if value is None else "",
        "truncated": str(len(value)) if cut and value is not None else "",
    }
    headers = [(HEADER_PREFIX + name, text.encode("utf-8", "replace")) for name, text in texts.items() if text]
    if most and key is not None and len(key) <= _MOST_KEY:
        headers.append((_KEY_HEADER, key))
    return Message(
        topic=topic,
        # a unique key: a compacted topic needs one, and a tombstone with it removes only this dead letter
        key=_key_of(record).encode(),
        value=(value or b"")[:most],
        headers=[*(_own_headers(record) if most else ()), *headers],
    )


class UnpublishedDeadLetter(NamedTuple):
    """A dead letter to publish."""

    record: StreamRecord
    topic: str
    reason: str
    detail: str

    def message(self, most: int) -> Message:
        """The dead letter with at most `most` bytes of the record's value."""
        return dead_letter(self.record, self.topic, reason=self.reason, detail=self.detail, most=most)


async def publish_cut(
    publish: Callable[[Sequence[Message]], Awaitable[Collection[int]]], drafts: Sequence[UnpublishedDeadLetter]
) -> list[int]:
    """Publishes dead letters, each cut until the broker accepts it; returns the positions of those it never accepts.

    `publish` returns the positions of the messages that are too large.
    """
    left = list(range(len(drafts)))
    for most in KEPT_BYTES:
        refused = await publish([drafts[place].message(most) for place in left])
        left = [left[place] for place in sorted(refused)]
        if not left:
            break
    return left


async def publish_dead_letter(publisher: Publisher, draft: UnpublishedDeadLetter) -> None:
    """Returns once the dead letter is acknowledged; raises `Unavailable`, also where the broker refuses every size."""
    if await publish_cut(publisher.publish, [draft]):
        raise Unavailable(f"the broker refuses every record on {draft.topic}, however small")


def _key_of(record: StreamRecord) -> str:
    if record.offset >= 0:
        return f"{record.topic}/{record.partition}/{record.offset}"
    return f"{record.topic}/{hashlib.sha256(record.value or b'').hexdigest()}"


def _own_headers(record: StreamRecord) -> list[tuple[str, bytes]]:
    kept, size = list[tuple[str, bytes]](), 0
    for text, raw in record.headers:
        # bytes that are not UTF-8 come as lone surrogates, which cannot be written
        name = text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        size += len(name) + len(raw or b"")
        if size <= _MOST_HEADERS and not name.startswith(HEADER_PREFIX):
            kept.append((name, raw))
    return kept


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainRecord:
    """An event that was not or cannot be read from a topic, as a record."""

    topic: str
    """The topic to which a replay sends it."""
    key: bytes | None
    value: bytes | None
    partition: int = -1
    offset: int = -1
    timestamp: int = -1
    headers: Sequence[tuple[str, bytes]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """One record of the dead-letter topic, decoded."""

    reason: str
    detail: str
    topic: str
    partition: int
    offset: int
    truncated: int | None
    """Bytes of the whole value, where only its beginning is kept."""
    tombstone: bool
    is_replay: bool
    """Whether the record was a replayed dead letter already: it failed twice."""
    key: bytes | None
    value: bytes
    headers: Sequence[tuple[str, bytes]]
    """The original record's."""

    @property
    def cannot_be_replayed(self) -> str | None:
        """Why; `None` if it can be."""
        if self.is_replay:
            return "it was replayed before, and is a dead letter again"
        if self.truncated is not None:
            return f"only the first part of its {self.truncated} bytes was kept"
        return "it has no value" if self.tombstone else None


def read_dead_letter(record: StreamRecord) -> DeadLetter:
    """Decodes a record of the dead-letter topic; missing headers read as unknown."""
    fields = {
        name.removeprefix(HEADER_PREFIX): (raw or b"").decode("utf-8", "replace")
        for name, raw in record.headers
        if name.startswith(HEADER_PREFIX)
    }
    own = [(name, raw) for name, raw in record.headers if not name.startswith(HEADER_PREFIX)]
    return DeadLetter(
        reason=fields.get("reason", "UNKNOWN"),
        detail=fields.get("detail", ""),
        topic=fields.get("topic", ""),
        partition=_number(fields.get("partition")),
        offset=_number(fields.get("offset")),
        truncated=_number(fields["truncated"]) if fields.get("truncated") else None,
        tombstone=fields.get("tombstone") == "1",
        is_replay=trigger_of(own) is Trigger.REPLAY,
        key=next((raw for name, raw in record.headers if name == _KEY_HEADER), None),
        value=record.value or b"",
        headers=own,
    )


def replay_message(letter: DeadLetter, topic: str) -> Message:
    """The original record with a header that keeps it from being replayed twice."""
    own = [(name, raw) for name, raw in letter.headers if name != TRIGGER_HEADER]
    headers = [*own, (TRIGGER_HEADER, Trigger.REPLAY.value.encode())]
    return Message(topic=topic, key=letter.key, value=letter.value, headers=headers)


def replay_mark(topic: str, partition: int, offset: int) -> Message:
    """A message for the dead-letter topic: the dead letter at this place was replayed."""
    place = f"{partition}:{offset}".encode()
    return Message(topic=topic, key=b"mark/" + place, value=b"", headers=[(_MARK_HEADER, place)])


def is_mark(record: StreamRecord) -> bool:
    """Whether a record of the dead-letter topic is a replay mark."""
    return any(name == _MARK_HEADER for name, _ in record.headers)


def mark_of(record: StreamRecord) -> tuple[int, int]:
    """The partition and offset of the dead letter that was replayed."""
    place = next((raw or b"" for name, raw in record.headers if name == _MARK_HEADER), b"").decode("utf-8", "replace")
    partition, _, offset = place.partition(":")
    return _number(partition), _number(offset)


def trigger_of(headers: Sequence[tuple[str, bytes]]) -> Trigger:
    """REPLAY where a header says so, else LIVE."""
    marked = any(name == TRIGGER_HEADER and raw == Trigger.REPLAY.value.encode() for name, raw in headers)
    return Trigger.REPLAY if marked else Trigger.LIVE


def _number(text: str | None) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 19 else -1
