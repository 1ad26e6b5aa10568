"""Two further figures of an answer: EX-TEST, and what a search for a differing database found after it passed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Verified(StrEnum):
    """What search and proof say of an answer that passed EX-TEST."""

    REFUTED = "refuted"
    """A small database was found on which the answer and the gold SQL give other sets of rows when they run."""
    PROVED = "proved"
    """Proved equal on all databases with up to `bound` rows per table."""
    NOT_REFUTED = "not_refuted"
    """No difference was found, and nothing was proved."""
    UNSUPPORTED = "unsupported"
    """One of the two cannot run on small databases with its meaning. The reason says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerVerification:
    """Equation 1 and Algorithm 1 of SpotIt for one answer."""

    ex_test: bool | None = None
    """The same set of rows as the gold SQL on the case's database; `None` when that was not tested."""
    outcome: Verified | None = None
    """`None` when the answer failed EX-TEST: nothing was left to verify."""
    level: str | None = None
    """What the counterexample assumes of the data: S0 is ordinary data."""
    bound: int | None = None
    """Rows per table up to which equality is proved, or rows of the largest table of the counterexample."""
    reason: str | None = None
    counterexample: Mapping[str, Any] | None = None
    alternative: str | None = None
    """The gold query that counts; `None` when the gold SQL is one query."""
    assumption: str | None = None
    """What the counterexample assumes, in words. This and what follows are left out of the record."""
    inferred: bool = False
    """Whether the tables were inferred from both queries."""
    keys_known: bool = True
    """Whether the tables were declared or inferred with their keys: a database's own list of columns has none."""
    cpu_seconds: float = 0.0
    """Not the same in every run."""

    def verified(self) -> dict[str, object] | None:
        """The field `ex_verified` of the record. Its `crossed` is filled in when other methods were verified too."""
        if self.outcome is None:
            return None
        return {
            "outcome": self.outcome.value,
            "level": self.level,
            "bound": self.bound,
            "reason": self.reason,
            "counterexample": self.counterexample,
            "alternative": self.alternative,
            "crossed": None,
        }
