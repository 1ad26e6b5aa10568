"""Real servers from events to a webhook, and every panel's query on a real Prometheus."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
import yaml
from prometheus_client import start_http_server
from sqlalchemy import URL

from consumers.errors import StoreUnavailable
from consumers.evaluation.event_evaluation import evaluate
from consumers.evaluation.outcomes import Outcome, OutcomeKind
from consumers.judging.breaker import BreakerState
from consumers.judging.budgets import Bound
from consumers.stream.ports import Partition
from consumers.wire.events import decode_event
from grafana.build import boards
from scoring.query import Unscored, UnscoredReason
from scoring.rules import Rules
from scoring.verdict import Verdict
from service.metrics import Metrics
from service.settings.observability_settings import MetricSettings
from tests.deploy.charts import ROOT, only, render
from tests.servers.fixtures import Kafka, RedisSpace, found
from tests.servers.install import ALERTMANAGER, PROMETHEUS
from tests.servers.processes import Server, free_port
from tests.servers.prometheus_server import AlertmanagerServer, PrometheusServer
from tests.waiting import WaitUntil

pytestmark = [pytest.mark.slow, pytest.mark.alone]  # waits for Prometheus and Alertmanager

FAST_FORWARD = {
    "long": "20s", "short": "8s", "hold": "4s", "establishAfter": "3s", "minCount": 10, "minShortCount": 2,
    "absent": "30s", "stuck": "60s", "age": 60, "job": "sqlassay",
}  # fmt: skip
"""Conditions in seconds instead of minutes and hours."""
GOOD = "SELECT COUNT(*) FROM loaves WHERE bakery = 'Crumb {n}'"
BAD = "SELECT MAX(price) FROM ovens"


@dataclass
class Webhook:
    """The alerts that Alertmanager sent."""

    alerts: list[dict[str, Any]] = field(default_factory=list)
    port: int = field(default_factory=free_port)

    def seen(self, name: str, status: str) -> list[dict[str, Any]]:
        return [each for each in self.alerts if each["labels"]["alertname"] == name and each["status"] == status]


@pytest.fixture
def webhook() -> Iterator[Webhook]:
    hook = Webhook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            hook.alerts += json.loads(self.rfile.read(int(self.headers["Content-Length"])))["alerts"]
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", hook.port), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield hook
    server.shutdown()


@asynccontextmanager
async def started(server: Server) -> AsyncIterator[Server]:
    await asyncio.to_thread(server.start)
    try:
        yield server
    finally:
        await asyncio.to_thread(server.stop)


@asynccontextmanager
async def service(database: URL, kafka: Kafka, redis: RedisSpace, log: Path) -> AsyncIterator[str]:
    """Runs a service on real servers and yields its address."""
    port = free_port()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("SQLASSAY_")},
        "SQLASSAY_HTTP__WITHOUT_LOGIN": "on",
        "SQLASSAY_DATABASE__URL": database.render_as_string(hide_password=False),
        "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS": kafka.bootstrap,
        "SQLASSAY_KAFKA__GROUP": kafka.group,
        "SQLASSAY_KAFKA__TOPIC_EVENTS": kafka.events,
        "SQLASSAY_KAFKA__TOPIC_DEAD": kafka.dead,
        "SQLASSAY_KAFKA__TOPIC_SCORES": kafka.scores,
        "SQLASSAY_KAFKA__TOPIC_LABELS": kafka.labels,
        "SQLASSAY_KAFKA__TOPIC_FEEDBACK": kafka.feedback,
        "SQLASSAY_REDIS__URL": redis.url,
        "SQLASSAY_REDIS__PREFIX": redis.prefix,
        "SQLASSAY_HTTP__PORT": str(port),
        "SQLASSAY_ALARMS__EVERY": "1",
        "SQLASSAY_ALARMS__SETTLE": "2",
    }
    with log.open("wb") as output:
        child = subprocess.Popen(  # noqa: ASYNC220 starting takes no time
            [sys.executable, "-m", "service", "serve"], env=environment, stderr=output, stdout=output, cwd=ROOT
        )
        try:
            yield f"127.0.0.1:{port}"
        finally:
            child.terminate()
            await asyncio.to_thread(child.wait)


@dataclass
class Traffic:
    """Publishes a few answers every half second: good ones, or bad ones when `good` is off."""

    address: str
    good: bool = True
    sent: int = 0

    async def run(self) -> None:
        async with httpx.AsyncClient(base_url=f"http://{self.address}", timeout=30) as client:
            while True:
                batch = [self._event(n) for n in range(self.sent, self.sent + 5)]
                self.sent += len(batch)
                (await client.post("/v1/events", json=batch)).raise_for_status()
                await asyncio.sleep(0.5)

    def _event(self, number: int) -> dict[str, Any]:
        return {
            "event_id": f"loaf-{number}",
            "tenant": "bakers",
            "agent": "crumb",
            "question": f"How many loaves did the bakery 'Crumb {number}' bake?",
            "enriched_question": f"How many loaves did the bakery 'Crumb {number}' bake (bakery refers to bakery)?",
            "sql": GOOD.format(n=number) if self.good else BAD,
        }


async def test_an_agent_that_becomes_worse_pages_until_it_is_as_before_and_every_panel_has_data(
    database: URL, kafka: Kafka, redis: RedisSpace, webhook: Webhook, tmp_path: Path, wait_until: WaitUntil
):
    found(PROMETHEUS)
    found(ALERTMANAGER)
    one_process = {"api": {"replicas": 1}, "worker": {"replicas": 1}}
    values = {"alerts": {"enabled": True, "conditions": FAST_FORWARD}, **one_process}
    spec = only(render(values), "PrometheusRule")["spec"]
    route = {"receiver": "hook", "group_wait": "0s", "group_interval": "1s", "repeat_interval": "1h"}
    hook = {"name": "hook", "webhook_configs": [{"url": f"http://127.0.0.1:{webhook.port}/", "send_resolved": True}]}
    async with AsyncExitStack() as stack:
        address = await stack.enter_async_context(service(database, kafka, redis, tmp_path / "service.log"))
        manager = AlertmanagerServer(tmp_path / "alertmanager", {"route": route, "receivers": [hook]})
        await stack.enter_async_context(started(manager))
        prometheus = PrometheusServer(
            tmp_path / "prometheus", targets=[address], rules=yaml.safe_dump(spec), alertmanager=manager.port
        )

        async def ready() -> bool:
            async with httpx.AsyncClient() as client:
                try:
                    return (await client.get(f"http://{address}/readyz")).status_code == 200
                except httpx.TransportError:
                    return False

        async def gives(query: str) -> bool:
            return bool(await prometheus.ask(query))

        async def scores() -> bool:
            async with httpx.AsyncClient() as client:
                return "sqlassay_score_count{" in (await client.get(f"http://{address}/metrics")).text

        await wait_until(ready)
        traffic = Traffic(address)
        publishing = asyncio.create_task(traffic.run())
        stack.callback(publishing.cancel)
        # with conditions in seconds, a worker that is still starting would count as stuck
        await wait_until(scores)
        await stack.enter_async_context(started(prometheus))
        await wait_until(
            lambda: gives("sqlassay:established and on (tenant, agent) sqlassay_agent_alarm_answers > 100")
        )
        assert {each["labels"]["alertname"] for each in webhook.alerts if each["labels"]["severity"] != "info"} <= SHORT

        traffic.good = False
        await wait_until(lambda: _true(webhook.seen("SQLAssayAgentAlarm", "firing")))
        alert = webhook.seen("SQLAssayAgentAlarm", "firing")[0]
        assert {"tenant": "bakers", "agent": "crumb", "severity": "page"}.items() <= alert["labels"].items()
        # by figures until the service has opened the incident, which tells more; no day is surely worse after a minute
        openings = ("crumb of bakers: its ", "crumb of bakers became worse: ", "crumb of bakers answers badly: ")
        assert alert["annotations"]["summary"].startswith(openings)

        traffic.good = True
        await wait_until(lambda: _true(webhook.seen("SQLAssayAgentAlarm", "resolved")))
        others = {each["labels"]["alertname"] for each in webhook.alerts} - {"SQLAssayAgentAlarm"}
        assert others - SHORT <= {"SQLAssayJudgedWrongHigh"}  # about the same answers, and a ticket
        empty = [title for title, query in panel_queries() if not await gives(query)]
        assert set(empty) <= ABSENT | UNLABELLED | {PRICED, FALL}, set(empty) - ABSENT - UNLABELLED


FALL = "Judged wrong before and since a fall: {{tenant}} / {{agent}} {{version}}, {{when}} {{since}}"
"""A panel without data once the agent is as before."""
SHORT = {"SQLAssayConsumerStuck"}
"""Alerts that a pause of two seconds gives, where conditions of minutes last seconds."""


async def _true(seen: Sequence[object]) -> bool:
    return bool(seen)


def panel_queries() -> Iterator[tuple[str, str]]:
    """Every panel's query as Grafana sends it."""
    for text in boards().values():
        for panel in json.loads(text)["panels"]:
            for target in panel.get("targets", []):
                query = target["expr"].replace("$__rate_interval", "30s").replace("$__range", "5m")
                yield (
                    f"{panel['title']}: {target['legendFormat']}",
                    query.replace("$tenant", ".*").replace("$agent", ".*"),
                )


_UNLABELLED = {f"Right by labels and scores: {{{{tenant}}}} / {{{{agent}}}}{bound}" for bound in ("", " low", " high")}
UNLABELLED = _UNLABELLED | {"Canaries right by agent: {{tenant}} / {{agent}}"}
"""Panels without data while nothing is labelled and no canary is asked."""
PRICED = "Money for 1,000 scored answers: {{currency}}"
"""The panel without data while no model is asked that needs scored answers too."""
ABSENT = {
    "Records by reason of no score: {{outcome}} {{reason}}",
    "Events without a score, by reason: {{reason}}",
    "Failed calls by dependency: {{dependency}}",
    "Dead letters by reason: {{reason}}",
    "Failed uses of Redis: {{use}}",
    "Seconds of a model call: p50",
    "Seconds of a model call: p95",
    "State of the breaker: {{state}}",
    "Model calls by end: {{end}}",
    "Answers sent to a model, by end: {{end}}",
    "Money spent by tenant: {{tenant}}, {{currency}}",
    "Tokens sent and received: {{way}}",
    "Judges that agree, share: agreement",
    "Money left today: {{tenant}}, {{currency}}",
    "Tokens left today: {{tenant}}",
    "Calls not made for lack of budget: {{tenant}}",
    "Traces and results exported: {{signal}} {{end}}",
    "Failed model calls, share, all tenants: ",
    "Seconds of a call, P95, all tenants: ",
    "Processes whose breaker is open: ",
    "Both judges agree, share, all tenants: ",
}
"""Panels without data while nothing fails and no model is asked. The next test gives them data."""


async def test_panels_of_failures_and_models_have_data_when_these_occur(tmp_path: Path, wait_until: WaitUntil):
    found(PROMETHEUS)
    metrics = Metrics(MetricSettings(), "local")
    server, thread = start_http_server(0, addr="127.0.0.1", registry=metrics.registry)
    prometheus = PrometheusServer(tmp_path / "prometheus", targets=[f"127.0.0.1:{server.server_port}"])
    async with started(prometheus):
        wanted = {title: query for title, query in panel_queries() if title in ABSENT}
        assert set(wanted) == ABSENT

        async def all_give() -> bool:
            record_failures(metrics)
            return all([bool(await prometheus.ask(query)) for query in wanted.values()])

        await wait_until(all_give)
    server.shutdown()
    thread.join()


def record_failures(metrics: Metrics) -> None:
    """Records one of everything that these panels show."""
    event = decode_event({"question": "How many?", "sql": ""}, require_id=False)
    metrics.evaluated(evaluate(event, Unscored(UnscoredReason.EMPTY_SQL), Rules(), datetime.now(UTC)))
    metrics.ended([Outcome(kind=OutcomeKind.UNSCORED, reason="EMPTY_SQL")])
    metrics.stalled("store", StoreUnavailable("it is gone"))
    metrics.kafka.dead_lettered("query-events", "NOT_JSON")
    metrics.kafka.lagged(Partition("query-events", 0), 1)
    metrics.storage.redis_failed("rules")
    metrics.models.called("replied", 0.2)
    metrics.models.paid("library", 100, 20, 0.001)
    metrics.models.judged("replied")
    metrics.models.breaker_state(BreakerState.CLOSED)
    metrics.models.compared(Verdict.CORRECT, Verdict.INCORRECT)
    metrics.models.budget_left("library", Bound(tokens=1000, micros=5000))
    metrics.models.budget_spent("library")
    metrics.record_export("spans", "exported", 5)
