"""Proposes decision rules: signals with which labels contradict the judge, also on questions that chose nothing."""

# an array's items have no type
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from learning.labelled import Floats
from learning.mining.decision_gains import Cells, fitted_shifts, folds, gains, promising
from learning.mining.decision_table import Conditions, DecisionTable, Held, candidates
from learning.mining.evidence import LABELLED, LEAST_LABELLED, share
from learning.mining.observing import ObservedAnswer
from learning.mining.proposals import ProposalKind, ProposedRule
from learning.mining.significance import discovered, lower_bound
from learning.nearest_line import nearest_line
from scoring.decision_rules import MOST_DECISION_RULES, DecisionRule

LEAST_QUESTIONS = 12
"""Fewest distinct labelled questions that show a rule."""
MOST_PROPOSED = 3
"""Most decision rules that are proposed at once."""
FALSE_SHARE = 0.05
"""The share of found rules that may be there by luck (Benjamini and Hochberg, over all candidates)."""
LEAST_FITTED = 0.3
"""Least log-odds of a rule, of either sign."""
LEAST_CORRECTED = 0.1
"""Least share of a rule's questions by which wrong verdicts become fewer."""
GUARD_FOLDS = 5
"""Parts of the cross-validation of the whole choice."""
_NEARLY = 0.9
_ALIKE = 0.5


@dataclass(frozen=True, slots=True)
class ChosenRule:
    """A decision rule, and the rows that meet its conditions."""

    rule: DecisionRule
    held: Held


class RuleDirection(IntEnum):
    """What a rule says of answers."""

    FOR = 1
    AGAINST = -1


def decision_rules(
    answers: Sequence[ObservedAnswer], in_force: Sequence[DecisionRule], direction: RuleDirection
) -> list[ProposedRule]:
    """The decision rules of one direction that labels propose; none without enough labelled questions.

    The choice is made again without each fifth of the questions. Rules are proposed only where, on the fifths left
    out, they lose no AUC, raise no false alarms, and gain one or the other.
    """
    table = DecisionTable.of(answers)
    room = min(MOST_PROPOSED, MOST_DECISION_RULES - len(in_force))
    if table.questions < LEAST_LABELLED or room <= 0:
        return []
    known = {(each.having, each.lacking) for each in in_force}
    found = [each for each in choose(table, direction, room) if (each.rule.having, each.rule.lacking) not in known]
    return [_proposed(table, each) for each in found] if found and is_harmless(table, direction, room) else []


def choose(table: DecisionTable, direction: RuleDirection, most: int) -> list[ChosenRule]:
    """The rules that gain most on held-out questions, one after the other, each beside those before it."""
    found, held = candidates(table, LEAST_QUESTIONS)
    left = promising(table, held)
    moved = np.zeros(len(table.answers))
    chosen: list[ChosenRule] = []
    while len(chosen) < most and left.size:
        gained = gains(table, held[:, left], moved)
        shifts = _shifts(table, held[:, left], moved)
        sure = discovered(gained.p_value, FALSE_SHARE, tried=len(found))
        fit = sure & (gained.verdicts >= LEAST_CORRECTED) & (direction * shifts >= LEAST_FITTED)
        if not fit.any():
            break
        best = _best([found[place] for place in left], np.where(fit, gained.log_loss, -np.inf))
        rows = held[:, left[best]]
        chosen.append(ChosenRule(found[left[best]].rule(round(float(shifts[best]), 2)), rows))
        moved = moved + rows * chosen[-1].rule.shift
        left = left[sure & ~_alike(held[:, left], rows)]
    return chosen


def _alike(held: Held, rows: Held) -> NDArray[np.bool_]:
    """The candidates that concern nearly the same answers: a second rule would only move them further."""
    shared = (held & rows[:, None]).sum(axis=0)
    return shared >= _ALIKE * np.minimum(held.sum(axis=0), rows.sum())


def _shifts(table: DecisionTable, held: Held, moved: Floats) -> Floats:
    intercept, slope = nearest_line(table.odds + moved, table.right)
    return fitted_shifts(table, Cells.of(table, held), intercept + slope * (table.odds + moved))


def _best(found: Sequence[Conditions], gained: Floats) -> int:
    """The candidate with the fewest conditions among those that gain nearly as much as the best."""
    near: list[int] = np.flatnonzero(gained >= _NEARLY * gained.max()).tolist()
    return min(near, key=lambda place: (found[place].size, -float(gained[place])))


def is_harmless(table: DecisionTable, direction: RuleDirection, most: int) -> bool:
    """Whether what is chosen without some questions does no harm to these, and some good."""
    moved = np.zeros(len(table.answers))
    for train, test in folds(table, GUARD_FOLDS):
        for each in choose(table.at(train), direction, most):
            moved[test] += each.rule.shift * table.meeting(each.rule)[test]
    before, after = table.odds, table.odds + moved
    right = table.right > 0
    if right.all() or not right.any():
        return False
    fewer = int((before[right] < 0).sum()) - int((after[right] < 0).sum())
    gain = _auc(after, right) - _auc(before, right)
    return gain >= 0 and fewer >= 0 and (gain > 0 or fewer > 0)


def _auc(odds: Floats, right: NDArray[np.bool_]) -> float:
    """The share of pairs of a right and a wrong answer of which the right one has more; a tie counts half."""
    from scipy.stats import mannwhitneyu  # noqa: PLC0415 takes a second to load, and few processes mine

    return float(mannwhitneyu(odds[right], odds[~right]).statistic) / (right.sum() * (~right).sum())


def _proposed(table: DecisionTable, found: ChosenRule) -> ProposedRule:
    speaks_for = found.rule.shift > 0
    answers = [each for each, holds in zip(table.answers, found.held, strict=True) if holds]
    agreeing = share(answers, lambda each: each.right is speaks_for)
    shown = [each for each in answers if each.right is speaks_for]
    return ProposedRule(kind=ProposalKind.DECISION_RULE, decision=found.rule).measured(
        agreeing, least_precision=lower_bound(agreeing.hits, agreeing.questions, LABELLED.error), answers=shown
    )
