"""Redis, without persistence."""

from __future__ import annotations

from pathlib import Path

from tests.servers.install import REDIS
from tests.servers.processes import Server


class RedisServer(Server):
    """A Redis that forgets when it ends."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self._program = REDIS.find()

    @property
    def url(self) -> str:
        """Where it is, database 0."""
        return f"redis://127.0.0.1:{self.port}/0"

    def prepare(self) -> None:
        """Needs nothing but the folder."""

    def command(self) -> list[str]:
        return [
            str(self._program), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.home),
            "--save", "", "--appendonly", "no", "--set-proc-title", "no",
        ]  # fmt: skip

    def answers(self, said: str) -> bool:
        return "Ready to accept connections" in said
