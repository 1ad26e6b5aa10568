"""The fault matrix: after every fault nothing is lost, doubled or made up, and the workers go on by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.delivery import auditing, traffic
from tests.delivery.fault_table import record
from tests.delivery.figures import note
from tests.delivery.matrix import CELLS, Cell, selected
from tests.delivery.playing import play
from tests.delivery.sites import Servers, running_servers
from tests.delivery.stage import Stage, until
from tests.delivery.workers import EARLY

pytestmark = pytest.mark.alone  # kills at moments that a busy machine misses


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    """One set for all cells."""
    with running_servers() as running:
        yield running


@pytest.mark.parametrize("cell", selected(), ids=lambda cell: cell.name)
async def test_cell(cell: Cell, servers: Servers, tmp_path: Path):
    played, wrong = await play(cell, servers, tmp_path)
    record(played, failed=bool(wrong))
    assert not wrong, "\n".join([str(played), *wrong, f"logs: {tmp_path}"])


def test_every_part_has_every_common_fault_and_no_name_is_twice():
    names = [each.name for each in CELLS]
    assert len(set(names)) == len(names)
    parts, hows = ("kafka", "postgres", "redis", "model", "workers"), ("kill", "freeze", "restart", "slow")
    assert {f"{part}-{how}" for part in parts for how in hows} <= set(names)


async def test_a_build_that_commits_offsets_early_is_found_to_lose_events(stage: Stage):
    worker = await stage.ready_worker(EARLY)
    await stage.publish(traffic.events(1, 400))

    async def committed_too_early() -> bool:
        offsets = sum((await auditing.committed(stage.kafka)).values())
        return offsets > (await stage.held()).current.total()

    await until(committed_too_early, "offsets ahead of the rows")
    worker.kill()
    await stage.ready_worker()
    await stage.drained()
    findings = await stage.audit()
    assert findings.missing
    assert not findings.doubled
    note(
        "a build that commits early",
        done="one `kill -9` when its offsets were ahead of its rows",
        events=len(stage.published),
        found=f"{len(findings.missing)} missing: the suite detects the loss",
    )
