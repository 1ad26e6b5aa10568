"""Sample data for `sqlassay demo`: answers of four agents to three invented companies, and two companies' rules.

Change this here when the demo shows other agents, companies or answers; then `docs/samples.md`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib.resources import files
from random import Random
from typing import Any

EVENTS = "events.jsonl"
RULES = "rules.json"
LABELS = 30
"""Labelled answers of each agent of the sample events."""
FEW_LABELS = 12
"""Labelled answers of each agent of the two weeks, so that there is something left to review."""


def sample_events() -> Iterator[dict[str, Any]]:
    """Yields the sample events in the order of `occurred_at`."""
    with files(__name__).joinpath(EVENTS).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def sample_labels(events: Iterable[dict[str, Any]], count: int = LABELS) -> Iterator[dict[str, Any]]:
    """Yields labels of `count` answers of each agent of each company: a random draw, always the same."""
    answers: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for event in events:
        answers.setdefault((event["tenant"], event["agent"]), []).append(event)
    dice = Random(0)  # noqa: S311 a draw, not a secret
    for given in answers.values():
        for event in dice.sample(given, count):
            names = {name: event[name] for name in ("tenant", "agent", "event_id")}
            label = "right" if event["attributes"]["answers"] else "wrong"
            yield {**names, "label": label, "reviewer": "demo", "sampling_probability": round(count / len(given), 6)}


def sample_rules() -> dict[str, dict[str, Any]]:
    """Returns the rules of each sample tenant."""
    return json.loads(files(__name__).joinpath(RULES).read_text(encoding="utf-8"))
