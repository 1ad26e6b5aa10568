"""`sqlassay bench judge` never measures more than the ideal."""

from __future__ import annotations

import json

import pytest

from tests.service.commands.command_line import sqlassay

pytestmark = pytest.mark.slow  # runs a benchmark


def test_the_bench_prints_replies_as_a_share_of_the_ideal() -> None:
    done = sqlassay("bench", "judge", "--in-flight", "3", "--model-seconds", "0.05", "--seconds", "1", "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["ideal_per_second"] == 60.0
    assert 0 < figures["share_of_ideal"] <= 1.1
    assert figures["replies_per_second"] > 0
