"""Two versions of SQLAssay in one consumer group, and an upgrade with its migrations that is rolled back under load.

The other version is a commit of this repository; a clone without its history skips these cells.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.metadata import distributions
from pathlib import Path

from scoring import EVALUATOR_VERSION
from tests.conftest import administer
from tests.delivery.scenes import Scene
from tests.delivery.sites import Site
from tests.delivery.workers import BUILD, ROOT, Worker
from tests.servers.fixtures import async_url, unavailable
from tests.servers.install import ServerMissing

LATER_TABLES = "tables_of_a_later_version"
"""What a version logs that starts on tables of a later one."""

_OWN_ROWS = """
CREATE SCHEMA own_rows;
CREATE VIEW own_rows.evaluations AS SELECT * FROM public.evaluations WHERE evaluator_version <> '{version}';
CREATE VIEW own_rows.remembered_answers AS SELECT * FROM public.remembered_answers
WHERE event NOT IN (SELECT event FROM public.evaluations WHERE evaluator_version = '{version}');
"""
"""The tables as if only the other version had written to them."""
_MEMORY_AUDIT = """
import asyncio, json, sys
from sqlalchemy.ext.asyncio import create_async_engine
from tests.recomputed_memory import memory_differences
engine = create_async_engine(sys.argv[1], connect_args={"server_settings": {"search_path": "own_rows,public"}})
print(json.dumps(asyncio.run(memory_differences(engine, complete=False))))
"""
"""Run by the other version's code, which alone can compute again what it remembered."""


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


def _another_evaluator() -> str:
    """The last commit with another evaluator version."""
    return _commit("-S", f'EVALUATOR_VERSION = "{EVALUATOR_VERSION}"', "--", "scoring/__init__.py")


def _missing_packages(commit: str) -> list[str]:
    """What that code imports and this environment lacks."""
    needed = tomllib.loads(_git("show", f"{commit}:pyproject.toml").decode())["project"]["dependencies"]
    installed = {each.name.lower().replace("_", "-") for each in distributions()}
    return [name for name in (re.split(r"[^\w.-]", each)[0] for each in needed) if name.lower() not in installed]


def before_this_evaluator() -> str:
    """The last commit with another evaluator version."""
    return _another_evaluator()


def install_missing_packages(commit: str, folder: Path) -> None:
    """Installs beside a checkout what only that code imports; where there is no package index, the cell is skipped."""
    missing = _missing_packages(commit)
    if not missing:
        return
    # what this environment has stays as it is: the other version's code is tested, and not its packages
    kept = folder / "kept.txt"
    kept.write_text("".join(f"{each.name}=={each.version}\n" for each in distributions() if each.name != "sqlassay"))
    where = ("--python", sys.executable, "--target", str(Worker.packages(folder)), "--constraints", str(kept))
    install = (str(Path(sys.executable).with_name("uv")), "pip", "install", "--quiet", *where, *missing)
    made = subprocess.run(install, capture_output=True, check=False)
    if made.returncode != 0:
        said = made.stderr.decode("utf-8", "replace").strip()[-500:]
        unavailable(ServerMissing(f"the version before needs {', '.join(missing)}, which is not installed: {said}"))


def before_the_last_migration() -> str:
    """The last commit without the newest revision of the tables; rather one with another evaluator version.

    Commits of one evaluator version that is not released may score differently.
    """
    newest = str(max((ROOT / "migrations" / "versions").glob("*.py")).relative_to(ROOT))
    other = _another_evaluator()
    if not _git("ls-tree", "--name-only", other, "--", newest):
        return other
    return _commit("--diff-filter=A", "--", newest)


async def replace_all(site: Site) -> None:
    """Workers of the site's present code take over one by one."""
    for each in site.members:
        await site.worker()
        assert await asyncio.to_thread(each.leave) == 0, each.said[-2000:]


@dataclass(slots=True, eq=False)
class AfterAnother(Scene):
    """Workers of the version before run on its tables when the scene begins."""

    _old: Path = field(init=False)

    @staticmethod
    def before() -> str:
        """The commit of the other version."""
        return before_this_evaluator()

    @asynccontextmanager
    async def prepared(self, site: Site) -> AsyncGenerator[None]:
        stage = site.stage
        commit = self.before()
        self._old = checked_out(commit, stage.folder / "old")
        await asyncio.to_thread(install_missing_packages, commit, self._old)
        name = str(stage.database.database)
        await administer(async_url(site.servers.postgres.url), f"DROP DATABASE {name}")
        await administer(async_url(site.servers.postgres.url), f"CREATE DATABASE {name}")
        await migrate_by(site, self._old)
        await stage.rules()
        stage.checkout = self._old
        yield

    async def wrong(self, site: Site) -> list[str]:
        stage = site.stage
        if not (self._old / "tests" / "recomputed_memory.py").exists():
            return []
        async with stage.connection() as database:
            await database.execute(_OWN_ROWS.format(version=EVALUATOR_VERSION))
            remembered = await database.fetchval("SELECT count(*) FROM own_rows.remembered_answers")
        url = stage.database.render_as_string(hide_password=False)
        told = await run_by(site, self._old, "-c", _MEMORY_AUDIT, url)
        nothing = [] if remembered else ["the version before remembered nothing"]
        return [*nothing, *(f"audited by the version before: {why}" for why in json.loads(told)[:5])]


async def run_by(site: Site, checkout: Path, *arguments: str) -> str:
    """What Python prints that runs a version's code."""
    command = [sys.executable, *arguments]
    environment = Worker.variables(site.stage.environment(), checkout)
    made = await asyncio.to_thread(
        lambda: subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    )
    assert made.returncode == 0, made.stderr[-2000:]
    return made.stdout


async def migrate_by(site: Site, checkout: Path) -> None:
    """Migrates the tables as a version does."""
    await run_by(site, checkout, *BUILD[1:], "migrate")


@dataclass(slots=True, eq=False)
class TwoVersions(AfterAnother):
    """A worker of this version joins workers of the version before, works beside them, and they leave."""

    async def happen(self, site: Site) -> str:
        others = site.members
        site.stage.checkout = ROOT
        await site.worker()
        await site.hold()
        for each in others:
            assert await asyncio.to_thread(each.leave) == 0, each.said[-2000:]
        await site.hold()
        async with site.stage.connection() as database:
            rows = await database.fetch("SELECT evaluator_version, count(*) FROM evaluations GROUP BY 1 ORDER BY 1")
        assert len(rows) == 2, f"only one version wrote rows: {rows}"
        return " beside ".join(f"{row['count']} rows by evaluator {row['evaluator_version']}" for row in rows)


@dataclass(slots=True, eq=False)
class UpgradeAndRollBack(AfterAnother):
    """Tables are migrated under workers of the version before; then workers are replaced, rolled back and replaced.

    A version that does not start on later tables cannot be rolled back to.
    """

    @staticmethod
    def before() -> str:
        """The last commit with fewer tables."""
        return before_the_last_migration()

    async def happen(self, site: Site) -> str:
        async with site.stage.connection() as database:
            before = await database.fetchval("SELECT version_num FROM alembic_version")
            await migrate_by(site, ROOT)
            after = await database.fetchval("SELECT version_num FROM alembic_version")
        sources = (self._old / "service" / "storage").glob("*.py")
        back = any(LATER_TABLES in each.read_text(encoding="utf-8") for each in sources)
        for checkout in (ROOT, self._old, ROOT) if back else (ROOT,):
            site.stage.checkout = checkout
            await replace_all(site)
        rolled = ", rolled back and upgraded" if back else " (the version before cannot start on later tables)"
        return f"tables from revision {before} to {after}, workers upgraded{rolled}"
