"""Faults of the machine that workers run on: its clock jumps, and names stop resolving."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.delivery.scenes import Scene
from tests.delivery.sites import Site
from tests.delivery.workers import WRONG_CLOCK
from tests.delivery.wrong_clock import WRONG_BY
from tests.servers.fixtures import found
from tests.servers.install import NSS_WRAPPER
from tests.servers.kafka_server import NAME
from tests.servers.proxy import Proxy

JUMPS = {"+2 h": 7200, "-2 h": -7200, "+3 days": 259_200, "-30 days": -2_592_000, "0": 0}
"""Seconds from the true time."""
_BY_A_WRONG_CLOCK = "SELECT count(*) FROM evaluations WHERE abs(extract(epoch FROM received_at - now())) > 3600"


@dataclass(slots=True, eq=False)
class ClockJumps(Scene):
    """The workers' clock is set forth and back; time goes on between."""

    _file: Path = field(init=False)

    @asynccontextmanager
    async def prepared(self, site: Site) -> AsyncGenerator[None]:
        self._file = site.stage.folder / "clock"
        self._file.write_text("0")
        site.stage.settings[WRONG_BY] = str(self._file)
        site.stage.build = WRONG_CLOCK
        yield

    async def happen(self, site: Site) -> str:
        for jump in JUMPS.values():
            self._file.write_text(str(jump))
            await asyncio.sleep(max(4.0, site.seconds / len(JUMPS)))
        return f"set to the true time {', '.join(JUMPS)} in turn"

    async def wrong(self, site: Site) -> list[str]:
        """Rows must have been written by a wrong clock, or nothing was tried."""
        async with site.stage.connection() as database:
            return [] if await database.fetchval(_BY_A_WRONG_CLOCK) else ["no row was written by a wrong clock"]


@dataclass(slots=True, eq=False)
class NamesGone(Scene):
    """Every server is reached by a name that stops resolving, and connections end meanwhile."""

    _hosts: Path = field(init=False)
    _kafka: Proxy | None = None

    @asynccontextmanager
    async def prepared(self, site: Site) -> AsyncGenerator[None]:
        kafka = site.servers.kafka
        self._hosts = site.stage.folder / "hosts"
        self._resolve()
        with ExitStack() as stack:
            self._kafka = Proxy(kafka.named, kafka.named_proxy)
            self._kafka.start()
            stack.callback(self._kafka.stop)
            site.stage.settings |= {
                name: value.replace("127.0.0.1", NAME) for name, value in site.stage.settings.items()
            }
            site.stage.settings |= {
                "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS": f"{NAME}:{kafka.named_proxy}",
                "LD_PRELOAD": str(found(NSS_WRAPPER)),
                "NSS_WRAPPER_HOSTS": str(self._hosts),
            }
            yield

    def _resolve(self, name: str = NAME) -> None:
        self._hosts.write_text(f"127.0.0.1 {name}\n")

    async def happen(self, site: Site) -> str:
        assert self._kafka is not None
        self._resolve("another.sqlassay.test")
        for proxy in (*site.servers.proxies.values(), self._kafka):
            proxy.reset()
        await site.hold()
        self._resolve()
        return f"no name resolved for {site.seconds:g} s, and every connection was reset"
