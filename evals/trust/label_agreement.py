"""Labels against the judge, by judge and agent, and reviewers against one another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias, TypeVar

from evals.estimate.groups import agreed_right
from evals.trust.agreement_table import (
    CalledAnswer,
    LabelAgreement,
    ReliabilityBin,
    StatedAnswer,
    agreement,
    reliability,
)

MOST_REVIEWERS = 20
"""Most reviewers of one answer that are compared with one another."""
Key = TypeVar("Key", bound=Hashable)
AnswerId: TypeAlias = tuple[str, str, str]
"""The key of an answer's event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedLabel:
    """One reviewer's label, beside what the judge says of the answer."""

    answer: AnswerId
    reviewer: str
    wrong: bool
    probability: float | None
    """The probability with which the answer was drawn for labelling; `None` where it is not recorded."""
    agent: str
    judge: str
    """The judge and the evaluator's version; empty without a score."""
    p: float | None
    """The probability of the judge for the answer alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedAnswer:
    """What the reviewers of one answer say together."""

    wrong: bool
    tenant: str
    agent: str
    judge: str
    p: float
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustReport:
    """How far labels, the judge and reviewers agree."""

    labels: int
    answers: int
    """Labelled answers with a score on which the reviewers are not divided."""
    divided: int
    """Answers that as many reviewers call right as wrong."""
    without_score: int
    overall: LabelAgreement | None
    by_judge: Sequence[tuple[str, LabelAgreement]]
    by_agent: Sequence[tuple[str, LabelAgreement]]
    by_pair: Sequence[tuple[tuple[str, str], LabelAgreement]]
    """Reviewers, the pairs with most answers in common first."""
    bins: Sequence[ReliabilityBin]


def trust_report(labels: Sequence[JudgedLabel], *, drawn: bool) -> TrustReport:
    """The figures of labels; `drawn` reads only answers that were drawn, each weighted by one over its probability."""
    read = [each for each in labels if not drawn or each.probability is not None]
    by_answer: dict[AnswerId, list[JudgedLabel]] = defaultdict(list)
    for each in read:
        by_answer[each.answer].append(each)
    said = {answer: agreed_right(*_votes(given)) for answer, given in by_answer.items()}
    decided = [given for answer, given in by_answer.items() if said[answer] != 0.5]
    answers = [each for each in (_together(given, weighted=drawn) for given in decided) if each is not None]
    return TrustReport(
        labels=len(read),
        answers=len(answers),
        divided=len(by_answer) - len(decided),
        without_score=len(decided) - len(answers),
        overall=agreement(map(_called, answers)),
        by_judge=_grouped(answers, lambda each: each.judge),
        by_agent=_grouped(answers, lambda each: f"{each.agent} of {each.tenant}"),
        by_pair=_pairs(by_answer),
        bins=reliability([StatedAnswer(p=each.p, right=not each.wrong, weight=each.weight) for each in answers]),
    )


def _votes(given: Iterable[JudgedLabel]) -> tuple[int, int]:
    wrong = [each.wrong for each in given]
    return wrong.count(False), wrong.count(True)


def _together(given: Sequence[JudgedLabel], *, weighted: bool) -> DecidedAnswer | None:
    first = given[0]
    if first.p is None:
        return None
    right, wrong = _votes(given)
    probability = max((each.probability for each in given if each.probability is not None), default=None)
    weight = 1 / probability if weighted and probability else 1.0
    return DecidedAnswer(
        wrong=wrong > right,
        tenant=first.answer[0],
        agent=first.agent,
        judge=first.judge,
        p=first.p,
        weight=weight,
    )


def _called(each: DecidedAnswer) -> CalledAnswer:
    return CalledAnswer(wrong=each.wrong, called_wrong=each.p < 0.5, weight=each.weight)


def _grouped(
    answers: Iterable[DecidedAnswer], name: Callable[[DecidedAnswer], str]
) -> list[tuple[str, LabelAgreement]]:
    held: dict[str, list[CalledAnswer]] = defaultdict(list)
    for each in answers:
        held[name(each)].append(_called(each))
    return _most_answers_first(held)


def _most_answers_first(held: Mapping[Key, Sequence[CalledAnswer]]) -> list[tuple[Key, LabelAgreement]]:
    found = [(name, measured) for name, rows in held.items() if (measured := agreement(rows)) is not None]
    return sorted(found, key=lambda each: (-each[1].answers, str(each[0])))


def _pairs(
    by_answer: Mapping[tuple[str, str, str], Sequence[JudgedLabel]],
) -> list[tuple[tuple[str, str], LabelAgreement]]:
    held: dict[tuple[str, str], list[CalledAnswer]] = defaultdict(list)
    for given in by_answer.values():
        some = sorted(given, key=lambda each: each.reviewer)[:MOST_REVIEWERS]
        for one, other in combinations(some, 2):
            held[one.reviewer, other.reviewer].append(CalledAnswer(wrong=one.wrong, called_wrong=other.wrong))
    return _most_answers_first(held)
