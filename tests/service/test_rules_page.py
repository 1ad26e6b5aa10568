"""The page of rules: the form, the JSON, what rules would change, and storing them."""

from __future__ import annotations

import html
import json
import re
from urllib.parse import quote

import pytest
from sqlalchemy import text

from consumers.wire.rules_document import InvalidRules, RulesDocument, decode_rules
from scoring.query import Query
from scoring.rules import Rules
from service.console.rules_form import RULE_WORDS, document_of, fits_form, rule_fields, shown_fields
from service.processes.effect_process import EffectProcess
from service.settings.intake_settings import HttpSettings
from tests.service.own_scripts import foreign_scripts

PAGE = "/console/rules?tenant=bakers"
HOSTILE = "<script>alert(1)</script>\"'&{{7*7}}"
DOCUMENT = {
    "column_mappings": {"region = x": "region_name"},
    "benign_filters": ["is_deleted = 0", "status = 'a'"],
    "conventions": [
        {"table": "ovens", "predicate": "scrapped = 0", "required": False, "when": ["load", "heat = high"]},
        {"table": "loaves", "predicate": "kind <> 'x = y'"},
    ],
    "units": {"ovens.weight_g": "grams"},
    "codes": {"ovens.state": {"ON": "burning", "OF": "cold = off"}, "kind": {"7": "wood\nor coal"}},
    "ignore_filters": ["org"],
    "lambda_min": 500,
    "tiers": {"excellent": 95, "good": 70.5, "marginal": 50},
    "dialect": "postgres",
    "unparseable": "incorrect",
    "judge": {"policy": "cascade", "bar": 0.7, "budget": 1.5, "tokens": None, "when_spent": "unscored"},
    "store_raw": False,
    "memory": False,
    "retention_days": 30,
}


def event(number: int, **fields) -> dict:
    return {
        "event_id": str(number),
        "tenant": "bakers",
        "agent": "crumb",
        "question": f"How many ovens have kind {number}?",
        "sql": f"SELECT COUNT(*) FROM ovens WHERE kind = {number} AND is_deleted = 0",
        **fields,
    }


def whole(document: dict) -> dict:
    return decode_rules(document).model_dump(mode="json")


def fields_of(shown: str, way: str = "form") -> dict[str, str]:
    """What a browser would send of the form, as it stands."""
    form = next(each for each in re.findall(r"<form.*?</form>", shown, re.DOTALL) if f'value="{way}"' in each)
    found = dict(re.findall(r'<input (?:type="hidden" )?(?:id="[^"]*" )?name="([^"]*)" value="([^"]*)"', form))
    found |= {
        name: text.removeprefix("\n")
        for name, text in re.findall(r'<textarea[^>]* name="([^"]*)"[^>]*>(.*?)</textarea>', form, re.DOTALL)
    }
    for name, options in re.findall(r'<select[^>]* name="([^"]*)"[^>]*>(.*?)</select>', form, re.DOTALL):
        found[name] = re.search(r"<option selected>([^<]*)", options)[1]
    return {name: html.unescape(value) for name, value in found.items()}


async def page(client, path: str = PAGE, status: int = 200, **more) -> str:
    reply = await client.get(path, **more)
    assert reply.status_code == status, reply.text
    assert "unsafe" not in reply.headers["content-security-policy"]
    return reply.text


async def send(client, fields: dict[str, str], action: str = "store", **more):
    return await client.post(PAGE, data={**fields, "action": action}, **more)


# --- the form


@pytest.mark.parametrize("document", [{}, DOCUMENT])
def test_what_the_form_shows_is_read_back_as_the_same_rules(document):
    shown = shown_fields(whole(document))
    assert fits_form(whole(document))
    assert whole(json.loads(document_of(shown))) == whole(document)


GROUPS = ("tiers", "confidence", "judge", "fiscal_year")


def test_every_key_of_the_rules_has_a_field():
    flat = {name for name in RulesDocument.model_fields if name not in GROUPS}
    groups = {f"{name}.{key}" for name in GROUPS for key in whole({})[name]}
    assert {each.name for each in rule_fields()} == flat | groups
    assert all(each.hint for each in rule_fields())
    assert {each.name for each in rule_fields()} == set(RULE_WORDS)


@pytest.mark.parametrize(
    "document",
    [{"benign_filters": ["a = 1\nOR b = 2"]}, {"column_mappings": {" padded ": "c"}}, {"ignore_filters": [" a"]}],
)
def test_rules_that_the_form_would_change_are_left_to_json(document):
    assert not fits_form(whole(document))


@pytest.mark.parametrize(
    ("field", "line"), [("conventions", "scrapped = 0"), ("codes", '["a"]'), ("codes", "{'a': {'b': 'c'}}")]
)
def test_a_line_that_is_no_object_is_refused_with_an_example(field, line):
    with pytest.raises(InvalidRules, match="not one JSON object: write"):
        document_of({field: line})


# --- the page


@pytest.mark.slow  # takes over a second
async def test_a_tenant_without_answers_is_noticed(client):
    await client.post("/v1/events", json=event(1))
    unknown = "No answer of a tenant"
    assert unknown not in (await client.get("/console/rules?tenant=bakers")).text
    assert unknown in (await client.get("/console/rules?tenant=bakrs")).text


async def test_rules_are_stored_by_form_and_by_json_and_count_at_once(client, engine):
    shown = await page(client)
    assert "The built-in rules are in force" in shown
    stored = await send(client, {**fields_of(shown), "ignore_filters": "is_deleted", "judge.bar": "0.5"})
    assert stored.status_code == 303
    shown = await page(client, stored.headers["location"])
    assert "Version 1 is in force" in shown
    async with engine.connect() as connection:
        noted = (await connection.execute(text("SELECT actor, via, action, before, after FROM audit_log"))).one()
    assert tuple(noted)[:3] == (None, "console", "rules_stored")
    assert [each["version"] for each in tuple(noted)[3:]] == [0, 1]
    rules = (await client.get("/v1/tenants/bakers/rules")).json()
    assert (rules["rules"]["ignore_filters"], rules["rules"]["judge"]["bar"]) == (["is_deleted"], 0.5)
    by_json = fields_of(shown, "json")
    assert json.loads(by_json["json"]) == rules["rules"]
    document = json.dumps({"benign_filters": ["a = 1\nOR b = 2"]})
    assert (await send(client, {**by_json, "json": document})).status_code == 303
    shown = await page(client)
    assert "The form cannot hold these rules" in shown
    assert fields_of(shown, "json")["edited"] == "2"
    # an older version goes into the form, and from there into force
    older = fields_of(await page(client, f"{PAGE}&version=1"))
    assert older["ignore_filters"] == "is_deleted"
    assert older["edited"] == "2"
    assert (await send(client, older)).status_code == 303
    assert (await client.get("/v1/tenants/bakers/rules")).json()["rules"] == rules["rules"]
    await page(client, f"{PAGE}&version=77", 404)


@pytest.mark.slow  # tries rules in processes
async def test_rules_are_tried_before_they_are_stored(client):
    right = [event(n, sql=f"SELECT COUNT(*) FROM ovens WHERE kind = {n} AND hall = 'H2'") for n in range(3, 7)]
    wrong = [event(n + 10, sql="SELECT name FROM ovens") for n in range(3)]
    await client.post("/v1/events", json=[*right, *wrong, event(99, tenant="millers")])
    untried = await page(client)
    assert 'value="store"' not in untried
    tried = await send(client, {**fields_of(untried), "benign_filters": "hall = 'H2'"}, "try")
    assert 'value="store"' in tried.text
    shown = html.unescape(tried.text)
    assert tried.status_code == 200
    assert "Of the newest 7 answers, <b>4</b> would get another score" in shown
    examples = re.findall(r'href="(/console/evaluations/[^"]+)">How many ovens have kind (\d+)', shown)
    assert {number for _, number in examples} == {"3", "4", "5", "6"}
    await page(client, examples[0][0])
    before, after = re.search(r"Mean score: ([\d.]+) → <b>([\d.]+)", shown).groups()
    assert float(after) > float(before)
    assert (await client.get("/v1/tenants/bakers/rules")).json()["version"] == 0
    # and what was tried can be stored from there
    assert (await send(client, fields_of(tried.text))).status_code == 303
    again = (await send(client, fields_of(await page(client)), "try")).text
    assert "<b>0</b> would get another score" in again


FAULTS = [
    ("lambda_min", "many", "lambda_min: "),
    ("tiers.good", "99", "tiers"),
    ("judge.bar", "1.5", "judge.bar: "),
    ("column_mappings", "no pair", "column_mappings: "),
    ("benign_filters", "SELECT (((", "benign_filters: "),
    ("ignore_filters", "a = 1", "ignore_filters"),
    ("dialect", "klingon", "dialect: "),
    ("retention_days", "0", "retention_days: "),
    ("judge.policy", "oracle", "judge.policy: "),
    ("column_mappings", HOSTILE + " = ;", "column_mappings"),
]


@pytest.mark.slow  # tries rules in processes
async def test_an_error_names_the_field_and_keeps_what_was_typed(client):
    fields = fields_of(await page(client))
    for field, value, said in FAULTS:
        for action in ("try", "store"):
            refused = await send(client, {**fields, field: value}, action)
            assert refused.status_code == 422, field
            assert said in refused.text
            assert not foreign_scripts(refused.text)
            assert html.unescape(value) in html.unescape(refused.text)
    assert (await client.get("/v1/tenants/bakers/rules")).json()["version"] == 0


@pytest.mark.slow  # takes over a second
async def test_json_that_is_no_rules_is_refused_and_kept(client):
    fields = fields_of(await page(client), "json")
    for sent in ("", "[]", "{", '{"moon": 1}', "\x00", '{"lambda_min": 1e99}', "[" * 5000):
        refused = await send(client, {**fields, "json": sent})
        assert refused.status_code == 422, sent[:20]
        assert "Not stored." in refused.text


@pytest.mark.slow  # tries rules in processes
async def test_a_change_of_another_person_is_not_lost(client):
    fields = fields_of(await page(client))
    await client.put("/v1/tenants/bakers/rules", json={"lambda_min": 7})
    refused = await send(client, {**fields, "lambda_min": "8"})
    assert refused.status_code == 412
    assert "Version 1 was stored meanwhile" in refused.text
    assert 'value="store"' in refused.text
    assert fields_of(refused.text)["lambda_min"] == "8"
    assert (await client.get("/v1/tenants/bakers/rules")).json()["rules"]["lambda_min"] == 7
    # now the person knows
    assert (await send(client, fields_of(refused.text))).status_code == 303


async def test_forms_of_other_sites_and_odd_requests_are_refused(client):
    fields = fields_of(await page(client))
    assert (await send(client, {**fields, "csrf": "x"})).status_code == 403
    assert (await send(client, {**fields, "edited": "x"})).status_code == 400
    assert (await send(client, {**fields, "edited": "²"})).status_code == 400
    assert (await client.post("/console/rules", data=fields)).status_code == 400
    assert (await client.post("/console/rules?tenant=a%00", data=fields)).status_code == 400
    for query in ("version=x", "version=-1", "moon=1", "stored=9999999999"):
        assert "<li><a" in await page(client, f"{PAGE}&{query}", 400)
    assert (await client.get("/v1/tenants/bakers/rules")).json()["version"] == 0


@pytest.mark.slow  # tries rules in processes
async def test_stored_text_is_text(client):
    rules = {"column_mappings": {HOSTILE: "a"}, "benign_filters": ["a = '<script>x'"], "ignore_filters": [HOSTILE[:8]]}
    rules["ignore_filters"] = ["</textarea><script>".replace("<", "‹").replace(">", "›")]
    stored = await client.put("/v1/tenants/bakers/rules", json=rules)
    assert stored.status_code == 200, stored.text
    await client.post("/v1/events", json=[event(1, question=HOSTILE, sql="SELECT * FROM a WHERE a = '<script>x'")])
    shown = await page(client)
    assert not foreign_scripts(shown)
    assert "&lt;script&gt;alert" in shown
    tried = await send(client, {**fields_of(shown), "benign_filters": ""}, "try")
    assert not foreign_scripts(tried.text)
    assert "&lt;script&gt;alert" in tried.text


@pytest.mark.slow  # tries rules in processes
async def test_tenants_see_their_own_rules_and_only_administrators_change_them(serving):
    own, other, reading = (f"{name}-token-for-tests-only" for name in ("bakers", "millers", "reading"))
    tokens = {"bakers": own, "millers": other, "cooks": {"token": reading, "scopes": ["read"]}}
    async with serving(http=HttpSettings.model_validate({"tokens": tokens})) as client:
        assert (await client.get("/console/rules")).status_code == 401
        mine = await page(client, "/console/rules", auth=("me", own))
        assert "Rules of bakers" in mine
        await page(client, PAGE, 403, auth=("me", other))
        assert (await send(client, fields_of(mine), auth=("me", other))).status_code == 403
        fields = fields_of(mine) | {"lambda_min": "44"}
        assert (await send(client, fields, auth=("me", own))).status_code == 303
        assert "stored by bakers" in await page(client, PAGE, auth=("me", own))
        assert 'value="44"' not in await page(client, "/console/rules", auth=("me", other))
        read = await page(client, "/console/rules?tenant=cooks", auth=("me", reading))
        assert "may read rules and not change them" in read
        assert 'value="try"' not in read
        refused = await client.post("/console/rules?tenant=cooks", data=fields_of(read), auth=("me", reading))
        assert refused.status_code == 403


async def test_without_a_tenant_one_is_chosen_from_those_with_answers(client):
    assert "No tenant has answers yet" in await page(client, "/console/rules")
    await client.post("/v1/events", json=[event(1), event(2, tenant="millers & sons")])
    shown = await page(client, "/console/rules")
    assert f'href="/console/rules?tenant={quote("millers & sons").replace("%20", "+")}"' in shown
    assert "Rules of bakers" in await page(client, "/console/rules?tenant=BAKERS")


# --- the process


class EffectClock:
    """Goes on by one second at each look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


@pytest.mark.slow  # waits for a deadline
async def test_a_costly_answer_ends_alone_and_time_ends_the_rest():
    costly = Query(question="Which?", sql="SELECT " + "(" * 300 + "1" + ")" * 300 + " + 1" * 60_000)
    plain = Query(question="How many ovens?", sql="SELECT COUNT(*) FROM ovens")
    process = EffectProcess(cpu_seconds=0.3)
    found = await process.compare([plain, costly, plain], Rules(), Rules())
    assert [each is None for each in found] in ([False, True, False], [False, False, False])
    hurried = EffectProcess(seconds=2.5, timer=EffectClock())
    assert len(await hurried.compare([plain] * 100, Rules(), Rules())) == 40
