"""Sample data for `sqlassay demo`: answers of three agents to two invented companies, and the companies' rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

EVENTS = "events.jsonl"
RULES = "rules.json"


def sample_events() -> Iterator[dict[str, Any]]:
    """Yields the sample events in the order of `occurred_at`."""
    with files(__name__).joinpath(EVENTS).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def sample_rules() -> dict[str, dict[str, Any]]:
    """Returns the rules of each sample tenant."""
    return json.loads(files(__name__).joinpath(RULES).read_text(encoding="utf-8"))
