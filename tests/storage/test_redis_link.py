"""The link to Redis under more concurrent commands than it has connections."""

from __future__ import annotations

import asyncio

from pydantic import SecretStr

from service.redis.link import open_redis
from service.settings.storage_settings import RedisSettings
from tests.servers.fixtures import RedisSpace


async def test_commands_beyond_the_connections_wait_and_do_not_count_as_failures(redis: RedisSpace):
    failures: list[str] = []
    settings = RedisSettings(url=SecretStr(redis.url), prefix=redis.prefix, timeout=20)
    async with open_redis(settings, failures.append) as link:
        assert link is not None

        async def command(number: int) -> int:
            with link.use("test") as client:
                return int(await client.incrby(link.key("commands"), number))

        await asyncio.gather(*(command(1) for _ in range(400)))
        assert await command(0) == 400
    assert failures == []
