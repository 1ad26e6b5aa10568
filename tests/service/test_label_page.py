"""The section on labels and the runbooks of agents' quality work: every command runs, on a service as users run it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import URL

from tests.served import ROOT, served
from tests.service.commands.command_line import sqlassay
from tests.service.test_tenant_calibrations import THINGS

PAGE = (
    (ROOT / "docs" / "trust.md").read_text(encoding="utf-8").partition("\n## Label answers\n")[2].partition("\n## ")[0]
)
RUNBOOKS = [
    ROOT / "docs" / "runbooks" / f"SQLAssay{name}.md" for name in ("AgentAlarm", "JudgedWrongHigh", "JudgeChanged")
]
PLACES = {
    "TENANT": "library",
    "AGENT": "atlas",
    "TIME": "2026-11-01",
    "$SQLASSAY/": "http://localhost:8321/",
    "$TOKEN": "none",
}


def answers() -> list[dict[str, Any]]:
    """Answers of which people take nearly all, and the judge doubts most."""
    wheres = ("city = 'Lisbon'", "town = 'Lisboa'", "place_id = 7")
    return [
        {
            "event_id": f"{thing}-{place}",
            "tenant": "library",
            "agent": "atlas",
            "agent_version": str(place % 2),
            "question": f"How many {thing} are there in Lisbon?",
            "sql": f"SELECT COUNT(*) FROM {thing} WHERE {where}",
        }
        for thing in THINGS
        for place, where in enumerate(wheres)
    ]


def page_commands(page: str) -> list[str]:
    """The commands of the page's console blocks, and of the list behind them."""
    blocks = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    listed = re.findall(r"^- [^`\n]+: `([^`]+)`$", page, re.MULTILINE)
    commands = [part.strip() for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [*commands, *listed]


def runbook_commands(path: Path) -> list[str]:
    commands: list[str] = re.findall(r"`((?:sqlassay|curl) [^`]+)`", path.read_text(encoding="utf-8"))
    for name, value in PLACES.items():
        commands = [each.replace(name, value) for each in commands]
    return commands


class Shell:
    """Runs commands as a user does, with the service at its address in place of the page's."""

    def __init__(self, address: str, database: URL, folder: Path) -> None:
        self.address, self.folder = address, folder
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("SQLASSAY_")},
            "SQLASSAY_DATABASE__URL": database.render_as_string(hide_password=False),
            "PATH": f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}",
        }

    async def run(self, command: str) -> tuple[int, str, str]:
        if command.startswith("sqlassay "):
            # in this process, which saves the seconds that each new one takes to start
            url = self.environment["SQLASSAY_DATABASE__URL"]
            done = await asyncio.to_thread(sqlassay, *shlex.split(command)[1:], SQLASSAY_DATABASE__URL=url)
            return done.returncode, done.stdout, done.stderr
        local = re.sub(r"(?:http://)?localhost:8321", self.address, command)
        child = await asyncio.create_subprocess_exec(
            "bash", "-o", "pipefail", "-c", local, cwd=self.folder, env=self.environment,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, err = await child.communicate()
        return child.returncode or 0, out.decode(), err.decode()


@pytest.fixture
async def shell(database: URL, tmp_path: Path):
    async with served(database) as address:
        async with httpx.AsyncClient(base_url=address, timeout=60) as client:
            assert (await client.post("/v1/events", json=answers())).status_code == 202
        yield Shell(address, database, tmp_path)


def label(item: dict[str, Any]) -> dict[str, str]:
    wrong = item["event_id"] in {f"{thing}-2" for thing in THINGS[:6]}
    return {
        "evaluation_id": item["evaluation_id"],
        "reviewer": "noor",
        "label": "wrong" if wrong else "right",
    }


@pytest.mark.slow
async def test_thirty_labels_three_commands_and_the_report_again(shell: Shell):
    ask, post, learn, report, *others = page_commands(PAGE)
    assert [each.split()[0] for each in (post, learn, report)] == ["curl", "sqlassay", "sqlassay"]
    assert (await shell.run(ask))[0] == 0
    items = json.loads((shell.folder / "answers.json").read_text())["items"]
    assert len(items) == 30
    lines = [json.dumps(label(item)) for item in items]
    (shell.folder / "labels.jsonl").write_text("\n".join(lines))

    code, out, _ = await shell.run(post)
    assert (code, json.loads(out)["kept"]) == (0, 30)
    code, out, err = await shell.run(learn)
    assert (code, "calibration 1" in out) == (0, True), err
    code, out, _ = await shell.run(report)
    assert (code, [row["agent"] for row in json.loads(out)]) == (0, ["atlas"])
    assert len(others) == 4
    for command in others:
        code, out, err = await shell.run(command)
        assert code == 0, (command, out, err)


@pytest.mark.slow
async def test_every_command_of_the_quality_runbooks_runs(shell: Shell):
    ask, post, *_ = page_commands(PAGE)
    await shell.run(ask)
    items = json.loads((shell.folder / "answers.json").read_text())["items"]
    (shell.folder / "labels.jsonl").write_text("\n".join(json.dumps(label(item)) for item in items))
    assert (await shell.run(post))[0] == 0
    # the order of a runbook's checks is not that of all: what needs a calibration comes when there is one
    found = {command for path in RUNBOOKS for command in runbook_commands(path)}
    ordered = sorted(found, key=lambda each: ("rollback" in each, "learn tenant" not in each, each))
    assert len(found) > 8
    for command in ordered:
        code, out, err = await shell.run(command.replace("curl -H", "curl -sf -H"))
        needs_file = command in {"sqlassay rules set", "sqlassay backfill"}
        assert code == (2 if needs_file else 0), (command, out, err)
