"""The figures of a judge on everyday questions: is a right answer called right, and a fault that can be seen wrong?"""

# scipy and scikit-learn ship no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from evals.agreement import SURE, Judged, rank_auc

GOOD_AGENT = 0.9
"""The share of right answers from which an agent's mean Φ should be high."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Everyday:
    """Figures on answers whose wrong ones say whether question and SQL alone show the fault; `nan` where undefined."""

    answers: int
    right: float
    """Share labelled right."""
    auc: float
    """Chance that a right answer has a higher `p_correct` than a wrong one."""
    auc_visible: float
    """The same against wrong answers whose fault can be seen."""
    auc_within_agent: float
    """The same within each agent, weighted by its answers."""
    auc_within_question: float
    """The same within each question, over all pairs."""
    right_called_wrong: float
    """Share of the right answers with `p_correct` below 0.5."""
    visible_called_right: float
    """Share of the wrong answers whose fault can be seen, with `p_correct` of at least 0.5."""
    sure: float
    """Share of the answers with γ of at least 0.85."""
    sure_holds: float
    """Share of these on whose side the label is."""
    rank_correlation: float
    """Spearman's ρ between the share labelled right and mean `p_correct`, over company × agent."""
    good_agents: int
    """Pairs of company and agent of which at least 0.9 of the answers are right."""
    good_score: float
    """Their mean Φ."""


def everyday(rows: Sequence[Judged]) -> Everyday | None:
    """The figures of answers that name agent and company; `None` where no wrong answer says whether its fault shows.

    >>> made = [("a", True, None, 0.9), ("a", False, True, 0.3), ("b", True, None, 0.4), ("b", False, False, 0.6)]
    >>> rows = [
    ...     Judged(id=str(n), correct=right, visible=seen, p_correct=p, group="q", fields={}, question="q", agent=agent)
    ...     for n, (agent, right, seen, p) in enumerate(made)
    ... ]
    >>> found = everyday(rows)
    >>> found.auc, found.auc_visible, found.right_called_wrong, found.visible_called_right
    (0.75, 1.0, 0.5, 0.0)
    """
    seen = [row for row in rows if not row.correct and row.visible]
    if not seen:
        return None
    right = [row for row in rows if row.correct]
    sure = [row for row in rows if row.confidence >= SURE]
    teams = list(_grouped(rows, lambda row: f"{row.company} {row.agent}").values())
    good = _good(teams)
    return Everyday(
        answers=len(rows),
        right=_share_right(rows),
        auc=_auc(rows),
        auc_visible=_auc([*right, *seen]),
        auc_within_agent=_within(rows, lambda row: row.agent, by_pairs=False),
        auc_within_question=_within(rows, lambda row: f"{row.company} {row.question}", by_pairs=True),
        right_called_wrong=_share(row.p_correct < 0.5 for row in right),
        visible_called_right=_share(row.p_correct >= 0.5 for row in seen),
        sure=len(sure) / len(rows),
        sure_holds=_share(row.agrees for row in sure),
        rank_correlation=_rank_correlation(teams),
        good_agents=len(good),
        good_score=_mean_score(good),
    )


def _share_right(rows: Sequence[Judged]) -> float:
    return _share(row.correct for row in rows)


def _good(teams: Sequence[Sequence[Judged]]) -> list[Sequence[Judged]]:
    """The company × agent whose answers are mostly right."""
    return [team for team in teams if _share_right(team) >= GOOD_AGENT]


def _mean_score(teams: Sequence[Sequence[Judged]]) -> float:
    return _mean([row.score for team in teams for row in team if row.score is not None])


def _rank_correlation(teams: Sequence[Sequence[Judged]]) -> float:
    right = [_share_right(team) for team in teams]
    shown = [float(np.mean([row.p_correct for row in team])) for team in teams]
    if len(teams) < 3 or len(set(right)) == 1 or len(set(shown)) == 1:
        return float("nan")
    return float(np.corrcoef(rankdata(right), rankdata(shown))[0, 1])


def _within(rows: Sequence[Judged], key: Callable[[Judged], str], *, by_pairs: bool) -> float:
    """The AUC of each group that has both labels, weighted by its pairs or by its answers."""
    total, weights = 0.0, 0
    for held in _grouped(rows, key).values():
        right = sum(row.correct for row in held)
        pairs = right * (len(held) - right)
        if pairs:
            weight = pairs if by_pairs else len(held)
            total, weights = total + _auc(held) * weight, weights + weight
    return total / weights if weights else float("nan")


def _auc(rows: Sequence[Judged]) -> float:
    return rank_auc(np.array([row.p_correct for row in rows]), np.array([row.correct for row in rows], dtype=bool))


def _grouped(rows: Iterable[Judged], key: Callable[[Judged], str]) -> dict[str, list[Judged]]:
    held: dict[str, list[Judged]] = {}
    for row in rows:
        held.setdefault(key(row), []).append(row)
    return held


def _share(holds: Iterable[bool]) -> float:
    return _mean([float(each) for each in holds])


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")
