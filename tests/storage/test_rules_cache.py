"""Rules through a real Redis: one lookup per batch, prompt changes, and no outage when Redis is down."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest
from pydantic import SecretStr
from sqlalchemy import text

from consumers.errors import RulesUnavailable
from consumers.wire.rules_document import RulesDocument
from scoring.rules import Rules
from service.redis.link import open_redis
from service.redis.rule_cache import RedisRules
from service.settings.storage_settings import DatabaseSettings, RedisSettings
from service.storage.database import create_engine
from service.storage.rule_store import PostgresRules

pytestmark = pytest.mark.slow  # waits for caches to expire and for Redis to come back


@pytest.fixture
async def source(engine):
    """Opens rule sources as processes of their own would have them."""
    async with AsyncExitStack() as stack:

        async def opened(url: str, prefix: str = "test", *, listening: bool = True, on=engine, **given) -> RedisRules:
            failures: list[str] = []
            settings = RedisSettings(url=SecretStr(url), prefix=prefix, timeout=0.3)
            link = await stack.enter_async_context(open_redis(settings, failures.append))
            assert link is not None
            rules = RedisRules(link=link, stored=PostgresRules(on), **given)
            if listening:
                await stack.enter_async_context(rules.listening())
            return rules

        yield opened


async def lambda_min(rules: RedisRules, tenant: str = "bakers") -> int:
    return (await rules.rules([tenant]))[tenant].lambda_min


async def test_a_change_applies_at_once_where_it_was_made_and_soon_elsewhere(source, redis, wait_until):
    here, there = await source(redis.url, redis.prefix), await source(redis.url, redis.prefix)
    assert await here.rules(["bakers", "nobody"]) == {"bakers": Rules(), "nobody": Rules()}
    for number in (10, 20, 30):
        await here.put("bakers", RulesDocument(lambda_min=number))
        assert await lambda_min(here) == number

        async def heard(number=number) -> bool:
            return await lambda_min(there) == number

        await wait_until(heard)
    assert (await here.current("bakers")).version == 3


async def test_a_process_without_messages_trusts_redis_and_after_the_ttl_postgres(source, redis, engine):
    now = [0.0]
    deaf = await source(redis.url, redis.prefix, listening=False, timer=lambda: now[0])
    await deaf.put("bakers", RulesDocument(lambda_min=10))
    await PostgresRules(engine).put("bakers", RulesDocument(lambda_min=20))
    assert await lambda_min(deaf) == 10
    await deaf.link.client.delete(deaf.link.key("rules", "bakers"))
    now[0] += 31
    assert await lambda_min(deaf) == 20


async def test_a_late_reader_cannot_put_an_old_version_back(source, redis):
    rules = await source(redis.url, redis.prefix)
    await rules.put("bakers", RulesDocument(lambda_min=10))
    await rules.put("bakers", RulesDocument(lambda_min=20))
    await rules._share({"bakers": 1})
    other = await source(redis.url, redis.prefix, listening=False)
    assert await lambda_min(other) == 20


async def test_a_database_restored_to_an_older_state_applies_within_the_ttl(source, redis, engine):
    now = [0.0]
    rules = await source(redis.url, redis.prefix, timer=lambda: now[0])
    for number in (10, 20, 30):
        await rules.put("bakers", RulesDocument(lambda_min=number))
        assert await lambda_min(rules) == number
    async with engine.begin() as connection:
        await connection.execute(text("DELETE FROM tenant_rules WHERE version > 1"))
    # as after half the ttl in Redis and half of it here
    await rules.link.client.delete(rules.link.key("rules", "bakers"))
    now[0] += 16
    assert await lambda_min(rules) == 10
    await PostgresRules(engine).put("bakers", RulesDocument(lambda_min=77))
    await rules.link.client.delete(rules.link.key("rules", "bakers"))
    now[0] += 16
    assert await lambda_min(rules) == 77


async def test_without_redis_a_restored_database_applies_at_once(engine):
    rules = PostgresRules(engine)
    for number in (10, 20):
        await rules.put("bakers", RulesDocument(lambda_min=number))
        assert (await rules.rules(["bakers"]))["bakers"].lambda_min == number
    async with engine.begin() as connection:
        await connection.execute(text("DELETE FROM tenant_rules WHERE version > 1"))
    assert (await rules.rules(["bakers"]))["bakers"].lambda_min == 10
    await PostgresRules(engine).put("bakers", RulesDocument(lambda_min=77))
    assert (await rules.rules(["bakers"]))["bakers"].lambda_min == 77


async def test_a_cached_value_that_is_not_a_version_is_ignored(source, redis):
    rules = await source(redis.url, redis.prefix, listening=False)
    await rules.link.client.set(rules.link.key("rules", "bakers"), "soon")
    assert await lambda_min(rules) == Rules().lambda_min


@pytest.mark.parametrize("fault", ["kill", "freeze"])
async def test_with_redis_down_rules_come_from_postgres_and_a_failure_is_counted(source, own_redis, engine, fault):
    failures: list[str] = []
    rules = await source(own_redis.url)
    rules.link.failed = failures.append
    await rules.put("bakers", RulesDocument(lambda_min=10))
    getattr(own_redis, fault)()
    await rules.put("bakers", RulesDocument(lambda_min=20))
    assert await lambda_min(rules) == 20
    assert set(failures) == {"rules"}


@pytest.mark.slow  # takes over a second
async def test_messages_of_changes_arrive_again_after_redis_recovers(source, own_redis, wait_until):
    here, there = await source(own_redis.url), await source(own_redis.url)
    await here.put("bakers", RulesDocument(lambda_min=10))
    own_redis.kill()
    own_redis.start()

    async def heard() -> bool:
        await here.put("bakers", RulesDocument(lambda_min=77))
        return await lambda_min(there) == 77 and there._listening

    await wait_until(heard)


async def test_with_everything_down_the_last_known_rules_apply(source, redis, server, bare_url):
    nowhere = create_engine(bare_url.set(port=1), DatabaseSettings())
    told: list[float] = []
    rules = await source(redis.url, redis.prefix, on=nowhere, listening=False, aged=told.append)
    with pytest.raises(RulesUnavailable):
        await rules.rules(["bakers"])
    assert told == []
    rules._last["bakers"] = Rules(lambda_min=5)
    assert await rules.rules(["bakers", "nobody"]) == {"bakers": Rules(lambda_min=5)}
    assert len(told) == 1
    assert told[0] > 0
    await nowhere.dispose()


async def test_the_keys_hold_no_text_and_expire(source, redis):
    rules = await source(redis.url, redis.prefix)
    await rules.put("bakers: *", RulesDocument(benign_filters=["secret = 1"]))
    client = rules.link.client
    keys = [key async for key in client.scan_iter(match=f"{redis.prefix}:*")]
    assert keys == [f"{redis.prefix}:rules:bakers%3A%20%2A".encode()]
    assert await client.get(keys[0]) == b"1"
    assert 0 < await client.ttl(keys[0]) <= 15
