"""Probes of Kafka, PostgreSQL, Redis and the model server. None of them costs a call of the model or writes a row."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from redis.exceptions import RedisError
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import CacheUnavailable, Unavailable
from consumers.wire.texts import shorten
from service.failures import failure_text
from service.kafka.client import KafkaPublisher
from service.kafka.observer import KafkaObserver
from service.metrics import Metrics
from service.metrics.dependency_metrics import Dependency
from service.pipeline.dependency_watch import DependencyWatch, WatchPolicy
from service.pipeline.process_parts import ProcessParts
from service.redis.link import RedisLink
from service.settings import Settings
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine
from service.storage.database_sight import look_at_database
from service.storage.pooled_sessions import renew_sessions

_CALLS_COUNT_SECONDS = 120.0
"""A failed call of the model outweighs a connection for this long: twice the breaker's longest pause."""


@dataclass(slots=True, kw_only=True, eq=False)
class KafkaProbe:
    """Describes the topics, and shows how far they are written and read."""

    observer: KafkaObserver
    publisher: KafkaPublisher
    needed: frozenset[str]
    """Topics without which this role cannot work."""
    written: frozenset[str]
    """Topics that a broker may create when they are first written: until then they are not missing."""
    metrics: Metrics
    _seen: set[str] = field(init=False, default_factory=set[str])

    async def __call__(self, seconds: float) -> None:
        """Looks at Kafka; raises `KafkaUnavailable`."""
        try:
            sight = await self.observer.look(self.needed | self.written, seconds)
        except BaseException:
            self._show_nothing()
            raise
        self._seen |= {topic for topic, each in sight.topics.items() if each.partitions}
        expected = self.needed | self._seen | self.publisher.missing
        shown = {topic: each for topic, each in sight.topics.items() if topic in expected}
        flow = self.metrics.kafka
        flow.topics_seen(
            {topic: each.partitions for topic, each in shown.items()},
            {topic: each.leaderless for topic, each in shown.items()},
        )
        flow.ends_seen(sight.ends)
        flow.groups_seen(self.observer.groups, sight.committed, sight.lag)

    def _show_nothing(self) -> None:
        flow = self.metrics.kafka
        flow.topics_seen({}, {})
        flow.ends_seen({})
        flow.groups_seen({}, {}, {})


@dataclass(slots=True, kw_only=True, eq=False)
class DatabaseProbe:
    """Shows what PostgreSQL says of itself, and has the process's sessions renewed once it takes writes again."""

    engine: AsyncEngine
    """The probe's own: a pool that is busy is no outage."""
    pool: AsyncEngine
    """That of the process."""
    metrics: Metrics
    _read_only: bool = field(init=False, default=False)

    async def __call__(self, seconds: float) -> None:
        """Looks at PostgreSQL; raises `StoreUnavailable`."""
        try:
            sight = await look_at_database(self.engine, seconds, time.time)
            if not sight.writable:
                self._read_only = True
                # a session keeps the settings with which it was opened: only a new one knows those of now
                await self.engine.dispose()
                sight = await look_at_database(self.engine, seconds, time.time)
        except BaseException:
            self.metrics.dependencies.database_unknown()
            raise
        if self._read_only and sight.writable:
            self._read_only = False
            renew_sessions(self.pool)
        self.metrics.dependencies.database_seen(sight.writable, sight.schema_current, sight.skew)


@dataclass(slots=True, kw_only=True, eq=False)
class ModelProbe:
    """Real calls decide while there are any; without them, whether the server accepts a connection."""

    base_url: str
    """The server's, or that of the proxy by which it is called."""
    timer: Callable[[], float] = time.monotonic
    _failed_at: float | None = field(init=False, default=None)

    def note(self, answered: bool) -> None:
        """Notes how a call ended."""
        self._failed_at = None if answered else self.timer()

    async def __call__(self, seconds: float) -> None:
        """Raises `Unavailable` if the last call failed lately, or if nothing accepts a connection."""
        if self._failed_at is not None and self.timer() < self._failed_at + _CALLS_COUNT_SECONDS:
            raise Unavailable("the last call of the model failed")
        parts = urlsplit(self.base_url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            async with asyncio.timeout(seconds):
                _, writer = await asyncio.open_connection(parts.hostname, port)
        except (OSError, TimeoutError) as error:
            what = shorten(str(error) or type(error).__name__, 120)
            raise Unavailable(f"the model server {parts.hostname}:{port} cannot be reached ({what})") from error
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


@asynccontextmanager
async def open_watch(
    parts: ProcessParts,
    publisher: KafkaPublisher | None,
    redis: RedisLink | None,
    policy: WatchPolicy,
    *,
    reads: bool,
) -> AsyncGenerator[DependencyWatch]:
    """Watches what a process depends on; `reads` says whether it is a worker."""
    watch, judge = DependencyWatch(metrics=parts.metrics, policy=policy), parts.settings.judge
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(_watched_database(parts.engine, parts.settings.database, watch))
        if publisher is not None:
            await stack.enter_async_context(_watched_kafka(parts.settings, publisher, watch, reads=reads))
        if redis is not None:
            _watch_redis(redis, watch)
        if reads and judge.base_url is not None and judge.model is not None:
            _watch_model(judge.proxy or judge.base_url, watch)
        await stack.enter_async_context(watch.running())
        yield watch


@asynccontextmanager
async def _watched_database(
    engine: AsyncEngine, settings: DatabaseSettings, watch: DependencyWatch
) -> AsyncGenerator[None]:
    """Watches PostgreSQL."""
    own = create_engine(engine.url, settings.model_copy(update={"pool_size": 1, "timeout": watch.policy.timeout}))
    probe = DatabaseProbe(engine=own, pool=engine, metrics=watch.metrics)
    watch.add(Dependency.POSTGRESQL, probe, needed=True)
    try:
        yield
    finally:
        await own.dispose()


def _watch_redis(link: RedisLink, watch: DependencyWatch) -> None:
    """Watches Redis."""

    async def probe(seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                # untyped by the library
                await link.client.ping()  # pyright: ignore[reportGeneralTypeIssues, reportUnknownMemberType]
        except (RedisError, OSError, TimeoutError) as error:
            raise CacheUnavailable(f"Redis cannot be reached ({failure_text(error)})") from None

    watch.add(Dependency.REDIS, probe, needed=False)


def _watch_model(base_url: str, watch: DependencyWatch) -> None:
    """Watches the model server."""
    probe = ModelProbe(base_url=base_url)
    made = watch.add(Dependency.MODEL, probe, needed=False)

    def note(answered: bool) -> None:
        probe.note(answered)
        if answered:
            made.state.answered()

    watch.metrics.models.watch = note


@asynccontextmanager
async def _watched_kafka(
    settings: Settings, publisher: KafkaPublisher, watch: DependencyWatch, *, reads: bool
) -> AsyncGenerator[None]:
    """Watches Kafka and its topics; `reads` says whether this process is a worker."""
    kafka = settings.kafka
    groups = kafka.groups
    observer = KafkaObserver(settings=kafka, groups=groups)
    needed = frozenset(groups) if reads else frozenset({kafka.topic_events})
    written = frozenset({*groups, kafka.topic_dead, kafka.topic_scores} - {""}) - needed
    probe = KafkaProbe(observer=observer, publisher=publisher, needed=needed, written=written, metrics=watch.metrics)
    watch.add(Dependency.KAFKA, probe, needed=True)
    try:
        yield
    finally:
        await observer.close()
