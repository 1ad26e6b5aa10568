"""Results are published before receipts resolve."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from consumers.errors import StoreUnavailable, Unavailable
from consumers.evaluation.event_evaluation import Evaluation
from consumers.evaluation.outcomes import OutcomeKind
from tests.memory.pooling import PATIENT, record
from tests.memory.stores import MemoryScores


@dataclass
class Board:
    """Results, which cannot be published at first."""

    failures: int = 0
    published: list = field(default_factory=list)

    async def publish(self, ends):
        if self.failures:
            self.failures -= 1
            raise Unavailable("no answer")
        self.published.extend(ends.items())


async def test_a_receipt_resolves_only_after_its_result_is_published_and_a_duplicate_publishes_it_again(world):
    board = Board(failures=3)
    async with world.running(results=[board], limits=PATIENT) as pool:
        [first] = await asyncio.gather(*await pool.submit([record()]))
        [again] = await asyncio.gather(*await pool.submit([record()]))
        await asyncio.gather(*await pool.submit([record(sql="SELECT 2")]))
    assert (first.kind, again.kind) == (OutcomeKind.SCORED, OutcomeKind.DUPLICATE)
    assert [end.claim if hasattr(end, "claim") else end for _, end in board.published] == [
        world.store.rows[key].claim for key, _ in board.published
    ]
    assert len(board.published) == 2


@dataclass
class Deaf(MemoryScores):
    """A store whose answers are lost at first."""

    lost: int = 2

    async def record(self, evaluations):
        stood = await super().record(evaluations)
        if self.lost:
            self.lost -= 1
            raise StoreUnavailable("the connection was lost in COMMIT")
        return stood


async def test_rows_whose_commit_acknowledgement_was_lost_are_counted_once_with_their_own_outcome(world):
    board = Board()
    async with world.running(store=Deaf(), results=[board], limits=PATIENT) as pool:
        ends = await asyncio.gather(*await pool.submit([record(1), record(1), record(2)]))
    assert [each.kind.value for each in ends] == ["scored", "duplicate", "scored"]
    assert [isinstance(end, Evaluation) for _, end in board.published].count(True) == 2
    assert len(world.outcomes.evaluations) == 2


class Cursed(Board):
    """Results of which one cannot be told."""

    async def publish(self, ends):
        if any(key.event_id == "cursed" for key in ends):
            raise OverflowError("date value out of range")
        await super().publish(ends)


async def test_a_result_that_a_bug_keeps_back_holds_up_none_of_the_others(world):
    board = Cursed()
    async with world.running(results=[board], limits=PATIENT) as pool:
        receipts = await pool.submit([record(1), record("cursed"), record(3), record(4)])
        outcomes = await asyncio.gather(*receipts)
    assert {each.kind for each in outcomes} == {OutcomeKind.SCORED}
    assert sorted(key.event_id for key, _ in board.published) == ["1", "3", "4"]
    assert "results" in {where for where, _ in world.outcomes.faults}


async def test_each_sink_gets_every_result_once_though_another_is_down_for_a_while_or_has_a_bug(world):
    down, broken, well = Board(failures=5), Cursed(), Board()
    async with world.running(results=[down, broken, well], limits=PATIENT) as pool:
        await asyncio.gather(*await pool.submit([record(1), record("cursed"), record(3)]))
    for board, told in ((down, ["1", "3", "cursed"]), (broken, ["1", "3"]), (well, ["1", "3", "cursed"])):
        assert sorted(key.event_id for key, _ in board.published) == told
