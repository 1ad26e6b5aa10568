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

    def __len__(self) -> int:
        return len(self._pairs)

    def compare(
        self, answer: RememberedAnswer, others: Iterable[RememberedAnswer], before: RememberedAnswer | None = None
    ) -> None:
        """Counts an agent's answer to a question against those of others, in place of its answer `before`.

        Two names that answer differently first, to seem independent, and agree later are counted by what they say now.
        """
        for other in others:
            if other.speaker == answer.speaker:
                continue
            pair = _pair(answer.speaker, other.speaker)
            same, questions = self._pairs.get(pair, (0, 0))
            alike = answer.facts.specification == other.facts.specification
            was_alike = before is not None and before.facts.specification == other.facts.specification
            self.put(pair, max(0, same + alike - was_alike), questions + (before is None))

    def put(self, pair: tuple[str, str], same: int, questions: int) -> None:
        """Notes on how many questions two speakers gave the same query."""
        pair = _pair(*pair)
        self._pairs.pop(pair, None)
        self._pairs[pair] = (same, questions)
        if len(self._pairs) > MOST_PAIRS:
            self._pairs.popitem(last=False)

    def pairs(self) -> dict[tuple[str, str], tuple[int, int]]:
        """The same queries and the questions of each pair of speakers."""
        return dict(self._pairs)

    def independence(self, one: str, other: str) -> float:
        """How far one agent's answers are evidence for the other's, in [0, 1]: 0 where they are always the same."""
        same, questions = self._pairs.get(_pair(one, other), (0, 0))
        share = (same + PRIOR_QUESTIONS * PRIOR_SHARE) / (questions + PRIOR_QUESTIONS)
        return max(0.0, min(1.0, (1 - share) / (1 - COPY_FROM)))


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)
