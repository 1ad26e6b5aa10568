"""Exports a trace when its event has ended, and a result when its row is committed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from consumers.evaluation.event_evaluation import Claim, Evaluation, EventKey
from consumers.evaluation.outcomes import Outcome, OutcomeKind, Trigger
from consumers.evaluation.timings import StageTimings, timings_of
from consumers.pool.ports import Results
from consumers.ports import Outcomes
from scoring.rules import Rules
from service.telemetry.result_events import Attributes

SCORE, PUBLISH = "sqlassay.score", "sqlassay.publish"
"""Names of spans: an event in a worker, and an event on its way from the API to Kafka."""
_FAILED = frozenset({OutcomeKind.DEAD_LETTERED, OutcomeKind.DEFERRED})
"""Outcomes that mark a span as an error."""


class Telemetry(Protocol):
    """Exports traces and results. It never blocks or raises: what does not fit the backlog is dropped."""

    def export_trace(self, name: str, timings: StageTimings, attributes: Attributes, error: str | None) -> None:
        """Exports the trace of an event that has ended; `error` is a reason code."""
        ...

    def export_result(self, evaluation: Evaluation) -> None:
        """Exports the result of a committed row."""
        ...


@dataclass(frozen=True, slots=True)
class TracedOutcomes:
    """An `Outcomes` that also exports what it counts."""

    counts: Outcomes
    telemetry: Telemetry

    def consumed(self, count: int, trigger: Trigger = Trigger.LIVE) -> None:
        """Counts consumed records."""
        self.counts.consumed(count, trigger)

    def ended(self, outcomes: Sequence[Outcome]) -> None:
        """Counts outcomes, and exports the traces of those with stage timings."""
        self.counts.ended(outcomes)
        for outcome in outcomes:
            if outcome.timings is not None:
                self._export(outcome, outcome.timings)

    def _export(self, outcome: Outcome, timings: StageTimings) -> None:
        error = outcome.reason if outcome.kind in _FAILED else None
        # the caller resolves the sender's receipt next: a bug here must not prevent that
        try:
            self.telemetry.export_trace(SCORE, timings, outcome_attributes(outcome), error)
        except Exception as bug:
            self.counts.failed("telemetry", bug)

    def evaluated(self, evaluation: Evaluation) -> None:
        """Counts a committed row, and exports its result unless it is a backfill."""
        self.counts.evaluated(evaluation)
        if evaluation.trigger is Trigger.BACKFILL:
            return
        try:
            self.telemetry.export_result(evaluation)
        except Exception as bug:
            self.counts.failed("telemetry", bug)

    def stage_took(self, stage: str, seconds: float) -> None:
        """Counts a stage's time."""
        self.counts.stage_took(stage, seconds)

    def rules_in_force(self, rules: Mapping[str, Rules]) -> None:
        """Shows the rules in force."""
        self.counts.rules_in_force(rules)

    def stalled(self, dependency: str, error: Exception) -> None:
        """Counts a failed call of a dependency."""
        self.counts.stalled(dependency, error)

    def failed(self, where: str, error: Exception) -> None:
        """Counts a bug."""
        self.counts.failed(where, error)


def outcome_attributes(outcome: Outcome) -> Attributes:
    """The attributes of an event's span; never the detail, which may quote the event."""
    attributes = {
        "sqlassay.outcome": outcome.kind.value,
        "sqlassay.reason": outcome.reason or None,
        "sqlassay.trigger": outcome.trigger.value,
        "sqlassay.tenant": outcome.tenant,
        "sqlassay.event.id": outcome.event_id,
        "sqlassay.evaluation.id": str(outcome.evaluation_id) if outcome.evaluation_id is not None else None,
        "gen_ai.agent.name": outcome.agent,
        "gen_ai.evaluation.score.value": outcome.score,
    }
    return {name: value for name, value in attributes.items() if value is not None}


@dataclass(frozen=True, slots=True)
class TracedResults:
    """A `Results` that adds the time of publishing to the stage timings of each evaluation."""

    results: Results
    timer: Callable[[], float]
    """Seconds, monotonic."""

    async def publish(self, ends: Mapping[EventKey, Evaluation | Claim]) -> None:
        """Publishes the results; returns once all are durable."""
        timings, began = timings_of(each for each in ends.values() if isinstance(each, Evaluation)), self.timer()
        try:
            await self.results.publish(ends)
        finally:
            for each in timings:
                each.add("publish", began, self.timer())
