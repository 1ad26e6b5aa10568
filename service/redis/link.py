"""Redis, which holds nothing that cannot be had elsewhere: when it is down the service works on, slower or on less."""

from __future__ import annotations

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
from consumers.wire.texts import shorten
from service.logs import log
from service.settings.loading import SettingsError
from service.settings.storage_settings import RedisSettings

_CONNECTIONS = 32
"""Of one process, changes heard of included."""
_PATIENCE = 10
"""How many timeouts a wish waits for a free connection: a crowd of wishes says nothing of Redis."""


@dataclass(slots=True)
class Rest:
    """After a failure nothing is tried for `seconds`, so that a Redis which hangs costs one timeout and not one each.

    >>> rest = Rest(1.0)
    >>> rest.failed(10.0)
    True
    >>> rest.open(10.5), rest.open(11.5), rest.failed(11.5), rest.answered()
    (False, True, False, True)
    """

    seconds: float
    _until: float | None = None

    def open(self, now: float) -> bool:
        """Whether it may be tried."""
        return self._until is None or now >= self._until

    def failed(self, now: float) -> bool:
        """Notes a failure; true for the first since it last answered."""
        first = self._until is None
        self._until = now + self.seconds
        return first

    def answered(self) -> bool:
        """Notes an answer; true for the first since it last failed."""
        first = self._until is not None
        self._until = None
        return first


@dataclass(slots=True, kw_only=True)
class RedisLink:
    """A client, the prefix of all our names, and what is known of its health."""

    client: Redis
    prefix: str
    failed: Callable[[str], None] = lambda use: None
    """Counts a failure, by what Redis was wanted for."""
    timer: Callable[[], float] = time.monotonic
    rest: Rest = field(default_factory=lambda: Rest(1.0))

    def key(self, *parts: str) -> str:
        """A name of ours; a part may hold any text, and cannot be mistaken for another or for a pattern."""
        return ":".join((self.prefix, *(quote(part, safe="") for part in parts)))

    @contextmanager
    def use(self, what: str) -> Generator[Redis]:
        """The client, for `what`; whatever it does wrong is counted, logged once and raised as `CacheUnavailable`."""
        if not self.rest.open(self.timer()):
            self.failed(what)
            raise CacheUnavailable("Redis failed a moment ago and is left alone")
        try:
            yield self.client
        except (RedisError, OSError) as error:
            self._note_failure(what, error)
            raise CacheUnavailable(f"Redis does not answer ({shorten(str(error), 120)})") from error
        if self.rest.answered():
            log.info("redis_answers_again")

    def _note_failure(self, what: str, error: Exception) -> None:
        self.failed(what)
        if self.rest.failed(self.timer()):
            log.warning("redis_unavailable", use=what, error=shorten(str(error) or type(error).__name__, 200))


@asynccontextmanager
async def open_redis(
    settings: RedisSettings, failed: Callable[[str], None] = lambda use: None
) -> AsyncGenerator[RedisLink | None]:
    """A link to the Redis that is set, `None` where none is; nothing is connected before it is used.

    Raises `SettingsError` for a URL that is none.
    """
    if settings.url is None:
        yield None
        return
    client = _client(settings, settings.url.get_secret_value())
    try:
        yield RedisLink(client=client, prefix=settings.prefix, failed=failed)
    finally:
        await client.aclose()


def _client(settings: RedisSettings, url: str) -> Redis:
    try:
        # those who find no connection free wait for one: the plain pool would raise, as if Redis were down
        pool = BlockingConnectionPool.from_url(  # pyright: ignore[reportUnknownMemberType] untyped by the library
            url,
            max_connections=_CONNECTIONS,
            timeout=settings.timeout * _PATIENCE,
            socket_timeout=settings.timeout,
            socket_connect_timeout=settings.timeout,
            retry=Retry(NoBackoff(), 0),
            health_check_interval=30,
        )
        return Redis.from_pool(pool)
    except ValueError:
        # the message of the library may repeat the URL, which holds a password
        raise SettingsError("SQLASSAY_REDIS__URL is no Redis URL: write redis://[:password@]host:6379/0") from None
