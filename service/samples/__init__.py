"""Two invented companies, the answers three agents gave them, and their rules: what `sqlassay demo` replays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

EVENTS = "events.jsonl"
RULES = "rules.json"


def sample_events() -> Iterator[dict[str, Any]]:
    """Every sample event in the order of `occurred_at`, as a producer would publish it."""
    with files(__name__).joinpath(EVENTS).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def sample_rules() -> dict[str, dict[str, Any]]:
    """Each sample tenant's rules document, by tenant."""
    return json.loads(files(__name__).joinpath(RULES).read_text(encoding="utf-8"))
