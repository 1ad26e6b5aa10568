"""`sqlassay rules mine` and `rules accept`, on a file and on stored answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from scoring.query import Query
from tests.learning.contrary_reviewers import contrary_answers
from tests.learning.simulated_tenant import Traffic
from tests.service.commands.command_line import sqlassay

TENANT = "harbour"
ANSWERS = 120


def events(traffic: Iterable[tuple[Query, bool]]) -> Iterator[dict[str, object]]:
    for place, (query, right) in enumerate(traffic):
        event: dict[str, object] = {
            "event_id": f"e{place}",
            "tenant": TENANT,
            "question": query.question,
            "sql": query.sql,
        }
        yield event | {"label": "right" if right else "wrong"}


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    file = tmp_path / "labelled.jsonl"
    file.write_text("\n".join(json.dumps(each) for each in events(Traffic(seed=7, answers=ANSWERS))))
    return file


@pytest.mark.slow  # takes over a second
def test_a_file_of_labelled_events_needs_no_database(labelled: Path) -> None:
    with labelled.open("a") as more:
        more.write('\n{"question": 5}\n\n{"tenant": "quay", "question": "a", "sql": "SELECT 1", "label": 1}')
    done = sqlassay("rules", "mine", "--tenant", TENANT, "--file", str(labelled))
    found = json.loads(done.stdout)
    assert (done.returncode, found["evidence"], found["answers"]) == (0, "labels", ANSWERS)
    assert "1 lines that are no event, 1 of other tenants" in done.stderr
    kinds = {each["kind"] for each in found["proposals"]}
    assert kinds >= {"benign_filters", "ignore_filters", "column_mappings", "conventions"}
    for each in found["proposals"]:
        assert each["least_precision"] <= each["precision"]
        if each["kind"] == "decision_rules":
            continue  # it has no such figures
        assert each["change"]["answers"] == each["change_of_right"]["answers"] + each["change_of_wrong"]["answers"]


@pytest.mark.parametrize("label", ['"good"', "2", "true", "[1]"])
def test_an_unknown_label_is_named_with_its_line(label: str) -> None:
    line = f'{{"question": "How many?", "sql": "SELECT 1", "label": {label}}}'
    done = sqlassay("rules", "mine", "--file", "-", text=line)
    assert done.returncode == 2
    assert "stdin, line 1: `label` is" in done.stderr


def test_contradictory_options_and_a_file_without_answers_are_refused() -> None:
    assert sqlassay("rules", "mine").returncode == 2
    assert sqlassay("rules", "mine", "--tenant", TENANT, "--rules", "rules.json").returncode == 2
    assert sqlassay("rules", "mine", "--file", "-", text="").returncode == 1


async def post_labelled(client, traffic: Iterable[tuple[Query, bool]]) -> None:
    sent = list(events(traffic))
    said = [
        {"event_id": each["event_id"], "tenant": TENANT, "reviewer": "ann", "label": each.pop("label")} for each in sent
    ]
    assert (await client.post("/v1/events", json=sent)).status_code == 202
    assert (await client.post("/v1/labels", json=said)).json()["kept"] == len(sent)


@pytest.mark.slow  # mines four times
async def test_accepted_decision_rules_of_both_signs_score_the_next_event(client, database):
    url = database.render_as_string(hide_password=False)
    await post_labelled(client, contrary_answers(ANSWERS))

    async def run(*arguments: str):
        return await asyncio.to_thread(sqlassay, "rules", *arguments, SQLASSAY_DATABASE__URL=url)

    found = json.loads((await run("mine", "--tenant", TENANT)).stdout)
    offered = [*found["proposals"], *found["against"]]
    texts = [each["rules"]["decision_rules"][0] for each in offered]
    assert [each["kind"] for each in offered] == ["decision_rules"] * 2
    assert [text.endswith(": +1") for text in texts] == [True, False]
    kept = await run("accept", "--tenant", TENANT, *(each["id"] for each in offered), "--author", "ann")
    assert (kept.returncode, kept.stdout.strip()) == (0, "1"), kept.stderr
    stored = (await client.get(f"/v1/tenants/{TENANT}/rules")).json()
    assert stored["rules"]["decision_rules"] == texts

    cut = {"question": "Captains from Cork on vessels", "sql": "SELECT captain FROM vessels LIMIT 10"}
    sent = {"event_id": "next", "tenant": TENANT, **cut}
    assert (await client.post("/v1/events", json=[sent])).status_code == 202
    [row] = (await client.get("/v1/evaluations", params={"tenant": TENANT, "limit": 1})).json()["items"]
    assert row["rules_version"] == 1
    record = (await client.get(f"/v1/evaluations/{row['id']}")).json()["record"]
    against = [each for each in record["reasons"] if each["code"] == "DECISION_RULE_AGAINST"]
    assert [(each["detail"], each["weight"] < 0) for each in against] == [(f"the tenant's rule: {texts[1]}", True)]
    again = json.loads((await run("mine", "--tenant", TENANT)).stdout)
    assert not {each["id"] for each in offered} & {each["id"] for each in (*again["proposals"], *again["against"])}


@pytest.mark.slow  # mines three times
async def test_an_accepted_proposal_is_a_new_version_of_the_rules_with_its_author(client, database):
    url = database.render_as_string(hide_password=False)
    await post_labelled(client, Traffic(seed=7, answers=ANSWERS))
    await client.put(f"/v1/tenants/{TENANT}/rules", json={"lambda_min": 500, "ignore_filters": ["region"]})

    async def run(*arguments: str):
        return await asyncio.to_thread(sqlassay, "rules", *arguments, SQLASSAY_DATABASE__URL=url)

    found = json.loads((await run("mine", "--tenant", TENANT)).stdout)
    assert (found["evidence"], found["answers"], found["rules_version"]) == ("labels", ANSWERS, 1)
    ids = {each["kind"]: each["id"] for each in found["proposals"]}
    refused = await run("accept", "--tenant", TENANT, "0123456789ab")
    assert (refused.returncode, ids["ignore_filters"] in refused.stderr) == (1, True)

    kept = await run("accept", "--tenant", TENANT, ids["ignore_filters"], ids["benign_filters"], "--author", "ann")
    assert (kept.returncode, kept.stdout.strip()) == (0, "2"), kept.stderr
    stored = (await client.get(f"/v1/tenants/{TENANT}/rules")).json()
    assert (stored["author"], stored["rules"]["lambda_min"]) == ("ann", 500)
    assert stored["rules"]["ignore_filters"] == ["region", "fleet_id"]
    assert stored["rules"]["benign_filters"] == ["scrapped = 0"]
