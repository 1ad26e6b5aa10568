"""One running process: the parts that its routes and its worker share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.pool import Pool
from service.metrics import Metrics
from service.settings import Settings
from service.spans import SpanIntake
from service.store import PostgresRules


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
    rules: PostgresRules
    pool: Pool
    metrics: Metrics
    worker: asyncio.Task[None]
    intake: Intake
    spans: SpanIntake
