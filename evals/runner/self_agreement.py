"""How far a backend agrees with itself when it is asked the same question several times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfAgreement:
    """Shares over the cases with at least two answers."""

    cases: int
    pairs: float
    """Chance that two answers to a case mean the same, as a mean over cases."""
    unanimous: float
    """Share of cases whose answers all mean the same."""

    def document(self) -> dict[str, float]:
        """The figures as JSON."""
        return {"cases": self.cases, "pairs": round(self.pairs, 4), "unanimous": round(self.unanimous, 4)}


def self_agreement(meanings: Mapping[str, Sequence[Hashable | None]]) -> SelfAgreement | None:
    """Computes the agreement from the meaning of each answer, by case; `None` is an answer that agrees with no other.

    >>> self_agreement({"a": ["x", "y"], "b": ["x", "x", "x"]})
    SelfAgreement(cases=2, pairs=0.5, unanimous=0.5)
    >>> self_agreement({"a": ["x"]}) is None
    True
    """
    shares = [_agreeing(each) for each in meanings.values() if len(each) > 1]
    if not shares:
        return None
    return SelfAgreement(
        cases=len(shares), pairs=sum(shares) / len(shares), unanimous=sum(each == 1 for each in shares) / len(shares)
    )


def _agreeing(answers: Sequence[Hashable | None]) -> float:
    counts = Counter(each for each in answers if each is not None)
    return sum(n * (n - 1) for n in counts.values()) / (len(answers) * (len(answers) - 1))
