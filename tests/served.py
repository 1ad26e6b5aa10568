"""A service in a process of its own, as a user runs it."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

from sqlalchemy import URL

ROOT = Path(__file__).parents[1]
_CHILD = """\
import sys
from service.pipeline.running import ProcessRole
from service.serving import run
from service.settings.loading import load_settings
run(load_settings(), ProcessRole(sys.argv[1]))
"""


@asynccontextmanager
async def served(
    database: URL, *, role: str = "all", kill: bool = False, log: list[str] | None = None, **environment: str
) -> AsyncIterator[str]:
    """The address of a service on `database`, at the end told to stop and waited for, or killed.

    The lines of its log go into `log`, the last ones when it has ended.
    """
    others = {name: value for name, value in os.environ.items() if not name.startswith("SQLASSAY_")}
    own = {
        "SQLASSAY_HTTP__WITHOUT_LOGIN": "on",
        "SQLASSAY_DATABASE__URL": database.render_as_string(hide_password=False),
        "SQLASSAY_HTTP__PORT": "0",
        **environment,
    }
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _CHILD, role, env=others | own, stderr=subprocess.PIPE, cwd=ROOT
    )
    heard = ""
    try:
        assert child.stderr is not None
        while not (found := re.search(r"http://[\d.:]+", heard)):
            line = await child.stderr.readline()
            assert line, f"the service ended: {heard}"
            heard += line.decode()
        # it names its address just before it listens there
        while not await _listens(found[0]):
            assert child.returncode is None, f"the service ended: {heard}"
            await asyncio.sleep(0.02)
        yield found[0]
    finally:
        if child.returncode is None:
            child.kill() if kill else child.terminate()
        _, rest = await child.communicate()
        if log is not None:
            log.extend((heard + rest.decode()).splitlines())


async def _listens(address: str) -> bool:
    place = urlsplit(address)
    try:
        _, writer = await asyncio.open_connection(place.hostname, place.port)
    except ConnectionRefusedError:
        return False
    writer.close()
    return True
