"""The use case: a batch of records in, one counted outcome per record out."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from consumers.evaluation import Claim, Evaluation, EventKey, evaluate, event_key
from consumers.events import MAX_EVENT_BYTES, InvalidEvent, InvalidReason, QueryEvent, decode_event
from consumers.outcomes import DeferredReason, Outcome, OutcomeKind
from consumers.ports import (
    Judge,
    JudgeUnavailable,
    Outcomes,
    RefusedByStore,
    RuleSource,
    RulesUnavailable,
    ScoreStore,
    Unavailable,
)
from scoring.evaluation import conclude, examine
from scoring.query import Unscored, UnscoredReason
from scoring.rules import JudgePolicy, Rules
from scoring.verdict import Case, Reply, Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record of a stream, not yet known to be an event."""

    payload: object
    """JSON bytes or text, or an object already parsed."""
    require_id: bool = False
    tenant: str | None = None
    """The only tenant its sender may write for; `None` is any."""


@dataclass(frozen=True, slots=True)
class Known:
    """An event that reached scoring, and the claim or fault it met."""

    event: QueryEvent
    payload_hash: str

    @property
    def key(self) -> EventKey:
        return event_key(self.event)


Settled = dict[EventKey, Evaluation | Claim | Outcome]
"""How each distinct event of a batch ended: written now, claimed before, or neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreEvents:
    """Decode → claims → rules → examine → judge → conclude → one transaction → count."""

    judges: Mapping[JudgePolicy, Judge]
    rules: RuleSource
    store: ScoreStore
    outcomes: Outcomes
    clock: Callable[[], datetime]
    """Now, aware."""
    timer: Callable[[], float]
    """Seconds, monotonic."""
    max_event_bytes: int = MAX_EVENT_BYTES

    async def __call__(self, batch: Sequence[Record]) -> list[Outcome]:
        """One outcome per record, in order, counted; all are durable unless they say `deferred`."""
        self.outcomes.consumed(len(batch))
        outcomes = [_deferred(DeferredReason.INTERNAL_ERROR, "the batch was interrupted: send it again")] * len(batch)
        try:
            outcomes = await self._outcomes(batch)
        except Unavailable as error:
            lacking = isinstance(error, RulesUnavailable)
            reason = DeferredReason.RULES_UNAVAILABLE if lacking else DeferredReason.STORE_UNAVAILABLE
            outcomes = [_deferred(reason, str(error))] * len(batch)
        # a bug must not stop the stream: it is logged and the batch deferred
        except Exception as error:
            self.outcomes.failed("batch", error)
        finally:
            self.outcomes.ended(outcomes)
        return outcomes

    async def _outcomes(self, batch: Sequence[Record]) -> list[Outcome]:
        with self._timed("decode"):
            decoded = await asyncio.to_thread(self._decode_all, batch)
        first: dict[EventKey, Known] = {}
        for each in decoded:
            if isinstance(each, Known):
                first.setdefault(each.key, each)
        settled = await self._settle(first)
        return [each if isinstance(each, Outcome) else _outcome(each, first, settled) for each in decoded]

    def _decode_all(self, batch: Sequence[Record]) -> list[Known | Outcome]:
        return [self._decode(record) for record in batch]

    def _decode(self, record: Record) -> Known | Outcome:
        tenant = record.tenant or "default"
        try:
            event = decode_event(
                record.payload, require_id=record.require_id, tenant=tenant, max_bytes=self.max_event_bytes
            )
        except InvalidEvent as error:
            return _dead(error.reason, error.detail)
        if record.tenant is not None and event.tenant != record.tenant:
            detail = f"field tenant names another tenant than your token's, {record.tenant!r}: send only its events"
            return _dead(InvalidReason.TENANT_NOT_ALLOWED, detail, event)
        return Known(event, event.payload_hash)

    async def _settle(self, first: Mapping[EventKey, Known]) -> Settled:
        if not first:
            return {}
        with self._timed("claims"):
            settled: Settled = dict(await self.store.claims(first.keys()))
        fresh = [known.event for key, known in first.items() if key not in settled]
        if not fresh:
            return settled
        with self._timed("rules"):
            tenants = list(dict.fromkeys(event.tenant for event in fresh))
            rules = await self.rules.rules(tenants)
        self.outcomes.ruled({tenant: rules[tenant] for tenant in tenants if tenant in rules})
        lacking = [event for event in fresh if event.tenant not in rules]
        for event in lacking:
            settled[event_key(event)] = _deferred(DeferredReason.RULES_UNAVAILABLE, "see the log", event)
        ready = [(event, rules[event.tenant]) for event in fresh if event.tenant in rules]
        written = await self._record(await self._evaluate_all(ready))
        return settled | written

    async def _evaluate_all(self, ready: Sequence[tuple[QueryEvent, Rules]]) -> list[Evaluation]:
        with self._timed("examine"):
            cases = await asyncio.to_thread(lambda: [self._examine(event, rules) for event, rules in ready])
        with self._timed("judge"):
            replies = [case if isinstance(case, Unscored) else await self._ask(case) for case in cases]
        with self._timed("conclude"):
            now = self.clock()
            return await asyncio.to_thread(
                lambda: [
                    self._conclude(event, rules, case, reply, now)
                    for (event, rules), case, reply in zip(ready, cases, replies, strict=True)
                ]
            )

    def _examine(self, event: QueryEvent, rules: Rules) -> Case | Unscored:
        if not sampled(event_key(event), rules.sample_rate):
            return Unscored(UnscoredReason.NOT_SAMPLED, f"the tenant scores {rules.sample_rate:g} of its events")
        try:
            return examine(event.query(), rules)
        except Exception as error:
            return self._bug(event, error)

    async def _ask(self, case: Case) -> Reply | Unscored:
        policy = case.rules.judge.policy
        judge = self.judges.get(policy)
        if judge is None:
            detail = f"the tenant's judge policy is {policy.value}, and no such judge is set up; use policy local"
            return Unscored(UnscoredReason.JUDGE_UNAVAILABLE, detail)
        try:
            return await judge.judge(case)
        except JudgeUnavailable as error:
            return Unscored(UnscoredReason.JUDGE_UNAVAILABLE, str(error))
        except Exception as error:
            self.outcomes.failed("judge", error)
            detail = f"the judge failed ({type(error).__name__}); please report it"
            return Unscored(UnscoredReason.SCORER_FAILED, detail)

    def _conclude(
        self, event: QueryEvent, rules: Rules, case: Case | Unscored, reply: Reply | Unscored, now: datetime
    ) -> Evaluation:
        unscored = next((each for each in (case, reply) if isinstance(each, Unscored)), None)
        if unscored is None and isinstance(case, Case) and isinstance(reply, Reply):
            try:
                return evaluate(event, conclude(case, reply), rules, now)
            except Exception as error:
                unscored = self._bug(event, error)
        return evaluate(event, unscored or Unscored(UnscoredReason.SCORER_FAILED), rules, now)

    def _bug(self, event: QueryEvent, error: Exception) -> Unscored:
        self.outcomes.failed(f"event {event.tenant}{event.source} {event.event_id}", error)
        return Unscored(UnscoredReason.SCORER_FAILED, f"the scorer failed ({type(error).__name__}); please report it")

    async def _record(self, evaluations: Sequence[Evaluation]) -> Settled:
        with self._timed("record"):
            try:
                stood = await self.store.record(evaluations)
            except RefusedByStore as error:
                return await self._record_apart(evaluations, error)
        written: Settled = {each.key: each for each in evaluations if each.key not in stood}
        for each in written.values():
            if isinstance(each, Evaluation):
                self.outcomes.evaluated(each)
        return written | dict(stood)

    async def _record_apart(self, evaluations: Sequence[Evaluation], error: RefusedByStore) -> Settled:
        """One refused row must not cost the others theirs."""
        if len(evaluations) == 1:
            event = evaluations[0].event
            return {evaluations[0].key: _dead(InvalidReason.REFUSED_BY_STORE, str(error), event)}
        half = len(evaluations) // 2
        return await self._record(evaluations[:half]) | await self._record(evaluations[half:])

    @contextmanager
    def _timed(self, stage: str) -> Generator[None]:
        started = self.timer()
        try:
            yield
        finally:
            self.outcomes.took(stage, self.timer() - started)


def sampled(key: EventKey, rate: float) -> bool:
    """Whether an event is in its tenant's sample: by its identity alone, so that a resend agrees.

    >>> sampled(EventKey("t", "/s", "1"), 1.0), sampled(EventKey("t", "/s", "1"), 0.0)
    (True, False)
    """
    if rate >= 1:
        return True
    digest = hashlib.sha256("\0".join(key).encode()).digest()
    return int.from_bytes(digest[:8]) < rate * 2**64


def _outcome(known: Known, first: Mapping[EventKey, Known], settled: Settled) -> Outcome:
    end = settled[known.key]
    owner = first[known.key] is known
    if isinstance(end, Outcome):
        return end
    if isinstance(end, Evaluation) and owner:
        return _written(end)
    claim = end.claim if isinstance(end, Evaluation) else end
    if claim.payload_hash == known.payload_hash:
        return _of(known.event, OutcomeKind.DUPLICATE, evaluation_id=claim.evaluation_id)
    detail = "an event with this tenant, source and event_id but other content came before: give each event its own id"
    return _dead(InvalidReason.ID_CONFLICT, detail, known.event)


def _written(evaluation: Evaluation) -> Outcome:
    match evaluation.result:
        case Score(composite=composite):
            return _of(evaluation.event, OutcomeKind.SCORED, evaluation_id=evaluation.id, score=composite.score)
        case Unscored(reason=reason, detail=detail):
            return _of(
                evaluation.event,
                OutcomeKind.UNSCORED,
                evaluation_id=evaluation.id,
                reason=reason.value,
                detail=detail,
            )


def _of(
    event: QueryEvent,
    kind: OutcomeKind,
    *,
    evaluation_id: UUID | None = None,
    score: float | None = None,
    reason: str = "",
    detail: str = "",
) -> Outcome:
    return Outcome(
        kind=kind,
        reason=reason,
        detail=detail,
        event_id=event.event_id,
        tenant=event.tenant,
        agent=event.agent,
        evaluation_id=evaluation_id,
        score=score,
    )


def _dead(reason: InvalidReason, detail: str, event: QueryEvent | None = None) -> Outcome:
    if event is None:
        return Outcome(kind=OutcomeKind.DEAD_LETTERED, reason=reason.value, detail=detail)
    return _of(event, OutcomeKind.DEAD_LETTERED, reason=reason.value, detail=detail)


def _deferred(reason: DeferredReason, detail: str, event: QueryEvent | None = None) -> Outcome:
    if event is None:
        return Outcome(kind=OutcomeKind.DEFERRED, reason=reason.value, detail=detail)
    return _of(event, OutcomeKind.DEFERRED, reason=reason.value, detail=detail)
