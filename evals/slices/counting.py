"""Counts answers by agent and by slice: what `worst_slices` and `changes` test."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import numpy.typing as npt

from evals.slices.changes import PeriodAnswers
from evals.slices.counts import CAUSES, AgentLoss, Loss, SliceCounts, SliceKind
from evals.slices.significance import LEAST_QUESTIONS

_Ints = npt.NDArray[np.int64]
_Floats = npt.NDArray[np.float64]


class SlicedAnswer(NamedTuple):
    """One scored answer, and the slices that it is in. Thousands are made for one page."""

    id: UUID
    tenant: str
    agent: str
    occurred_at: datetime
    asked: int
    """The same for answers of one agent to one question."""
    loss: float
    """The probability that it is wrong."""
    wrong: float | None
    """What its labels say: 1, 0, or ½ where they are divided; `None` without one."""
    complained: bool
    """Whether a user is dissatisfied with it."""
    digest: int
    """A digest of its id, of 64 bits."""
    slices: Sequence[str]
    """Each as its kind, a space and its value; none twice."""


@dataclass(frozen=True, slots=True)
class _Answers:
    """The answers as columns, one entry for each."""

    given: Sequence[SlicedAnswer]
    agents: Sequence[tuple[str, str]]
    agent: _Ints
    """Its place in `agents`."""
    asked: _Ints
    """A number of its question."""
    loss: _Floats
    labelled: _Ints
    """1 or 0."""
    wrong: _Floats
    complained: _Ints
    """1 or 0."""
    digest: _Ints
    rank: _Ints
    """Its place among all by how likely it is wrong; the likeliest has the greatest."""


@dataclass(frozen=True, slots=True)
class _Groups:
    """Entries that are put together: those of each group lie side by side in `order`."""

    order: _Ints
    begins: _Ints
    """Where each group begins in `order`."""

    @staticmethod
    def of(keys: _Ints) -> _Groups:
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        begins = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))) if len(keys) else order
        return _Groups(order, begins)

    def first(self, values: Any) -> Any:
        return values[self.order[self.begins]]

    def total(self, values: Any) -> Any:
        return np.add.reduceat(values[self.order], self.begins)

    def greatest(self, values: _Ints) -> _Ints:
        return np.maximum.reduceat(values[self.order], self.begins)

    def parity(self, values: _Ints) -> _Ints:
        """The exclusive or of all: the same for groups of the same answers."""
        return np.bitwise_xor.reduceat(values[self.order], self.begins)


def count_slices(
    answers: Sequence[SlicedAnswer], *, least: int = LEAST_QUESTIONS, rare_causes: bool = False
) -> PeriodAnswers:
    """The sums of every agent, and of its slices with at least so many questions. Answers are given newest first.

    With `rare_causes` faults and reasons may have fewer: of a period before, how often they came is compared.

    The example of a slice is the answer that is most likely wrong; of equals, the newest.

    >>> from datetime import UTC
    >>> def answer(number, asked, loss):
    ...     at, names = datetime(2026, 3, number, tzinfo=UTC), ["table mills"] if loss > 0.5 else []
    ...     return SlicedAnswer(UUID(int=number), "t", "a", at, asked, loss, None, False, number, names)
    >>> found = count_slices([answer(4, 7, 0.75), answer(3, 8, 1.0), answer(2, 9, 0.0), answer(1, 7, 0.25)], least=2)
    >>> [(each.kind.value, each.value, each.own.answers, each.own.loss, each.example[-1]) for each in found.slices]
    [('table', 'mills', 2, 1.75, '3')]
    >>> found.agents[0].all.questions, found.agents[0].all.question_loss, found.agents[0].first.day
    (3, 1.5, 1)
    """
    if not answers:
        return PeriodAnswers(agents=[], slices=[])
    found = _columns(answers)
    slices, few = _slices(found, least, CAUSES if rare_causes else frozenset())
    return PeriodAnswers(agents=_agents(found), slices=slices, few=few)


def _columns(given: Sequence[SlicedAnswer]) -> _Answers:
    agents = list(dict.fromkeys((each.tenant, each.agent) for each in given))
    places = {who: place for place, who in enumerate(agents)}
    asked = {question: place for place, question in enumerate(dict.fromkeys(each.asked for each in given))}
    loss = np.array([each.loss for each in given], dtype=np.float64)
    # of equals the one given first is last
    least_first = len(given) - 1 - np.argsort(np.round(loss[::-1], 6), kind="stable")
    rank = np.empty(len(given), dtype=np.int64)
    rank[least_first] = np.arange(len(given))
    return _Answers(
        given=given,
        agents=agents,
        agent=np.array([places[each.tenant, each.agent] for each in given], dtype=np.int64),
        asked=np.array([asked[each.asked] for each in given], dtype=np.int64),
        loss=loss,
        labelled=np.array([each.wrong is not None for each in given], dtype=np.int64),
        wrong=np.array([each.wrong or 0.0 for each in given], dtype=np.float64),
        complained=np.array([each.complained for each in given], dtype=np.int64),
        digest=np.array([each.digest for each in given], dtype=np.int64),
        rank=rank,
    )


def _agents(found: _Answers) -> list[AgentLoss]:
    questions = _Groups.of(found.asked)
    sums = _losses(_Groups.of(questions.first(found.agent)), questions, found.loss)
    own = _Groups.of(found.agent)
    labelled, wrong, complained = (own.total(each) for each in (found.labelled, found.wrong, found.complained))
    times = np.array([each.occurred_at.timestamp() for each in found.given])
    # the entries of a group stay in their order, so the extremes are looked up by place
    oldest, newest = map(_listed, _extremes(own, times))
    return [
        AgentLoss(
            tenant=tenant,
            agent=agent,
            all=sums[place],
            labelled=int(labelled[place]),
            labelled_wrong=float(wrong[place]),
            complained=int(complained[place]),
            first=found.given[oldest[place]].occurred_at,
            last=found.given[newest[place]].occurred_at,
        )
        for place, (tenant, agent) in enumerate(found.agents)
    ]


def _extremes(groups: _Groups, values: _Floats) -> tuple[_Ints, _Ints]:
    """The places of the least and the greatest value of each group."""
    order = np.argsort(values, kind="stable")
    rank = np.empty(len(values), dtype=np.int64)
    rank[order] = np.arange(len(values))
    least = np.minimum.reduceat(rank[groups.order], groups.begins)
    return order[least], order[groups.greatest(rank)]


def _losses(groups: _Groups, questions: _Groups, loss: _Floats) -> list[Loss]:
    """The sums of each group of questions."""
    answers, lost = questions.total(np.ones(len(loss), dtype=np.int64)), questions.total(loss)
    mean = lost / answers
    sums = (answers, np.ones(len(answers), dtype=np.int64), lost, mean, mean**2, mean**3)
    return [
        Loss(answers=n, questions=q, loss=own, question_loss=each, squares=squares, cubes=cubes)
        for n, q, own, each, squares, cubes in zip(*(groups.total(each).tolist() for each in sums), strict=True)
    ]


def _slices(found: _Answers, least: int, rare: Set[str]) -> tuple[list[SliceCounts], int]:
    """The slices with at least so many questions or of a kind that may be rare, and how many others there are."""
    of_answer = np.repeat(np.arange(len(found.given)), [len(each.slices) for each in found.given])
    if not len(of_answer):
        return [], 0
    names: dict[str, int] = {}
    named = chain.from_iterable(each.slices for each in found.given)
    name = np.array([names.setdefault(each, len(names)) for each in named], dtype=np.int64)
    questions = _Groups.of(found.asked[of_answer] * len(names) + name)
    own_name, own_agent = questions.first(name), questions.first(found.agent[of_answer])
    groups = _Groups.of(own_agent * len(names) + own_name)
    spelled = list(names)
    columns = (
        _losses(groups, questions, found.loss[of_answer]),
        _listed(groups.first(own_agent)),
        [spelled[code] for code in _listed(groups.first(own_name))],
        _people(found, of_answer, groups, questions),
        _listed(groups.parity(questions.parity(found.digest[of_answer]))),
        _listed(np.argsort(found.rank)[groups.greatest(questions.greatest(found.rank[of_answer]))]),
    )
    slices = [
        _slice(found, spelling, own, agent, people, (members, worst))
        for own, agent, spelling, people, members, worst in zip(*columns, strict=True)
        if own.questions >= least or spelling.partition(" ")[0] in rare
    ]
    return slices, len(groups.begins) - len(slices)


class _People(NamedTuple):
    """What people say of the answers of a slice."""

    labelled: float
    labelled_wrong: float
    complained: float


def _people(found: _Answers, of_answer: _Ints, groups: _Groups, questions: _Groups) -> list[_People]:
    said = (found.labelled, found.wrong, found.complained)
    sums = (groups.total(questions.total(each[of_answer])).tolist() for each in said)
    return [_People(*each) for each in zip(*sums, strict=True)]


def _slice(found: _Answers, name: str, own: Loss, agent: int, people: _People, answers: tuple[int, int]) -> SliceCounts:
    """`answers` are the digest of all, and the place of the one that is most likely wrong."""
    kind, value = name.split(" ", 1)
    tenant, called = found.agents[agent]
    members, worst = answers
    return SliceCounts(
        tenant=tenant,
        agent=called,
        kind=SliceKind(kind),
        value=value,
        own=own,
        labelled=int(people.labelled),
        labelled_wrong=float(people.labelled_wrong),
        complained=int(people.complained),
        members=f"{members}/{own.answers}",
        example=str(found.given[worst].id),
    )


def _listed(values: _Ints) -> list[int]:
    return values.tolist()
