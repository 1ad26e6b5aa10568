"""How much more neighbouring answers vary together than independent ones would.

Users ask about one thing for a while, and an agent is good or bad at it: then ten answers say less than ten. Evidence
is divided by the *design effect*: the variance of sums of neighbouring answers over that of independent ones (Kish,
"Survey Sampling", 1965, section 8.2).
"""

from __future__ import annotations

from dataclasses import dataclass

BLOCK = 40
"""Neighbours that are summed. More would find the effect of longer sessions, and find it later."""
PRIOR = 5.0 * BLOCK
"""Answers with an effect of 1.25 that are counted before the first: that an agent is steady has to be seen."""
SKEW = 1.3
"""What is above 1 counts so many times. Bad sessions are rarer and further off than sums with a normal distribution,
and a block may hold half of one: so bets are fair only with less evidence than the variance says."""


@dataclass(slots=True)
class NeighbourSpread:
    """The design effect of an agent's answers, each a number with mean 0 and variance 1 until something changes."""

    squares: float = 0.0
    """Sum of the squared sums of blocks that were learned."""
    expected: float = 0.0
    """What it would be for independent answers."""
    new_squares: float = 0.0
    """The same of blocks that are not learned yet. They may come after a change, so their own mean is taken off."""
    new_expected: float = 0.0
    new_sum: float = 0.0
    new_blocks: int = 0
    block: float = 0.0
    """Of the block that is not full: the sum of its numbers, its variance, its answers."""
    variance: float = 0.0
    taken: int = 0

    @property
    def effect(self) -> float:
        """1 for independent answers, never less, and 1.25 before the first.

        >>> NeighbourSpread().effect, NeighbourSpread(squares=800.0, expected=800.0).effect
        (1.25, 1.05)
        """
        blocks = max(self.new_blocks, 1)
        squares = self.squares + self.new_squares - self.new_sum**2 / blocks
        expected = self.expected + self.new_expected * (1 - 1 / blocks)
        return max(1.0, 1 + (SKEW * (squares - expected) + PRIOR / 4) / (expected + PRIOR))

    def add(self, number: float, weight: float) -> None:
        """Adds the number of an answer of this weight."""
        self.block += weight * number
        self.variance += weight * weight
        self.taken += 1
        if self.taken == BLOCK:
            self.new_squares += self.block**2
            self.new_expected += self.variance
            self.new_sum += self.block
            self.new_blocks += 1
            self.block, self.variance, self.taken = 0.0, 0.0, 0

    def learn(self) -> None:
        """Counts the new blocks as learned: their mean is that of the past."""
        self.squares += self.new_squares
        self.expected += self.new_expected
        self.drop()

    def drop(self) -> None:
        """Drops the blocks that are not learned yet."""
        self.new_squares, self.new_expected, self.new_sum, self.new_blocks = 0.0, 0.0, 0.0, 0
