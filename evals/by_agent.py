"""How fair a judge is to agents: whether their order by its numbers is their order by labels."""

# scipy ships no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from evals.agreement import SURE, Judged, measure, rank_auc

LEAST_AGENTS = 3
"""Fewest agents whose order is compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFigures:
    """One agent as labelled and as judged."""

    agent: str
    answers: int
    right: float
    """Share labelled right."""
    shown: float
    """Mean `p_correct`."""
    bias: float
    """`shown` − `right`."""
    rank_right: float
    """Place by `right`, 1 is the best; equal agents share the mean of their places."""
    rank_shown: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ByAgent:
    """The figures of a judge on answers of several agents; `nan` for those that cannot be computed."""

    agents: Sequence[AgentFigures]
    """Best first."""
    rank_correlation: float
    """Spearman's ρ between `right` and `shown`."""
    bias_spread: float
    """Standard deviation of `bias` over the agents: what remains unfair after a shift that is the same for all."""
    same_question: float
    """How often a right answer has a higher `p_correct` than a wrong one of the same question; ties count half."""
    same_question_pairs: int
    sure_wrong: float
    """Share labelled wrong among answers with `p_correct` ≤ 1 − `SURE`."""
    sure_wrong_share: float
    """Share of such answers."""
    sure_right: float
    """Share labelled right among answers with `p_correct` ≥ `SURE`."""
    sure_right_share: float
    auc: float
    top_33: float


def by_agent(rows: Sequence[Judged]) -> ByAgent | None:
    """Computes the figures of the answers that name an agent; `None` when none does.

    >>> made = [("a", True, 0.9), ("a", False, 0.5), ("b", False, 0.4), ("b", False, 0.1)]
    >>> rows = [
    ...     Judged(id=str(n), correct=right, p_correct=p, group="q", fields={}, question=str(n % 2), agent=agent)
    ...     for n, (agent, right, p) in enumerate(made)
    ... ]
    >>> found = by_agent(rows)
    >>> found.same_question, [(each.agent, each.shown, each.rank_shown) for each in found.agents]
    (1.0, [('a', 0.7, 1.0), ('b', 0.25, 2.0)])
    """
    named = [row for row in rows if row.agent]
    if not named:
        return None
    agents = _agents(named)
    overall = measure(named)
    same_question, pairs = same_question_ranking(named)
    low, high = [row for row in named if row.p_correct <= 1 - SURE], [row for row in named if row.p_correct >= SURE]
    return ByAgent(
        agents=agents,
        rank_correlation=_spearman(agents),
        bias_spread=float(np.std([each.bias for each in agents])),
        same_question=same_question,
        same_question_pairs=pairs,
        sure_wrong=_share(not row.correct for row in low),
        sure_wrong_share=len(low) / len(named),
        sure_right=_share(row.correct for row in high),
        sure_right_share=len(high) / len(named),
        auc=overall.auc,
        top_33=overall.top_33,
    )


def _agents(rows: Sequence[Judged]) -> list[AgentFigures]:
    held = _grouped(rows, lambda row: row.agent)
    right = [_share(row.correct for row in answers) for answers in held.values()]
    shown = [float(np.mean([row.p_correct for row in answers])) for answers in held.values()]
    rank_right, rank_shown = (rankdata([-share for share in shares]) for shares in (right, shown))
    found = [
        AgentFigures(
            agent=agent,
            answers=len(answers),
            right=right[place],
            shown=shown[place],
            bias=shown[place] - right[place],
            rank_right=float(rank_right[place]),
            rank_shown=float(rank_shown[place]),
        )
        for place, (agent, answers) in enumerate(held.items())
    ]
    return sorted(found, key=lambda each: (each.rank_right, each.agent))


def _spearman(agents: Sequence[AgentFigures]) -> float:
    """Pearson's correlation of the ranks; `nan` for few agents or where all are equal."""
    right, shown = [each.rank_right for each in agents], [each.rank_shown for each in agents]
    if len(agents) < LEAST_AGENTS or len(set(right)) == 1 or len(set(shown)) == 1:
        return float("nan")
    return float(np.corrcoef(right, shown)[0, 1])


def same_question_ranking(rows: Iterable[Judged]) -> tuple[float, int]:
    """The share of pairs of a right and a wrong answer of one question that are ranked rightly, and their number."""
    won, pairs = 0.0, 0
    for answers in _grouped(rows, lambda row: row.question).values():
        correct = np.array([row.correct for row in answers], dtype=bool)
        here = int(correct.sum() * (~correct).sum())
        if here:
            won += rank_auc(np.array([row.p_correct for row in answers]), correct) * here
            pairs += here
    return (won / pairs if pairs else float("nan")), pairs


def _grouped(rows: Iterable[Judged], key: Callable[[Judged], str]) -> dict[str, list[Judged]]:
    held: dict[str, list[Judged]] = {}
    for row in rows:
        held.setdefault(key(row), []).append(row)
    return held


def _share(values: Iterable[bool]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else float("nan")
