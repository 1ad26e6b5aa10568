"""No part of a password is ever shown, however malformed the URL that holds it."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
import traceback
from collections.abc import Awaitable, Callable

import pytest
from pydantic import SecretStr

from references.databases.access import DatabaseLimits, UnknownDatabaseError
from references.databases.opening import open_one
from service.logs import configure_logs
from service.redis.link import open_redis
from service.settings.loading import SettingsError, load_settings
from service.settings.observability_settings import LogSettings
from service.settings.storage_settings import DatabaseSettings, RedisSettings
from service.storage.database import create_engine, migrate
from service.storage.libpq_url import read_url

PARTS = ("quartz", "ember", "willow")
"""Of which every password here is made; each is shown nowhere."""
PASSWORDS = [
    "quartz@ember", "quartz/ember", "quartz#ember", "quartz?ember", "quartz%ember", "quartz%zzember", "quartz:ember",
    "quartz ember", "quartz@ember/willow", "quartz/ember@willow", "quartz?ember=willow", "quartz@ember?willow=1",
    "quartz#ember@willow", "quartz@ember:willow", "quartz@[ember]willow", "quartz,ember", "quartz@ember,willow",
    "quartz\\ember", "quartz'ember\"willow", "quartz\tember", "quartz\nember", "quartzémber", "quartz{ember}willow",
    "quartz;ember", "quartz&ember=willow", "quartz@ember:5432/willow", "@quartz@ember@", "/quartz/ember",
    "?quartz#ember",
]  # fmt: skip
ENDS = ["@127.0.0.1:1/assay", "@[::1]:1/assay", "@127.0.0.1:1,127.0.0.1:2/assay", "", "@", "@127.0.0.1:port/assay"]
SHAPES = [f"SCHEME://me:{password}{end}" for password in PASSWORDS for end in ENDS] + [
    "SCHEME:/me:quartz@127.0.0.1:1/assay", "SCHEME:me:quartz@127.0.0.1:1/assay", "me:quartz@127.0.0.1:1/assay",
    "//me:quartz@127.0.0.1:1/assay", " SCHEME://me:quartz@127.0.0.1:1/assay", "SCHEME ://me:quartz@127.0.0.1:1/assay",
    "SCHEMES://me:quartz@127.0.0.1:1/assay", "SCHEME://quartz@127.0.0.1:1/assay", "SCHEME://:quartz@127.0.0.1:1/assay",
    "host=127.0.0.1 port=1 user=me password=quartz dbname=assay", "host=127.0.0.1 password='quartz ember'", "quartz",
    "SCHEME://127.0.0.1:1/assay?password=quartz", "SCHEME://127.0.0.1:1/assay?pass=quartz", "{'password': 'quartz'}",
    "SCHEME://127.0.0.1:1/assay?quartz=ember", "SCHEME://127.0.0.1:1/assay?port=quartz", '{"url": "quartz"}',
    "SCHEME://127.0.0.1:1/assay?timeout=quartz", "SCHEME://127.0.0.1:1/quartz/ember", "SCHEME://127.0.0.1:1/assay#quartz",
    "SCHEME://me:quartz@127.0.0.1:99999/assay", "SCHEME://me:quartz@[::1/assay", "SCHEME://me:quartz@::1/assay",
    "SCHEME://me:quartz@127.0.0.1:1/assay?ssl=ember", "SCHEME://me:quartz@/assay?host=127.0.0.1&port=1",
    "SCHEME://me:quartz@127.0.0.1:1/assay?sslmode=ember", "SCHEME://me:quartz@127.0.0.1:1/assay?target_session_attrs=ember",
]  # fmt: skip


def shapes(scheme: str) -> list[str]:
    return [shape.replace("SCHEME", scheme) for shape in SHAPES]


def without(said: str, shape: str) -> None:
    assert not [part for part in PARTS if part in said.lower()], f"{shape!r}: {said}"


@pytest.fixture
def written() -> io.StringIO:
    """All that the logs say, of libraries too."""
    configure_logs(LogSettings(level="debug"))
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logging.getLogger().addHandler(handler)
    return stream


async def shown_by(work: Callable[[], Awaitable[object]]) -> str:
    """What a failure shows, with the traceback that a log would hold."""
    try:
        await work()
    except Exception as error:
        return "".join(traceback.format_exception_only(error)) + "".join(
            str(each) for each in chain(error) if not isinstance(each, ValueError | LookupError) or each is error
        )
    return ""


def chain(error: BaseException) -> list[BaseException]:
    """The errors that a traceback shows."""
    found = [error]
    while following := found[-1].__cause__ or (None if found[-1].__suppress_context__ else found[-1].__context__):
        found.append(following)
    return found


def test_there_are_as_many_shapes_as_the_documentation_says():
    assert len(SHAPES) == len(set(SHAPES)) >= 200


async def test_the_databases_password_is_never_shown(written: io.StringIO, capsys: pytest.CaptureFixture[str]):
    async def connect(shape: str) -> None:
        engine = create_engine(read_url(shape), DatabaseSettings(timeout=2))
        try:
            await migrate(engine)
        finally:
            await engine.dispose()

    refused = 0
    for shape in shapes("postgresql"):
        said = await shown_by(lambda shape=shape: connect(shape))
        assert said, shape
        without(said, shape)
        refused += "is not a PostgreSQL URL" in said
    assert refused >= 100
    without(written.getvalue() + "".join(capsys.readouterr()), "the log")


async def test_rediss_password_is_never_shown(written: io.StringIO, capsys: pytest.CaptureFixture[str]):
    async def connect(shape: str) -> None:
        async with open_redis(RedisSettings(url=SecretStr(shape), timeout=0.2)) as link:
            assert link is not None
            with link.use("test") as client:
                await client.get("x")

    for shape in shapes("redis"):
        said = await shown_by(lambda shape=shape: connect(shape))
        assert said, shape
        without(said, shape)
    without(written.getvalue() + "".join(capsys.readouterr()), "the log")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("ssl_ca_certs=/none/ca.pem", "a TLS file"),
        (f"ssl_certfile={__file__}", "a TLS file"),
        ("ssl_cert_reqs=CERT_NONE", "an option"),
        ("protocol=9", "an option"),
    ],
)
@pytest.mark.parametrize("place", ["rediss://:quartz@127.0.0.1:1/0", "rediss+sentinel://:quartz@127.0.0.1:1/primary"])
async def test_redis_options_of_which_no_connection_can_be_made_are_refused_at_the_start(
    place: str, options: str, said: str
):
    with pytest.raises(SettingsError, match=said) as refused:
        async with open_redis(RedisSettings(url=SecretStr(f"{place}?{options}"))):
            pass
    assert "quartz" not in str(refused.value)


@pytest.mark.parametrize(
    "variable",
    [
        "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS",
        "SQLASSAY_JUDGE__BASE_URL",
        "SQLASSAY_DATABASE",
        "SQLASSAY_REDIS",
        "SQLASSAY_KAFKA",
    ],
)
def test_settings_do_not_repeat_what_they_refuse(monkeypatch: pytest.MonkeyPatch, variable: str):
    refused = 0
    for shape in shapes("https" if "BASE_URL" in variable else "kafka"):
        monkeypatch.setenv(variable, shape)
        try:
            shown = repr(load_settings())
        except SettingsError as error:
            refused += 1
            without("".join(map(str, chain(error))), shape)
        else:
            # an address without user and password is a plain setting
            assert "@" not in shape or "@" not in shown, shape
    assert refused >= 150


def test_a_named_databases_password_is_never_shown():
    limits = DatabaseLimits(seconds=1)
    for shape in [*shapes("postgresql"), *shapes("mysql"), *shapes("duckdb")]:
        with pytest.raises(UnknownDatabaseError) as refused, open_one(shape, limits):
            pass
        if not shape.startswith("duckdb") and ("@" in shape or "://" in shape):
            without("".join(map(str, chain(refused.value))), shape)


COMMANDS = [
    (["report"], "postgresql://me:quartz@ember/willow@127.0.0.1:1/assay"),
    pytest.param(["migrate"], "postgresql://me:quartz#ember@127.0.0.1:1/assay", marks=pytest.mark.slow),
    pytest.param(["forget", "--tenant", "t"], "postgresql://me:quartz@ember", marks=pytest.mark.slow),
    pytest.param(["serve"], "postgresql://me:quartz@ember/willow", marks=pytest.mark.slow),
]


@pytest.mark.slow  # takes over a second
@pytest.mark.parametrize(("command", "shape"), COMMANDS)
def test_no_command_shows_a_password(command: list[str], shape: str):
    done = subprocess.run(
        [sys.executable, "-m", "service", *command],
        env={**os.environ, "SQLASSAY_DATABASE__URL": shape, "SQLASSAY_LOG__LEVEL": "debug"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {2, 3}
    without(done.stdout + done.stderr, shape)
