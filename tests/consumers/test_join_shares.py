"""A flood of one tenant's half traces at the join of spans: what it may hold, and how much work comes before another's.

The tests count slices and steps of the event loop, and measure no time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from consumers.decoding import Record
from consumers.evaluation.outcomes import Outcome, OutcomeKind
from consumers.spans import JoinLimits, Span, SpanEvent, SpanJoin, SpanTable
from consumers.spans.join_spans import JoinSpans
from consumers.spans.span_parts import MOST_OF_A_PART, ReadSpan, read_parts

SLICE = MOST_OF_A_PART
HALVES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "an agent": {"gen_ai.agent.name": "gust"},
    "a question": {"sqlassay.question": "How many kites flew?"},
    "SQL": {"db.query.text": "SELECT COUNT(*) FROM flights"},
    "both": {"sqlassay.question": "How many kites flew?", "db.query.text": "SELECT COUNT(*) FROM flights"},
}
"""What the spans of a flood hold."""


class CountedJoin(SpanJoin):
    """A join that notes whose spans each slice held, how many, and whether it was over its limits before one."""

    def __init__(self, limits: JoinLimits) -> None:
        super().__init__(SpanTable(), limits)
        self.slices: list[tuple[str | None, int]] = []
        self.most_spans = 0

    def add(
        self, spans: Iterable[Span | ReadSpan], now: float, *, tenant: str | None = None, more: bool = False
    ) -> Sequence[SpanEvent]:
        held = list(spans)
        self.slices.append((tenant, len(held)))
        events = super().add(held, now, tenant=tenant, more=more)
        self.most_spans = max(self.most_spans, self.spans)
        return events


@dataclass(slots=True)
class Scorer:
    """A pool that ends every event at once."""

    tenants: list[str | None] = field(default_factory=list[str | None])

    async def submit(self, records: Sequence[Record]) -> list[asyncio.Future[Outcome]]:
        self.tenants += [each.tenant for each in records]
        ended: list[asyncio.Future[Outcome]] = []
        for _ in records:
            ended.append(asyncio.get_running_loop().create_future())
            ended[-1].set_result(Outcome(kind=OutcomeKind.SCORED))
        return ended


def half_traces(count: int, attributes: dict[str, Any], first: int = 1) -> list[Span]:
    return [
        Span(trace_id=f"{trace:032x}", span_id=f"{2:016x}", parent_id=f"{1:016x}", attributes=attributes)
        for trace in range(first, first + count)
    ]


@asynccontextmanager
async def joining(join: SpanJoin) -> AsyncIterator[JoinSpans]:
    joined = JoinSpans(join, Scorer().submit, asyncio.get_running_loop().time)
    running = asyncio.create_task(joined.run())
    yield joined
    running.cancel()
    joined.forget()


@pytest.mark.parametrize("attributes", HALVES.values(), ids=HALVES)
async def test_whatever_a_flood_holds_another_sender_waits_for_one_slice_of_it_at_a_time(attributes):
    join = CountedJoin(JoinLimits())
    async with joining(join) as joined:
        floods = [
            asyncio.create_task(joined.add(half_traces(10 * SLICE, attributes, first), tenant="flood"))
            for first in (1, 1001, 2001)
        ]
        await asyncio.wait(floods, timeout=0)
        begun = len(join.slices)
        await joined.add(half_traces(2 * SLICE + 5, attributes, 5001), tenant="quiet")
        since = [tenant for tenant, _ in join.slices[begun:]]
        await asyncio.gather(*floods)
    assert max(size for _, size in join.slices) <= SLICE
    assert since.count("quiet") == 3
    assert since.count("flood") <= 4, "each of three slices waits for one of the flood, and the first for its present"


async def test_other_tasks_run_between_any_two_slices_however_many_requests_add():
    join = CountedJoin(JoinLimits())
    most_between, seen = 0, 0
    async with joining(join) as joined:
        spans = [half_traces(5 * SLICE, HALVES["SQL"], 1 + 500 * each) for each in range(6)]
        floods = [asyncio.create_task(joined.add(own, tenant=f"flood {number}")) for number, own in enumerate(spans)]
        while not all(each.done() for each in floods):
            await asyncio.sleep(0)
            most_between, seen = max(most_between, len(join.slices) - seen), len(join.slices)
    assert len(join.slices) == 30
    assert most_between == 1


@pytest.mark.parametrize("attributes", HALVES.values(), ids=HALVES)
async def test_a_flood_that_goes_on_holds_no_more_than_the_limit_and_a_slice_and_closes_its_own(attributes):
    join = CountedJoin(JoinLimits(spans=1000))
    async with joining(join) as joined:
        quiet = await joined.add(half_traces(5, HALVES["SQL"], 90_001), tenant="quiet")
        floods = [joined.add(half_traces(2000, attributes, 1 + 2000 * each), tenant="flood") for each in range(4)]
        await asyncio.gather(*floods)
        assert not quiet.done.done(), "the traces of the sender that holds little stay open"
        assert join.spans <= 1000
    assert join.most_spans <= 1000 + SLICE


@dataclass(slots=True)
class Packed:
    """A part that notes when it is unpacked."""

    spans: Sequence[ReadSpan]
    unpacked: list[int]
    more: bool = False

    def unpack(self) -> Sequence[ReadSpan]:
        self.unpacked.append(len(self.spans))
        return self.spans


@pytest.mark.parametrize("attributes", HALVES.values(), ids=HALVES)
async def test_a_part_of_a_flood_is_unpacked_when_it_is_its_turn_and_joined_as_the_spans_are(attributes):
    spans, unpacked = half_traces(10 * SLICE, attributes), list[int]()
    plain, packed = CountedJoin(JoinLimits()), CountedJoin(JoinLimits())
    async with joining(plain) as joined:
        await joined.add(spans, tenant="flood")
        expected = plain.close_all()
    async with joining(packed) as joined:
        parts = [Packed(each, unpacked) for each, _ in read_parts(spans, SpanTable())]
        flood = asyncio.create_task(joined.add_parts(parts, tenant="flood"))
        await asyncio.wait([flood], timeout=0)
        begun = len(unpacked)
        await joined.add(half_traces(1, attributes, 5001), tenant="quiet")
        assert len(unpacked) - begun <= 1, "another sender waits for one part, and none is unpacked before its turn"
        await flood
        assert unpacked == [SLICE] * 10
        given = packed.close_all()
    quiet = [each for each in given.events if each.trace.tenant == "quiet"]
    assert [each for each in given.events if each not in quiet] == expected.events
    assert packed.slices[:1] == plain.slices[:1]
