"""What is told to telemetry, and when: a trace when its event has ended, a result when its row is committed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from consumers.evaluation.evaluation import Claim, Evaluation, EventKey
from consumers.evaluation.outcomes import Outcome, OutcomeKind, Trigger
from consumers.evaluation.timings import StageTimings, timings_of
from consumers.pool.ports import Results
from consumers.ports import Outcomes
from scoring.rules import Rules
from service.telemetry.evaluations import Attributes

SCORE, PUBLISH = "sqlassay.score", "sqlassay.publish"
"""Names of spans: an event's way through a worker, and through an api into Kafka."""
_FAILED = frozenset({OutcomeKind.DEAD_LETTERED, OutcomeKind.DEFERRED})
"""Ends that make a span one of an error."""


class Telemetry(Protocol):
    """Where traces and results go. Nothing here waits, and nothing is refused: what does not fit is dropped."""

    def draw(self, name: str, timings: StageTimings, attributes: Attributes, error: str | None) -> None:
        """Draws the trace of an event that has ended; `error` is the code of what went wrong."""
        ...

    def tell(self, evaluation: Evaluation) -> None:
        """The result of a committed row."""
        ...


@dataclass(frozen=True, slots=True)
class TracedOutcomes:
    """An `Outcomes` that tells telemetry what it counts."""

    counts: Outcomes
    telemetry: Telemetry

    def consumed(self, count: int, trigger: Trigger = Trigger.LIVE) -> None:
        """Counts records taken."""
        self.counts.consumed(count, trigger)

    def ended(self, outcomes: Sequence[Outcome]) -> None:
        """Counts how records ended, and draws the traces of those that were timed."""
        self.counts.ended(outcomes)
        for outcome in outcomes:
            if outcome.timings is not None:
                self._draw(outcome, outcome.timings)

    def _draw(self, outcome: Outcome, timings: StageTimings) -> None:
        error = outcome.reason if outcome.kind in _FAILED else None
        # whoever counts an end goes on to tell the sender: nothing may keep it from that
        try:
            self.telemetry.draw(SCORE, timings, outcome_attributes(outcome), error)
        except Exception as bug:
            self.counts.failed("telemetry", bug)

    def evaluated(self, evaluation: Evaluation) -> None:
        """Counts a committed row, and tells its result unless it is about the past."""
        self.counts.evaluated(evaluation)
        if evaluation.trigger is Trigger.BACKFILL:
            return
        try:
            self.telemetry.tell(evaluation)
        except Exception as bug:
            self.counts.failed("telemetry", bug)

    def took(self, stage: str, seconds: float) -> None:
        """Counts a stage's time."""
        self.counts.took(stage, seconds)

    def ruled(self, rules: Mapping[str, Rules]) -> None:
        """Shows the rules in force."""
        self.counts.ruled(rules)

    def stalled(self, dependency: str) -> None:
        """Counts a try in vain."""
        self.counts.stalled(dependency)

    def failed(self, where: str, error: Exception) -> None:
        """Counts a bug."""
        self.counts.failed(where, error)


def outcome_attributes(outcome: Outcome) -> Attributes:
    """What the span of an event says of its end; never the detail, which may quote the event."""
    said = {
        "sqlassay.outcome": outcome.kind.value,
        "sqlassay.reason": outcome.reason or None,
        "sqlassay.trigger": outcome.trigger.value,
        "sqlassay.tenant": outcome.tenant,
        "sqlassay.event.id": outcome.event_id,
        "sqlassay.evaluation.id": str(outcome.evaluation_id) if outcome.evaluation_id is not None else None,
        "gen_ai.agent.name": outcome.agent,
        "gen_ai.evaluation.score.value": outcome.score,
    }
    return {name: value for name, value in said.items() if value is not None}


@dataclass(frozen=True, slots=True)
class TracedResults:
    """A `Results` that adds the time of publishing to the stage timings of what it publishes."""

    results: Results
    timer: Callable[[], float]
    """Seconds, monotonic."""

    async def publish(self, ends: Mapping[EventKey, Evaluation | Claim]) -> None:
        """Returns once every result is durable."""
        timings, began = timings_of(each for each in ends.values() if isinstance(each, Evaluation)), self.timer()
        try:
            await self.results.publish(ends)
        finally:
            for each in timings:
                each.add("publish", began, self.timer())
