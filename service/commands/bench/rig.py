"""Sets up what a stream measurement needs: its own topics, database, slow model server and worker."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
import uuid
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from socket import create_server
from typing import Any

import orjson
from aiokafka import AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

import service
from service.commands.bench import slow_model as slow_model_server
from service.commands.bench.own_database import own_database
from service.commands.exits import give_up
from service.kafka.login import login
from service.settings import Settings
from service.settings.variables import PREFIX
from service.storage.tables import EVALUATIONS, TENANT_RULES

PARTITIONS = 4
MODEL = "slow"
LONGEST_WAIT = 60
"""Seconds after which an event counts as lost."""
_KEPT = "SQLASSAY_KAFKA__"
"""The worker inherits these settings of this process, to reach the broker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The number of rows at a moment."""

    seconds: float
    """Monotonic."""
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rig:
    """The topics and the database of one measurement. All are removed when it ends."""

    name: str
    settings: Settings
    engine: AsyncEngine

    @property
    def topic(self) -> str:
        return f"{self.name}-events"

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        """The environment variables of its worker."""
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(PREFIX) or name.startswith(_KEPT)
        }
        return {
            **kept,
            "SQLASSAY_KAFKA__GROUP": self.name,
            "SQLASSAY_KAFKA__TOPIC_EVENTS": self.topic,
            "SQLASSAY_KAFKA__TOPIC_DEAD": f"{self.name}-dead",
            "SQLASSAY_KAFKA__TOPIC_SCORES": f"{self.name}-scores",
            "SQLASSAY_KAFKA__TOPIC_LABELS": "",
            "SQLASSAY_KAFKA__TOPIC_FEEDBACK": "",
            "SQLASSAY_KAFKA__TOPIC_SPANS": "",
            "SQLASSAY_DATABASE__URL": self.engine.url.render_as_string(hide_password=False),
            "SQLASSAY_HTTP__PORT": "0",
            "SQLASSAY_LOG__LEVEL": "warning",
            **more,
        }

    async def set_rules(self, tenant: str, document: Mapping[str, object]) -> None:
        """Stores a tenant's first rules."""
        async with self.engine.begin() as connection:
            await connection.execute(insert(TENANT_RULES), {"tenant": tenant, "version": 1, "document": document})

    async def rows(self, tenant: str) -> int:
        """Counts the tenant's committed rows."""
        counted = select(func.count()).where(EVALUATIONS.c.tenant == tenant)
        async with self.engine.connect() as connection:
            return int((await connection.execute(counted)).scalar_one())

    async def watch(self, tenant: str, most: int, seconds: float) -> list[Sample]:
        """Samples the tenant's row count until it reaches `most` or the time is up."""
        samples: list[Sample] = []
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            began = time.monotonic()
            samples.append(Sample(seconds=began, rows=await self.rows(tenant)))
            if samples[-1].rows >= most:
                break
            # counting rows must not slow down what is measured
            await asyncio.sleep(max(0.1, 20 * (time.monotonic() - began)))
        return samples

    async def publish(self, events: Iterable[Mapping[str, object]], per_second: float | None = None) -> None:
        """Publishes the events with the time they are sent, at the given rate if there is one."""
        began, sent = time.monotonic(), 0
        async with _producer(self.settings) as producer:
            for event in events:
                if per_second is not None:
                    await asyncio.sleep(max(0.0, began + sent / per_second - time.monotonic()))
                now = datetime.now(UTC).isoformat()
                await producer.send(self.topic, orjson.dumps({**event, "occurred_at": now}))
                sent += 1

    async def waits(self, tenant: str, count: int, seconds: float) -> list[float]:
        """The seconds from publishing to a committed row, for `count` events of a tenant."""
        found: dict[str, float] = {}
        since, until = datetime.now(UTC), time.monotonic() + seconds
        row = EVALUATIONS.c
        async with self.engine.connect() as connection:
            while len(found) < count and time.monotonic() < until:
                query = select(row.event_id, row.occurred_at).where(row.tenant == tenant, row.occurred_at >= since)
                rows = (await connection.execute(query)).all()
                now = datetime.now(UTC)
                found |= {name: (now - sent).total_seconds() for name, sent in rows if name not in found}
                # rows that take longer than this are not looked for and count as lost
                since = max(since, now - timedelta(seconds=LONGEST_WAIT))
                await asyncio.sleep(0.02)
        return list(found.values())

    @contextmanager
    def worker(self, **more: str) -> Generator[int]:
        """Runs one worker, as operators do; yields the number of its process."""
        command = [sys.executable, "-m", service.__name__, "serve", "--role", "worker"]
        with _process(command, self.environment(more)) as running:
            yield running.pid
            if running.poll() is not None:
                give_up(f"the worker ended by itself with exit code {running.returncode}: see above")


@contextmanager
def slow_model(seconds: float) -> Generator[dict[str, str]]:
    """Runs a model server that takes `seconds` for a reply; yields the settings that name it."""
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", slow_model_server.__name__, str(port), str(seconds)]
    with _process(command, dict(os.environ)):
        yield {
            "SQLASSAY_JUDGE__BASE_URL": f"http://127.0.0.1:{port}/v1",
            "SQLASSAY_JUDGE__MODEL": MODEL,
            "SQLASSAY_JUDGE__PRICES": f'{{"{MODEL}": {{"sent": 0.1, "received": 0.1}}}}',
            # masking would make different prompts equal
            "SQLASSAY_JUDGE__MASK": "false",
        }


@contextmanager
def _process(command: Sequence[str], environment: Mapping[str, str]) -> Generator[subprocess.Popen[bytes]]:
    running = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)  # noqa: S603 our own programs
    try:
        yield running
    finally:
        running.kill()
        running.wait()


@asynccontextmanager
async def rigged(settings: Settings) -> AsyncGenerator[Rig]:
    """Sets up a rig on the configured servers and removes it afterwards."""
    name = f"sqlassay-bench-{uuid.uuid4().hex[:8]}"
    async with own_database(settings, name.replace("-", "_")) as engine, _topics(settings, name):
        # each query sees what is committed by then
        autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")
        yield Rig(name=name, settings=settings, engine=autocommit)


@asynccontextmanager
async def _topics(settings: Settings, name: str) -> AsyncGenerator[None]:
    kafka = settings.kafka
    secured: dict[str, Any] = login(kafka)
    admin: Any = AIOKafkaAdminClient(bootstrap_servers=kafka.bootstrap_servers or "", **secured)
    await admin.start()
    try:
        topics = [f"{name}-{each}" for each in ("events", "dead", "scores")]
        await admin.create_topics([NewTopic(topic, PARTITIONS, 1) for topic in topics])
        try:
            yield
        finally:
            await admin.delete_topics(topics)
    finally:
        await admin.close()


@asynccontextmanager
async def _producer(settings: Settings) -> AsyncGenerator[Any]:
    secured: dict[str, Any] = login(settings.kafka)
    producer: Any = AIOKafkaProducer(
        bootstrap_servers=settings.kafka.bootstrap_servers or "", acks="all", linger_ms=2, **secured
    )
    await producer.start()
    try:
        yield producer
    finally:
        await producer.stop()
