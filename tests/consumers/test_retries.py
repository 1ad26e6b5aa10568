from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from consumers.evaluation.deferrals import RetryPolicy
from consumers.evaluation.event_evaluation import EventKey
from consumers.queueing.retrying import Backoff

NOW = datetime(2026, 11, 2, tzinfo=UTC)
KEYS = st.builds(EventKey, st.text(max_size=5), st.text(max_size=5), st.text(max_size=5))


@given(attempts=st.integers(0, 10**9), key=KEYS)
def test_the_next_try_lies_ahead_within_bounds_until_there_is_none(attempts, key):
    retries = RetryPolicy(attempts=10, first=5, most=900)
    due = retries.due(attempts, NOW, key)
    assert (due is None) is (attempts >= 10)
    assert due is None or timedelta(seconds=4) <= due - NOW <= timedelta(seconds=900 * 1.2)


def test_waits_grow_and_events_that_failed_together_come_back_apart():
    retries = RetryPolicy()
    waits = [retries.due(attempts, NOW, EventKey("t", "/s", "1")) - NOW for attempts in range(6)]
    assert waits == sorted(waits)
    assert len({retries.due(0, NOW, EventKey("t", "/s", str(number))) for number in range(50)}) == 50


@given(st.integers(1, 10**9))
def test_a_dependency_that_is_down_is_never_left_alone_for_longer_than_the_bound(failures):
    assert 0 < Backoff().wait(failures) <= Backoff().most
