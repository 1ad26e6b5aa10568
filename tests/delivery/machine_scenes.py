"""Faults of the machine that workers run on: its clock jumps, and names stop resolving."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.delivery.scenes import Scene
from tests.delivery.sites import Site
from tests.servers.fixtures import found
from tests.servers.install import FAKETIME, NSS_WRAPPER
from tests.servers.kafka_server import NAME
from tests.servers.proxy import Proxy

JUMPS = ("+2h", "-2h", "+3d", "-30d", "+0")
"""From the true time."""
_BY_A_WRONG_CLOCK = "SELECT count(*) FROM evaluations WHERE abs(extract(epoch FROM received_at - now())) > 3600"


@dataclass(slots=True, eq=False)
class ClockJumps(Scene):
    """The workers' clock is set forth and back; time goes on between."""

    _file: Path = field(init=False)

    @asynccontextmanager
    async def prepared(self, site: Site) -> AsyncGenerator[None]:
        self._file = site.stage.folder / "clock"
        self._file.write_text("+0\n")
        site.stage.settings |= {
            "LD_PRELOAD": str(found(FAKETIME)),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DISABLE_SHM": "1",
            # a clock that is set leaves the monotonic one alone
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        yield

    async def happen(self, site: Site) -> str:
        for jump in JUMPS:
            self._file.write_text(f"{jump}\n")
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
