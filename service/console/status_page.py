"""The status page: does everything arrive, is it scored, what does it cost, and who fell silent?"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response
from sqlalchemy.ext.asyncio import AsyncEngine

from service.api.access import ConsoleReader, RunningService
from service.console.forms import BrowserForm
from service.console.rendering import ago, page
from service.metrics import Metrics
from service.storage.scores.evaluation_pages import SearchTooSlow
from service.storage.status.intake_status import DAY, ArrivedAnswers, arrived_answers, deferred_events, last_answers
from service.storage.status.storage_growth import storage_growth

router = APIRouter(include_in_schema=False)
_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """What arrived within some time, over all reasons and models."""

    words: str
    received: int
    scored: int
    unscored: list[tuple[str, int]]
    """Most first."""
    late: float | None
    """Of the largest group of answers: seconds from the answer to its row, 95th percentile."""
    models: list[ArrivedAnswers]

    @property
    def cost(self) -> float:
        return sum(each.cost for each in self.models)

    @property
    def for_a_thousand(self) -> float | None:
        """The cost of 1,000 answers; `None` without a model."""
        answers = sum(each.answers for each in self.models)
        return 1000 * self.cost / answers if answers else None


def arrived(words: str, found: Sequence[ArrivedAnswers]) -> Arrived:
    """The sums of what arrived."""
    reasons: Counter[str] = Counter()
    for each in found:
        if each.unscored is not None:
            reasons[each.unscored] += each.answers
    received = sum(each.answers for each in found)
    return Arrived(
        words=words,
        received=received,
        scored=received - reasons.total(),
        unscored=reasons.most_common(),
        late=found[0].late if found else None,
        models=[each for each in found if each.model is not None],
    )


@router.get("/console/status")
async def show_status(
    query: Annotated[BrowserForm, Query()], service: RunningService, reader: ConsoleReader
) -> Response:
    """Shows what arrived, what became of it, what waits, and what the database holds."""
    tenant, now = reader.only(query.tenant), datetime.now(UTC)
    hour, day, last, deferred = await asyncio.gather(
        _arrived(service.engine, tenant, now - _HOUR, "last hour"),
        _arrived(service.engine, tenant, now - DAY, "last 24 hours"),
        last_answers(service.engine, tenant, now),
        deferred_events(service.engine, tenant),
    )
    shown: dict[str, Any] = {
        "title": "Status",
        "times": [hour, day],
        "last": [(each, ago(now - each.occurred_at)) for each in last],
        "deferred": deferred,
        "process": None,
        "growth": None,
        "budget": service.settings.judge.budget,
        "currency": service.settings.judge.currency,
    }
    # what is one process's or one database's is no single tenant's
    if reader.tenant is None:
        shown |= {
            "process": ProcessCounts.of(service.metrics),
            "growth": await storage_growth(service.engine, now),
            "role": service.role.value,
        }
    return page("status.html", shown, carried=query.carried())


async def _arrived(engine: AsyncEngine, tenant: str | None, since: datetime, words: str) -> Arrived | str:
    """What arrived, or the words for which it took too long."""
    try:
        return arrived(words, await arrived_answers(engine, tenant, since))
    except SearchTooSlow:
        return words


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessCounts:
    """What this process counted since its start; others count for themselves."""

    lag: float | None
    """Records of Kafka that its group has not committed; `None` where it reads none."""
    dead_letters: list[tuple[str, float]]
    """By reason, most first."""
    budgets: list[tuple[str, str, float]]
    """What is left of each tenant's budget of today, as tenant, unit and amount; without a call none is known."""

    @classmethod
    def of(cls, metrics: Metrics) -> ProcessCounts:
        """Reads the metrics."""
        lags = [value for _, value in _samples(metrics, "sqlassay_kafka_lag_records")]
        letters: Counter[str] = Counter()
        for labels, value in _samples(metrics, "sqlassay_dead_letters_total"):
            letters[labels["reason"]] += int(value)
        left = [
            (each["tenant"], each["unit"], value) for each, value in _samples(metrics, "sqlassay_model_budget_left")
        ]
        return cls(lag=sum(lags) if lags else None, dead_letters=[*letters.most_common()], budgets=sorted(left))


def _samples(metrics: Metrics, name: str) -> Iterator[tuple[dict[str, str], float]]:
    for family in metrics.registry.collect():
        for sample in family.samples:
            if sample.name == name:
                yield sample.labels, sample.value
