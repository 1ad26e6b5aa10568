"""Answers that came with a reference: those still to be judged, the policy, and the published verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

import orjson

from consumers.stream.ports import Message
from references.reference_verdict import AnswerPair, NotJudged, ReferenceFinding, ReferenceVerdict, reference_record

REFERENCE_TYPE = "sqlassay.reference.v1"
"""CloudEvents type of a reference's verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitingReference:
    """An answer that has not been judged by its reference yet, with its current evaluation."""

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
    """How often it was leased, this time included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceJudged:
    """An answer with what its reference says of it."""

    awaiting: AwaitingReference
    finding: ReferenceFinding

    @property
    def record(self) -> dict[str, object]:
        """The finding as JSON."""
        return reference_record(self.finding)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencePolicy:
    """Which answers are judged, and how many at once."""

    judge: bool = True
    patience: float = 86_400.0
    """Seconds after which an answer is no longer judged."""
    tries: int = 3
    """Most times that an answer is tried."""
    at_once: int = 4
    """Most answers judged together."""
    lease: float = 300.0
    """Seconds for which a leased answer is given to no other worker."""

    def refuses(self, awaiting: AwaitingReference, now: datetime) -> NotJudged | None:
        """Returns why an answer is not judged; `None` where it is."""
        if not self.judge:
            return NotJudged.OFF
        if awaiting.reference_sql is None:
            return NotJudged.TEXTS_WITHHELD
        if awaiting.tries > self.tries:
            return NotJudged.GIVEN_UP
        waited = (now - awaiting.received_at).total_seconds()
        return NotJudged.WAITED_TOO_LONG if waited > self.patience else None


def reference_message(judged: ReferenceJudged, topic: str) -> Message:
    """A reference's verdict as a message for the topic of results; an event's message always has the same id."""
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

    async def lease(self, now: datetime, limit: int, lease_seconds: float) -> Sequence[AwaitingReference]:
        """Leases up to `limit` that wait, newest first; nobody else receives them for `lease_seconds`.

        Raises `StoreUnavailable`.
        """
        ...

    async def write_verdicts(self, judged: Sequence[ReferenceJudged]) -> Sequence[ReferenceJudged]:
        """Writes the verdicts of answers that still wait, and returns those; raises `StoreUnavailable`."""
        ...

    async def waiting(self) -> int:
        """The number that wait, counted up to a bound; raises `StoreUnavailable`."""
        ...


class ReferenceJudge(Protocol):
    """Judges an answer by its reference, isolated from the service."""

    async def judge(self, pair: AnswerPair) -> ReferenceFinding:
        """Returns the finding, or the reason why there is none."""
        ...


class ReferenceCounts(Protocol):
    """Counts verdicts of references."""

    def judged(self, tenant: str, agent: str, verdict: ReferenceVerdict) -> None:
        """Counts a verdict that was written."""
        ...

    def waits(self, count: int) -> None:
        """Sets how many answers wait."""
        ...
