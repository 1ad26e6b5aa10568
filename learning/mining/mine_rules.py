"""Mines proposals for a tenant's rules from answers, and says what each would change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from statistics import fmean

from learning.mining.added_conditions import added_conditions
from learning.mining.conventions import conventions
from learning.mining.decisions import RuleDirection, decision_rules
from learning.mining.evidence import AnswerEvidence, Share, share
from learning.mining.mappings import column_mappings
from learning.mining.observing import ObservedAnswer, observe
from learning.mining.proposals import ProposalKind, ProposedRule
from scoring.query import Query, Unscored
from scoring.rules import Rules
from scoring.verdict import Score

Scorer = Callable[[Query, Rules], Score | Unscored]
RESCORED = 200
"""Most answers that are scored again for one proposal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreChange:
    """Mean scores of answers without and with a proposal in force."""

    answers: int
    before: float
    after: float


NO_CHANGE = ScoreChange(answers=0, before=0.0, after=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MinedRule:
    """A proposal with the change in score that it would bring to the answers it concerns."""

    rule: ProposedRule
    concerned: int
    """Answers of the sample with the condition, the column or the phrase."""
    change: ScoreChange
    right: ScoreChange | None
    """Of the answers labelled right, if some were scored again."""
    wrong: ScoreChange | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mined:
    """What the answers of a tenant propose."""

    answers: int
    questions: int
    labelled: bool
    """Whether labels were the evidence. Otherwise the judge's own opinion was, at a stricter bar."""
    proposals: tuple[MinedRule, ...]
    against: tuple[MinedRule, ...]
    """Decision rules that speak against answers. They excuse nothing, so they stand beside the proposals."""
    together: ScoreChange
    """With all proposals in force, over all answers."""


def mine_rules(answers: Iterable[ObservedAnswer], rules: Rules, score: Scorer, *, rescored: int = RESCORED) -> Mined:
    """The proposals for the rules: by kind, most questions first. The same answers in the same order give the same.

    At most `rescored` answers are scored again for each proposal.
    """
    observed = list(answers)
    sample = AnswerEvidence.of(observed)
    found = added_conditions(sample, lambda some, habits: _rightness(some, with_all(rules, habits), score))
    on_habit = {each.column for each in found if each.kind is ProposalKind.IGNORE_FILTER}
    on_habit |= {term.lhs.name for each in found for term in each.terms if term.lhs is not None}
    mapped = column_mappings(sample, rules.by_words)
    found += [each for each in mapped if each.column not in on_habit]
    remaining = _seen_with(observed, with_all(rules, found), score) if found else observed
    found += decision_rules(remaining, rules.decision_rules, RuleDirection.FOR)
    found += conventions(observed, rules)
    against = decision_rules(remaining, rules.decision_rules, RuleDirection.AGAINST)
    found.sort(key=lambda each: (list(ProposalKind).index(each.kind), -each.support, each.id))
    return Mined(
        answers=len(observed),
        questions=len({each.asked for each in observed}),
        labelled=sample.labelled,
        proposals=tuple(_with_change(each, observed, rules, score, rescored) for each in found),
        against=tuple(_with_change(each, observed, rules, score, rescored) for each in against),
        together=_change(_rescored(some_of(observed, rescored), with_all(rules, found), score)) or NO_CHANGE,
    )


def with_all(rules: Rules, proposals: Iterable[ProposedRule]) -> Rules:
    """The rules with all proposals."""
    return reduce(lambda before, each: each.added_to(before), proposals, rules)


def _seen_with(answers: Sequence[ObservedAnswer], rules: Rules, score: Scorer) -> list[ObservedAnswer]:
    """The labelled answers as they look under other rules: decision rules are for what habits do not explain."""
    scores = [(each, score(each.query, rules)) for each in answers if each.right is not None]
    return [
        observe(each.query, found, right=each.right, agent=each.agent)
        for each, found in scores
        if not isinstance(found, Unscored)
    ]


def _rightness(answers: Sequence[ObservedAnswer], rules: Rules, score: Scorer) -> Share:
    """How likely the answers are right under the rules, over distinct questions."""
    return share(some_of(answers, RESCORED), lambda each: _p_correct(each, rules, score))


def _p_correct(answer: ObservedAnswer, rules: Rules, score: Scorer) -> float:
    found = score(answer.query, rules)
    return 0.0 if isinstance(found, Unscored) else found.reply.p_correct


def some_of(answers: Sequence[ObservedAnswer], most: int) -> list[ObservedAnswer]:
    """At most so many answers, spread evenly over all of them."""
    if len(answers) <= most:
        return list(answers)
    return [answers[place * len(answers) // most] for place in range(most)]


def _with_change(
    rule: ProposedRule, answers: Sequence[ObservedAnswer], rules: Rules, score: Scorer, most: int
) -> MinedRule:
    concerned = [each for each in answers if _concerns(rule, each)]
    scored = _rescored(some_of(concerned, most), rule.added_to(rules), score)
    return MinedRule(
        rule=rule,
        concerned=len(concerned),
        change=_change(scored) or NO_CHANGE,
        right=_change([pair for pair in scored if pair[0].right is True]),
        wrong=_change([pair for pair in scored if pair[0].right is False]),
    )


def _rescored(answers: Sequence[ObservedAnswer], rules: Rules, score: Scorer) -> list[tuple[ObservedAnswer, float]]:
    pairs = [(each, score(each.query, rules)) for each in answers]
    return [(each, new.composite.score) for each, new in pairs if not isinstance(new, Unscored)]


def _change(scored: Sequence[tuple[ObservedAnswer, float]]) -> ScoreChange | None:
    if not scored:
        return None
    before, after = fmean([each.score for each, _ in scored]), fmean([new for _, new in scored])
    return ScoreChange(answers=len(scored), before=round(before, 2), after=round(after, 2))


def _concerns(rule: ProposedRule, answer: ObservedAnswer) -> bool:
    """Whether the proposal may change the answer's score."""
    if rule.kind is ProposalKind.COLUMN_MAPPING:
        return answer.words.issuperset(rule.phrase.split())
    if rule.decision is not None:
        return rule.decision.holds(lambda code: code in answer.codes)
    if rule.kind is ProposalKind.CONVENTION:
        return rule.table in answer.tables
    columns = {rule.column} if rule.column else {term.lhs.name for term in rule.terms if term.lhs is not None}
    return any(each.column in columns for each in answer.filters)
