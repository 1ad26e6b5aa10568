"""Workers that are killed lose no event and double none; a build that commits too early is found out."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from itertools import count as count_from

from tests.delivery import auditing, traffic
from tests.delivery.figures import note
from tests.delivery.stage import Stage, count, until
from tests.delivery.workers import EARLY, Worker

ROUNDS = count("CRASH_ROUNDS", 8)
EVENTS = count("CRASH_EVENTS", 400)
SEED = count("SEED", 20261121)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """One round, as it was seen from outside."""

    seed: int
    rows: int
    """Events of the round that had a row."""
    calls: int
    """Calls of the model in flight."""
    uncommitted: int
    """Rows whose record was not committed."""


async def killed(stage: Stage, worker: Worker, seed: int) -> Kill:
    """Kills the worker under load at a moment that the seed chooses."""
    chance = random.Random(seed)
    before, dead = (await stage.held()).current.total(), asyncio.Event()
    sending = asyncio.create_task(load(stage, seed, dead))
    aim = chance.choice((1, chance.randrange(EVENTS // 2)))
    async with stage.connection() as database:

        async def so_many_rows() -> bool:
            return await database.fetchval("SELECT count(*) FROM evaluations WHERE current") - before >= aim

        await until(so_many_rows, f"{aim} rows of round {seed}")
    await MOMENTS[seed % len(MOMENTS)](stage, chance)
    calls = await stage.model.waiting()
    worker.kill()
    dead.set()
    await sending
    rows = (await stage.held()).current.total() - before
    return Kill(seed=seed, rows=rows, calls=calls, uncommitted=await stage.stored_uncommitted())


async def load(stage: Stage, seed: int, enough: asyncio.Event) -> None:
    """A round's events, and as many more as it takes until there are enough."""
    parts = EVENTS // 100
    async with stage.producer() as producer:
        for part in count_from(0):
            if part >= parts and enough.is_set():
                return
            await stage.publish_by(producer, traffic.events(seed * 1000 + part, 100), pace=0.1)


async def at_any_moment(_: Stage, chance: random.Random) -> None:
    await asyncio.sleep(chance.random() * 0.3)


async def amid_calls(stage: Stage, _: random.Random) -> None:
    async def some_wait() -> bool:
        return await stage.model.waiting() > 0

    await until(some_wait, "calls in flight")


async def before_the_commit(stage: Stage, _: random.Random) -> None:
    """Every record of this suite is an event of its own, so more rows than committed records leave some uncommitted."""
    async with stage.connection() as database, auditing.administrator(stage.kafka) as admin:

        async def some_are_stored() -> bool:
            done = sum((await auditing.offsets(stage.kafka, admin)).values())
            return await database.fetchval("SELECT count(*) FROM evaluations WHERE current") > done

        await until(some_are_stored, "rows whose offsets are not committed")


MOMENTS = (at_any_moment, amid_calls, before_the_commit)
"""When a worker is killed, in turn."""


async def test_killed_at_any_moment_every_event_has_exactly_one_row_and_a_result(stage: Stage):
    kills: list[Kill] = []
    worker = await stage.ready_worker()
    for number in range(ROUNDS):
        kills.append(await killed(stage, worker, SEED + number))
        worker = await stage.ready_worker()
        await stage.drained()
        findings = await stage.audit()
        assert findings.clean, f"{kills[-1]}: {findings}"
    assert sum(kill.calls > 0 for kill in kills) >= ROUNDS // 3, "too few kills with calls in flight"
    assert sum(kill.uncommitted > 0 for kill in kills) * 3 >= ROUNDS, "too few kills between row and offset"
    consumed, ended = await worker.total("sqlassay_consumed_total"), await worker.total("sqlassay_outcomes_total")
    assert consumed == ended > 0
    note(
        "kills",
        done=f"{ROUNDS} × `kill -9` under load: {sum(kill.calls > 0 for kill in kills)} with calls in flight,"
        f" {sum(kill.uncommitted > 0 for kill in kills)} between row and offset commit",
        events=len(stage.published),
        found="none missing, none duplicated, a result for each",
    )
    assert worker.leave() == 0


async def test_a_build_that_commits_offsets_early_is_found_to_lose_events(stage: Stage):
    worker = await stage.ready_worker(EARLY)
    await stage.publish(traffic.events(SEED, EVENTS))

    async def committed_too_early() -> bool:
        offsets = sum((await auditing.committed(stage.kafka)).values())
        return offsets > (await stage.held()).current.total()

    await until(committed_too_early, "offsets ahead of the rows")
    worker.kill()
    await stage.ready_worker()
    await stage.drained()
    findings = await stage.audit()
    assert findings.missing
    assert not findings.doubled
    note(
        "a build that commits early",
        done="one `kill -9` when its offsets were ahead of its rows",
        events=len(stage.published),
        found=f"{len(findings.missing)} missing: the suite detects the loss",
    )
