"""The CPU time of this process and of PostgreSQL on the same machine: other work there does not change it much."""

from __future__ import annotations

import os
import time
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

_PROCESSES = Path("/proc")
_PARENT, _OWN, _ENDED = 1, slice(11, 13), slice(13, 15)
"""Where the line of a process, after its name, has its parent, its own CPU time and that of its ended children."""


class CpuSeconds:
    """Reads the CPU time of the service, and of the server with all its processes where this machine runs it."""

    def __init__(self, server: int | None) -> None:
        self._server = server

    def read(self) -> tuple[float, float | None]:
        """Seconds so far, of this process and of the server; no server's on another machine."""
        return time.process_time(), None if self._server is None else _server_seconds(self._server)


async def cpu_seconds(engine: AsyncEngine) -> CpuSeconds:
    """Finds the server that the engine is connected to."""
    async with engine.connect() as connection:
        own = int((await connection.execute(text("SELECT pg_backend_pid()"))).scalar_one())
    # on another machine the number is of no process, or of another program
    line = _line(own)
    named = line is not None and (_PROCESSES / str(own) / "comm").read_text().startswith("postgres")
    return CpuSeconds(int(line[_PARENT]) if line is not None and named else None)


def tree_seconds(root: int) -> float:
    """CPU time so far of a process of this machine, with the processes under it, also those that have ended."""
    lines = {int(each.name): _line(int(each.name)) for each in _PROCESSES.iterdir() if each.name.isdigit()}
    under, found = {root}, set[int]()
    while under:
        found |= under
        under = {each for each, line in lines.items() if line is not None and int(line[_PARENT]) in under} - found
    ticks = sum(sum(map(int, [*line[_OWN], *line[_ENDED]])) for each in found if (line := lines.get(each)) is not None)
    return ticks / os.sysconf("SC_CLK_TCK")


def _server_seconds(server: int) -> float:
    """Of all its processes: those that end, such as parallel workers, count for their parent."""
    ticks = 0
    for folder in _PROCESSES.iterdir():
        line = _line(int(folder.name)) if folder.name.isdigit() else None
        if line is not None and int(line[_PARENT]) == server:
            ticks += sum(map(int, line[_OWN]))
        elif line is not None and int(folder.name) == server:
            ticks += sum(map(int, line[_ENDED]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _line(process: int) -> list[str] | None:
    try:
        return (_PROCESSES / str(process) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
