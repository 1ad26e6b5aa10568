"""Reads the URL of Redis, and makes a client of it: of one server, or of the primary that sentinels name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.connection import SSLConnection, parse_url
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel, SentinelConnectionPool
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from service.settings.loading import SettingsError
from service.settings.storage_settings import RedisSettings

_CONNECTIONS = 32
"""Most connections of one process, the subscription to rule changes included."""
_POOL_TIMEOUTS = 10
"""How many timeouts a command waits for a free connection: a busy pool does not mean that Redis is down."""
_OPTION = (
    r"(?:db|username|password|protocol|client_name|socket_timeout|socket_connect_timeout|socket_keepalive"
    r"|retry_on_timeout|max_connections|health_check_interval|sentinel_username|sentinel_password"
    r"|ssl_(?:cert_reqs|ca_certs|ca_path|ca_data|certfile|keyfile|check_hostname))=[^\s@#&]*"
)
_HOST = r"(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?"
_URL = re.compile(
    rf"""(?:rediss?://(?:[^\s/?#]*@)?(?:{_HOST}|:\d{{1,5}})?(?:/\d{{0,5}})?
        |(?P<scheme>rediss?)\+sentinel://(?P<user>[^\s/?\#]*@)?(?P<sentinels>{_HOST}(?:,{_HOST})*)
          /(?P<primary>[\w.-]+)(?P<database>/\d{{0,5}})?
        |unix://[^\s?\#]*)
        (?P<options>\?{_OPTION}(?:&{_OPTION})*)?""",
    re.VERBOSE | re.ASCII,
)
"""A URL whose parts are where they belong. What is not may be a part of the password."""
_PORT = re.compile(r":(\d{1,5})(?=[/?,]|$)")
_LAST_PORT = 65_535
_SENTINEL_PORT = 26_379


class _BlockingSentinelPool(SentinelConnectionPool, BlockingConnectionPool):
    """Waits for a free connection to the primary."""


def redis_client(settings: RedisSettings, url: str) -> Redis:
    """A client that connects with its first command; raises `SettingsError` for an invalid URL, without the URL."""
    # the plain pool raises where no connection is free, as if Redis were down; this one waits
    bounds: dict[str, Any] = {"max_connections": _CONNECTIONS, "timeout": settings.timeout * _POOL_TIMEOUTS}
    waits: dict[str, Any] = {"socket_timeout": settings.timeout, "socket_connect_timeout": settings.timeout}
    given = {**waits, "retry": Retry(NoBackoff(), 0), "health_check_interval": 30}
    try:
        found = _URL.fullmatch(url)
        if found is None or any(int(port) > _LAST_PORT for port in _PORT.findall(url.rpartition("@")[2])):
            raise ValueError("a part of the URL is not where it belongs")
        if found["sentinels"] is None:
            return Redis.from_pool(BlockingConnectionPool.from_url(url, **bounds, **given))  # pyright: ignore[reportUnknownMemberType] untyped by the library
        return _primary(found, {**given, **bounds}, waits)
    except ValueError:
        # the message of the library may repeat the URL, which holds a password
        raise SettingsError(
            "SQLASSAY_REDIS__URL is not a Redis URL: write redis://[:password@]host:6379/0, rediss:// for TLS, or"
            " redis+sentinel://[:password@]host1:26379,host2:26379/primary/0, with / ? # and spaces of the password as"
            " %2F %3F %23 %20"
        ) from None


def check_options(client: Redis) -> None:
    """Raises `SettingsError` for options of which no connection can be made, as if Redis were down."""
    pool: Any = client.connection_pool
    try:
        connection = pool.make_connection()
        if isinstance(connection, SSLConnection):
            connection.ssl_context.get()  # pyright: ignore[reportUnknownMemberType] untyped by the library
    except OSError as error:
        raise SettingsError(f"a TLS file that SQLASSAY_REDIS__URL names cannot be read: {error}") from None
    except (RedisError, ValueError) as error:
        raise SettingsError(f"an option of SQLASSAY_REDIS__URL has a value that is not possible: {error}") from None


def _primary(found: re.Match[str], given: dict[str, Any], waits: dict[str, Any]) -> Redis:
    plain = f"{found['scheme']}://{found['user'] or ''}host{found['database'] or ''}{found['options'] or ''}"
    parsed: dict[str, Any] = dict(parse_url(plain))
    del parsed["host"]
    secure = {name: value for name, value in parsed.items() if name.startswith("ssl_")}
    if parsed.pop("connection_class", None) is not None:
        secure["ssl"] = True
    names = {name: parsed.pop(f"sentinel_{name}", None) for name in ("username", "password")}
    sentinel: Any = Sentinel(list(_hosts(found["sentinels"])), sentinel_kwargs={**waits, **secure, **names})
    return sentinel.master_for(
        found["primary"], connection_pool_class=_BlockingSentinelPool, **{**parsed, **secure, **given}
    )


def _hosts(text: str) -> Iterator[tuple[str, int]]:
    for each in text.split(","):
        host, _, port = each.rpartition(":") if re.search(r":\d+$", each) else (each, "", "")
        yield host.strip("[]"), int(port or _SENTINEL_PORT)


async def close_client(client: Redis) -> None:
    """Closes its connections, those to sentinels too."""
    await client.aclose()
    pool: Any = client.connection_pool
    if isinstance(pool, _BlockingSentinelPool):
        sentinel: Any = pool.sentinel_manager  # pyright: ignore[reportUnknownMemberType] untyped by the library
        for each in sentinel.sentinels:
            await each.aclose()


async def refuse_cluster(client: Redis) -> None:
    """Raises `SettingsError` where Redis is a cluster that spreads keys over several shards.

    A Redis that does not answer, or may not be asked, is no cluster as far as is known.
    """
    shards = 0
    with suppress(RedisError, OSError, ValueError):
        untyped: Any = client
        # a text or a dictionary, by the version of the protocol
        said = await untyped.execute_command("CLUSTER INFO")
        found = re.search(r"cluster_size\W+(\d+)", str(said))
        shards = int(found[1]) if found else 0
    if shards > 1:
        raise SettingsError(
            f"SQLASSAY_REDIS__URL names a cluster of {shards} shards, and all keys must be in one place: name a Redis"
            " without cluster mode, a cluster of one shard, or sentinels"
        )
