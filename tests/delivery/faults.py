"""Faults of a server, of its network and of the workers. Each returns when it is over, and says what it did."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from tests.delivery.sites import Part, Site
from tests.servers.proxy import SOUND, Network, Way

Fault = Callable[[Site], Awaitable[str]]
_SLOW = {
    Part.KAFKA: Network(delay=0.2, bytes_per_second=400_000),
    Part.POSTGRES: Network(delay=0.1, bytes_per_second=400_000),
    Part.REDIS: Network(delay=0.4),
    Part.MODEL: Network(delay=2.0),
}
"""Each way; Redis at about its timeout."""
BOTH = frozenset(Way)


def kill(part: Part) -> Fault:
    """Kills the server: what only its memory held is lost, and its clients see the connection close."""

    async def fault(site: Site) -> str:
        server = site.servers.of(part)
        server.kill()
        await site.hold()
        await asyncio.to_thread(server.start)
        return f"{part} killed for {site.seconds:g} s"

    return fault


def freeze(part: Part) -> Fault:
    """Gone without a word: what is sent to it stays unanswered."""

    async def fault(site: Site) -> str:
        server = site.servers.of(part)
        server.freeze()
        await site.hold()
        server.thaw()
        return f"{part} frozen for {site.seconds:g} s"

    return fault


def restart(part: Part) -> Fault:
    """Ends in order and comes back at once, twice, as in an upgrade."""

    async def fault(site: Site) -> str:
        server = site.servers.of(part)
        for _ in range(2):
            await asyncio.to_thread(server.stop)
            await asyncio.to_thread(server.start)
            await asyncio.sleep(1)
        return f"{part} restarted twice"

    return fault


def network(part: Part, how: Network, what: str, *, resets: float | None = None) -> Fault:
    """The network before a server is like this; on its end connections that it had are reset, as by a firewall.

    With `resets`, connections are reset every so many seconds, too.
    """

    async def fault(site: Site) -> str:
        proxy = site.servers.proxies[part]
        proxy.become(how)
        try:
            async with asyncio.timeout(site.seconds):
                while True:
                    await asyncio.sleep(resets or site.seconds)
                    proxy.reset()
        except TimeoutError:
            proxy.become(SOUND)
            proxy.reset()
        return f"{what} for {site.seconds:g} s"

    return fault


def slow(part: Part) -> Fault:
    """Every answer comes late; connections live on."""

    async def fault(site: Site) -> str:
        proxy, how = site.servers.proxies[part], _SLOW[part]
        proxy.become(how)
        await site.hold()
        proxy.become(SOUND)
        return f"{2 * how.delay:g} s slower for {site.seconds:g} s"

    return fault


def reset(part: Part) -> Fault:
    return network(part, SOUND, "connections reset every 0.5 s", resets=0.5)


def refuse(part: Part) -> Fault:
    return network(part, Network(resets=True), "connections reset as they are made", resets=1.0)


def cut(part: Part) -> Fault:
    return network(part, Network(cut_after=20_000), "connections cut amid messages")


def partition(part: Part) -> Fault:
    return network(part, Network(silent=BOTH), "cut off")


def lose_answers(part: Part) -> Fault:
    """Requests arrive and are done, and no answer comes back: what was acknowledged is not known to be."""
    return network(part, Network(silent=frozenset({Way.ANSWERS})), "answers lost")


def lose_requests(part: Part) -> Fault:
    return network(part, Network(silent=frozenset({Way.REQUESTS})), "requests lost")


def in_turn(*faults: Fault) -> Fault:
    async def fault(site: Site) -> str:
        return ", then ".join([await each(site) for each in faults])

    return fault


def together(*faults: Fault) -> Fault:
    async def fault(site: Site) -> str:
        return " and ".join(await asyncio.gather(*(each(site) for each in faults)))

    return fault


async def freeze_worker(site: Site) -> str:
    """One of the workers stands still for longer than its session: others own its partitions when it goes on."""
    seconds = max(site.seconds, 9.0)
    frozen = random.Random(len(site.stage.published)).choice(site.members)
    frozen.freeze()
    try:
        await asyncio.sleep(seconds)
    finally:
        frozen.thaw()
    return f"one of {len(site.members)} frozen for {seconds:g} s, with a session of 6 s"


async def slow_workers(site: Site) -> str:
    """Every worker stands still four fifths of the time."""
    for _ in range(int(site.seconds)):
        for each in site.members:
            each.freeze()
        await asyncio.sleep(0.8)
        for each in site.members:
            each.thaw()
        await asyncio.sleep(0.2)
    return f"still four fifths of {site.seconds:g} s"


async def restart_workers(site: Site) -> str:
    """Each worker is asked to end and replaced, as in a rolling upgrade."""
    leaving = site.members
    for each in leaving:
        await site.worker()
        assert await asyncio.to_thread(each.leave) == 0, each.said[-2000:]
    return f"{len(leaving)} replaced one by one"
