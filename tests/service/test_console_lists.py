"""The console's lists: times, names, filters and exports, and what stays in the address from page to page."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from scoring.query import UnscoredReason
from scoring.reasons import ReasonCode
from service.api.caller import Caller
from service.console.forms import ListForm, RecentDays
from service.console.spelling import spelled
from service.storage.scores.answer_counts import AnswerCount, answer_count, reason_counts
from service.storage.scores.evaluation_pages import EvaluationFilter, SearchTooSlow, evaluation_page
from service.storage.sums.keeping import sum_stale_hours
from tests.service.console_lists import LIST, event, links, listed, read

pytestmark = pytest.mark.slow

# --- time


@pytest.fixture
async def over_time(client):
    now = datetime.now(UTC)
    ages = (0, 3, 6, 8, 29, 31)
    events = [event(age, occurred_at=(now - timedelta(days=age)).isoformat()) for age in ages]
    reply = await client.post("/v1/events", json=events)
    assert {each["status"] for each in reply.json()["results"]} == {"scored"}
    return client


@pytest.mark.parametrize(
    ("chosen", "ages"),
    [
        ("today", {0}),
        ("7d", {0, 3, 6}),
        ("30d", {0, 3, 6, 8, 29}),
        ("all", {0, 3, 6, 8, 29, 31}),
        ("", {0, 3, 6, 8, 29, 31}),
    ],
)
async def test_a_range_restricts_the_answers_their_files_and_the_agents(over_time, chosen, ages):
    for path in (LIST, f"{LIST}.csv", f"{LIST}.jsonl"):
        assert listed(await read(over_time, path, range=chosen)) == ages
    report = await read(over_time, "/console", range=chosen)
    assert re.search(r'data-label="received">(\d+)<', report)[1] == str(len(ages))


async def test_days_are_inclusive_and_win_over_the_range(over_time):
    today = datetime.now(UTC).date()
    first, last = today - timedelta(days=8), today - timedelta(days=3)
    shown = await read(over_time, LIST, from_day=first, to_day=last, range="today")
    assert listed(shown) == {3, 6, 8}
    assert listed(await read(over_time, LIST, to_day=last)) == {3, 6, 8, 29, 31}
    assert listed(await read(over_time, LIST, from_day=first, to_day="")) == {0, 3, 6, 8}
    (week,) = links(shown, "7 days")
    assert parse_qs(urlsplit(week).query) == {"range": ["7d"]}


def test_the_first_and_the_last_day_of_the_calendar_are_days():
    form = ListForm.model_validate({"from_day": "0001-01-01", "to_day": "9999-12-31"})
    at = form.at(datetime(2026, 11, 2, 9, tzinfo=UTC))
    assert (at.since, at.until) == (datetime.min.replace(tzinfo=UTC), None)
    assert ListForm(range=RecentDays.WEEK).at(datetime(2026, 11, 7, 1, tzinfo=UTC)).since == datetime(
        2026, 11, 1, tzinfo=UTC
    )
    assert form.to_day == date.max


async def test_time_and_names_stay_in_the_address_from_page_to_page_and_back(over_time):
    chosen = {"tenant": "bakers", "range": "7d"}
    agents = await read(over_time, "/console", **chosen)
    (worst,) = links(agents, "worst answers")
    kept = {"tenant": ["bakers"], "range": ["7d"], "agent": ["crumb"]}
    assert parse_qs(urlsplit(worst).query) == {**kept, "order": ["worst"]}
    answers = await read(over_time, worst)
    assert listed(answers) == {0, 3, 6}
    answer = await read(over_time, links(answers, "How many ovens has town 3[?]")[0])
    (list_again,) = links(answer, "Back to the answers")
    assert parse_qs(urlsplit(list_again).query) == {**kept, "order": ["worst"]}
    for shown in (answers, answer):
        (back,) = links(shown, "Agents")
        assert parse_qs(urlsplit(back).query) == kept


async def test_a_day_of_the_report_leads_to_its_own_answers(over_time):
    report = await read(over_time, "/console", every="day", range="7d")
    found = [listed(await read(over_time, each)) for each in links(report, "worst answers")]
    assert sorted(map(sorted, found)) == [[0], [3], [6]]


async def test_an_answer_in_the_last_hour_of_the_calendar_is_refused_and_breaks_no_report(client):
    reply = await client.post("/v1/events", json=event(1, occurred_at="9999-12-31T23:30:00Z"))
    assert [each["status"] for each in reply.json()["results"]] == ["rejected"]
    for every in ("", "day", "week"):
        assert "Agents" in await read(client, "/console", every=every)
    assert listed(await read(client, LIST)) == set()


# --- names


async def test_case_does_not_matter_and_stored_names_are_suggested(client):
    await client.post("/v1/events", json=[event(1), event(2, agent="rye", agent_version="2.0")])
    for path in (LIST, "/console"):
        shown = await read(client, path, tenant="BAKERS", agent="Crumb")
        assert "<b>crumb</b>" in shown or listed(shown) == {1}
        assert '<option value="rye">' in shown
        assert '<option value="bakers">' in shown
    assert '<option value="2.0">' in await read(client, LIST, agent="rye")
    assert listed(await read(client, f"{LIST}.csv", agent="CRUMB")) == {1}


async def test_names_that_differ_in_case_alone_are_all_offered(client):
    await client.post("/v1/events", json=[event(1), event(2, agent="Crumb")])
    assert listed(await read(client, LIST, agent="crumb")) == {1}
    shown = await read(client, LIST, agent="CRUMB")
    assert listed(shown) == set()
    offered = {*links(shown, "agent crumb"), *links(shown, "agent Crumb")}
    assert {frozenset(listed(await read(client, each))) for each in offered} == {frozenset({1}), frozenset({2})}


async def test_names_are_known_from_sums_too(client, database):
    await client.post("/v1/events", json=event(1))
    engine = create_async_engine(database)
    try:
        await sum_stale_hours(engine)
        async with engine.begin() as connection:
            await connection.execute(text("UPDATE evaluations SET current = false"))
            await connection.execute(text("DELETE FROM stale_hours"))
        form, suggestions = await spelled(ListForm(agent="CRUMB"), engine, Caller(None))
        assert (form.agent, suggestions.agent) == ("crumb", ["crumb"])
        form, suggestions = await spelled(ListForm(agent="CRUMB"), engine, Caller("millers"))
        assert (form.agent, suggestions.agent, suggestions.tenant) == ("CRUMB", [], ["millers"])
    finally:
        await engine.dispose()


# --- filters


async def test_filters_for_status_judge_and_review(client):
    events = [event(1), event(2, sql=""), event(3)]
    await client.post("/v1/events", json=events)
    label = {"tenant": "bakers", "event_id": "3", "source": "/bakers/crumb", "label": "wrong", "reviewer": "ada"}
    assert (await client.post("/v1/labels", json=label)).status_code == 200
    (judge,) = re.findall(r'id="judge-names"><option value="([^"]+)"', await read(client, LIST))
    cases = [
        ({"unscored": "true"}, {2}),
        ({"unscored": "true", "order": "worst"}, {2}),
        ({"unscored": "false"}, {1, 3}),
        ({"reviewed": "true"}, {3}),
        ({"reviewed": "false"}, {1, 2}),
        ({"reviewed": "false", "unscored": "false"}, {1}),
        ({"judge": judge}, {1, 3}),
        ({"judge": "nobody"}, set()),
        ({"reason": "EMPTY_SQL"}, {2}),
    ]
    for parameters, expected in cases:
        assert listed(await read(client, LIST, **parameters)) == expected, parameters
        assert listed(await read(client, f"{LIST}.jsonl", **parameters)) == expected, parameters


async def test_every_known_reason_can_be_chosen(client):
    shown = await read(client, LIST, reason="EMPTY_SQL")
    select = re.search(r'<select name="reason">.*?</select>', shown, flags=re.DOTALL)[0]
    assert '<option value="EMPTY_SQL" selected>' in select
    codes = re.findall(r'<option value="(\w+)"', select)
    assert sorted(codes) == sorted(each.value for each in (*ReasonCode, *UnscoredReason))
    for code in codes[::9]:
        await read(client, LIST, reason=code)


async def counted(client, **parameters) -> str:
    """The page once it has its counts: a busy machine may give them up."""
    shown = ""
    for _ in range(20):
        shown = await read(client, LIST, **parameters)
        if "on other pages" not in shown and re.search(r"<option [^>]*>\w+ \(\d+\)", shown):
            break
    return shown


async def test_a_list_says_how_many_answers_match_and_shows_the_reason_that_was_chosen(client):
    bare = [event(n, sql="SELECT name FROM mills") for n in range(4)]
    await client.post("/v1/events", json=[*bare, event(9, sql="", tenant="millers")])
    given = [each["reason_codes"] for each in (await client.get("/v1/evaluations?tenant=bakers")).json()["items"]]
    common = [code for code in given[0] if all(code in codes for codes in given)]
    assert len(common) > 4
    shown = await counted(client, reason=common[-1], limit=3)
    assert '<b id="total">4 answers</b>' in shown
    rows = re.findall(r"<tr><td .*?</tr>", shown, flags=re.DOTALL)
    assert [re.findall(r'aria-current="true">(\w+)</a>', row) for row in rows] == [[common[-1]]] * 3
    assert all(f">{len(given[0]) - 4} more</a>" in row for row in rows[:1])
    # what occurs comes first in the form, with how often; a tenant's choices count its own answers
    of_bakers = await counted(client, tenant="bakers")
    options = re.findall(r'<option value="(\w+)"[^>]*>\w+ \((\d+)\)', of_bakers)
    assert (common[-1], "4") in options
    assert "EMPTY_SQL" not in dict(options)
    assert re.search(r'<option value="(\w+)"', of_bakers.split('name="reason"')[1])[1] == options[0][0]
    assert '<b id="total">1 answer</b>' in await read(client, LIST, reason="EMPTY_SQL")
    assert '<b id="total">4 answers</b>' in await counted(client, order="worst", limit=2)


async def test_answers_are_chosen_by_the_error_that_reviewers_name(client):
    await client.post("/v1/events", json=[event(n) for n in range(3)])
    own = {"tenant": "bakers", "agent": "crumb", "reviewer": "ann"}
    labels = [
        own | {"event_id": "0", "label": "wrong", "error_type": "join"},
        own | {"event_id": "1", "label": "wrong"},
    ]
    assert (await client.post("/v1/labels", json=labels)).json()["kept"] == 2
    for path in (LIST, f"{LIST}.csv", f"{LIST}.jsonl"):
        assert listed(await read(client, path, error_type="join", range="7d")) == {0}
    assert "No answers match" in await read(client, LIST, error_type="order")
    assert (await client.get(f"{LIST}?error_type=moon")).status_code == 400


async def test_counts_are_bounded_and_given_up_in_time(client, database):
    await client.post("/v1/events", json=[event(n) for n in range(5)])
    engine, other = create_async_engine(database), create_async_engine(database)
    everything = EvaluationFilter()
    try:
        assert await answer_count(engine, everything, most=4, seconds=60) == AnswerCount(answers=4, more=True)
        assert await answer_count(engine, everything, most=5, seconds=60) == AnswerCount(answers=5, more=False)
        assert max((await reason_counts(engine, everything, most=3, seconds=60)).values()) == 3
        async with other.begin() as holder:
            await holder.execute(text("LOCK TABLE evaluations IN ACCESS EXCLUSIVE MODE"))
            assert await answer_count(engine, everything, seconds=0.05) is None
            assert await reason_counts(engine, everything, seconds=0.05) == {}
    finally:
        await engine.dispose()
        await other.dispose()


async def test_a_search_takes_every_character_as_itself(client):
    sqls = ["SELECT 'a%b'", "SELECT 'a_b'", r"SELECT 'a\b'", "SELECT 'axb'", "SELECT 'O''Ben'"]
    await client.post("/v1/events", json=[event(n, sql=f"{sql} FROM ovens") for n, sql in enumerate(sqls)])
    cases = {"a%B": {0}, "A_B": {1}, "a\\b": {2}, "o''b": {4}, "TOWN 3": {3}, "%": {0}, "\\": {2}, "": {0, 1, 2, 3, 4}}
    for searched, expected in cases.items():
        assert listed(await read(client, LIST, search=searched)) == expected, searched
        assert listed(await read(client, f"{LIST}.csv", search=searched)) == expected, searched


async def test_a_search_that_takes_too_long_says_so(client, database):
    await client.post("/v1/events", json=event(1))
    engine, other = create_async_engine(database), create_async_engine(database)
    try:
        async with other.begin() as holder:
            await holder.execute(text("LOCK TABLE evaluations IN ACCESS EXCLUSIVE MODE"))
            with pytest.raises(SearchTooSlow, match="no page of answers"):
                await evaluation_page(engine, EvaluationFilter(search="town"), search_seconds=0.05)
        assert len((await evaluation_page(engine, EvaluationFilter(search="town"))).items) == 1
    finally:
        await engine.dispose()
        await other.dispose()


async def test_less_used_filters_are_folded_unless_one_is_set_and_the_order_is_named(client):
    cases = {
        "": False,
        "search=town&reason=FILTER_MISSING": False,
        "verdict=Incorrect": True,
        "from_day=2026-01-01": True,
    }
    for query, unfolded in cases.items():
        shown = await read(client, f"{LIST}?{query}")
        assert ('<details class="more" open>' in shown) is unfolded, query
        assert '<option value="newest" selected>' in shown
    assert '<option value="worst" selected>' in await read(client, LIST, order="worst")


async def test_the_column_that_a_list_is_sorted_by_leads_and_says_so(client):
    await client.post("/v1/events", json=[event(1), event(2, sql="SELECT name FROM mills"), event(3, sql="SELECT 1")])
    for order, heading, other in (
        ("worst", "p(correct), lowest first", "newest"),
        ("newest", "time, newest first", "worst"),
    ):
        shown = await read(client, LIST, order=order)
        (marked,) = re.findall(r"<th[^>]*aria-sort=[^>]*>([^<]+)", shown)
        assert marked == heading
        assert re.search(r"<thead><tr><th[^>]*>([^<]+)", shown)[1] == heading
        (way,) = re.findall(rf'<a href="[^"]*order={other}">([^<]+ first)</a>', shown)
        assert way
    column = [
        float(each)
        for each in re.findall(r'data-label="p\(correct\)"><b>([\d.]+)', await read(client, LIST, order="worst"))
    ]
    assert len(column) == 2
    assert column == sorted(column)
    # answers without a score have no worst
    assert "lowest p(correct) first</a>" not in await read(client, LIST, unscored="true")
