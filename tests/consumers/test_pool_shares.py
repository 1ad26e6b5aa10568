"""Tenants that share the pool."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from consumers.evaluation.outcomes import OutcomeKind
from tests.memory.pooling import BY_MODEL, PATIENT, Model, RationedModel, record, until


async def test_calls_of_one_tenant_are_bounded_and_another_tenants_do_not_wait_for_them(world):
    model = Model()
    world.rules.known.update({"flood": BY_MODEL, "quiet": BY_MODEL})
    async with world.running(panel=model, limits=replace(PATIENT, tenant_asks=3)) as pool:
        receipts = await pool.submit([record(number, tenant="flood") for number in range(8)])
        receipts += await pool.submit([record(1, tenant="quiet")])
        await until(lambda: "quiet" in model.asked)
        assert (model.asked.count("flood"), model.asked.count("quiet")) == (3, 1)
        model.open.set()
        await asyncio.gather(*receipts)


async def test_a_flood_that_waits_for_its_model_is_deferred_so_that_others_pass(world):
    model = Model()
    world.rules.known["flood"] = BY_MODEL
    async with world.running(panel=model, limits=replace(PATIENT, records=20, batch=5)) as pool:
        await asyncio.gather(*await pool.submit([record(0, tenant="quiet")]))
        flood = asyncio.create_task(pool.submit([record(number, tenant="flood") for number in range(60)]))
        await asyncio.gather(*await pool.submit([record(number, tenant="quiet") for number in range(1, 20)]))
        receipts = await flood
        model.open.set()
        outcomes = await asyncio.gather(*receipts)
    over = [each for each in outcomes if each.reason == "TENANT_THROTTLED"]
    assert len(over) == len(world.deferred.kept) >= 40
    assert all(each.kept for each in over)


async def test_a_tenant_alone_waits_and_is_never_deferred(world):
    model = Model()
    world.rules.known["flood"] = BY_MODEL
    async with world.running(panel=model, limits=replace(PATIENT, records=10, batch=5)) as pool:
        flood = asyncio.create_task(pool.submit([record(number, tenant="flood") for number in range(30)]))
        await until(lambda: len(model.asked) == 10)
        assert pool.full
        assert not flood.done()
        model.open.set()
        outcomes = await asyncio.gather(*await flood)
    assert {each.kind for each in outcomes} == {OutcomeKind.SCORED}


async def test_a_tenant_that_filled_the_pool_alone_makes_room_as_soon_as_another_comes(world):
    model, quiet = RationedModel(), "quiet"
    world.rules.known["flood"] = BY_MODEL
    async with world.running(panel=model, limits=replace(PATIENT, records=20, batch=1, tenant_asks=2)) as pool:
        receipts = await pool.submit([record(number, tenant="flood") for number in range(20)])
        first = asyncio.create_task(pool.submit([record("first", tenant=quiet)]))
        await until(lambda: pool.full)
        model.left.release()
        await asyncio.gather(*await first)
        model.left.release()
        await until(lambda: pool.depth == 10)
        ends = await asyncio.gather(*await pool.submit([record(number, tenant=quiet) for number in range(9)]))
        assert {each.kind for each in ends} == {OutcomeKind.SCORED}
        for _ in range(20):
            model.left.release()
        ends = await asyncio.gather(*receipts)
    assert [each.kind.value for each in ends].count("scored") == 12
    assert all(each.kept for each in ends if each.kind is OutcomeKind.DEFERRED)
