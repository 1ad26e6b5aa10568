"""What to label next: nobody gets what another has, nothing is lost, and labels carry the recorded probability."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text

from service.settings.intake_settings import HttpSettings
from service.storage.forgetting import Subject, forget_rows
from service.storage.reviewing.review_queue import LEASE, next_answers


def events(count: int, agent: str = "crumb", tenant: str = "bakers") -> list[dict[str, Any]]:
    return [
        {
            "event_id": f"{agent}-{place}",
            "tenant": tenant,
            "agent": agent,
            "question": f"How many loaves of kind {place} are there?",
            "sql": f"SELECT COUNT(*) FROM loaves WHERE kind = {place if place % 3 else 'price'}",
        }
        for place in range(count)
    ]


async def ask(client, reviewer: str = "ann", **more: object) -> list[dict[str, Any]]:
    reply = await client.post("/v1/review/next", params={"reviewer": reviewer, "tenant": "bakers", **more})
    assert reply.status_code == 200, reply.text
    return reply.json()["items"]


def label_of(item: dict[str, Any], reviewer: str = "ann", label: str = "right") -> dict[str, Any]:
    return {"evaluation_id": item["evaluation_id"], "reviewer": reviewer, "label": label}


async def test_a_label_of_a_handed_answer_has_the_probability_with_which_it_was_drawn(client):
    await client.post("/v1/events", json=events(200))
    [item] = await ask(client)
    assert 0 < item["sampling_probability"] < 1
    assert "score" not in item
    await client.post("/v1/labels", json=label_of(item))
    [label] = (await client.get("/v1/labels?tenant=bakers")).json()["items"]
    assert label["sampling_probability"] == item["sampling_probability"]
    [line] = (await client.get("/v1/labels?tenant=bakers&format=training")).text.splitlines()
    assert json.loads(line)["probability"] == item["sampling_probability"]
    other = next(each for each in events(200) if each["event_id"] != item["event_id"])
    await client.post("/v1/labels", json=other | {"reviewer": "ann", "label": "wrong"})
    labels = (await client.get("/v1/labels?tenant=bakers")).json()["items"]
    assert [each["sampling_probability"] for each in labels if each["event_id"] == other["event_id"]] == [None]


@pytest.mark.slow  # takes over a second
async def test_reviewers_at_once_are_never_handed_the_same_answer_and_keep_theirs(client):
    await client.post("/v1/events", json=events(120) + events(120, "crust"))
    handed = await asyncio.gather(*(ask(client, f"r{place}", limit=5) for place in range(8)))
    ids = [item["event_id"] for items in handed for item in items]
    assert len(ids) == 40 == len(set(ids))
    again = await asyncio.gather(*(ask(client, f"r{place}", limit=5) for place in range(8)))
    assert [{item["event_id"] for item in items} for items in again] == [
        {item["event_id"] for item in items} for items in handed
    ]


async def test_what_a_reviewer_leaves_is_handed_to_the_next_when_the_lease_ends(engine, client):
    await client.post("/v1/events", json=events(3))
    now = datetime.now(UTC)
    left = await next_answers(engine, "bakers", "ann", now=now, limit=50)
    assert len(left) == 3
    assert await next_answers(engine, "bakers", "ben", now=now + LEASE / 2, limit=50) == []
    later = now + LEASE + timedelta(seconds=1)
    taken = await next_answers(engine, "bakers", "ben", now=later, limit=50)
    assert {each["event_id"] for each in taken} == {each["event_id"] for each in left}
    assert await next_answers(engine, "bakers", "ann", now=later, limit=50) == []
    labels = [label_of({"evaluation_id": str(each["evaluation_id"])}, "ben") for each in taken]
    assert (await client.post("/v1/labels", json=labels)).json()["kept"] == 3
    assert await next_answers(engine, "bakers", "ann", now=later + 2 * LEASE, limit=50) == []


@pytest.mark.slow  # takes over a second
async def test_everything_is_handed_out_in_the_end_once_and_agents_in_turn(client):
    await client.post("/v1/events", json=events(90) + events(90, "crust"))
    seen: list[str] = []
    while items := await ask(client, limit=50):
        seen += [str(item["agent"]) + str(item["event_id"]) for item in items]
        assert (await client.post("/v1/labels", json=[label_of(item) for item in items])).json()["kept"] == len(items)
        if len(seen) <= 50:
            agents = [item["agent"] for item in items]
            assert 15 <= agents.count("crumb") <= 35
    assert len(seen) == len(set(seen)) == 180
    labels = [(await client.get("/v1/labels?tenant=bakers&limit=500")).json()["items"]][0]
    # all are labelled, so all were certain to be drawn in the end
    assert {each["sampling_probability"] for each in labels} == {1.0}


async def test_an_answer_that_was_labelled_by_choice_gets_its_probability_in_its_turn(client):
    await client.post("/v1/events", json=events(5))
    chosen = [each | {"reviewer": "ben", "label": "wrong"} for each in events(2)]
    await client.post("/v1/labels", json=chosen)
    assert {each["sampling_probability"] for each in await labels_of(client)} == {None}
    items = await ask(client, limit=50)
    assert {item["event_id"] for item in items} == {"crumb-2", "crumb-3", "crumb-4"}
    assert {each["sampling_probability"] for each in await labels_of(client)} == {1.0}


async def labels_of(client) -> list[dict[str, Any]]:
    return (await client.get("/v1/labels?tenant=bakers")).json()["items"]


async def test_forgotten_answers_are_not_handed_out(client, engine):
    await client.post("/v1/events", json=events(3))
    assert len(await ask(client, limit=1)) == 1
    await forget_rows(engine, Subject("bakers"))
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE review_draws SET drawn_at = drawn_at - interval '1 hour'"))
    assert await ask(client, limit=50) == []


async def test_reviewers_see_only_their_tenant_and_need_both_scopes(serving):
    secrets = {name: f"{name}-token-for-tests-only" for name in ("bakers", "millers", "reviewing")}
    tokens = {name: secrets[name] for name in ("bakers", "millers")}
    tokens |= {"cooks": {"token": secrets["reviewing"], "scopes": ["review"]}}
    async with serving(http=HttpSettings.model_validate({"tokens": tokens})) as client:
        bakers, millers, cooks = ({"Authorization": f"Bearer {each}"} for each in secrets.values())
        await client.post("/v1/events", json=events(3), headers=bakers)
        own = {"reviewer": "ann"}
        assert len((await client.post("/v1/review/next", params=own, headers=bakers)).json()["items"]) == 1
        assert (await client.post("/v1/review/next", params=own, headers=millers)).json()["items"] == []
        foreign = await client.post("/v1/review/next", params=own | {"tenant": "bakers"}, headers=millers)
        assert foreign.status_code == 403
        assert (await client.post("/v1/review/next", params=own, headers=cooks)).status_code == 403
        assert (await client.post("/v1/review/next", params=own)).status_code == 401
