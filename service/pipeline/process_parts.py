"""The parts that the intakes and the worker of one process share."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.ports import RuleSource
from consumers.stream.ports import Publisher
from service.metrics import Metrics
from service.processes.apart import ReadingApart
from service.settings import Settings
from service.storage.alarms.suspected_agents import SuspectedAgents
from service.telemetry import Telemetry


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessParts:
    """What a process has open."""

    settings: Settings
    engine: AsyncEngine
    rules: RuleSource
    metrics: Metrics
    reading: ReadingApart
    publisher: Publisher | None
    """`None` without Kafka."""
    telemetry: Telemetry | None = None
    """`None` without OpenTelemetry."""
    suspected: SuspectedAgents = field(default_factory=SuspectedAgents)
    """Agents and versions whose answers are worth more of a model's calls."""


def utc_now() -> datetime:
    """The present time."""
    return datetime.now(UTC)
