"""Characters that cannot be seen, or that turn the direction of writing, are shown on every page and stored as sent."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from sqlalchemy import text

from service.console.answer.unseen_characters import marked_page
from service.storage.scores.evaluation_pages import EvaluationFilter
from service.storage.scores.stored_events import newest_events
from tests.service.console_lists import LIST, event, read

TURNED = "How many \u202eovens\u202c has\u200b town\ufeff 1\U000e0041?"
SQL = "SELECT COUNT(*) FROM ovens WHERE city = '\u202eolso\u2066'"
FORBIDDEN = "\u202e\u202c\u200b\ufeff\u2066\U000e0041"


async def test_lists_answers_and_reviews_show_marks(client):
    hostile = event(1, question=TURNED, enriched_question=TURNED, sql=SQL, attributes={"a\u202e": "b\u202e"})
    [sent] = (await client.post("/v1/events", json=hostile)).json()["results"]
    id_ = sent["evaluation_id"]
    label = {"evaluation_id": id_, "label": "wrong", "reviewer": "ann", "note": "no\u202e", "correction": SQL}
    await client.post("/v1/labels", json=label)
    heard = {"event_id": "1", "agent": "crumb", "tenant": "bakers", "comment": "hm\u200b", "edited_sql": SQL}
    assert (await client.post("/v1/feedback", json=heard)).json()["kept"] == 1
    for path in (
        LIST,
        f"{LIST}?order=worst",
        f"{LIST}/{id_}",
        f"/console/review/{id_}?reviewer=ben",
        "/console/slices",
    ):
        page = await read(client, path)
        shown = page.replace((await read(client, f"{LIST}/{id_}/case.jsonl")).strip(), "")
        shown = shown.partition('<textarea id="case"')[0] + shown.partition("</textarea>")[2]
        assert not [each for each in FORBIDDEN if each in shown], path
    page = await read(client, f"{LIST}/{id_}")
    for mark in ("U+202E", "U+200B", "U+FEFF", "U+E0041", "U+2066"):
        assert f">{mark}</span>" in page
    stored = (await client.get(f"/v1/evaluations/{id_}")).json()
    assert (stored["question"], stored["sql"]) == (TURNED, SQL)


@pytest.mark.parametrize("text", ["plain", "naïve – κ → 90 %", "👩‍💻", "❤️", "می‌خواهم", "line\n\ttab\r\n"])
def test_what_shapes_letters_and_emojis_is_no_secret(text):
    assert marked_page(f"<p>{text}</p>") == f"<p>{text}</p>"


@pytest.mark.parametrize("text", ["a\u200db", "x\ufe0f", "a\u00adb", "a\x7f", "a\u061c", "a\u2028b"])
def test_what_hides_between_plain_letters_is_marked(text):
    assert 'class="unseen"' in marked_page(f"<p>{text}</p>")


def test_what_a_form_sends_stays_as_it_is():
    page = '<title>a\u202e</title><textarea>b\u202e</textarea><input value="c\u202e"><p>d\u202e</p>'
    marked = marked_page(page)
    assert marked.count("\u202e") == 3
    assert marked.endswith('<p>d<span class="unseen" title="RIGHT-TO-LEFT OVERRIDE">U+202E</span></p>')


COLUMNS = """
SELECT table_name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
WHERE column_name = 'agent' AND table_type = 'BASE TABLE' AND table_schema = 'public'
"""


async def test_a_name_that_an_older_release_stored_is_shown_and_scored_again(client, engine):
    old = "old  crumb\u2800"
    await client.post("/v1/events", json=event(1, agent="crumb"))
    async with engine.begin() as connection:
        for (table,) in (await connection.execute(text(COLUMNS))).all():
            renamed = text(f"UPDATE {table} SET agent = :old WHERE agent = 'crumb'")
            await connection.execute(renamed, {"old": old})
    who = urlencode({"tenant": "bakers", "agent": old})
    for path in ("/console", f"/console/agents?{who}", f"{LIST}?{who}"):
        page = await read(client, path)
        assert ">U+2800</span>" in page, path
    [row] = (await client.get(f"/v1/evaluations?{who}")).json()["items"]
    assert row["agent"] == old
    [stored] = await newest_events(engine, EvaluationFilter(tenant="bakers"), 5)
    assert stored.event.agent == old
