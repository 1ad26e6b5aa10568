"""The console's review: blind labels by forms, undo, skip, and nothing lost or handed out twice."""

from __future__ import annotations

import asyncio
import html
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from consumers.wire.labels import ErrorType, LabelValue
from service.console.review_keys import ACTION_KEYS, ERROR_KEYS, LABEL_KEYS, all_keys
from service.settings.intake_settings import HttpSettings
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine
from tests.served import ROOT
from tests.service.test_review import events

START = "/console/review?tenant=bakers&reviewer=ann"
SECRETS = ("How the score", "p(correct)", "The judge says", "FILTER_", "Potentially", "badge")
"""What would tell the verdict."""


@pytest.fixture
async def engine(database):
    opened = create_engine(database, DatabaseSettings())
    yield opened
    await opened.dispose()


async def shown(client: httpx.AsyncClient, path: str, **more: Any) -> str:
    reply = await client.get(path, **more)
    assert reply.status_code == 200, reply.text
    return reply.text


def fields(page: str, action: str) -> dict[str, str]:
    """The fields of the form with this action, as a browser without script sends them."""
    form = re.search(rf'<form[^>]*action="{re.escape(action)}".*?</form>', page, re.DOTALL)
    assert form is not None, action
    sent: dict[str, str] = {}
    for tag in re.findall(r"<input[^>]*>", form[0]):
        given = {name: html.unescape(value) for name, value in re.findall(r'([\w-]+)="([^"]*)"', tag)}
        if given.get("type") != "radio" or " checked" in tag:
            sent[given["name"]] = given.get("value", "")
    for name, value in re.findall(r'<textarea[^>]*name="(\w+)"[^>]*>\n(.*?)</textarea>', form[0], re.DOTALL):
        sent[name] = html.unescape(value)
    return sent


async def send(client: httpx.AsyncClient, path: str, given: dict[str, str], **more: Any) -> httpx.Response:
    return await client.post(path, data=given, **more)


async def take(client: httpx.AsyncClient, reviewer: str = "ann", **given: str) -> str:
    """Takes the next answer, and returns the address of its page."""
    page = await shown(client, f"/console/review?tenant=bakers&reviewer={reviewer}")
    sent = fields(page, "/console/review/next") | given
    reply = await send(client, "/console/review/next", sent)
    assert reply.status_code == 303, reply.text
    return reply.headers["location"]


def path_of(address: str) -> str:
    return address.partition("?")[0]


async def labels(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    return (await client.get("/v1/labels?tenant=bakers")).json()["items"]


async def test_an_answer_is_labelled_blind_and_then_the_verdict_is_shown(client):
    await client.post("/v1/events", json=events(40))
    address = await take(client)
    page = await shown(client, address)
    assert "loaves of kind" in page
    assert not [each for each in SECRETS if each in page]
    assert "yours until" in page
    assert "0 of 30" in page
    path = path_of(address)
    sent = fields(page, path) | {"label": "wrong", "error_type": "filter", "note": "no <b>kind</b>"}
    reply = await send(client, path, sent)
    assert reply.status_code == 303
    after = await shown(client, reply.headers["location"])
    assert all(each in after for each in ("Saved. You said wrong (filter).", "The judge says", "p(correct)", "badge"))
    assert "no &lt;b&gt;kind&lt;/b&gt;" in after
    [label] = await labels(client)
    assert (label["label"], label["error_type"], label["reviewer"], label["blind"]) == ("wrong", "filter", "ann", True)
    assert 0 < label["sampling_probability"] <= 1
    assert "1 of 30" in after
    line = (await client.get("/v1/labels?tenant=bakers&format=training&blind=true")).json()
    assert line["error_type"] == "filter"
    assert (await client.get("/v1/labels?tenant=bakers&format=training&blind=false")).text == ""


@pytest.mark.slow
async def test_the_progress_is_what_the_estimate_says(client):
    await client.post("/v1/events", json=events(60))
    for place in range(6):
        path = path_of(await take(client))
        page = await shown(client, f"{path}?reviewer=ann")
        sent = fields(page, path) | {"label": "right" if place % 2 else "wrong"}
        assert (await send(client, path, sent)).status_code == 303
    page = await shown(client, START)
    [row] = (await client.get("/v1/report?tenant=bakers")).json()["rows"]
    now = f"{(row['high'] - row['low']) / 2:.2f}".lstrip("0")
    [before, after] = re.search(r"±&nbsp;(\S+) → ±&nbsp;([.\d]+)", page).groups()
    assert after == now
    assert before != after
    assert "6 of 30" in page
    unlabelled = await shown(client, "/console/review?tenant=bakers&reviewer=ben")
    assert f"±&nbsp;{now}<" in unlabelled, "for who gave none of the labels nothing changed today"


async def test_a_form_sent_twice_or_at_once_stores_one_label(client):
    await client.post("/v1/events", json=events(3))
    path = path_of(await take(client))
    sent = fields(await shown(client, f"{path}?reviewer=ann"), path) | {"label": "right", "note": "as\r\nsaid"}
    replies = await asyncio.gather(*(send(client, path, sent) for _ in range(6)))
    assert {reply.status_code for reply in replies} == {303}
    [first] = await labels(client)
    assert (await send(client, path, sent)).status_code == 303
    assert await labels(client) == [first]
    assert (first["blind"], first["note"]) == (True, "as\nsaid")


async def test_undo_withdraws_the_label_and_keeps_what_was_typed(client, engine):
    await client.post("/v1/events", json=events(3))
    path = path_of(await take(client))
    sent = fields(await shown(client, f"{path}?reviewer=ann"), path) | {"label": "wrong", "note": "a note"}
    await send(client, path, sent)
    page = await shown(client, f"{path}?reviewer=ann")
    undo = fields(page, f"{path}/undo")
    reply = await send(client, f"{path}/undo", undo)
    again = await shown(client, reply.headers["location"])
    assert "this label is withdrawn" in again
    assert "yours until" in again
    assert "recorded as not blind" in again
    assert "The judge says" not in again
    assert await labels(client) == []
    typed = fields(again, path)
    assert (typed["label"], typed["note"]) == ("wrong", "a note")
    second = await send(client, f"{path}/undo", undo)
    assert "Nothing was undone" in await shown(client, second.headers["location"])
    await send(client, path, typed | {"label": "unsure"})
    [label] = await labels(client)
    assert (label["label"], label["blind"]) == ("unsure", False)
    assert label["sampling_probability"] is not None
    async with engine.connect() as connection:
        past = (await connection.execute(text("SELECT label, note, withdrawn FROM past_labels"))).all()
        log = text("SELECT action, via, reviewer, before, after FROM audit_log ORDER BY id")
        noted = (await connection.execute(log)).all()
    assert [tuple(each) for each in past] == [("wrong", "a note", True)]
    wrong, unsure = {"label": "wrong", "blind": True}, {"label": "unsure", "blind": False}
    assert [tuple(each) for each in noted] == [
        ("label_stored", "console", "ann", None, wrong),
        ("label_withdrawn", "console", "ann", wrong, None),
        ("label_stored", "console", "ann", None, unsure),
    ]


@pytest.mark.slow
async def test_undo_of_a_changed_label_brings_back_the_one_before(client):
    await client.post("/v1/events", json=events(3))
    path = path_of(await take(client))
    sent = fields(await shown(client, f"{path}?reviewer=ann"), path)
    await send(client, path, sent | {"label": "wrong", "error_type": "join"})
    await send(client, path, sent | {"label": "right"})
    [label] = await labels(client)
    assert (label["label"], label["blind"]) == ("right", False)
    page = await shown(client, f"{path}?reviewer=ann")
    await send(client, f"{path}/undo", fields(page, f"{path}/undo"))
    [label] = await labels(client)
    assert (label["label"], label["error_type"], label["blind"]) == ("wrong", "join", True)
    assert label["sampling_probability"] is not None
    page = await shown(client, f"{path}?reviewer=ann")
    await send(client, f"{path}/undo", fields(page, f"{path}/undo"))
    assert await labels(client) == []


@pytest.mark.slow
async def test_a_skipped_answer_goes_to_others_first_and_comes_back_last(client):
    await client.post("/v1/events", json=events(3))
    seen: list[str] = []
    address = await take(client)
    for _ in range(4):
        seen.append(path_of(address))
        page = await shown(client, address)
        reply = await send(client, f"{path_of(address)}/skip", fields(page, f"{path_of(address)}/skip"))
        address = reply.headers["location"]
    assert len(set(seen[:3])) == 3
    assert seen[3] == seen[0]
    assert path_of(await take(client, "ben")) in seen[:3]


@pytest.mark.slow
async def test_reviewers_at_once_are_led_to_different_answers(client):
    await client.post("/v1/events", json=events(60))
    addresses = await asyncio.gather(*(take(client, f"r{place}") for place in range(12)))
    assert len({path_of(each) for each in addresses}) == 12
    assert "r3 1" in await shown(client, START)


@pytest.mark.slow
async def test_a_label_whose_lease_is_over_is_kept(client, engine):
    await client.post("/v1/events", json=events(1))
    path = path_of(await take(client))
    sent = fields(await shown(client, f"{path}?reviewer=ann"), path) | {"label": "right"}
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE review_items SET leased_until = now() - interval '1 minute'"))
    assert path_of(await take(client, "ben")) == path
    reply = await send(client, path, sent)
    assert "another reviewer has this answer" in await shown(client, reply.headers["location"])
    of_ben = await shown(client, f"{path}?reviewer=ben")
    assert "The judge says" not in of_ben
    await send(client, path, fields(of_ben, path) | {"label": "wrong"})
    found = {each["reviewer"]: each["sampling_probability"] for each in await labels(client)}
    assert (found["ann"], found["ben"]) == (None, 1.0)


REFUSED: list[tuple[dict[str, str], str]] = [
    ({}, "Choose right, wrong or unsure"),
    ({"label": "splendid"}, "Choose right, wrong or unsure"),
    ({"label": "wrong", "error_type": "moon"}, "no error type &#39;moon&#39;"),
    ({"label": "right", "error_type": "join"}, "belongs to a wrong answer"),
    ({"label": "wrong", "correction": "SELECT FROM WHERE"}, "The corrected SQL cannot be read"),
    ({"label": "wrong", "correction": "SELECT 1; DROP TABLE x"}, "The corrected SQL cannot be read"),
    ({"label": "wrong", "correction": "(" * 50_000}, "The corrected SQL cannot be read"),
    ({"label": "wrong", "note": "a\0b"}, "The label is not stored"),
    ({"label": "wrong", "note": "x" * 10_001}, "The label is not stored"),
]


@pytest.mark.slow
async def test_what_cannot_be_stored_says_why_and_keeps_what_was_typed(client):
    await client.post("/v1/events", json=events(2))
    path = path_of(await take(client))
    sent = fields(await shown(client, f"{path}?reviewer=ann"), path)
    for typed, why in REFUSED:
        reply = await send(client, path, sent | {"note": "my note"} | typed)
        assert reply.status_code == 422
        assert why in reply.text
        kept = fields(reply.text, path)
        assert (kept["note"], kept["correction"]) == (typed.get("note", "my note"), typed.get("correction", ""))
        assert not [each for each in SECRETS if each in reply.text]
    assert await labels(client) == []


@pytest.mark.slow
async def test_without_the_database_what_was_typed_is_shown_again(serving, database, engine):
    async with serving(http=HttpSettings()) as client:
        await client.post("/v1/events", json=events(2))
        path = path_of(await take(client))
        sent = fields(await shown(client, f"{path}?reviewer=ann"), path) | {"label": "wrong", "note": "kept"}
        async with engine.begin() as connection:
            await connection.execute(text("ALTER TABLE labels RENAME TO labels_away"))
        reply = await send(client, path, sent)
        assert reply.status_code == 503
        again = fields(reply.text, path)
        assert (again["label"], again["note"]) == ("wrong", "kept")
        async with engine.begin() as connection:
            await connection.execute(text("ALTER TABLE labels_away RENAME TO labels"))
        assert (await send(client, path, again)).status_code == 303
        assert [each["note"] for each in await labels(client)] == ["kept"]


@pytest.mark.slow
async def test_a_forgotten_answer_says_so_and_keeps_what_was_typed(client, engine):
    await client.post("/v1/events", json=events(2))
    path = path_of(await take(client))
    sent = fields(await shown(client, f"{path}?reviewer=ann"), path) | {"label": "wrong", "note": "long thoughts"}
    async with engine.begin() as connection:
        await connection.execute(text("DELETE FROM evaluations"))
    reply = await send(client, path, sent)
    assert reply.status_code == 404
    assert "long thoughts" in reply.text
    assert (await client.get(f"{path}?reviewer=ann")).status_code == 404


@pytest.mark.slow
async def test_with_the_verdict_in_view_the_label_is_not_blind(client):
    await client.post("/v1/events", json=events(2))
    address = await take(client, blind="false")
    assert "blind=false" in address
    page = await shown(client, address)
    assert "The judge says" in page
    path = path_of(address)
    await send(client, path, fields(page, path) | {"label": "right"})
    [label] = await labels(client)
    assert label["blind"] is False


HOSTILE = {
    "question": "<script>alert(1)</script>\u202egnirts \u05e9\u05dc\u05d5\u05dd =1+1 {{ 7*7 }}",
    "enriched_question": '"><img src=x onerror=alert(1)>',
    "sql": "SELECT '</pre><script>alert(2)</script>'\n" + "\n".join(f"  , c{place}" for place in range(500)),
    "result": {"error": "</dd><script>alert(3)</script>"},
}


async def test_hostile_text_is_text_on_every_page(client):
    event = events(1)[0] | HOSTILE | {"agent": "<i>crumb</i>", "agent_version": "\"'><b>"}
    found = (await client.post("/v1/events", json=event)).json()["results"][0]["evaluation_id"]
    path = f"/console/review/{found}"
    name = "<u>ann</u>"
    for reviewer, label in ((name, "wrong"), ("ben", "right")):
        page = await shown(client, path, params={"reviewer": reviewer})
        sent = fields(page, path) | {"label": label, "note": "<script>alert(4)</script>", "correction": "SELECT '<s>'"}
        reply = await send(client, path, sent)
        assert reply.status_code == 303, reply.text
    pages = [
        await shown(client, path, params={"reviewer": name}),
        await shown(client, "/console/review", params={"reviewer": name}),
        await shown(client, "/console/review/disagreements"),
        (await send(client, path, {**sent, "error_type": "<script>"})).text,
    ]
    for page in pages:
        assert page.count("<script") == page.count('<script src="/console/review.js" defer></script>')
        for raw in ("<script>alert", "<img src=x", "<i>crumb", "<u>ann", "'<s>'", "</pre><script"):
            assert raw not in page


async def test_disagreements_are_listed_for_people_and_programs(client):
    await client.post("/v1/events", json=events(6))
    said = {0: ("right", "wrong"), 1: ("wrong", "wrong"), 2: ("right", "right"), 3: ("right", "unsure"), 4: ("wrong",)}
    given = [
        {**events(6)[place], "reviewer": f"r{number}", "label": label}
        for place, each in said.items()
        for number, label in enumerate(each)
    ]
    await client.post("/v1/labels", json=given)
    listed = (await client.get("/v1/review/disagreements?between=reviewers&tenant=bakers")).json()["items"]
    assert [(each["event_id"], each["right"], each["wrong"]) for each in listed] == [("crumb-0", 1, 1)]
    assert [each["label"] for each in listed[0]["labels"]] == ["right", "wrong"]
    judged = (await client.get("/v1/review/disagreements?between=judge&tenant=bakers")).json()["items"]
    majority = {"crumb-1": False, "crumb-2": True, "crumb-3": True, "crumb-4": False}
    stored = (await client.get("/v1/evaluations?tenant=bakers")).json()["items"]
    apart = {
        each["event_id"] for each in stored if majority.get(each["event_id"]) not in {None, each["p_correct"] >= 0.5}
    }
    assert apart
    assert apart < set(majority)
    assert {each["event_id"] for each in judged} == apart
    page = await shown(client, "/console/review/disagreements?between=judge")
    assert page.count("Label it too") == len(apart)
    assert f"/console/review/{judged[0]['evaluation_id']}?blind=false" in page, "the list shows what others say"
    assert f"/console/evaluations/{judged[0]['evaluation_id']}" in page
    for empty in ("agent=nobody", f"since={datetime.now(UTC) + timedelta(days=1):%Y-%m-%d}", "agent_version=9"):
        assert (await client.get(f"/v1/review/disagreements?between=judge&{empty}")).json()["items"] == []
        assert "No labels disagree" in await shown(client, f"/console/review/disagreements?between=judge&{empty}")


@pytest.mark.slow
async def test_lists_of_disagreements_have_pages(client):
    await client.post("/v1/events", json=events(5))
    at = "2026-11-02T09:00:00Z"
    both = [
        each | {"reviewer": f"r{label}", "label": label, "labelled_at": at}
        for each in events(5)
        for label in ("right", "wrong")
    ]
    await client.post("/v1/labels", json=both)
    seen: list[str] = []
    query = {"between": "reviewers", "limit": "2"}
    while (page := (await client.get("/v1/review/disagreements", params=query)).json())["next_cursor"]:
        assert len(page["items"]) == 2
        seen += [each["event_id"] for each in page["items"]]
        query["cursor"] = page["next_cursor"]
    seen += [each["event_id"] for each in page["items"]]
    assert sorted(seen) == [f"crumb-{place}" for place in range(5)]
    first = await shown(client, "/console/review/disagreements?limit=3")
    following = html.unescape(re.search(r'class="next" href="([^"]+)"', first)[1])
    assert (await shown(client, following)).count("Label it too") == 2
    refused = await client.get("/v1/review/disagreements?between=reviewers&cursor=x")
    assert refused.json()["error"]["code"] == "INVALID_CURSOR"
    assert (await client.get("/v1/review/disagreements")).status_code == 400
    assert (await client.get("/console/review/disagreements?between=moon")).status_code == 400


async def test_a_tenants_reviewer_sees_and_labels_only_its_answers(serving):
    secrets = {name: f"{name}-token-for-tests-only" for name in ("bakers", "millers", "readers")}
    tokens = {name: secrets[name] for name in ("bakers", "millers")}
    tokens |= {"readers": {"token": secrets["readers"], "scopes": ["read"]}}
    async with serving(http=HttpSettings.model_validate({"tokens": tokens})) as client:
        bearer = {"Authorization": f"Bearer {secrets['bakers']}"}
        found = (await client.post("/v1/events", json=events(2), headers=bearer)).json()["results"][0]["evaluation_id"]
        path, own, other = f"/console/review/{found}", ("me", secrets["bakers"]), ("me", secrets["millers"])
        page = await shown(client, path, auth=own)
        sent = fields(page, path) | {"label": "right"}
        assert (await send(client, path, sent)).status_code == 401
        assert (await send(client, path, sent | {"csrf": "x"}, auth=own)).status_code == 403
        assert (await send(client, path, sent | {"tenant": ""}, auth=other)).status_code == 404
        assert (await send(client, f"{path}/skip", sent, auth=other)).status_code == 404
        assert (await send(client, f"{path}/undo", sent | {"labelled_at": "x"}, auth=other)).status_code == 404
        for each in ("/console/review", "/console/review/disagreements"):
            assert "crumb" not in await shown(client, each, auth=other)
            assert (await client.get(f"{each}?tenant=bakers", auth=other)).status_code == 403
        assert (await client.get(path, auth=other)).status_code == 404
        foreign = await send(client, "/console/review/next", sent | {"tenant": "bakers"}, auth=other)
        assert foreign.status_code == 403
        reader = ("me", secrets["readers"])
        assert (await send(client, path, sent, auth=reader)).status_code == 403
        assert (await send(client, path, sent, auth=own)).status_code == 303
        [label] = (await client.get("/v1/labels", headers=bearer)).json()["items"]
        assert label["reviewer"] == "bakers"


@pytest.mark.slow
async def test_empty_data_and_bad_parameters_have_a_way_out(client):
    assert "No answers in 30 days" in await shown(client, "/console/review")
    assert "No labels disagree" in await shown(client, "/console/review/disagreements")
    assert 'href="/console/review"' in await shown(client, "/console")
    await client.post("/v1/events", json=events(1))
    assert "Enter your name to begin" in await shown(client, "/console/review")
    assert "No answers of these 30 days match" in await shown(client, "/console/review?agent=nobody")
    page = await shown(client, START)
    sent = fields(page, "/console/review/next")
    for changed, said in (({"reviewer": ""}, "Enter your name first"), ({"tenant": ""}, "Choose a tenant first")):
        reply = await send(client, "/console/review/next", sent | changed)
        assert said in await shown(client, reply.headers["location"])
    for bad in ("blind=moon", "reviewer=a%00b", "notice=x"):
        reply = await client.get(f"/console/review?{bad}")
        assert (reply.status_code, reply.headers["content-type"]) == (400, "text/html; charset=utf-8")
        assert "/console" in reply.text
    assert (await send(client, "/console/review/next", sent | {"blind": "moon"})).status_code == 400
    assert (await client.get("/console/review/not-an-id")).status_code == 400
    assert (await send(client, "/console/review/019a4b1e-5c40-7000-8000-000000000001/skip", sent)).status_code == 404


@pytest.mark.slow
async def test_nothing_is_left_when_all_is_labelled(client):
    await client.post("/v1/events", json=events(2))
    for _ in range(2):
        path = path_of(await take(client))
        await send(client, path, fields(await shown(client, f"{path}?reviewer=ann"), path) | {"label": "right"})
    assert "Nothing is left" in await shown(client, await take(client))


async def test_keys_on_the_page_in_its_help_and_in_the_documentation_are_one_list(client):
    await client.post("/v1/events", json=events(2))
    address = await take(client)
    page = await shown(client, address)
    path = path_of(address)
    await send(client, path, fields(page, path) | {"label": "right"})
    after = await shown(client, address)
    pressed = set(re.findall(r'data-key="([^"]+)"', page)) | set(re.findall(r'data-key="([^"]+)"', after))
    listed = [each.key for each in all_keys()]
    # the script itself leaves a text field
    assert pressed | {ACTION_KEYS["leave"].key} == set(listed)
    assert len(listed) == len(set(listed))
    assert set(LABEL_KEYS) == set(LabelValue)
    assert set(ERROR_KEYS) == set(ErrorType)
    shown_keys = [
        (html.unescape(key), html.unescape(words))
        for key, words in re.findall(r"<tr><td><kbd>(.*?)</kbd></td><td>(.*?)</td></tr>", page)
    ]
    assert shown_keys == [(each.key, each.words) for each in all_keys()]
    documented = re.findall(r"^\| `(.+?)` \| (.+?) \|$", keys_section(), re.MULTILINE)
    assert documented == shown_keys


def keys_section() -> str:
    labels_page = (ROOT / "docs" / "labels.md").read_text(encoding="utf-8")
    return labels_page.partition("### Keys\n")[2].partition("\n#")[0]


async def test_the_script_is_served_from_here_and_needs_no_other_source(client):
    reply = await client.get("/console/review.js")
    assert reply.headers["content-type"].startswith("text/javascript")
    assert "sessionStorage" in reply.text
    assert "http" not in reply.text
    page = await client.get("/console/review")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert "unsafe" not in page.headers["content-security-policy"]
    assert not re.search(r"<script(?! src=\"/console/review\.js\" defer>)|\son\w+=|javascript:|style=\"", page.text)
