"""What users say, on the page of an answer, in the list of answers and beside labels."""

from __future__ import annotations

import pytest

EVENT = {"event_id": "7", "question": "How many loaves?", "sql": "SELECT COUNT(*) FROM loaves", "agent": "crumb"}
AT = "2026-11-02T09:00:00Z"


async def sent(client, **event) -> str:
    [result] = (await client.post("/v1/events", json=EVENT | event)).json()["results"]
    return result["evaluation_id"]


async def page(client, evaluation_id: str) -> str:
    found = await client.get(f"/console/evaluations/{evaluation_id}")
    assert found.status_code == 200, found.text
    return found.text


async def test_the_page_of_an_answer_shows_what_users_say_as_text(client):
    evaluation = await sent(client)
    assert "What users say" not in await page(client, evaluation)
    about = {"event_id": "7", "agent": "crumb"}
    given = [
        about | {"thumb": "down", "comment": "<b>no</b>", "user": "u1"},
        about | {"edited_sql": "SELECT SUM(n) FROM loaves", "stars": 4},
    ]
    await client.post("/v1/feedback", json=given)
    text = await page(client, evaluation)
    assert "What users say" in text
    assert "feedback of 2 users" in text
    assert "thumb down" in text
    assert "&lt;b&gt;no" in text
    assert "4 of 5 stars" in text
    assert "edited the SQL" in text
    assert "SUM" in text


async def test_a_user_who_names_the_answer_also_by_its_trace_is_one_user(client):
    evaluation = await sent(client, attributes={"trace_id": "t-1"})
    about = [{"event_id": "7", "agent": "crumb", "thumb": "down"}, {"trace_id": "t-1", "comment": "it counts crumbs"}]
    await client.post("/v1/feedback", json=[each | {"user": "u1"} for each in about])
    text = await page(client, evaluation)
    assert "it counts crumbs" in text
    assert "feedback of 1 user<" in text


@pytest.mark.parametrize(
    ("chosen", "ids"), [("dissatisfied", {"1"}), ("satisfied", {"2"}), ("any", {"1", "2", "3"}), ("", set("1234"))]
)
async def test_answers_are_listed_by_what_users_say(client, chosen, ids):
    found = {await sent(client, event_id=each): each for each in "1234"}
    about = {"agent": "crumb"}
    said = [{"event_id": "1", "stars": 1}, {"event_id": "2", "thumb": "up"}, {"event_id": "3", "comment": "hm"}]
    await client.post("/v1/feedback", json=[about | each for each in said])
    for order in ("worst", "newest"):
        listed = (await client.get("/console/evaluations", params={"feedback": chosen, "order": order})).text
        assert {name for id_, name in found.items() if f"/console/evaluations/{id_}" in listed} == ids
        assert ("users 0 : 1" in listed) == ("1" in ids)
    with_label = {"feedback": chosen, "reviewed": "true"}
    assert "No answers match" in (await client.get("/console/evaluations", params=with_label)).text


async def test_a_user_who_asks_again_within_minutes_is_a_hint(client):
    asker = {"attributes": {"session.id": "s-1"}}
    first = await sent(client, event_id="1", occurred_at=AT, **asker)
    again = await sent(client, event_id="2", occurred_at="2026-11-02T09:03:00Z", question="how many loaves", **asker)
    await sent(client, event_id="3", occurred_at="2026-11-02T09:04:00Z", attributes={"session.id": "s-2"})
    await sent(client, event_id="4", occurred_at="2026-11-02T09:30:00Z", **asker)
    await sent(client, event_id="5", occurred_at="2026-11-02T09:02:00Z", question="Who bakes rolls?", **asker)
    text = await page(client, first)
    assert text.count("The same user asked nearly the same") == 1
    assert "asked nearly the same 3 min later" in text
    assert "perhaps not helped" in text
    assert f"/console/evaluations/{again}" in text
    later = await page(client, again)
    assert "asked nearly the same 3 min earlier" in later
    assert "perhaps not helped" not in later


async def test_trust_shows_what_complaints_are_worth_and_the_estimate_stays(client):
    ids = [await sent(client, event_id=str(number)) for number in range(12)]
    before = (await client.get("/v1/report")).json()
    about = [{"event_id": str(number), "agent": "crumb"} for number in range(12)]
    thumbs = [each | {"thumb": "down" if number < 6 else "up"} for number, each in enumerate(about)]
    await client.post("/v1/feedback", json=thumbs)
    assert (await client.get("/v1/report")).json() == before
    wrong = {0, 1, 2, 6}
    labels = [
        {"evaluation_id": each, "reviewer": "ann", "label": "wrong" if number in wrong else "right"}
        for number, each in enumerate(ids)
    ]
    assert (await client.post("/v1/labels", json=labels)).json()["kept"] == 12
    text = (await client.get("/console/trust")).text
    assert "Users and reviewers" in text
    # half complain; of complaints 3 of 6 are wrong, of praise 1 of 6
    assert "<b>0.33</b>" in text.partition("Users and reviewers")[2].partition("</table>")[0]
    assert "Users and reviewers" not in (await client.get("/console/trust?agent=rye")).text
