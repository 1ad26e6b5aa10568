"""The page of the audit log: who changed what, for administrators alone."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from sqlalchemy import insert

from service.console.audit_page import ACTION_WORDS
from service.settings.intake_settings import HttpSettings
from service.storage.audit import AuditAction
from service.storage.tables import AUDIT_LOG
from tests.service.own_scripts import foreign_scripts

PAGE = "/console/audit"
HOSTILE = "<script>alert(1)</script>\"'&{{7*7}}"


async def note(engine: Any, *rows: dict[str, Any]) -> None:
    async with engine.begin() as connection:
        for row in rows:
            await connection.execute(insert(AUDIT_LOG).values({"tenant": "bakers", "via": "api", **row}))


async def page(client: Any, path: str = PAGE, status: int = 200, **more: Any) -> str:
    reply = await client.get(path, **more)
    assert reply.status_code == status, reply.text
    assert not foreign_scripts(reply.text)
    return reply.text


def changes(shown: str) -> list[str]:
    """The rows, as text."""
    return [html.unescape(re.sub(r"<[^>]+>|\s+", " ", row)) for row in re.findall(r"<tr><td.*?</tr>", shown, re.DOTALL)]


@pytest.mark.slow  # takes over a second
async def test_it_says_who_changed_the_rules_and_to_what(client):
    assert "No changes yet" in await page(client)
    await client.put("/v1/tenants/bakers/rules", json={"lambda_min": 7})
    await client.put("/v1/tenants/bakers/rules", json={"lambda_min": 8, "ignore_filters": ["a"]})
    shown = await page(client)
    newest, first = changes(shown)
    assert all(each in newest for each in ("stored rules", "bakers", "ignore_filters, lambda_min", "version: 1 → 2"))
    assert "lambda_min" in first
    # the version leads to the rules that it made
    address = html.unescape(re.search(r'href="(/console/rules[^"]+)">version 2', shown)[1])
    assert "The form holds version 2" in await page(client, address)
    assert f'href="{PAGE}"' in await page(client, "/console")


def test_every_kind_of_change_has_words():
    assert set(ACTION_WORDS) == set(AuditAction)


@pytest.mark.slow
async def test_changes_are_chosen_by_who_what_and_when_and_have_pages(client, engine):
    rows = [
        {"action": "label_stored", "actor": "ann", "subject": str(n), "after": {"label": "right"}} for n in range(60)
    ]
    await note(engine, *rows, {"action": "token_created", "actor": "ben", "tenant": None, "subject": "a token"})
    first = await page(client)
    assert len(changes(first)) == 50
    following = html.unescape(re.search(r'class="next" href="([^"]+)"', first)[1])
    assert len(changes(await page(client, following))) == 11
    assert "First page" in await page(client, following)
    [token] = changes(await page(client, f"{PAGE}?actor=ben"))
    assert "created a token" in token
    assert "all tenants" in token
    assert len(changes(await page(client, f"{PAGE}?action=token_created&range=today"))) == 1
    assert "No changes match" in await page(client, f"{PAGE}?to_day=2001-01-01")


@pytest.mark.slow
async def test_what_people_wrote_is_text_and_bad_parameters_have_a_way_out(client, engine):
    texts = dict.fromkeys(("actor", "subject", "reviewer", "action", "via", "tenant"), HOSTILE)
    await note(engine, {**texts, "before": {HOSTILE: HOSTILE}, "after": {HOSTILE: [HOSTILE, None], "a": False}})
    [row] = changes(await page(client))
    assert row.count("7*7") >= 7
    assert "a: no" in row
    for query in ("action=moon", "cursor=x", "range=never", "moon=1", "actor=a%00"):
        assert "<li><a" in await page(client, f"{PAGE}?{query}", 400)


@pytest.mark.slow
async def test_only_administrators_see_it_and_a_tenants_sees_its_own(serving, engine):
    own, other, reading = (f"{name}-token-for-tests-only" for name in ("bakers", "millers", "reading"))
    tokens = {"bakers": own, "millers": other, "cooks": {"token": reading, "scopes": ["read"]}}
    async with serving(http=HttpSettings.model_validate({"tokens": tokens})) as client:
        await note(engine, {"action": "rules_stored", "actor": "ann"}, {"action": "token_revoked", "tenant": None})
        await page(client, PAGE, 401)
        assert len(changes(await page(client, auth=("me", own)))) == 1
        assert "No changes yet" in await page(client, auth=("me", other))
        await page(client, f"{PAGE}?tenant=bakers", 403, auth=("me", other))
        await page(client, PAGE, 403, auth=("me", reading))
        assert PAGE not in await page(client, "/console", auth=("me", reading))
        assert PAGE in await page(client, "/console", auth=("me", own))
