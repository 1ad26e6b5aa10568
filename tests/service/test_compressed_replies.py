"""Replies are compressed for whoever takes gzip, and a page's form token differs each time it is shown."""

from __future__ import annotations

import re

from tests.service.console_lists import LIST, event
from tests.service.test_login import BROWSER

RULES = "/console/rules?tenant=bakers"


async def test_pages_lists_and_files_are_compressed_for_those_who_take_it(client):
    await client.post("/v1/events", json=[event(each) for each in range(20)])
    for path in (LIST, f"{LIST}.csv", f"{LIST}.jsonl", "/v1/evaluations", "/console/style.css"):
        small = await client.get(path, headers={"accept-encoding": "gzip"})
        plain = await client.get(path, headers={"accept-encoding": "identity"})
        assert (small.headers.get("content-encoding"), "content-encoding" in plain.headers) == ("gzip", False), path
        assert small.status_code == plain.status_code == 200
        if path != LIST:
            assert small.text == plain.text, path
        assert "Accept-Encoding" in small.headers["vary"], path
    assert "content-encoding" not in (await client.get("/healthz", headers={"accept-encoding": "gzip"})).headers


async def test_the_token_of_a_form_differs_on_each_page_and_each_is_taken(client):
    shown = [re.findall(r'name="csrf" value="([^"]+)"', (await client.get(RULES, headers=BROWSER)).text)[0]]
    shown += re.findall(r'name="csrf" value="([^"]+)"', (await client.get(RULES, headers=BROWSER)).text)[:1]
    assert len(set(shown)) == 2
    for token in shown:
        sent = await client.post(RULES, data={"csrf": token, "action": "x"}, headers=BROWSER)
        assert "FORM_REFUSED" not in sent.text
    for wrong in ("", "~", "~AAAA", "~é", shown[0][:-3]):
        refused = await client.post(RULES, data={"csrf": wrong, "action": "x"}, headers=BROWSER)
        assert refused.status_code == 403, wrong
        assert "FORM_REFUSED" in refused.text
