"""Commands that need a store, as processes of their own on an embedded PostgreSQL of their own."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from service.samples import sample_rules
from tests import tour

BARE = {name: value for name, value in os.environ.items() if not name.startswith("SQLASSAY_")}


@pytest.fixture(scope="module")
def state() -> Iterator[Path]:
    # Not pytest's folder: the account that PostgreSQL runs as when tests run as root could not enter it.
    with tempfile.TemporaryDirectory(prefix="sqlassay-test-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def sqlassay(state: Path, *arguments: str, text: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
    environment = BARE | {"SQLASSAY_STATE_DIR": str(state)} | settings
    return subprocess.run(
        [sys.executable, "-m", "service", *arguments],
        input=text,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_migrating_twice_gives_the_same_revision(state: Path) -> None:
    first, second = sqlassay(state, "migrate"), sqlassay(state, "migrate")
    assert (first.returncode, first.stdout) == (second.returncode, second.stdout)
    assert first.returncode == 0
    assert first.stdout.strip()


def test_rules_that_were_set_are_shown_with_their_version(state: Path) -> None:
    document = sample_rules()["meridian-retail"]
    before = sqlassay(state, "rules", "show", "library")
    assert (before.returncode, before.stdout) == (1, "")
    assert "defaults apply" in before.stderr
    for version in ("1", "2"):
        done = sqlassay(
            state,
            "rules",
            "set",
            "library",
            "-",
            "--author",
            "ada",
            text=json.dumps(document | {"lambda_min": int(version)}),
        )
        assert (done.returncode, done.stdout.strip()) == (0, version), done.stderr
    shown = sqlassay(state, "rules", "show", "library", "--json")
    newest = json.loads(shown.stdout)
    assert (newest["tenant"], newest["version"], newest["author"]) == ("library", 2, "ada")
    assert newest["rules"]["lambda_min"] == 2
    older = sqlassay(state, "rules", "show", "library", "--version", "1")
    assert json.loads(older.stdout)["lambda_min"] == 1
    again = sqlassay(state, "rules", "set", "library", text=older.stdout)
    assert again.stdout.strip() == "3"


def test_rules_that_cannot_be_read_change_nothing(state: Path) -> None:
    done = sqlassay(state, "rules", "set", "bakery", text='{"benign_filters": ["price = = 1"]}')
    assert (done.returncode, done.stdout) == (2, "")
    assert "price = = 1" in done.stderr
    assert sqlassay(state, "rules", "show", "bakery").returncode == 1


def test_a_report_of_nothing_says_no(state: Path) -> None:
    done = sqlassay(state, "report", "--tenant", "nobody", "--json")
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
def test_bad_usage_ends_with_2(state: Path, arguments: list[str], said: str) -> None:
    done = sqlassay(state, *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_misspelt_setting_ends_with_2_and_the_nearest_name(state: Path) -> None:
    done = sqlassay(state, "report", SQLASSAY_DATABASE__URI="postgresql://db/assay")
    assert done.returncode == 2
    assert "SQLASSAY_DATABASE__URL" in done.stderr


@pytest.mark.parametrize("command", [["migrate"], ["report"], ["rules", "show", "library"], ["serve"]])
def test_a_database_that_is_down_ends_with_3_and_tells_no_password(state: Path, command: list[str]) -> None:
    done = sqlassay(
        state, *command, SQLASSAY_DATABASE__URL="postgresql://me:secret@127.0.0.1:9/assay", SQLASSAY_HTTP__PORT="0"
    )
    assert done.returncode == 3, done.stderr
    assert "127.0.0.1:9" in done.stderr
    assert "secret" not in done.stderr
    assert "Traceback" not in done.stderr


def _demo_until_ctrl_c() -> tuple[int, list[str]]:
    """The process group of the demo, and the lines it told."""
    # A setting of the environment that would break the service shows that the demo uses none.
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
        told: list[str] = []
        for line in demo.stdout:
            told.append(line)
            if "/metrics" in line:
                break
        os.killpg(demo.pid, signal.SIGINT)
        assert demo.wait(timeout=60) == 0
    return demo.pid, told


async def test_the_demo_reports_what_the_readme_shows_and_serves_until_ctrl_c(
    wait_until: Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]],
) -> None:
    group, told = await asyncio.to_thread(_demo_until_ctrl_c)
    text = "".join(told)
    report, worst, *answers = tour.sections(told)
    tour.check("`make demo` prints", [*report, "", *worst, "", *answers[0], "", *answers[1], "…"])
    assert all(agent in text for agent in ("atlas", "beacon", "comet"))
    assert "Worst answers" in text
    # the ended children of an ended process are the system's to clear away
    await wait_until(partial(_is_gone, group))


async def _is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False
