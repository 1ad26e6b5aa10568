"""Canaries change nothing that is read of an agent: one check for each reader, over a running service."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from service.commands.mining.mined_answers import read_stored
from service.storage.reviewing.training_labels import TrainingFilter, agreed_labels
from service.storage.scores.evaluation_pages import EvaluationFilter
from service.storage.scores.stored_events import stored_events
from tests.service.test_metrics import scraped

TENANT = "bakers"
QUESTION = "How many loaves were sold in {}?"
RIGHT = "SELECT COUNT(*) FROM sales WHERE city = '{}'"
WRONG = "SELECT MAX(name) FROM bakers WHERE age > 3"
CITIES = ("Bergen", "Oslo", "Tromso", "Molde")
OWN_METRICS = ("sqlassay_canary_",)
OF_AN_AGENT = ("score", "p_correct", "judged_wrong", "fallback", "confidence", "tier", "filter_status", "verdict",
    "reason", "unscored", "enrichment", "version_score", "reference_verdicts", "agent_alarm", "estimate")  # fmt: skip


def event(id_: str, city: str, sql: str, **more: Any) -> dict[str, Any]:
    answer = {"question": QUESTION.format(city), "sql": sql.format(city), "reference_sql": RIGHT.format(city)}
    return {"event_id": id_, "tenant": TENANT, "agent": "crumb", "agent_version": "1", **answer, **more}


async def _rows(engine) -> list[str]:
    return [str(each.event) async for batch in stored_events(engine, EvaluationFilter(tenant=TENANT)) for each in batch]


async def read_everything(client, engine) -> dict[str, object]:
    """What each reader shows of the agent."""

    async def get(path: str, **params: Any) -> object:
        reply = await client.get(path, params={"tenant": TENANT, **params})
        assert reply.status_code == 200, reply.text
        return reply.json() if "json" in reply.headers["content-type"] else reply.text

    shown = await scraped(client)
    return {
        "newest answers": await get("/v1/evaluations"),
        "worst answers": await get("/v1/evaluations", order="worst"),
        "answers that differ": await get("/v1/evaluations", reference="different"),
        "report": await get("/v1/report"),
        "report by version and day": await get("/v1/report", by="agent_version", every="day"),
        "labels": await get("/v1/labels"),
        "training labels": await agreed_labels(engine, TrainingFilter(tenant=TENANT)),
        "mined answers": await read_stored(engine, EvaluationFilter(tenant=TENANT), 100),
        "backfill": await _rows(engine),
        "review": (
            await client.post("/v1/review/next", params={"tenant": TENANT, "reviewer": "noor", "limit": 50})
        ).json(),
        "metrics": {name: shown[name] for name in shown if name.removeprefix("sqlassay_").startswith(OF_AN_AGENT)},
    }


async def judged_canaries(client) -> list[dict[str, Any]]:
    items = (await client.get("/v1/canaries", params={"tenant": TENANT})).json()["items"]
    return [each for each in items if each["result"] != "pending"]


@pytest.mark.slow  # starts the processes that compare references
async def test_no_reader_sees_a_canary_and_what_differs_is_shown(client, database, wait_until):
    engine = create_async_engine(database)
    now = datetime.now(UTC)
    at = (now - timedelta(hours=2)).isoformat()
    await client.post("/v1/events", json=[event(city, city, RIGHT, occurred_at=at) for city in CITIES])
    label = {"tenant": TENANT, "source": f"/{TENANT}/crumb", "event_id": "Oslo", "reviewer": "noor", "label": "right"}
    await client.post("/v1/labels", json=label)

    async def references_judged() -> bool:
        items = (await client.get("/v1/evaluations")).json()["items"]
        return len(items) == len(CITIES) and all(each["reference_verdict"] != "pending" for each in items)

    await wait_until(references_judged)
    await read_everything(client, engine)  # the first review gives the label its probability
    before = await read_everything(client, engine)
    canaries = [event(f"c{city}", city, WRONG, occurred_at=at, canary={"case_id": city}) for city in CITIES]
    down = event("down", "Oslo", "", canary={"case_id": "down", "failure": "timeout"})
    echo = {**event("echo", "Oslo", WRONG, canary="Oslo"), "reference_sql": None}
    reply = await client.post("/v1/events", json=[*canaries, down, echo])
    assert {each["error"]["code"] for each in reply.json()["results"]} == {"CANARY"}
    refused = await client.post("/v1/labels", json={**label, "event_id": "cOslo"})
    assert (refused.status_code, "UNKNOWN_EVENT" in refused.text) == (422, True), refused.text

    async def compared() -> bool:
        return len(await judged_canaries(client)) == len(CITIES) + 1

    await wait_until(compared)
    after = await read_everything(client, engine)
    for reader, shown in before.items():
        assert after[reader] == shown, reader
    worst = next(each for each in await judged_canaries(client) if each["case_id"] == "Oslo")
    assert (worst["result"], worst["level"]) == ("wrong", "S0")
    assert worst["reference"]["counterexample"]["tables"]
    await engine.dispose()
