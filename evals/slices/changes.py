"""What got worse: the slices of one period against the same slices of the period before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evals.slices.counts import AgentLoss, Loss, SliceCounts, SliceKind, compared_as
from evals.slices.significance import (
    FALSE_DISCOVERIES,
    LEAST_QUESTIONS,
    among_many,
    chances_of_more,
    shrunk,
)

_KINDS = list(SliceKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodAnswers:
    """What was read of one period."""

    agents: Sequence[AgentLoss]
    slices: Sequence[SliceCounts]
    few: int = 0
    """Slices with too few questions, which were not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worsening:
    """How much got worse, and how sure that is."""

    lost: float
    """Right answers lost since: those that there would be with the share before. Of a slice, shrunk."""
    p_value: float
    adjusted: float

    @property
    def sure(self) -> bool:
        """Whether it got worse, with few such marks by chance."""
        return self.adjusted <= FALSE_DISCOVERIES


@dataclass(frozen=True, slots=True, kw_only=True)
class WorseSlice(Worsening):
    """A slice now, against before."""

    counts: SliceCounts
    """The slice now."""
    before: Loss
    """The slice before, or all answers of the agent before where it is new."""
    new: bool
    """Whether the slice had fewer than `LEAST_QUESTIONS` questions before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorseAgent(Worsening):
    """An agent now, against before."""

    now: AgentLoss
    before: AgentLoss


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeReport:
    """What got worse, by right answers lost."""

    agents: Sequence[WorseAgent]
    slices: Sequence[WorseSlice]
    tested: int
    few: int
    without_before: int
    """Agents without answers in the period before."""


def changes(now: PeriodAnswers, before: PeriodAnswers) -> ChangeReport:
    """Compares the agents of both periods, and their slices now."""
    agents_before = {each.who: each for each in before.agents}
    both = [(each, agents_before[each.who]) for each in now.agents if each.who in agents_before]
    # a slice of all answers is the agent
    known = {each.who: each.all.answers for each, _ in both}
    supported = [
        each
        for each in now.slices
        if each.own.questions >= LEAST_QUESTIONS and each.own.answers < known.get(each.who, 0)
    ]
    slices = _slices(supported, before.slices, agents_before)
    return ChangeReport(
        agents=_agents(both),
        slices=slices,
        tested=len(slices),
        few=now.few + sum(each.own.questions < LEAST_QUESTIONS for each in now.slices),
        without_before=len(now.agents) - len(both),
    )


def _agents(both: Sequence[tuple[AgentLoss, AgentLoss]]) -> list[WorseAgent]:
    chances = _chances([(now.all, before.all) for now, before in both])
    found = [
        WorseAgent(
            now=now,
            before=before,
            lost=now.all.answers * (now.all.share - before.all.share),
            p_value=chance,
            adjusted=adjusted,
        )
        for (now, before), chance, adjusted in zip(both, chances, among_many(chances), strict=True)
    ]
    return sorted(found, key=lambda each: (-each.lost, each.now.who))


def _slices(
    now: Sequence[SliceCounts], before: Iterable[SliceCounts], agents: Mapping[tuple[str, str], AgentLoss]
) -> list[WorseSlice]:
    then = {(each.who, each.kind, each.value): each.own for each in before if each.own.questions >= LEAST_QUESTIONS}
    compared: list[tuple[SliceCounts, Loss, bool]] = []
    seen = set[tuple[str, ...]]()
    # slices of the same answers are one, which goes by the name of the first kind
    for each in sorted(now, key=lambda each: (_KINDS.index(each.kind), each.value)):
        answers = (*each.who, compared_as(each.kind), each.members)
        if answers in seen:
            continue
        seen.add(answers)
        own = then.get((each.who, each.kind, each.value))
        compared.append((each, own or agents[each.who].all, own is None))
    chances = _chances([(each.own, was) for each, was, _ in compared])
    found = [
        WorseSlice(
            counts=each,
            before=was,
            new=new,
            lost=each.own.answers * (shrunk(each.own.share, each.own.questions, was.share) - was.share),
            p_value=chance,
            adjusted=adjusted,
        )
        for (each, was, new), chance, adjusted in zip(compared, chances, among_many(chances), strict=True)
    ]
    return sorted(found, key=lambda each: (-each.lost, *each.counts.who, each.counts.kind, each.counts.value))


def _chances(compared: Sequence[tuple[Loss, Loss]]) -> list[float]:
    """The chance of each loss now, if the time says nothing: drawn from the answers of now and before."""
    return chances_of_more([(now, now + before) for now, before in compared])
