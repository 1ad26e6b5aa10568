"""Which agents only repeat each other: one system under two names is one voice."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from scoring.memory.remembered import RememberedAnswer

COPY_FROM = 0.75
"""Share of the questions of both on which two agents give the same query, from which they count less for each other."""
PRIOR_SHARE = 0.4
"""That share for two agents that are new to each other, and how many questions it is worth."""
PRIOR_QUESTIONS = 5
MOST_PAIRS = 4096
"""Most pairs of agents that are counted; the pair that met longest ago goes first."""


@dataclass(slots=True)
class Copies:
    """How often each pair of agents gave the same query to the same question."""

    _pairs: OrderedDict[tuple[str, str], tuple[int, int]] = field(
        default_factory=OrderedDict[tuple[str, str], tuple[int, int]]
    )

    def compare(self, answer: RememberedAnswer, others: Iterable[RememberedAnswer]) -> None:
        """Counts an agent's first answer to a question against those of others."""
        for other in others:
            pair = _pair(answer.speaker, other.speaker)
            same, questions = self._pairs.pop(pair, (0, 0))
            alike = answer.facts.specification == other.facts.specification
            self._pairs[pair] = (same + alike, questions + 1)
            if len(self._pairs) > MOST_PAIRS:
                self._pairs.popitem(last=False)

    def independence(self, one: str, other: str) -> float:
        """How far one agent's answers are evidence for the other's, in [0, 1]: 0 where they are always the same."""
        same, questions = self._pairs.get(_pair(one, other), (0, 0))
        share = (same + PRIOR_QUESTIONS * PRIOR_SHARE) / (questions + PRIOR_QUESTIONS)
        return max(0.0, min(1.0, (1 - share) / (1 - COPY_FROM)))


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)
