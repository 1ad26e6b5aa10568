"""The page of trust: figures from labels, and a tenant's calibration."""

from __future__ import annotations

import html
import re

import pytest

from evals.trust.kappa_words import kappa_word
from evals.trust.label_agreement import JudgedLabel, trust_report
from service.console.trust_page import weak_agents
from service.settings.intake_settings import HttpSettings
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine
from service.storage.reviewing.learned_rule_store import MeasuredPromotion, add_learned
from tests.service.own_scripts import foreign_scripts

PAGE = "/console/trust"
OF = f"{PAGE}?tenant=bakers"
HOSTILE = "<script>alert(1)</script>"


def event(number: int, **fields) -> dict:
    wrong = number % 3 == 0
    return {
        "event_id": str(number),
        "tenant": "bakers",
        "agent": "crumb",
        "question": f"How many ovens have kind {number}?",
        "sql": "SELECT price FROM sales" if wrong else f"SELECT COUNT(*) FROM ovens WHERE kind = {number}",
        **fields,
    }


def labelled(number: int, label: str, reviewer: str = "ann", **fields) -> dict:
    return {
        "event_id": str(number),
        "tenant": "bakers",
        "agent": "crumb",
        "reviewer": reviewer,
        "label": label,
        **fields,
    }


async def label_all(client, *, flipped: bool = False, count: int = 60, **more) -> None:
    await client.post("/v1/events", json=[event(n) for n in range(count)], **more)
    said = [labelled(n, "wrong" if (n % 3 == 0) != flipped else "right") for n in range(count)]
    assert (await client.post("/v1/labels", json=said, **more)).json()["kept"] == count


async def page(client, path: str = PAGE, status: int = 200, **more) -> str:
    reply = await client.get(path, **more)
    assert reply.status_code == status, reply.text
    assert "unsafe" not in reply.headers["content-security-policy"]
    assert not foreign_scripts(reply.text)
    return reply.text


async def act(client, shown: str, action: str, path: str = OF, **fields):
    csrf = re.search(r'name="csrf" value="([^"]+)"', shown)[1]
    return await client.post(path, data={"csrf": csrf, "action": action, **fields})


async def test_figures_come_from_labels_and_stay_with_the_scope(client):
    assert "No answer has a label yet" in await page(client)
    await label_all(client, count=12)
    second = [labelled(n, "wrong", "ben") for n in range(4)] + [labelled(5, "unsure", "ben")]
    await client.post("/v1/labels", json=second)
    shown = await page(client)
    assert "local/" in shown
    assert "ann and ben" in shown
    assert "16 labels" in shown
    # of the four answers with two labels, the reviewers are divided on two
    assert "Left out: 2 on which reviewers are divided" in shown
    assert "No labels match" in await page(client, f"{PAGE}?agent=nobody")
    assert "No label is of an answer that was drawn" in await page(client, f"{PAGE}?labels=drawn")
    drawn = [labelled(n, "wrong", "cem", sampling_probability=0.5) for n in (0, 3)]
    await client.post("/v1/labels", json=drawn)
    assert "2 labels, of which 2 of answers that were drawn" in await page(client, f"{PAGE}?labels=drawn")


async def test_one_agent_and_one_judge_are_one_row_with_a_verdict_in_words(client):
    await label_all(client, count=12)
    shown = await page(client)
    rows = re.findall(r'data-label="judge or agent">([^<]+)<', shown)
    assert len(rows) == 1
    assert all(each in rows[0] for each in ("all answers", "crumb of bakers", "local/"))
    kappa = float(re.search(r"</b> beyond chance \(κ ([\d.-]+)\)", shown)[1])
    assert f'<span class="note">{kappa_word(kappa)}' in shown
    assert "Altman" in shown
    await client.post("/v1/events", json=[event(n, agent="rye", event_id=f"rye-{n}") for n in range(6)])
    of_rye = [labelled(n, "right", agent="rye", event_id=f"rye-{n}") for n in range(6)]
    assert (await client.post("/v1/labels", json=of_rye)).json()["kept"] == 6
    rows = re.findall(r'data-label="judge or agent">([^<]+)<', await page(client))
    assert [row.partition(" ")[0] for row in rows] == ["all", "crumb", "rye"]


def test_agents_are_named_on_which_people_and_the_judge_agree_less():
    steady = [judged_label(f"s{n}", "steady", wrong=n % 2 == 0, judged_wrong=n % 2 == 0) for n in range(60)]
    odd = [judged_label(f"o{n}", "odd", wrong=n % 2 == 0, judged_wrong=n % 4 < 2) for n in range(20)]
    assert [name for name, _ in weak_agents(trust_report([*steady, *odd], drawn=False))] == ["odd of bakers"]
    assert weak_agents(trust_report(odd, drawn=False)) == []


def judged_label(name: str, agent: str, *, wrong: bool, judged_wrong: bool) -> JudgedLabel:
    return JudgedLabel(
        answer=("bakers", "/ovens", name),
        reviewer="ann",
        wrong=wrong,
        probability=None,
        agent=agent,
        judge="local",
        p=0.2 if judged_wrong else 0.8,
    )


@pytest.mark.slow
async def test_learned_rules_are_shown_rolled_back_and_put_in_force_again(client, database):
    await client.post("/v1/events", json=event(1))
    assert "No learned rules are stored" in await page(client, OF)
    engine = create_engine(database, DatabaseSettings())
    try:
        measured = MeasuredPromotion(labels=40, accuracy_before=0.7, accuracy_after=0.8, forced=False)
        forced = MeasuredPromotion(labels=0, accuracy_before=None, accuracy_after=None, forced=True)
        rule = {"side": "supports_wrong", "text": "Asked about <b>ovens</b>, it is wrong."}
        for promotion in (measured, forced):
            await add_learned(engine, "bakers", {"format": 1, "rules": [rule]}, promotion, HOSTILE)
    finally:
        await engine.dispose()
    shown = await page(client, OF)
    assert "Asked about &lt;b&gt;ovens" in shown
    assert "0.700 → <b>0.800</b>" in shown
    assert shown.count('value="promote_rules"') == 1, "what was never measured is measured by the command"
    assert (await act(client, shown, "promote_rules", version="2")).status_code == 422
    done = await act(client, shown, "promote_rules", version="1")
    assert "The learned rules are in force" in await page(client, done.headers["location"])
    assert (await client.get("/v1/tenants/bakers/rules")).json()["learned_version"] == 1
    assert "in force already" in (await act(client, shown, "promote_rules", version="1")).text
    assert (await act(client, shown, "roll_back_rules")).status_code == 303
    assert (await client.get("/v1/tenants/bakers/rules")).json()["learned_version"] is None
    assert "No learned rules are in force" in (await act(client, shown, "roll_back_rules")).text


@pytest.mark.slow  # takes over a second
async def test_a_calibration_is_fitted_promoted_and_rolled_back(client):
    await label_all(client, flipped=False)
    shown = await page(client, OF)
    assert "No calibration is stored" in shown
    fitted = await act(client, shown, "fit")
    assert fitted.status_code == 303, fitted.text
    shown = await page(client, fitted.headers["location"])
    assert "A calibration was fitted and stored" in shown
    before, after = re.search(r"([\d.]+) → <b>([\d.]+)</b>", shown).groups()
    assert float(after) < float(before)
    first = (await client.post("/v1/events", json=event(100))).json()["results"][0]
    assert (await act(client, shown, "promote", version="1")).status_code == 303
    shown = await page(client, OF)
    assert "<b>in force</b>" in shown
    again = (await client.post("/v1/events", json=event(100, event_id="again"))).json()["results"][0]
    p_correct = [
        (await client.get(f"/v1/evaluations/{each['evaluation_id']}")).json()["p_correct"] for each in (first, again)
    ]
    assert p_correct[0] != p_correct[1]
    twice = await act(client, shown, "promote", version="1")
    assert twice.status_code == 422
    assert "in force already" in twice.text
    assert (await act(client, shown, "roll_back")).status_code == 303
    shown = await page(client, OF)
    assert "<b>in force</b>" not in shown
    nothing = await act(client, shown, "roll_back")
    assert nothing.status_code == 422
    assert "No calibration is in force" in nothing.text
    assert (await act(client, shown, "promote", version="9")).status_code == 422


@pytest.mark.parametrize(("count", "said"), [(6, "too few labelled answers"), (0, "too few labelled answers")])
async def test_where_no_calibration_is_fitted_the_page_says_why(client, count, said):
    if count:
        await label_all(client, count=count)
    refused = await act(client, await page(client, OF), "fit")
    assert refused.status_code == 422
    assert said in refused.text


async def test_odd_requests_and_forms_of_other_sites_are_refused(client):
    shown = await page(client, OF)
    assert (await act(client, shown, "explode")).status_code == 400
    assert (await act(client, shown, "fit", path=PAGE)).status_code == 400
    assert (await client.post(OF, data={"csrf": "x", "action": "fit"})).status_code == 403
    for query in ("labels=some", "done=all", "range=forever", "moon=1", "tenant=a%00"):
        refused = await page(client, f"{PAGE}?{query}", 400)
        assert "<li><a" in refused
    assert "A calibration belongs to a tenant" in await page(client)


async def test_what_people_wrote_is_text(client):
    await client.post("/v1/events", json=[event(n, agent=HOSTILE) for n in range(4)])
    labels = [labelled(n, "wrong", f"{HOSTILE}{place}", agent=HOSTILE) for n in range(4) for place in range(2)]
    assert (await client.post("/v1/labels", json=labels)).json()["kept"] == 8
    shown = await page(client)
    assert f"{HOSTILE}0 and" in html.unescape(shown)


async def test_a_tenant_sees_its_own_labels_and_only_administrators_change(serving):
    own, other, reading = (f"{name}-token-for-tests-only" for name in ("bakers", "millers", "reading"))
    tokens = {"bakers": own, "millers": other, "cooks": {"token": reading, "scopes": ["read"]}}
    async with serving(http=HttpSettings.model_validate({"tokens": tokens})) as client:
        await label_all(client, count=6, headers={"Authorization": f"Bearer {own}"})
        await page(client, PAGE, 401)
        mine = await page(client, PAGE, auth=("me", own))
        assert "crumb" in mine
        assert "ann" in re.findall(r"\w+", mine) or "6 labels" in mine
        theirs = await page(client, PAGE, auth=("me", other))
        assert not {"bakers", "crumb"} & set(re.findall(r"\w+", theirs))
        await page(client, OF, 403, auth=("me", other))
        read = await page(client, PAGE, auth=("me", reading))
        assert "Your token may read and not change this" in read
        csrf = re.search(r'name="csrf" value="([^"]+)"', mine)[1]
        fields = {"csrf": csrf, "action": "fit"}
        assert (await client.post(OF, data=fields, auth=("me", other))).status_code == 403
        assert (await client.post(f"{PAGE}?tenant=cooks", data=fields, auth=("me", reading))).status_code == 403
        assert f'href="{PAGE}?tenant=bakers"' in (await page(client, "/console?tenant=bakers", auth=("me", own)))
