"""Redis with TLS, behind sentinels and as a cluster."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from pydantic import SecretStr
from redis.asyncio import Redis

from consumers.errors import CacheUnavailable
from service.redis.link import RedisLink, open_redis
from service.settings.loading import SettingsError
from service.settings.storage_settings import RedisSettings
from tests.servers.certificates import write_certificate
from tests.servers.fixtures import available
from tests.servers.redis_server import RedisServer
from tests.servers.secure_redis import (
    PRIMARY,
    FollowingRedis,
    SecureRedis,
    SentinelServer,
    redis_cluster,
)
from tests.servers.sessions import own_server
from tests.waiting import WaitUntil

pytestmark = pytest.mark.slow  # starts servers of its own


def redis_at(url: str, *, timeout: float = 2) -> RedisSettings:
    return RedisSettings(url=SecretStr(url), timeout=timeout)


async def counted(link: RedisLink | None, times: int = 1) -> int:
    assert link is not None

    async def count() -> int:
        with link.use("test") as client:
            return int(await client.incrby(link.key("count"), 1))

    return max(await asyncio.gather(*(count() for _ in range(times))))


@pytest.fixture(scope="module")
def secure() -> Iterator[SecureRedis]:
    with available(own_server(SecureRedis)) as server:
        yield server


def secure_url(server: SecureRedis, authority: str) -> str:
    files = f"ssl_ca_certs={authority}&ssl_certfile={server.home}/user.crt&ssl_keyfile={server.home}/user.key"
    return f"rediss://:quartz@127.0.0.1:{server.port}/0?{files}"


async def test_tls_with_a_private_ca_and_a_client_certificate(secure: SecureRedis):
    # nine handshakes at once, beside other tests
    async with open_redis(redis_at(secure_url(secure, f"{secure.home}/ca.crt"), timeout=20)) as link:
        assert await counted(link, times=9) == 9


async def test_a_server_of_another_ca_is_refused_with_the_reason(secure: SecureRedis):
    write_certificate(secure.home, "other")
    async with open_redis(redis_at(secure_url(secure, f"{secure.home}/other.crt"), timeout=20)) as link:
        with pytest.raises(CacheUnavailable, match="its certificate is refused"):
            await counted(link)


async def test_sentinels_name_the_primary_and_the_next_one(wait_until: WaitUntil):
    with available(own_server(RedisServer)) as primary:
        follower = partial(FollowingRedis, primary=primary)
        with own_server(follower), own_server(partial(SentinelServer, primary=primary)) as sentinel:
            url = f"redis+sentinel://127.0.0.1:{sentinel.port}/{PRIMARY}/0"
            async with open_redis(redis_at(url)) as link:
                assert await counted(link, times=100) == 100
                await asyncio.sleep(2)
                await asyncio.to_thread(primary.kill)

                async def answers() -> bool:
                    try:
                        return await counted(link) > 100
                    except CacheUnavailable:
                        return False

                await wait_until(answers)


@pytest.mark.parametrize("shards", [1, 3])
async def test_a_cluster_works_with_one_shard_and_is_refused_with_more(shards: int):
    with available(redis_cluster(shards)) as url:
        if shards == 1:
            async with open_redis(redis_at(url)) as link:
                assert await counted(link) == 1
            return
        with pytest.raises(SettingsError, match="a cluster of 3 shards"):
            async with open_redis(redis_at(url)):
                pass


async def test_a_user_needs_the_rights_that_the_page_names(own_redis: RedisServer):
    page = (Path(__file__).parents[2] / "docs" / "connections.md").read_text(encoding="utf-8")
    keys, channels, commands = re.findall(r"`(~PREFIX:\*)`, `(&PREFIX:\*)` and\s`(\+@[^`]+)`", page)[0]
    rights = [each.replace("PREFIX", "sqlassay") for each in (keys, channels, *commands.split())]
    async with Redis.from_url(own_redis.url) as admin:
        await admin.execute_command("ACL", "SETUSER", "assay", "on", ">quartz", *rights)
    url = own_redis.url.replace("redis://", "redis://assay:quartz@")
    async with open_redis(redis_at(url)) as link:
        assert await counted(link) == 1
        assert link is not None
        key, channel = link.key("rules", "acme"), link.key("rules-changed")
        with link.use("test") as client:
            await client.ping()
            await client.set(key, "1", ex=60)
            assert await client.mget([key]) == [b"1"]
            assert await client.eval("return redis.call('GET', KEYS[1])", 1, key) == b"1"
            async with client.pubsub() as subscription:
                await subscription.subscribe(channel)
                await client.publish(channel, "acme")
            assert [each async for each in client.scan_iter(match="sqlassay:rules:*")] == [key.encode()]
            assert await client.delete(key) == 1
