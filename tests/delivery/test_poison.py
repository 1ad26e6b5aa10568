"""Hostile records amid good ones: every good event is scored, every bad one is a dead letter that says why."""

from __future__ import annotations

import asyncio
import random
from collections import Counter

from tests.delivery import traffic
from tests.delivery.auditing import Place, records
from tests.delivery.figures import note
from tests.delivery.hostile import DEAD, Hostile, hostile
from tests.delivery.stage import Stage, count
from tests.delivery.traffic import Message

POISON = count("POISON", 100)
SEED = count("SEED", 20261121)
GOOD_PER_BAD = 4


def header(headers: dict[str, bytes], name: str) -> str:
    """A header of a dead letter as text; empty where it is missing."""
    return headers.get(f"dead-letter-{name}", b"").decode("utf-8", "replace")


async def dead_letters(stage: Stage) -> dict[Place, set[str]]:
    """The reasons given for each record that is dead."""
    told: dict[Place, set[str]] = {}
    for record in await records(stage.kafka, stage.kafka.dead):
        headers = dict(record.headers)
        assert header(headers, "topic") == stage.kafka.events
        place = int(header(headers, "partition")), int(header(headers, "offset"))
        told.setdefault(place, set()).add(header(headers, "reason"))
    return told


def mixed(bad: list[Hostile], good: list[Message]) -> list[tuple[Message, Hostile | None]]:
    """Bad among good at seeded places; conflicts after what they conflict with."""
    chance = random.Random(SEED)
    slots = sorted(chance.sample(range(len(bad) + len(good)), len(bad)))
    bad_ones, good_ones = iter(bad), iter(good)
    is_bad = set(slots)
    parts: list[tuple[Message, Hostile | None]] = []
    for place in range(len(bad) + len(good)):
        each = next(bad_ones) if place in is_bad else None
        parts.append((each.message, each) if each else (next(good_ones), None))
    return parts


async def test_every_good_event_is_scored_and_every_bad_one_is_a_dead_letter_with_a_reason(stage: Stage):
    worker = await stage.ready_worker()
    bad = hostile(SEED, POISON)
    last = [each for each in bad if each.kind == "conflict"]
    parts = mixed([each for each in bad if each.kind != "conflict"], traffic.events(SEED, POISON * GOOD_PER_BAD))
    places = await stage.publish([message for message, _ in parts])
    await stage.drained()
    places += await stage.publish([each.message for each in last])
    # good traffic alone flows as before
    await stage.publish(traffic.events(SEED + 1, 200))
    await stage.drained()

    findings = await stage.audit()
    assert findings.clean, str(findings)
    dead = await dead_letters(stage)
    ends = dict(zip(places, [*(bad_or_none for _, bad_or_none in parts), *last], strict=True))
    due = {place: each.kind for place, each in ends.items() if each is not None and each.end == DEAD}
    without_dead_letter = {place: kind for place, kind in due.items() if not dead.get(place)}
    assert not without_dead_letter
    wrongly_dead_lettered = Counter(
        ends[place].kind if ends.get(place) else "a good event" for place in dead.keys() - due.keys()
    )
    assert not wrongly_dead_lettered
    assert not any("" in reasons for reasons in dead.values())

    assert worker.runs
    assert await worker.healthy()
    consumed = await worker.total("sqlassay_consumed_total", trigger="live")
    assert consumed == len(places) + 200
    assert consumed == await worker.total("sqlassay_outcomes_total", trigger="live")
    assert await worker.total("sqlassay_faults_total") == 0, worker.said[-3000:]
    assert await asyncio.to_thread(worker.leave) == 0
    note(
        "poison",
        done=f"{len(bad)} hostile records of {len({each.kind for each in bad})} kinds among good ones",
        events=len(places) + 200,
        found=f"{len(due)} dead letters with a reason, rows for the rest; every good event scored",
    )
