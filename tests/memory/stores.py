"""In-memory stores: one class for each port."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from consumers.evaluation.deferrals import Deferral
from consumers.evaluation.event_evaluation import Claim, Evaluation, EventKey
from consumers.evaluation.outcomes import DeferredReason, Outcome, OutcomeKind, Trigger
from consumers.keep_labels import Label, Target
from consumers.queueing.shares import Turns
from scoring.rules import Rules


@dataclass(slots=True)
class MemoryDeferred:
    """A `DeferredEvents` in memory."""

    kept: dict[EventKey, Deferral] = field(default_factory=dict[EventKey, Deferral])

    async def defer(self, deferrals: Sequence[Deferral]) -> Collection[EventKey]:
        """Keeps those whose key is free or holds the same event; returns the other keys."""
        refused = [each.key for each in deferrals if not self._same(each)]
        for each in deferrals:
            if each.key not in refused:
                before = self.kept.get(each.key, each)
                self.kept[each.key] = replace(each, attempts=_attempts(each, before))
        return refused

    def _same(self, each: Deferral) -> bool:
        return each.key not in self.kept or self.kept[each.key].payload_hash == each.payload_hash

    async def lease_due(self, now: datetime, limit: int, lease_seconds: float) -> Sequence[Deferral]:
        """Leases those due, tenants in turn, longest due first."""
        lines = Turns[Deferral]()
        for each in sorted(self.kept.values(), key=lambda each: each.due):
            if each.due <= now:
                lines.put(each.tenant, each)
        due = lines.pop(limit)
        lease = now + timedelta(seconds=lease_seconds)
        taken = [replace(each, due=lease, attempts=each.attempts + 1) for each in due]
        self.kept.update({each.key: each for each in taken})
        return taken

    async def drop(self, keys: Collection[EventKey]) -> None:
        """Deletes them."""
        for key in keys:
            self.kept.pop(key, None)

    async def waiting(self) -> int:
        """How many are kept."""
        return len(self.kept)


def _attempts(each: Deferral, before: Deferral) -> int:
    untried = each.reason is DeferredReason.TENANT_THROTTLED and before.attempts == each.attempts + 1
    return each.attempts if untried else max(each.attempts, before.attempts)


@dataclass(slots=True)
class MemoryScores:
    """A `ScoreStore` in memory."""

    rows: dict[EventKey, Evaluation] = field(default_factory=dict[EventKey, Evaluation])

    async def claims(self, keys: Collection[EventKey]) -> Mapping[EventKey, Claim]:
        """The claims on these keys."""
        return {key: self.rows[key].claim for key in keys if key in self.rows}

    async def record(self, evaluations: Sequence[Evaluation]) -> Mapping[EventKey, Claim]:
        """Keeps those whose key is free and those that fill its row; returns the claims of the others."""
        claims = {each.key: self.rows[each.key].claim for each in evaluations if each.key in self.rows}
        stood = {each.key: claims[each.key] for each in evaluations if not self._is_free(each, claims)}
        self.rows.update({each.key: each for each in evaluations if each.key not in stood})
        return stood

    def _is_free(self, each: Evaluation, claims: Mapping[EventKey, Claim]) -> bool:
        return each.key not in claims or each.fills(claims[each.key]) or self.rows[each.key] is each


@dataclass(slots=True)
class MemoryRules:
    """A `RuleSource` over a dictionary."""

    known: dict[str, Rules] = field(default_factory=dict[str, Rules])

    async def rules(self, tenants: Collection[str]) -> Mapping[str, Rules]:
        """Each tenant's rules, the default where it has none."""
        return {tenant: self.known.get(tenant, Rules()) for tenant in tenants}


@dataclass(slots=True)
class Tally:
    """Counts what was consumed and how it ended."""

    consumed: int = 0
    ended: Counter[OutcomeKind] = field(default_factory=Counter[OutcomeKind])

    def consume(self, count: int) -> None:
        """`count` records were taken from the stream."""
        self.consumed += count

    def finish(self, outcomes: Sequence[Outcome]) -> None:
        """These records ended."""
        self.ended.update(outcome.kind for outcome in outcomes)

    @property
    def balanced(self) -> bool:
        """Everything consumed ended in one outcome."""
        return self.consumed == self.ended.total()


@dataclass(slots=True)
class MemoryOutcomes:
    """An `Outcomes` that keeps every call's arguments."""

    tally: Tally = field(default_factory=Tally)
    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    evaluations: list[Evaluation] = field(default_factory=list[Evaluation])
    stages: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    in_force: dict[str, Rules] = field(default_factory=dict[str, Rules])
    stalls: list[str] = field(default_factory=list[str])
    faults: list[tuple[str, Exception]] = field(default_factory=list[tuple[str, Exception]])

    def consumed(self, count: int, trigger: Trigger = Trigger.LIVE) -> None:
        """Counts records read."""
        self.tally.consume(count)

    def ended(self, outcomes: Sequence[Outcome]) -> None:
        """Counts records ended."""
        self.tally.finish(outcomes)
        self.outcomes.extend(outcomes)

    def evaluated(self, evaluation: Evaluation) -> None:
        """Keeps a committed row."""
        self.evaluations.append(evaluation)

    def stage_took(self, stage: str, seconds: float) -> None:
        """Keeps a stage's time."""
        self.stages.append((stage, seconds))

    def rules_in_force(self, rules: Mapping[str, Rules]) -> None:
        """Keeps the rules in force."""
        self.in_force.update(rules)

    def stalled(self, dependency: str, error: Exception) -> None:
        """Keeps the dependency that did not answer."""
        self.stalls.append(dependency)

    def failed(self, where: str, error: Exception) -> None:
        """Keeps a bug."""
        self.faults.append((where, error))


@dataclass(slots=True)
class MemoryLabels:
    """A `LabelStore` of the events in a `MemoryScores`."""

    scores: MemoryScores
    kept: dict[tuple[EventKey, str], Label] = field(default_factory=dict[tuple[EventKey, str], Label])

    async def events(self, targets: Sequence[Target]) -> Mapping[Target, EventKey]:
        """The events that are stored, by target."""
        rows = self.scores.rows.items()
        by_id = {Target(tenant, evaluation_id=row.id): key for key, row in rows for tenant in (key.tenant, None)}
        by_key = {Target(key.tenant, key=key): key for key in self.scores.rows}
        known = by_id | by_key
        return {target: known[target] for target in targets if target in known}

    async def keep(self, labels: Sequence[tuple[EventKey, Label]]) -> None:
        """Keeps each reviewer's latest label of each event."""
        for key, label in labels:
            before = self.kept.get((key, label.reviewer), label)
            if label.labelled_at >= before.labelled_at:
                drawn = label.sampling_probability or before.sampling_probability
                self.kept[key, label.reviewer] = replace(label, sampling_probability=drawn)
