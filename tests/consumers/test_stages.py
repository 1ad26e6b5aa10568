"""The table of stages, and the functions that isolate failures and repeat calls."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from consumers.errors import Unavailable
from consumers.pool.stages import TRANSITIONS, Stage
from consumers.queueing.isolation import isolate_failures
from consumers.queueing.retrying import Backoff, retry_while_unavailable


def test_every_stage_but_the_last_leads_to_the_end():
    assert {stage for stage, results in TRANSITIONS.items() if not results} == {Stage.ENDED}
    assert all(Stage.ENDED in results.values() for stage, results in TRANSITIONS.items() if stage is not Stage.ENDED)


def test_every_stage_is_reached():
    assert {stage for results in TRANSITIONS.values() for stage in results.values()} == set(Stage) - {Stage.DECODING}


async def test_failures_are_isolated_and_the_others_go_through_once():
    done = list[int]()

    async def call(items: Sequence[int]) -> None:
        if set(items) & {3, 4}:
            raise ValueError(items)
        done.extend(items)

    failed = await isolate_failures(call, range(8), ValueError)
    assert ([item for item, _ in failed], done) == ([3, 4], [0, 1, 2, 5, 6, 7])


async def test_a_call_is_repeated_until_patience_ends():
    errors = list[Unavailable]()

    async def call() -> None:
        raise Unavailable("no answer")

    with pytest.raises(Unavailable):
        await retry_while_unavailable(call, Backoff(first=0.001), on_failure=errors.append, patience=0.02)
    assert len(errors) > 1
