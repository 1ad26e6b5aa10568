"""Which answers to label next: a sample in which each answer's probability of being chosen is known.

Each answer has a share, from what is known of it before anybody labels it, and two random numbers that depend on a
secret and the event's key alone. An answer is drawn where its first number is below rate × share (Poisson sampling
with permanent random numbers, Ohlsson 1998). The rate is computed from the shares, never from the random numbers. So
an answer that took part in several draws is in the sample exactly if its number is below the highest of its
probabilities, and that highest one is the probability with which it was chosen. The second number is its place in the
line, so that those who stop early have labelled a random part of the sample.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

UNIFORM = 0.3
"""The share that every answer has, so that the sample is at least to this part uniform and no weight exceeds 1 ÷ it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlabelled:
    """What is known of an answer before anybody labels it."""

    p_alone: float
    p_correct: float
    """With memory, where it is on."""
    least: float
    """The lowest `p_correct` that any judge gave the event: with `most`, how far judges disagree."""
    most: float
    reference: bool | None = None
    """Whether the reference agrees with the answer; `None` without one."""


def share_of(answer: Unlabelled) -> float:
    """In [`UNIFORM`, 1]: high where the judge is unsure, or memory, a reference or another judge disagrees with it.

    >>> round(share_of(Unlabelled(p_alone=0.97, p_correct=0.97, least=0.97, most=0.97)), 2)
    0.38
    >>> share_of(Unlabelled(p_alone=0.97, p_correct=0.97, least=0.97, most=0.97, reference=False))
    1.0
    """
    unsure = 4 * answer.p_alone * (1 - answer.p_alone)
    apart = 2 * max(abs(answer.p_correct - answer.p_alone), answer.most - answer.least)
    contradicted = answer.reference is not None and answer.reference != (answer.p_correct >= 0.5)
    return UNIFORM + (1 - UNIFORM) * min(1.0, max(unsure, apart, float(contradicted)))


def rate_for(shares: Sequence[float], wanted: int) -> float:
    """The rate at which `wanted` answers are expected, Σ min(1, rate × share); infinite where there are no more.

    >>> rate_for([0.5, 0.5, 0.5, 0.5], 1), rate_for([1.0, 0.1], 2)
    (0.5, inf)
    """
    if wanted >= len(shares):
        return float("inf")
    ordered = sorted(shares, reverse=True)
    rest = sum(ordered)
    for certain, share in enumerate(ordered):
        rate = (wanted - certain) / rest
        if rate * share <= 1:
            return rate
        rest -= share
    return float("inf")


def probability(share: float, rate: float) -> float:
    """The probability with which an answer of this share is drawn at this rate."""
    return min(1.0, rate * share)


def numbers_of(secret: bytes, event: UUID) -> tuple[float, float]:
    """Two independent numbers, uniform in [0, 1), that nobody who chooses names of events can foresee."""
    digest = hashlib.blake2b(event.bytes, key=secret, digest_size=16).digest()
    return int.from_bytes(digest[:8]) / 2**64, int.from_bytes(digest[8:]) / 2**64
