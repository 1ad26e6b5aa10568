"""A real service that is sent texts which cost more than their budget: they end, and nobody else waits."""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest
from sqlalchemy import URL

from consumers.wire.rules_document import InvalidRules, decode_rules
from references.reference_verdict import AnswerPair, NotJudged, not_judged
from service.processes.forked_call import CallEnded, call_in_fork
from service.processes.reference_processes import reference_processes
from service.processes.rules_processes import rules_processes
from service.settings.judge_settings import ReferenceSettings
from tests.costly import COSTLY, cpu_budget
from tests.served import served

pytestmark = pytest.mark.slow  # starts services and uses up budgets

PREDICATES = [" OR ".join(f"c{place}_{number} = {number}" for number in range(110)) for place in range(60)]
COSTLY_RULES = {"benign_filters": PREDICATES}


def event(tenant: str, number: int, sql: str) -> dict[str, object]:
    return {"tenant": tenant, "event_id": f"{tenant}-{number}", "question": f"names of plot {number}", "sql": sql}


async def test_forty_costly_events_of_one_tenant_do_not_hold_up_fifty_of_another(database: URL) -> None:
    costly = [event("greedy", number, f"{COSTLY} WHERE id = {number}") for number in range(40)]
    ordinary = [event("quiet", number, f"SELECT name FROM beds WHERE id = {number}") for number in range(50)]
    async with (
        served(database, SQLASSAY_POOL__CPU_SECONDS=str(cpu_budget())) as base,
        httpx.AsyncClient(base_url=base, timeout=120) as client,
    ):
        flood = asyncio.create_task(client.post("/v1/events", json=costly))
        reply = await client.post("/v1/events", json=ordinary)
        assert [each["status"] for each in reply.json()["results"]] == ["scored"] * 50
        rows = (await client.get("/v1/evaluations", params={"tenant": "greedy", "limit": 200})).json()["items"]
        assert len(rows) < 10, "a few costly events at most ended before the last ordinary one"
        assert (await client.get("/healthz")).status_code == 200
        ended = (await flood).json()["results"]
    assert {(each["status"], each["error"]["code"]) for each in ended} == {("unscored", "TOO_COSTLY")}


async def test_rules_that_are_costly_to_read_are_refused_and_the_old_ones_stay(database: URL) -> None:
    async with (
        served(database, SQLASSAY_POOL__CPU_SECONDS=str(cpu_budget())) as base,
        httpx.AsyncClient(base_url=base, timeout=60) as client,
    ):
        path = "/v1/tenants/garden/rules"
        assert (await client.put(path, json={"benign_filters": ["active = 1"]})).status_code == 200
        putting = asyncio.create_task(client.put(path, json=COSTLY_RULES))
        assert (await client.get("/healthz")).status_code == 200
        refused = await putting
        assert refused.status_code == 422
        assert f"{cpu_budget():g} s of CPU" in refused.json()["error"]["message"]
        ddl = "\n".join(f"CREATE TABLE t{n} (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL);" for n in range(1_900))
        schema, headers = "/v1/tenants/garden/schema", {"content-type": "application/sql"}
        refused = await client.put(schema, content=ddl, headers=headers)
        assert refused.status_code == 422
        assert f"{cpu_budget():g} s of CPU" in refused.json()["error"]["message"]
        assert (await client.get(schema)).json()["version"] == 0
        assert (await client.get(path)).json()["version"] == 1
        reply = await client.post("/v1/events", json=[event("garden", 1, "SELECT name FROM beds WHERE id = 1")])
        assert reply.json()["results"][0]["status"] == "scored"


async def test_stored_rules_that_became_too_costly_defer_their_own_tenants_events(database: URL) -> None:
    async with (
        served(database, SQLASSAY_POOL__CPU_SECONDS="30") as base,
        httpx.AsyncClient(base_url=base, timeout=60) as client,
    ):
        stored = await client.put("/v1/tenants/garden/rules", json=COSTLY_RULES)
        assert stored.status_code == 200, stored.text
    async with (
        served(database, SQLASSAY_POOL__CPU_SECONDS=str(cpu_budget())) as base,
        httpx.AsyncClient(base_url=base, timeout=60) as client,
    ):
        sent = [event(tenant, 1, "SELECT name FROM beds WHERE id = 1") for tenant in ("garden", "quiet")]
        ended = (await client.post("/v1/events", json=sent)).json()["results"]
    assert [each["status"] for each in ended] == ["deferred", "scored"]
    assert ended[0]["error"]["code"] == "RULES_UNAVAILABLE"


async def test_a_service_stops_although_it_scores_a_costly_text(database: URL) -> None:
    async with served(database, SQLASSAY_POOL__CPU_SECONDS="60", SQLASSAY_LIMITS__SHUTDOWN_SECONDS="1") as base:
        client = httpx.AsyncClient(base_url=base, timeout=60)
        costly = [event("greedy", number, f"{COSTLY} WHERE id = {number}") for number in range(60)]
        sending = asyncio.create_task(client.post("/v1/events", json=costly))
        assert (await client.get("/healthz")).status_code == 200
    (ended,) = await asyncio.gather(sending, return_exceptions=True)
    assert not isinstance(ended, httpx.Response) or ended.status_code >= 500, "the service did not wait for them"
    await client.aclose()


async def test_a_reference_that_is_costly_to_parse_ends_at_its_deadline() -> None:
    async with reference_processes(ReferenceSettings(deadline=cpu_budget())) as processes:
        finding = await processes.judge(AnswerPair(reference=COSTLY, answer=f"{COSTLY} OR id=-1"))
        assert finding == not_judged(NotJudged.RAN_OVER)


async def test_documents_are_read_as_in_this_process() -> None:
    async with rules_processes(10) as reading:
        document = {"column_mappings": {"plot": "bed_id"}, "benign_filters": ["active = 1 AND kind = 'open'"]}
        read = await reading.decode(json.dumps(document).encode())
        assert read == decode_rules(document)
        assert await reading.rules(document, 3) == read.rules(3)
        for wrong in ({"benign_filters": ["SELECT ((("]}, {"benign_filters": ["1 = 1 OR"]}, {"tiers": 3}, []):
            with pytest.raises(InvalidRules) as here:
                decode_rules(wrong)
            with pytest.raises(InvalidRules) as there:
                await reading.decode(json.dumps(wrong).encode())
            assert str(here.value) == str(there.value)


def test_a_command_ends_a_costly_call_and_says_so() -> None:
    assert call_in_fork(decode_rules, {"lambda_min": 7}, cpu_seconds=5).lambda_min == 7
    with pytest.raises(InvalidRules, match="lambda_mni"):
        call_in_fork(decode_rules, {"lambda_mni": 7}, cpu_seconds=5)
    with pytest.raises(CallEnded) as ended:
        call_in_fork(decode_rules, COSTLY_RULES, cpu_seconds=cpu_budget())
    assert ended.value.over_limit
