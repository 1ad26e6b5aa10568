"""The overview and the page of an agent: which agent got worse, since when, and why."""

from __future__ import annotations

import html
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import product
from urllib.parse import parse_qs, urlencode, urlsplit
from xml.etree import ElementTree

import pytest
from scipy.stats import hypergeom
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from evals.mean_change import ValueSums, holm, mean_change
from evals.share_change import share_change
from scoring.rules import TierBounds
from service.console.overview.agent_cards import all_findings
from service.console.overview.agent_weeks import agent_weeks
from service.console.overview.line_charts import line_chart, sparkline
from service.console.overview.reason_changes import reason_changes, risen, top_reasons
from service.console.overview.tier_mix import tier_mix
from service.settings.intake_settings import HttpSettings
from service.storage.scores.recent_findings import RecentFindings, recent_findings
from service.storage.sums.reading import AnswerScope
from tests.service.console_lists import links, read
from tests.service.own_scripts import foreign_scripts

RIGHT = "SELECT COUNT(*) FROM ovens WHERE town = 'Town {n}'"
WRONG = "SELECT name FROM mills LIMIT 3"


def answer(number: int, **fields) -> dict:
    return {
        "event_id": str(number),
        "tenant": "bakers",
        "agent": "crumb",
        "agent_version": "1",
        "question": f"How many ovens are in 'Town {number}'?",
        "sql": RIGHT.format(n=number),
        **fields,
    }


async def test_the_trend_of_an_agent_marks_the_days_on_which_versions_began(client):
    now = datetime.now(UTC)
    began = {"1.0": 9, "1.1": 6, "2.0": 2}
    when = {version: {"occurred_at": (now - timedelta(days=back)).isoformat()} for version, back in began.items()}
    versions = [each for each in began for _ in range(2)]
    events = [answer(n, agent_version=each, **when[each]) for n, each in enumerate(versions)]
    events.append(answer(9, agent_version="2.0", occurred_at=now.isoformat()))
    assert {each["status"] for each in (await client.post("/v1/events", json=events)).json()["results"]} == {"scored"}
    page = await read(client, "/console/agents?tenant=bakers&agent=crumb")
    words = re.sub(r"<[^>]+>", "", re.search(r'id="releases">(.*?)</p>', page)[1])
    # what began before the first day of the trend is no event of it
    days = {version: f"{now - timedelta(days=back):%Y-%m-%d}" for version, back in began.items()}
    assert words == f"Began: 1.1 on {days['1.1']}; 2.0 on {days['2.0']}."
    assert "mean p(correct), judged wrong, a version began: the table below" in page
    # the overview's small trend has a mark at each, on the 28 days that end today
    shown = await read(client, "/console?tenant=bakers")
    said = "; ".join(f"{days[version]} version {version} began" for version in ("1.1", "2.0"))
    marks = "".join(f"M{(27 - began[version]) * 100 / 27:.1f} 0v24" for version in ("1.1", "2.0"))
    assert f'<path class="began" d="{marks}"><title>{said}</title></path>' in shown
    assert "1.0 began" not in shown
    # figures of several versions say so, and those of one time with one version do not
    [address] = links(shown, "all versions together")
    assert len(re.findall(r'data-label="agent"', await read(client, html.unescape(address)))) == len(began)
    assert "of all versions" in page
    later = f"from_day={now - timedelta(days=1):%Y-%m-%d}"
    for path in ("/console?", "/console/agents?tenant=bakers&agent=crumb&"):
        assert "all versions" not in (await read(client, path + later)).split("What the figures mean")[0]
    assert len(re.findall(r"<circle", page.split("serie-2")[1].split("</g></g>")[0])) >= 1
    [address] = re.findall(r'href="([^"]+)">2\.0</a>', re.search(r'id="releases">.*?</p>', page)[0])
    assert "against" in await read(client, html.unescape(address))


async def test_an_agent_whose_name_mixes_alphabets_is_marked(client):
    twin = "cr\u0443mb"
    sent = [answer(1), answer(2, agent=twin)]
    await client.post("/v1/events", json=sent)
    shown = await read(client, "/console")
    assert shown.count("letters of two alphabets") == 1
    for agent, marked in (("crumb", 0), (twin, 1)):
        page = await read(client, f"/console/agents?{urlencode({'tenant': 'bakers', 'agent': agent})}")
        assert page.count("letters of two alphabets") == marked


LOOKING_ALIKE = {
    "coco": "\u0441\u043e\u0441\u043e",
    "atlas": "\uff41\uff54\uff4c\uff41\uff53",
    "loom": "\U0001d425\U0001d428\U0001d428\U0001d426",
    "oven-l": "oven-1",
    "crumb": "Crumb",
}


async def test_agents_of_a_tenant_whose_names_look_the_same_are_marked(client):
    names = [*LOOKING_ALIKE, *LOOKING_ALIKE.values(), "rye"]
    sent = [answer(number, agent=name) for number, name in enumerate(names)]
    sent.append(answer(99, agent="ry\u0435", tenant="millers"))
    await client.post("/v1/events", json=sent)
    shown = await read(client, "/console?tenant=bakers")
    assert shown.count("its name looks like") == 2 * len(LOOKING_ALIKE)
    for agent, other in LOOKING_ALIKE.items():
        for one, two in ((agent, other), (other, agent)):
            page = await read(client, f"/console/agents?{urlencode({'tenant': 'bakers', 'agent': one})}")
            [told] = re.findall(r"Its name looks like that of another agent: .*?</p>", page)
            assert f">{two}</a>" in told
    page = await read(client, f"/console/agents?{urlencode({'tenant': 'bakers', 'agent': 'rye'})}")
    assert "name looks like" not in page


@pytest.fixture
async def two_weeks(client):
    """Twelve days of an agent whose version 2 is wrong, and of one that stays as it is."""
    now = datetime.now(UTC)
    events = []
    for number in range(48):
        age = 12 - number // 4
        falls = age < 6
        at = (now - timedelta(days=age, minutes=5)).isoformat()
        worse = {"sql": WRONG, "agent_version": "2"} if falls else {}
        events.append(answer(number, occurred_at=at, **worse))
        events.append(answer(100 + number, occurred_at=at, agent="rye"))
    reply = await client.post("/v1/events", json=events)
    assert {each["status"] for each in reply.json()["results"]} == {"scored"}
    return client


@pytest.mark.slow
async def test_which_agent_got_worse_since_when_and_why_is_three_clicks_away(two_weeks):
    overview = await read(two_weeks, "/console", range="30d")
    rows = re.findall(r'<tr><td data-label="agent">.*?</tr>', overview, re.DOTALL)
    changes = {re.search(r"<b>(\w+)</b></a>", row)[1]: row for row in rows}
    assert "real" in changes["crumb"]
    assert re.search(r'class="against"[^>]*><b>-0\.\d\d', changes["crumb"])
    assert "real" not in changes["rye"]
    assert "more often than the week before" in changes["crumb"]
    assert "more often than the week before" not in changes["rye"]
    assert "What the figures mean" in overview
    (path,) = links(overview, "<b>crumb</b>")
    assert parse_qs(urlsplit(path).query)["range"] == ["30d"]
    agent = await read(two_weeks, path)
    versions = re.findall(r'data-label="version">(\d)<.*?data-label="judged wrong">(\d+) %', agent)
    assert [(version, int(share) > 50) for version, share in versions] == [("2", True), ("1", False)]
    days = re.findall(r'data-label="(?:first|last) answer">([\d-]+)<', agent)
    times = [datetime.now(UTC) - timedelta(days=age, minutes=5) for age in (5, 1, 12, 6)]
    assert days == [str(each.date()) for each in times]
    codes = re.findall(r'<a class="code" href="([^"]+)">(\w+)</a>', agent)
    assert codes
    answers = await read(two_weeks, html.unescape(codes[0][0]))
    assert codes[0][1] in answers
    assert "mills" in answers
    assert "Town 0&#39;" not in answers


def percents(shown: str) -> list[str]:
    return re.findall(r"(\d+)(?: %| →)", shown)


async def test_a_reason_has_the_same_shares_on_the_overview_and_on_the_page_of_its_agent(client):
    now = datetime.now(UTC)
    before = [answer(n, occurred_at=(now - timedelta(days=10)).isoformat()) for n in range(40)]
    # more than are looked at, and only the newest are wrong
    calm = [answer(100 + n, occurred_at=(now - timedelta(days=4)).isoformat()) for n in range(60)]
    wrong = [answer(200 + n, sql=WRONG, occurred_at=(now - timedelta(days=1)).isoformat()) for n in range(90)]
    await client.post("/v1/events", json=before + calm + wrong)
    overview = html.unescape(await read(client, "/console"))
    page = html.unescape(await read(client, "/console/agents", tenant="bakers", agent="crumb"))
    assert "newest 100" in overview
    assert "newest 100" in page
    chips = re.findall(r'<a class="code" href="([^"]+)" title="[^"]+">(\w+) ([^<]+)</a>', overview)
    assert len(chips) == 3
    for path, code, shares in chips:
        (row,) = re.findall(rf'<tr><td data-label="reason"><span><a[^>]+>{code}</a>.*?</tr>', page)
        newest, *weeks = percents(row)
        assert (weeks if "→" in shares else [newest]) == percents(shares), code
        assert parse_qs(urlsplit(path).query).get("to_day") == ([str(now.date())] if "→" in shares else None)
    # without a last week the most frequent come first
    later = {"to_day": str((now + timedelta(days=9)).date())}
    page = await read(client, "/console/agents", tenant="bakers", agent="crumb", **later)
    shares = [int(each) for each in re.findall(r'data-label="newest 100">(\d+) %', page)]
    assert len(shares) > 3
    assert shares == sorted(shares, reverse=True)


@pytest.mark.slow
async def test_a_day_of_the_trend_leads_to_its_answers(two_weeks):
    agent = await read(two_weeks, "/console/agents", tenant="bakers", agent="CRUMB", range="30d")
    day = (datetime.now(UTC) - timedelta(days=3, minutes=5)).date()
    path = next(each for each in links(agent, "worst answers") if f"from_day={day}" in each)
    shown = await read(two_weeks, path)
    assert {int(each) for each in re.findall(r"in &#39;Town (\d+)&#39;", shown)} == {36, 37, 38, 39}


@pytest.mark.slow
async def test_agents_to_choose_from_and_empty_pages_have_a_way_on(client):
    assert "No answers match" in await read(client, "/console/agents")
    assert "No answers match: agent nobody." in await read(client, "/console/agents", agent="nobody")
    await client.post("/v1/events", json=[answer(1), answer(2, agent="rye"), answer(3, tenant="millers", sql="")])
    shown = await read(client, "/console/agents")
    assert len(links(shown, "crumb")) == 2
    for path in links(shown, "crumb"):
        assert "<h2>Trend" in await read(client, path)
    assert (await client.get("/console/agents?range=never")).status_code == 400


@pytest.mark.slow
async def test_an_agent_of_another_tenant_is_not_shown(serving):
    own, other = (f"{name}-token-for-tests-only" for name in ("bakers", "millers"))
    http = HttpSettings.model_validate({"tokens": {"bakers": own, "millers": other}})
    async with serving(http=http) as client:
        await client.post("/v1/events", json=answer(1), headers={"Authorization": f"Bearer {own}"})
        assert (await client.get("/console/agents")).status_code == 401
        shown = await client.get("/console/agents?agent=crumb", auth=("me", other))
        assert "bakers" not in shown.text
        assert (await client.get("/console/agents?tenant=bakers&agent=crumb", auth=("me", other))).status_code == 403
        assert "bakers" in (await client.get("/console/agents?agent=crumb", auth=("me", own))).text


@pytest.mark.slow
async def test_hostile_names_are_text_on_the_pages_of_agents(client):
    short = '"><script>x</script>'
    await client.post("/v1/events", json=answer(1, agent=short, agent_version=short))
    for path in ("/console", f"/console/agents?{urlencode({'agent': short, 'agent_version': short})}"):
        shown = await read(client, path)
        assert not foreign_scripts(shown.lower())
        assert "&lt;script" in shown


def test_a_change_is_found_where_there_is_one_and_only_there():
    good = ValueSums(count=40, total=32.0, squares=26.5)
    bad = ValueSums(count=40, total=16.0, squares=8.0)
    found = mean_change(good, bad)
    assert found is not None
    assert found.low < found.change < found.high < 0
    assert found.p_value < 1e-6
    assert mean_change(good, good).p_value > 0.99
    assert mean_change(ValueSums(count=3, total=3, squares=3), ValueSums(count=3, total=3, squares=3)).p_value == 1.0
    assert mean_change(good, ValueSums(count=1, total=1, squares=1)) is None
    assert holm([]) == []


def test_tiers_follow_the_bounds_of_the_tenant():
    histogram = [0] * 101
    histogram[60], histogram[95] = 3, 1
    assert [each.answers for each in tier_mix(histogram, TierBounds())] == [1, 0, 3, 0]
    assert [each.answers for each in tier_mix(histogram, TierBounds(excellent=60, good=50, marginal=40))] == [
        4,
        0,
        0,
        0,
    ]
    bounds = TierBounds(excellent=100, good=94.5, marginal=0.5)
    counted = Counter(bounds.tier(float(point)).value for point in range(101))
    assert {each.tier: each.answers for each in tier_mix([1] * 101, bounds)} == counted
    assert [each.share for each in tier_mix([], TierBounds())] == [0, 0, 0, 0]


def test_reasons_in_favour_are_no_top_reasons():
    found = RecentFindings(answers=4)
    found.reasons.update({"FILTERS_MATCHED": 4, "LONG_QUESTION": 3, "FILTER_MISSING": 2})
    assert top_reasons(found, 3) == [("FILTER_MISSING", 0.5)]


def test_a_chart_is_svg_without_script_and_style():
    chart = str(line_chart(["01", "02", "03"], {"<script>a": [0.5, None, 1.0], "b": [0.1, 0.2, 0.3]}, highest=1.0))
    root = ElementTree.fromstring(chart)
    names = {each.tag.rpartition("}")[2] for each in root.iter()}
    assert "path" in names
    assert not names & {"script", "style"}
    assert not [each for each in root.iter() if "style" in each.attrib]
    assert root.get("role") == "img"
    assert root.get("aria-label")


def test_the_last_day_is_named_below_a_chart():
    labels = [f"{day:02}" for day in range(1, 29)]
    chart = str(line_chart(labels, {"a": [0.5] * 28}, highest=1.0))
    named = re.findall(r">(\d\d)</text>", chart)
    assert named[-1] == "28"
    assert len(named) <= 10


def test_a_reason_that_rose_by_chance_alone_is_no_change():
    def week(**counts: int) -> RecentFindings:
        return RecentFindings(answers=20, reasons=Counter(counts))

    before, after = week(VALUE_UNUSED=2, FILTERS_MATCHED=18), week(VALUE_UNUSED=5, FILTER_MISSING=9, FILTERS_MATCHED=3)
    changes = reason_changes(before, after)
    assert [(each.code, each.real) for each in changes] == [("FILTER_MISSING", True), ("VALUE_UNUSED", False)]
    assert [each.code for each in risen(changes, 3)] == ["FILTER_MISSING"]
    assert risen(reason_changes(after, before), 3) == []
    assert [each.p_value for each in reason_changes(RecentFindings(), after)] == [None, None]


def test_a_share_change_is_fishers_exact_test():
    for before, after in [((3, 40), (19, 37)), ((0, 1), (1, 1)), ((500, 500), (499, 500)), ((0, 9), (0, 4))]:
        (had, earlier), (has, later) = before, after
        of_all = hypergeom(earlier + later, had + has, later)
        expected = min(1.0, 2 * min(of_all.cdf(has), of_all.sf(has - 1)))
        assert share_change(before, after) == pytest.approx(expected)
    assert share_change((0, 0), (3, 5)) is None


def test_a_sparkline_has_gaps():
    assert sparkline([]) == ""
    assert sparkline([None, None]) == ""
    assert sparkline([1.0]).endswith("h0.1")


@pytest.mark.slow
async def test_weeks_end_where_the_time_asked_for_ends(two_weeks, database):
    engine = create_async_engine(database)
    try:
        now = datetime.now(UTC)
        who = ("bakers", "crumb")
        until = now - timedelta(days=6)
        assert (await agent_weeks(engine, AnswerScope(), now)).changes[who].real
        weeks = await agent_weeks(engine, AnswerScope(until=until), now)
        assert weeks.end.date() == (until + timedelta(days=1)).date()
        assert who not in weeks.changes
        assert weeks.answered_since(who, 10_000) is None
        (found,) = await recent_findings(engine, [(AnswerScope(), [who])], most=5)
        assert found[who].answers == 5
        assert await recent_findings(engine, [(AnswerScope(), [])]) == [{}]
    finally:
        await engine.dispose()


AGENTS = [("bakers", "crumb"), ("bakers", "rye"), ("bakers", "nobody")]


def times(now):
    """Begins and ends of scopes: none, within the days of the answers, and later."""
    starts = (None, now - timedelta(days=3), now - timedelta(days=11))
    ends = (None, now - timedelta(days=1, hours=2), now - timedelta(days=6), now + timedelta(days=3))
    return product(starts, ends)


async def test_findings_are_of_the_newest_answers_in_each_scope(two_weeks, database):
    engine = create_async_engine(database)
    now = datetime.now(UTC)
    versions = (None, "1", "never")
    scopes = [
        AnswerScope(since=since, until=until, agent_version=version)
        for since, until in times(now) for version in versions
    ]  # fmt: skip
    try:
        columns = "tenant, agent, agent_version, occurred_at, reason_codes"
        async with engine.connect() as connection:
            rows = (
                await connection.execute(
                    text(f"SELECT {columns} FROM evaluations WHERE current ORDER BY occurred_at DESC")
                )
            ).all()
        for most in (3, 30):
            found = await recent_findings(engine, [(scope, AGENTS) for scope in scopes], most=most)
            for scope, of_scope in zip(scopes, found, strict=True):
                for who in AGENTS:
                    newest = [row for row in rows if _in_scope(row, who, scope)][:most]
                    codes = Counter(code for row in newest for code in set(row.reason_codes))
                    theirs = of_scope.get(who, RecentFindings())
                    assert (theirs.answers, theirs.reasons) == (len(newest), codes), (scope, who)
    finally:
        await engine.dispose()


def _in_scope(row, who, scope):
    return (
        (row.tenant, row.agent) == who
        and scope.agent_version in {None, row.agent_version}
        and (scope.since is None or row.occurred_at >= scope.since)
        and (scope.until is None or row.occurred_at < scope.until)
    )


async def test_the_newest_answers_are_those_of_the_last_week_only_where_it_has_enough(two_weeks, database):
    engine = create_async_engine(database)
    now = datetime.now(UTC)
    try:
        for wanted in (AnswerScope(since=since, until=until) for since, until in times(now)):
            weeks = await agent_weeks(engine, wanted, now)
            for most in (3, 20, 30, 100):
                *_, found = await all_findings(engine, wanted, weeks, AGENTS, most=most)
                (whole,) = await recent_findings(engine, [(wanted, AGENTS)], most=most)
                assert found == whole, (wanted, most)
    finally:
        await engine.dispose()


async def test_a_table_by_day_that_is_too_long_says_how_to_see_the_rest(two_weeks, monkeypatch):
    table = '<td data-label="day of">'
    whole = await read(two_weeks, "/console", every="day")
    assert whole.count(table) == 24
    assert "These are the first" not in whole
    monkeypatch.setattr("service.console.overview_page.MOST_LINES", 24)
    assert "These are the first" not in await read(two_weeks, "/console", every="day")
    monkeypatch.setattr("service.console.overview_page.MOST_LINES", 5)
    cut = await read(two_weeks, "/console", every="day")
    assert cut.count(table) == 5
    assert "These are the first 5 lines. To see others, choose an agent or a shorter time" in cut
    assert len((await two_weeks.get("/v1/report?every=day")).json()["rows"]) == 24


async def test_forty_agents_have_pages_an_order_and_a_search(client):
    agents = [f"agent-{number:02}" for number in range(40)]
    sent = [
        {"event_id": str(each), "tenant": "bakers", "agent": agent, "question": "How many ovens?", "sql": "SELECT 1"}
        for number, agent in enumerate(agents)
        for each in range(1 + number % 3)
    ]
    await client.post("/v1/events", json=sent)

    async def shown(**query) -> list[str]:
        page = (await client.get("/console", params=query)).text
        return re.findall(r"<b>(agent-\d\d)</b>", page)

    first, second = await shown(sort="name"), await shown(sort="name", page=2)
    assert (first, second) == (agents[:25], agents[25:])
    assert await shown(sort="name", page=900) == second
    assert sorted(await shown() + await shown(page=2)) == agents
    assert await shown(name="GENT-1", sort="name") == agents[10:20]
    assert await shown(name="nobody") == []
    assert set((await shown(sort="answers"))[:13]) == {each for place, each in enumerate(agents) if place % 3 == 2}
    text = (await client.get("/console?sort=mean")).text
    assert "40 agents" in text
    assert 'aria-sort="ascending"' in text


async def test_a_long_name_is_cut_and_whole_on_focus(client):
    long, version = "a" * 120, "v" * 120
    event = {"event_id": "1", "agent": long, "agent_version": version, "question": "How many?", "sql": "SELECT 1"}
    await client.post("/v1/events", json=event)
    for path in (f"/console/agents?tenant=default&agent={long}", "/console/status", "/console?by=agent_version"):
        assert f'<span class="cut" tabindex="0" title="{version}">' in (await client.get(path)).text, path
    assert f'<span class="cut" title="{long}">{long}</span>' in (await client.get("/console")).text
    assert (
        f'<span class="cut" tabindex="0" title="{long}">{long}</span>'
        in (await client.get("/console/evaluations")).text
    )
