"""`sqlassay top` on running services and their database, and the figures that it derives from two looks."""

from __future__ import annotations

import asyncio
import io
import os
import pty
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from rich.console import Console
from sqlalchemy import URL, text
from sqlalchemy.ext.asyncio import create_async_engine

from service.commands.top.board import Board, board, rates
from service.commands.top.exposed_metrics import READ, ExposedMetrics
from service.commands.top.process_looks import ProcessLook
from service.commands.top.screen import screen
from service.commands.top.stored_work import ArrivalSums, StoredWork
from service.metrics.declared import DeclaredMetrics
from service.storage.alarms.agent_alarms import AgentAlarmState
from service.storage.status.intake_status import ArrivedAnswers, JudgeCost, LastAnswer
from tests.conftest import copied
from tests.served import ROOT, served
from tests.servers.fixtures import Kafka
from tests.servers.processes import free_port
from tests.service.commands.command_line import sqlassay
from tests.service.console_lists import event

BARE = {name: value for name, value in os.environ.items() if not name.startswith("SQLASSAY_")}
TOKEN = "a-token-for-tests-only-0042"
NOW = datetime(2026, 11, 20, 3, 0, tzinfo=UTC)
_URL, _LATER = "http://127.0.0.1:1", 2.0


async def top(database: URL, *arguments: str, **settings: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of one look."""
    url = database.render_as_string(hide_password=False)
    command = partial(sqlassay, "top", "--once", "--every", "0.5", *arguments, SQLASSAY_DATABASE__URL=url, **settings)
    done = await asyncio.to_thread(command)
    return done.returncode, done.stdout, done.stderr


async def publish(url: str, *events: dict) -> None:
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        assert (await client.post("/v1/events", json=list(events))).status_code == 202


@pytest.fixture(scope="module")
async def baked(postgres_url: URL, template: str) -> AsyncIterator[tuple[URL, str]]:
    """The database and the address of a running service with three answers, one of them without a score."""
    async with copied(postgres_url, template) as database, served(database) as url:
        await publish(url, event(1), event(2, sql="DROP TABLE ovens"), event(3, agent="rye", tenant="millers"))
        yield database, url


def look(at: float, *lines: str, started: int = 1) -> ProcessLook:
    said = "\n".join([f"sqlassay_start_time_seconds {started}", *lines])
    return ProcessLook(url=_URL, at=at, exposed=ExposedMetrics.parse(said))


def work(**known: Any) -> StoredWork:
    nothing: dict[str, Any] = {
        "sums": ArrivalSums(hour=[], today=[]),
        "last": [],
        "deferred": {},
        "references": 0,
        "unsent": {},
    }
    return StoredWork(**{**nothing, "alarms": [], **known})


def drawn(found: Board, width: int = 160) -> str:
    written = io.StringIO()
    Console(file=written, width=width).print(screen(found))
    return written.getvalue()


def ended(outcome: str, reason: str, count: int) -> str:
    return f'sqlassay_outcomes_total{{trigger="live",outcome="{outcome}",reason="{reason}"}} {count}'


def consumed(count: int) -> str:
    return f'sqlassay_consumed_total{{trigger="live"}} {count}'


async def test_it_counts_what_a_running_service_received_and_names_what_has_no_score(baked: tuple[URL, str]):
    database, url = baked
    code, out, err = await top(database, "--service", url)
    assert (code, err) == (0, "")
    found = orjson.loads(out)
    assert found["faults"] == []
    [process] = found["processes"]
    assert (process["url"], process["role"], process["queue"], process["down"]) == (url, "all", 0, [])
    assert found["hour"] == {"received": 3, "scored": 2, "unscored": {"NOT_A_SELECT": 1}}
    assert {(each["tenant"], each["agent"]) for each in found["agents"]} == {("bakers", "crumb"), ("millers", "rye")}
    assert found["waiting"] == {"deferred": {}, "references": 0, "sinks": {}}
    assert (found["alarms"], found["today"], found["partitions"]) == ([], [], [])
    # nothing arrived between the two looks
    assert (found["rates"]["received"], found["rates"]["unscored"]) == (0, {})


@pytest.mark.slow  # waits between two looks
async def test_it_counts_what_arrives_between_two_looks(database: URL):
    async with served(database) as url:
        await publish(url, event(0))
        looking = asyncio.create_task(top(database, "--service", url, "--every", "4"))
        sent = 0
        while not looking.done():
            sent += 1
            await publish(url, event(sent), event(1000 + sent, sql="DROP TABLE ovens"))
        code, out, _ = await looking
    found = orjson.loads(out)["rates"]
    assert code == 0
    # at either look, a request of two events may be half done
    ended_a_second = found["scored"] + sum(found["unscored"].values())
    assert abs(found["received"] - ended_a_second) * found["seconds"] <= 4
    assert found["scored"] > 0
    assert set(found["unscored"]) == {"NOT_A_SELECT"}


async def test_servers_that_do_not_answer_are_named_and_what_is_known_is_shown(baked: tuple[URL, str]):
    database, url = baked
    gone = f"http://127.0.0.1:{free_port()}"
    code, out, err = await top(database, "--service", url, "--service", gone)
    away = database.set(port=free_port())
    code_without_tables, out_without_tables, _ = await top(away, "--service", url)
    found = orjson.loads(out)
    assert code == code_without_tables == 3
    assert [each["role"] for each in found["processes"]] == ["all", None]
    assert gone in found["faults"][0]
    assert gone in err
    assert found["hour"]["received"] == 3
    half = orjson.loads(out_without_tables)
    assert half["processes"][0]["role"] == "all"
    assert "the database does not answer" in half["faults"][0]
    assert [half[name] for name in ("waiting", "hour", "today", "agents", "alarms")] == [None] * 5


def watched(database: URL, url: str, words: bytes) -> tuple[int, bytes]:
    """Exit code and output of the command on a terminal, stopped when it has said these words twice."""
    terminal, end = pty.openpty()
    shown = {**BARE, "SQLASSAY_DATABASE__URL": database.render_as_string(hide_password=False), "TERM": "xterm"}
    command = [sys.executable, "-m", "service", "top", "--every", "0.5", "--service", url]
    child = subprocess.Popen(command, cwd=ROOT, env=shown, stdin=end, stdout=end, stderr=end)
    os.close(end)
    said, stopped = b"", False
    with suppress(OSError):  # the terminal ends with its last process
        while read := os.read(terminal, 65536):
            said += read
            if said.count(words) >= 2 and not stopped:
                child.send_signal(signal.SIGINT)
                stopped = True
    os.close(terminal)
    return child.wait(), said


@pytest.mark.slow  # waits between two looks
async def test_on_a_terminal_it_refreshes_until_it_is_stopped(baked: tuple[URL, str]):
    code, said = await asyncio.to_thread(watched, *baked, b"crumb")
    assert code == 0
    # the screen that was there before comes back
    assert b"\x1b[?1049h" in said
    assert b"\x1b[?1049l" in said
    assert b"Traceback" not in said


@pytest.mark.slow  # waits between two looks
async def test_it_needs_a_token_for_all_tenants_where_there_are_tokens(database: URL, tmp_path: Path):
    own = tmp_path / "token"
    own.write_text(f"{TOKEN}\n")
    tokens = orjson.dumps({"*": TOKEN}).decode()
    async with served(database, SQLASSAY_HTTP__TOKENS=tokens) as url:
        refused, out, _ = await top(database, "--service", url)
        by_file, _, err = await top(database, "--service", url, "--token-file", str(own))
        by_settings, _, _ = await top(database, "--service", url, SQLASSAY_HTTP__TOKENS=tokens)
    assert (refused, by_file, by_settings) == (3, 0, 0), err
    assert "--token-file" in orjson.loads(out)["faults"][0]


async def test_a_wrong_address_is_refused_with_the_fix(database: URL):
    code, _, err = await top(database, "--service", "localhost:8321")
    assert (code, "http://" in err) == (2, True)
    code, _, err = await top(database, SQLASSAY_HTTP__PORT="0")
    assert (code, "--service" in err) == (2, True)
    code, _, err = await top(database, "--token-file", "/nowhere")
    assert (code, "/nowhere" in err) == (2, True)


async def test_a_server_that_is_none_of_ours_is_named(database: URL):
    def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
        writer.close()

    other = await asyncio.start_server(speak, "127.0.0.1", 0, family=socket.AF_INET)
    code, out, _ = await top(database, "--service", f"http://127.0.0.1:{other.sockets[0].getsockname()[1]}")
    other.close()
    assert (code, "no metrics of SQLAssay" in orjson.loads(out)["faults"][0]) == (3, True)


@pytest.mark.slow  # waits for a look at Kafka
async def test_the_lag_of_each_partition_is_that_of_the_workers_group(database: URL, kafka: Kafka):
    settings = {
        "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS": kafka.bootstrap,
        "SQLASSAY_KAFKA__GROUP": kafka.group,
        "SQLASSAY_KAFKA__TOPIC_EVENTS": kafka.events,
        "SQLASSAY_KAFKA__TOPIC_DEAD": kafka.dead,
        "SQLASSAY_KAFKA__TOPIC_SCORES": kafka.scores,
        "SQLASSAY_KAFKA__TOPIC_LABELS": kafka.labels,
        "SQLASSAY_KAFKA__TOPIC_SPANS": kafka.spans,
    }
    # an api alone: nobody reads what it publishes
    async with served(database, role="api", kill=False, log=None, **settings) as url:
        await publish(url, *(event(each) for each in range(20)))
        lags: list[dict] = []
        while sum(each["lag"] for each in lags) < 20:
            code, out, err = await top(database, "--service", url)
            assert code == 0, err
            lags = [each for each in orjson.loads(out)["partitions"] if each["topic"] == kafka.events]
    assert [each["group"] for each in lags] == [kafka.group] * 4
    assert [each["lag"] for each in lags] == sorted((each["lag"] for each in lags), reverse=True)


async def test_the_cost_of_today_is_that_of_the_rows(database: URL):
    async with served(database) as url:
        await publish(url, *(event(each) for each in range(4)))
        engine = create_async_engine(database)
        async with engine.begin() as connection:
            priced = "UPDATE evaluations SET model = 'gpt', cost = 0.25, tokens_in = 90, tokens_out = 10"
            await connection.execute(text(f"{priced} WHERE event_id <> '0'"))
            yesterday = "UPDATE evaluations SET received_at = now() - interval '1 day' WHERE event_id = '1'"
            await connection.execute(text(yesterday))
        await engine.dispose()
        _, out, _ = await top(database, "--service", url)
    assert orjson.loads(out)["today"] == [{"model": "gpt", "answers": 2, "tokens": 200, "cost": 0.5}]


def test_rates_are_what_rose_between_two_looks_by_reason():
    before = [look(10.0, consumed(100), ended("scored", "", 80), ended("unscored", "EMPTY_SQL", 20))]
    lines = (ended("scored", "", 100), ended("unscored", "EMPTY_SQL", 25), ended("dead_lettered", "INVALID_JSON", 5))
    found = rates(before, [look(10.0 + _LATER, consumed(130), *lines)])
    assert found is not None
    assert (found.seconds, found.received, found.scored) == (2, 15, 10)
    assert (found.unscored, found.dead_lettered) == ({"EMPTY_SQL": 2.5}, {"INVALID_JSON": 2.5})


def test_a_process_that_started_in_between_or_did_not_answer_has_no_rates():
    old, new = look(10.0, consumed(100)), look(12.0, consumed(3), started=11)
    silent = ProcessLook(url=_URL, at=12.0, fault="does not answer")
    assert rates([old], [new]) is None
    assert rates([old], [silent]) is None
    assert rates([silent], [new]) is None


def test_what_is_worst_comes_first():
    def lag(partition: int, records: int) -> str:
        return f'sqlassay_kafka_group_lag_records{{group="g",topic="t",partition="{partition}"}} {records}'

    def silence(agent: str, share: float) -> str:
        return f'sqlassay_agent_silence{{tenant="bakers",agent="{agent}"}} {share}'

    def last(agent: str, hours: int) -> LastAnswer:
        return LastAnswer(tenant="bakers", agent=agent, agent_version=None, occurred_at=NOW - timedelta(hours=hours))

    stuck = 'sqlassay_kafka_stuck{topic="t",partition="2"} 1'
    now = look(1.0, lag(0, 5), lag(1, 70), lag(2, 1), stuck, silence("crumb", 1.4), silence("rye", 0.2))
    found = board([now, now], [now, now], work(last=[last("oat", 9), last("rye", 8), last("crumb", 1)]), NOW)
    assert [(each.partition, each.lag, each.stuck) for each in found.partitions] == [
        (2, 1, True),
        (1, 70, False),
        (0, 5, False),
    ]
    assert [each.agent for each in found.agents or []] == ["crumb", "rye", "oat"]
    assert found.rates is None


def test_the_screen_says_all_and_obeys_no_name():
    hostile = "\x1b[2Jcrumb[bold]"
    alarm = AgentAlarmState(
        tenant="bakers",
        agent=hostile,
        judge="local",
        evaluator_version="1",
        fall=True,
        below=False,
        wrong=True,
        fall_evidence=1.0,
        below_evidence=0.0,
        wrong_evidence=1.0,
        answers=40,
        answered_at=NOW,
    )
    arrived = [
        ArrivedAnswers(unscored=None, model="gpt", answers=70, cost=0.5, late=1.0),
        ArrivedAnswers(unscored="EMPTY_SQL", model=None, answers=7, cost=0.0, late=1.0),
    ]
    today = [JudgeCost(model="gpt", answers=700, tokens=9, cost=12.5)]
    stored = work(
        sums=ArrivalSums(hour=arrived, today=today),
        last=[LastAnswer(tenant="bakers", agent=hostile, agent_version="2", occurred_at=NOW - timedelta(hours=3))],
        deferred={"JUDGE_UNAVAILABLE": 12},
        unsent={"langfuse": 4},
        alarms=[alarm],
    )
    lines = (consumed(9), 'sqlassay_dead_letters_total{topic="t",reason="INVALID_JSON"} 6')
    busy = look(3.0, *lines, 'sqlassay_dependency_up{dependency="kafka"} 0', 'sqlassay_role{role="worker"} 1')
    gone = ProcessLook(url="http://gone", at=3.0, fault="http://gone does not answer")
    said = drawn(board([look(1.0, consumed(3)), gone], [busy, gone], stored, NOW))
    for each in (
        *("received 3.0", "JUDGE_UNAVAILABLE 12", "langfuse 4", "EMPTY_SQL 7", "12.5000 for 700 answers"),
        *("fall, wrong", "3 h ago", "INVALID_JSON 6", "kafka", "http://gone does not answer", "1 of 2 processes"),
    ):
        assert each in said, said
    assert "\x1b[2J" not in said
    assert "␛[2Jcrumb[bold]" in said


def test_long_lists_are_cut_and_say_so():
    last = [
        LastAnswer(tenant="bakers", agent=f"agent-{each}", agent_version=None, occurred_at=NOW) for each in range(30)
    ]
    said = drawn(board([look(1.0)], [look(1.0)], work(last=last), NOW))
    assert "Agents: 10 of 30" in said
    assert len(re.findall(r"agent-\d+", said)) == 10


def test_every_metric_that_it_reads_is_declared():
    assert {name.removesuffix("_total") for name in READ} <= DeclaredMetrics().labels.keys()
