"""URLs as hosts of PostgreSQL print them, on a server that demands TLS and a client's certificate."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.parse import quote

import pytest
from sqlalchemy import text

from consumers.errors import StoreUnavailable
from service.settings.loading import SettingsError
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine, translate_errors
from service.storage.libpq_url import read_url
from tests.servers.certificates import write_certificate
from tests.servers.fixtures import available
from tests.servers.install import POSTGRES_15
from tests.servers.postgres_server import SecurePostgres, secure_postgres
from tests.servers.processes import free_port
from tests.servers.sessions import own_server

pytestmark = pytest.mark.slow  # starts a server of its own


@pytest.fixture(scope="module")
def server() -> Iterator[SecurePostgres]:
    with available(own_server(secure_postgres)) as opened:
        yield opened


def url_of(server: SecurePostgres, **changed: str | None) -> str:
    """The server's URL with the parameters that it needs, some of them changed or left out."""
    home = server.home
    parameters = {
        "sslmode": "verify-full",
        "sslrootcert": f"{home}/ca.crt",
        "sslcert": f"{home}/sqlassay.crt",
        "sslkey": f"{home}/sqlassay.key",
        **changed,
    }
    return f"{server.url}?" + "&".join(f"{name}={quote(value)}" for name, value in parameters.items() if value)


async def ask(url: str, sql: str = "SELECT current_setting('application_name')") -> object:
    engine = create_engine(read_url(url), DatabaseSettings())
    async with AsyncExitStack() as stack:
        stack.push_async_callback(engine.dispose)
        with translate_errors(engine.url):
            connection = await stack.enter_async_context(engine.connect())
            return await connection.scalar(text(sql))


async def test_the_server_and_the_client_show_certificates(server: SecurePostgres):
    assert await ask(url_of(server), "SELECT client_dn FROM pg_stat_ssl WHERE pid = pg_backend_pid()") == "/CN=sqlassay"


async def test_parameters_mean_what_they_mean_to_libpq(server: SecurePostgres):
    url = url_of(
        server,
        application_name="assay of acme",
        connect_timeout="5",
        options="-c statement_timeout=5min -c search_path=assay,public",
        target_session_attrs="read-write",
        gssencmode="prefer",
        channel_binding="prefer",
    )
    assert await ask(url) == "assay of acme"
    assert await ask(url, "SHOW statement_timeout") == "5min"
    assert await ask(url, "SHOW search_path") == "assay,public"
    assert await ask(url, "SHOW timezone") == "UTC"


async def test_the_variable_of_libpq_names_the_authorities_where_the_url_does_not(
    server: SecurePostgres, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PGSSLROOTCERT", f"{server.home}/ca.crt")
    assert await ask(url_of(server, sslrootcert=None), "SELECT 1") == 1


async def test_every_host_of_several_is_reached_by_tls(server: SecurePostgres):
    host = f"127.0.0.1:{server.port}"
    several = url_of(server).replace(host, f"localhost:{free_port()},{host}")
    assert await ask(several, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()") is True


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"sslmode": "disable", "sslcert": None}, "InvalidAuthorizationSpecification"),
        ({"sslcert": None, "sslkey": None}, "InvalidAuthorizationSpecification|CERTIFICATE_REQUIRED"),
        ({"sslrootcert": "{folder}/other.crt"}, "its certificate is refused: .*self.signed certificate"),
        ({"sslrootcert": "system"}, "its certificate is refused: .*self.signed certificate"),
    ],
)
async def test_what_the_server_or_the_client_refuses_is_said(
    server: SecurePostgres, tmp_path: Path, changed: dict[str, str | None], said: str
):
    write_certificate(tmp_path, "other")
    given = {name: value and value.replace("{folder}", str(tmp_path)) for name, value in changed.items()}
    with pytest.raises(StoreUnavailable, match=said):
        await ask(url_of(server, **given))


async def test_only_verify_full_compares_the_host_with_the_certificate(server: SecurePostgres):
    # another name for this machine, for which the certificate is not
    with pytest.raises(StoreUnavailable, match="its certificate names another host"):
        await ask(url_of(server).replace("127.0.0.1", "0.0.0.0"))
    assert await ask(url_of(server, sslmode="verify-ca").replace("127.0.0.1", "0.0.0.0"), "SELECT 1") == 1


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"sslrootcert": "/absent.crt"}, "sslrootcert /absent.crt .* cannot be read: .*No such file"),
        ({"sslkey": "/absent.key"}, "sslkey /absent.key .* cannot be read: .*No such file"),
        ({"sslrootcert": None}, "needs the certificates to trust: add sslrootcert=FILE"),
        ({"sslrootcert": "system", "sslmode": "require"}, "sslrootcert=system .* needs sslmode=verify-full"),
        ({"sslmode": "verify"}, "write disable or allow or prefer or require or verify-ca or verify-full"),
        ({"gssencmode": "require"}, "gssencmode .* write disable or prefer"),
        ({"channel_binding": "require"}, "channel_binding .* write disable or prefer"),
        ({"target_session_attrs": "standby"}, "target_session_attrs .* write any or read-write or primary"),
        ({"keepalives_idle": "30"}, "sets keepalives_idle, which the driver cannot: remove it"),
        ({"connect_timeout": "soon"}, "connect_timeout .* is not a number of seconds"),
        ({"unheard_of": "1"}, "sets a parameter after . that is not one of application_name, connect_timeout"),
    ],
)
def test_what_the_driver_cannot_do_is_refused_in_one_line(
    server: SecurePostgres, changed: dict[str, str | None], said: str
):
    with pytest.raises(SettingsError, match=said) as refused:
        read_url(url_of(server, **changed))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (["report", "--tenant", "acme"], 1, "no stored answers match"),
        (["forget", "--tenant", "acme"], 0, ""),
        (["doctor"], 0, "PostgreSQL answers"),
    ],
)
def test_commands_take_the_url(server: SecurePostgres, command: list[str], code: int, said: str):
    assert run([sys.executable, "-m", "service", "migrate"], server).returncode == 0
    done = run([sys.executable, "-m", "service", *command], server)
    assert said in done.stdout + done.stderr
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stdout + done.stderr


def test_psql_takes_the_url_as_runbooks_give_it(server: SecurePostgres):
    done = run(["sh", "-c", "psql \"$SQLASSAY_DATABASE__URL\" -c 'SELECT current_user'"], server)
    assert "sqlassay" in done.stdout, done.stderr


def run(command: list[str], server: SecurePostgres) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PATH": f"{POSTGRES_15}:{os.environ['PATH']}",
        "SQLASSAY_DATABASE__URL": url_of(server, connect_timeout="5", application_name="assay"),
    }
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
