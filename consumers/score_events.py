"""The steps of one event: decode → claims → rules → examine → judge → conclude → one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from consumers.decoding import Known, MomentBounds, Record, decode, decode_timed
from consumers.errors import RefusedByStore, StoreUnavailable
from consumers.evaluation.event_evaluation import Claim, Evaluation, EventKey, LineOut, evaluate, event_key, line_out
from consumers.evaluation.event_outcomes import Standing, deferred, refused_by_store
from consumers.evaluation.outcomes import DeferredReason, Outcome
from consumers.evaluation.timings import StageTimings, timings_of
from consumers.judging.panel import Panel
from consumers.ports import Outcomes, RuleSource, ScoreStore, TenantMemories
from consumers.queueing.isolation import isolate_failures
from consumers.wire.events import MAX_EVENT_BYTES, QueryEvent
from scoring.evaluation import conclude, examine
from scoring.query import Query, Unscored, UnscoredReason
from scoring.rules import Rules
from scoring.verdict import Case, Reply, Score

_NO_RULES = Rules()


def _unwatched(_event: QueryEvent) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What the store and the rules hold about some events."""

    claims: Mapping[EventKey, Claim]
    rules: Mapping[str, Rules]
    """By tenant: those that can be read, of events without a final claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreEvents:
    """The steps. The pool decides when each runs, and for how many events at once."""

    panel: Panel
    rules: RuleSource
    store: ScoreStore
    outcomes: Outcomes
    clock: Callable[[], datetime]
    """Now, aware."""
    timer: Callable[[], float]
    """Seconds, monotonic."""
    memory: TenantMemories | None = None
    """The tenants' memory; `None` judges each answer alone."""
    max_event_bytes: int = MAX_EVENT_BYTES
    moments: MomentBounds = MomentBounds()  # noqa: RUF009 it is frozen
    traced: bool = False
    """Whether the stages of each event are timed."""
    watched: Callable[[QueryEvent], bool] = _unwatched
    """Whether a verdict on this event may change what people know of its agent; safe in any thread."""

    def decode(self, record: Record) -> Known | Outcome:
        """The record's event, or the outcome of an invalid record."""
        try:
            if self.traced:
                decoded = decode_timed(record, self.max_event_bytes, self.timer)
            else:
                decoded = decode(record, self.max_event_bytes)
            return self.moments.checked(decoded, self.clock())
        except Exception as error:
            self.outcomes.failed("record", error)
            return deferred(None, DeferredReason.INTERNAL_ERROR, "see the log", kept=False)

    async def look_up(self, events: Sequence[Known]) -> LookedUp:
        """Reads the claims on these events' keys in one query, and the rules of the others in one more.

        Raises `StoreUnavailable` and `RulesUnavailable`.
        """
        timings = timings_of(events) if self.traced else ()
        with self.timed("claims", timings):
            claims = await self.store.claims([each.key for each in events])
        tenants = list(dict.fromkeys(each.event.tenant for each in events if not _is_final(claims.get(each.key), each)))
        if not tenants:
            return LookedUp(claims, {})
        with self.timed("rules", timings):
            rules = await self.rules.rules(tenants)
        self.outcomes.rules_in_force({tenant: rules[tenant] for tenant in tenants if tenant in rules})
        return LookedUp(claims, rules)

    def query(self, known: Known) -> Query:
        """The answer to score."""
        query = known.event.query()
        return replace(query, watched=True) if self.watched(known.event) else query

    def final_claim(self, known: Known, found: LookedUp) -> Claim | None:
        """The claim that ends the event; `None` where the event is new or its row may still be filled."""
        claim = found.claims.get(known.key)
        return claim if _is_final(claim, known) else None

    def judge_at_once(self, known: Known, found: LookedUp) -> Evaluation | Case:
        """Examines an event and, where no model is needed, concludes it. Safe in any thread."""
        if known.timings is None:
            return self._judge_at_once(known, found)
        began = self.timer()
        judged = self._judge_at_once(known, found)
        known.timings.add("examine", began, self.timer())
        return judged

    def _judge_at_once(self, known: Known, found: LookedUp) -> Evaluation | Case:
        try:
            rules = found.rules[known.event.tenant]
            skipped = left_out(known.event, known.sampledrate, rules)
            result = skipped or judged(self.query(known), rules, self.panel.at_once)
            return result if isinstance(result, Case) else self.evaluation(known, found, result)
        except Exception as error:
            return self.evaluation(known, found, self.report_bug(known, error))

    async def ask(self, known: Known, case: Case) -> Reply | Unscored | DeferredReason:
        """Asks the panel about a case that needs a model."""
        with self.timed("judge", timings_of([known])):
            try:
                return await self.panel.ask(case, tenant=known.event.tenant)
            except Exception as error:
                return self.report_bug(known, error)

    def evaluate_reply(self, known: Known, found: LookedUp, case: Case, reply: Reply | Unscored) -> Evaluation:
        """The evaluation of a case by a reply. Safe in any thread."""
        if isinstance(reply, Unscored):
            return self.evaluation(known, found, reply)
        try:
            return self.evaluation(known, found, conclude(case, reply))
        except Exception as error:
            return self.evaluation(known, found, self.report_bug(known, error))

    def evaluation(self, known: Known, found: LookedUp, result: Score | Unscored | LineOut) -> Evaluation:
        """The row to store for this result."""
        rules, record = found.rules.get(known.event.tenant, _NO_RULES), known.record
        if isinstance(result, Score):
            result = line_out(known.event.event_id, result, rules, remember=self.memory is not None)
        evaluation = evaluate(
            known.event,
            result,
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

    def report_bug(self, known: Known, error: Exception, kind: str | None = None) -> Unscored:
        """Counts and logs a bug that costs one event its score; `kind` names one of another process."""
        event = known.event
        self.outcomes.failed(f"event {event.tenant}{event.source} {event.event_id}", error)
        detail = f"the scorer failed ({kind or type(error).__name__}); please report it"
        return Unscored(UnscoredReason.SCORER_FAILED, detail)

    async def record(self, evaluations: Sequence[Evaluation]) -> Mapping[EventKey, Standing | Outcome]:
        """Writes these rows in one transaction; rows that the store refuses are left out and have an outcome.

        Returns what is stored under each key. Raises `StoreUnavailable`.
        """
        recorded: dict[EventKey, Standing | Outcome] = {}

        async def write(part: Sequence[Evaluation]) -> None:
            recorded.update(await self._write(part))

        for evaluation, error in await isolate_failures(write, evaluations, RefusedByStore):
            recorded[evaluation.key] = refused_by_store(evaluation.event, error)
        return recorded

    async def _write(self, evaluations: Sequence[Evaluation]) -> Mapping[EventKey, Standing]:
        timings = timings_of(evaluations) if self.traced else ()
        async with self._recalled(evaluations, timings) as judged:
            with self.timed("record", timings):
                earlier = await self.store.record(judged)
        new = [each for each in judged if each.key not in earlier]
        for each in new:
            if each.event.canary is None:
                self.outcomes.evaluated(each)
        return {each.key: each for each in new} | dict(earlier)

    @asynccontextmanager
    async def _recalled(
        self, evaluations: Sequence[Evaluation], timings: Sequence[StageTimings]
    ) -> AsyncGenerator[Sequence[Evaluation]]:
        """The evaluations as their tenants' memory judges them."""
        if self.memory is None:
            yield evaluations
            return
        async with AsyncExitStack() as stack:
            with self.timed("recall", timings):
                judged = await self._recall(self.memory, evaluations, stack)
            yield judged

    async def _recall(
        self, memory: TenantMemories, evaluations: Sequence[Evaluation], stack: AsyncExitStack
    ) -> Sequence[Evaluation]:
        """The same; a bug costs the evaluations their memory and not their score."""
        try:
            return await stack.enter_async_context(memory.recalled(evaluations))
        except StoreUnavailable:
            raise
        except Exception as error:
            self.outcomes.failed("memory", error)
            return evaluations

    @contextmanager
    def timed(self, stage: str, timings: Sequence[StageTimings] = ()) -> Generator[None]:
        """Reports how long a stage took, and adds it to these timings."""
        started = self.timer()
        try:
            yield
        finally:
            ended = self.timer()
            self.outcomes.stage_took(stage, ended - started)
            for each in timings:
                each.add(stage, started, ended)


def _is_final(claim: Claim | None, known: Known) -> bool:
    if claim is None or known.event.completes(claim.payload_hash):
        return False
    return not claim.fillable or claim.payload_hash != known.payload_hash


def sampled(key: EventKey, rate: float) -> bool:
    """Whether an event is in its tenant's sample. Depends on its identity alone, so that a resend agrees.

    >>> sampled(EventKey("t", "/s", "1"), 1.0), sampled(EventKey("t", "/s", "1"), 0.0)
    (True, False)
    """
    if rate >= 1:
        return True
    digest = hashlib.sha256("\0".join(key).encode()).digest()
    return int.from_bytes(digest[:8]) < rate * 2**64


def left_out(event: QueryEvent, sampledrate: int | None, rules: Rules) -> Unscored | None:
    """Why the event is not scored, if it is a canary or its tenant's sample leaves it out.

    Its sender's sample is never sampled again.
    """
    if event.canary is not None:
        return Unscored(UnscoredReason.CANARY, "a canary has no score: its reference says whether it is right")
    already = sampledrate is not None and sampledrate > 1
    if already or sampled(event_key(event), rules.sample_rate):
        return None
    return Unscored(UnscoredReason.NOT_SAMPLED, f"the tenant scores {rules.sample_rate:g} of its events")


def judged(query: Query, rules: Rules, at_once: Callable[[Case], Reply | None]) -> Score | Unscored | Case:
    """The score of an answer for which no model is needed, else its case. Pure; raises what a bug raises."""
    case = examine(query, rules)
    if isinstance(case, Unscored):
        return case
    reply = at_once(case)
    return case if reply is None else conclude(case, reply)
