from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy import URL

from tests.delivery.fault_table import printed
from tests.delivery.stage import SlowModel, Stage, staged
from tests.servers.fixtures import Kafka, RedisSpace
from tests.servers.sessions import own_server

# clients of a broker that a test stopped log ten times a second, and hide why a test failed
logging.getLogger("aiokafka").setLevel(logging.CRITICAL)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    lines = printed()
    if lines:
        terminalreporter.section("fault matrix")
    for line in lines:
        terminalreporter.write_line(line)


@pytest.fixture
def model() -> Iterator[SlowModel]:
    """A slow model server of this test's own."""
    with own_server(SlowModel) as server:
        yield server


@pytest.fixture
async def stage(
    kafka: Kafka, database: URL, redis: RedisSpace, model: SlowModel, tmp_path: Path
) -> AsyncIterator[Stage]:
    """Shared servers, and topics, tables, keys and a model of this test's own."""
    async with staged(Stage(kafka=kafka, database=database, redis=redis, model=model, folder=tmp_path)) as opened:
        yield opened
