"""Which answers a model is shown to refine rules: the misjudged ones with growing weight, and some judged right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from learning.rules.examples import JudgedExample

KEPT_SHARE = 0.5
"""Well-judged samples that are shown for each misjudged one, so that a change does not lose them."""
MOST_REPEATS = 4
"""Most times that one misjudged answer is shown."""


@dataclass(slots=True)
class HardCases:
    """The weights of a cluster's answers, as boosting has them: doubled each time an answer is misjudged."""

    misses: dict[str, int] = field(default_factory=dict[str, int])

    def samples(self, judged: Sequence[JudgedExample]) -> list[JudgedExample]:
        """The samples of the next refinement; a misjudged answer stands there once for each unit of its weight."""
        for each in judged:
            if not each.agrees:
                self.misses[each.example.id] = self.misses.get(each.example.id, 0) + 1
        hard = [each for each in judged if not each.agrees]
        repeated = [each for each in hard for _ in range(repeats(self.misses[each.example.id]))]
        return [*repeated, *_kept(judged, self.misses, round(KEPT_SHARE * len(hard)) or 1)]


def repeats(misses: int) -> int:
    """How often an answer is shown that was misjudged so many times.

    >>> [repeats(misses) for misses in (1, 2, 3, 4)]
    [1, 2, 4, 4]
    """
    return min(2 ** (misses - 1), MOST_REPEATS)


def _kept(judged: Sequence[JudgedExample], misses: Mapping[str, int], count: int) -> list[JudgedExample]:
    """Well-judged answers: once misjudged ones first, then right and wrong ones in turn."""
    well = [each for each in judged if each.agrees]
    sides: dict[bool, int] = {True: 0, False: 0}
    turns: list[tuple[int, int, str, JudgedExample]] = []
    for each in sorted(well, key=lambda each: each.example.id):
        turns.append((-misses.get(each.example.id, 0), sides[each.example.correct], each.example.id, each))
        sides[each.example.correct] += 1
    return [each for *_, each in sorted(turns, key=lambda turn: turn[:3])][:count]
