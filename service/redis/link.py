"""The link to Redis. It holds only caches and shared budgets, so the service works on while it is down."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from urllib.parse import quote

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from consumers.errors import CacheUnavailable
from service.closed_transports import closed_as_reset
from service.failures import failure_text
from service.logs import log
from service.settings.loading import SettingsError
from service.settings.storage_settings import RedisSettings

_CONNECTIONS = 32
"""Most connections of one process, the subscription to rule changes included."""
_POOL_TIMEOUTS = 10
"""How many timeouts a command waits for a free connection: a busy pool does not mean that Redis is down."""


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
    """Opens a link to the configured Redis; `None` where none is configured. The first command connects.

    Raises `SettingsError` for an invalid URL.
    """
    if settings.url is None:
        yield None
        return
    client = _client(settings, settings.url.get_secret_value())
    try:
        yield RedisLink(client=client, prefix=settings.prefix, failed=failed)
    finally:
        await client.aclose()


_OPTION = (
    r"(?:db|username|password|protocol|client_name|socket_timeout|socket_connect_timeout|socket_keepalive"
    r"|retry_on_timeout|max_connections|health_check_interval|ssl_(?:cert_reqs|ca_certs|ca_path|ca_data|certfile|keyfile|check_hostname))=[^\s@#&]*"
)
_URL = re.compile(
    r"(?:rediss?://(?:[^\s/?#]*@)?(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])?(?::(?P<port>\d{1,5}))?(?:/\d{0,5})?|unix://[^\s?#]*)"
    rf"(?:\?{_OPTION}(?:&{_OPTION})*)?",
    re.ASCII,
)
"""A URL whose parts are where they belong. What is not may be a part of the password."""
_LAST_PORT = 65_535


def _client(settings: RedisSettings, url: str) -> Redis:
    try:
        found = _URL.fullmatch(url)
        if found is None or int(found["port"] or 0) > _LAST_PORT:
            raise ValueError("a part of the URL is not where it belongs")
        # the plain pool raises where no connection is free, as if Redis were down; this one waits
        pool = BlockingConnectionPool.from_url(  # pyright: ignore[reportUnknownMemberType] untyped by the library
            url,
            max_connections=_CONNECTIONS,
            timeout=settings.timeout * _POOL_TIMEOUTS,
            socket_timeout=settings.timeout,
            socket_connect_timeout=settings.timeout,
            retry=Retry(NoBackoff(), 0),
            health_check_interval=30,
        )
        return Redis.from_pool(pool)
    except ValueError:
        # the message of the library may repeat the URL, which holds a password
        raise SettingsError(
            "SQLASSAY_REDIS__URL is not a Redis URL: write redis://[:password@]host:6379/0, with / ? # and spaces of"
            " the password as %2F %3F %23 %20"
        ) from None
