"""One running process: the parts that its routes and its worker share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy.ext.asyncio import AsyncEngine

from service.metrics import Metrics
from service.pipeline.event_intake import EventIntake
from service.pipeline.span_intake import SpanIntake
from service.pipeline.worker import Worker
from service.redis.rule_cache import RedisRules
from service.settings import Settings
from service.storage.rule_store import PostgresRules


class Role(StrEnum):
    """What a process does."""

    API = "api"
    """Takes events over HTTP and writes them to Kafka; serves everything that can be read."""
    WORKER = "worker"
    """Reads Kafka, scores and stores."""
    ALL = "all"
    """Both; without Kafka, in memory."""


@dataclass(slots=True)
class Intake:
    """How many bytes of request bodies are being handled; more than `most` are told to wait."""

    most: int
    held: int = 0

    def take(self, size: int) -> bool:
        """Whether `size` more bytes fit; if so they are held until given back."""
        if self.held and self.held + size > self.most:
            return False
        self.held += size
        return True

    def give_back(self, size: int) -> None:
        """These bytes are handled."""
        self.held -= size


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What is open while the process serves."""

    settings: Settings
    engine: AsyncEngine
    role: Role
    rules: PostgresRules | RedisRules
    metrics: Metrics
    worker: Worker | None
    """`None` where this process only takes events in."""
    events: EventIntake
    intake: Intake
    spans: SpanIntake
