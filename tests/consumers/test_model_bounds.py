"""Limits on model calls: the breaker, the rate and the budgets, which read no clock."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consumers.judging.breaker import Breaker, BreakerState
from consumers.judging.budgets import NOTHING, Bound, Ledger, Spend, WorkerBudgets
from consumers.judging.rates import Rate

moments = st.lists(st.tuples(st.sampled_from(["ask", "fail", "succeed"]), st.floats(0, 20)), max_size=60)


@given(moments)
def test_an_open_breaker_lets_nothing_through_before_its_cool_down_is_over(steps: list[tuple[str, float]]) -> None:
    breaker, now = Breaker(failures=3, cool_down=10, longest=40), 0.0
    for what, wait in steps:
        now += wait
        state = breaker.state(now)
        if what == "ask":
            admitted = breaker.admits(now)
            assert admitted is (state is BreakerState.CLOSED) or state is BreakerState.HALF_OPEN
        elif what == "fail":
            breaker.failed(now)
        else:
            breaker.succeeded()
            assert breaker.state(now) is BreakerState.CLOSED


def test_the_cool_down_doubles_up_to_the_longest() -> None:
    breaker, now, cool_downs = Breaker(failures=1, cool_down=5, longest=20), 0.0, []
    for _ in range(4):
        breaker.failed(now)
        began = now
        while not breaker.admits(now):
            now += 1
        cool_downs.append(now - began)
    assert cool_downs == [5, 10, 20, 20]


@given(st.lists(st.floats(0, 3), min_size=1, max_size=80), st.integers(1, 120), st.integers(1, 5))
def test_no_minute_holds_more_calls_than_allowed_and_the_burst(waits: list[float], per_minute: int, burst: int) -> None:
    rate, now, calls = Rate(per_minute=per_minute, burst=burst), 0.0, []
    for wait in waits:
        now += wait
        calls.append(now + rate.reserve(now))
    for first in calls:
        assert sum(first <= each < first + 60 for each in calls) <= per_minute + burst


@given(st.lists(st.floats(0, 0.01), min_size=2, max_size=80), st.floats(0, 1))
def test_no_two_calls_begin_together_even_after_a_common_wait(waits: list[float], hold: float) -> None:
    rate, now, calls = Rate(apart=0.004), 0.0, []
    rate.hold_until(hold)
    for wait in waits:
        now += wait
        assert rate.delay(now) == pytest.approx(max(0, hold - now, calls[-1] + 0.004 - now if calls else 0))
        calls.append(now + rate.reserve(now))
    assert calls[0] >= hold - 1e-9
    assert all(later - earlier > 0.004 - 1e-9 for earlier, later in pairwise(calls))


spends = st.builds(Spend, st.integers(0, 50), st.integers(0, 50))


@given(spends, st.lists(st.tuples(spends, st.floats(0, 1)), max_size=40))
def test_what_is_spent_and_reserved_never_exceeds_what_was_granted(
    granted: Spend, calls: list[tuple[Spend, float]]
) -> None:
    ledger = Ledger(granted=granted)
    for want, share in calls:
        if ledger.reserve(want):
            assert ledger.left.covers(NOTHING)
            ledger.settle(want, Spend(int(want.tokens * share), int(want.micros * share)))
    assert granted.covers(ledger.used)


@pytest.mark.parametrize("workers", [1, 3])
async def test_a_worker_that_shares_no_account_holds_its_part_of_each_day(workers: int) -> None:
    day = [date(2026, 5, 4)]
    budgets = WorkerBudgets(workers=workers, today=lambda: day[0])
    for _ in range(2):
        spent = 0
        while (held := await budgets.reserve("t", Spend(10), Bound(tokens=300))) is not None:
            held.settle(Spend(10))
            spent += 10
        assert spent == 300 // workers
        day[0] = date(2026, 5, 5)
