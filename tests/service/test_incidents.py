"""One fall of an agent is one incident, which alert, API and every page of the console tell alike."""

from __future__ import annotations

import html
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
import yaml
from sqlalchemy import insert, select, update

from grafana.build import HOME
from service.samples.fortnight import TENANT, fortnight_events
from service.settings.observability_settings import AlarmSettings
from service.storage.incidents.agent_incidents import IncidentState, agent_incidents
from service.storage.incidents.update_incidents import UpdateIncidents
from service.storage.tables import AGENT_ALARMS
from tests.deploy.test_monitoring import RULES
from tests.servers.fixtures import found
from tests.servers.install import PROMTOOL
from tests.servers.prometheus_server import run_tool
from tests.service.console_lists import links, read

WATCHED = AlarmSettings(every=0.1, settle=3)
NOW = datetime.now(UTC)


def answers() -> list[dict]:
    return [each for each in fortnight_events(NOW) if each["agent"] == "ember"]


async def post(client, events: list[dict]) -> None:
    for start in range(0, len(events), 70):
        assert (await client.post("/v1/events", json=events[start : start + 70])).status_code == 202


async def one_incident(client, wait_until) -> dict:
    async def counted() -> bool:
        items = (await client.get("/v1/incidents")).json()["items"]
        return bool(items) and items[0]["before"]["answers"] + items[0]["after"]["answers"] == 280

    await wait_until(counted)
    [incident] = (await client.get("/v1/incidents", params={"agent": "ember"})).json()["items"]
    return incident


def panel_query() -> str:
    """The query of the dashboard's panel of falls, for every agent."""
    board = json.loads((HOME / "accuracy.json").read_text())
    found = [each for each in board["panels"] if each["title"] == "Judged wrong before and since a fall"]
    [target] = found[0]["targets"]
    return target["expr"].replace("$tenant", ".*").replace("$agent", ".*")


def rendered(tmp_path: Path, exposition: str) -> tuple[str, list[float]]:
    """The summary of the alert and the shares of the dashboard's panel where Prometheus has these metrics."""
    shown = [line for line in exposition.splitlines() if line.startswith("sqlassay_incident_wrong_ratio{")]
    names = [line.rpartition(" ")[0].replace("{", '{job="sqlassay",', 1) for line in shown]
    values = [float(line.rpartition(" ")[2]) for line in shown]
    alarm = {"job": "sqlassay", "tenant": TENANT, "agent": "ember", "judge": "local/5", "evaluator": "1"}
    on = "sqlassay_agent_alarm{" + ",".join(f'{name}="{value}"' for name, value in alarm.items()) + ',kind="fall"}'
    series = [{"series": name, "values": f"{value}x12"} for name, value in zip([*names, on], [*values, 1], strict=True)]
    alert = {"alertname": "SQLAssayAgentAlarm", "eval_time": "10m", "exp_alerts": []}
    query = {"expr": panel_query(), "eval_time": "10m", "exp_samples": []}
    case = {"interval": "5m", "input_series": series, "alert_rule_test": [alert], "promql_expr_test": [query]}
    cases = tmp_path / "cases.yml"
    cases.write_text(yaml.safe_dump({"rule_files": [str(RULES)], "evaluation_interval": "5m", "tests": [case]}))
    # promtool prints what it got where nothing was expected
    done = run_tool(found(PROMTOOL), "test", "rules", cases)
    said = done.stdout + done.stderr
    [summary] = re.findall(r'summary="([^"]+)"', said)
    shares = [float(each) for each in re.findall(r'when="\w+"} (\S+?)(?:,|\s|$)', said)]
    assert (
        f'incident_url="http://localhost:8321/console/incidents?tenant={TENANT}&agent=ember"'
        in done.stdout + done.stderr
    )
    return summary, sorted(shares)


@pytest.mark.slow  # two weeks of answers
async def test_one_fall_has_the_same_figures_in_the_alert_the_api_and_on_every_page(serving, wait_until, tmp_path):
    async with serving(alarms=WATCHED) as client:
        await post(client, answers())
        incident = await one_incident(client, wait_until)
        assert (incident["agent_version"], incident["version_before"]) == ("2.1.0", "2.0.3")
        report = (await client.get("/v1/report", params={"agent": "ember", "by": "agent_version"})).json()["rows"]
        shares = {row["agent_version"]: row["judged_wrong"] for row in report}
        assert shares == {
            "2.0.3": pytest.approx(incident["before"]["share"], abs=1e-4),
            "2.1.0": pytest.approx(incident["after"]["share"], abs=1e-4),
        }
        change, began = incident["change"], f"{datetime.fromisoformat(incident['since']):%Y-%m-%d %H:%M} UTC"
        assert incident["summary"] == (
            f"ember of {TENANT} became worse: version 2.1.0, since {began}, judged wrong {change}"
        )
        own = f"/console/incidents/{incident['id']}"
        who = f"agent=ember&tenant={TENANT}"
        whole, of_version = (
            f"/console/slices?view=changes&{who}",
            f"/console/slices?view=changes&{who}&agent_version=2.1.0",
        )
        agent, compared = f"/console/agents?{who}", f"/console/compare?{who}"
        for path in ("/console", agent, own, "/console/incidents", whole, of_version, compared):
            shown = html.unescape(await read(client, path))
            assert change in shown, path
            assert began in shown, path
            assert incident["id"] in shown, path
        # two weeks side by side say that they mix versions, and lead to the version that fell
        [against] = links(await read(client, whole), "against the version before")
        assert "agent_version=2.1.0" in against
        assert "2.0.3, 2.1.0, together" in await read(client, whole)
        metrics = (await client.get("/metrics")).text
        summary, shares = rendered(tmp_path, metrics)
        assert summary == f"{incident['summary']} (limit 20 %)"
        assert shares == pytest.approx(sorted(incident[when]["share"] for when in ("before", "after")))


@pytest.mark.slow  # two weeks of answers
async def test_on_call_reaches_version_date_size_and_cause_with_one_page(serving, wait_until):
    async with serving(alarms=WATCHED) as client:
        await post(client, answers())
        incident = await one_incident(client, wait_until)
        # the address of the alert leads on to the incident
        reply = await client.get(f"/console/incidents?tenant={TENANT}&agent=ember", follow_redirects=True)
        shown = html.unescape(reply.text)
        assert str(reply.url).endswith(incident["id"])
        for said in (
            "ember",
            "version 2.1.0",
            incident["change"],
            "FILTER_MISSING",
            "Roll ember back from 2.1.0 to 2.0.3",
        ):
            assert said in shown, said
        [cause] = re.findall(r'FILTER_MISSING</a><span class="below">([^<]+)', shown)
        assert "condition that the SQL does not apply" in cause
        examples = re.findall(r'<td class="asked"><a href="(/console/evaluations/[^"?]+)', shown)
        assert len(examples) == 5
        for address in examples:
            answer = (await client.get(address.replace("/console", "/v1"))).json()
            assert answer["agent_version"] == "2.1.0"
            assert answer["occurred_at"] >= incident["since"]


async def test_the_address_of_an_alert_about_an_agent_that_did_not_fall_leads_to_the_agent(serving):
    async with serving(alarms=UNWATCHED) as client:
        await post(client, answers()[:5])
        shown = html.unescape(await read(client, f"/console/incidents?tenant={TENANT}&agent=ember"))
        (agent,), (worst,) = links(shown, "ember"), links(shown, "Its worst answers")
        assert "<h2>Trend" in await read(client, agent)
        assert "quayside" in await read(client, worst)


UNWATCHED = AlarmSettings(enabled=False)


async def alarm_on(client, engine, events: list[dict], *, fall: bool = True) -> None:
    """Stores the answers, and an alarm that is on 40 hours before the last one: of a fall, or else below the bound."""
    await post(client, events)
    judge = (await client.get("/v1/evaluations", params={"limit": 1})).json()["items"][0]["judge"]
    latest = datetime.fromisoformat(events[-1]["occurred_at"])
    names = {"tenant": TENANT, "agent": "ember", "judge": judge, "evaluator_version": "1", "state": {}}
    counts = {"fall_evidence": 1, "below_evidence": 0, "answers": 1, "answered_at": latest - timedelta(hours=40)}
    async with engine.begin() as connection:
        await connection.execute(insert(AGENT_ALARMS).values(id=uuid4(), fall=fall, below=not fall, **names, **counts))


async def test_people_acknowledge_explain_and_close_and_each_step_says_who(serving, engine):
    async with serving(alarms=UNWATCHED) as client:
        await alarm_on(client, engine, answers()[180:])
        await UpdateIncidents(engine)(NOW)
        [incident] = (await client.get("/v1/incidents")).json()["items"]
        page = f"/console/incidents/{incident['id']}"
        token = re.findall(r'name="csrf" value="([^"]+)"', await read(client, page))[0]
        for action, words, state in (
            ("acknowledged", "", "acknowledged"),
            ("explained", "A new prompt <b>", "explained"),
            ("closed", "", "closed"),
            ("reopened", "", "explained"),
        ):
            sent = {"csrf": token, "action": action, "explanation": words}
            assert (await client.post(page, data=sent)).status_code == 303
            now = (await client.get(f"/v1/incidents/{incident['id']}")).json()
            assert now["state"] == state
            assert now["history"][-1]["action"] == action
            assert now["history"][-1]["actor"]
        assert now["explanation"] == "A new prompt <b>"
        assert "A new prompt &lt;b&gt;" in await read(client, page)
        refused = await client.post(page, data={"csrf": token, "action": "explained", "explanation": " "})
        assert refused.status_code == 400
        assert (await client.post(page, data={"csrf": token, "action": "over"})).status_code == 400
        assert (await client.get(f"/v1/incidents/{uuid4()}")).status_code == 404


async def test_an_incident_is_opened_once_counted_anew_and_over_when_both_alarms_are_off(serving, engine):
    events, later = answers()[180:], NOW + timedelta(minutes=1)
    async with serving(alarms=UNWATCHED) as client:
        await alarm_on(client, engine, events)
    latest, keep = datetime.fromisoformat(events[-1]["occurred_at"]), UpdateIncidents(engine)
    await keep(NOW)
    await keep(NOW)
    [opened] = await agent_incidents(engine, current=True)
    assert (opened.state, opened.fall, opened.below) == (IncidentState.OPEN, True, False)
    async with engine.begin() as connection:
        await connection.execute(update(AGENT_ALARMS).values(below=True, answered_at=latest))
    await keep(later)
    [counted] = await agent_incidents(engine)
    assert (counted.id, counted.below, counted.until) == (opened.id, True, latest)
    async with engine.begin() as connection:
        await connection.execute(update(AGENT_ALARMS).values(fall=False))
    await keep(later)
    assert (await agent_incidents(engine))[0].over_at is None
    async with engine.begin() as connection:
        await connection.execute(update(AGENT_ALARMS).values(below=False))
        assert (await connection.execute(select(AGENT_ALARMS.c.fall))).all()
    await keep(later)
    [over] = await agent_incidents(engine, current=False)
    assert (over.over_at, over.state) == (later, IncidentState.CLOSED)
    assert [each["action"] for each in over.history] == ["opened", "over"]
    assert await agent_incidents(engine, current=True) == []


async def test_an_agent_that_was_never_better_did_not_become_worse(serving, engine, tmp_path):
    bad = [{**each, "sql": "SELECT MIN(pages) FROM books", "agent_version": "1"} for each in answers()[:60]]
    async with serving(alarms=UNWATCHED) as client:
        await alarm_on(client, engine, bad, fall=False)
        await UpdateIncidents(engine)(NOW)
        [incident] = (await client.get("/v1/incidents")).json()["items"]
        began = f"{datetime.fromisoformat(incident['since']):%Y-%m-%d %H:%M} UTC"
        said = f"ember of {TENANT} answers badly: no new version, since {began}, judged wrong {incident['change']}"
        assert incident["summary"] == said
        assert incident["since"][:16] == bad[0]["occurred_at"][:16]
        assert (incident["before"]["answers"], incident["p_value"]) == (0, None)
        assert re.fullmatch(r"\d+ %", incident["change"])
        shown = html.unescape(await read(client, f"/console/incidents/{incident['id']}"))
        for words in ("became worse", "What rose most", "Ask what changed", "no answers →"):
            assert words not in shown, words
        assert "it was never better" in shown
