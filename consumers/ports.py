"""What the use case needs from the world, in its own words. Adapters live in `service/`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from consumers.evaluation import Claim, Evaluation, EventKey
from consumers.outcomes import Outcome
from scoring.rules import Rules
from scoring.verdict import Case, Reply


class Unavailable(Exception):  # noqa: N818 it names a state of the world, beside InvalidEvent
    """A dependency does not answer: try again later, slower."""


class StoreUnavailable(Unavailable):
    """The database does not answer."""


class RulesUnavailable(Unavailable):
    """The rules cannot be read."""


class CacheUnavailable(Unavailable):
    """Redis does not answer: do without it."""


class JudgeUnavailable(Unavailable):
    """The judge could not be reached within its deadline."""


class RefusedByStore(Exception):  # noqa: N818 named for what happened
    """The store cannot hold these values, and never will."""


class Judge(Protocol):
    """Says how right an answer is."""

    async def judge(self, case: Case) -> Reply:
        """The verdict; raises `JudgeUnavailable`."""
        ...


class RuleSource(Protocol):
    """Knows the tenants' rules."""

    async def rules(self, tenants: Collection[str]) -> Mapping[str, Rules]:
        """The newest rules of each tenant, the built-in default (version 0) where it has none.

        A tenant whose stored rules cannot be read is absent. Raises `RulesUnavailable`.
        """
        ...


class ScoreStore(Protocol):
    """Keeps one evaluation per event key, for ever the first."""

    async def claims(self, keys: Collection[EventKey]) -> Mapping[EventKey, Claim]:
        """The claims that stand on these keys; raises `StoreUnavailable`."""
        ...

    async def record(self, evaluations: Sequence[Evaluation]) -> Mapping[EventKey, Claim]:
        """Claims the keys and writes the rows in one transaction; their keys must be distinct.

        Returns the claims of others that stood before: those evaluations were not written. Raises `StoreUnavailable`
        (nothing is written, or all is and a resend will say so) or `RefusedByStore` (nothing is written).
        """
        ...


class Outcomes(Protocol):
    """Counts what happens."""

    def consumed(self, count: int) -> None:
        """A batch of `count` records was taken from the stream."""
        ...

    def ended(self, outcomes: Sequence[Outcome]) -> None:
        """These records ended."""
        ...

    def evaluated(self, evaluation: Evaluation) -> None:
        """A row was committed."""
        ...

    def took(self, stage: str, seconds: float) -> None:
        """A stage of a batch took this long."""
        ...

    def ruled(self, rules: Mapping[str, Rules]) -> None:
        """These rules are in force."""
        ...

    def failed(self, where: str, error: Exception) -> None:
        """A bug showed itself; the record or batch was still accounted for."""
        ...
