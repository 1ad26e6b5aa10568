"""Every sink gets every score, whatever its backend does: away for a while, late, or refusing some."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import orjson
import pytest
from sqlalchemy import delete
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.evaluation.event_evaluation import Evaluation, evaluate
from consumers.queueing.retrying import Backoff
from consumers.wire.events import decode_event
from scoring.evaluation import conclude, examine
from scoring.query import Query
from scoring.rules import Rules
from scoring.verdict import Case
from service.judges.weights import local_judge
from service.settings.sink_settings import SinkSettings
from service.sinks.configured_sinks import configured_sinks
from service.sinks.sink_client import sink_client
from service.sinks.write_scores import WriteScores
from service.storage.scores.score_store import PostgresScores
from service.storage.tables import EVALUATIONS
from service.storage.unsent_scores import UnsentScores, drop_abandoned
from tests.servers.sink_peer import LATE_SECONDS, Peer, peer
from tests.storage.conftest import NOW

KINDS = ("webhook", "langfuse", "mlflow", "phoenix", "opik", "langsmith", "datadog")
KEYS = {
    "webhook": {"secret": "whsec_" + base64.b64encode(b"ferry" * 5).decode()},
    "langfuse": {"public_key": "pk", "secret_key": "sk"},
    "langsmith": {"api_key": "k"},
    "datadog": {"api_key": "k", "ml_app": "shop"},
}
TIMEOUT = LATE_SECONDS / 2

__all__ = ["peer"]


def stored(place: int, *, sql: str = "SELECT COUNT(*) FROM ferries", opik: bool = False) -> Evaluation:
    trace, span = f"{place + 1:032x}", f"{place + 1:016x}"
    if opik:
        trace, span = f"0193b3a5-1234-7abc-9def-{place:012d}", f"0193b3a5-1234-7abc-8def-{place:012d}"
    event = decode_event(
        {
            "event_id": str(place),
            "agent": "harbour",
            "question": "How many ferries sailed in 2025?",
            "sql": sql,
            "attributes": {"trace_id": trace, "span_id": span},
        },
        require_id=True,
    )
    case = examine(Query(question=event.question, sql=event.sql), Rules())
    return evaluate(event, conclude(case, local_judge().judge(case)) if isinstance(case, Case) else case, Rules(), NOW)


@dataclass
class Counts:
    ends: Counter[str] = field(default_factory=Counter)
    left: int = 0

    def ended(self, sink: str, end: str, count: int) -> None:
        self.ends[end] += count

    def waiting(self, sink: str, count: int) -> None:
        self.left = count


@dataclass
class Clock:
    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now


@asynccontextmanager
async def writing(engine: AsyncEngine, kind: str, url: str, *, most: int = 100) -> AsyncGenerator[WriteScores]:
    address = f"{url}/hook" if kind == "webhook" else url
    settings = SinkSettings.model_validate({kind: {"url": address, **KEYS.get(kind, {})}})
    backend = configured_sinks(settings)[kind]
    async with sink_client(TIMEOUT) as client:
        unsent = UnsentScores(engine, kind)
        yield WriteScores(kind, backend, unsent, client, Counts(), Clock(), most, Backoff(first=60, most=300))


async def send_all(write: WriteScores) -> int:
    """Sends until nothing waits, as time goes by; returns the rounds."""
    assert isinstance(write.clock, Clock)
    for rounds in range(60):
        await write()
        if await write.unsent.waiting() == 0:
            return rounds
        write.clock.now += timedelta(minutes=6)
    raise AssertionError("some scores still wait")


def counted(write: WriteScores) -> Counter[str]:
    assert isinstance(write.counts, Counts)
    return write.counts.ends


async def store(engine: AsyncEngine, kind: str, count: int) -> list[Evaluation]:
    evaluations = [stored(place, opik=kind == "opik") for place in range(count)]
    await PostgresScores(engine, sinks=[kind], clock=lambda: NOW).record(evaluations)
    return evaluations


@pytest.mark.parametrize("kind", KINDS)
async def test_a_backend_that_is_away_or_late_gets_every_score_once(engine: AsyncEngine, peer: Peer, kind: str) -> None:
    evaluations = await store(engine, kind, 5)
    # a minute of refusals, a reply that comes too late, and one more failure after it
    peer.replies = [503, 502, 429, 500, 401, 0, 503]
    async with writing(engine, kind, peer.url) as write:
        assert await send_all(write) > 0
        ends = counted(write)
    assert len(peer.held) == 5
    assert {str(each.id) for each in evaluations} == {
        re.findall(r"[0-9a-f]{8}-[0-9a-f-]{27}", orjson.dumps(each).decode())[-1]
        if kind == "opik"
        else named_id(each, kind)
        for each in peer.held.values()
    }
    assert ends["sent"] == 5
    assert ends["put_off"] > 0
    assert ends["refused"] == ends["skipped"] == 0


def named_id(item: dict[str, Any], kind: str) -> str:
    match kind:
        case "datadog":
            return next(each for each in item["tags"] if each.startswith("evaluation_id:")).partition(":")[2]
        case "phoenix":
            return item["identifier"]
        case "mlflow":
            return item["metadata"]["evaluation_id"]
        case _:
            return item["id"]


async def test_a_server_that_refuses_connections_loses_nothing(engine: AsyncEngine, peer: Peer) -> None:
    await store(engine, "phoenix", 3)
    async with writing(engine, "phoenix", "http://127.0.0.1:9") as write:
        pause = await write()
        assert pause is not None
        assert 30 <= pause <= 60
        assert counted(write) == {"put_off": 3}
    async with writing(engine, "phoenix", peer.url) as write:
        await send_all(write)
    assert len(peer.held) == 3


async def test_what_a_stopped_process_had_taken_is_sent_by_the_next(engine: AsyncEngine, peer: Peer) -> None:
    await store(engine, "webhook", 4)
    async with writing(engine, "webhook", peer.url) as first, writing(engine, "webhook", peer.url) as second:
        taken = await first.unsent.take(100, NOW, timedelta(minutes=5))
        assert len(taken) == 4
        assert await second() is None
        assert isinstance(second.clock, Clock)
        second.clock.now += timedelta(minutes=5)
        assert await second() == 0
    assert len(peer.held) == 4


async def test_one_score_that_a_backend_refuses_holds_up_no_other(engine: AsyncEngine, peer: Peer) -> None:
    bad, *_ = await store(engine, "phoenix", 6)
    peer.refused = lambda item: 422 if item["identifier"] == str(bad.id) else 0
    async with writing(engine, "phoenix", peer.url) as write:
        assert await send_all(write) == 0
        assert counted(write) == {"sent": 5, "refused": 1}
    assert str(bad.id) not in peer.held


async def test_a_trace_that_comes_after_its_score_gets_it(engine: AsyncEngine, peer: Peer) -> None:
    await store(engine, "mlflow", 1)
    peer.replies = [404] * 3
    async with writing(engine, "mlflow", peer.url) as write:
        await send_all(write)
        assert counted(write) == {"put_off": 3, "sent": 1}
        await PostgresScores(engine, sinks=["mlflow"], clock=lambda: NOW).record([stored(7)])
        peer.replies = [404] * 20
        await send_all(write)
        assert counted(write)["refused"] == 1
    assert len(peer.requests) == 4 + 11


async def test_what_has_no_place_in_a_backend_is_skipped(engine: AsyncEngine, peer: Peer) -> None:
    said = {"event_id": "n", "question": "How many ferries?", "sql": "SELECT COUNT(*) FROM ferries"}
    nowhere = decode_event(said, require_id=True)
    case = examine(nowhere.query(), Rules())
    assert isinstance(case, Case)
    untraced = evaluate(nowhere, conclude(case, local_judge().judge(case)), Rules(), NOW)
    unscored = stored(2, sql="")
    store = PostgresScores(engine, sinks=["langfuse", "webhook"], clock=lambda: NOW)
    await store.record([stored(1), untraced, unscored])
    async with writing(engine, "langfuse", peer.url) as write:
        await send_all(write)
        assert counted(write) == {"sent": 1, "skipped": 2}
    async with writing(engine, "webhook", peer.url) as write:
        await send_all(write)
        assert counted(write) == {"sent": 3}
    assert peer.held[str(unscored.id)]["unscored"] == "EMPTY_SQL"


async def test_a_score_that_is_deleted_first_is_not_sent(engine: AsyncEngine, peer: Peer) -> None:
    await store(engine, "webhook", 2)
    async with engine.begin() as connection:
        await connection.execute(delete(EVALUATIONS))
    async with writing(engine, "webhook", peer.url) as write:
        await send_all(write)
        assert counted(write) == {"skipped": 2}
    assert peer.requests == []


async def test_an_event_that_comes_twice_is_sent_once(engine: AsyncEngine, peer: Peer) -> None:
    await store(engine, "webhook", 2)
    await PostgresScores(engine, sinks=["webhook"], clock=lambda: NOW).record([stored(0), stored(1)])
    assert await UnsentScores(engine, "webhook").waiting() == 2


async def test_a_webhook_is_signed_as_standard_webhooks_says(engine: AsyncEngine, peer: Peer) -> None:
    await store(engine, "webhook", 1)
    async with writing(engine, "webhook", peer.url) as write:
        await send_all(write)
    [(_, request, body)] = peer.requests
    said = request.headers
    signed = f"{said['webhook-id']}.{said['webhook-timestamp']}.".encode() + orjson.dumps(body)
    mac = base64.b64encode(hmac.digest(b"ferry" * 5, signed, hashlib.sha256)).decode()
    assert said["webhook-signature"] == f"v1,{mac}"


async def test_what_waits_for_a_sink_that_is_gone_is_kept_for_a_week(engine: AsyncEngine) -> None:
    await store(engine, "phoenix", 2)
    unsent = UnsentScores(engine, "phoenix")
    for sinks, days, left in ((["opik"], 6, 2), (["phoenix"], 30, 2), (["opik"], 8, 0)):
        await drop_abandoned(engine, sinks, NOW + timedelta(days=days))
        assert await unsent.waiting() == left
