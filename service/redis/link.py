"""The link to Redis. It holds only caches and shared budgets, so the service works on while it is down."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from urllib.parse import quote

from redis.asyncio import Redis
from redis.exceptions import RedisError

from consumers.errors import CacheUnavailable
from service.closed_transports import closed_as_reset
from service.failures import failure_text
from service.logs import log
from service.redis.addresses import check_options, close_client, redis_client, refuse_cluster
from service.settings.storage_settings import RedisSettings


@dataclass(slots=True)
class CoolDown:
    """After a failure nothing is tried for `seconds`, so a Redis that hangs costs one timeout and not one per command.

    >>> cool_down = CoolDown(1.0)
    >>> cool_down.failed(10.0)
    True
    >>> cool_down.is_over(10.5), cool_down.is_over(11.5), cool_down.failed(11.5), cool_down.answered()
    (False, True, False, True)
    """

    seconds: float
    _until: float | None = None

    def is_over(self, now: float) -> bool:
        """Whether Redis may be tried."""
        return self._until is None or now >= self._until

    def failed(self, now: float) -> bool:
        """Starts the cool-down; returns whether this is the first failure since the last answer."""
        first = self._until is None
        self._until = now + self.seconds
        return first

    def answered(self) -> bool:
        """Ends the cool-down; returns whether this is the first answer since the last failure."""
        first = self._until is not None
        self._until = None
        return first


@dataclass(slots=True, kw_only=True)
class RedisLink:
    """A Redis client with the prefix of all keys and the cool-down after a failure."""

    client: Redis
    prefix: str
    failed: Callable[[str], None] = lambda use: None
    """Counts a failure by what Redis was used for."""
    timer: Callable[[], float] = time.monotonic
    cool_down: CoolDown = field(default_factory=lambda: CoolDown(1.0))

    def key(self, *parts: str) -> str:
        """A key of these parts. Each part is quoted, so different parts never make the same key or a pattern."""
        return ":".join((self.prefix, *(quote(part, safe="") for part in parts)))

    @contextmanager
    def use(self, what: str) -> Generator[Redis]:
        """Lends the client. A failure is counted under `what`, logged once and raised as `CacheUnavailable`."""
        if not self.cool_down.is_over(self.timer()):
            self.failed(what)
            raise CacheUnavailable("Redis failed a moment ago and is cooling down")
        try:
            with closed_as_reset():
                yield self.client
        except (RedisError, OSError) as error:
            self._note_failure(what, error)
            raise CacheUnavailable(f"Redis does not answer ({failure_text(error)})") from None
        if self.cool_down.answered():
            log.info("redis_recovered")

    def _note_failure(self, what: str, error: Exception) -> None:
        self.failed(what)
        if self.cool_down.failed(self.timer()):
            log.warning("redis_unavailable", use=what, error=failure_text(error))


@asynccontextmanager
async def open_redis(
    settings: RedisSettings, failed: Callable[[str], None] = lambda use: None
) -> AsyncGenerator[RedisLink | None]:
    """Opens a link to the configured Redis; `None` where none is configured. One that is down may come later.

    Raises `SettingsError` for an invalid URL or option, and for a cluster of several shards.
    """
    if settings.url is None:
        yield None
        return
    client = redis_client(settings, settings.url.get_secret_value())
    try:
        check_options(client)
        await refuse_cluster(client)
        yield RedisLink(client=client, prefix=settings.prefix, failed=failed)
    finally:
        await close_client(client)
