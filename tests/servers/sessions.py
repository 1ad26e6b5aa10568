"""One server of a kind per test run, shared by its workers. The last one out ends it; the next run ends forgotten ones.

A user is who holds a shared lock: the kernel releases it however the process ends.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from tests.servers.processes import Server

_PREFIX = f"sqlassay-servers-{os.getuid()}-"
_DISK, _MEMORY = Path(tempfile.gettempdir()), Path("/dev/shm")
_ROOM = 4 * 1024**3
"""Bytes; a whole run uses a tenth of it."""
AnyServer = TypeVar("AnyServer", bound=Server)


def quick_folder() -> Path:
    """Where servers of tests keep their data: in memory, where there is room for it and programs may run from there.

    Each database of a test is hundreds of files, which a disk makes and removes many times slower.
    """
    try:
        found = os.statvfs(_MEMORY)
    except OSError:
        return _DISK
    usable = found.f_blocks * found.f_frsize >= _ROOM and not found.f_flag & os.ST_NOEXEC
    return _MEMORY if usable and os.access(_MEMORY, os.W_OK) else _DISK


def _run() -> str:
    """The name of this test run's folders, the same for all of its workers."""
    return f"{_PREFIX}{os.environ.get('PYTEST_XDIST_TESTRUNUID') or os.getpid()}"


@contextmanager
def shared_server(kind: str, make: Callable[[Path], AnyServer], address: Callable[[AnyServer], str]) -> Iterator[str]:
    """The address of the run's server of this kind, started by the first who asks."""
    with _in_use(quick_folder() / _run() / kind) as home:
        told = home / "address"
        with _alone(home):
            if not told.exists():
                server = make(home)
                server.start()
                told.write_text(address(server))
        yield told.read_text()


@contextmanager
def own_server(make: Callable[[Path], AnyServer], *, on_disk: bool = False) -> Iterator[AnyServer]:
    """A running server for one test, to be killed, frozen and started again; `on_disk` where it is to be measured."""
    root = _DISK if on_disk else quick_folder()
    with _in_use(root / _run() / f"own-{uuid.uuid4().hex[:8]}") as home:
        server = make(home)
        server.start()
        try:
            yield server
        finally:
            server.kill()


@contextmanager
def _in_use(home: Path) -> Iterator[Path]:
    _end_forgotten()
    home.mkdir(parents=True, exist_ok=True, mode=0o755)
    with (home / "users.lock").open("a") as users:
        with _alone(home):
            fcntl.flock(users, fcntl.LOCK_SH)
        try:
            yield home
        finally:
            with _alone(home):
                if _grants(users.fileno()):
                    _end(home)


def _end_forgotten() -> None:
    for home in {each for root in (_DISK, quick_folder()) for each in root.glob(f"{_PREFIX}*/*")}:
        if home.parent.name == _run() or not (home / "users.lock").exists():
            continue
        with suppress(FileNotFoundError), (home / "start.lock").open("a") as start:
            if not _grants(start.fileno()):
                continue
            with (home / "users.lock").open("a") as users:
                if _grants(users.fileno()):
                    _end(home)


def _end(home: Path) -> None:
    """Ends what runs in a folder that nobody uses, and removes the folder."""
    for pid in _running_in(home):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    shutil.rmtree(home, ignore_errors=True)
    with suppress(OSError):
        home.parent.rmdir()


def _running_in(home: Path) -> Iterator[int]:
    """Processes that name the folder in their arguments or, as workers do, in `SQLASSAY_TEST_HOME`."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            said = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
            if str(home).encode() in said and int(process.name) != os.getpid():
                yield int(process.name)


def _grants(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    with (home / "start.lock").open("a") as start:
        fcntl.flock(start, fcntl.LOCK_EX)
        yield
