"""PgBouncer before a PostgreSQL: in turns it lends each transaction another of its connections."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from sqlalchemy import URL

from tests.servers.install import PGBOUNCER
from tests.servers.processes import Server, listens

_SETTINGS = """\
[databases]
* = host={url.host} port={url.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {home}/users.txt
pool_mode = {mode}
default_pool_size = 8
min_pool_size = 4
server_round_robin = 1
"""
"""With the round robin, whatever a transaction leaves in its session is missing in the next."""


class PgBouncerServer(Server):
    """A pooler for all databases of one server."""

    def __init__(self, home: Path, behind: URL, mode: str = "transaction") -> None:
        super().__init__(home)
        self._program, self._behind, self._mode = PGBOUNCER.find(), behind, mode

    def url(self, database: str) -> URL:
        """The pooler's way to a database of the server behind."""
        return self._behind.set(host="127.0.0.1", port=self.port, database=database)

    @property
    def account(self) -> str | None:
        """It refuses to run as root."""
        return "postgres" if os.geteuid() == 0 else None

    def prepare(self) -> None:
        settings = _SETTINGS.format(url=self._behind, port=self.port, home=self.home, mode=self._mode)
        (self.home / "pgbouncer.ini").write_text(settings)
        users = self.home / "users.txt"
        users.touch(mode=0o600)
        users.write_text(f'"{self._behind.username}" "{self._behind.password}"\n')
        if self.account:
            shutil.chown(users, self.account, self.account)

    def command(self) -> list[str]:
        return [str(self._program), str(self.home / "pgbouncer.ini")]

    def answers(self, said: str) -> bool:
        return "process up" in said and listens(self.port)
