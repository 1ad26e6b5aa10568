"""How far judgements agree with labels, for a set of rules and for each rule."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
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
    auc: float | None = None
    """Chance that a right answer has a higher score than a wrong one; `None` where the judge gives no scores."""


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
        auc=score_auc(_scored(judged)),
    )


def _scored(judged: Sequence[JudgedExample]) -> list[tuple[float, bool]]:
    return [(each.score, each.example.correct) for each in judged if each.score is not None]


def score_auc(scored: Sequence[tuple[float, bool]]) -> float | None:
    """The area under the ROC curve of scores with their labels; ties count half. `None` without both labels.

    >>> score_auc([(0.9, True), (0.4, False), (0.4, True)]), score_auc([(0.9, True)])
    (0.75, None)
    """
    wrong = sorted(score for score, correct in scored if not correct)
    right = [score for score, correct in scored if correct]
    if not wrong or not right:
        return None
    below = sum(bisect_left(wrong, each) + bisect_right(wrong, each) for each in right)
    return round(below / (2 * len(wrong) * len(right)), 4)


def is_worse(after: HasAccuracy, before: HasAccuracy) -> bool:
    """Whether either accuracy is lower.

    Plain accuracy alone would gain where nearly all labels say right and rules make the judge accept everything.
    """
    balanced = (each.balanced_accuracy or 0.0 for each in (after, before))
    return after.accuracy < before.accuracy or next(balanced) < next(balanced)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleChange:
    """What another set of rules changes, counted in groups of labels: answers to one question are not independent."""

    better: int
    """Groups of which more answers are judged as labelled."""
    worse: int
    p_value: float
    """Exact sign test: the probability of such a split, or one further from even, where the sets are equally good."""
    gain: float
    """Accuracy with the new set minus accuracy with the other."""
    low: float
    """Lower bound of the 90 % interval of the gain."""
    high: float


_BOUND = 1.645
"""Standard errors on each side of a 90 % interval."""


def rule_change(before: Sequence[JudgedExample], after: Sequence[JudgedExample]) -> RuleChange:
    """Compares two judgements of the same answers, in the same order."""
    gained: Counter[str] = Counter()
    for old, new in zip(before, after, strict=True):
        gained[old.example.group] += int(new.agrees) - int(old.agrees)
    better, worse = sum(each > 0 for each in gained.values()), sum(each < 0 for each in gained.values())
    sizes = Counter(each.example.group for each in before)
    gain, low, high = gain_interval([(gained[name], size) for name, size in sizes.items()])
    return RuleChange(
        better=better, worse=worse, p_value=round(sign_test(better, worse), 6), gain=gain, low=low, high=high
    )


def gain_interval(groups: Sequence[tuple[int, int]]) -> tuple[float, float, float]:
    """A gain in accuracy with its 90 % interval, from the gain and the size of each group of labels.

    Half a group that is better and half a one that is worse are added (Agresti and Min, 2005, here for groups of
    dependent answers), so the interval has a width also where nothing changed.

    >>> gain_interval([(1, 2), (0, 2), (0, 2), (1, 2)] * 5), gain_interval([(0, 2)] * 5)
    ((0.25, 0.1022, 0.3523), (0.0, -0.3236, 0.3236))
    """
    answers, total = sum(size for _, size in groups), sum(gained for gained, _ in groups)
    if len(groups) < 2:
        return total / max(1, answers), -1.0, 1.0
    mean = answers / len(groups)
    centre = total / (answers + 2 * mean)
    squares = sum((gained - centre * size) ** 2 for gained, size in groups) + mean**2 * (1 + 3 * centre**2)
    freedom = len(groups) - 1
    spread = math.sqrt(squares * len(groups) / freedom) / (answers + 2 * mean)
    # Student's t by the first term of its expansion
    reach = spread * (_BOUND + (_BOUND**3 + _BOUND) / (4 * freedom))
    return round(total / answers, 4), round(max(-1.0, centre - reach), 4), round(min(1.0, centre + reach), 4)


def sign_test(better: int, worse: int) -> float:
    """The exact two-sided p-value of "either is as likely". Without scipy, which a promotion does not need.

    >>> sign_test(8, 1), sign_test(0, 0)
    (0.0390625, 1.0)
    """
    changed = better + worse
    tail = sum(math.comb(changed, least) for least in range(min(better, worse) + 1))
    return min(1.0, 2 * tail / 2**changed)


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
