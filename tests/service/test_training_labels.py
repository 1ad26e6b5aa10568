"""`GET /v1/labels?format=training`: what it holds, and that the commands read it."""

from __future__ import annotations

import asyncio
import json

import pytest

from service.settings.intake_settings import HttpSettings
from tests.service.commands.command_line import sqlassay
from tests.service.test_api_labels import EVENT, LABEL

QUESTIONS = {
    "How many loaves did we sell in 2025?": "SELECT COUNT(*) FROM sales WHERE YEAR(sold_on) = 2025",
    "Which bakers work in Lisbon?": "SELECT name FROM bakers WHERE city = 'Lisbon'",
    "How many ovens are there?": "SELECT COUNT(*) FROM ovens",
    "What is the average price of a loaf?": "SELECT AVG(price) FROM loaves",
    "List the names of all suppliers": "SELECT name FROM suppliers",
    "Which loaf is the most expensive?": "SELECT name FROM loaves ORDER BY price DESC LIMIT 1",
}


@pytest.mark.slow  # takes over a second
async def test_labels_to_learn_from_are_read_by_the_commands_that_learn(client, tmp_path):
    events = [
        {"event_id": f"{agent}-{place}", "agent": agent, "question": question, "sql": sql if agent == "crumb" else bad}
        for place, (question, sql) in enumerate(QUESTIONS.items())
        for agent, bad in (("crumb", ""), ("crust", "SELECT id FROM deliveries WHERE weight > 7"))
    ]
    await client.post("/v1/events", json=events)
    labels = [
        {"event_id": each["event_id"], "agent": each["agent"], "reviewer": reviewer}
        | {"label": "right" if each["agent"] == "crumb" else "wrong"}
        for each in events
        for reviewer in ("ann", "ben")
    ]
    assert (await client.post("/v1/labels", json=labels)).json()["kept"] == 24
    reply = await client.get("/v1/labels?format=training")
    assert reply.headers["content-type"] == "application/x-ndjson"
    assert [json.loads(line)["label"] for line in reply.text.splitlines()] == [1] * 6 + [0] * 6
    weights = tmp_path / "weights.json"
    fitted = await asyncio.to_thread(sqlassay, "learn", "calibrate", "-", "--out", str(weights), text=reply.content)
    assert fitted.returncode == 0, fitted.stderr
    measured = await asyncio.to_thread(
        sqlassay, "eval", "judge", "-", "--weights", str(weights), "--json", text=reply.content
    )
    assert measured.returncode == 0, measured.stderr
    assert json.loads(measured.stdout)


async def test_several_reviewers_of_an_answer_count_once_in_what_is_learned(client):
    await client.post("/v1/events", json=[EVENT | {"event_id": str(number)} for number in range(4)])
    said = {"0": ["right", "right", "wrong"], "1": ["right", "wrong"], "2": ["unsure", "wrong"], "3": ["unsure"]}
    labels = [
        LABEL | {"event_id": event, "label": label, "reviewer": f"r{place}"}
        for event, each in said.items()
        for place, label in enumerate(each)
    ]
    await client.post("/v1/labels", json=labels)
    lines = [json.loads(line) for line in (await client.get("/v1/labels?format=training")).text.splitlines()]
    assert [(line["event_id"], line["label"], line["labels"]) for line in lines] == [("0", 1, 3), ("2", 0, 1)]
    of_one = (await client.get("/v1/labels?format=training&reviewer=r1")).text.splitlines()
    assert [(json.loads(line)["event_id"], json.loads(line)["label"]) for line in of_one] == [
        ("0", 1),
        ("1", 0),
        ("2", 0),
    ]


@pytest.mark.parametrize("parameter", ["label=wrong", "error_type=join", "limit=5", "cursor=x"])
async def test_labels_to_learn_from_are_complete(shared_client, parameter):
    refused = await shared_client.get(f"/v1/labels?format=training&{parameter}")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "INVALID_PARAMETER")


@pytest.mark.slow  # several services
async def test_labels_to_learn_from_leave_out_texts_that_are_not_stored_and_other_tenants(serving):
    tokens = {name: f"{name}-token-for-tests-only" for name in ("bakers", "millers")}
    async with serving(http=HttpSettings.model_validate({"tokens": tokens})) as client:
        bakers, millers = ({"Authorization": f"Bearer {each}"} for each in tokens.values())
        await client.post("/v1/events", json=EVENT, headers=bakers)
        await client.put("/v1/tenants/bakers/rules", json={"store_raw": False}, headers=bakers)
        await client.post("/v1/events", json=EVENT | {"event_id": "8"}, headers=bakers)
        both = [LABEL, LABEL | {"event_id": "8"}]
        assert (await client.post("/v1/labels", json=both, headers=bakers)).json()["kept"] == 2
        own = (await client.get("/v1/labels?format=training", headers=bakers)).text.splitlines()
        assert [json.loads(line)["event_id"] for line in own] == ["7"]
        assert (await client.get("/v1/labels?format=training", headers=millers)).text == ""
        foreign = await client.get("/v1/labels?format=training&tenant=bakers", headers=millers)
        assert foreign.status_code == 403
