"""Answers that came with a reference: what waits to be judged by it, which are, and how the world is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

import orjson

from consumers.stream.ports import Message
from references.verdict import AnswerPair, NotJudged, ReferenceFinding, ReferenceVerdict, reference_record

REFERENCE_TYPE = "sqlassay.reference.v1"
"""CloudEvents type of what a reference says of an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitingReference:
    """An answer that was not judged by its reference yet, with its current evaluation."""

    event: UUID
    """The digest of its event's key."""
    evaluation_id: UUID
    tenant: str
    source: str
    event_id: str
    agent: str
    agent_version: str | None
    received_at: datetime
    reference_sql: str | None
    """`None` where texts are not stored."""
    sql: str
    dialect: str | None
    tries: int
    """How often it was taken, this time included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceJudged:
    """What the reference says of an answer."""

    awaiting: AwaitingReference
    finding: ReferenceFinding

    @property
    def record(self) -> dict[str, object]:
        """All of it as JSON."""
        return reference_record(self.finding)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencePolicy:
    """Which answers are judged, and how many at once."""

    judge: bool = True
    patience: float = 86_400.0
    """Seconds after which an answer is no longer judged."""
    tries: int = 3
    """Times one is taken before it is given up."""
    at_once: int = 4
    """Taken together."""
    lease: float = 300.0
    """Seconds that those who took some have them alone."""

    def refuses(self, awaiting: AwaitingReference, now: datetime) -> NotJudged | None:
        """Why an answer is not judged; `None` where it is."""
        if not self.judge:
            return NotJudged.OFF
        if awaiting.reference_sql is None:
            return NotJudged.TEXTS_WITHHELD
        if awaiting.tries > self.tries:
            return NotJudged.GIVEN_UP
        waited = (now - awaiting.received_at).total_seconds()
        return NotJudged.WAITED_TOO_LONG if waited > self.patience else None


def reference_message(judged: ReferenceJudged, topic: str) -> Message:
    """What a reference says of an answer, for the topic of results: at least once, always with the same id."""
    awaiting = judged.awaiting
    document = {
        "event_id": awaiting.event_id,
        "tenant": awaiting.tenant,
        "source": awaiting.source,
        "agent": awaiting.agent,
        "agent_version": awaiting.agent_version,
        "evaluation_id": str(awaiting.evaluation_id),
        "reference": judged.record,
    }
    headers = [
        ("ce_specversion", b"1.0"),
        ("ce_type", REFERENCE_TYPE.encode()),
        ("ce_id", f"{awaiting.event}/reference".encode()),
        ("ce_source", awaiting.source.encode()),
        ("content-type", b"application/json"),
    ]
    return Message(topic=topic, key=awaiting.event_id.encode(), value=orjson.dumps(document), headers=headers)


class AwaitedReferences(Protocol):
    """Keeps the answers that wait to be judged by their references."""

    async def take(self, now: datetime, limit: int, lease_seconds: float) -> Sequence[AwaitingReference]:
        """Takes up to `limit` that wait, newest first; nobody else is given them for `lease_seconds`.

        Raises `StoreUnavailable`.
        """
        ...

    async def conclude(self, judged: Sequence[ReferenceJudged]) -> Sequence[ReferenceJudged]:
        """Writes what was found of those that still wait, and returns them; raises `StoreUnavailable`."""
        ...

    async def waiting(self) -> int:
        """How many wait, counted up to a bound; raises `StoreUnavailable`."""
        ...


class ReferenceJudge(Protocol):
    """Judges an answer by its reference, somewhere where it cannot do harm."""

    async def judge(self, pair: AnswerPair) -> ReferenceFinding:
        """What is found, or why nothing was."""
        ...


class ReferenceCounts(Protocol):
    """Counts what becomes of references."""

    def judged(self, tenant: str, agent: str, verdict: ReferenceVerdict) -> None:
        """A verdict was written."""
        ...

    def waits(self, count: int) -> None:
        """So many wait."""
        ...
