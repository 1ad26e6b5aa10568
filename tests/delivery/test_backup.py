"""The page about backups, run line by line under load: of a database that is lost no event is missing or doubled."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import URL

from service.storage.embedded import _cluster
from tests.conftest import administer
from tests.delivery import traffic
from tests.delivery.auditing import Held
from tests.delivery.stage import Stage
from tests.delivery.workers import ROOT

pytestmark = pytest.mark.slow  # two workers and a restore
PAGE = ROOT / "docs" / "backup.md"
BEFORE, DURING, AFTER = 100, 300, 100
"""Events that are stored before the backup, published while it runs, and stored between it and the loss."""


def lines_of(section: str) -> list[str]:
    """The lines to be run in a section of the page."""
    [found] = re.findall(rf"^## {section}\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), flags=re.S | re.M)
    return re.findall(r"^ *\$ (.+)$", found, flags=re.MULTILINE)


class Shell:
    """Runs the lines as an operator would, each with what earlier ones exported."""

    def __init__(self, folder: Path, stage: Stage, programs: Path) -> None:
        self.folder = folder
        path = os.pathsep.join([str(Path(sys.executable).parent), str(programs), os.environ["PATH"]])
        bare = {name: value for name, value in os.environ.items() if not name.startswith("SQLASSAY_")}
        self.variables = {**bare, **stage.environment(), "PATH": path, "SQLASSAY_DATABASE__URL": plain(stage.database)}

    async def run(self, line: str) -> tuple[int, str]:
        """Exit code and output."""
        if line.startswith("export "):
            name, _, value = line.removeprefix("export ").partition("=")
            self.variables[name] = self.variables[value.strip('"').removeprefix("$")]
            return 0, ""
        child = await asyncio.create_subprocess_exec(
            *("bash", "-euo", "pipefail", "-c", line),
            cwd=self.folder,
            env=self.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        out, _ = await child.communicate()
        return child.returncode or 0, out.decode()


def plain(url: URL) -> str:
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


async def count(stage: Stage) -> int:
    async with stage.connection() as database:
        return int(await database.fetchval("SELECT count(*) FROM evaluations WHERE current") or 0)


async def restore(shell: Shell, stage: Stage, name: str) -> Held:
    """Runs the page's lines with the database named so; returns what was in the backup."""
    kept: list[Held] = []
    for line in lines_of("Restore"):
        code, said = await shell.run(line.replace("sqlassay_restored", name))
        while "has members" in said:  # until the broker gives the killed worker up
            code, said = await shell.run(line)
        assert code == 0, (line, said)
        kept += [await stage.held()] if line.startswith("pg_restore") else []
    return kept[0]


async def test_a_restored_backup_and_kafka_together_have_every_event_once(
    stage: Stage, tmp_path: Path, postgres_url: URL
):
    # programs as new as the server that is backed up
    shell = Shell(tmp_path, stage, _cluster(tmp_path / "wheel").binaries)
    worker = await stage.ready_worker()
    await stage.publish(traffic.events(1, BEFORE))
    await stage.drained()

    stored_before = await count(stage)
    publishing = asyncio.create_task(stage.publish(traffic.events(2, DURING), pace=0.2))
    for line in lines_of("Back up"):
        code, said = await shell.run(line)
        assert code == 0, (line, said)
    await publishing
    await stage.publish(traffic.events(3, AFTER))
    await stage.drained()
    lost = await stage.held()
    worker.kill()
    # nothing of it is left
    await administer(postgres_url, f"DROP DATABASE {stage.database.database} WITH (FORCE)")
    await administer(postgres_url, f"CREATE DATABASE {stage.database.database}")

    restored = f"sqlassay_restored_{stage.kafka.group.rpartition('-')[2]}"
    stage.database = stage.database.set(database=restored)
    shell.variables |= {"ADMIN_URL": plain(postgres_url), "RESTORED_URL": plain(stage.database)}
    try:
        kept = await restore(shell, stage, restored)
        assert BEFORE <= stored_before <= kept.current.total() < len(stage.published)
        assert kept.ids.items() <= lost.ids.items()

        await stage.ready_worker()
        await stage.publish(traffic.events(4, AFTER))
        await stage.drained()
        found = await stage.audit()
        assert (found.missing, found.doubled, found.unknown, found.untold, found.waiting) == ([], [], [], [], 0), found
        assert found.numbers == 0, found
        # as the page says: what was stored after the backup has another row, and both results
        assert found.torn
        assert set(found.torn) == lost.ids.keys() - kept.ids.keys()
    finally:
        stage.end()
        await administer(postgres_url, f"DROP DATABASE IF EXISTS {restored} WITH (FORCE)")


def test_the_page_has_the_lines_that_are_run():
    assert [line.split()[0] for line in lines_of("Back up")] == ["date", "pg_dump"]
    assert [line.split()[0] for line in lines_of("Restore")] == [
        *("createdb", "pg_restore", "export", "sqlassay", "sqlassay"),
    ]
