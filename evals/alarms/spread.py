"""How much more the ranks of neighbouring answers vary together than independent ones would.

Users ask about one thing for a while, and an agent is good or bad at it: then ten answers say less than ten. Evidence
is divided by the *design effect*: the variance of sums of neighbouring ranks over that of independent ones (Kish,
"Survey Sampling", 1965, section 8.2).
"""

from __future__ import annotations

from dataclasses import dataclass, field

BLOCKS = (10, 100)
"""Neighbours whose ranks are summed: the larger of both effects counts."""
PRIOR_BLOCKS = 10.0
"""Blocks without any effect that are counted before the first."""
_RANK_VARIANCE = 1 / 12


def _zeros() -> list[float]:
    return [0.0] * len(BLOCKS)


@dataclass(slots=True)
class NeighbourSpread:
    """The design effect of the answers that were learned."""

    squares: list[float] = field(default_factory=_zeros)
    """Sum of the squared sums of blocks, by length of the blocks, over the variance of one rank."""
    expected: list[float] = field(default_factory=_zeros)
    """What it would be for independent ranks."""
    new_squares: list[float] = field(default_factory=_zeros)
    """The same of blocks that are not learned yet."""
    new_expected: list[float] = field(default_factory=_zeros)
    sums: list[float] = field(default_factory=_zeros)
    """Of the block that is not full, by length: the sum of its ranks less their mean, its variance, its answers."""
    variances: list[float] = field(default_factory=_zeros)
    taken: list[int] = field(default_factory=lambda: [0] * len(BLOCKS))

    @property
    def effect(self) -> float:
        """1 for independent answers, never less.

        >>> NeighbourSpread().effect, NeighbourSpread(squares=[300.0, 0.0], expected=[100.0, 0.0]).effect
        (1.0, 2.0)
        """
        ratios = [
            (squares + PRIOR_BLOCKS * length) / (expected + PRIOR_BLOCKS * length)
            for squares, expected, length in zip(self.squares, self.expected, BLOCKS, strict=True)
        ]
        return max(1.0, *ratios)

    def take(self, rank: float, weight: float) -> None:
        """Takes up the rank of an answer of this weight."""
        for place, length in enumerate(BLOCKS):
            self.sums[place] += weight * (rank - 0.5)
            self.variances[place] += weight * weight
            self.taken[place] += 1
            if self.taken[place] == length:
                self.new_squares[place] += self.sums[place] ** 2 / _RANK_VARIANCE
                self.new_expected[place] += self.variances[place]
                self.sums[place], self.variances[place], self.taken[place] = 0.0, 0.0, 0

    def learn(self) -> None:
        """Counts the blocks that are not learned yet."""
        self.squares = [held + new for held, new in zip(self.squares, self.new_squares, strict=True)]
        self.expected = [held + new for held, new in zip(self.expected, self.new_expected, strict=True)]
        self.drop()

    def drop(self) -> None:
        """Drops the blocks that are not learned yet."""
        self.new_squares, self.new_expected = _zeros(), _zeros()
