"""What scoring an event needs from outside. Adapters live in `service/`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from consumers.evaluation.event_evaluation import Claim, Evaluation, EventKey
from consumers.evaluation.outcomes import Outcome, Trigger
from scoring.rules import Rules


class RuleSource(Protocol):
    """Reads the tenants' rules."""

    async def rules(self, tenants: Collection[str]) -> Mapping[str, Rules]:
        """The newest rules of each tenant, the built-in default (version 0) where it has none.

        A tenant whose stored rules cannot be read is absent. Raises `RulesUnavailable`.
        """
        ...


class ScoreStore(Protocol):
    """Keeps one current evaluation for each event key: the first, until another one replaces it."""

    async def claims(self, keys: Collection[EventKey]) -> Mapping[EventKey, Claim]:
        """The claims on these keys; raises `StoreUnavailable`."""
        ...

    async def record(self, evaluations: Sequence[Evaluation]) -> Mapping[EventKey, Claim]:
        """Claims the keys and writes the rows in one transaction; their keys must be distinct.

        Returns the claims of events that were already stored; their evaluations are not written. An evaluation that
        `fills` an existing claim is written into its row. Retrying after a lost commit acknowledgement is idempotent.
        Raises `StoreUnavailable` (nothing is written, or everything: call again) or `RefusedByStore` (nothing is
        written).
        """
        ...


class TenantMemories(Protocol):
    """What the tenants' earlier answers say about evaluations that are about to be written."""

    def recalled(self, evaluations: Sequence[Evaluation]) -> AbstractAsyncContextManager[Sequence[Evaluation]]:
        """The evaluations as memory judges them, to be written while the context is open.

        Raises `StoreUnavailable`. What the context's body raises passes through, and nothing is learnt then.
        """
        ...


class Outcomes(Protocol):
    """Counts records, rows, stages and faults."""

    def consumed(self, count: int, trigger: Trigger = Trigger.LIVE) -> None:
        """Counts records that were read."""
        ...

    def ended(self, outcomes: Sequence[Outcome]) -> None:
        """Counts how these records ended."""
        ...

    def evaluated(self, evaluation: Evaluation) -> None:
        """Counts a row that was committed."""
        ...

    def stage_took(self, stage: str, seconds: float) -> None:
        """Observes how long a stage of a batch took."""
        ...

    def rules_in_force(self, rules: Mapping[str, Rules]) -> None:
        """Notes the rules in force."""
        ...

    def stalled(self, dependency: str, error: Exception) -> None:
        """Counts a call that a dependency did not answer, and logs why; the call is repeated."""
        ...

    def failed(self, where: str, error: Exception) -> None:
        """Logs and counts a bug; the record or batch still gets an outcome."""
        ...
