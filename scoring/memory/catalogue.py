"""How the tenant's answers join and restrict tables, as log-odds.

A usual join is excused, an unusual one is suspicious, and so is an answer without a condition that others have.
"""

from __future__ import annotations

from collections.abc import Sequence

from scoring.memory.context import ConditionUse, JoinUse, MemoryContext
from scoring.reason_kinds import NAMES_ONLY
from scoring.reasons import ReasonCode
from scoring.verdict import Reason

LEAST_ANSWERS = 50
"""Answers that must be remembered before the catalogue says anything: with fewer it did harm."""
LEAST_QUESTIONS = 2
"""Other questions that must use a join, or join its tables, before it counts as usual or unusual."""
UNUSUAL_JOIN = -0.5
"""Log-odds of joining two tables in a way that no other question does."""
LEAST_SHARE = 0.2
"""Least share of the answers that read a table from which a condition on it is usual.

Often few agents know the house: with a half, what they alone know was not seen.
"""
CONDITION_QUESTIONS = 5
"""Fewest other questions with an answer that has it."""
CONDITION_AGENTS = 2
"""Fewest agents that have it: what one agent does is its own habit."""
CONDITION_MISSING = -1.2
"""Log-odds of lacking a condition that every answer has."""
SEVERAL = 1.25
"""How much more it weighs where several are lacking."""
MOST_MISSING = -1.5
"""Most log-odds that lacking conditions take."""
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


def weigh_conditions(alone: Sequence[Reason], context: MemoryContext) -> list[Reason]:
    """The reason that usual conditions give which the answer lacks; none where the tenant's rules say it already."""
    missing = [each for each in context.lacking if usual_condition(each)]
    if not missing or any(each.code is ReasonCode.CONVENTION_MISSING for each in alone):
        return []
    surest = max(missing, key=lambda each: each.answers / each.of)
    shown = f"{surest.column.replace('.', ' without a condition on ', 1)}"
    counts = f"{surest.answers} of {surest.of} answers to other questions have one, of {surest.agents} agents"
    share = (surest.answers / surest.of - LEAST_SHARE) / (1 - LEAST_SHARE)
    weight = round(CONDITION_MISSING * (0.5 + share / 2) * (1 if len(missing) == 1 else SEVERAL), 3)
    detail = f"{shown}: {counts}"
    return [Reason(code=ReasonCode.CONVENTION_MISSING, detail=detail, weight=max(MOST_MISSING, weight))]


def usual_condition(use: ConditionUse) -> bool:
    """Whether enough answers to other questions have the condition, over enough questions and more than one agent.

    >>> usual_condition(ConditionUse(column="a.x", answers=12, of=20, questions=6, agents=2))
    True
    >>> usual_condition(ConditionUse(column="a.x", answers=12, of=20, questions=6, agents=1))
    False
    """
    return (
        use.questions >= CONDITION_QUESTIONS
        and use.agents >= CONDITION_AGENTS
        and use.answers >= LEAST_SHARE * use.of
        and use.of > 0
    )


def _shown(use: JoinUse) -> str:
    return f"{use.columns[0]} = {use.columns[1]}"
