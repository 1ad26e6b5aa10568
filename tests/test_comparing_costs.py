"""Comparisons of cost let noise pass and defects not."""

from __future__ import annotations

import pytest

from tests.costs import Call, calls_of, times_as_costly


def work(steps: int) -> Call:
    return lambda: sum(range(steps * 1_000))


@pytest.mark.parametrize(("steps", "grows"), [((100, 200), False), ((100, 1600), True)])
def test_a_cost_that_grows_too_much_is_found_and_one_that_doubles_is_not(steps: tuple[int, int], grows: bool) -> None:
    cheap, costly = (work(each) for each in steps)
    assert (times_as_costly(costly, cheap, 2.8) > 2.8) is grows


def test_a_comparison_ends_with_the_first_measure_that_fits() -> None:
    fits = iter([False, True])
    runs: list[bool] = []

    def costly() -> None:
        fit = next(fits)
        runs.append(fit)
        work(100 if fit else 4_000)()

    assert times_as_costly(costly, work(100), 8) <= 8
    assert runs == [False, True]


def test_what_is_next_to_nothing_does_not_grow() -> None:
    assert times_as_costly(work(8), work(1), 1.5, fixed=0.02) <= 1.5


def test_calls_of_a_module_are_counted() -> None:
    counted = calls_of(lambda: [work(1) for _ in range(3)], __name__)
    assert counted["work"] == 3
