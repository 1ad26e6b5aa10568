"""What running the SQL gave, from an event over HTTP to its stored row: judged, and without values of rows."""

from __future__ import annotations

from typing import Any

SQL = "SELECT COUNT(*) FROM ovens WHERE town = 'Faro'"


async def stored(client: Any, id_: str, result: object) -> dict[str, Any]:
    event = {"event_id": id_, "tenant": "bakers", "question": "How many ovens are in Faro?", "sql": SQL}
    [ended] = (await client.post("/v1/events", json={**event, "result": result})).json()["results"]
    return (await client.get(f"/v1/evaluations/{ended['evaluation_id']}")).json()


async def test_a_failure_is_judged_and_its_values_are_kept_nowhere(client: Any) -> None:
    error = 'invalid input syntax for type integer: "Quillfeather"'
    row = await stored(client, "1", {"executed": False, "error": error})
    assert (row["verdict"], row["score"], row["reason_codes"][0]) == ("Incorrect", 0.0, "SQL_FAILED")
    assert row["result"]["error"] == "invalid input syntax for type integer …"
    assert "Quillfeather" not in str(row)


async def test_without_a_result_the_row_is_as_before(client: Any) -> None:
    plain, busy = await stored(client, "1", None), await stored(client, "2", {"error": "statement timeout"})
    assert plain["result"] is None
    assert {name: plain[name] for name in ("score", "p_correct", "reason_codes")} == {
        name: busy[name] for name in ("score", "p_correct", "reason_codes")
    }


async def test_a_contradictory_result_is_refused_without_its_text(client: Any) -> None:
    event = {"event_id": "1", "tenant": "bakers", "question": "How many ovens are in Faro?", "sql": SQL}
    reply = await client.post("/v1/events", json={**event, "result": {"executed": True, "error": "Quillfeather"}})
    assert reply.status_code == 422
    assert "executed is true and error is set" in reply.text
    assert "Quillfeather" not in reply.text
