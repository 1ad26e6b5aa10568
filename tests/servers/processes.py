"""A server as a process of its own: started, waited for, killed, frozen, thawed and started again by a test."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from pathlib import Path

START_SECONDS = 120
"""How long a start may take on a machine that does other things."""


class ServerFailed(Exception):  # noqa: N818 it names what happened
    """A server did not start; the message ends with the end of its log."""


class Server(ABC):
    """One server on one port with one folder: a start after a kill finds port and data again."""

    crash = signal.SIGKILL
    """Ends it as a power cut would."""

    def __init__(self, home: Path, port: int | None = None) -> None:
        self.home = home
        self.port = port or free_port()
        self.log = home / "server.log"
        self._process: subprocess.Popen[bytes] | None = None
        home.mkdir(parents=True, exist_ok=True)

    @abstractmethod
    def command(self) -> list[str]:
        """What to run; its arguments name `home`, by which a forgotten server is known."""

    @abstractmethod
    def answers(self, said: str) -> bool:
        """Whether it takes requests, having written `said` to its log since it was started."""

    @abstractmethod
    def prepare(self) -> None:
        """Makes the folder ready; done before each start."""

    @property
    def account(self) -> str | None:
        """Who runs it; `None` is ourselves."""
        return None

    @property
    def pid(self) -> int | None:
        """The process's number while it runs."""
        running = self._process is not None and self._process.poll() is None
        return self._process.pid if running and self._process else None

    def start(self) -> None:
        """Returns when it answers; raises `ServerFailed`."""
        self.prepare()
        told = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command(),
                cwd=self.home,
                env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                user=self.account,
                group=self.account,
                extra_groups=() if self.account else None,
            )
        deadline = time.monotonic() + START_SECONDS
        while not self.answers(self._said(told)):
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise ServerFailed(f"{self.command()[0]} in {self.home} did not start: {self._said(told)[-1500:]}")
            time.sleep(0.05)

    def _said(self, since: int) -> str:
        with self.log.open("rb") as log:
            log.seek(since)
            return log.read().decode("utf-8", "replace")

    def stop(self) -> None:
        """Tells it to end and waits for that."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it without a chance to say so; its data stay as they are."""
        self._end(self.crash)

    def freeze(self) -> None:
        """It keeps its connections and answers none."""
        for pid in self._family():
            os.kill(pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """It goes on where it was frozen."""
        for pid in self._family():
            os.kill(pid, signal.SIGCONT)

    def _end(self, how: signal.Signals) -> None:
        if self._process is None or self.pid is None:
            return
        self.thaw()
        self._process.send_signal(how)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _family(self) -> list[int]:
        return [] if self.pid is None else [self.pid, *children(self.pid)]


def children(parent: int) -> list[int]:
    """The processes that `parent` started and that still run."""
    found: list[int] = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # the name, in brackets, may hold anything
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def free_port() -> int:
    """A loopback port outside the range that outgoing connections draw from.

    Inside it, a client that knocks at a server that is gone may be given the server's own port and talk to itself.
    """
    try:
        first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except OSError:
        first = 32768
    for port in random.SystemRandom().sample(range(min(12_000, first - 1000), first), 200):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise ServerFailed("no free port was found")


def listens(port: int) -> bool:
    """Whether something accepts connections."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0
