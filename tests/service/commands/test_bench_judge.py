"""`sqlassay bench judge` measures, and never more than the ideal."""

from __future__ import annotations

import json

from tests.service.commands.test_score_models import sqlassay


def test_it_tells_replies_as_a_share_of_the_ideal() -> None:
    done = sqlassay("bench", "judge", "--in-flight", "3", "--model-seconds", "0.05", "--seconds", "1", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["ideal_per_second"] == 60.0
    assert 0 < told["share_of_ideal"] <= 1.1
    assert told["replies_per_second"] > 0
