"""A tenant's calibration from its labels to its next answers: the commands, and what rows then say."""

from __future__ import annotations

import asyncio
import json

import pytest

from scoring import EVALUATOR_VERSION
from service.judges.weights import local_judge
from service.pipeline.automatic_calibrations import calibrate_tenants
from service.settings.judge_settings import CalibrationSettings
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine
from service.storage.forgetting import Subject, forget_rows
from service.storage.reviewing.calibration_store import labelled_rows
from service.storage.rule_store import PostgresRules
from tests.delivery.stage import until
from tests.service.commands.command_line import sqlassay

JUDGE = local_judge().name
THINGS = ("loaves", "bakers", "ovens", "suppliers", "orders", "shops", "deliveries", "prices", "mills", "flours")


def answers() -> list[dict[str, object]]:
    """Right answers and wrong ones that look alike to the judge: most of what it doubts is right."""
    events: list[dict[str, object]] = []
    for thing in THINGS:
        question = f"How many {thing} are there in Lisbon?"
        for place, where in enumerate(("city = 'Lisbon'", "town = 'Lisboa'", "place_id = 7")):
            sql = f"SELECT COUNT(*) FROM {thing} WHERE {where}"
            events.append({"event_id": f"{thing}-{place}", "tenant": "bakers", "question": question, "sql": sql})
    return events


def labels(wrong: int = 4) -> list[dict[str, object]]:
    said = [
        {"event_id": each["event_id"], "tenant": "bakers", "reviewer": "ann", "label": "right"} for each in answers()
    ]
    for each in [each for each in said if str(each["event_id"]).endswith("-2")][:wrong]:
        each["label"] = "wrong"
    return said


@pytest.fixture
def learn(database):
    """Runs `sqlassay learn` on this test's database."""
    url = database.render_as_string(hide_password=False)

    async def run(*arguments: str):
        return await asyncio.to_thread(sqlassay, "learn", *arguments, SQLASSAY_DATABASE__URL=url)

    return run


async def row_of(client, event: dict[str, object]):
    [sent] = (await client.post("/v1/events", json=event)).json()["results"]
    return (await client.get(f"/v1/evaluations/{sent['evaluation_id']}")).json()


async def test_a_calibration_is_fitted_promoted_named_by_rows_and_rolled_back(client, learn):
    await client.post("/v1/events", json=answers())
    assert (await client.post("/v1/labels", json=labels())).json()["kept"] == 30
    before = await row_of(client, answers()[1] | {"event_id": "before"})

    dry = await learn("tenant", "bakers", "--dry-run", "--json")
    assert json.loads(dry.stdout)["version"] is None
    fitted = json.loads((await learn("tenant", "bakers", "--json")).stdout)
    assert (fitted["version"], fitted["labels"], fitted["labelled_right"]) == (1, 30, 26)
    assert fitted["loss_after"] < fitted["loss_before"]
    assert (await row_of(client, answers()[1] | {"event_id": "stored"}))["judge"] == JUDGE

    assert (await learn("promote", "bakers")).returncode == 0
    assert (await learn("promote", "bakers")).returncode == 1
    after = await row_of(client, answers()[1] | {"event_id": "after"})
    assert after["judge"] == f"{JUDGE}+c1"
    assert after["record"]["p_judge"] == before["p_alone"] < after["p_alone"] == after["p_correct"]
    [listed] = [json.loads(line) for line in (await learn("calibrations", "bakers")).stdout.splitlines()]
    assert (listed["version"], listed["in_force"], listed["evaluator"]) == (1, True, EVALUATOR_VERSION)
    rules = (await client.get("/v1/tenants/bakers/rules")).json()
    assert rules["calibration_version"] == 1

    other = await row_of(client, answers()[1] | {"event_id": "other", "tenant": "millers"})
    assert (other["judge"], other["p_alone"]) == (JUDGE, before["p_alone"])
    await client.put("/v1/tenants/bakers/rules", json={"lambda_min": 500})
    assert (await row_of(client, answers()[1] | {"event_id": "ruled"}))["judge"] == f"{JUDGE}+c1"

    assert (await learn("rollback", "bakers")).returncode == 0
    again = await row_of(client, answers()[1] | {"event_id": "again"})
    assert (again["judge"], again["p_alone"], "p_judge" in again["record"]) == (JUDGE, before["p_alone"], False)
    assert (await learn("rollback", "bakers")).returncode == 1


@pytest.mark.slow  # fits several times
async def test_answers_scored_under_a_calibration_teach_the_judge_and_not_the_calibration(client, learn, database):
    await client.post("/v1/events", json=answers())
    await client.post("/v1/labels", json=labels())
    first = json.loads((await learn("tenant", "bakers", "--promote", "--json")).stdout)
    engine = create_engine(database, DatabaseSettings())
    own = await labelled_rows(engine, "bakers", JUDGE)
    scored = await asyncio.to_thread(
        sqlassay,
        "backfill",
        "--tenant",
        "bakers",
        "--make-current",
        "--yes",
        SQLASSAY_DATABASE__URL=database.render_as_string(hide_password=False),
    )
    assert scored.returncode == 0, scored.stderr
    under = await labelled_rows(engine, "bakers", JUDGE)
    await engine.dispose()
    assert sorted(each.p_judge for each in under.rows) == sorted(each.p_judge for each in own.rows)
    page = (await client.get("/v1/evaluations?tenant=bakers&limit=100")).json()["items"]
    assert {each["judge"] for each in page} == {f"{JUDGE}+c1"}
    second = json.loads((await learn("tenant", "bakers", "--json")).stdout)
    assert (second["intercept"], second["slope"]) == (first["intercept"], first["slope"])


async def test_labels_of_forgotten_events_count_and_those_of_another_evaluator_do_not(client, learn, database):
    await client.post("/v1/events", json=answers())
    await client.post("/v1/labels", json=labels())
    engine = create_engine(database, DatabaseSettings())
    await forget_rows(engine, Subject("bakers"))
    assert len((await labelled_rows(engine, "bakers", JUDGE)).rows) == 30
    assert (await labelled_rows(engine, "bakers", "local/3")).of_others == 30
    assert not (await labelled_rows(engine, "millers", JUDGE)).rows
    await engine.dispose()


async def test_few_or_one_sided_labels_store_nothing_and_say_what_is_needed(client, learn):
    await client.post("/v1/events", json=answers())
    few = await learn("tenant", "bakers")
    assert (few.returncode, "needs 20" in few.stderr) == (1, True)
    await client.post("/v1/labels", json=labels(wrong=0))
    one_sided = await learn("tenant", "bakers", "--promote")
    assert (one_sided.returncode, "3 wrong" in one_sided.stderr) == (1, True)
    assert (await learn("calibrations", "bakers")).returncode == 1
    assert (await learn("promote", "bakers")).returncode == 1


@pytest.mark.slow  # takes over a second
async def test_tenants_with_new_labels_are_calibrated_by_themselves_and_only_once(client, database):
    await client.post("/v1/events", json=answers())
    engine = create_engine(database, DatabaseSettings())
    rules = PostgresRules(engine)
    assert await calibrate_tenants(engine, rules, JUDGE) == []
    await client.post("/v1/labels", json=labels())
    at_once = await asyncio.gather(*(calibrate_tenants(engine, rules, JUDGE) for _ in range(3)))
    assert sorted(at_once) == [[], [], ["bakers"]]
    assert await calibrate_tenants(engine, rules, JUDGE) == []
    later = labels()[0] | {"reviewer": "ben", "labelled_at": "2199-01-01T00:00:00Z"}
    assert (await client.post("/v1/labels", json=later)).json()["kept"] == 1
    assert await calibrate_tenants(engine, rules, JUDGE) == []
    row = await row_of(client, answers()[1] | {"event_id": "after"})
    assert row["judge"] == f"{JUDGE}+c1"
    assert (await rules.current("bakers")).author == "automatic"
    await engine.dispose()


async def in_force(engine) -> bool:
    return (await PostgresRules(engine).current("bakers")).calibration_version == 1


async def test_a_service_calibrates_when_the_setting_says_so(serving, database):
    async with serving() as client:
        await client.post("/v1/events", json=answers())
        await client.post("/v1/labels", json=labels())
    engine = create_engine(database, DatabaseSettings())
    async with serving(calibration=CalibrationSettings(automatic=True)):
        await until(lambda: in_force(engine), "a calibration is in force")
    await engine.dispose()
