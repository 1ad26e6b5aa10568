"""How the tenant's answers join tables, as log-odds: a usual join is excused, an unusual one is suspicious."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.memory.context import JoinUse, MemoryContext
from scoring.reason_kinds import NAMES_ONLY
from scoring.reasons import ReasonCode
from scoring.verdict import Reason

LEAST_ANSWERS = 50
"""Answers that must be remembered before the catalogue says anything: with fewer it did harm."""
LEAST_QUESTIONS = 2
"""Other questions that must use a join, or join its tables, before it counts as usual or unusual."""
UNUSUAL_JOIN = -0.5
"""Log-odds of joining two tables in a way that no other question does."""
MOST_EXCUSED = 2.0
"""Most log-odds that a usual join gives back."""


def usual_join(use: JoinUse) -> bool:
    """Whether other questions join these columns, and mostly these where they join the two tables.

    >>> usual_join(JoinUse(columns=("a.x", "b.y"), questions=2, of=3))
    True
    """
    return use.questions >= LEAST_QUESTIONS and use.questions * 2 >= use.of


def unusual_join(use: JoinUse) -> bool:
    """Whether other questions join these two tables, and none joins these columns."""
    return use.questions == 0 and use.of >= LEAST_QUESTIONS


def weigh_catalogue(alone: Sequence[Reason], context: MemoryContext) -> list[Reason]:
    """The reasons that the tenant's joins give, beside the reasons of the answer alone."""
    if context.answers < LEAST_ANSWERS or not context.joins:
        return []
    if all(usual_join(use) for use in context.joins):
        suspected = -sum(each.weight for each in alone if each.code in NAMES_ONLY and each.weight < 0)
        if suspected <= 0:
            return []
        first = context.joins[0]
        detail = f"{first.questions} other questions join {_shown(first)}"
        weight = round(min(MOST_EXCUSED, suspected), 3)
        return [Reason(code=ReasonCode.JOIN_USUAL_HERE, detail=detail, weight=weight)]
    strange = next((use for use in context.joins if unusual_join(use)), None)
    if strange is None:
        return []
    detail = f"no other question joins {_shown(strange)}; {strange.of} join these tables in another way"
    return [Reason(code=ReasonCode.JOIN_UNUSUAL_HERE, detail=detail, weight=UNUSUAL_JOIN)]


def _shown(use: JoinUse) -> str:
    return f"{use.columns[0]} = {use.columns[1]}"
