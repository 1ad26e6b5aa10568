"""How far judgements agree with labels, for a set of rules and for each rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from learning.rules.examples import JudgedExample, RuleSet
from scoring.learned_rules import RuleSide


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleAgreement:
    """A judge's agreement with labels; right answers are the positive class."""

    labels: int
    accuracy: float
    balanced_accuracy: float | None
    """Mean of the shares of right and of wrong answers that are judged as labelled; `None` without both."""
    precision: float | None
    """`None` where nothing was judged right."""
    recall: float | None
    """`None` where no label says right."""
    f1: float | None
    unjudged: int
    """Answers without a valid reply; they count as misjudged."""


class HasAccuracy(Protocol):
    """Figures by which sets of rules are compared."""

    @property
    def accuracy(self) -> float: ...

    @property
    def balanced_accuracy(self) -> float | None: ...


def agreement(judged: Sequence[JudgedExample]) -> RuleAgreement:
    """The figures of some judgements."""
    called, labelled = sum(each.right is True for each in judged), sum(each.example.correct for each in judged)
    hits = sum(each.right is True and each.example.correct for each in judged)
    refused = sum(each.right is False and not each.example.correct for each in judged)
    shares = _share(hits, labelled), _share(refused, len(judged) - labelled)
    return RuleAgreement(
        labels=len(judged),
        accuracy=_share(sum(each.agrees for each in judged), len(judged)) or 0.0,
        balanced_accuracy=None if None in shares else round(sum(each or 0 for each in shares) / 2, 4),
        precision=_share(hits, called),
        recall=_share(hits, labelled),
        f1=_share(2 * hits, called + labelled),
        unjudged=sum(each.right is None for each in judged),
    )


def is_worse(after: HasAccuracy, before: HasAccuracy) -> bool:
    """Whether either accuracy is lower.

    Plain accuracy alone would gain where nearly all labels say right and rules make the judge accept everything.
    """
    balanced = (each.balanced_accuracy or 0.0 for each in (after, before))
    return after.accuracy < before.accuracy or next(balanced) < next(balanced)


def measured_rules(rules: RuleSet, judged: Sequence[JudgedExample]) -> RuleSet:
    """The rules with precision and support, from judgements made by them."""
    found = [_counted(number, each.rule.side, judged) for number, each in enumerate(rules, 1)]
    return tuple(
        replace(each, precision=_share(hits, applied), support=applied)
        for each, (applied, hits) in zip(rules, found, strict=True)
    )


def sound_rules(rules: RuleSet, *, least_support: int, least_precision: float) -> RuleSet:
    """Measured rules without narrow ones and without those that are wrong as often as right."""
    return tuple(
        each
        for each in rules
        if each.support >= least_support and each.precision is not None and each.precision >= least_precision
    )


def _counted(number: int, side: RuleSide, judged: Sequence[JudgedExample]) -> tuple[int, int]:
    labels = [each.example.correct for each in judged if number in each.applied]
    return len(labels), sum(label == (side is RuleSide.SUPPORTS_RIGHT) for label in labels)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
