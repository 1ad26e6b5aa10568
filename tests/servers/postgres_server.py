"""PostgreSQL of a given major version: Debian's 15, or the 18 that the embedded wheel brings."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from service.storage.embedded import _cluster  # the wheel, copied where its account can enter
from tests.servers.certificates import write_certificate
from tests.servers.install import POSTGRES
from tests.servers.processes import Server, ServerFailed, listens

_USER = "sqlassay"
_OPTIONS = (
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=200",
    # what the server wrote outlives its own kill without; only the machine's would lose it
    "fsync=off",
    "full_page_writes=off",
)


class PostgresServer(Server):
    """A cluster guarded by a password; it keeps its data over `kill` and `start`."""

    crash = signal.SIGQUIT
    """Takes the children along, as a kill of the first process alone would not; the next start recovers."""

    def __init__(self, home: Path, binaries: Path, made_with: Sequence[str] = ()) -> None:
        super().__init__(home)
        self._binaries, self._made_with = binaries, made_with
        self._password = secrets.token_urlsafe(16)

    @property
    def url(self) -> str:
        """The maintenance database."""
        return f"postgresql://{_USER}:{self._password}@127.0.0.1:{self.port}/postgres"

    @property
    def account(self) -> str | None:
        """`initdb` and the server refuse to run as root."""
        return "postgres" if os.geteuid() == 0 else None

    @property
    def data(self) -> Path:
        return self.home / "data"

    def prepare(self) -> None:
        if self.data.exists():
            return
        self.home.chmod(0o711)
        self.data.mkdir(mode=0o700)
        password = self.home / "password"
        password.touch(mode=0o600)
        password.write_text(self._password)
        if self.account:
            account = pwd.getpwnam(self.account)
            for path in (self.data, password):
                os.chown(path, account.pw_uid, account.pw_gid)
        self._initialise(password)

    def _initialise(self, password: Path) -> None:
        self._run(
            "initdb", "-D", str(self.data), "-U", _USER, "--pwfile", str(password),
            "--auth", "scram-sha-256", "--encoding", "UTF8", "--no-locale", "--no-sync", *self._made_with,
        )  # fmt: skip

    def _run(self, program: str, *arguments: str) -> None:
        made = subprocess.run(
            [str(self._binaries / program), *arguments],
            cwd=self.home,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "PGPASSWORD": self._password},
            user=self.account,
            group=self.account,
            extra_groups=() if self.account else None,
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode != 0:
            raise ServerFailed(f"{program} failed: {made.stdout}{made.stderr}")

    def command(self) -> list[str]:
        options = [word for option in _OPTIONS for word in ("-c", option)]
        return [str(self._binaries / "postgres"), "-D", str(self.data), "-p", str(self.port), *options]

    def answers(self, said: str) -> bool:
        return "database system is ready to accept connections" in said and listens(self.port)

    def standby(self, home: Path) -> StandbyServer:
        """A standby that follows this one."""
        return StandbyServer(home, self._binaries, self)

    def stop(self) -> None:
        """Ends it at once and in order: clients are cut off."""
        self._end(signal.SIGINT)


class StandbyServer(PostgresServer):
    """Holds what its primary holds, and takes writes once it is promoted."""

    def __init__(self, home: Path, binaries: Path, primary: PostgresServer) -> None:
        super().__init__(home, binaries)
        self._password, self._primary = primary._password, primary

    def _initialise(self, password: Path) -> None:
        del password
        place = ("-h", "127.0.0.1", "-p", str(self._primary.port), "-U", _USER)
        self._run("pg_basebackup", *place, "-D", str(self.data), "-R", "-X", "stream", "-c", "fast", "--no-sync")

    def answers(self, said: str) -> bool:
        return "ready to accept read-only connections" in said and listens(self.port)


def debian_postgres(home: Path) -> PostgresServer:
    """PostgreSQL 15; raises `ServerMissing`."""
    return PostgresServer(home, POSTGRES.find().parent)


def wheel_postgres(home: Path) -> PostgresServer:
    """PostgreSQL 18."""
    # each hash of the password costs a connection milliseconds; before 16 their number is fixed
    return PostgresServer(home, _cluster(home / "wheel").binaries, ("-c", "scram_iterations=1"))


class SecurePostgres(PostgresServer):
    """Takes connections over TLS only, each with a certificate of its own CA that names the role, and a password."""

    def _initialise(self, password: Path) -> None:
        super()._initialise(password)
        authority = write_certificate(self.home, "ca")
        write_certificate(self.home, "server", authority)
        write_certificate(self.home, _USER, authority)
        for name in ("ca.crt", "server.crt", "server.key"):
            shutil.copy(self.home / name, self.data / name)
            if self.account:
                shutil.chown(self.data / name, self.account, self.account)
        (self.data / "server.key").chmod(0o600)
        (self.data / "pg_hba.conf").write_text("hostssl all all all scram-sha-256 clientcert=verify-full\n")

    def command(self) -> list[str]:
        files = ("ssl=on", "ssl_ca_file=ca.crt", "ssl_cert_file=server.crt", "ssl_key_file=server.key")
        return [*super().command(), *(word for each in files for word in ("-c", each))]


def secure_postgres(home: Path) -> SecurePostgres:
    """PostgreSQL 15 that demands TLS and a client's certificate; raises `ServerMissing`."""
    return SecurePostgres(home, POSTGRES.find().parent)
