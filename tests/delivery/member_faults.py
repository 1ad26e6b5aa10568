"""Workers that die at moments that hurt, and members that come and go."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable

from tests.delivery import auditing
from tests.delivery.faults import Fault
from tests.delivery.sites import Site
from tests.delivery.stage import Stage, count, until

CHANGES = count("REBALANCES", 4)
ROUNDS = count("CRASH_ROUNDS", 4)
SEED = count("SEED", 20261121)
_ROWS = "SELECT count(*) FROM evaluations WHERE current"


async def at_any_moment(_: Stage, chance: random.Random) -> None:
    await asyncio.sleep(chance.random() * 0.6)


async def amid_calls(stage: Stage, _: random.Random) -> None:
    async def some_wait() -> bool:
        return await stage.model.waiting() > 0

    await until(some_wait, "calls in flight")


async def before_the_commit(stage: Stage, _: random.Random) -> None:
    """Every record of this suite is an event of its own, so more rows than committed records leave some uncommitted."""
    async with stage.connection() as database, auditing.administrator(stage.kafka) as admin:

        async def some_are_stored() -> bool:
            done = sum((await auditing.offsets(stage.kafka, admin)).values())
            return await database.fetchval(_ROWS) > done

        await until(some_are_stored, "rows whose offsets are not committed")


Moment = Callable[[Stage, random.Random], Awaitable[None]]
MOMENTS: tuple[Moment, ...] = (at_any_moment, amid_calls, before_the_commit)
"""When a worker is killed, in turn."""


async def kill_workers(site: Site) -> str:
    """`kill -9` under load, again and again; each time a new worker takes over."""
    stage, calls, uncommitted = site.stage, 0, 0
    for number in range(ROUNDS):
        chance = random.Random(SEED + number)
        victim = chance.choice(site.members)
        await MOMENTS[number % len(MOMENTS)](stage, chance)
        in_flight = await stage.model.waiting()
        victim.kill()
        calls += in_flight > 0
        uncommitted += await stage.stored_uncommitted() > 0
        await site.worker()
    assert calls >= ROUNDS // 3, "too few kills with calls in flight"
    assert uncommitted * 3 >= ROUNDS, "too few kills between row and offset"
    return f"{ROUNDS} × `kill -9`: {calls} with calls in flight, {uncommitted} between row and offset commit"


async def come_and_go(site: Site) -> str:
    """Members join, leave and die while records are under way."""
    chance = random.Random(SEED)
    changes: Counter[str] = Counter()
    for _ in range(CHANGES):
        await amid_calls(site.stage, chance)
        changes[await _change(site, chance)] += 1
    return f"{changes['join']} joined, {changes['leave']} left, {changes['die']} died amid batches"


async def _change(site: Site, chance: random.Random) -> str:
    members = site.members
    how = chance.choice(("join", "leave", "die")) if 1 < len(members) < 4 else "join" if len(members) < 4 else "leave"
    if how == "join":
        await site.worker()
        return how
    leaving = chance.choice(members)
    if how == "die":
        leaving.kill()
    else:
        assert await asyncio.to_thread(leaving.leave) == 0, leaving.said[-2000:]
    return how


def storm(every: float) -> Fault:
    """A worker gets SIGTERM many times while it drains, as from an impatient supervisor."""

    async def fault(site: Site) -> str:
        leaving, told = site.members[0], 0
        await amid_calls(site.stage, random.Random(SEED))
        while leaving.runs:
            leaving.process.terminate()
            told += 1
            await asyncio.sleep(every)
        await site.worker()
        assert leaving.process.returncode == 0, f"exit {leaving.process.returncode}: {leaving.said[-2000:]}"
        return f"SIGTERM {told} times while it drained, {every:g} s apart"

    return fault
