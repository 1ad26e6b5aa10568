"""`sqlassay bench capacity` measures what an answer costs and leaves nothing behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys

import pytest
from sqlalchemy import URL

from service.commands.bench.cpu_seconds import tree_seconds
from tests.delivery.test_bench_stream import bench, left_behind
from tests.servers.processes import children

_BURN = "import subprocess, sys, time\nwhile time.process_time() < 0.4: pass\n"


@pytest.mark.slow  # stores a thousand answers
async def test_it_says_what_an_answer_costs_and_removes_what_it_made(kafka_server: str, postgres_url: URL):
    settings = {
        "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS": kafka_server,
        "SQLASSAY_DATABASE__URL": postgres_url.render_as_string(hide_password=False),
    }
    made = await asyncio.to_thread(lambda: bench("capacity", "--answers", "1000", **settings))
    assert made.returncode == 0, made.stderr[-3000:]
    figures = json.loads(made.stdout)
    assert figures["answers"] == 1000
    assert figures["worker_answers_per_core"] == pytest.approx(1000 / figures["worker_cpu_ms"], rel=0.01)
    assert figures["stored_bytes"] == figures["row_bytes"] + figures["index_bytes"] + figures["other_bytes"]
    assert figures["postgresql_cpu_ms"] > 0
    # a row holds the texts and a record of what was found, and its log what the row holds
    assert figures["event_bytes"] > figures["text_bytes"] > 100
    assert figures["row_bytes"] > figures["text_bytes"]
    assert figures["wal_bytes"] > figures["row_bytes"]
    assert await left_behind(kafka_server, postgres_url) == set()


def test_without_a_broker_it_says_what_to_set():
    made = bench("capacity")
    assert (made.returncode, "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS" in made.stderr) == (2, True)


def test_the_cpu_time_of_a_process_holds_that_of_all_under_it():
    ended = f"{_BURN}subprocess.run([sys.executable, '-c', {_BURN!r}], check=True)\n"
    running = f"child = subprocess.Popen([sys.executable, '-c', {_BURN + 'print(1, flush=True); time.sleep(60)'!r}])\n"
    said = "print('both', flush=True); child.wait()"
    with subprocess.Popen([sys.executable, "-c", ended + running + said], stdout=subprocess.PIPE, text=True) as tree:
        assert tree.stdout is not None
        assert {tree.stdout.readline(), tree.stdout.readline()} == {"both\n", "1\n"}
        found = tree_seconds(tree.pid)
        for each in (*children(tree.pid), tree.pid):
            os.kill(each, signal.SIGKILL)
    # two of the three would have less, and the kernel counts in hundredths
    assert found > 2.5 * 0.4
    assert tree_seconds(os.getpid()) > 0
