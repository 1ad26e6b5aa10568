"""What the use case needs from the world, in its own words. Adapters live in `service/`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from consumers.breaker import BreakerState
from consumers.budgets import Bound, Hold, Spend
from consumers.deferrals import Deferral
from consumers.evaluation import Claim, Evaluation, EventKey
from consumers.outcomes import Outcome, Trigger
from consumers.references import AwaitingReference, ReferenceJudged
from references.verdict import AnswerPair, ReferenceFinding, ReferenceVerdict
from scoring.rules import Rules
from scoring.verdict import Verdict


class Unavailable(Exception):  # noqa: N818 it names a state of the world, beside InvalidEvent
    """A dependency does not answer: try again later, slower."""


class StoreUnavailable(Unavailable):
    """The database does not answer."""


class RulesUnavailable(Unavailable):
    """The rules cannot be read."""


class CacheUnavailable(Unavailable):
    """Redis does not answer: do without it."""


class ModelFailed(Unavailable):
    """One call of a model failed."""

    def __init__(
        self, message: str, *, retry_after: float | None = None, again: bool = True, billed: bool = False
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds after which the server asked to be asked again."""
        self.again = again
        """Another try may fare better."""
        self.billed = billed
        """The server may have done the work, and may charge for it."""


class RefusedByStore(Exception):  # noqa: N818 named for what happened
    """The store cannot hold these values, and never will."""


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

        Returns the claims of others that stood before: those evaluations were not written. One that `fills` the claim
        that stands is written into its row; one that was written before by this very call, whose answer was lost, is
        its own. Raises `StoreUnavailable` (nothing is written, or all is: call again) or `RefusedByStore` (nothing is
        written).
        """
        ...


class DeferredEvents(Protocol):
    """Keeps events that cannot be scored yet."""

    async def defer(self, deferrals: Sequence[Deferral]) -> Collection[EventKey]:
        """Keeps the deferrals durably, one for each event key; their keys must be distinct.

        Attempts of one that waits already stand, but for the one it was taken for if it only let others pass.
        Returns the keys under which an event with other content waits: those were not kept. Raises `StoreUnavailable`
        or `RefusedByStore` (nothing is kept).
        """
        ...

    async def take_due(self, now: datetime, limit: int, lease_seconds: float) -> Sequence[Deferral]:
        """Takes up to `limit` that are due, each tenant in turn, longest due first; each counts as one more attempt.

        Nobody else is given them for `lease_seconds`; those that are then neither dropped nor deferred anew are due
        again. Raises `StoreUnavailable`.
        """
        ...

    async def drop(self, keys: Collection[EventKey]) -> None:
        """Forgets the deferrals of these keys: they have ended. Raises `StoreUnavailable`."""
        ...

    async def waiting(self) -> int:
        """How many are kept; raises `StoreUnavailable`."""
        ...


class Results(Protocol):
    """Tells the world how events ended."""

    async def publish(self, ends: Mapping[EventKey, Evaluation | Claim]) -> None:
        """Returns once every result is durable; of a claim, the result of the row that stands under it.

        The same result may be published twice, with the same id. Raises `Unavailable`.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a model wrote, and what it counted."""

    text: str
    tokens_in: int | None = None
    """`None` where the server does not say."""
    tokens_out: int | None = None
    refused: bool = False
    """It declined."""


class Model(Protocol):
    """Completes a prompt."""

    @property
    def name(self) -> str:
        """The model as its server knows it."""
        ...

    @property
    def max_tokens(self) -> int:
        """Most tokens that it writes."""
        ...

    async def complete(self, system: str, user: str, schema: Mapping[str, object], *, seconds: float) -> Completion:
        """One try of at most so many seconds; raises `ModelFailed`."""
        ...


class ReplyCache(Protocol):
    """Remembers what a model wrote, of each tenant apart, by what it was sent."""

    async def find(self, tenant: str, model: str, digest: str) -> str | None:
        """What the model wrote to that very prompt, if it is remembered."""
        ...

    async def keep(self, tenant: str, model: str, digest: str, text: str) -> None:
        """Remembers it for a while."""
        ...


class Budgets(Protocol):
    """Knows what tenants may still spend today."""

    async def reserve(self, tenant: str, want: Spend, bound: Bound) -> Hold | None:
        """Takes `want` out of the tenant's day; `None` where it is spent. The hold must be settled.

        Raises `CacheUnavailable` where nobody can say what is left.
        """
        ...

    def left(self, tenant: str, bound: Bound) -> Bound:
        """What of the tenant's day this process can still come by, as far as it knows; `None` is not bounded."""
        ...


CallEnd: TypeAlias = Literal["replied", "refused", "failed", "held_back"]
"""How one call of a model ended; `held_back` is a server that asks to wait."""
CaseEnd: TypeAlias = Literal["replied", "cached", "unscored", "fallback", "deferred"]
"""How a case ended that a model was to judge; `fallback` is the local verdict in its place."""


class ModelCounts(Protocol):
    """Counts what becomes of cases that a model is asked about."""

    def called(self, end: CallEnd, seconds: float) -> None:
        """One call ended so."""
        ...

    def paid(self, tenant: str, tokens_in: int, tokens_out: int, cost: float) -> None:
        """A call cost so much."""
        ...

    def judged(self, end: CaseEnd) -> None:
        """A case ended so."""
        ...

    def spent(self, tenant: str) -> None:
        """The tenant's day does not cover a call that was wanted."""
        ...

    def left(self, tenant: str, left: Bound) -> None:
        """So much is left of the tenant's day."""
        ...

    def compared(self, local: Verdict, model: Verdict) -> None:
        """The local judge said this of a case that a model judged so."""
        ...

    def breaker(self, state: BreakerState) -> None:
        """The breaker is in this state."""
        ...


class AwaitedReferences(Protocol):
    """Keeps the answers that wait to be judged by their references."""

    async def take(self, now: datetime, limit: int, lease_seconds: float) -> Sequence[AwaitingReference]:
        """Takes up to `limit` that wait, newest first; nobody else is given them for `lease_seconds`.

        Raises `StoreUnavailable`.
        """
        ...

    async def conclude(self, judged: Sequence[ReferenceJudged]) -> Sequence[ReferenceJudged]:
        """Writes what was found of those that still wait, and returns them; raises `StoreUnavailable`."""
        ...

    async def waiting(self) -> int:
        """How many wait, counted up to a bound; raises `StoreUnavailable`."""
        ...


class ReferenceJudge(Protocol):
    """Judges an answer by its reference, somewhere where it cannot do harm."""

    async def judge(self, pair: AnswerPair) -> ReferenceFinding:
        """What is found, or why nothing was."""
        ...


class ReferenceCounts(Protocol):
    """Counts what becomes of references."""

    def judged(self, tenant: str, agent: str, verdict: ReferenceVerdict) -> None:
        """A verdict was written."""
        ...

    def waits(self, count: int) -> None:
        """So many wait."""
        ...
