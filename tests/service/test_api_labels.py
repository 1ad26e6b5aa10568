from __future__ import annotations

import json

import pytest

from service.settings.intake_settings import HttpSettings
from tests.conftest import copied
from tests.service.conftest import service_on

EVENT = {"event_id": "7", "question": "How many loaves?", "sql": "SELECT COUNT(*) FROM loaves", "agent": "crumb"}
LABEL = {"event_id": "7", "agent": "crumb", "label": "wrong", "error_type": "filter", "reviewer": "ann"}


async def test_a_label_is_kept_once_and_listed_beside_what_the_judge_said(client):
    [event] = (await client.post("/v1/events", json=EVENT)).json()["results"]
    for _ in range(2):
        reply = await client.post("/v1/labels", json=LABEL)
        assert (reply.status_code, reply.json()) == (200, {"kept": 1, "errors": [None]})
    page = (await client.get("/v1/labels")).json()
    [item] = page["items"]
    assert (item["label"], item["error_type"], item["evaluation_id"]) == ("wrong", "filter", event["evaluation_id"])
    assert (item["sql"], item["score"], page["next_cursor"]) == (EVENT["sql"], event["score"], None)


async def test_an_evaluation_names_its_event(client):
    [event] = (await client.post("/v1/events", json=EVENT)).json()["results"]
    label = {"evaluation_id": event["evaluation_id"], "label": "right", "reviewer": "ben"}
    assert (await client.post("/v1/labels", json=label)).json()["kept"] == 1


async def test_labels_that_are_refused_are_named_and_cost_the_others_nothing(client):
    await client.post("/v1/events", json=EVENT)
    lines = "\n".join(json.dumps(each) for each in (LABEL | {"label": "maybe"}, LABEL, LABEL | {"event_id": "8"}))
    reply = await client.post("/v1/labels", content=lines, headers={"content-type": "application/x-ndjson"})
    assert reply.status_code == 200
    assert reply.json()["kept"] == 1
    codes = [each and each["code"] for each in reply.json()["errors"]]
    assert codes == ["INVALID_FIELD", None, "UNKNOWN_EVENT"]
    refused = await client.post("/v1/labels", json=LABEL | {"event_id": "8"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "UNKNOWN_EVENT")


@pytest.fixture(scope="module")
async def labelled(postgres_url, template):
    """A service with three labels; no test may write to it."""
    async with copied(postgres_url, template) as database, service_on(database) as client:
        await client.post("/v1/events", json=[EVENT | {"event_id": str(number)} for number in range(3)])
        said = {"0": ("right", None), "1": ("wrong", "join"), "2": ("right", None)}
        labels = [
            LABEL | {"event_id": event, "label": label, "error_type": kind, "labelled_at": f"2026-11-0{int(event) + 1}"}
            for event, (label, kind) in said.items()
        ]
        assert (await client.post("/v1/labels", json=labels)).json()["kept"] == 3
        yield client


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("label=wrong", {"1"}),
        ("label=right&agent=crumb", {"0", "2"}),
        ("error_type=join", {"1"}),
        ("reviewer=nobody", set()),
        ("event_id=2", {"2"}),
        ("since=2026-11-02T00:00:00%2B00:00", {"1", "2"}),
        ("until=2026-11-02", {"0"}),
    ],
)
async def test_labels_are_filtered(labelled, query, ids):
    found = (await labelled.get(f"/v1/labels?{query}")).json()["items"]
    assert {each["event_id"] for each in found} == ids


async def test_pages_hold_every_label_once_newest_first(client):
    await client.post("/v1/events", json=[EVENT | {"event_id": str(number)} for number in range(7)])
    same = [LABEL | {"event_id": str(number), "labelled_at": "2026-11-02T09:00:00Z"} for number in range(7)]
    await client.post("/v1/labels", json=same)
    seen, cursor = [], ""
    while True:
        page = (await client.get(f"/v1/labels?limit=3{cursor}")).json()
        seen += [each["event_id"] for each in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert sorted(seen) == sorted(str(number) for number in range(7))
    assert (await client.get("/v1/labels?cursor=x")).json()["error"]["code"] == "INVALID_CURSOR"


async def test_tenants_see_and_label_only_their_own(serving):
    tokens = {name: f"{name}-token-for-tests-only" for name in ("bakers", "millers")}
    async with serving(http=HttpSettings.model_validate({"tokens": tokens})) as client:
        bakers, millers = ({"Authorization": f"Bearer {each}"} for each in tokens.values())
        await client.post("/v1/events", json=EVENT, headers=bakers)
        assert (await client.post("/v1/labels", json=LABEL)).status_code == 401
        foreign = await client.post("/v1/labels", json=LABEL | {"tenant": "bakers"}, headers=millers)
        assert (foreign.status_code, foreign.json()["error"]["code"]) == (403, "TENANT_NOT_ALLOWED")
        assert (await client.post("/v1/labels", json=LABEL, headers=millers)).status_code == 422
        assert (await client.post("/v1/labels", json=LABEL, headers=bakers)).json()["kept"] == 1
        assert (await client.get("/v1/labels", headers=millers)).json()["items"] == []
        assert len((await client.get("/v1/labels", headers=bakers)).json()["items"]) == 1
        assert (await client.get("/v1/labels?tenant=bakers", headers=millers)).status_code == 403


async def test_labels_show_on_their_answer_in_the_api_and_in_the_console(client):
    [event] = (await client.post("/v1/events", json=EVENT | {"tenant": "bakers"})).json()["results"]
    labels = [
        {"evaluation_id": event["evaluation_id"], "label": "wrong", "error_type": "time", "reviewer": "ann"},
        {"evaluation_id": event["evaluation_id"], "label": "right", "note": "<b>fine</b>", "reviewer": "ben"},
    ]
    assert (await client.post("/v1/labels", json=labels)).json() == {"kept": 2, "errors": [None, None]}
    found = (await client.get(f"/v1/evaluations/{event['evaluation_id']}")).json()
    said = {each["reviewer"]: (each["label"], each["error_type"], each["note"]) for each in found["labels"]}
    assert said == {"ann": ("wrong", "time", None), "ben": ("right", None, "<b>fine</b>")}
    page = (await client.get(f"/console/evaluations/{event['evaluation_id']}")).text
    assert "What reviewers say" in page
    assert "&lt;b&gt;fine" in page


async def test_only_administrators_state_with_which_probability_an_answer_was_drawn(serving):
    secret, all_scopes = "reviewer-token-for-tests-only", "admin-token-for-tests-only"
    tokens = {"default": {"token": secret, "scopes": ["read", "review"]}, "*": all_scopes}
    async with serving(http=HttpSettings.model_validate({"tokens": tokens})) as client:
        reviewer, admin = ({"Authorization": f"Bearer {each}"} for each in (secret, all_scopes))
        await client.post("/v1/events", json=EVENT, headers=admin)
        stated = LABEL | {"sampling_probability": 0.5}
        refused = await client.post("/v1/labels", json=stated, headers=reviewer)
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, "INVALID_FIELD")
        assert (await client.post("/v1/labels", json=stated, headers=admin)).json()["kept"] == 1
        [item] = (await client.get("/v1/labels", headers=reviewer)).json()["items"]
        assert item["sampling_probability"] == 0.5
