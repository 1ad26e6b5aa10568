"""The console: what a person sees, guarded as the API is, and safe to look at whatever an agent wrote."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest

from service.settings.intake_settings import HttpSettings
from tests.service.console_lists import EVENT
from tests.service.own_scripts import foreign_scripts


async def page(client, path: str) -> str:
    reply = await client.get(path)
    assert reply.status_code == 200, reply.text
    assert reply.headers["content-type"].startswith("text/html")
    assert "unsafe" not in reply.headers["content-security-policy"]
    return reply.text


async def test_home_leads_to_the_report_and_the_report_to_the_worst_answers(client):
    assert (await client.get("/")).headers["location"] == "/console"
    assert "No answers yet" in await page(client, "/console")
    await client.post("/v1/events", json=EVENT)
    shown = await page(client, "/console")
    assert "crumb" in shown
    link = re.search(r'href="(/console/evaluations\?[^"]+)"[^>]*>worst answers', shown)[1].replace("&amp;", "&")
    assert "ovens are in Oslo" in await page(client, link)


@pytest.mark.parametrize("path", ["/console", "/console/evaluations"])
async def test_a_form_with_empty_fields_restricts_nothing(client, path):
    await client.post("/v1/events", json=EVENT)
    form = re.search(r"<form.*?</form>", await page(client, path), flags=re.DOTALL)[0]
    names = re.findall(r'<(?:input|select) name="(\w+)"', form)
    fields = {name: "" for name in names if name not in {"by", "order"}}
    assert len(fields) > 2
    assert 'class="empty"' not in await page(client, f"{path}?{urlencode(fields)}")
    assert "No answers match" in await page(client, f"{path}?{urlencode({**fields, 'agent': 'another'})}")


async def test_an_answer_is_explained(client):
    reply = (await client.post("/v1/events", json=EVENT)).json()["results"][0]
    shown = await page(client, f"/console/evaluations/{reply['evaluation_id']}")
    for part in (
        "FILTER_MISSING",
        "missing",
        "matched",
        "city = &#39;oslo&#39;",
        "How the score is computed",
        f"{reply['score']:.1f}",
    ):
        assert part in shown, part


async def test_an_answer_without_a_score_says_why(client):
    reply = (await client.post("/v1/events", json={**EVENT, "sql": ""})).json()["results"][0]
    assert "EMPTY_SQL" in await page(client, f"/console/evaluations/{reply['evaluation_id']}")
    assert "EMPTY_SQL" in await page(client, "/console/evaluations?unscored=true")


async def test_filters_narrow_the_list_and_pages_follow_each_other(client):
    await client.post(
        "/v1/events",
        json=[{**EVENT, "event_id": str(n), "question": f"How many ovens has town {n}?"} for n in range(5)],
    )
    first = await page(client, "/console/evaluations?limit=3")
    assert len(re.findall(r"ovens has town \d", first)) == 3
    following = re.search(r'class="next" href="([^"]+)"', first)[1].replace("&amp;", "&")
    assert len(re.findall(r"ovens has town \d", await page(client, following))) == 2
    assert "No answers match" in await page(client, "/console/evaluations?agent=nobody")
    for wrong, said in (
        ("?tier=splendid", "tier: "),
        ("?reason=X", "reason: is not one of the values"),
        ("/X", "is no id"),
    ):
        refused = await client.get(f"/console/evaluations{wrong}")
        assert (refused.status_code, said in refused.text) == (400, True), wrong


@pytest.mark.slow  # takes over a second
async def test_with_tokens_a_browser_is_asked_and_sees_its_own_tenant_only(serving):
    own, other, every = (f"{name}-token-for-tests-only" for name in ("bakers", "millers", "all"))
    http = HttpSettings.model_validate({"tokens": {"bakers": own, "millers": other, "*": every}})
    async with serving(http=http) as client:
        bearer = {"Authorization": f"Bearer {own}"}
        reply = (await client.post("/v1/events", json=EVENT, headers=bearer)).json()["results"][0]
        path = f"/console/evaluations/{reply['evaluation_id']}"
        for each in ("/console", "/console/evaluations", path):
            refused = await client.get(each)
            assert refused.status_code == 401
            assert refused.headers["www-authenticate"].startswith("Basic")
            assert (await client.get(each, auth=("me", "wrong"))).status_code == 401
            assert (await client.get(each, headers={"Authorization": "Basic %%%"})).status_code == 401
        assert "ovens" in (await client.get(path, auth=("me", own))).text
        assert (await client.get(path, auth=("me", other))).status_code == 404
        for each in ("/console", "/console/evaluations", "/console/evaluations.csv", "/console/evaluations.jsonl"):
            assert (await client.get(each)).status_code == 401
            shown = await client.get(each, auth=("me", other))
            assert shown.status_code == 200
            assert not {"bakers", "crumb", "ovens"} & set(re.findall(r"\w+", shown.text)), each
            assert (await client.get(f"{each}?tenant=BAKERS", auth=("me", other))).status_code == 403
            assert "crumb" in (await client.get(f"{each}?tenant=BAKERS", auth=("me", own))).text
            assert "crumb" in (await client.get(each, auth=("me", every))).text
        assert (await client.get("/console?tenant=bakers", auth=("me", other))).status_code == 403
        assert "crumb" in (await client.get("/console", auth=("anyone", every))).text


@pytest.mark.parametrize("path", ["", "/evaluations?order=worst", "/evaluations", "/slices", "/trust"])
async def test_the_menu_marks_the_page_that_is_open(shared_client, path):
    (marked,) = re.findall(r'<a href="([^"]+)" aria-current="page">', await page(shared_client, f"/console{path}"))
    assert marked == f"/console{path}"


async def test_an_answer_leads_reviewers_to_its_label(serving):
    reader, reviewer = (f"{name}-token-for-tests-only" for name in ("reader", "reviewer"))
    scopes = {
        "bakers": {"token": reader, "scopes": ["read", "publish"]},
        "*": {"token": reviewer, "scopes": ["read", "review"]},
    }
    async with serving(http=HttpSettings.model_validate({"tokens": scopes})) as client:
        bearer = {"Authorization": f"Bearer {reader}"}
        stored = (await client.post("/v1/events", json=EVENT, headers=bearer)).json()["results"][0]
        path = f"/console/evaluations/{stored['evaluation_id']}"
        way = f"/console/review/{stored['evaluation_id']}?blind=false"
        assert f'"{way}">Label it</a>' in (await client.get(path, auth=("me", reviewer))).text
        assert "Label it" not in (await client.get(path, auth=("me", reader))).text
        assert (await client.get(way, auth=("me", reviewer))).status_code == 200


async def test_less_used_filters_of_the_overview_are_folded_unless_one_is_set(shared_client):
    cases = {"": False, "agent=crumb&range=7d": False, "every=day": True, "by=agent_version": True}
    for query, unfolded in cases.items():
        assert ('<details class="more" open>' in await page(shared_client, f"/console?{query}")) is unfolded, query


FAULTS = {
    "/console?tier=good": (400, "tier"),
    "/console?by=moon": (400, "by"),
    "/console?since=yesterday": (400, "since"),
    "/console?tenant=a%00b": (400, "tenant"),
    "/console?range=forever": (400, "range"),
    "/console?from_day=2026-02-30": (400, "from_day"),
    "/console?from_day=5&agent=crumb": (400, "from_day"),
    "/console?from_day=2026-03-02&to_day=2026-03-01": (400, "to_day"),
    "/console?since=0001-01-01T00:00:00%2B14:00": (400, "since"),
    "/console?until=9999-12-31T23:00:00-14:00": (400, "until"),
    "/console/evaluations?reviewed=perhaps": (400, "reviewed"),
    "/console/evaluations?search=%00": (400, "search"),
    "/console/evaluations.csv?reason=NO_SUCH_REASON": (400, "reason"),
    "/console/evaluations.jsonl?range=forever&agent=crumb": (400, "range"),
    "/console/evaluations/00000000-0000-0000-0000-000000000000?range=forever": (400, "range"),
    "/console/evaluations?reason=NO_SUCH_REASON&agent=crumb": (400, "reason"),
    "/console/evaluations?cursor=stale": (400, "cursor"),
    "/console/evaluations?limit=0&limit=x": (400, "limit"),
    "/console/evaluations?%3Cscript%3E=1": (400, "&lt;script&gt;"),
    "/console/evaluations/not-an-id": (400, "evaluation_id"),
    "/console/evaluations/00000000-0000-0000-0000-000000000000": (404, "00000000-0000"),
    "/console/no/such/page%3Cscript%3E": (404, "/console/no/such/page&lt;script&gt;"),
    "/console/evaluations/a/b": (404, "/console/evaluations/a/b"),
}


@pytest.mark.parametrize("path", FAULTS)
async def test_an_error_is_a_page_with_a_way_out(shared_client, path):
    status, named = FAULTS[path]
    reply = await shared_client.get(path, headers={"Accept": "*/*"})
    assert reply.status_code == status
    assert reply.headers["content-type"].startswith("text/html")
    assert "unsafe" not in reply.headers["content-security-policy"]
    assert not foreign_scripts(reply.text)
    assert named in reply.text
    links = re.findall(r'<li><a href="([^"]+)">', reply.text)
    assert len(links) >= 3
    for each in links:
        if "00000000" not in each:
            await page(shared_client, each.replace("&amp;", "&"))


async def test_the_page_without_the_wrong_parameter_keeps_the_others(client):
    reply = await client.get("/console/evaluations?reason=NO_SUCH_REASON&agent=crumb&order=worst")
    assert 'href="/console/evaluations?agent=crumb&amp;order=worst"' in reply.text


async def test_a_wrong_method_shows_a_page_and_the_api_answers_with_json(client):
    refused = await client.post("/console/evaluations")
    assert refused.status_code == 405
    assert refused.headers["allow"] == "GET"
    assert "can only be read" in refused.text
    assert (await client.put("/v1/events", json={})).headers["allow"] == "POST"
    assert (await client.post("/v1/tenants/library/schema", json={})).headers["allow"] == "DELETE, GET, PUT"
    for path in ("/v1/evaluations?tier=splendid", "/v1/evaluations/not-an-id", "/consoles", "/v1/nothing"):
        reply = await client.get(path, headers={"Accept": "text/html"})
        assert reply.status_code in {400, 404}
        assert set(reply.json()["error"]) == {"code", "message", "fix"}
