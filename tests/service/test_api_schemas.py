"""The schema of a tenant's database over HTTP: stored, in force on the next event, versioned, and the tenant's own."""

from __future__ import annotations

from typing import Any

import pytest

DDL = "CREATE TABLE ovens (id INT PRIMARY KEY, town TEXT); CREATE TABLE loaves (id INT, oven INT REFERENCES ovens (id))"
SQL = {"content-type": "application/sql"}
PATH = "/v1/tenants/bakers/schema"


async def codes(client: Any, id_: str, sql: str, tenant: str = "bakers") -> tuple[set[str], int]:
    event = {"event_id": id_, "tenant": tenant, "question": "How many ovens are there?", "sql": sql}
    [result] = (await client.post("/v1/events", json=event)).json()["results"]
    row = (await client.get(f"/v1/evaluations/{result['evaluation_id']}")).json()
    return set(row["reason_codes"]) & {"TABLE_UNKNOWN", "COLUMN_UNKNOWN"}, row["rules_version"]


@pytest.mark.slow  # takes over a second
async def test_a_schema_is_in_force_from_the_next_event_until_it_is_removed(client: Any) -> None:
    none = (await client.get(PATH)).json()
    assert (none["version"], none["database"]) == (0, None)
    assert await codes(client, "1", "SELECT COUNT(*) FROM owens") == (set(), 0)
    put = await client.put(PATH, content=DDL, headers=SQL)
    assert (put.status_code, put.json()["tables"], put.json()["columns"]) == (200, 2, 4)
    assert put.headers["etag"] == '"1"'
    assert await codes(client, "2", "SELECT COUNT(*) FROM owens") == ({"TABLE_UNKNOWN"}, 1)
    assert await codes(client, "3", "SELECT COUNT(*) FROM owens", "millers") == (set(), 0)
    await client.put("/v1/tenants/bakers/rules", json={"lambda_min": 7})
    assert await codes(client, "4", "SELECT COUNT(warmth) FROM ovens") == ({"COLUMN_UNKNOWN"}, 2)
    assert (await client.delete(PATH)).json()["version"] == 0
    assert await codes(client, "5", "SELECT COUNT(*) FROM owens") == (set(), 3)
    assert (await client.get("/v1/tenants/bakers/rules")).json()["rules"]["lambda_min"] == 7


@pytest.mark.slow  # reads schemas in processes
async def test_every_version_stays_readable_and_a_change_from_an_old_one_is_refused(client: Any) -> None:
    await client.put(PATH, content=DDL, headers=SQL)
    catalogue = {"tables": [{"name": "ovens", "columns": [{"name": "id", "type": "int"}]}, {"name": "late"}]}
    put = await client.put(PATH, json=catalogue, headers={"if-match": '"1"'})
    assert (put.json()["version"], put.json()["database"]["tables"][1]["columns"]) == (2, None)
    late = await client.put(PATH, json=catalogue, headers={"if-match": '"1"'})
    assert (late.status_code, late.json()["error"]["code"]) == (412, "RULES_CHANGED")
    assert (await client.delete(PATH, headers={"if-match": '"1"'})).status_code == 412
    versions = (await client.get("/v1/tenants/bakers/rules/versions")).json()["versions"]
    assert [each["schema_version"] for each in versions] == [2, 1]
    first = (await client.get(f"{PATH}/versions/1")).json()
    assert [each["name"] for each in first["database"]["tables"]] == ["ovens", "loaves"]
    assert (await client.get(f"{PATH}/versions/7")).status_code == 404


@pytest.mark.slow  # reads schemas in processes
async def test_a_schema_that_cannot_be_read_leaves_the_old_one_in_force(client: Any) -> None:
    await client.put(PATH, content=DDL, headers=SQL)
    for body, headers in ((b"SELECT 1", SQL), (b'{"tables": 1}', {"content-type": "application/json"})):
        reply = await client.put(PATH, content=body, headers=headers)
        assert (reply.status_code, reply.json()["error"]["code"]) == (422, "INVALID_SCHEMA")
    large = await client.put(PATH, content=b"-" * 2_000_001, headers=SQL)
    assert large.status_code == 413
    assert (await client.get(PATH)).json()["version"] == 1
