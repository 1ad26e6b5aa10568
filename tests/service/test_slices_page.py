"""The page of slices, and the reading behind it."""

from __future__ import annotations

import html
import json
import re
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import pytest
from sqlalchemy import text

from evals.slices.counts import SliceCounts, SliceKind
from scoring.reason_kinds import FORMS, IN_FAVOUR
from service.settings.intake_settings import HttpSettings
from service.storage.scores.evaluation_pages import EvaluationFilter, evaluation_page
from service.storage.scores.version_begin import times_of_version
from service.storage.slices.answer_slices import SlicesTooSlow, read_slices
from service.storage.sums.keeping import sum_stale_hours
from service.storage.sums.reading import AnswerScope
from tests.service.own_scripts import foreign_scripts

PAGE = "/console/slices"
NOW = datetime.now(UTC)
NAME = "<script>alert(1)</script>'\"&{{7}}=1+1"
_ROW = re.compile(r'<span class="code">(\w+)</span> <a href="[^"]+">([^<]+)</a>(.*?)</tr>', re.DOTALL)
HOSTILE = NAME + "\u202e\u0001"


def good(number: int, **fields) -> dict:
    return {
        "event_id": f"good-{number}",
        "tenant": "bakers",
        "agent": "crumb",
        "question": f"How many ovens have kind {number}?",
        "sql": f"SELECT COUNT(*) FROM ovens WHERE kind = {number}",
        **fields,
    }


def bad(number: int, **fields) -> dict:
    """Answers with another aggregate, without the condition, from another table."""
    return good(number, **{"event_id": f"bad-{number}", "sql": "SELECT price FROM sales ORDER BY price", **fields})


async def send(client, events: list[dict]) -> None:
    reply = await client.post("/v1/events", json=events)
    assert {each["status"] for each in reply.json()["results"]} == {"scored"}, reply.text


async def shown(client, **parameters) -> str:
    reply = await client.get(f"{PAGE}?{urlencode(parameters)}")
    assert reply.status_code == 200, reply.text
    return html.unescape(reply.text)


def by_name(slices: list[SliceCounts]) -> dict[tuple[SliceKind, str], SliceCounts]:
    return {(each.kind, each.value): each for each in slices}


async def test_answers_are_counted_by_what_their_records_say(engine, client):
    await send(client, [good(n) for n in range(6)] + [bad(n + 6, agent_version="2") for n in range(5)])
    # the same question twice, once well and once badly answered
    await send(client, [bad(0, event_id="again")])
    said = {"reviewer": "ann", "tenant": "bakers", "agent": "crumb"}
    labels = [{**said, "event_id": "bad-6", "label": "wrong"}, {**said, "event_id": "good-1", "label": "right"}]
    assert (await client.post("/v1/labels", json=labels)).status_code == 200
    found = await read_slices(engine, AnswerScope())
    [whole] = found.agents
    assert (whole.all.answers, whole.all.questions, whole.labelled, whole.labelled_wrong) == (12, 11, 2, 1)
    slices = by_name(list(found.slices))
    sales, ovens = slices[SliceKind.TABLE, "sales"], slices[SliceKind.TABLE, "ovens"]
    assert (sales.own.answers, sales.own.questions, sales.labelled, sales.labelled_wrong) == (6, 6, 1, 1)
    # one question is in both
    assert ovens.own.questions == 6
    assert sales.own.squares == pytest.approx(sales.own.questions * sales.own.question_share**2)
    assert sales.own.loss + ovens.own.loss == pytest.approx(whole.all.loss)
    assert slices[SliceKind.QUESTION, "a count"].own.answers == 12
    assert slices[SliceKind.VERSION, "2"].own.answers == 5
    assert slices[SliceKind.CONDITION, "kind ="].own.answers == 6
    assert slices[SliceKind.COLUMN, "price"].members == sales.members
    assert (await client.get(f"/console/evaluations/{sales.example}")).status_code == 200


async def test_tenants_agents_versions_and_times_restrict_what_is_read(engine, client):
    yesterday = {"occurred_at": (NOW - timedelta(days=1)).isoformat()}
    await send(client, [good(n, **yesterday) for n in range(5)])
    await send(client, [good(n + 9, agent="crust", agent_version="2") for n in range(6)])
    await send(client, [good(n, tenant="millers") for n in range(7)])
    scopes = {
        7: AnswerScope(tenant="millers"),
        6: AnswerScope(agent="crust", agent_version="2"),
        5: AnswerScope(until=NOW - timedelta(hours=1)),
        13: AnswerScope(since=NOW - timedelta(hours=1)),
    }
    for answers, scope in scopes.items():
        found = await read_slices(engine, scope)
        assert sum(each.all.answers for each in found.agents) == answers
    assert sum(each.all.answers for each in (await read_slices(engine, AnswerScope(), most=4)).agents) == 4


async def test_the_worst_slice_is_first_and_leads_to_its_answers(client):
    assert "No answer has a score yet" in await shown(client)
    await send(client, [good(n) for n in range(30)] + [bad(n + 40) for n in range(12)])
    # an agent that answers better
    await send(client, [good(n, agent="crust", event_id=f"crust-{n}") for n in range(100, 130)])
    page = await shown(client, agent="CRUMB")
    where = page.split("<h2>Where")[1].split("<h2>Why")[0]
    address, value = re.search(r'<a href="([^"]+)">([^<]+)</a>', where).groups()
    assert value == "sales"
    assert "same answers" in where
    assert where.count("bad-") == 0
    listed = (await client.get(address)).text
    assert len(re.findall(r"How many ovens have kind \d+", listed)) == 12
    assert "42 answers" in page
    reason = re.search(r'<span class="code">reason</span> <a href="([^"]+)">', page.split("<h2>Why")[1])[1]
    assert "reason=" in reason
    assert (await client.get(reason)).status_code == 200
    only = await shown(client, kind="table")
    assert "reason</span>" not in only
    # the first screen names the worst agent with its first cause
    whole = await shown(client)
    [cause] = re.findall(r'<p id="first-cause">(.*?)</p>', whole, re.S)
    assert whole.index(cause) < whole.index("<h2>Where")
    assert re.search(r"<b>crumb</b></a> of bakers, \d+ % wrong", cause)
    assert " in 12 of 42 answers." in cause
    address = re.search(r"first cause: <a href=\"([^\"]+)", cause)[1]
    assert len(re.findall(r"How many ovens have kind \d+", (await client.get(address)).text)) == 12
    assert "first-cause" not in only


async def test_a_row_says_how_many_answers_users_complain_of_and_leads_to_just_these(client):
    await send(client, [good(n) for n in range(30)] + [bad(n + 40) for n in range(12)])
    before = await shown(client)
    assert "users complain of" not in before
    about = {"tenant": "bakers", "agent": "crumb"}
    said = [
        {"event_id": "bad-40", "thumb": "down", "user": "u1"},
        {"event_id": "bad-40", "thumb": "down", "user": "u2"},
        {"event_id": "bad-41", "edited_sql": "SELECT 1"},
        {"event_id": "bad-42", "thumb": "up"},
        {"event_id": "bad-43", "comment": "hm"},
        {"event_id": "good-1", "stars": 1},
    ]
    assert (await client.post("/v1/feedback", json=[about | each for each in said])).json()["kept"] == len(said)
    page = await shown(client)
    rows, rows_before = (_ROW.findall(each) for each in (page, before))
    found = {
        (kind, value): re.search(r'data-label="users complain of"><a href="([^"]+)">(\d+)</a>', row)
        for kind, value, row in rows
    }
    address, complained = found["table", "sales"].groups()
    assert complained == "2"
    assert "feedback=dissatisfied" in address
    listed = (await client.get(address)).text
    assert re.search(r'id="total">(\d+) answers?<', listed)[1] == "2"
    assert set(re.findall(r"How many ovens have kind (\d+)", listed)) == {"40", "41"}
    # neither order, shares nor labels go by it
    of_rows = [re.sub(r'<td class="n" data-label="users complain of">.*?</td>', "", each) for *_, each in rows]
    assert of_rows == [row for *_, row in rows_before]
    reply = (await client.get("/v1/slices")).json()
    assert reply["agents"][0]["complained"] == 3
    sales = next(each for each in reply["items"] if (each["kind"], each["value"]) == ("table", "sales"))
    assert (sales["complained"], sales["labelled"]) == (2, 0)


async def test_every_row_leads_to_just_its_answers(client):
    sqls = ("SELECT price FROM sales ORDER BY price LIMIT 3", "SELECT cost FROM wares ORDER BY cost LIMIT 3")
    await send(client, [good(n) for n in range(30)] + [bad(n + 40, sql=sqls[n % 2]) for n in range(12)])
    page = await shown(client)
    rows = re.findall(r'<span class="code">(\w+)</span> <a href="([^"]+)">.*?data-label="answers">(\d+)<', page, re.S)
    assert {kind for kind, _, _ in rows} >= {"table", "sql", "fault", "reason"}
    for kind, address, answers in rows:
        listed = (await client.get(address)).text
        assert re.search(r'id="total">(\d+) answers?<', listed)[1] == answers, (kind, address)


async def test_the_filter_of_a_slice_finds_the_answers_that_it_counts(engine, client):
    await send(client, [good(n) for n in range(8)] + [bad(n + 40, agent_version="2") for n in range(8)])
    found = await read_slices(engine, AnswerScope())
    assert {each.kind for each in found.slices} >= set(SliceKind) - {SliceKind.ENRICHMENT, SliceKind.CONDITION}
    for each in found.slices:
        wanted = EvaluationFilter(slice_kind=each.kind, slice_value=each.value)
        assert len((await evaluation_page(engine, wanted)).items) == each.own.answers, (each.kind, each.value)


async def test_a_version_is_compared_with_the_answers_before_its_first_one(client):
    """Within the last week, so that two weeks side by side would compare it with nothing."""
    when = [(NOW - timedelta(days=5) + timedelta(hours=n)).isoformat() for n in range(60)]
    old = [good(n, agent_version="1", occurred_at=when[n]) for n in range(40)]
    new = [(bad, good)[n % 2](n, agent_version="2", occurred_at=when[n]) for n in range(40, 60)]
    await send(client, old + new)
    asked = {"tenant": "bakers", "agent": "crumb", "agent_version": "2"}
    page = await shown(client, view="changes", **asked)
    assert "against version 1 in the 28 days before" in page
    assert "got worse." not in page.split("<h2>Where")[1].split("<h2>Why")[0]
    reply = (await client.get(f"/v1/slices/changes?{urlencode(asked)}")).json()
    [agent] = reply["agents"]
    assert (agent["answers"], agent["before"]["answers"], agent["sure"]) == (20, 40, True)
    assert datetime.fromisoformat(reply["since"]) == datetime.fromisoformat(when[40])
    # the first version has nothing before it
    assert "has no answers before it" in await shown(client, view="changes", **asked | {"agent_version": "1"})


async def test_a_cause_that_was_rare_before_is_counted_before_too(client):
    when = [(NOW - timedelta(days=5) + timedelta(hours=n)).isoformat() for n in range(60)]
    long = "What is the greatest price of all the ovens of kind {n} that stand in any of the bakeries in town?"
    sqls = ("SELECT MAX(price) FROM ovens WHERE kind = {n}", "SELECT MAX(price) FROM ovens")
    forgets = [n < 2 or (n >= 40 and n % 2 == 1) for n in range(60)]
    asked = [{"question": long.format(n=n), "sql": sqls[forgets[n]].format(n=n)} for n in range(60)]
    versions = ["1"] * 40 + ["2"] * 20
    await send(client, [good(n, agent_version=versions[n], occurred_at=when[n], **asked[n]) for n in range(60)])
    query = {"tenant": "bakers", "agent": "crumb", "agent_version": "2", "kind": "reason"}
    items = (await client.get(f"/v1/slices/changes?{urlencode(query)}")).json()["items"]
    [found] = [each for each in items if each["value"] == "FILTER_MISSING"]
    assert (found["answers"], found["before"]["answers"], found["new"]) == (10, 40, False)
    # of all answers: half of the later ones, one in twenty of the earlier ones
    assert 0 < found["before"]["wrong_share"] < 0.05 < 0.25 < found["wrong_share"] < 0.5


async def test_a_reason_in_favour_or_a_form_is_no_cause(client):
    when = [(NOW - timedelta(days=5) + timedelta(hours=n)).isoformat() for n in range(60)]
    long = "How many ovens have kind {n}, of all the ovens that stand in any of the bakeries that we run in town?"
    old = [good(n, question=long.format(n=n), agent_version="1", occurred_at=when[n]) for n in range(40)]
    # half of them keep the condition
    wrong = ("SELECT MAX(price) FROM ovens WHERE kind = {n}", "SELECT MAX(price) FROM ovens")
    asked = [(n, long.format(n=n), wrong[n % 2].format(n=n)) for n in range(40, 60)]
    new = [good(n, question=words, sql=sql, agent_version="2", occurred_at=when[n]) for n, words, sql in asked]
    await send(client, old + new)
    page = await shown(client, view="changes", agent="crumb", agent_version="2")
    parts = page.split("<h2>Where")[1].split("<h2>Why")
    where, why = ({name for _, name, _ in _ROW.findall(part)} for part in parts)
    blameless = {each.value for each in (*IN_FAVOUR, *FORMS)}
    # the answers whose filters match are those that filter by the kind
    assert "kind" in where
    assert "FILTERS_MATCHED" not in where
    assert "FILTER_MISSING" in why
    assert not why & blameless
    whole = await shown(client)
    cause = re.search(r'<p id="first-cause">.*?first cause: <a href="[^"]+">([^<]+)', whole, re.S)[1]
    assert cause not in blameless


async def test_slices_that_may_be_chance_are_folded_and_labels_that_contradict_are_marked(client):
    events = [good(n) for n in range(30)] + [bad(n + 40) for n in range(12)]
    events += [
        good(n + 80, sql=f"SELECT COUNT(*) FROM ovens WHERE kind = {n + 80} AND x{n % 2} = 1") for n in range(12)
    ]
    await send(client, events)
    said = {"reviewer": "ann", "tenant": "bakers", "agent": "crumb", "label": "right"}
    assert "labels say otherwise" not in (await shown(client)).split('<p class="note">')[0]
    await client.post("/v1/labels", json=[{**said, "event_id": f"bad-{n + 40}"} for n in range(12)])
    page = await shown(client)
    sales = page.split("<h2>Where")[1].split("</tr>")[1]
    assert "sales" in sales
    assert "0 of 12" in sales
    assert "labels say otherwise" in sales
    chances = re.findall(r'data-label="p, adjusted"><(b|span)', page.split("<h2>Where")[1].split("<h2>")[0])
    assert chances == sorted(chances)
    assert '<th class="n">agent</th>' not in page


@pytest.mark.slow  # takes over a second
async def test_what_got_worse_says_who_since_when_and_what(client):
    def at(days: float) -> dict:
        return {"occurred_at": (NOW - timedelta(days=days)).isoformat()}

    before = [good(n, event_id=f"a{n}", agent_version="1", **at(8 + n % 5)) for n in range(40)]
    before += [bad(n, event_id=f"d{n}", agent_version="1", **at(9)) for n in range(140, 142)]
    calm = [good(n, event_id=f"c{n}", **at(1 + n % 5)) for n in range(60, 80)]
    after = [bad(n, event_id=f"b{n}", agent_version="2", **at(1 + n % 3)) for n in range(100, 130)]
    steady = [good(n, agent="crust", event_id=f"s{n}", **at(n % 13)) for n in range(60)]
    await send(client, before + calm + after + steady)
    page = await shown(client, view="changes")
    agents = page.split("<tbody>")[1].split("</tbody>")[0].split("<tr>")[1:]
    assert "crumb" in agents[0]
    assert str((NOW - timedelta(days=3)).date()) in agents[0]
    assert "no sure change" in agents[1]
    # shares of a time with several versions say so
    assert "now: 2, others, together" in agents[0]
    assert "together" not in agents[1]
    where = page.split("<h2>Where")[1].split("<h2>Why")[0]
    first = where.split("<tr>")[2]
    assert ">2</a>" in first
    assert "new or rare before" in first
    # its links lead to answers of that week alone
    (reason,) = re.findall(r'<a href="([^"]+)">AGGREGATE_MISSING</a>', page)
    listed = html.unescape((await client.get(reason)).text)
    assert len(re.findall(r"How many ovens have kind \d+", listed)) == 30
    assert f"from {NOW - timedelta(days=7):%Y-%m-%d}" in re.sub(r"<[^>]+>", "", listed)
    # an exact time keeps its length
    between = {"since": (NOW - timedelta(days=3.5)).isoformat(), "until": NOW.isoformat()}
    page = await shown(client, view="changes", agent="crumb", **between)
    assert (NOW - timedelta(days=7)).strftime("%Y-%m-%d %H:") in page
    alone = await shown(client, view="changes", since=(NOW - timedelta(days=100)).isoformat())
    assert "No agent has answers in both periods" in alone


async def test_what_senders_wrote_is_text_and_huge_or_odd_records_are_read(engine, client):
    await send(client, [good(n, agent=NAME, agent_version=NAME) for n in range(6)])
    record = {
        "question_spec": {"filters": 5, "parts": "x", "aggregations": [{"func": None}], "top_k": [1], "ordering": 7},
        "sql_spec": {
            "blocks": [{"tables": [HOSTILE, "x" * 9000, 5, None]}, 7] * 400,
            "filters": [{"lhs": HOSTILE, "op": "<script>"}, {"lhs": None}, 3] * 400,
            "ctes": "none",
            "joins": None,
        },
        "alignment": {"filters": {"missing": [{"lhs": HOSTILE}], "extra": "none"}},
    }
    async with engine.begin() as connection:
        change = text("UPDATE evaluations SET record = CAST(:record AS jsonb), reason_codes = ARRAY[:code]")
        await connection.execute(change, {"record": json.dumps(record), "code": HOSTILE})
    await send(client, [good(n, agent=NAME, event_id=f"plain-{n}") for n in range(20, 30)])
    for view in ("worst", "changes"):
        reply = await client.get(f"{PAGE}?view={view}")
        assert reply.status_code == 200
        assert not foreign_scripts(reply.text)
        assert "unsafe" not in reply.headers["content-security-policy"]
        if view == "worst":
            assert "&lt;script&gt;alert(1)" in reply.text
            assert "{{7}}" in reply.text
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE evaluations SET record = '[]'"))
    assert (await read_slices(engine, AnswerScope())).agents[0].all.answers == 16


async def test_rows_stored_before_slices_were_kept_count_the_same(engine, client):
    await send(client, [good(n) for n in range(8)] + [bad(n + 40, agent_version="2") for n in range(8)])
    stored = await read_slices(engine, AnswerScope())
    assert {each.kind for each in stored.slices} >= {SliceKind.TABLE, SliceKind.SQL, SliceKind.FAULT}
    async with engine.begin() as connection:
        assert await connection.scalar(text("SELECT bool_and(slices = slices_of(record)) FROM evaluations"))
        await connection.execute(text("UPDATE evaluations SET slices = NULL"))
    assert by_name(list((await read_slices(engine, AnswerScope())).slices)) == by_name(list(stored.slices))
    wanted = EvaluationFilter(slice_kind=SliceKind.TABLE, slice_value="sales")
    assert len((await evaluation_page(engine, wanted)).items) == 8


async def test_a_version_is_looked_for_on_its_own_days_only(engine, client):
    days = {version: NOW - timedelta(days=back) for version, back in (("1", 9), ("2", 5), ("3", 1))}
    for version, day in days.items():
        own = {"agent_version": version, "occurred_at": day.isoformat()}
        await send(client, [good(n, event_id=f"{version}-{n}", **own) for n in range(int(version), 9)])
    await sum_stale_hours(engine)
    scope = await times_of_version(engine, AnswerScope(agent_version="2"))
    assert (scope.since.date(), scope.until.date()) == (days["2"].date(), days["2"].date() + timedelta(days=1))
    until = days["2"] + timedelta(microseconds=1)
    scope = await times_of_version(engine, AnswerScope(agent_version="2", since=days["1"], until=until))
    assert (scope.since.date(), scope.until) == (days["2"].date(), until)
    assert (await read_slices(engine, AnswerScope(agent_version="2"))).agents[0].all.answers == 7
    for unbound in (AnswerScope(agent="crumb"), AnswerScope(agent_version="none")):
        assert await times_of_version(engine, unbound) == unbound


async def test_reading_is_given_up_after_its_time(engine, client):
    await send(client, [good(n) for n in range(200)])
    with pytest.raises(SlicesTooSlow, match=r"0\.001 s"):
        await read_slices(engine, AnswerScope(), seconds=0.001)


FAULTS = {
    "view=moon": "view",
    "kind=planet": "kind",
    "range=forever": "range",
    "moon=1": "moon",
    "since=2026-03-02&until=2026-03-01&view=changes": "begins at 2026-03-02",
    "since=2999-01-01&view=changes": "begins at 2999-01-01",
}


@pytest.mark.parametrize("query", FAULTS)
async def test_an_error_is_a_page_with_a_way_out(shared_client, query):
    reply = await shared_client.get(f"{PAGE}?{query}")
    assert reply.status_code == 400
    assert FAULTS[query] in reply.text
    assert len(re.findall(r'<li><a href="([^"]+)">', reply.text)) >= 3


@pytest.mark.parametrize("query", ["until=0001-01-01T00:00:01Z&view=changes", "tenant=&agent=&kind=&view=worst"])
async def test_the_ends_of_the_calendar_and_empty_fields_are_shown(shared_client, query):
    assert (await shared_client.get(f"{PAGE}?{query}")).status_code == 200


@pytest.mark.slow  # takes over a second
async def test_a_tenant_sees_its_own_slices_only_and_the_menu_leads_there(serving):
    own, other = (f"{name}-token-for-tests-only" for name in ("bakers", "millers"))
    http = HttpSettings.model_validate({"tokens": {"bakers": own, "millers": other}})
    async with serving(http=http) as client:
        await client.post("/v1/events", json=[good(n) for n in range(6)], headers={"Authorization": f"Bearer {own}"})
        assert (await client.get(PAGE)).status_code == 401
        mine = (await client.get(PAGE, auth=("me", own))).text
        assert "crumb" in mine
        for view in ("worst", "changes"):
            theirs = await client.get(f"{PAGE}?view={view}", auth=("me", other))
            assert theirs.status_code == 200
            assert not {"bakers", "crumb", "ovens"} & set(re.findall(r"\w+", theirs.text))
            assert (await client.get(f"{PAGE}?view={view}&tenant=bakers", auth=("me", other))).status_code == 403
        assert f'href="{PAGE}?tenant=bakers"' in (await client.get("/console?tenant=bakers", auth=("me", own))).text
