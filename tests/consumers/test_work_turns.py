"""Turns at shared work: owners take them one after another, and nothing that ends while it waits costs a place."""

from __future__ import annotations

import asyncio

from consumers.queueing.work_turns import WorkTurns


async def _work(turns: WorkTurns, owner: str, done: list[str], gate: asyncio.Event | None = None) -> None:
    async with turns.turn(owner):
        done.append(owner)
        if gate is not None:
            await gate.wait()
        await asyncio.sleep(0)


async def test_an_owner_with_much_work_has_no_more_turns_than_one_with_little():
    turns, done, gate = WorkTurns(), list[str](), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(_work(turns, "flood", done, gate))
        await asyncio.sleep(0)
        for owner in ["flood"] * 50 + ["quiet"] * 3 + ["calm"]:
            group.create_task(_work(turns, owner, done))
        await asyncio.sleep(0)
        gate.set()
    assert done[:8] == ["flood", "flood", "quiet", "calm", "flood", "quiet", "flood", "quiet"]
    assert len(done) == 55


async def test_places_are_worked_at_at_once_and_the_rest_waits():
    turns, done, gate = WorkTurns(2), list[str](), asyncio.Event()
    tasks = [asyncio.create_task(_work(turns, owner, done, gate)) for owner in ("a", "a", "a", "b")]
    await asyncio.sleep(0)
    assert done == ["a", "a"]
    gate.set()
    await asyncio.gather(*tasks)
    assert done == ["a", "a", "a", "b"]


async def test_work_that_is_cancelled_while_it_waits_or_as_it_is_called_leaves_its_place_to_the_next():
    turns, done, gate = WorkTurns(), list[str](), asyncio.Event()

    async def work_and_cancel() -> None:
        await _work(turns, "a", done, gate)
        # its place has been given to this one, which has not run yet
        called.cancel()

    first = asyncio.create_task(work_and_cancel())
    await asyncio.sleep(0)
    waiting, called, last = (asyncio.create_task(_work(turns, owner, done)) for owner in ("b", "c", "d"))
    await asyncio.sleep(0)
    waiting.cancel()
    gate.set()
    await asyncio.wait([first, waiting, called, last], timeout=5)
    assert (done, called.cancelled()) == (["a", "d"], True)
    async with asyncio.timeout(5), turns.turn("e"):
        done.append("e")
    assert done == ["a", "d", "e"]
