"""A file system of a few megabytes, to be filled to the last byte."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers.install import ServerMissing


@dataclass(frozen=True, slots=True)
class SmallRoom:
    """Where it is mounted."""

    path: Path

    def fill(self) -> int:
        """Leaves no byte; returns how many were free."""
        free = os.statvfs(self.path).f_bavail * os.statvfs(self.path).f_frsize
        with (self.path / "ballast").open("wb", buffering=0) as ballast:
            written = 0
            while True:
                try:
                    written += ballast.write(b"\0" * 4096)
                except OSError:
                    return max(free, written)

    def clear(self) -> None:
        """The room is as it was before."""
        (self.path / "ballast").unlink(missing_ok=True)


@contextmanager
def small_room(path: Path, megabytes: int, account: str | None) -> Generator[SmallRoom]:
    """A room of this account's own; raises `ServerMissing` where nothing may be mounted."""
    path.mkdir(parents=True)
    options = f"size={megabytes}m,mode=700"
    if account is not None:
        owner = pwd.getpwnam(account)
        options += f",uid={owner.pw_uid},gid={owner.pw_gid}"
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], capture_output=True, text=True, check=False
    )
    if made.returncode != 0:
        raise ServerMissing(f"a small file system cannot be mounted ({made.stderr.strip()}): run as root")
    try:
        yield SmallRoom(path)
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=False)
