"""Forty agents of twelve tenants: more than fit a page, with names that are long, hostile or alike."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from service.samples.fortnight import fortnight_events

TENANTS, AGENTS = 12, 40
SILENT = 7
"""The agent that fell silent a week ago."""
_EACH = 14
"""Answers of one agent: one of so many of the two weeks."""
_LONG, _BIDI, _ALIKE = 5, 11, 17


def tenant_of(agent: int) -> str:
    return f"{agent % TENANTS:02}-freight-forwarders"


def agent_name(agent: int) -> str:
    """The name of the agent with this number."""
    match agent:
        case n if n == _LONG:
            return "assistant-for-the-monthly-reconciliation-of-customs-declarations-and-" + "duties-" * 7 + "eu"
        case n if n == _BIDI:
            return "agent\u202egnihtyna<b>"
        case n if n == _ALIKE:
            # its first letter is Cyrillic
            return "\u0430tlas"
        case _:
            return f"agent-{agent:02}"


def staged_events(now: datetime) -> Iterator[dict[str, Any]]:
    """The answers of all of them, oldest first. Every third agent gets worse with its version 2.1.0."""
    source = list(fortnight_events(now))
    for agent in range(AGENTS):
        own = [each for each in source if each["agent"] == ("ember" if agent % 3 == 0 else "atlas")]
        for number, event in enumerate(own[agent % _EACH :: _EACH]):
            moment = datetime.fromisoformat(event["occurred_at"])
            if agent == SILENT and now - moment < timedelta(days=7):
                continue
            names = {"tenant": tenant_of(agent), "agent": agent_name(agent), "event_id": f"staged-{agent}-{number}"}
            # one answer of each has no score
            yield event | names | ({"sql": "SELECT FROM WHERE"} if number == 3 else {})
