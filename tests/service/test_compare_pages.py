"""The pages that compare two versions of an agent."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta

from tests.service.console_lists import links, read

PAGE = "/console/compare"
NOW = datetime.now(UTC)
GOOD, BAD = "SELECT COUNT(*) FROM ovens WHERE town = '{n}'", "SELECT MAX(name) FROM mills"


def answer(number: int, version: str, sql: str, *, hours: int, **fields) -> dict:
    return {
        "event_id": f"{version}-{number}",
        "tenant": "bakers",
        "agent": "crumb",
        "agent_version": version,
        "question": f"How many ovens are in Town{number}?",
        "sql": sql.format(n=f"Town{number}"),
        "occurred_at": (NOW - timedelta(hours=hours)).isoformat(),
        **fields,
    }


async def post(client) -> None:
    old = [answer(n, "1", GOOD, hours=90 - n) for n in range(8)]
    new = [answer(n, "2", BAD if n < 3 else GOOD, hours=40 - n) for n in range(8)]
    assert (await client.post("/v1/events", json=[*old, *new])).status_code == 202


async def test_the_newest_version_is_compared_with_the_one_before_and_leads_to_pairs(client):
    await post(client)
    shown = html.unescape(await read(client, PAGE, tenant="bakers", agent="crumb"))
    assert "2 against 1" in shown
    assert re.search(r"0 % → 38 %</b> <span class=\"note\">0 of 8 → 3 of 8", shown)
    assert "questions asked of both</dt><dd>8<" in shown
    pairs = links(shown, "side by side")
    assert len(pairs) == 3
    pair = html.unescape(await read(client, pairs[0]))
    assert pair.index("before: version 1") < pair.index("now: version 2")
    differing = dict(re.findall(r'data-label="part">([^<]+)</td><td[^>]*>(.*?)</td>', pair))
    assert "town = 'town" in differing["conditions"].casefold()
    assert "columns" in differing
    same = links(
        await read(client, PAGE, tenant="bakers", agent="crumb", agent_version="1", against="2"), "side by side"
    )
    assert len(same) == 3


async def test_an_agent_without_versions_is_told_how_to_send_them(client):
    sent = [{**answer(n, "1", GOOD, hours=1), "agent_version": None} for n in range(2)]
    assert (await client.post("/v1/events", json=sent)).status_code == 202
    assert '"agent_version": "2.1.0"' in html.unescape(await read(client, PAGE, tenant="bakers", agent="crumb"))
    assert "Choose an agent" in await read(client, PAGE)
    absent = "00000000-0000-7000-8000-000000000000"
    assert (await client.get(f"{PAGE}/{absent}/{absent}")).status_code == 404
