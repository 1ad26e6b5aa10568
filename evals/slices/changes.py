"""What got worse: the slices of one period against the same slices of the period before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evals.slices.counts import AgentLoss, Loss, SliceCounts, SliceKind
from evals.slices.significance import (
    FALSE_DISCOVERIES,
    LEAST_QUESTIONS,
    among_many,
    chances_of_more,
    shrunk,
)

_KINDS = list(SliceKind)
_NOTHING = Loss(answers=0, questions=0, loss=0.0, question_loss=0.0, squares=0.0, cubes=0.0)


class _Both(NamedTuple):
    """Two sums that are compared."""

    now: Loss
    before: Loss


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
    """A slice now, against before.

    Answers with a cause are always likely wrong, so a cause got worse where it became more frequent: its loss is spread
    over all answers of the agent, now and before.
    """

    counts: SliceCounts
    """The slice now."""
    now: Loss
    before: Loss
    """The slice before, or all answers of the agent before where it is new."""
    new: bool
    """Whether the slice, no cause, had fewer than `LEAST_QUESTIONS` questions before."""


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
    of_agents = {each.who: _Both(each.all, was.all) for each, was in both}
    slices = _slices([each for each in now.slices if _is_compared(each, of_agents)], before.slices, of_agents)
    return ChangeReport(
        agents=_agents(both),
        slices=slices,
        tested=len(slices),
        few=now.few + sum(each.own.questions < LEAST_QUESTIONS for each in now.slices),
        without_before=len(now.agents) - len(both),
    )


def _agents(both: Sequence[tuple[AgentLoss, AgentLoss]]) -> list[WorseAgent]:
    chances = _chances([_Both(now.all, before.all) for now, before in both])
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


def _is_compared(each: SliceCounts, agents: Mapping[tuple[str, str], _Both]) -> bool:
    """Whether it has enough questions, of an agent of both periods. A place that holds all answers is the agent."""
    if each.who not in agents or each.own.questions < LEAST_QUESTIONS:
        return False
    return each.is_cause or each.own.answers < agents[each.who].now.answers


def _slices(
    now: Iterable[SliceCounts], before: Iterable[SliceCounts], agents: Mapping[tuple[str, str], _Both]
) -> list[WorseSlice]:
    then = {(each.who, each.kind, each.value): each.own for each in before}
    found = [
        (each, *_sides(each, then.get((each.who, each.kind, each.value)), agents[each.who])) for each in _once(now)
    ]
    chances = _chances([sides for _, sides, _ in found])
    worse = [
        WorseSlice(
            counts=each,
            now=sides.now,
            before=sides.before,
            new=new,
            lost=_lost(*sides),
            p_value=chance,
            adjusted=adjusted,
        )
        for (each, sides, new), chance, adjusted in zip(found, chances, among_many(chances), strict=True)
    ]
    return sorted(worse, key=lambda each: (-each.lost, *each.counts.who, each.counts.kind, each.counts.value))


def _once(slices: Iterable[SliceCounts]) -> list[SliceCounts]:
    """Slices of the same answers are one, which goes by the name of the first kind."""
    found: dict[tuple[str, ...], SliceCounts] = {}
    for each in sorted(slices, key=lambda each: (_KINDS.index(each.kind), each.value)):
        found.setdefault((*each.who, each.compared_as, each.members), each)
    return list(found.values())


def _sides(each: SliceCounts, then: Loss | None, agent: _Both) -> tuple[_Both, bool]:
    """What is compared of a slice, and whether that is a new slice against all answers before."""
    if each.is_cause:
        return _Both(each.own.of_all(agent.now), (then or _NOTHING).of_all(agent.before)), False
    if then is None or then.questions < LEAST_QUESTIONS:
        return _Both(each.own, agent.before), True
    return _Both(each.own, then), False


def _lost(now: Loss, before: Loss) -> float:
    return now.answers * (shrunk(now.share, now.questions, before.share) - before.share)


def _chances(compared: Sequence[_Both]) -> list[float]:
    """The chance of each loss now, if the time says nothing: drawn from the answers of now and before."""
    return chances_of_more([(now, now + before) for now, before in compared])
