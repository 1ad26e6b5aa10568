"""Labelled answers, rules with their origin, and what a judge said of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from scoring.learned_rules import MOST_CHARACTERS, MOST_RULES, LearnedRule, distinct_rules, folded_text


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledExample:
    """A labelled answer."""

    id: str
    question: str
    correct: bool
    group: str
    """Answers of one group are all in training or all held out."""
    kind: str = ""
    """The value by which clusters are formed where questions are not compared."""


Cluster: TypeAlias = tuple[LabelledExample, ...]
"""Labelled answers from which rules are read together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcedRule:
    """A rule with the labels that gave it, and how it did in training."""

    rule: LearnedRule
    labels: tuple[str, ...] = ()
    precision: float | None = None
    """Share of the answers it was applied to whose label is its side; `None` where it was applied to none."""
    support: int = 0
    """Labelled answers it was applied to."""


RuleSet: TypeAlias = tuple[SourcedRule, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedExample:
    """What the judge said of a labelled answer."""

    example: LabelledExample
    right: bool | None
    """Whether it was judged right; `None` without a valid reply."""
    applied: tuple[int, ...] = ()
    """The numbers, from 1, of the rules that decided."""
    rationale: str = ""
    score: float | None = None
    """The probability, in [0, 1], that it is right, where the judge gives one."""

    @property
    def agrees(self) -> bool:
        """Whether the judge agrees with the label; without a reply it does not."""
        return self.right is self.example.correct


class RuleWriter(Protocol):
    """Writes rules: a model, which may be a stronger one than the judge. Raises `LearningStopped`."""

    async def extract(self, examples: Sequence[LabelledExample]) -> RuleSet:
        """Rules by which these labels can be told from the answers."""
        ...

    async def refine(self, rules: RuleSet, samples: Sequence[JudgedExample]) -> RuleSet:
        """The rules, changed so that the misjudged samples are judged as labelled."""
        ...

    async def consolidate(self, rules: RuleSet) -> RuleSet:
        """The rules of several clusters, merged into fewer."""
        ...


class RuleJudge(Protocol):
    """Judges answers by a set of rules. Raises `LearningStopped`."""

    async def judge(self, rules: RuleSet, examples: Sequence[LabelledExample]) -> list[JudgedExample]:
        """One judgement for each answer, in order."""
        ...


class LearningStopped(Exception):  # noqa: N818 it names what happened
    """Learning cannot go on now; the message says why and what to do."""

    def __init__(self, message: str, *, unavailable: bool = False) -> None:
        super().__init__(message)
        self.unavailable = unavailable
        """Whether a server is down, as opposed to a spent budget."""


def joined(rule: LearnedRule, sources: Sequence[SourcedRule]) -> SourcedRule:
    """A rule made of others: their labels, and precision and support over all answers that they were applied to.

    >>> from scoring.learned_rules import RuleSide
    >>> rule = LearnedRule(side=RuleSide.SUPPORTS_WRONG, text="It counts rows of a join twice.")
    >>> one = SourcedRule(rule=rule, labels=("a",), precision=1.0, support=1)
    >>> both = joined(rule, [one, SourcedRule(rule=rule, labels=("b",), precision=0.6, support=5)])
    >>> both.labels, both.precision, both.support
    (('a', 'b'), 0.6667, 6)
    """
    support = sum(each.support for each in sources)
    hits = sum((each.precision or 0.0) * each.support for each in sources)
    return SourcedRule(
        rule=rule,
        labels=tuple(dict.fromkeys(label for each in sources for label in each.labels)),
        precision=round(hits / support, 4) if support else None,
        support=support,
    )


def distinct_set(rules: Sequence[SourcedRule], most: int = MOST_RULES) -> RuleSet:
    """The rules without repeats, those with most labels first; labels and figures of repeats are joined."""
    repeats: dict[str, list[SourcedRule]] = {}
    for each in rules:
        repeats.setdefault(folded_text(each.rule.text), []).append(each)
    kept = distinct_rules([each.rule for each in rules])
    sourced = [joined(each, repeats[folded_text(each.text)]) for each in kept]
    kept_rules: list[SourcedRule] = []
    room = MOST_CHARACTERS if most <= MOST_RULES else None
    for each in sorted(sourced, key=lambda each: -len(each.labels))[:most]:
        if room is not None:
            room -= len(each.rule.text)
            if room < 0:
                break
        kept_rules.append(each)
    return tuple(kept_rules)
