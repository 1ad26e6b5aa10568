"""`sqlassay bench console` reads every page it names, of answers that are stored in full."""

from __future__ import annotations

import json

import pytest

from tests.service.commands.command_line import sqlassay

pytestmark = [pytest.mark.slow, pytest.mark.nightly]  # runs a benchmark


def test_every_page_is_read_and_none_fails() -> None:
    done = sqlassay("bench", "console", "--answers", "1000", "--reads", "2", "--plans", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["answers"] == 1000
    assert len(found["pages"]) > 40
    assert {tuple(each["statuses"]) for each in found["pages"]} == {(200,)}
    assert all(0 < each["p50_ms"] <= each["p95_ms"] for each in found["pages"])
    assert all(each["first_ms"] > 0 for each in found["pages"])
    assert all(each["service_cpu_ms"] > 0 for each in found["pages"])
    assert sum(each["page"].startswith("search") for each in found["pages"]) == 4
