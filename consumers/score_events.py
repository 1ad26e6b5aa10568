"""The steps of one event: decode → claims → rules → examine → judge → conclude → one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from consumers.errors import RefusedByStore
from consumers.evaluation.evaluation import Claim, Evaluation, EventKey, LineOut, Scored, evaluate, event_key
from consumers.evaluation.outcomes import DeferredReason, Outcome, OutcomeKind, Trigger
from consumers.evaluation.timings import StageTimings, is_wanted, timings_of
from consumers.judging.panel import Panel
from consumers.ports import Outcomes, RuleSource, ScoreStore
from consumers.wire.envelopes import Headers, read_envelope
from consumers.wire.events import MAX_EVENT_BYTES, InvalidEvent, InvalidReason, QueryEvent, decode_event
from scoring.evaluation import conclude, examine
from scoring.query import Unscored, UnscoredReason
from scoring.rules import Rules
from scoring.verdict import Case, Reply, Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record of a stream, not yet known to be an event."""

    payload: object
    """JSON bytes or text, or an object already parsed."""
    headers: Headers | None = None
    """A record in an envelope: its headers say how the bytes of `payload` are wrapped."""
    require_id: bool = False
    tenant: str | None = None
    """The only tenant its sender may write for; `None` is any."""
    timestamp: datetime | None = None
    """When the stream took it; stands in for an event time that it does not name."""
    trigger: Trigger = Trigger.LIVE
    size: int = 0
    """Bytes it holds while in flight."""
    attempts: int = 0
    """How often it was tried before."""
    sampledrate: int | None = None
    """Upstream kept one event of so many; `None` is not sampled upstream, or said by the envelope."""
    traceparent: str | None = None
    """W3C trace context, where no envelope says it."""


@dataclass(frozen=True, slots=True)
class Known:
    """A record that is an event."""

    event: QueryEvent
    payload_hash: str
    record: Record
    sampledrate: int | None = None
    traceparent: str | None = None
    timings: StageTimings | None = field(default=None, compare=False)
    """Where the event is traced."""

    @property
    def key(self) -> EventKey:
        """The event's identity."""
        return event_key(self.event)


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What the store and the rules say of some events."""

    claims: Mapping[EventKey, Claim]
    rules: Mapping[str, Rules]
    """Of the tenants whose rules can be read, as far as their events are not claimed."""


def decode(
    record: Record, max_event_bytes: int = MAX_EVENT_BYTES, timings: StageTimings | None = None
) -> Known | Outcome:
    """The event that a record is, or its dead letter. Pure, but that `timings` gets the trace context."""
    try:
        return _decode(record, max_event_bytes, timings)
    except InvalidEvent as error:
        return _dead(error.reason, error.detail)


def _decode(record: Record, most: int, timings: StageTimings | None) -> Known | Outcome:
    payload, sampledrate, traceparent = record.payload, record.sampledrate, record.traceparent
    if record.headers is not None:
        envelope = read_envelope(payload, record.headers, max_bytes=most)
        payload, sampledrate, traceparent = envelope.payload, envelope.sampledrate, envelope.traceparent
    if timings is not None:
        timings.traceparent = traceparent
    event = decode_event(payload, require_id=record.require_id, tenant=record.tenant or "default", max_bytes=most)
    if record.tenant is not None and event.tenant != record.tenant:
        detail = f"field tenant names another tenant than your token's, {record.tenant!r}: send only its events"
        return _dead(InvalidReason.TENANT_NOT_ALLOWED, detail, event)
    return Known(event, event.payload_hash, record, sampledrate, traceparent)


def decode_traced(record: Record, max_event_bytes: int, timer: Callable[[], float]) -> Known | Outcome:
    """Decodes a record and times it, unless its sender does not sample the trace."""
    timings = StageTimings(timer(), record.traceparent)
    decoded = decode(record, max_event_bytes, timings)
    if not is_wanted(timings.traceparent):
        return decoded
    timings.add("decode", timings.began, timer())
    return replace(decoded, timings=timings)


End: TypeAlias = Evaluation | Claim | Outcome
"""How a distinct event ended: written now, claimed before, or neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreEvents:
    """The steps; who takes them, when and with how many at once is the pool's."""

    panel: Panel
    rules: RuleSource
    store: ScoreStore
    outcomes: Outcomes
    clock: Callable[[], datetime]
    """Now, aware."""
    timer: Callable[[], float]
    """Seconds, monotonic."""
    max_event_bytes: int = MAX_EVENT_BYTES
    traced: bool = False
    """Whether the stages of each event are timed."""

    def decode(self, record: Record) -> Known | Outcome:
        """The event that a record is, or its dead letter. Pure."""
        try:
            if self.traced:
                return decode_traced(record, self.max_event_bytes, self.timer)
            return decode(record, self.max_event_bytes)
        except Exception as error:
            self.outcomes.failed("record", error)
            return deferred(None, DeferredReason.INTERNAL_ERROR, "see the log", kept=False)

    async def look_up(self, events: Sequence[Known]) -> LookedUp:
        """The claims on these events' keys, in one query, and the rules of those not claimed, in one reading.

        Raises `StoreUnavailable` and `RulesUnavailable`.
        """
        timings = timings_of(events) if self.traced else ()
        with self.timed("claims", timings):
            claims = await self.store.claims([each.key for each in events])
        tenants = list(dict.fromkeys(each.event.tenant for each in events if not _settles(claims.get(each.key), each)))
        if not tenants:
            return LookedUp(claims, {})
        with self.timed("rules", timings):
            rules = await self.rules.rules(tenants)
        self.outcomes.ruled({tenant: rules[tenant] for tenant in tenants if tenant in rules})
        return LookedUp(claims, rules)

    def standing(self, known: Known, found: LookedUp) -> Claim | None:
        """The claim that already settles an event; `None` where it is new, or its row may still be filled."""
        claim = found.claims.get(known.key)
        return claim if _settles(claim, known) else None

    def judge_at_once(self, known: Known, found: LookedUp) -> Evaluation | Case:
        """Examines an event and, where no model is needed, concludes it. Pure CPU, safe in any thread."""
        if known.timings is None:
            return self._judge_at_once(known, found)
        began = self.timer()
        judged = self._judge_at_once(known, found)
        known.timings.add("examine", began, self.timer())
        return judged

    def _judge_at_once(self, known: Known, found: LookedUp) -> Evaluation | Case:
        try:
            end = judged_at_once(known.event, known.sampledrate, found.rules[known.event.tenant], self.panel.at_once)
            return end if isinstance(end, Case) else self.evaluation(known, found, end)
        except Exception as error:
            return self.unscored(known, found, self.bug(known, error))

    async def ask(self, known: Known, case: Case) -> Reply | Unscored | DeferredReason:
        """What the panel says of a case for which a model must be asked."""
        with self.timed("judge", timings_of([known])):
            try:
                return await self.panel.ask(case, tenant=known.event.tenant)
            except Exception as error:
                return self.bug(known, error)

    def concluded(self, known: Known, found: LookedUp, case: Case, reply: Reply | Unscored) -> Evaluation:
        """The evaluation that a reply makes of a case. Pure CPU, safe in any thread."""
        if isinstance(reply, Unscored):
            return self.unscored(known, found, reply)
        try:
            return self.evaluation(known, found, conclude(case, reply))
        except Exception as error:
            return self.unscored(known, found, self.bug(known, error))

    def unscored(self, known: Known, found: LookedUp, why: Unscored) -> Evaluation:
        """The evaluation of an event that has no score."""
        return self.evaluation(known, found, why)

    def evaluation(self, known: Known, found: LookedUp, end: Score | Unscored | LineOut) -> Evaluation:
        """What is stored of an event that ended so."""
        rules, record = found.rules.get(known.event.tenant, _NO_RULES), known.record
        evaluation = evaluate(
            known.event,
            end,
            rules,
            self.clock(),
            timestamp=record.timestamp,
            trigger=record.trigger,
            claim=found.claims.get(known.key),
        )
        if known.sampledrate is not None:
            evaluation.record["sampledrate"] = known.sampledrate
        if known.traceparent is not None:
            evaluation.record["traceparent"] = known.traceparent
        return evaluation if known.timings is None else replace(evaluation, timings=known.timings)

    def bug(self, known: Known, error: Exception) -> Unscored:
        """Tells of a bug, which costs one event its score."""
        event = known.event
        self.outcomes.failed(f"event {event.tenant}{event.source} {event.event_id}", error)
        return Unscored(UnscoredReason.SCORER_FAILED, f"the scorer failed ({type(error).__name__}); please report it")

    async def record(self, evaluations: Sequence[Evaluation]) -> Mapping[EventKey, End]:
        """Writes these rows in one transaction; how each key ended. Raises `StoreUnavailable`."""
        with self.timed("record", timings_of(evaluations) if self.traced else ()):
            try:
                stood = await self.store.record(evaluations)
            except RefusedByStore as error:
                return await self._record_apart(evaluations, error)
        written = [each for each in evaluations if each.key not in stood]
        for each in written:
            self.outcomes.evaluated(each)
        return {each.key: each for each in written} | dict(stood)

    async def _record_apart(self, evaluations: Sequence[Evaluation], error: RefusedByStore) -> Mapping[EventKey, End]:
        """One refused row must not cost the others theirs."""
        if len(evaluations) == 1:
            return {evaluations[0].key: _dead(InvalidReason.REFUSED_BY_STORE, str(error), evaluations[0].event)}
        half = len(evaluations) // 2
        first = await self.record(evaluations[:half])
        return {**first, **await self.record(evaluations[half:])}

    @contextmanager
    def timed(self, stage: str, timings: Sequence[StageTimings] = ()) -> Generator[None]:
        """Reports how long a stage took, and adds it to these timings."""
        started = self.timer()
        try:
            yield
        finally:
            ended = self.timer()
            self.outcomes.took(stage, ended - started)
            for each in timings:
                each.add(stage, started, ended)


_NO_RULES = Rules()


def _settles(claim: Claim | None, known: Known) -> bool:
    if claim is None or known.event.completes(claim.payload_hash):
        return False
    return not claim.fillable or claim.payload_hash != known.payload_hash


def sampled(key: EventKey, rate: float) -> bool:
    """Whether an event is in its tenant's sample: by its identity alone, so that a resend agrees.

    >>> sampled(EventKey("t", "/s", "1"), 1.0), sampled(EventKey("t", "/s", "1"), 0.0)
    (True, False)
    """
    if rate >= 1:
        return True
    digest = hashlib.sha256("\0".join(key).encode()).digest()
    return int.from_bytes(digest[:8]) < rate * 2**64


def judged_at_once(
    event: QueryEvent, sampledrate: int | None, rules: Rules, at_once: Callable[[Case], Reply | None]
) -> Score | Unscored | Case:
    """How an event ends for which no model is needed, else the case for one. Pure; raises what a bug raises."""
    already = sampledrate is not None and sampledrate > 1
    if not already and not sampled(event_key(event), rules.sample_rate):
        return Unscored(UnscoredReason.NOT_SAMPLED, f"the tenant scores {rules.sample_rate:g} of its events")
    case = examine(event.query(), rules)
    if isinstance(case, Unscored):
        return case
    reply = at_once(case)
    return case if reply is None else conclude(case, reply)


def outcome_of(known: Known, end: End, *, owner: bool = True) -> Outcome:
    """How a record ended whose event ended so; of several records of one event, only the `owner` was written."""
    if isinstance(end, Outcome):
        return end
    if isinstance(end, Evaluation) and owner:
        return _written(known.event, end)
    claim = end.claim if isinstance(end, Evaluation) else end
    if known.event.repeats(claim.payload_hash):
        return _outcome(known.event, OutcomeKind.DUPLICATE, evaluation_id=claim.evaluation_id)
    return conflict(known)


def conflict(known: Known) -> Outcome:
    """The dead letter of an event whose id is taken."""
    detail = "an event with this tenant, source and event_id but other content came before: give each event its own id"
    return _dead(InvalidReason.ID_CONFLICT, detail, known.event)


def refused(known: Known, error: RefusedByStore) -> Outcome:
    """The dead letter of an event whose values the store cannot hold."""
    return _dead(InvalidReason.REFUSED_BY_STORE, str(error), known.event)


def deferred(known: Known | None, reason: DeferredReason, detail: str, *, kept: bool) -> Outcome:
    """A record that could not be handled yet."""
    event = known.event if known is not None else None
    return _outcome(event, OutcomeKind.DEFERRED, reason=reason.value, detail=detail, kept=kept)


def _written(event: QueryEvent, evaluation: Evaluation) -> Outcome:
    match evaluation.result:
        case Scored(composite=composite):
            return _outcome(event, OutcomeKind.SCORED, evaluation_id=evaluation.id, score=composite.score)
        case Unscored(reason=reason, detail=detail):
            return _outcome(
                event, OutcomeKind.UNSCORED, evaluation_id=evaluation.id, reason=reason.value, detail=detail
            )


def _dead(reason: InvalidReason, detail: str, event: QueryEvent | None = None) -> Outcome:
    return _outcome(event, OutcomeKind.DEAD_LETTERED, reason=reason.value, detail=detail)


def _outcome(
    event: QueryEvent | None,
    kind: OutcomeKind,
    *,
    evaluation_id: UUID | None = None,
    score: float | None = None,
    reason: str = "",
    detail: str = "",
    kept: bool = False,
) -> Outcome:
    return Outcome(
        kind=kind,
        reason=reason,
        detail=detail,
        event_id=event.event_id if event is not None else None,
        tenant=event.tenant if event is not None else None,
        agent=event.agent if event is not None else None,
        evaluation_id=evaluation_id,
        score=score,
        kept=kept,
    )
