"""A TCP proxy between a client and a server, on which a test spoils either direction."""

from __future__ import annotations

import asyncio
import random
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from tests.servers.processes import free_port

_CHUNK = 64 * 1024
_RESET = struct.pack("ii", 1, 0)
"""`SO_LINGER` on, of 0 seconds: closing sends RST."""


class Way(StrEnum):
    """A direction through the proxy."""

    REQUESTS = "requests"
    ANSWERS = "answers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """What the network does to connections."""

    silent: frozenset[Way] = frozenset()
    """Directions in which nothing arrives; what was sent is held as a sender's kernel would."""
    delay: float = 0.0
    """Seconds that each piece waits."""
    bytes_per_second: float | None = None
    cut_after: int | None = None
    """A connection ends amid what is sent, after at most so many bytes, chosen at random."""
    resets: bool = False
    """New connections are reset as soon as they are made."""
    spoilt: tuple[bytes, bytes] | None = None
    """Bytes of answers, and others that arrive in their place."""


SOUND = Network()


@dataclass(slots=True, eq=False)
class _Link:
    """One connection of a client and its other half."""

    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    left: int | None
    """Bytes until it is cut."""

    def reset(self) -> None:
        for writer in (self.client, self.server):
            place = writer.get_extra_info("socket")
            if place is not None and not writer.is_closing():
                place.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            writer.transport.abort()


@dataclass(slots=True, eq=False)
class Proxy:
    """Listens on `port`, passes on to `target`; its thread is its own, so that a busy test does not slow it."""

    target: int
    port: int = field(default_factory=free_port)
    network: Network = SOUND
    passed: int = 0
    """Connections made."""
    _chance: random.Random = field(default_factory=lambda: random.Random(20261122))
    _links: set[_Link] = field(default_factory=set[_Link])
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _sound: asyncio.Event = field(default_factory=asyncio.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Returns when it listens."""
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), name=f"proxy-{self.port}", daemon=True)
        self._thread.start()
        ready.wait(10)

    def stop(self) -> None:
        """Ends all connections and listens no more."""
        self._call(self._loop.stop)
        if self._thread is not None:
            self._thread.join(10)

    def become(self, network: Network) -> None:
        """The network is like this from now on; connections stay as they are."""
        self._call(lambda: self._become(network))

    def reset(self) -> None:
        """Resets every connection."""
        self._call(self._reset)

    def _call(self, what: Callable[[], None]) -> None:
        self._loop.call_soon_threadsafe(what)

    def _become(self, network: Network) -> None:
        self.network = network
        for link in self._links:
            link.left = self._cut()
        # wakes the transfers that wait for the network
        self._sound.set()
        self._sound = asyncio.Event()

    def _reset(self) -> None:
        for link in list(self._links):
            link.reset()

    def _run(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._accept, "127.0.0.1", self.port, backlog=512))
        ready.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._reset()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            from_server, to_server = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        self.passed += 1
        link = _Link(writer, to_server, self._cut())
        if self.network.resets:
            link.reset()
            return
        self._links.add(link)
        ways = (self._pass(reader, to_server, Way.REQUESTS, link), self._pass(from_server, writer, Way.ANSWERS, link))
        try:
            await asyncio.gather(*ways)
        except OSError:
            link.reset()
        finally:
            self._links.discard(link)
            writer.close()
            to_server.close()

    def _cut(self) -> int | None:
        most = self.network.cut_after
        return None if most is None else self._chance.randrange(most)

    async def _pass(self, source: asyncio.StreamReader, to: asyncio.StreamWriter, way: Way, link: _Link) -> None:
        while data := await source.read(_CHUNK):
            await self._wait(way, len(data))
            if self.network.spoilt is not None and way is Way.ANSWERS:
                data = data.replace(*self.network.spoilt)
            if link.left is not None and len(data) > link.left:
                to.write(data[: link.left])
                await to.drain()
                link.reset()
                return
            if link.left is not None:
                link.left -= len(data)
            to.write(data)
            await to.drain()
        if to.can_write_eof():
            to.write_eof()

    async def _wait(self, way: Way, size: int) -> None:
        while way in self.network.silent:
            await self._sound.wait()
        rate = self.network.bytes_per_second
        wait = self.network.delay + (size / rate if rate else 0.0)
        if wait:
            await asyncio.sleep(wait)
