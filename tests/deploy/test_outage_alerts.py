"""Real servers are killed one by one: a webhook gets the alert that names each and its end, and none that follows."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from tests.deploy.charts import ROOT, only, render
from tests.deploy.test_alerting import Webhook, started, webhook
from tests.servers.fixtures import found, make_topics, new_kafka
from tests.servers.install import ALERTMANAGER, PROMETHEUS
from tests.servers.kafka_server import KafkaServer
from tests.servers.postgres_server import PostgresServer
from tests.servers.processes import Server, free_port
from tests.servers.prometheus_server import AlertmanagerServer, PrometheusServer
from tests.servers.redis_server import RedisServer
from tests.waiting import WaitUntil

pytestmark = [pytest.mark.slow, pytest.mark.alone, pytest.mark.nightly]  # kills servers and waits for their alerts

__all__ = ["webhook"]
QUICK = {
    "down": "2s", "after": "20s", "hold": "12s", "absent": "20s", "short": "10s", "stuck": "10s",
    "groupStuck": "15s", "lag": 2, "commitFailures": 1, "storeFailures": 3,
    "restartWindow": "2m", "restarts": 4, "minShortCount": 1,
}  # fmt: skip
"""Conditions in seconds. What follows from a failure fires too, and must be silenced."""
TARGETS = ("api", "worker")


@dataclass
class Process:
    """`sqlassay serve` in one role, started and killed by the test."""

    role: str
    environment: Mapping[str, str]
    log: Path
    port: int = field(default_factory=free_port)
    child: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        others = {name: value for name, value in os.environ.items() if not name.startswith("SQLASSAY_")}
        own = {**others, **self.environment, "SQLASSAY_HTTP__PORT": str(self.port)}
        with self.log.open("ab") as log:
            self.child = subprocess.Popen(
                [sys.executable, "-m", "service", "serve", "--role", self.role],
                env=own, stdout=log, stderr=log, cwd=ROOT,
            )  # fmt: skip

    def kill(self) -> None:
        if self.child is not None:
            self.child.kill()
            self.child.wait()

    async def ready(self) -> bool:
        async with httpx.AsyncClient() as client:
            try:
                return (await client.get(f"http://{self.address}/readyz")).status_code == 200
            except httpx.TransportError:
                return False


@pytest.fixture
def environment(own_kafka: KafkaServer, own_postgres: PostgresServer, own_redis: RedisServer) -> dict[str, str]:
    kafka = new_kafka(own_kafka.bootstrap)
    asyncio.run(make_topics(kafka, partitions=2))
    return {
        "SQLASSAY_HTTP__WITHOUT_LOGIN": "on",
        "SQLASSAY_DATABASE__URL": own_postgres.url,
        "SQLASSAY_REDIS__URL": own_redis.url,
        "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS": kafka.bootstrap,
        "SQLASSAY_KAFKA__GROUP": kafka.group,
        "SQLASSAY_KAFKA__TIMEOUT": "3",
        "SQLASSAY_POOL__PROCESSES": "0",
        **{f"SQLASSAY_KAFKA__TOPIC_{each.upper()}": getattr(kafka, each) for each in _TOPICS},
    }


_TOPICS = ("events", "dead", "scores", "labels", "spans")


@pytest.fixture
def processes(environment: dict[str, str], tmp_path: Path) -> Iterator[dict[str, Process]]:
    made = {role: Process(role, environment, tmp_path / f"{role}.log") for role in TARGETS}
    yield made
    for each in made.values():
        each.kill()


def manager(home: Path, hook: Webhook) -> AlertmanagerServer:
    """Alertmanager with the inhibition rules of the example."""
    rules = yaml.safe_load((ROOT / "deploy" / "prometheus" / "alertmanager.yml").read_text())["inhibit_rules"]
    # long enough that the source of what follows is known when that fires
    route = {
        "receiver": "hook",
        "group_by": ["..."],
        "group_wait": "2s",
        "group_interval": "1s",
        "repeat_interval": "1h",
    }
    to = {"name": "hook", "webhook_configs": [{"url": f"http://127.0.0.1:{hook.port}/", "send_resolved": True}]}
    return AlertmanagerServer(home, {"route": route, "receivers": [to], "inhibit_rules": rules})


async def traffic(address: str) -> None:
    """An answer every half second, whether it is taken or not."""
    async with httpx.AsyncClient(base_url=f"http://{address}", timeout=10) as client:
        number = 0
        while True:
            number += 1
            answer = {"event_id": str(number), "question": "How many loaves?", "sql": "SELECT COUNT(*) FROM loaves"}
            with suppress(httpx.HTTPError):
                await client.post("/v1/events", json=answer)
            await asyncio.sleep(0.5)


@asynccontextmanager
async def monitored(
    processes: dict[str, Process], home: Path, hook: Webhook, kafka_topic: str, wait_until: WaitUntil
) -> AsyncIterator[PrometheusServer]:
    """Both roles under traffic, scraped and alerted on."""
    values: dict[str, Any] = {
        "alerts": {"enabled": True, "conditions": {**QUICK, "job": "sqlassay"}},
        "kafka": {"topic": kafka_topic},
        "api": {"replicas": 1},
        "worker": {"replicas": 1},
    }
    rules = yaml.safe_dump(only(render(values), "PrometheusRule")["spec"])
    async with AsyncExitStack() as stack:
        for each in processes.values():
            each.start()
            await wait_until(each.ready)
        sending = asyncio.create_task(traffic(processes["api"].address))
        stack.callback(sending.cancel)
        alertmanager = manager(home / "alertmanager", hook)
        await stack.enter_async_context(started(alertmanager))
        prometheus = PrometheusServer(
            home / "prometheus",
            targets=[processes[role].address for role in TARGETS],
            components=TARGETS,
            rules=rules,
            alertmanager=alertmanager.port,
        )
        await stack.enter_async_context(started(prometheus))
        yield prometheus


async def test_on_call_gets_the_server_that_is_down_and_not_what_follows(
    environment: dict[str, str],
    processes: dict[str, Process],
    own_kafka: KafkaServer,
    own_postgres: PostgresServer,
    own_redis: RedisServer,
    webhook: Webhook,
    tmp_path: Path,
    wait_until: WaitUntil,
):
    found(PROMETHEUS)
    found(ALERTMANAGER)
    killed: list[tuple[str, Server | Process, set[str]]] = [
        ("SQLAssayRedisDown", own_redis, set()),
        ("SQLAssayPostgresDown", own_postgres, {"SQLAssayScoresAbsent"}),
        ("SQLAssayWorkersAbsent", processes["worker"], {"SQLAssayDown"}),
        ("SQLAssayKafkaDown", own_kafka, {"SQLAssayApiFailing"}),
    ]
    topic = environment["SQLASSAY_KAFKA__TOPIC_EVENTS"]
    async with monitored(processes, tmp_path, webhook, topic, wait_until) as prometheus:

        async def firing() -> set[str]:
            return {each["metric"]["alertname"] for each in await prometheus.ask('ALERTS{alertstate="firing"}')}

        async def quiet() -> bool:
            return not await firing()

        async def scoring() -> bool:
            return bool(await prometheus.ask('sum(increase(sqlassay_outcomes_total{outcome="scored"}[5s])) > 0'))

        for alert, server, followers in killed:
            await wait_until(scoring)
            await wait_until(quiet)
            webhook.alerts.clear()
            await asyncio.to_thread(server.kill)

            async def sent(alert: str = alert, followers: set[str] = followers) -> bool:
                return bool(webhook.seen(alert, "firing")) and {alert, *followers} <= await firing()

            await wait_until(sent)
            await asyncio.to_thread(server.start)

            async def ended(alert: str = alert) -> bool:
                return bool(webhook.seen(alert, "resolved"))

            await wait_until(ended)
            assert {each["labels"]["alertname"] for each in webhook.alerts if each["status"] == "firing"} == {alert}
