"""Events with a reference, from the request to the console: beside the score, and no query takes the service along."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import orjson
import pytest

from references.reference_verdict import AnswerPair
from service.pipeline.running import ProcessRole
from service.processes.reference_processes import reference_processes
from service.settings.judge_settings import ReferenceSettings
from tests.service.test_kafka import Bench

pytestmark = pytest.mark.slow  # starts and kills processes

TALL = "SELECT id FROM shelf WHERE height > 3"
EVENT = {
    "event_id": "a",
    "tenant": "bakers",
    "agent": "crumb",
    "question": "Which shelves are higher than 3?",
    "sql": "SELECT id FROM shelf WHERE height >= 3",
    "reference_sql": TALL,
}
HARD = " UNION ALL ".join(
    f"SELECT s.id, COUNT(DISTINCT b.title) FROM shelf AS s LEFT JOIN book AS b ON b.shelf_id = s.id JOIN room AS r"
    f" ON r.id = s.room_id WHERE r.floor + {number} > 2 GROUP BY s.id HAVING SUM(b.pages) > {number}"
    for number in range(4)
)
"""Takes longer to prove equal to itself than any test waits."""


async def listed(client) -> dict:
    return {row["event_id"]: row for row in (await client.get("/v1/evaluations")).json()["items"]}


async def judged(client, wait_until, count: int = 1) -> dict:
    """The rows by event id, once nothing waits any more."""

    async def done() -> bool:
        said = [row["reference_verdict"] for row in (await listed(client)).values()]
        return sum(each not in {None, "pending"} for each in said) == count

    await wait_until(done)
    return await listed(client)


async def test_an_answer_is_judged_by_its_reference_beside_its_score(client, wait_until):
    right = {**EVENT, "event_id": "b", "sql": "SELECT id FROM shelf WHERE NOT height <= 3"}
    bare = {key: value for key, value in EVENT.items() if key != "reference_sql"} | {"event_id": "c"}
    await client.post("/v1/events", json=[EVENT, right, bare])
    rows = await judged(client, wait_until, 2)
    said = {id_: (row["reference_verdict"], row["reference_level"]) for id_, row in rows.items()}
    assert said == {"a": ("different", "S0"), "b": ("equivalent_up_to_bound", None), "c": (None, None)}
    full = (await client.get(f"/v1/evaluations/{rows['a']['id']}")).json()
    assert full["reference"]["counterexample"]["tables"]["shelf"]["rows"]
    page = (await client.get("/v1/evaluations", params={"reference": "different"})).json()
    assert [row["event_id"] for row in page["items"]] == ["a"]
    metrics = (await client.get("/metrics")).text
    assert 'sqlassay_reference_verdicts_total{agent="crumb",tenant="bakers",verdict="different"} 1.0' in metrics


async def test_the_score_is_the_same_with_the_reference_without_it_and_with_another(client):
    others = [TALL, EVENT["sql"], "nonsense (", None]
    events = [{**EVENT, "event_id": str(number), "reference_sql": each} for number, each in enumerate(others)]
    await client.post("/v1/events", json=events)
    rows = [(await client.get(f"/v1/evaluations/{row['id']}")).json() for row in (await listed(client)).values()]
    records = [{key: value for key, value in row["record"].items() if key != "event_id"} for row in rows]
    assert len(records) == 4
    assert all(each == records[0] for each in records)


async def test_the_console_shows_the_database_and_both_results(client, wait_until):
    await client.post("/v1/events", json=EVENT)
    [row] = (await judged(client, wait_until)).values()
    shown = (await client.get(f"/console/evaluations/{row['id']}")).text
    for part in (
        "Comparison with the reference",
        "different",
        "S0",
        "height &gt; 3",
        "result of the reference",
        "no rows",
        "alone",
    ):
        assert part in shown, part
    assert "different S0" in (await client.get("/console/evaluations", params={"reference": "different"})).text


async def test_what_queries_name_and_give_is_shown_as_text(client, wait_until):
    hostile = "<script>alert(1)</script>"
    reference = f"SELECT name AS \"{hostile}\" FROM shelf WHERE name = '{hostile}'"
    await client.post("/v1/events", json={**EVENT, "reference_sql": reference, "sql": "SELECT name FROM shelf"})
    [row] = (await judged(client, wait_until)).values()
    shown = (await client.get(f"/console/evaluations/{row['id']}")).text
    assert "alert(1)" in shown
    assert hostile not in shown


async def test_references_that_no_database_can_run_are_said_so_and_the_service_lives(client, wait_until):
    hostile = {
        "endless": "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT MAX(n) FROM c",
        "deep": f"SELECT {'(' * 20_000}1{')' * 20_000}",
        "wide": f"SELECT COUNT(*) FROM {', '.join(f't AS t{number}' for number in range(10))}",
        "blob": "SELECT zeroblob(900000000) FROM shelf",
        "files": "SELECT readfile('/etc/passwd') FROM shelf",
        "writes": "DELETE FROM shelf",
        "braces": "SELECT {{ columns }} FROM shelf",
    }
    await client.post(
        "/v1/events", json=[{**EVENT, "event_id": id_, "reference_sql": each} for id_, each in hostile.items()]
    )
    rows = await judged(client, wait_until, len(hostile))
    said = {id_: row["reference_verdict"] for id_, row in rows.items()}
    assert (said["writes"], said["braces"]) == ("unfit_reference", "unfit_reference")
    # no event names a dialect, and what SQLite lacks another may have
    assert said["files"] == "unsupported"
    assert {said[id_] for id_ in ("endless", "deep")} == {"unsupported"}
    assert said["blob"] not in {"equivalent_up_to_bound", "different"}
    assert (await client.get("/readyz")).status_code == 200


async def test_off_is_off_and_says_so(serving, wait_until):
    async with serving(references=ReferenceSettings(enabled=False)) as client:
        await client.post("/v1/events", json=EVENT)
        [row] = (await judged(client, wait_until)).values()
        full = (await client.get(f"/v1/evaluations/{row['id']}")).json()
        assert (full["reference_verdict"], full["reference"]["reason"]) == ("not_judged", "OFF")


def judging() -> list[int]:
    """The processes that judge: those below this one that give way to it."""
    parents, nice = dict[int, int](), dict[int, int]()
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = each.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] == "Z":
            continue
        parents[int(each.parent.name)], nice[int(each.parent.name)] = int(fields[1]), int(fields[16])
    found, level = list[int](), {os.getpid()}
    while level:
        level = {child for child, parent in parents.items() if parent in level}
        found += level
    return [each for each in found if nice[each] > nice[os.getpid()]]


async def kill_judging(wait_until) -> None:
    async def there() -> bool:
        return bool(judging())

    await wait_until(there)
    for each in judging():
        os.kill(each, signal.SIGKILL)


async def test_a_process_that_is_killed_at_work_costs_its_answer_the_verdict_and_is_replaced(wait_until):
    hard = AnswerPair(reference=HARD, answer=HARD.replace("b.pages", "b.pages + 0"))
    async with reference_processes(ReferenceSettings(deadline=300, bound=5)) as processes:
        asked = asyncio.create_task(processes.judge(hard))
        while not asked.done():
            # one that is killed before it took the answer is replaced, and the answer given to the next
            await kill_judging(wait_until)
            await asyncio.wait([asked], timeout=0.1)
        assert ((await asked).verdict.value, (await asked).finding.reason) == ("not_judged", "PROCESS_ENDED")
        again = await processes.judge(AnswerPair(reference=TALL, answer=EVENT["sql"]))
        assert again.verdict.value == "different"


async def test_a_process_that_is_killed_while_it_waits_costs_nothing(wait_until):
    pair = AnswerPair(reference=TALL, answer=EVENT["sql"])
    async with reference_processes(ReferenceSettings()) as processes:
        for _ in range(3):
            assert (await processes.judge(pair)).verdict.value == "different"
            await kill_judging(wait_until)
        assert (await processes.judge(pair)).verdict.value == "different"


@pytest.fixture
def bench(database, kafka) -> Bench:
    return Bench(database, kafka)


async def test_over_kafka_the_result_is_published_before_the_reference_verdict(bench, wait_until):
    await bench.send(EVENT)
    async with bench.serving(ProcessRole.ALL) as client:
        await judged(client, wait_until)
    told = {dict(each.headers)["ce_type"]: orjson.loads(each.value) for each in await bench.read(bench.kafka.scores)}
    assert set(told) == {b"sqlassay.evaluation.v1", b"sqlassay.reference.v1"}
    said = told[b"sqlassay.reference.v1"]
    assert said["reference"]["verdict"] == "different"
    assert said["evaluation_id"] == told[b"sqlassay.evaluation.v1"]["evaluation_id"]
