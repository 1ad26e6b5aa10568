"""How other agents answered the same question, as log-odds."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from scoring.memory.context import MemoryContext, Voice
from scoring.reasons import ReasonCode
from scoring.verdict import Reason

ALIKE = 2.4
"""Log-odds of being like others in one way of three (query, conditions, tables), if very many are."""
PRIOR_USUAL = 2 * ALIKE
"""How far answers of a new tenant are taken to agree: in two of the three ways."""
PRIOR_WEIGHT = 6.0
"""How many answers with very many voices the prior weighs against what the tenant's answers show."""
MOST_MOVE = 3.0
"""Most log-odds that agreement moves, either way. Reviewed answers move by themselves."""
MOST_NAMED = 3
"""Most other answers that a reason names."""
REVIEWED_SAME = 2.0
"""Log-odds of having the specification of an answer that a person called right; negative, wrong."""
REVIEWED_OTHER = -0.6
"""Log-odds of having another specification than an answer that a person called right."""


class Agreement(NamedTuple):
    """An answer's agreement with others. The tenant's usual agreement is still in it."""

    raw: float
    """Log-odds."""
    units: float
    """The share of all the voices together, in [0, 1)."""


@lru_cache(maxsize=512)
def agreement(voices: tuple[Voice, ...]) -> Agreement:
    """The agreement with unreviewed answers: the first that is alike counts most, and each further one less.

    Those that are not alike count among the voices only: right answers are written in many ways.

    >>> agreement(())
    Agreement(raw=0.0, units=0.0)
    """
    heard = [each for each in voices if each.reviewed is None]
    same = math.fsum([each.weight for each in heard if each.same])
    filters = math.fsum([each.weight for each in heard if each.same_filters])
    tables = math.fsum([each.weight for each in heard if each.same_tables])
    total = math.fsum([each.weight for each in heard])
    return Agreement(ALIKE * (_share(same) + _share(filters) + _share(tables)), _share(total))


def _share(voices: float) -> float:
    """How much so many voices say, against very many: half for one, two thirds for two."""
    return voices / (1 + voices)


def usual_agreement(raw: float, units: float) -> float:
    """What a tenant's answers usually show for each unit, from their sums and the prior.

    >>> usual_agreement(0.0, 0.0)
    4.8
    """
    return round((raw + PRIOR_WEIGHT * PRIOR_USUAL) / (units + PRIOR_WEIGHT), 4)


def weigh_voices(context: MemoryContext) -> list[Reason]:
    """The reasons that other answers give.

    What is usual for the tenant is subtracted: where every answer agrees with every other, agreement says nothing, so
    traffic that is wrong throughout does not lift itself. One voice counts half, and never against an answer.
    """
    found = agreement(context.voices)
    total = found.units / (1 - found.units)
    move = max(-MOST_MOVE, min(MOST_MOVE, found.raw - context.usual * found.units))
    move *= _trusted(total) if move > 0 else max(0.0, 2 * _trusted(total) - 1)
    reasons = [_reviewed(context.voices)]
    if abs(move) > 0:
        code = ReasonCode.AGREES_WITH_OTHERS if move > 0 else ReasonCode.DIFFERS_FROM_OTHERS
        reasons.append(Reason(code=code, detail=_detail(context.voices), weight=round(move, 3)))
    return [each for each in reasons if each is not None]


def _trusted(voices: float) -> float:
    """How far agreement with so many voices is trusted, in [0, 1): half for one, three quarters for two."""
    return max(0.0, 1 - 0.5 / voices) if voices > 0 else 0.0


def _reviewed(voices: tuple[Voice, ...]) -> Reason | None:
    """What reviewed answers say: the same specification before another; nothing where people contradict each other."""
    same = [each for each in voices if each.reviewed is not None and each.same]
    if same:
        return _reviewed_same(same)
    right = [each for each in voices if each.reviewed]
    if not right:
        return None
    detail = f"a person called another query right: {_named(right)}"
    return Reason(code=ReasonCode.DIFFERS_FROM_REVIEWED, detail=detail, weight=REVIEWED_OTHER)


def _reviewed_same(same: list[Voice]) -> Reason | None:
    if len({each.reviewed for each in same}) > 1:
        return None
    if same[0].reviewed:
        detail = f"a person called the same query right: {_named(same)}"
        return Reason(code=ReasonCode.MATCHES_REVIEWED, detail=detail, weight=REVIEWED_SAME)
    detail = f"a person called the same query wrong: {_named(same)}"
    return Reason(code=ReasonCode.REPEATS_REJECTED, detail=detail, weight=-REVIEWED_SAME)


def _detail(voices: tuple[Voice, ...]) -> str:
    heard = [each for each in voices if each.reviewed is None]
    same = [each for each in heard if each.same]
    others = [each for each in heard if not each.same]
    parts = [f"{len(same)} of {len(heard)} other agents gave the same query" + (f": {_named(same)}" if same else "")]
    if others:
        filters = sum(each.same_filters for each in others)
        tables = sum(each.same_tables for each in others)
        parts.append(f"{len(others)} another, {filters} with the same conditions, {tables} tables: {_named(others)}")
    return "; ".join(parts)


def _named(voices: list[Voice]) -> str:
    shown = [f"{_shorten(each.agent)} ({_shorten(each.event_id)})" for each in voices[:MOST_NAMED]]
    return ", ".join(shown) + (f" and {len(voices) - MOST_NAMED} more" if len(voices) > MOST_NAMED else "")


def _shorten(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:39]}…"
