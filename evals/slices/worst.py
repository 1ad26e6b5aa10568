"""The slices in which agents lose most, against the mean of their own answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evals.estimate.exact_intervals import of_sample
from evals.slices.counts import AgentLoss, SliceCounts, SliceKind
from evals.slices.significance import (
    FALSE_DISCOVERIES,
    LEAST_QUESTIONS,
    among_many,
    chances_of_more,
    shrunk,
)

LEVEL = 0.9
"""How often an interval holds the expected share."""
_KINDS = list(SliceKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstSlice:
    """A slice, and what it costs."""

    counts: SliceCounts
    share: float
    """Expected share of wrong answers, each question counted once."""
    low: float
    high: float
    agent_share: float
    """The expected share of wrong answers of all answers of the agent."""
    lost: float
    """Right answers lost: those that the slice would have with the agent's share. Shrunk."""
    p_value: float
    adjusted: float
    """The p-value, adjusted for all slices that were tested with it."""
    same_as: tuple[str, ...]
    """Other slices of the same answers, as kind and value."""

    @property
    def sure(self) -> bool:
        """Whether it is worse than the agent's other answers, with few such marks by chance."""
        return self.adjusted <= FALSE_DISCOVERIES


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceReport:
    """The slices of some agents, by right answers lost."""

    slices: Sequence[WorstSlice]
    tested: int
    few: int
    """Slices that were left out because they have fewer than `LEAST_QUESTIONS` questions."""
    whole: int
    """Slices that were left out because they hold all questions of their agent."""


def labels_say_otherwise(counts: SliceCounts) -> bool:
    """Whether the labels of a slice speak against its expected share: even the most that they allow is below it."""
    if not counts.labelled:
        return False
    _, most = of_sample(counts.labelled_wrong / counts.labelled, counts.labelled, LEVEL)
    return most < min(counts.own.share, counts.own.question_share)


def worst_slices(agents: Iterable[AgentLoss], found: Iterable[SliceCounts], *, few: int = 0) -> SliceReport:
    """Ranks the slices. `few` counts those that were left out before."""
    by_who = {each.who: each for each in agents}
    given = list(found)
    supported = [each for each in given if each.own.questions >= LEAST_QUESTIONS]
    contrasted = [each for each in supported if each.own.questions < by_who[each.who].all.questions]
    alike = _alike(contrasted)
    tested = [each[0] for each in alike]
    chances = chances_of_more([(each.own, by_who[each.who].all) for each in tested])
    slices = [
        _worst(same, by_who[same[0].who], chance, adjusted)
        for same, chance, adjusted in zip(alike, chances, among_many(chances), strict=True)
    ]
    return SliceReport(
        slices=sorted(slices, key=lambda each: (-each.lost, *each.counts.who, each.counts.kind, each.counts.value)),
        tested=len(tested),
        few=few + len(given) - len(supported),
        whole=len(supported) - len(contrasted),
    )


def _alike(found: Iterable[SliceCounts]) -> list[list[SliceCounts]]:
    """Slices of the same answers together: each set of answers is tested once."""
    same: dict[tuple[str, ...], list[SliceCounts]] = {}
    for each in sorted(found, key=lambda each: (_KINDS.index(each.kind), each.value)):
        same.setdefault((*each.who, each.compared_as, each.members), []).append(each)
    return list(same.values())


def _worst(same: Sequence[SliceCounts], agent: AgentLoss, p_value: float, adjusted: float) -> WorstSlice:
    counts = same[0]
    own, usual = counts.own, agent.all.share
    low, high = of_sample(own.question_share, own.questions, LEVEL)
    return WorstSlice(
        counts=counts,
        share=own.question_share,
        low=low,
        high=high,
        agent_share=usual,
        lost=own.answers * (shrunk(own.share, own.questions, usual) - usual),
        p_value=p_value,
        adjusted=adjusted,
        same_as=tuple(f"{each.kind.value} {each.value}" for each in same[1:]),
    )
