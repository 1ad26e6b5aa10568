"""The audit log over HTTP: each tenant's admin sees its own changes, a page follows the other, and times are read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import insert

from service.settings.access_settings import AccessScope
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine
from service.storage.tables import AUDIT_LOG
from service.storage.token_store import NewToken, PostgresTokens

DAY = datetime(2026, 11, 2, tzinfo=UTC)
ROWS = [
    ("bakers", "rules_stored", 0),
    ("millers", "rules_stored", 1),
    (None, "token_created", 2),
    ("bakers", "label_stored", 3),
    ("bakers", "rules_stored", 4),
]


@pytest.fixture
async def tokens(database):
    """A token of the scope `admin` for bakers, and one for all tenants; the changes that made them are gone."""
    engine = create_engine(database, DatabaseSettings())
    store = PostgresTokens(engine)
    made = {
        tenant: (await store.create(NewToken(tenant=tenant, scopes=frozenset({AccessScope.ADMIN}))))[0]
        for tenant in ("bakers", None)
    }
    rows = [
        {"tenant": tenant, "action": action, "at": DAY + timedelta(days=days), "via": "api", "actor": "noor"}
        for tenant, action, days in ROWS
    ]
    async with engine.begin() as connection:
        await connection.execute(AUDIT_LOG.delete())
        await connection.execute(insert(AUDIT_LOG), rows)
    yield made
    await engine.dispose()


async def listed(client: Any, token: str, **query: str) -> tuple[int, Any]:
    reply = await client.get("/v1/audit", params=query, headers={"Authorization": f"Bearer {token}"})
    return reply.status_code, reply.json()


async def test_a_tenants_admin_sees_the_changes_of_that_tenant_and_no_others(serving, tokens):
    async with serving() as client:
        for query in ({}, {"tenant": "bakers"}, {"actor": "noor"}):
            status, page = await listed(client, tokens["bakers"], **query)
            assert (status, [each["tenant"] for each in page["items"]]) == (200, ["bakers"] * 3)
        status, refused = await listed(client, tokens["bakers"], tenant="millers")
        assert (status, refused["error"]["code"]) == (403, "FORBIDDEN")
        _, page = await listed(client, tokens[None])
        assert [each["tenant"] for each in page["items"]] == [tenant for tenant, *_ in reversed(ROWS)]
        _, page = await listed(client, tokens[None], tenant="millers")
        assert [each["tenant"] for each in page["items"]] == ["millers"]


async def test_changes_are_listed_by_kind_and_time_a_page_after_the_other(serving, tokens):
    async with serving() as client:
        _, page = await listed(client, tokens["bakers"], action="rules_stored", since="2026-11-03")
        assert [each["at"] for each in page["items"]] == ["2026-11-06T00:00:00Z"]
        _, page = await listed(client, tokens[None], since="2026-11-03", until="2026-11-05T00:00:00Z")
        assert [each["action"] for each in page["items"]] == ["label_stored", "token_created", "rules_stored"][1:]
        seen, cursor = [], None
        for _ in range(2):
            status, page = await listed(client, tokens["bakers"], limit="2", **({"cursor": cursor} if cursor else {}))
            assert status == 200
            seen += [each["id"] for each in page["items"]]
            cursor = page["next_cursor"]
        assert (len(seen), seen, cursor) == (3, sorted(seen, reverse=True), None)


@pytest.mark.parametrize(
    "query", [{"action": "nothing"}, {"limit": "501"}, {"cursor": "x"}, {"cursor": "9" * 19}, {"what": "rules_stored"}]
)
async def test_a_wrong_parameter_is_refused(serving, tokens, query):
    async with serving() as client:
        status, body = await listed(client, tokens["bakers"], **query)
    assert (status, body["error"]["code"]) == (400, "INVALID_PARAMETER")
