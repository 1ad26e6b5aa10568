"""`sqlassay bench stream` measures what it says and leaves nothing behind."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from aiokafka.admin import AIOKafkaAdminClient
from sqlalchemy import URL, text
from sqlalchemy.ext.asyncio import create_async_engine

from service.commands.bench.rig import Sample
from service.commands.bench.stream_speed import refuse_standstill, steady_rate
from service.commands.exits import Exit

ROOT = Path(__file__).parents[2]


def bench(*words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SQLASSAY_")}
    command = [sys.executable, "-m", "service", "bench", *(words or ("stream", "--seconds", "5")), "--json"]
    return subprocess.run(
        command, env={**environment, **settings}, cwd=ROOT, capture_output=True, text=True, check=False
    )


async def left_behind(bootstrap: str, postgres: URL) -> set[str]:
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    await admin.start()
    topics = await admin.list_topics()
    await admin.close()
    engine = create_async_engine(postgres)
    async with engine.connect() as connection:
        databases = (await connection.execute(text("SELECT datname FROM pg_database"))).scalars().all()
    await engine.dispose()
    return {name for name in (*topics, *databases) if "bench" in name}


@pytest.mark.nightly  # two minutes
async def test_it_tells_shares_and_waits_and_removes_what_it_made(kafka_server: str, postgres_url: URL):
    made = await asyncio.to_thread(
        lambda: bench(
            SQLASSAY_KAFKA__BOOTSTRAP_SERVERS=kafka_server,
            SQLASSAY_DATABASE__URL=postgres_url.render_as_string(hide_password=False),
        )
    )
    assert made.returncode == 0, made.stderr[-3000:]
    figures = json.loads(made.stdout)
    assert figures["seconds"] == 5
    memory = ("stream_without_memory", "stream_with_memory")
    rates, waits = ("in_process", "stream", *memory, "model"), ("wait_p95", "calm_p95", "calm_p95_beside_flood")
    assert all(figures[name] > 0 for name in (*rates, *waits))
    assert abs(figures["stream_share"] - figures["stream"] / figures["in_process"]) < 0.01
    assert abs(figures["memory_share"] - figures[memory[1]] / figures[memory[0]]) < 0.01
    assert await left_behind(kafka_server, postgres_url) == set()


def test_where_no_event_was_stored_it_says_what_to_do(capsys: pytest.CaptureFixture[str]):
    watched = [Sample(seconds=0.0, rows=0), Sample(seconds=20.0, rows=0)]
    with pytest.raises(SystemExit) as ended:
        refuse_standstill(steady_rate(watched, 100), 5)
    assert ended.value.code == Exit.UNAVAILABLE
    assert "no event was stored in 5 s: the machine is too busy; use a larger --seconds" in capsys.readouterr().err
    refuse_standstill(steady_rate([*watched, Sample(seconds=21.0, rows=100)], 100), 5)


def test_without_a_broker_it_says_what_to_set():
    made = bench()
    assert made.returncode == 2
    assert "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS" in made.stderr
