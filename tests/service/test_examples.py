"""The examples do what they say, run as a reader runs them."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import httpx
import pytest

from tests.served import ROOT, served

pytestmark = pytest.mark.slow  # starts a service for each example

EXAMPLES = sorted(path.name for path in (ROOT / "examples").glob("*.py"))


async def run(example: str, *arguments: str) -> str:
    child = await asyncio.create_subprocess_exec(
        sys.executable, f"examples/{example}", *arguments, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await child.communicate()
    assert child.returncode == 0
    return output.decode()


def test_every_example_is_run_here():
    assert EXAMPLES == ["publish_http.py", "publish_kafka.py", "publish_opentelemetry.py"]


async def scored_row(url: str, wait_until) -> dict[str, Any]:
    """The one row, as soon as it is there."""
    rows: list[dict[str, Any]] = []

    async def stored() -> bool:
        async with httpx.AsyncClient(base_url=url) as client:
            try:
                rows[:] = (await client.get("/v1/evaluations")).json()["items"]
            except (httpx.TransportError, KeyError):
                return False
        return len(rows) == 1

    await wait_until(stored)
    return rows[0]


async def ready(url: str) -> bool:
    async with httpx.AsyncClient(base_url=url) as client:
        try:
            return (await client.get("/readyz")).status_code == 200
        except httpx.TransportError:
            return False


def check(row: dict[str, Any]) -> None:
    assert (row["tenant"], row["agent"]) == ("meridian-retail", "atlas")
    assert row["question"] == "How many open orders are there?"
    assert row["score"] is not None


async def test_an_answer_published_over_http_is_scored_once(database, wait_until):
    async with served(database) as url:
        await wait_until(lambda: ready(url))
        first, again = [json.loads(await run("publish_http.py", url))["results"][0] for _ in range(2)]
        check(await scored_row(url, wait_until))
    assert (first["status"], again["status"]) == ("scored", "duplicate")


async def test_an_answer_published_as_spans_is_scored(database, wait_until):
    async with served(database) as url:
        await wait_until(lambda: ready(url))
        await run("publish_opentelemetry.py", url)
        check(await scored_row(url, wait_until))


async def test_an_answer_published_to_kafka_is_scored_under_the_identity_of_its_envelope(kafka, database, wait_until):
    for _ in range(2):
        await run("publish_kafka.py", kafka.bootstrap, kafka.events)
    environment = {
        "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS": kafka.bootstrap,
        "SQLASSAY_KAFKA__GROUP": kafka.group,
        "SQLASSAY_KAFKA__TOPIC_EVENTS": kafka.events,
        "SQLASSAY_KAFKA__TOPIC_DEAD": kafka.dead,
        "SQLASSAY_KAFKA__TOPIC_SCORES": kafka.scores,
        "SQLASSAY_KAFKA__TOPIC_LABELS": kafka.labels,
        "SQLASSAY_KAFKA__TOPIC_FEEDBACK": kafka.feedback,
        "SQLASSAY_KAFKA__TOPIC_SPANS": kafka.spans,
    }
    async with served(database, **environment) as url:
        row = await scored_row(url, wait_until)
    check(row)
    assert row["event_id"] == "orders-7f3a"
