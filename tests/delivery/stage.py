"""What a delivery suite plays on: a broker, a database, a slow model, and the workers between them."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import orjson
from aiokafka import AIOKafkaProducer
from sqlalchemy import URL
from sqlalchemy.ext.asyncio import create_async_engine

from service.commands.bench import slow_model
from tests.delivery import auditing
from tests.delivery.auditing import Findings, Held, Place
from tests.delivery.traffic import ASKING, DEFERRING, Key, Message
from tests.delivery.workers import BUILD, ROOT, Worker
from tests.recomputed_memory import memory_differences
from tests.recounted_sums import sum_differences_kept_and_anew
from tests.servers.fixtures import Kafka, RedisSpace
from tests.servers.processes import Server, listens

MODEL_SECONDS = 0.3
LARGEST = 12 * 1024 * 1024
_WAITING = """
SELECT reason, attempts, min(due)::text AS due, count(*) AS count FROM deferred_events GROUP BY 1, 2 ORDER BY 1, 2
"""


def count(name: str, otherwise: int) -> int:
    """How often a suite repeats: `SQLASSAY_TEST_<name>`, else the slice that CI runs."""
    return int(os.environ.get(f"SQLASSAY_TEST_{name}", otherwise))


PATIENCE = count("PATIENCE", 240)
"""Seconds until a suite gives up on something that must happen by itself."""


async def until(
    condition: Callable[[], Awaitable[bool]], what: str, why: Callable[[], Awaitable[str]] | None = None
) -> None:
    """Returns as soon as the condition holds; fails after `PATIENCE`, and says `why` it does not hold."""
    deadline = time.monotonic() + PATIENCE
    while not await condition():
        if time.monotonic() >= deadline:
            told = f": {await why()}" if why is not None else ""
            raise AssertionError(f"waited {PATIENCE} s in vain for {what}{told}")
        await asyncio.sleep(0.02)


class SlowModel(Server):
    """The model server of the suites, in a process of its own."""

    def __init__(self, home: Path, seconds: float = MODEL_SECONDS) -> None:
        super().__init__(home)
        self.seconds = seconds

    @property
    def url(self) -> str:
        """What `JUDGE__BASE_URL` is set to."""
        return f"http://127.0.0.1:{self.port}/v1"

    def prepare(self) -> None:
        """Needs nothing but the folder."""

    def command(self) -> list[str]:
        return [sys.executable, slow_model.__file__, str(self.port), str(self.seconds), str(self.home)]

    def answers(self, said: str) -> bool:
        return "serving" in said and listens(self.port)

    async def waiting(self) -> int:
        """Calls in flight."""
        async with httpx.AsyncClient(base_url=self.url) as client:
            return int((await client.get("/calls")).json()["waiting"])


@dataclass(slots=True, kw_only=True)
class Stage:
    """Workers share its topics, its tables and its model; whatever was published is remembered for the audit."""

    kafka: Kafka
    database: URL
    redis: RedisSpace
    model: SlowModel
    folder: Path
    settings: dict[str, str] = field(default_factory=dict)
    """What workers are told beside where things are."""
    build: tuple[str, ...] = BUILD
    checkout: Path = ROOT
    """Whose code workers run that start now."""
    workers: list[Worker] = field(default_factory=list)
    published: dict[Key, Place] = field(default_factory=dict)
    publishing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a hundred records are under way; who holds it keeps others from publishing."""
    may_be_gone: set[Key] = field(default_factory=set)
    """Events that retention or the broker may have deleted: with a row or without, never with two."""

    def environment(self) -> dict[str, str]:
        """What an operator would set."""
        return {
            "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS": self.kafka.bootstrap,
            "SQLASSAY_KAFKA__GROUP": self.kafka.group,
            # the broker's least: a member that was killed holds its partitions for so long
            "SQLASSAY_KAFKA__SESSION_TIMEOUT": "6",
            "SQLASSAY_KAFKA__TOPIC_EVENTS": self.kafka.events,
            "SQLASSAY_KAFKA__TOPIC_DEAD": self.kafka.dead,
            "SQLASSAY_KAFKA__TOPIC_SCORES": self.kafka.scores,
            "SQLASSAY_KAFKA__TOPIC_LABELS": self.kafka.labels,
            "SQLASSAY_KAFKA__TOPIC_FEEDBACK": self.kafka.feedback,
            "SQLASSAY_KAFKA__TOPIC_SPANS": self.kafka.spans,
            "SQLASSAY_DATABASE__URL": self.database.render_as_string(hide_password=False),
            "SQLASSAY_REDIS__URL": self.redis.url,
            "SQLASSAY_REDIS__PREFIX": self.redis.prefix,
            "SQLASSAY_JUDGE__BASE_URL": self.model.url,
            "SQLASSAY_JUDGE__MODEL": "slow",
            "SQLASSAY_JUDGE__PRICES": '{"slow": {"sent": 0.1, "received": 0.1}}',
            # stand-ins would make most prompts alike, and the cache would answer in the model's place
            "SQLASSAY_JUDGE__MASK": "false",
            # a run that is killed leaves its workers to the next one, which ends them with the model's folder
            "SQLASSAY_TEST_HOME": str(self.model.home),
            **self.settings,
        }

    def worker(self, build: tuple[str, ...] | None = None, *, checkout: Path | None = None, **settings: str) -> Worker:
        """A worker that starts."""
        log = self.folder / f"worker-{len(self.workers)}.log"
        told = {"SQLASSAY_MEMORY__ENABLED": "on"} | self.environment() | settings
        started = Worker(told, log, build or self.build, checkout or self.checkout)
        self.workers.append(started)
        return started

    async def ready_worker(
        self, build: tuple[str, ...] | None = None, *, checkout: Path | None = None, **settings: str
    ) -> Worker:
        """A worker that takes records."""
        started = self.worker(build, checkout=checkout, **settings)
        await until(started.ready, f"a worker to be ready; its log: {started.log}")
        return started

    async def rules(self) -> None:
        """Gives the tenants that ask a model their rules."""
        await self.rule(ASKING, judge={"policy": "llm", "when_unavailable": "local"})
        await self.rule(DEFERRING, judge={"policy": "llm", "when_unavailable": "defer"})

    async def rule(self, tenant: str, **document: Any) -> None:
        """Gives a tenant its first rules."""
        async with self.connection() as database:
            await database.execute(
                "INSERT INTO tenant_rules (tenant, version, document) VALUES ($1, 1, $2)",
                tenant,
                orjson.dumps(document).decode(),
            )

    @asynccontextmanager
    async def producer(self) -> AsyncIterator[AIOKafkaProducer]:
        """One that waits for a broker that is gone for a while."""
        opened = AIOKafkaProducer(
            bootstrap_servers=self.kafka.bootstrap,
            acks="all",
            linger_ms=5,
            max_request_size=LARGEST,
            request_timeout_ms=PATIENCE * 1000,
        )
        async with opened:
            yield opened

    async def publish(self, messages: Sequence[Message], *, pace: float = 0) -> list[Place]:
        """Returns the places of the records once the broker has them; `pace` is a rest, in s, after each hundred."""
        async with self.producer() as producer:
            return await self.publish_by(producer, messages, pace=pace)

    async def publish_by(
        self, producer: AIOKafkaProducer, messages: Sequence[Message], *, pace: float = 0
    ) -> list[Place]:
        """The same by a producer that is open already."""
        places: list[Place] = []
        for start in range(0, len(messages), 100):
            async with self.publishing:
                places += await self._publish_part(producer, messages[start : start + 100])
            await asyncio.sleep(pace)
        return places

    async def _publish_part(self, producer: AIOKafkaProducer, part: Sequence[Message]) -> list[Place]:
        sent = [await self._send(producer, each) for each in part]
        places: list[Place] = []
        for each, future in zip(part, sent, strict=True):
            record = await future
            places.append((record.partition, record.offset))
            if each.key is not None:
                self.published.setdefault(each.key, places[-1])
                self.may_be_gone |= {each.key} if each.may_be_gone else set()
        return places

    async def _send(self, producer: AIOKafkaProducer, each: Message) -> asyncio.Future[Any]:
        # a record without a value is a tombstone, which needs the key that it deletes
        key = b"grave" if each.value is None else each.record_key
        return await producer.send(self.kafka.events, each.value, key=key, headers=list(each.headers))

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[asyncpg.Connection]:
        """To the database."""
        plain = self.database.set(drivername="postgresql").render_as_string(hide_password=False)
        opened = await asyncpg.connect(plain)
        try:
            yield opened
        finally:
            await opened.close()

    async def held(self) -> Held:
        """What the tables say now."""
        async with self.connection() as database:
            return await auditing.held(database)

    async def drained(self) -> None:
        """Returns when every record is committed and no event waits; fails after `PATIENCE` without progress."""
        least, deadline = None, 0.0
        async with self.connection() as database:
            while True:
                await asyncio.sleep(0.1)
                waiting = await database.fetchval("SELECT count(*) FROM deferred_events")
                left = waiting + await auditing.lag(self.kafka)
                if left == 0:
                    return
                if least is None or left < least:
                    least, deadline = left, time.monotonic() + PATIENCE
                if time.monotonic() >= deadline:
                    raise AssertionError(f"the workers did nothing for {PATIENCE} s: {await self._left()}")

    async def _left(self) -> str:
        """What keeps it from being drained."""
        async with self.connection() as database:
            rows = await database.fetch(_WAITING)
        waiting = [f"{row['count']} {row['reason']}, tried {row['attempts']} times, due {row['due']}" for row in rows]
        told = [f"{await auditing.lag(self.kafka)} records not committed", *waiting]
        return "\n".join([*told, *[await each.portrait() for each in self.workers if each.runs]])

    async def audit(self) -> Findings:
        """Topics against tables."""
        held, results = await self.held(), await auditing.results(self.kafka)
        findings = auditing.compare(list(self.published), held, results, self.may_be_gone)
        engine = create_async_engine(self.database)
        try:
            findings.remembered = await memory_differences(engine)
            findings.summed = await sum_differences_kept_and_anew(engine)
        finally:
            await engine.dispose()
        return findings

    async def stored_uncommitted(self) -> int:
        """Rows whose records the group has not committed: what a crash now makes it read again."""
        store, done = await self.held(), await auditing.committed(self.kafka)
        places = [self.published[key] for key in store.current if key in self.published]
        return sum(offset >= done.get(partition, 0) for partition, offset in places)

    def end(self) -> None:
        """Ends what still runs."""
        for worker in self.workers:
            if worker.runs:
                worker.kill()


@asynccontextmanager
async def staged(stage: Stage) -> AsyncIterator[Stage]:
    """The stage with its model up and its tenants' rules in force; afterwards no worker is left."""
    await stage.rules()
    try:
        yield stage
    finally:
        stage.end()
