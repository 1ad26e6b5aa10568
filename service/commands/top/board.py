"""Puts together what `sqlassay top` shows, from two looks at the processes and one at the tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from consumers.evaluation.outcomes import OutcomeKind
from service.commands.top.exposed_metrics import ExposedMetrics, added, largest
from service.commands.top.process_looks import ProcessLook
from service.commands.top.stored_work import StoredWork
from service.storage.alarms.agent_alarms import AgentAlarmState
from service.storage.status.intake_status import ArrivedAnswers, JudgeCost, LastAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessRow:
    """One process."""

    url: str
    role: str | None
    """`None` where it does not answer."""
    started_at: datetime | None
    queue: int | None
    """Records in memory that have not ended."""
    paused: list[str]
    """Topics that it does not fetch from for now, because its memory is full or a server is away."""
    down: list[str]
    """Servers that do not answer it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Records a second since the look before, over all processes that answered both times."""

    seconds: float
    """Between the two looks."""
    received: float
    scored: float
    duplicates: float
    unscored: dict[str, float]
    """By reason, like the next two."""
    deferred: dict[str, float]
    dead_lettered: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionLag:
    """How far a consumer group is behind in one partition."""

    topic: str
    partition: int
    group: str
    lag: int
    """Records that the group has not committed."""
    stuck: bool
    """Whether a batch that cannot be read stops it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What is stored and not done yet."""

    deferred: dict[str, int]
    """Events without a row, by the reason."""
    references: int
    """Answers without their reference verdict."""
    sinks: dict[str, int]
    """Evaluations that a sink has not got, by its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastHour:
    """Live answers that arrived in the last hour."""

    received: int
    scored: int
    unscored: dict[str, int]
    """By reason, most first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRow:
    """An agent's latest answer."""

    tenant: str
    agent: str
    agent_version: str | None
    answered_at: datetime
    seconds: float
    """Since then."""
    silence: float | None
    """How near the agent is to the bound of its rhythm: silent from 1 on. `None` where no process says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmRow:
    """An agent with an alarm that is on."""

    tenant: str
    agent: str
    kinds: list[str]
    """`fall`, `below` or `wrong`."""
    answered_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """All that is shown. `None` is what could not be read; `faults` says why."""

    at: datetime
    faults: list[str]
    processes: list[ProcessRow]
    rates: Rates | None
    dead_letters: dict[str, int]
    """Written since each process started, by reason."""
    partitions: list[PartitionLag]
    """Stuck ones first, then by lag."""
    waiting: Waiting | None = None
    hour: LastHour | None = None
    today: Sequence[JudgeCost] | None = None
    """What each model cost since midnight (UTC)."""
    agents: Sequence[AgentRow] | None = None
    """Nearest to silence first, then those whose latest answer is oldest."""
    alarms: Sequence[AlarmRow] | None = None


def board(before: Sequence[ProcessLook], after: Sequence[ProcessLook], work: StoredWork | str, now: datetime) -> Board:
    """What two looks at the same processes and one at the tables (or why it failed) say."""
    exposed = [each.exposed for each in after if each.exposed is not None]
    found = Board(
        at=now,
        faults=[each.fault for each in after if each.fault is not None],
        processes=[_process(each) for each in after],
        rates=rates(before, after),
        dead_letters={name: int(value) for name, value in added(exposed).by("reason", "dead_letters_total").items()},
        partitions=_partitions(exposed),
    )
    if isinstance(work, str):
        return replace(found, faults=[*found.faults, work])
    silences = largest(exposed, "agent_silence", "tenant", "agent")
    return replace(
        found,
        waiting=Waiting(deferred=dict(work.deferred), references=work.references, sinks=dict(work.unsent)),
        hour=None if work.sums.hour is None else _last_hour(work.sums.hour),
        today=work.sums.today,
        agents=_agents(work.last, silences, now),
        alarms=_alarms(work.alarms),
    )


def _process(look: ProcessLook) -> ProcessRow:
    found = look.exposed
    if found is None:
        return ProcessRow(url=look.url, role=None, started_at=None, queue=None, paused=[], down=[])
    return ProcessRow(
        url=look.url,
        role=next(iter(found.by("role", "role")), None),
        started_at=datetime.fromtimestamp(look.started or 0.0, UTC),
        queue=int(found.total("queue_records")),
        paused=sorted(found.by("topic", "kafka_paused")),
        down=sorted(labels["dependency"] for labels, value in found.series("dependency_up") if value == 0),
    )


def rates(before: Sequence[ProcessLook], after: Sequence[ProcessLook]) -> Rates | None:
    """What was counted between the looks. `None` where no process answered both times.

    A process that started in between counts from 0, and behind one address there may be several: it is left out.
    """
    both = [(old, new) for old, new in zip(before, after, strict=True) if old.url == new.url and _is_same(old, new)]
    if not both:
        return None
    seconds = sum(new.at - old.at for old, new in both) / len(both)
    risen = added([new.exposed.since(old.exposed) for old, new in both if old.exposed and new.exposed])

    def counted(kind: OutcomeKind) -> float:
        return risen.total("outcomes_total", outcome=kind.value) / seconds

    def by_reason(kind: OutcomeKind) -> dict[str, float]:
        found = risen.by("reason", "outcomes_total", outcome=kind.value)
        return {reason: value / seconds for reason, value in found.items()}

    return Rates(
        seconds=seconds,
        received=risen.total("consumed_total") / seconds,
        scored=counted(OutcomeKind.SCORED),
        duplicates=counted(OutcomeKind.DUPLICATE),
        unscored=by_reason(OutcomeKind.UNSCORED),
        deferred=by_reason(OutcomeKind.DEFERRED),
        dead_lettered=by_reason(OutcomeKind.DEAD_LETTERED),
    )


def _is_same(old: ProcessLook, new: ProcessLook) -> bool:
    """Whether both looks saw one process."""
    return old.started is not None and old.started == new.started and new.at > old.at


def _partitions(exposed: Sequence[ExposedMetrics]) -> list[PartitionLag]:
    lags = largest(exposed, "kafka_group_lag_records", "topic", "partition", "group")
    stuck = largest(exposed, "kafka_stuck", "topic", "partition")
    rows = [
        PartitionLag(
            topic=topic,
            partition=int(number),
            group=group,
            lag=int(lag),
            stuck=stuck.get((topic, number), 0.0) > 0,
        )
        for (topic, number, group), lag in lags.items()
    ]
    return sorted(rows, key=lambda each: (not each.stuck, -each.lag, each.topic, each.partition))


def _last_hour(arrived: Sequence[ArrivedAnswers]) -> LastHour:
    reasons: Counter[str] = Counter()
    for each in arrived:
        if each.unscored is not None:
            reasons[each.unscored] += each.answers
    received = sum(each.answers for each in arrived)
    return LastHour(received=received, scored=received - reasons.total(), unscored=dict(reasons.most_common()))


def _agents(last: Sequence[LastAnswer], silences: Mapping[tuple[str, ...], float], now: datetime) -> list[AgentRow]:
    rows = [
        AgentRow(
            tenant=each.tenant,
            agent=each.agent,
            agent_version=each.agent_version,
            answered_at=each.occurred_at,
            seconds=(now - each.occurred_at).total_seconds(),
            silence=silences.get((each.tenant, each.agent)),
        )
        for each in last
    ]
    return sorted(rows, key=lambda each: (-(each.silence or 0.0), each.answered_at))


def _alarms(alarms: Sequence[AgentAlarmState]) -> list[AlarmRow]:
    return [
        AlarmRow(
            tenant=each.tenant,
            agent=each.agent,
            kinds=[name for name, on in (("fall", each.fall), ("below", each.below), ("wrong", each.wrong)) if on],
            answered_at=each.answered_at,
        )
        for each in alarms
    ]
