"""What an event of a generator costs at a quarter, half and all of the size that is accepted."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from scoring.evaluation import conclude, examine
from scoring.query import Unscored, UnscoredReason
from scoring.record import score_record
from scoring.rules import Rules
from service.judges.weights import local_judge
from tests.costs import cpu_seconds, normal_seconds, times_as_costly
from tests.scoring.cost.texts import Make, Texts

TOO_BIG = frozenset(
    {
        UnscoredReason.SQL_TOO_LONG,
        UnscoredReason.SQL_TOO_LARGE,
        UnscoredReason.SQL_TOO_DEEP,
        UnscoredReason.QUESTION_TOO_LONG,
    }
)
"""Reasons that a bound on size gives."""
FIXED = 0.02
"""CPU seconds added to each cost, so that the growth of what costs next to nothing does not count."""
_MOST = 2**17


class Cost(NamedTuple):
    """CPU seconds of one generator."""

    size: int
    """Characters of the largest event that is accepted."""
    seconds: tuple[float, float, float]
    """At a quarter, half and all of that size."""
    end: str
    """How the largest event ended: `scored`, or why it has no score."""

    @property
    def growth(self) -> float:
        """How much the cost grows when the size doubles for the last time."""
        _, half, whole = self.seconds
        return (whole + FIXED) / (half + FIXED)


def score(texts: Texts, rules: Rules | None = None) -> str | Unscored:
    """Scores an event as the service does, down to its record."""
    case = examine(texts.query(), rules or Rules())
    if isinstance(case, Unscored):
        return case
    return json.dumps(score_record(conclude(case, local_judge().judge(case))), default=str)


def largest(make: Make) -> int:
    """A number within an eighth of the largest for which the generator's event is accepted."""
    low, high = 8, 16
    while high < _MOST and _is_accepted(make(high)):
        low, high = high, high * 2
    for _ in range(3):
        middle = (low + high) // 2
        low, high = (middle, high) if _is_accepted(make(middle)) else (low, middle)
    return low


def _is_accepted(texts: Texts) -> bool:
    """Whether no bound on size refuses the event."""
    case = examine(texts.query(), Rules())
    return not (isinstance(case, Unscored) and case.reason in TOO_BIG)


def measure(make: Make, tries: int = 2) -> Cost:
    """The cost at the largest accepted size."""
    number = largest(make)
    sizes = [make(number // part) for part in (4, 2, 1)]
    quarter, half, whole = [cpu_seconds(_scoring(each), tries) for each in sizes]
    last = sizes[-1]
    end = score(last)
    size = len(last.sql) + len(last.question) + len(last.enriched or "")
    return Cost(size, (quarter, half, whole), end.reason.value if isinstance(end, Unscored) else "scored")


def growth(make: Make, number: int, most: float) -> float:
    """How much the cost grows from half of a size, measured again while that is more than `most`."""
    return times_as_costly(_scoring(make(number)), _scoring(make(number // 2)), most, fixed=FIXED)


def seconds(make: Make, number: int, most: float) -> float:
    """The CPU seconds at a size; if that is more than `most`, what they would be on a quiet machine."""
    found = cpu_seconds(_scoring(make(number)), 1)
    return found if found <= most else normal_seconds(_scoring(make(number)), most)


def _scoring(texts: Texts) -> Callable[[], object]:
    return lambda: score(texts)
