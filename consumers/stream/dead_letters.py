"""Records that can never become an evaluation: what is kept of one, when there are too many, and how one comes back."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from consumers.errors import Unavailable
from consumers.evaluation.outcomes import Trigger
from consumers.stream.ports import Message, Publisher, StreamRecord

MAX_KEPT_BYTES = 900 * 1024
"""Bytes of a record's value that its dead letter keeps: brokers refuse messages over 1 MiB by default."""
KEPT_BYTES = (MAX_KEPT_BYTES, MAX_KEPT_BYTES // 10, MAX_KEPT_BYTES // 100, MAX_KEPT_BYTES // 1000, 0)
"""The same for brokers that take less; the last letter holds no more than what it is about and why."""
MAX_DETAIL = 500
PREFIX = "dead-letter-"
"""First part of the headers that tell where a dead letter comes from and why."""
TRIGGER = "sqlassay-trigger"
"""Header of a record that is not an agent's own sending."""
_MARK = PREFIX + "replayed"
_MOST_HEADERS = 48 * 1024
"""Bytes of a record's own headers that are kept."""
_MOST_KEY = 16 * 1024
_KEY = PREFIX + "key"
"""Header with the record's own key."""


def dead_letter(record: StreamRecord, topic: str, *, reason: str, detail: str, most: int = MAX_KEPT_BYTES) -> Message:
    """The record as it came, with why it is dead and where it stood; what is too long is cut, and says so."""
    value, key = record.value, record.key
    cut = value is not None and len(value) > most
    said = {
        "reason": reason,
        "detail": detail[:MAX_DETAIL],
        "topic": record.topic,
        "partition": str(record.partition),
        "offset": str(record.offset),
        "timestamp": str(record.timestamp),
        # Kafka reads a null value as the order to forget its key, so a tombstone must not stay one
        "tombstone": "1" if value is None else "",
        "truncated": str(len(value)) if cut and value is not None else "",
    }
    why = [(PREFIX + name, text.encode("utf-8", "replace")) for name, text in said.items() if text]
    if most and key is not None and len(key) <= _MOST_KEY:
        why.append((_KEY, key))
    return Message(
        topic=topic,
        # a key of its own: a compacted topic takes no other, and by it a letter is removed without its neighbours
        key=_place(record).encode(),
        value=(value or b"")[:most],
        headers=[*(_own_headers(record) if most else ()), *why],
    )


async def publish_dead_letter(
    publisher: Publisher, record: StreamRecord, topic: str, *, reason: str, detail: str
) -> None:
    """Returns once the record's dead letter is acknowledged, cut as far as the broker asks; raises `Unavailable`."""
    for most in KEPT_BYTES:
        if not await publisher.publish([dead_letter(record, topic, reason=reason, detail=detail, most=most)]):
            return
    raise Unavailable(f"the broker takes no record on {topic}, however small")


def _place(record: StreamRecord) -> str:
    if record.offset >= 0:
        return f"{record.topic}/{record.partition}/{record.offset}"
    return f"{record.topic}/{hashlib.sha256(record.value or b'').hexdigest()}"


def _own_headers(record: StreamRecord) -> list[tuple[str, bytes]]:
    kept, size = list[tuple[str, bytes]](), 0
    for said, raw in record.headers:
        # foreign bytes come as lone surrogates, which cannot be written
        name = said if said.isascii() else said.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        size += len(name) + len(raw or b"")
        if size <= _MOST_HEADERS and not name.startswith(PREFIX):
            kept.append((name, raw))
    return kept


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainRecord:
    """An event as if its producer had sent it plainly: what is kept of one that stands nowhere on a topic."""

    topic: str
    """Where it would have been sent, and is when it is replayed."""
    key: bytes | None
    value: bytes
    partition: int = -1
    offset: int = -1
    timestamp: int = -1
    headers: Sequence[tuple[str, bytes]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """One record of the dead-letter topic, as a person or a program reads it."""

    reason: str
    detail: str
    topic: str
    partition: int
    offset: int
    truncated: int | None
    """Bytes the value had, where it is cut."""
    tombstone: bool
    replayed: bool
    """It was replayed before, and died again."""
    key: bytes | None
    value: bytes
    headers: Sequence[tuple[str, bytes]]
    """The record's own."""

    @property
    def fault(self) -> str | None:
        """Why it cannot be replayed; `None` where it can."""
        if self.replayed:
            return "it was replayed before, and died again"
        if self.truncated is not None:
            return f"only the first part of its {self.truncated} bytes was kept"
        return "it has no value" if self.tombstone else None


def read_dead_letter(record: StreamRecord) -> DeadLetter:
    """What a record of the dead-letter topic says; what is missing reads as unknown."""
    said = {
        name.removeprefix(PREFIX): (raw or b"").decode("utf-8", "replace")
        for name, raw in record.headers
        if name.startswith(PREFIX)
    }
    own = [(name, raw) for name, raw in record.headers if not name.startswith(PREFIX)]
    return DeadLetter(
        reason=said.get("reason", "UNKNOWN"),
        detail=said.get("detail", ""),
        topic=said.get("topic", ""),
        partition=_number(said.get("partition")),
        offset=_number(said.get("offset")),
        truncated=_number(said["truncated"]) if said.get("truncated") else None,
        tombstone=said.get("tombstone") == "1",
        replayed=trigger_of(own) is Trigger.REPLAY,
        key=next((raw for name, raw in record.headers if name == _KEY), None),
        value=record.value or b"",
        headers=own,
    )


def replayed(letter: DeadLetter, topic: str) -> Message:
    """The original record, marked so that it is not replayed twice."""
    own = [(name, raw) for name, raw in letter.headers if name != TRIGGER]
    headers = [*own, (TRIGGER, Trigger.REPLAY.value.encode())]
    return Message(topic=topic, key=letter.key, value=letter.value, headers=headers)


def replay_mark(topic: str, partition: int, offset: int) -> Message:
    """What says on the dead-letter topic itself that the letter at this place was sent back."""
    place = f"{partition}:{offset}".encode()
    return Message(topic=topic, key=b"mark/" + place, value=b"", headers=[(_MARK, place)])


def is_mark(record: StreamRecord) -> bool:
    """Whether a record of the dead-letter topic is no letter but such a mark."""
    return any(name == _MARK for name, _ in record.headers)


def mark_of(record: StreamRecord) -> tuple[int, int]:
    """The partition and offset of the letter that a mark is about."""
    said = next((raw or b"" for name, raw in record.headers if name == _MARK), b"").decode("utf-8", "replace")
    partition, _, offset = said.partition(":")
    return _number(partition), _number(offset)


def trigger_of(headers: Sequence[tuple[str, bytes]]) -> Trigger:
    """Why a record is in the stream: an agent sent it, unless its header says that it was replayed."""
    marked = any(name == TRIGGER and raw == Trigger.REPLAY.value.encode() for name, raw in headers)
    return Trigger.REPLAY if marked else Trigger.LIVE


def _number(text: str | None) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 19 else -1


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterPolicy:
    """When dead letters are no longer single faults but a broken producer or a broken reader."""

    consecutive: int = 500
    """Dead letters in a row; 0 sets no limit."""
    ratio: float = 0.5
    """Share of the last `window` records, in (0, 1]; 1 sets no limit."""
    window: int = 1000


@dataclass(slots=True)
class DeadLetterLimit:
    """Counts against a policy. A decider: stopping is the driver's.

    >>> limit = DeadLetterLimit(DeadLetterPolicy(consecutive=2))
    >>> limit.saw(True); limit.exceeded is None
    True
    >>> limit.saw(True); limit.exceeded
    '2 dead letters in a row'
    """

    policy: DeadLetterPolicy
    exceeded: str | None = None
    """Why to stop; stays once it is there."""
    _row: int = 0
    _dead: int = 0
    _last: deque[bool] = field(default_factory=deque[bool])

    def saw(self, dead: bool) -> None:
        """A record ended, as a dead letter or otherwise."""
        self._row = self._row + 1 if dead else 0
        self._last.append(dead)
        self._dead += dead
        if len(self._last) > self.policy.window:
            self._dead -= self._last.popleft()
        self.exceeded = self.exceeded or self._over()

    def _over(self) -> str | None:
        policy = self.policy
        if policy.consecutive and self._row >= policy.consecutive:
            return f"{self._row} dead letters in a row"
        if len(self._last) == policy.window and self._dead > policy.ratio * policy.window:
            return f"{self._dead} dead letters among the last {policy.window} records"
        return None
