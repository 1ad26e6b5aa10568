"""Saved views of the console's lists."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from httpx import AsyncClient, Response

from service.settings.intake_settings import HttpSettings
from tests.service.console_lists import event, links, listed, read
from tests.service.walls import OURS, THEIRS, TOKENS, as_tenant

VIEWS, ANSWERS = "/console/views", "/console/evaluations"


async def saved(client: AsyncClient, page: str, headers: Mapping[str, str] | None = None, **changed: str) -> Response:
    """Sends the form of a page, with some fields changed."""
    shown = (await client.get(page, headers=headers)).text
    [form] = re.findall(r'<form method="post" action="/console/views">(.*?)</form>', shown, re.DOTALL)
    hidden = re.findall(r'name="(csrf|shows|filters)" value="([^"]*)"', form)
    fields = {name: html.unescape(value) for name, value in hidden} | changed
    return await client.post(VIEWS, data=fields, headers=headers)


async def test_a_view_leads_back_to_the_same_answers_until_it_is_deleted(client):
    events = [event(n, agent="crumb" if n < 3 else "crust") for n in range(6)]
    assert (await client.post("/v1/events", json=events)).status_code == 202
    assert "No view is saved" in await read(client, VIEWS)
    page = f"{ANSWERS}?tenant=bakers&agent=crumb&search=town+2&order=worst"
    assert (await saved(client, page, name="<Towns> & co")).status_code == 303
    shown = await read(client, VIEWS)
    assert "&lt;Towns&gt; &amp; co" in shown
    [address] = links(shown, "&lt;Towns&gt; &amp; co")
    led = await client.get(address, follow_redirects=True)
    assert led.url.path == ANSWERS
    assert dict(led.url.params) == {"tenant": "bakers", "agent": "crumb", "search": "town 2", "order": "worst"}
    assert listed(led.text) == {2}
    token = re.findall(r'name="csrf" value="([^"]+)"', shown)[0]
    assert (await client.post(f"{address}/delete", data={"csrf": "x"})).status_code == 403
    assert (await client.post(f"{address}/delete", data={"csrf": token})).status_code == 303
    assert (await client.post(f"{address}/delete", data={"csrf": token})).status_code == 404
    assert (await client.get(address)).status_code == 404
    assert "No view is saved" in await read(client, VIEWS)
    log = (await client.get("/v1/audit", params={"tenant": "bakers"})).json()["items"]
    said = {"shows": "evaluations", "filters": ["agent", "order", "search", "tenant"]}
    assert [(each["action"], each["subject"], each["via"], each["before"], each["after"]) for each in log] == [
        ("view_deleted", "<Towns> & co", "console", said, None),
        ("view_saved", "<Towns> & co", "console", None, said),
    ]


async def test_slices_are_saved_too_and_what_is_no_view_is_refused(client):
    page = "/console/slices?kind=table&view=changes"
    assert (await saved(client, page, name="Tables")).status_code == 303
    [address] = links(await read(client, VIEWS), "Tables")
    assert (await client.get(address)).headers["location"] == page
    for changed in (
        {"name": " "},
        {"name": "a" * 81},
        {"name": "a", "shows": "rules"},
        {"name": "a", "filters": "kind=moon"},
        {"name": "a", "filters": "nothing=1"},
        {"name": "a", "filters": "&".join(f"a{n}=1" for n in range(101))},
    ):
        assert (await saved(client, page, None, **changed)).status_code == 400, changed
    assert (await saved(client, page, name="a", csrf="x")).status_code == 403


async def test_a_tenant_sees_its_own_views_and_only_reviewers_save(serving):
    tokens = dict(TOKENS)
    async with serving(http=HttpSettings.model_validate({"tokens": tokens})) as client:
        assert (await saved(client, ANSWERS, as_tenant(OURS), name="ours")).status_code == 303
        refused = await saved(client, ANSWERS, as_tenant(OURS), name="foreign", filters=f"tenant={THEIRS}")
        assert refused.status_code == 403
        [address] = links((await client.get(VIEWS, headers=as_tenant(OURS))).text, "ours")
        assert "ours" not in (await client.get(VIEWS, headers=as_tenant(THEIRS))).text
        assert (await client.get(address, headers=as_tenant(THEIRS))).status_code == 404
        assert (await client.post(f"{address}/delete", headers=as_tenant(THEIRS))).status_code == 404
        assert (await client.get(address, headers=as_tenant(OURS))).status_code == 303
