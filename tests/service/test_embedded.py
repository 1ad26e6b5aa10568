from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import text

from service.serving import running
from service.settings import Settings
from service.settings.loading import SettingsError, load_settings
from service.settings.storage_settings import DatabaseSettings
from service.storage.embedded import embedded_postgres
from service.storage.scores.search_index import INDEX
from tests.servers.sessions import quick_folder

pytestmark = pytest.mark.slow  # starts and kills embedded servers

CHILD = """
import sys
from pathlib import Path
from service.storage.embedded import embedded_postgres
with embedded_postgres(Path(sys.argv[1])) as url:
    print(url, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=quick_folder(), prefix="sqlassay-embedded-") as name:
        yield Path(name)


async def ask(url: str, statement: str) -> object:
    connection = await asyncpg.connect(url.replace("+asyncpg", ""))
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


def start_child(folder: Path) -> tuple[subprocess.Popen[str], str]:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    return child, child.stdout.readline().strip()


def server_pid(folder: Path) -> int:
    return int(next(folder.glob("postgres-*/data/postmaster.pid")).read_text().split()[0])


@pytest.mark.parametrize("indexed", [True, False])
async def test_the_service_makes_the_index_for_searches(folder, indexed):
    settings = Settings(state_dir=folder, database=DatabaseSettings(search_index=indexed))
    async with running(settings) as service, service.engine.connect() as connection:
        found = await connection.scalar(
            text("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(:name)"), {"name": INDEX}
        )
        assert found is (True if indexed else None)


async def test_data_outlive_the_server(folder):
    with embedded_postgres(folder) as url:
        await ask(url, "CREATE TABLE loaves (id int)")
    assert list(folder.glob("postgres-*/data/postmaster.pid")) == []
    with embedded_postgres(folder) as url:
        assert await ask(url, "SELECT count(*) FROM loaves") == 0


async def test_two_processes_share_one_server_and_the_last_to_leave_stops_it(folder):
    child, childs = start_child(folder)
    with embedded_postgres(folder) as url:
        assert url == childs
        child.communicate("")
        assert await ask(url, "SELECT 1") == 1
    assert list(folder.glob("postgres-*/data/postmaster.pid")) == []


async def test_after_a_user_was_killed_the_next_one_takes_over_its_server(folder):
    child, childs = start_child(folder)
    child.kill()
    child.communicate()
    with embedded_postgres(folder) as url:
        assert url == childs
    assert list(folder.glob("postgres-*/data/postmaster.pid")) == []


async def test_after_the_server_was_killed_it_recovers(folder, wait_until):
    with embedded_postgres(folder) as url:
        await ask(url, "CREATE TABLE loaves (id int)")
        pid = server_pid(folder)
        os.kill(pid, signal.SIGKILL)

        async def gone() -> bool:
            return not os.path.exists(f"/proc/{pid}")  # noqa: ASYNC240 a look at the kernel

        await wait_until(gone)
        with embedded_postgres(folder) as again:
            assert await ask(again, "SELECT count(*) FROM loaves") == 0


async def test_a_pid_file_whose_number_another_process_has_now_is_forgotten(folder):
    with embedded_postgres(folder):
        pid_file = next(folder.glob("postgres-*/data/postmaster.pid"))
        content = pid_file.read_text()
    lines = content.split("\n")
    pid_file.write_text("\n".join([str(os.getpid()), *lines[1:]]))
    with embedded_postgres(folder) as url:
        assert await ask(url, "SELECT 1") == 1


async def test_strangers_need_the_password(folder):
    with embedded_postgres(folder) as url:
        bare = url.split("@")[1].split("/")[0]
        with pytest.raises(asyncpg.InvalidPasswordError):
            await asyncpg.connect(f"postgresql://sqlassay:guess@{bare}/postgres")


def test_a_misspelt_setting_is_named_with_the_nearest_one():
    with pytest.raises(
        SettingsError, match=r"SQLASSAY_HTTP__PROT is not a setting: did you mean SQLASSAY_HTTP__PORT\?"
    ):
        load_settings({"SQLASSAY_HTTP__PROT": "1"})


def test_settings_are_read_from_the_environment(monkeypatch):
    monkeypatch.setenv("SQLASSAY_HTTP__PORT", "9000")
    monkeypatch.setenv("SQLASSAY_HTTP__TOKENS", '{"bakers": "s3cret-for-tests-only-123"}')
    settings = load_settings()
    assert settings.http.port == 9000
    assert settings.http.tokens["bakers"].token.get_secret_value() == "s3cret-for-tests-only-123"
    assert "s3cret" not in repr(settings)


def test_a_wrong_value_names_its_variable(monkeypatch):
    monkeypatch.setenv("SQLASSAY_HTTP__PORT", "many")
    with pytest.raises(SettingsError, match="SQLASSAY_HTTP__PORT"):
        load_settings()


def test_tokens_that_are_not_json_are_refused(monkeypatch):
    monkeypatch.setenv("SQLASSAY_HTTP__TOKENS", "secret-word")
    with pytest.raises(SettingsError) as refusal:
        load_settings()
    assert "secret-word" not in str(refusal.value)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.5", "assay.example"])
def test_strangers_may_not_reach_a_service_without_tokens(monkeypatch, host):
    monkeypatch.setenv("SQLASSAY_HTTP__HOST", host)
    with pytest.raises(SettingsError, match="SQLASSAY_HTTP__TOKENS"):
        load_settings()
    monkeypatch.setenv("SQLASSAY_HTTP__TOKENS", '{"*": "s3cret-for-tests-only-123"}')
    assert load_settings().http.host == host


def test_the_default_settings_need_nothing():
    assert Settings().http.host == "127.0.0.1"
