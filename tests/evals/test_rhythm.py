"""An agent that stops is found after a time that follows from its own rate; nights and weekends are not found."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from evals.alarms.rhythm import HOUR, WEEK_HOURS, Rhythm, hour_of_week, learned_rhythm

MONDAY = 2_000 * WEEK_HOURS - 72
"""An hour since 1970."""
Rate = Callable[[int], float]


def always(rate: float) -> Rate:
    return lambda hour: rate


def in_office_hours(rate: float, *, first: int = 8) -> Rate:
    """From Monday to Friday, nine hours a day."""
    return lambda hour: rate if hour_of_week(hour) < 120 and first <= hour % 24 < first + 9 else 0.0


def history(rate: Rate, *, weeks: int = 4, seed: int = 1) -> dict[int, int]:
    """Answers in the hours of the weeks before `MONDAY`."""
    numbers = np.random.default_rng(seed)
    return {hour: int(numbers.poisson(rate(hour))) for hour in range(MONDAY - weeks * WEEK_HOURS, MONDAY)}


def rhythm_of(hours: dict[int, int]) -> Rhythm:
    found = learned_rhythm(hours, max(hour for hour, count in hours.items() if count))
    assert found is not None
    return found


def found_after(rhythm: Rhythm, last: float) -> float:
    """Hours from the latest answer, at this hour, until the agent is silent."""
    for minutes in range(0, 14 * 24 * 60, 5):
        if rhythm.silence(last * HOUR, last * HOUR + 60 * minutes) >= 1:
            return minutes / 60
    return float("inf")


@pytest.mark.parametrize(
    ("rate", "least", "most"),
    [(0.2, 60, 84), (1, 13, 19), (4, 3.5, 6), (20, 0.7, 1.5), (200, 0.5, 0.6), (5_000, 0.5, 0.6)],
)
def test_an_agent_that_answers_day_and_night_is_found_the_sooner_the_busier_it_is(rate, least, most):
    assert least <= found_after(rhythm_of(history(always(rate))), MONDAY + 0.5) <= most


def test_an_agent_of_office_hours_is_found_when_it_does_not_come_back_after_the_weekend():
    rhythm = rhythm_of(history(in_office_hours(20)))
    friday = MONDAY + 4 * 24 + 16.9
    assert 72 - 8.9 <= found_after(rhythm, friday) <= 72 - 6.5
    assert found_after(rhythm, MONDAY + 34) <= 1.5


def test_clocks_that_change_are_no_silence():
    rhythm = rhythm_of(history(in_office_hours(20)))
    friday, hour_late = MONDAY + 4 * 24 + 16.9, MONDAY + WEEK_HOURS + 9
    assert rhythm.silence(friday * HOUR, hour_late * HOUR) < 1


def test_a_holiday_of_the_history_hides_no_stop_and_an_agent_of_batches_is_not_silent_between_them():
    with_holiday = history(in_office_hours(20))
    for hour in range(MONDAY - WEEK_HOURS, MONDAY - WEEK_HOURS + 24):
        with_holiday[hour] = 0
    assert found_after(rhythm_of(with_holiday), MONDAY + 34) <= 2.5
    numbers = np.random.default_rng(2)
    batches = {MONDAY - 24 * day + int(numbers.integers(24)): 100 for day in range(1, 29)}
    assert found_after(rhythm_of(batches), MONDAY) >= 36


def test_the_first_week_expects_working_days_like_those_before_and_no_weekend():
    hours = history(always(20), weeks=1)
    began = {hour: count for hour, count in hours.items() if hour < MONDAY - WEEK_HOURS + 75}
    rhythm = rhythm_of(began)
    assert rhythm.expected[80] == pytest.approx(20, rel=0.5)
    assert rhythm.expected[130] == 0
    assert found_after(rhythm, max(began) + 0.9) <= 2


def test_agents_of_a_day_or_two_and_those_that_are_long_gone_are_not_expected():
    hours = history(always(20), weeks=1)
    assert learned_rhythm({hour: count for hour, count in hours.items() if hour % WEEK_HOURS < 20}, MONDAY) is None
    assert rhythm_of(history(always(20))).silence(MONDAY * HOUR, (MONDAY + 400) * HOUR) == 0
    assert learned_rhythm({}, MONDAY) is None


@pytest.mark.parametrize("rate", [always(4), in_office_hours(20)])
def test_agents_that_go_on_are_seldom_silent(rate):
    numbers, false = np.random.default_rng(3), 0
    hours = history(rate)
    for week in range(20):
        begin = MONDAY + week * WEEK_HOURS
        rhythm = rhythm_of(hours)
        new = {hour: int(numbers.poisson(rate(hour))) for hour in range(begin, begin + WEEK_HOURS)}
        moments = sorted(hour + float(part) for hour, count in new.items() for part in numbers.random(count))
        hours |= new
        false += sum(rhythm.silence(one * HOUR, two * HOUR) >= 1 for one, two in itertools.pairwise(moments))
    assert false == 0
