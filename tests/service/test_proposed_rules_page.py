"""The page of rules: what the answers propose, tried, accepted and taken back."""

from __future__ import annotations

import html
import json
import re

import pytest

from scoring.query import Query
from scoring.rules import Rules
from service.processes.effect_process import EffectProcess, ReviewedAnswer
from tests.learning.contrary_reviewers import contrary_answers
from tests.learning.simulated_tenant import Traffic
from tests.service.test_rules_page import PAGE, fields_of, page, send, whole


@pytest.mark.slow  # mines three times
async def test_a_decision_rule_against_answers_is_listed_apart_and_accepted(client):
    await post_labelled(client, contrary_answers(120))
    shown = await page(client)
    csrf, edited = (fields_of(shown)[name] for name in ("csrf", "edited"))
    looked = await client.post(PAGE, data={"csrf": csrf, "edited": edited, "action": "propose"})
    excusing, speaking = looked.text.split("Decision rules that speak against answers")
    [offer] = [html.unescape(each) for each in re.findall(r'name="json" value="([^"]+)"', speaking)]
    [rule] = json.loads(offer)["decision_rules"]
    assert rule.endswith(": -1")
    assert rule not in excusing
    assert (await send(client, {"csrf": csrf, "edited": edited, "way": "json", "json": offer})).status_code == 303
    assert (await client.get("/v1/tenants/bakers/rules")).json()["rules"]["decision_rules"] == [rule]


async def post_labelled(client, traffic):
    events, labels = [], []
    for place, (query, right) in enumerate(traffic):
        own = {"event_id": f"e{place}", "tenant": "bakers", "agent": "crumb"}
        events.append({**own, "question": query.question, "sql": query.sql})
        labels.append({**own, "reviewer": "ann", "label": "right" if right else "wrong"})
    assert (await client.post("/v1/events", json=events)).status_code == 202
    assert (await client.post("/v1/labels", json=labels)).json()["kept"] == 120


@pytest.mark.slow  # mines three times
async def test_a_proposed_rule_is_tried_accepted_and_taken_back(client):
    await post_labelled(client, Traffic(seed=7, answers=120))
    shown = await page(client)
    csrf, edited = (fields_of(shown)[name] for name in ("csrf", "edited"))
    looked = await client.post(PAGE, data={"csrf": csrf, "edited": edited, "action": "propose"})
    assert looked.status_code == 200
    assert "by their labels" in looked.text
    section = looked.text.split('id="proposed"')[1].split("<h2>Versions")[0]
    offers = [html.unescape(each) for each in re.findall(r'name="json" value="([^"]+)"', section)]
    assert len(offers) >= 3
    offer = {"csrf": csrf, "edited": edited, "way": "json", "json": offers[0]}
    tried = await send(client, offer, "try")
    changed = re.search(r"<b>(\d+)</b> would get another score", tried.text)[1]
    assert int(changed) > 0
    assert (await send(client, offer)).status_code == 303
    assert (await client.get("/v1/tenants/bakers/rules")).json()["rules"] == json.loads(offers[0])
    # the same form a second time is a change of rules that it does not know
    assert (await send(client, offer)).status_code == 412
    before = fields_of(await page(client, f"{PAGE}&version=0"))
    assert (await send(client, before)).status_code == 303
    assert (await client.get("/v1/tenants/bakers/rules")).json()["rules"] == whole({})


@pytest.mark.slow  # mines
async def test_without_answers_nothing_is_proposed(client):
    fields = {"csrf": fields_of(await page(client))["csrf"], "edited": "0", "action": "propose"}
    assert "show no habit that is sure enough" in (await client.post(PAGE, data=fields)).text


@pytest.mark.slow  # waits for a deadline
async def test_mining_that_takes_too_long_ends():
    queries = [Query(question=f"How many ovens of {n}?", sql=f"SELECT {n} FROM ovens") for n in range(60)]
    hurried = EffectProcess(seconds=0.01, timer=lambda: 0.0)
    assert await hurried.mine([ReviewedAnswer(each, None) for each in queries], Rules()) is None
