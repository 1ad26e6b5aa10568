"""The parts that the intakes and the worker of one process share."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.ports import RuleSource
from consumers.stream.ports import Publisher
from service.metrics import Metrics
from service.settings import Settings
from service.telemetry import Telemetry


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessParts:
    """What a process has open."""

    settings: Settings
    engine: AsyncEngine
    rules: RuleSource
    metrics: Metrics
    publisher: Publisher | None
    """`None` without Kafka."""
    telemetry: Telemetry | None = None
    """`None` without OpenTelemetry."""


def utc_now() -> datetime:
    """The present time."""
    return datetime.now(UTC)
