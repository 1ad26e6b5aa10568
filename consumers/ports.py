"""What scoring an event needs from the world, in its own words. Adapters live in `service/`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from consumers.evaluation.evaluation import Claim, Evaluation, EventKey
from consumers.evaluation.outcomes import Outcome, Trigger
from scoring.rules import Rules


class RuleSource(Protocol):
    """Knows the tenants' rules."""

    async def rules(self, tenants: Collection[str]) -> Mapping[str, Rules]:
        """The newest rules of each tenant, the built-in default (version 0) where it has none.

        A tenant whose stored rules cannot be read is absent. Raises `RulesUnavailable`.
        """
        ...


class ScoreStore(Protocol):
    """Keeps one current evaluation per event key: the first, until one is asked to take its place."""

    async def claims(self, keys: Collection[EventKey]) -> Mapping[EventKey, Claim]:
        """The claims that stand on these keys; raises `StoreUnavailable`."""
        ...

    async def record(self, evaluations: Sequence[Evaluation]) -> Mapping[EventKey, Claim]:
        """Claims the keys and writes the rows in one transaction; their keys must be distinct.

        Returns the claims of events that are stored already: those evaluations were not written. An evaluation that
        `fills` an existing claim is written into its row. Retrying after a lost commit acknowledgement is idempotent.
        Raises `StoreUnavailable` (nothing is written, or everything: call again) or `RefusedByStore` (nothing is
        written).
        """
        ...


class Outcomes(Protocol):
    """Counts what happens."""

    def consumed(self, count: int, trigger: Trigger = Trigger.LIVE) -> None:
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

    def stalled(self, dependency: str) -> None:
        """A dependency did not answer, and is asked again."""
        ...

    def failed(self, where: str, error: Exception) -> None:
        """A bug showed itself; the record or batch was still accounted for."""
        ...
