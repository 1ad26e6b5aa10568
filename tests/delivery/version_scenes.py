"""Two versions of SQLAssay in one consumer group, and an upgrade with its migrations that is rolled back under load.

The other version is a commit of this repository; a clone without its history skips these cells.
"""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from scoring import EVALUATOR_VERSION
from tests.conftest import administer
from tests.delivery.scenes import Scene
from tests.delivery.sites import Site
from tests.delivery.workers import BUILD, ROOT, Worker
from tests.servers.fixtures import async_url, unavailable
from tests.servers.install import ServerMissing


def _git(*arguments: str) -> bytes:
    made = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=False)
    if made.returncode != 0:
        said = made.stderr.decode("utf-8", "replace").strip()
        unavailable(ServerMissing(f"this clone lacks the history that holds another version: {said}"))
    return made.stdout


def checked_out(commit: str, folder: Path) -> Path:
    """The files of a commit."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "-x", "-C", str(folder)], input=_git("archive", commit), check=True)
    return folder


def _commit(*arguments: str) -> str:
    found = _git("log", "-1", "--format=%H", *arguments).decode().strip()
    if not found:
        unavailable(ServerMissing("this clone lacks the history that holds another version"))
    return f"{found}^"


def before_this_evaluator() -> str:
    """The last commit with another evaluator version."""
    return _commit("-S", f'EVALUATOR_VERSION = "{EVALUATOR_VERSION}"', "--", "scoring/__init__.py")


def before_the_last_migration() -> str:
    """The last commit without the newest revision of the tables."""
    newest = max((ROOT / "migrations" / "versions").glob("*.py"))
    return _commit("--diff-filter=A", "--", str(newest.relative_to(ROOT)))


async def replace_all(site: Site) -> None:
    """Workers of the site's present code take over one by one."""
    for each in site.members:
        await site.worker()
        assert await asyncio.to_thread(each.leave) == 0, each.said[-2000:]


@dataclass(slots=True, eq=False)
class TwoVersions(Scene):
    """A worker of the version before joins, works beside the others, and leaves."""

    _old: Path = field(init=False)

    @asynccontextmanager
    async def prepared(self, site: Site) -> AsyncGenerator[None]:
        self._old = checked_out(before_this_evaluator(), site.stage.folder / "old")
        yield

    async def happen(self, site: Site) -> str:
        other: Worker = await site.stage.ready_worker(checkout=self._old)
        await site.hold()
        assert await asyncio.to_thread(other.leave) == 0, other.said[-2000:]
        async with site.stage.connection() as database:
            rows = await database.fetch("SELECT evaluator_version, count(*) FROM evaluations GROUP BY 1 ORDER BY 1")
        assert len(rows) == 2, f"only one version wrote rows: {rows}"
        return " beside ".join(f"{row['count']} rows by evaluator {row['evaluator_version']}" for row in rows)


@dataclass(slots=True, eq=False)
class UpgradeAndRollBack(Scene):
    """Tables are migrated under workers of the version before; then workers are replaced, rolled back and replaced."""

    _old: Path = field(init=False)

    @asynccontextmanager
    async def prepared(self, site: Site) -> AsyncGenerator[None]:
        stage = site.stage
        self._old = checked_out(before_the_last_migration(), stage.folder / "old")
        name = str(stage.database.database)
        await administer(async_url(site.servers.postgres.url), f"DROP DATABASE {name}")
        await administer(async_url(site.servers.postgres.url), f"CREATE DATABASE {name}")
        await self._migrate(site, self._old)
        await stage.rules()
        stage.checkout = self._old
        yield

    async def _migrate(self, site: Site, checkout: Path) -> None:
        command = [*BUILD, "migrate"]
        environment = Worker.variables(site.stage.environment(), checkout)
        made = await asyncio.to_thread(
            lambda: subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
        )
        assert made.returncode == 0, made.stderr[-2000:]

    async def happen(self, site: Site) -> str:
        async with site.stage.connection() as database:
            before = await database.fetchval("SELECT version_num FROM alembic_version")
            await self._migrate(site, ROOT)
            after = await database.fetchval("SELECT version_num FROM alembic_version")
        for checkout in (ROOT, self._old, ROOT):
            site.stage.checkout = checkout
            await replace_all(site)
        return f"tables from revision {before} to {after}, workers upgraded, rolled back and upgraded"
