"""A service with memory on: what it shows of an answer, over HTTP."""

import httpx

from scoring.memory.agreement import PRIOR_USUAL
from service.settings.judge_settings import MemorySettings
from tests.service.conftest import Serving

ON = MemorySettings(enabled=True)
QUESTION = "How many ovens are in Oslo?"
RIGHT, WRONG = (f"SELECT COUNT(*) FROM ovens WHERE city = '{city}'" for city in ("Oslo", "Bergen"))


async def send(client: httpx.AsyncClient, event_id: str, agent: str, sql: str = RIGHT) -> str:
    event = {"tenant": "bakers", "event_id": event_id, "agent": agent, "question": QUESTION, "sql": sql}
    reply = (await client.post("/v1/events", json=event)).json()["results"][0]
    return reply["evaluation_id"]


async def test_one_evaluation_shows_what_memory_knew(serving: Serving):
    async with serving(memory=ON) as client:
        for place, agent in enumerate(("crumb", "rye", "spelt")):
            await send(client, f"e{place}", agent)
        agreeing = (await client.get(f"/v1/evaluations/{await send(client, 'e3', 'emmer')}")).json()
        lonely = (await client.get(f"/v1/evaluations/{await send(client, 'e4', 'barley', WRONG)}")).json()
        page = (await client.get(f"/console/evaluations/{agreeing['id']}")).text
        listed = (await client.get("/v1/evaluations")).json()["items"]
        means = {each["agent"]: each["mean_p_correct"] for each in (await client.get("/v1/report")).json()["rows"]}
    assert agreeing["p_correct"] > agreeing["p_alone"]
    assert lonely["p_correct"] < lonely["p_alone"]
    assert [each["agent"] for each in agreeing["context"]["voices"]] == ["spelt", "rye", "crumb"]
    assert "AGREES_WITH_OTHERS" in agreeing["reason_codes"]
    assert "DIFFERS_FROM_OTHERS" in lonely["reason_codes"]
    assert "Memory knew" in page
    assert "spelt" in page
    assert all("context" not in each for each in listed)
    assert means["emmer"] == round(agreeing["p_alone"], 4)
    assert means["barley"] == round(lonely["p_alone"], 4)


async def test_without_memory_answers_are_judged_alone_and_not_remembered(serving: Serving):
    async with serving(memory=MemorySettings(enabled=False)) as client:
        await send(client, "e1", "crumb")
        await send(client, "e2", "rye")
    async with serving(memory=ON) as client:
        found = (await client.get(f"/v1/evaluations/{await send(client, 'e3', 'spelt')}")).json()
        before = (await client.get(f"/v1/evaluations/{await send(client, 'e2', 'rye')}")).json()
    assert found["context"] == {"answers": 0, "usual": PRIOR_USUAL, "voices": [], "joins": [], "lacking": []}
    assert before["context"] is None
    assert before["p_alone"] == before["p_correct"]
