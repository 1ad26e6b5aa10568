"""Members that join, leave and die while records are under way: events are neither lost nor doubled."""

from __future__ import annotations

import asyncio
import random
from collections import Counter

from tests.delivery import traffic
from tests.delivery.figures import note
from tests.delivery.stage import Stage, count, until
from tests.delivery.workers import Worker

CHANGES = count("REBALANCES", 6)
SEED = count("SEED", 20261121)
EVENTS_BETWEEN = 250


async def change(stage: Stage, chance: random.Random) -> str:
    """One member joins, or one leaves or dies; one always stays."""
    members = [worker for worker in stage.workers if worker.runs]
    how = chance.choice(("join", "leave", "die")) if 1 < len(members) < 4 else "join" if len(members) < 4 else "leave"
    if how == "join":
        await stage.ready_worker()
        return how
    leaving: Worker = chance.choice(members)
    if how == "die":
        leaving.kill()
    else:
        assert await asyncio.to_thread(leaving.leave) == 0
    return how


async def test_members_come_and_go_and_every_event_has_exactly_one_row(stage: Stage):
    chance = random.Random(SEED)
    changes: Counter[str] = Counter()
    await stage.ready_worker()
    for number in range(CHANGES):
        messages = traffic.events(SEED + number, EVENTS_BETWEEN)
        sending = asyncio.create_task(stage.publish(messages, pace=0.1))

        async def under_way(sending: asyncio.Task[object] = sending) -> bool:
            return sending.done() or await stage.model.waiting() > 0

        await until(under_way, "records under way")
        changes[await change(stage, chance)] += 1
        await sending
    await stage.drained()
    findings = await stage.audit()
    assert findings.clean, str(findings)
    note(
        "rebalances",
        done=f"members came and went amid batches: {changes['join']} joined, {changes['leave']} left,"
        f" {changes['die']} died",
        events=len(stage.published),
        found="none missing, none duplicated, a result for each",
    )
    for worker in stage.workers:
        if worker.runs:
            assert await asyncio.to_thread(worker.leave) == 0
            assert "Traceback" not in worker.said
