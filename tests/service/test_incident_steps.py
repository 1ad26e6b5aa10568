"""What people do with an incident, over HTTP as on its page: noted once, by whom, and only of their own tenant."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from sqlalchemy import insert

from service.settings.intake_settings import HttpSettings
from service.storage.tables import AGENT_INCIDENTS

AT = datetime(2026, 11, 2, tzinfo=UTC)


async def opened(engine, tenant: str = "bakers") -> UUID:
    """An incident of the tenant whose alarm is over: the service follows those that are on, and ends them."""
    id_ = uuid4()
    names = {"tenant": tenant, "agent": "crumb", "judge": "local/5", "evaluator_version": "1"}
    moments = dict.fromkeys(("before_since", "since", "until", "opened_at", "over_at"), AT)
    counts = {"answers_before": 9, "wrong_before": 1, "answers_after": 9, "wrong_after": 8}
    async with engine.begin() as connection:
        await connection.execute(insert(AGENT_INCIDENTS).values(id=id_, history=[], **names, **moments, **counts))
    return id_


async def step(client, id_: UUID, action: str, **more):
    return await client.post(f"/v1/incidents/{id_}", json={"action": action, **more})


async def test_steps_are_noted_once_and_the_page_tells_them(client, engine):
    id_ = await opened(engine)
    for _ in range(2):
        done = (await step(client, id_, "acknowledged")).json()
        assert (done["state"], [each["action"] for each in done["history"]]) == ("acknowledged", ["acknowledged"])
    for _ in range(2):
        done = (await step(client, id_, "explained", explanation=" a new <b>prompt</b> ")).json()
        assert (done["state"], done["explanation"], len(done["history"])) == ("explained", "a new <b>prompt</b>", 2)
    done = (await step(client, id_, "explained", explanation="a new model")).json()
    assert (done["explanation"], len(done["history"])) == ("a new model", 3)
    for action, state, lines in (("closed", "closed", 4), ("closed", "closed", 4), ("reopened", "explained", 5)):
        done = (await step(client, id_, action)).json()
        assert (done["state"], len(done["history"])) == (state, lines)
    assert (await step(client, id_, "reopened")).json()["history"] == done["history"]
    page = (await client.get(f"/console/incidents/{id_}")).text
    assert "a new model" in page
    assert "reopened by" in page


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"action": "opened"}, "action"),
        ({}, "action"),
        ({"action": "explained"}, "explanation"),
        ({"action": "explained", "explanation": " "}, "explanation"),
        ({"action": "explained", "explanation": "a" * 2001}, "explanation"),
        ({"action": "explained", "explanation": "a\0b"}, "explanation"),
        ({"action": "closed", "explanation": "why"}, "explanation"),
        ({"action": "closed", "actor": "somebody else"}, "actor"),
        ([], "object"),
    ],
)
async def test_a_step_that_is_none_is_refused_by_name(shared_client, engine, body, said):
    reply = await shared_client.post(f"/v1/incidents/{uuid4()}", json=body)
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, "INVALID_PARAMETER")
    assert said in reply.json()["error"]["message"]


async def test_only_reviewers_of_the_tenant_note_steps_and_the_history_names_their_token(serving, engine):
    secrets = {name: f"{name}-token-for-tests-only" for name in ("bakers", "millers", "readers")}
    own = {name: secrets[name] for name in ("bakers", "millers")}
    tokens = {**own, "*": {"token": secrets["readers"], "scopes": ["read"]}}
    async with serving(http=HttpSettings.model_validate({"tokens": tokens})) as client:
        id_, body = await opened(engine), {"action": "closed"}
        asked = {
            name: await client.post(f"/v1/incidents/{id_}", json=body, headers={"Authorization": f"Bearer {secret}"})
            for name, secret in reversed(secrets.items())
        }
        assert {name: reply.status_code for name, reply in asked.items()} == {
            "readers": 403,
            "millers": 404,
            "bakers": 200,
        }
        [line] = asked["bakers"].json()["history"]
        assert (line["action"], line["actor"]) == ("closed", "bakers")
