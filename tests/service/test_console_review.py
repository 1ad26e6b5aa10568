"""The console's review: blind labels by forms and keys, undo, skip, and how far the labels are."""

from __future__ import annotations

import asyncio
import html
import re

import pytest
from sqlalchemy import text

from consumers.wire.labels import ErrorType, LabelValue
from service.console.review_keys import ACTION_KEYS, ERROR_KEYS, LABEL_KEYS, all_keys
from tests.served import ROOT
from tests.service.review_visits import SECRETS, START, fields, labels, path_of, send, shown, take
from tests.service.test_review import events


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


@pytest.mark.slow  # takes over a second
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
async def test_answers_of_one_version_are_handed_out_until_none_is_left(client):
    later = [each | {"agent_version": "2"} for each in events(63)[60:]]
    await client.post("/v1/events", json=[*events(60), *later])
    start = "/console/review?tenant=bakers&agent_version=2&reviewer=ann"
    assert 'data-agent="crumb"' in await shown(client, start)
    given = fields(await shown(client, start), "/console/review/next")
    assert given["agent_version"] == "2"
    seen: set[str] = set()
    for _ in later:
        address = (await send(client, "/console/review/next", given)).headers["location"]
        seen.add(path_of(address))
        page = await shown(client, address)
        assert "crumb 2 of bakers" in page
        await send(client, path_of(address), fields(page, path_of(address)) | {"label": "right"})
    assert len(seen) == 3
    last = await send(client, "/console/review/next", given)
    assert "Nothing is left" in await shown(client, last.headers["location"])
    assert "3 of 3 recommended" in await shown(client, start)


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
    trust = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
    return trust.partition("### Keys\n")[2].partition("\n#")[0]


async def test_the_script_is_served_from_here_and_needs_no_other_source(client):
    reply = await client.get("/console/review.js")
    assert reply.headers["content-type"].startswith("text/javascript")
    assert "sessionStorage" in reply.text
    assert "http" not in reply.text
    page = await client.get("/console/review")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert "unsafe" not in page.headers["content-security-policy"]
    assert not re.search(
        r"<script(?! src=\"/console/(review|times)\.js\" defer>)|\son\w+=|javascript:|style=\"", page.text
    )
