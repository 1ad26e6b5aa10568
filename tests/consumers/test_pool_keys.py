"""Records of one event, together and one after the other."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, cast

from consumers.wire.span_source import SPAN_SOURCE
from scoring.query import Unscored, UnscoredReason
from scoring.rules import Rules
from tests.memory.pooling import BY_MODEL, PATIENT, Model, record, until


def times(world: Any, stage: str) -> int:
    """How often the stage was passed."""
    return [name for name, _ in world.outcomes.stages].count(stage)


async def test_an_event_that_comes_again_while_it_is_on_its_way_is_judged_once(world):
    model = Model()
    world.rules.known["default"] = BY_MODEL
    async with world.running(panel=model, limits=PATIENT) as pool:
        receipts = await pool.submit([record()])
        await until(lambda: bool(model.asked))
        receipts += await pool.submit([record(), record(sql="SELECT 2")])
        await until(lambda: times(world, "decode") == 2)
        model.open.set()
        outcomes = await asyncio.gather(*receipts)
    assert len(model.asked) == 1
    assert [each.kind.value for each in outcomes] == ["scored", "duplicate", "dead_lettered"]


async def test_an_unscored_row_is_filled_by_the_same_event_sent_again(world):
    model = Model(reply=Unscored(UnscoredReason.JUDGE_UNAVAILABLE, "down"))
    model.open.set()
    world.rules.known["default"] = BY_MODEL
    [first] = await world.use_case(panel=model)([record()])
    [again] = await world.use_case(panel=Model())([record(sql="SELECT 2")])
    world.rules.known["default"] = Rules()
    [filled] = await world.use_case()([record()])
    assert [each.kind.value for each in (first, again, filled)] == ["unscored", "dead_lettered", "scored"]
    assert filled.evaluation_id == first.evaluation_id


async def test_a_question_that_is_found_late_completes_its_answer_whichever_comes_first(world):
    bare, whole = (record(source=SPAN_SOURCE, question=said) for said in ("", "How many ovens are there?"))
    other = record(source=SPAN_SOURCE, sql="SELECT 2")
    ends = [(await world.use_case()([each]))[0] for each in (bare, whole, bare, whole, other)]
    assert [each.kind.value for each in ends] == ["unscored", "scored", "duplicate", "duplicate", "dead_lettered"]
    assert len({each.evaluation_id for each in ends[:4]}) == 1
    together = [
        replace(each, payload={**cast("dict[str, object]", each.payload), "event_id": "2"})
        for each in (bare, whole, bare)
    ]
    ends = await world.use_case()(together)
    assert [each.kind.value for each in ends] == ["unscored", "scored", "duplicate"]


async def test_an_event_sampled_upstream_is_not_sampled_again_and_its_rate_is_kept(world):
    world.rules.known["default"] = Rules(sample_rate=0.0)
    kept, dropped = record(1), record(2)
    outcomes = await world.use_case()([replace(kept, sampledrate=20), dropped])
    assert [each.kind.value for each in outcomes] == ["scored", "unscored"]
    assert [row.record.get("sampledrate") for row in world.store.rows.values()] == [20, None]
