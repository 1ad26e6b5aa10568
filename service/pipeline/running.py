"""What a running process has open, for its routes and its worker."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy.ext.asyncio import AsyncEngine

from service.access.access_tokens import AccessTokens
from service.access.console_login import ConsoleLogin
from service.metrics import Metrics
from service.pipeline.body_budget import BodyBudget
from service.pipeline.dependency_watch import DependencyWatch
from service.pipeline.event_intake import EventIntake
from service.pipeline.span_intake import SpanIntake
from service.pipeline.worker import Worker
from service.processes.apart import ReadingApart
from service.processes.effect_process import EffectProcess
from service.processes.sql_reading import SqlReading
from service.redis.rule_cache import RedisRules
from service.settings import Settings
from service.storage.rule_store import PostgresRules


class ProcessRole(StrEnum):
    """What a process does."""

    API = "api"
    """Accepts events over HTTP, writes them to Kafka, and serves all reading routes."""
    WORKER = "worker"
    """Reads Kafka, scores and stores."""
    ALL = "all"
    """Both. Without Kafka, events stay in memory between the two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A running service."""

    settings: Settings
    engine: AsyncEngine
    role: ProcessRole
    rules: PostgresRules | RedisRules
    sql: SqlReading
    reading: ReadingApart
    metrics: Metrics
    worker: Worker | None
    """`None` in a process that only accepts events."""
    events: EventIntake
    bodies: BodyBudget
    tokens: AccessTokens
    login: ConsoleLogin
    spans: SpanIntake
    watch: DependencyWatch
    effects: EffectProcess
    """Tries rules on stored answers."""
