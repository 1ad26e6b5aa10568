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
_LONG, _MARKUP, _ALIKE = 5, 11, 17
HIDING = "\u202etni\u202c"
"""Text that a browser shows backwards, unless a page marks its characters."""


def tenant_of(agent: int) -> str:
    return f"{agent % TENANTS:02}-freight-forwarders"


def agent_name(agent: int) -> str:
    """The name of the agent with this number."""
    match agent:
        case n if n == _LONG:
            return "assistant-for-the-monthly-reconciliation-of-customs-declarations-and-" + "duties-" * 7 + "eu"
        case n if n == _MARKUP:
            return 'agent"><b>anything</b>'
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
            yield event | names | _odd(event, number)


def _odd(event: dict[str, Any], number: int) -> dict[str, str]:
    """What differs in a few answers of each agent: one has no score, and one has text that hides what it says."""
    match number:
        case 3:
            return {"sql": "SELECT FROM WHERE"}
        case 5:
            return {"question": f"{event['question']} {HIDING}", "sql": f"{event['sql']} -- {HIDING}"}
        case _:
            return {}


def staged_opinions() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Labels of two reviewers who do not always agree, and feedback of users."""
    labels: list[dict[str, Any]] = []
    feedback: list[dict[str, Any]] = []
    for agent in range(AGENTS):
        about = {"tenant": tenant_of(agent), "agent": agent_name(agent)}
        for number in (0, 1, 5):
            answer = {**about, "event_id": f"staged-{agent}-{number}"}
            for reviewer in ("noor", "sam")[: 1 + number % 2]:
                wrong = (agent + number + len(reviewer)) % 3 == 0
                labels.append({**answer, "reviewer": reviewer, "label": "wrong" if wrong else "right", "note": HIDING})
            feedback.append({**answer, "thumb": "down" if agent % 3 else "up", "comment": f"{HIDING} <b>no</b>"})
    return labels, feedback
