"""No label is lost: a form that is sent twice, late, without a database, or with what cannot be stored."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import text

from service.settings.intake_settings import HttpSettings
from tests.service.review_visits import SECRETS, fields, labels, path_of, send, shown, take
from tests.service.test_review import events


async def test_a_form_sent_twice_or_at_once_stores_one_label(client):
    await client.post("/v1/events", json=events(3))
    path = path_of(await take(client))
    sent = fields(await shown(client, f"{path}?reviewer=ann"), path) | {"label": "right", "note": "as\r\nsaid"}
    replies = await asyncio.gather(*(send(client, path, sent) for _ in range(6)))
    assert {reply.status_code for reply in replies} == {303}
    [first] = await labels(client)
    assert (await send(client, path, sent)).status_code == 303
    assert await labels(client) == [first]
    assert (first["blind"], first["note"]) == (True, "as\nsaid")


@pytest.mark.slow
async def test_a_label_whose_lease_is_over_is_kept(client, engine):
    await client.post("/v1/events", json=events(1))
    path = path_of(await take(client))
    sent = fields(await shown(client, f"{path}?reviewer=ann"), path) | {"label": "right"}
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE review_items SET leased_until = now() - interval '1 minute'"))
    assert path_of(await take(client, "ben")) == path
    reply = await send(client, path, sent)
    assert "another reviewer has this answer" in await shown(client, reply.headers["location"])
    of_ben = await shown(client, f"{path}?reviewer=ben")
    assert "The judge says" not in of_ben
    await send(client, path, fields(of_ben, path) | {"label": "wrong"})
    found = {each["reviewer"]: each["sampling_probability"] for each in await labels(client)}
    assert (found["ann"], found["ben"]) == (None, 1.0)


REFUSED: list[tuple[dict[str, str], str]] = [
    ({}, "Choose right, wrong or unsure"),
    ({"label": "splendid"}, "Choose right, wrong or unsure"),
    ({"label": "wrong", "error_type": "moon"}, "no error type &#39;moon&#39;"),
    ({"label": "right", "error_type": "join"}, "belongs to a wrong answer"),
    ({"label": "wrong", "correction": "SELECT FROM WHERE"}, "The corrected SQL cannot be read"),
    ({"label": "wrong", "correction": "SELECT 1; DROP TABLE x"}, "The corrected SQL cannot be read"),
    ({"label": "wrong", "correction": "(" * 50_000}, "The corrected SQL cannot be read"),
    ({"label": "wrong", "note": "a\0b"}, "The label is not stored"),
    ({"label": "wrong", "note": "x" * 10_001}, "The label is not stored"),
]


@pytest.mark.slow
async def test_what_cannot_be_stored_says_why_and_keeps_what_was_typed(client):
    await client.post("/v1/events", json=events(2))
    path = path_of(await take(client))
    sent = fields(await shown(client, f"{path}?reviewer=ann"), path)
    for typed, why in REFUSED:
        reply = await send(client, path, sent | {"note": "my note"} | typed)
        assert reply.status_code == 422
        assert why in reply.text
        kept = fields(reply.text, path)
        assert (kept["note"], kept["correction"]) == (typed.get("note", "my note"), typed.get("correction", ""))
        assert not [each for each in SECRETS if each in reply.text]
    assert await labels(client) == []


@pytest.mark.slow
async def test_without_the_database_what_was_typed_is_shown_again(serving, database, engine):
    async with serving(http=HttpSettings()) as client:
        await client.post("/v1/events", json=events(2))
        path = path_of(await take(client))
        sent = fields(await shown(client, f"{path}?reviewer=ann"), path) | {"label": "wrong", "note": "kept"}
        async with engine.begin() as connection:
            await connection.execute(text("ALTER TABLE labels RENAME TO labels_away"))
        reply = await send(client, path, sent)
        assert reply.status_code == 503
        again = fields(reply.text, path)
        assert (again["label"], again["note"]) == ("wrong", "kept")
        async with engine.begin() as connection:
            await connection.execute(text("ALTER TABLE labels_away RENAME TO labels"))
        assert (await send(client, path, again)).status_code == 303
        assert [each["note"] for each in await labels(client)] == ["kept"]


@pytest.mark.slow
async def test_a_forgotten_answer_says_so_and_keeps_what_was_typed(client, engine):
    await client.post("/v1/events", json=events(2))
    path = path_of(await take(client))
    sent = fields(await shown(client, f"{path}?reviewer=ann"), path) | {"label": "wrong", "note": "long thoughts"}
    async with engine.begin() as connection:
        await connection.execute(text("DELETE FROM evaluations"))
    reply = await send(client, path, sent)
    assert reply.status_code == 404
    assert "long thoughts" in reply.text
    assert (await client.get(f"{path}?reviewer=ann")).status_code == 404
