"""`sqlassay canary run` with a real agent behind HTTP and a real service."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.commands.canary.schedule import CanarySchedule
from tests.evals.runner.agent_server import agent_server, as_json
from tests.served import served

TALL = "SELECT id FROM shelf WHERE height > 3"
ROOT = Path(__file__).parents[3]


def line(case_id: str, question: str = "Which shelves are higher than 3?", **more: Any) -> str:
    case = {"case_id": case_id, "question": question, "gold_sql": TALL, "schema": "", "complexity": "", "category": ""}
    return json.dumps({**case, **more}) + "\n"


async def started(*options: str, **how: Any) -> asyncio.subprocess.Process:
    command = (sys.executable, "-m", "service", "canary", "run", *options)
    pipes = {"stdout": asyncio.subprocess.PIPE, "stderr": asyncio.subprocess.PIPE}
    return await asyncio.create_subprocess_exec(*command, cwd=ROOT, **pipes, **how)


async def asked_once(*options: str) -> tuple[int, str]:
    child = await started(*options, "--once")
    _, said = await child.communicate()
    assert child.returncode is not None
    return child.returncode, said.decode()


def test_a_schedule_asks_each_once_an_interval_and_those_asked_before_a_restart_later():
    schedule = CanarySchedule(["a", "b", "c"], 900, {"a": 1000.0, "gone": 5.0}, 1300.0, random.Random(1))
    assert {schedule.take_due(1300.0), schedule.take_due(1300.0)} == {"b", "c"}
    assert schedule.take_due(1300.0) is None
    assert 1000 + 810 - 1300 <= schedule.pause(1300.0) <= 1000 + 990 - 1300
    assert schedule.take_due(1990.0) == "a"
    assert schedule.take_due(1990.0) is None


def test_a_schedule_spreads_its_askings_and_survives_a_clock_that_was_ahead():
    names = [str(number) for number in range(50)]
    schedule = CanarySchedule(names, 100, dict.fromkeys(names, 9e9), 0.0, random.Random(2))
    times = []
    for now in range(0, 111):
        while schedule.take_due(float(now)) is not None:
            times.append(now)
    assert len(times) == 50
    assert (min(times) >= 90, len(set(times)) > 8) == (True, True)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--endpoint", "ftp://x", "--agent", "a"), "--endpoint"),
        (("--endpoint", "http://x", "--agent", "a", "--every", "5s"), "--every"),
        (("--endpoint", "http://x", "--agent", "a", "--every", "25h"), "--every"),
        (("--endpoint", "http://x", "--agent", "a\0"), "agent"),
        (("--endpoint", "http://x", "--agent", "a", "--dialect", "klingon"), "klingon"),
        (("--endpoint", "http://x", "--agent", "a", "--token-file", "/nowhere/token"), "--token-file"),
    ],
)
def test_options_that_cannot_be_used_are_refused(tmp_path, capsys, options, why):
    from service.commands.cli import app

    file = tmp_path / "b.jsonl"
    file.write_text(line("a"))
    with pytest.raises(SystemExit) as ended:
        app(["canary", "run", str(file), *options, "--once"])
    assert ended.value.code == 2
    assert why in capsys.readouterr().err


@pytest.mark.slow  # starts a service and the command
async def test_a_live_agent_is_asked_compared_and_not_asked_again_at_a_restart(database, tmp_path, wait_until):
    file = tmp_path / "b.jsonl"
    replies = {"right": {"sql": TALL}, "wrong": {"sql": TALL.replace(">", "<=")}, "prose": {"sql": "I cannot say."}}
    odd = {"empty": {"sql": " "}, "list": [1], "nul": {"sql": "SELECT\0 1"}}
    file.write_text("".join(line(name) for name in [*replies, *odd, "error"]))

    def reply(path: str, body: dict[str, Any], before: int):
        name = body["case_id"]
        return (500, "text/plain", b"no") if name == "error" else as_json((replies | odd)[name])

    async with served(database) as service:
        with agent_server(reply) as agent:
            options = (str(file), "--endpoint", agent.url, "--agent", "crumb", "--service", service)
            code, said = await asked_once(*options)
            assert (code, "7 canaries asked, 2 failed" in said) == (1, True), said
            assert agent.asked[0]["canary"] == {"case_id": "right"}
            assert "gold_sql" not in agent.asked[0]

            async with httpx.AsyncClient(base_url=service) as client:

                async def items() -> dict[str, tuple[str, str | None]]:
                    found = (await client.get("/v1/canaries")).json()["items"]
                    return {each["case_id"]: (each["result"], each["failure"]) for each in found}

                async def compared() -> bool:
                    found = await items()
                    return len(found) == 7 and all(result != "pending" for result, _ in found.values())

                await wait_until(compared)
                assert await items() == {
                    "right": ("right", None),
                    "wrong": ("wrong", None),
                    "prose": ("failed", None),
                    "empty": ("failed", "no_sql"),
                    "list": ("failed", "invalid"),
                    "nul": ("failed", "invalid"),
                    "error": ("failed", "raised"),
                }
                assert (await client.get("/v1/evaluations")).json()["items"] == []
            child = await started(*options, "--every", "1h")
            assert child.stderr is not None
            assert b"7 canaries" in await child.stderr.readline()
            file.write_text(file.read_text() + line("new"))
            replies["new"] = {"sql": TALL}
            assert await asked_once(*options) == (
                0,
                "sqlassay: 8 canaries for crumb: asking those that are due\nsqlassay: 1 canaries asked, 0 failed\n",
            )
            child.send_signal(signal.SIGTERM)
            _, said = await child.communicate()
            assert (child.returncode, b"stopped" in said) == (0, True)
            assert len(agent.asked) == 8


@pytest.mark.slow  # starts a service and the command
async def test_an_agent_that_is_down_or_hangs_is_a_failure_and_a_service_that_is_down_ends_it_with_3(
    database, tmp_path
):
    file = tmp_path / "b.jsonl"
    file.write_text(line("a"))
    async with served(database) as service:
        options = (str(file), "--agent", "crumb", "--service", service, "--timeout", "0.5")
        assert (await asked_once(*options, "--endpoint", "http://127.0.0.1:1/"))[0] == 1

        async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()

        silent = await asyncio.start_server(hang, "127.0.0.1", 0)
        file.write_text(line("b"))
        port = silent.sockets[0].getsockname()[1]
        assert (await asked_once(*options, "--endpoint", f"http://127.0.0.1:{port}/"))[0] == 1
        silent.close()
        async with httpx.AsyncClient(base_url=service) as client:
            found = (await client.get("/v1/canaries")).json()["items"]
        assert {each["case_id"]: each["failure"] for each in found} == {"a": "unreachable", "b": "timeout"}
    code, said = await asked_once(str(file), "--agent", "c", "--service", service, "--endpoint", "http://127.0.0.1:1/")
    assert (code, "cannot be reached" in said) == (3, True)
