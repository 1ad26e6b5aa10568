"""An api that starts while Kafka is away: it answers, says what is missing, and goes on once Kafka is there."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import URL

from service.serving import ProcessRole
from tests.servers.fixtures import available, make_topics, new_kafka
from tests.servers.kafka_server import KafkaServer
from tests.servers.sessions import own_server
from tests.service.test_kafka import SAMPLE, Bench
from tests.waiting import WaitUntil

pytestmark = pytest.mark.slow  # starts a broker of its own


async def test_an_api_starts_without_kafka_and_recovers(database: URL, wait_until: WaitUntil):
    with available(own_server(KafkaServer)) as server:
        kafka = new_kafka(server.bootstrap)
        await make_topics(kafka)
        await asyncio.to_thread(server.kill)
        bench = Bench(database, kafka)
        async with bench.serving(ProcessRole.API, timeout=2) as api:
            assert (await api.get("/healthz")).status_code == 200

            async def unready() -> bool:
                return (await api.get("/readyz")).status_code == 503

            await wait_until(unready)
            said = (await api.get("/readyz")).json()["error"]["message"]
            assert said.startswith("kafka: Kafka cannot be reached")
            assert (await api.get("/readyz", params={"without": "kafka"})).status_code == 200
            assert (await api.get("/v1/evaluations")).status_code == 200
            refused = await api.post("/v1/events", json=SAMPLE)
            assert (refused.status_code, "Kafka cannot be reached" in refused.text) == (503, True)
            await asyncio.to_thread(server.start)

            async def ready() -> bool:
                return (await api.get("/readyz")).status_code == 200

            await wait_until(ready)

            async def accepted() -> bool:
                return (await api.post("/v1/events", json=SAMPLE)).status_code == 202

            await wait_until(accepted)
        assert len(await bench.read(kafka.events)) == 1


async def test_an_api_ends_while_kafka_is_still_away(database: URL):
    kafka = new_kafka("127.0.0.1:1")
    async with Bench(database, kafka).serving(ProcessRole.API, timeout=2) as api:
        assert (await api.get("/healthz")).status_code == 200
