"""What tests of the console's lists share: answers, the address, and readers of a page."""

from __future__ import annotations

import html
import re
from urllib.parse import urlencode

EVENT = {
    "event_id": "a",
    "tenant": "bakers",
    "agent": "crumb",
    "question": "How many ovens are in Oslo and older than 3 years?",
    "enriched_question": "How many ovens are in Oslo and older than 3 years (older than 3 years refers to age > 3)?",
    "sql": "SELECT COUNT(*) FROM ovens WHERE city = 'Oslo'",
}
LIST = "/console/evaluations"


def event(number: int, **fields) -> dict:
    return {**EVENT, "event_id": str(number), "question": f"How many ovens has town {number}?", **fields}


async def read(client, path: str, **parameters) -> str:
    reply = await client.get(f"{path}?{urlencode(parameters)}" if parameters else path)
    assert reply.status_code == 200, reply.text
    return reply.text


def listed(shown: str) -> set[int]:
    """The numbers of the answers in a page or an export."""
    return {int(number) for number in re.findall(r"ovens has town (\d+)", shown)}


def links(shown: str, words: str) -> list[str]:
    return [html.unescape(each) for each in re.findall(rf'<a[^>]*href="([^"]*)"[^>]*>{words}</a>', shown)]
