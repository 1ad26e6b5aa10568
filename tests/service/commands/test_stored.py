"""Commands that need a store: `migrate` and `serve` in new processes, most others in the test's own."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest
from sqlalchemy import URL

from service.samples import sample_rules
from tests import tour
from tests.servers.sessions import quick_folder
from tests.service.commands import command_line

Command: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]
BARE = {name: value for name, value in os.environ.items() if not name.startswith("SQLASSAY_")}


@pytest.fixture
def state() -> Iterator[Path]:
    # Not pytest's folder: the account that PostgreSQL runs as when tests run as root could not enter it.
    with tempfile.TemporaryDirectory(dir=quick_folder(), prefix="sqlassay-test-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def new_process(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "service", *arguments],
        env=BARE | settings,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def sqlassay(database: URL) -> Command:
    """Runs a command on this test's database."""
    url = database.render_as_string(hide_password=False)
    return lambda *arguments, **settings: command_line.sqlassay(
        *arguments, **{"SQLASSAY_DATABASE__URL": url, **settings}
    )


@pytest.mark.slow  # a database of its own is made
def test_migrating_the_embedded_database_twice_gives_the_same_revision(state: Path) -> None:
    first, second = (new_process("migrate", SQLASSAY_STATE_DIR=str(state)) for _ in range(2))
    assert (first.returncode, first.stdout) == (second.returncode, second.stdout)
    assert first.returncode == 0
    assert first.stdout.strip()


def test_a_token_is_printed_once_listed_and_revoked(sqlassay: Command) -> None:
    made = sqlassay(
        "tokens", "create", "--tenant", "library", "--scope", "publish", "--scope", "read", "--expires", "9"
    )
    assert re.fullmatch(r"sqa_[\w-]{43}\n", made.stdout)
    named = sqlassay("tokens", "create", "--all-tenants", "--scope", "admin", "--name", "atlas")
    assert named.returncode == 0
    taken = sqlassay("tokens", "create", "--all-tenants", "--scope", "admin", "--name", "atlas")
    assert (taken.returncode, "atlas" in taken.stderr) == (2, True)
    listed = [json.loads(line) for line in sqlassay("tokens", "list").stdout.splitlines()]
    assert [(each["tenant"], each["scopes"], each["state"]) for each in listed] == [
        (None, ["admin"], "in force"),
        ("library", ["publish", "read"], "in force"),
    ]
    assert made.stdout.strip() not in json.dumps(listed)
    assert [sqlassay("tokens", "revoke", name).returncode for name in ("atlas", "atlas", listed[1]["id"])] == [0, 1, 0]
    assert {json.loads(line)["state"] for line in sqlassay("tokens", "list").stdout.splitlines()} == {"revoked"}


def test_the_audit_log_is_printed_newest_first_with_the_account_that_ran_the_command(sqlassay: Command) -> None:
    for tenant in ("library", "bakers"):
        assert sqlassay("tokens", "create", "--tenant", tenant, "--scope", "read", "--name", tenant).returncode == 0
    assert sqlassay("tokens", "revoke", "library").returncode == 0
    printed = [json.loads(line) for line in sqlassay("audit").stdout.splitlines()]
    assert [(each["action"], each["subject"]) for each in printed] == [
        ("token_revoked", "library"), ("token_created", "bakers"), ("token_created", "library"),
    ]  # fmt: skip
    assert {each["via"] for each in printed} == {"command"}
    one = sqlassay("audit", "--tenant", "library", "--action", "token_created", "--since", printed[-1]["at"])
    assert [json.loads(line) for line in one.stdout.splitlines()] == [printed[-1]]
    assert len(sqlassay("audit", "--max", "2").stdout.splitlines()) == 2
    none = sqlassay("audit", "--until", printed[-1]["at"])
    assert (none.returncode, none.stdout) == (1, "")
    for wrong in (("--action", "nothing"), ("--since", "yesterday"), ("--max", "0")):
        refused = sqlassay("audit", *wrong)
        assert refused.returncode == 2
        assert wrong[0] in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--scope", "read"], "--all-tenants"),
        (["--scope", "read", "--tenant", "a", "--all-tenants"], "--all-tenants"),
        (["--scope", "write", "--tenant", "a"], "publish, read"),
        (["--scope", "read", "--tenant", "a/b"], "'a/b'"),
        (["--scope", "read", "--tenant", "a", "--name", ""], "--name"),
    ],
)
def test_a_token_that_cannot_be_is_refused(sqlassay: Command, arguments: list[str], says: str) -> None:
    refused = sqlassay("tokens", "create", *arguments)
    assert (refused.returncode, says in refused.stderr) == (2, True), refused.stderr


def test_rules_that_were_set_are_shown_with_their_version(sqlassay: Command) -> None:
    document = sample_rules()["meridian-retail"]
    before = sqlassay("rules", "show", "library")
    assert (before.returncode, before.stdout) == (1, "")
    assert "defaults apply" in before.stderr
    for version in ("1", "2"):
        done = sqlassay(
            "rules",
            "set",
            "library",
            "-",
            "--author",
            "ada",
            text=json.dumps(document | {"lambda_min": int(version)}),
        )
        assert (done.returncode, done.stdout.strip()) == (0, version), done.stderr
    shown = sqlassay("rules", "show", "library", "--json")
    newest = json.loads(shown.stdout)
    assert (newest["tenant"], newest["version"], newest["author"]) == ("library", 2, "ada")
    assert newest["rules"]["lambda_min"] == 2
    older = sqlassay("rules", "show", "library", "--version", "1")
    assert json.loads(older.stdout)["lambda_min"] == 1
    again = sqlassay("rules", "set", "library", text=older.stdout)
    assert again.stdout.strip() == "3"


def test_a_schema_that_was_set_is_shown_and_can_be_removed(sqlassay: Command) -> None:
    assert sqlassay("schema", "show", "press").returncode == 1
    done = sqlassay("schema", "set", "press", text="CREATE TABLE sheets (id INT PRIMARY KEY, size TEXT)")
    assert (done.returncode, done.stdout.strip()) == (0, "1"), done.stderr
    shown = sqlassay("schema", "show", "press")
    assert [column["name"] for column in json.loads(shown.stdout)["tables"][0]["columns"]] == ["id", "size"]
    assert sqlassay("schema", "set", "press", "-", "--author", "ada", text=shown.stdout).stdout.strip() == "2"
    assert json.loads(sqlassay("rules", "show", "press", "--json").stdout)["author"] == "ada"
    assert sqlassay("schema", "remove", "press").returncode == 0
    assert sqlassay("schema", "show", "press").returncode == 1
    assert sqlassay("schema", "show", "press", "--version", "1").returncode == 0
    gone = sqlassay("schema", "remove", "press")
    assert (gone.returncode, gone.stderr) == (1, "sqlassay: tenant 'press' has no schema\n")


def test_an_invalid_schema_changes_nothing(sqlassay: Command) -> None:
    done = sqlassay("schema", "set", "bindery", text="CREATE TABLE (")
    assert (done.returncode, done.stdout) == (2, "")
    assert "schema in stdin" in done.stderr
    assert sqlassay("schema", "set", "no/tenant", text="CREATE TABLE a (b INT)").returncode == 2
    assert sqlassay("schema", "show", "bindery").returncode == 1


def test_invalid_rules_change_nothing(sqlassay: Command) -> None:
    done = sqlassay("rules", "set", "bakery", text='{"benign_filters": ["price = = 1"]}')
    assert (done.returncode, done.stdout) == (2, "")
    assert "price = = 1" in done.stderr
    assert sqlassay("rules", "show", "bakery").returncode == 1


def test_a_report_without_answers_ends_with_1(sqlassay: Command) -> None:
    done = sqlassay("report", "--tenant", "nobody", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (1, [])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["report", "--by", "moon"], "moon"),
        (["report", "--since", "yesterday"], "yesterday"),
        (["rules", "set", "library", "nowhere.json"], "nowhere.json"),
        (["serve", "--role", "worker"], "Kafka"),
        (["serve", "--role", "api"], "Kafka"),
        (["serve", "--role", "king"], "king"),
    ],
)
def test_bad_usage_ends_with_2(sqlassay: Command, arguments: list[str], said: str) -> None:
    done = sqlassay(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_misspelt_setting_ends_with_2_and_the_nearest_name(sqlassay: Command) -> None:
    done = sqlassay("report", SQLASSAY_DATABASE__URI="postgresql://db/assay")
    assert done.returncode == 2
    assert "SQLASSAY_DATABASE__URL" in done.stderr


@pytest.mark.parametrize(
    "command",
    [["migrate"], ["report"], ["rules", "show", "library"], pytest.param(["serve"], marks=pytest.mark.slow)],
)
def test_a_database_that_is_down_ends_with_3_and_prints_no_password(command: list[str]) -> None:
    run = new_process if command == ["serve"] else command_line.sqlassay
    done = run(*command, SQLASSAY_DATABASE__URL="postgresql://me:secret@127.0.0.1:9/assay", SQLASSAY_HTTP__PORT="0")
    assert done.returncode == 3, done.stderr
    assert "SQLASSAY_DATABASE__URL" in done.stderr
    assert "secret" not in done.stderr
    assert "Traceback" not in done.stderr


def _demo_until(end: Callable[[int], None]) -> tuple[int, list[str]]:
    """Ends the demo once it serves; returns its process group and the lines it printed."""
    # this setting would break the service if the demo used it
    environment = BARE | {"SQLASSAY_DATABASE__URL": "postgresql://127.0.0.1:9/real", "COLUMNS": "80"}
    with subprocess.Popen(
        [sys.executable, "-m", "service", "demo"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as demo:
        assert demo.stdout is not None
        printed: list[str] = []
        for line in demo.stdout:
            printed.append(line)
            if "/metrics" in line:
                break
        end(demo.pid)
        assert demo.wait(timeout=60) == 0
    return demo.pid, printed


@pytest.mark.slow  # a database of its own is made, and all samples are scored
async def test_the_demo_reports_what_the_readme_shows_and_serves_until_ctrl_c(
    wait_until: Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]],
) -> None:
    group, printed = await asyncio.to_thread(_demo_until, lambda group: os.killpg(group, signal.SIGINT))
    text = "".join(printed)
    report, worst, *answers = tour.sections(printed)
    tour.check("`make demo` prints", [*report, "", *worst, "", *answers[0], "", *answers[1], "…"])
    assert all(agent in text for agent in ("atlas", "beacon", "comet", "ember"))
    assert "Worst answers" in text
    # the children of a dead process disappear only when the system reaps them
    await wait_until(partial(_is_gone, group))


@pytest.mark.slow  # as above
async def test_sigterm_ends_the_demo_with_its_service_and_database(
    wait_until: Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]],
) -> None:
    group, _ = await asyncio.to_thread(_demo_until, lambda demo: os.kill(demo, signal.SIGTERM))
    await wait_until(partial(_is_gone, group))


async def _is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False
