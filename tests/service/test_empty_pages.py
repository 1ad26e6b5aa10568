"""Every empty page says what to do, with lines that work against its own address."""

from __future__ import annotations

import html
import re
import shlex
from itertools import pairwise

import pytest

from service.settings.intake_settings import HttpSettings
from tests.service.console_lists import links, read

TOKEN = "a-token-for-tests-only-0001"
EMPTY = (
    "/console",
    "/console?by=agent_version&every=day",
    "/console/agents",
    "/console/evaluations",
    "/console/review",
    "/console/review/disagreements",
    "/console/review/disagreements?between=judge",
    "/console/slices",
    "/console/slices?view=changes",
    "/console/incidents",
    "/console/compare",
    "/console/compare/runs",
    "/console/status",
    "/console/trust",
    "/console/trust?labels=drawn",
    "/console/audit",
    "/console/views",
)
LEFT_OUT = {"/console/reasons", "/console/rules"}
"""Pages that are never empty; rules only where a token has one tenant."""


def lines(shown: str) -> list[str]:
    found = re.findall(r"<pre[^>]*>(?:<code>)?(.*?)(?:</code>)?</pre>", shown, re.S)
    return [line for each in found for line in html.unescape(each).splitlines()]


async def run(client, line: str) -> None:
    """Sends what a line of curl sends."""
    words = [each.replace("$TOKEN", TOKEN) for each in shlex.split(line)]
    options = dict(pairwise(words))
    headers = dict(words[at + 1].split(": ", 1) for at, each in enumerate(words) if each == "-H")
    [address] = [each for each in words if each.startswith("http")]
    assert address.startswith(str(client.base_url))
    body = options.get("-d", "").encode()
    reply = await client.request(options.get("-X", "GET"), address, content=body, headers=headers)
    assert reply.status_code < 300, (line, reply.text)
    refused = [each for each in reply.json().get("errors", []) if each] if body else []
    assert not refused, (line, refused)


async def test_every_page_that_the_menu_leads_to_is_known(client):
    menu = {each.partition("?")[0] for each in re.findall(r'href="(/console[^"#]*)"', await read(client, "/console"))}
    pages = {each for each in menu if not each.endswith((".css", ".js"))}
    assert pages <= {each.partition("?")[0] for each in EMPTY} | LEFT_OUT


@pytest.mark.slow  # a service for each page
@pytest.mark.parametrize("path", EMPTY)
async def test_an_empty_page_gives_lines_that_work_against_its_address(client, path):
    shown = await read(client, path)
    assert 'class="empty"' in shown
    found = lines(shown)
    assert any(str(client.base_url).rstrip("/") in each for each in found), shown
    # an answer comes before its label
    for line in sorted(found, key=lambda each: "/v1/events" not in each):
        if line.startswith("curl") and " -T " not in line:
            await run(client, line)
        elif line.startswith("http"):
            await read(client, line.removeprefix(str(client.base_url).rstrip("/")))
    assert "Bearer" not in shown


async def test_after_the_first_answer_the_incidents_say_how_a_program_reads_them(client):
    [line] = [each for each in lines(await read(client, "/console/incidents")) if "/v1/events" in each]
    await run(client, line)
    shown = await read(client, "/console/incidents")
    assert "/v1/events" not in shown
    [line] = [each for each in lines(shown) if each.startswith("curl")]
    await run(client, line)
    assert links(shown, "the agents and their alarms") == ["/console"]


async def test_where_a_token_is_needed_the_lines_have_it_and_name_its_tenant(serving):
    async with serving(http=HttpSettings.model_validate({"tokens": {"bakers": TOKEN}})) as client:
        client.headers["Authorization"] = f"Bearer {TOKEN}"
        for path in EMPTY:
            shown = await read(client, path)
            for line in lines(shown):
                if line.startswith("curl"):
                    assert '-H "Authorization: Bearer $TOKEN"' in line, path
                    assert "shop" not in line, path
                    assert "bakers" in line or line.endswith("/v1/incidents"), path
