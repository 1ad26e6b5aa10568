"""Processes that work through items for a command: every item has one result, in order, whatever becomes of them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from mmap import mmap
from time import sleep

import pytest

from service.processes.budgeted_process import budgeted_processes
from service.processes.forked_call import CallEnded

ENDLESS, DEADLY = "endless", "deadly"


def worked(item: str) -> str:
    while item == ENDLESS:
        pass
    if item == DEADLY:
        os.kill(os.getpid(), signal.SIGKILL)
    return item.upper()


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("bad", [ENDLESS, DEADLY])
def test_an_item_that_ends_its_process_costs_no_other_item_its_result(count: int, bad: str) -> None:
    items = [bad if number in {0, 6, 7, 15, 39} else f"item {number}" for number in range(40)]
    with budgeted_processes(worked, 0.02, count) as processes:
        done = list(processes.run(iter(items), 8))
    assert [item for item, _ in done] == items
    for item, result in done:
        if item == bad:
            assert isinstance(result, CallEnded)
            assert result.over_limit is (bad == ENDLESS)
        else:
            assert result == item.upper()


def test_a_process_that_ended_is_replaced() -> None:
    with budgeted_processes(worked, 1.0) as processes:
        [process] = processes.processes
        assert process.run(["a"]) == ["A"]
        [ended] = process.run([DEADLY])
        assert isinstance(ended, CallEnded)
        assert process.run(["b", "c"]) == ["B", "C"]
        assert process.run([]) == []


def test_a_slow_item_holds_up_no_other_process() -> None:
    shared = mmap(-1, 1)

    def slow_first(item: int) -> int:
        while item == 0 and not shared[0]:
            sleep(0.01)
        if item == 20:
            shared[0] = 1
        return item

    with budgeted_processes(slow_first, 1.0, 2) as processes:
        # item 0 ends when the other process is four batches ahead
        assert [result for _, result in processes.run(iter(range(24)), 4)] == list(range(24))


def test_results_that_wait_for_a_slow_item_are_bounded() -> None:
    shared, given = mmap(-1, 1), list[int]()

    def numbers() -> Iterator[int]:
        for number in range(1000):
            given.append(number)
            if number == 999:
                raise AssertionError("all items were read before the first had its result")
            if len(given) == 12:
                shared[0] = 1
            yield number

    def slow_first(item: int) -> int:
        while item == 0 and not shared[0]:
            sleep(0.01)
        return item

    with budgeted_processes(slow_first, 1.0, 2) as processes:
        run = processes.run(numbers(), 1)
        assert next(run) == (0, 0)
        assert len(given) < 30
