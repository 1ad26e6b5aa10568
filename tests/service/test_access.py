"""Tokens: what they open, how they are made and revoked, and which are refused."""

from __future__ import annotations

import asyncio
import hashlib
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest
import structlog
from pydantic import SecretStr, ValidationError
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from consumers.wire.tenants import is_tenant
from service.access.access_tokens import OPEN, AccessTokens, TokenRefusal
from service.access.open_access import refuse_open_access
from service.application import build_app
from service.settings import Settings
from service.settings.access_settings import AccessScope
from service.settings.intake_settings import HttpSettings
from service.settings.loading import SettingsError
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine, migrate
from service.storage.token_store import NewToken, PostgresTokens, TokenNameTaken

LONG = "a-token-for-tests-only-0001"
OTHER = "a-token-for-tests-only-0002"
EVENT = {"event_id": "a", "question": "How many rafts are there?", "sql": "SELECT COUNT(*) FROM rafts"}
LABEL = {"event_id": "a", "label": "right", "reviewer": "noor"}


@pytest.fixture
async def store(database):
    engine = create_engine(database, DatabaseSettings())
    await migrate(engine)
    yield PostgresTokens(engine)
    await engine.dispose()


def new(*scopes: AccessScope, tenant: str | None = "library", **more: Any) -> NewToken:
    return NewToken(tenant=tenant, scopes=frozenset(scopes or AccessScope), **more)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


ROUTES: dict[tuple[str, str], AccessScope] = {
    ("POST", "/v1/events"): AccessScope.PUBLISH,
    ("POST", "/v1/traces"): AccessScope.PUBLISH,
    ("GET", "/v1/evaluations"): AccessScope.READ,
    ("GET", "/v1/evaluations/{evaluation_id}"): AccessScope.READ,
    ("GET", "/v1/incidents"): AccessScope.READ,
    ("GET", "/v1/incidents/{incident_id}"): AccessScope.READ,
    ("GET", "/v1/feedback"): AccessScope.READ,
    ("POST", "/v1/feedback"): AccessScope.PUBLISH,
    ("GET", "/v1/report"): AccessScope.READ,
    ("GET", "/v1/slices"): AccessScope.READ,
    ("GET", "/v1/slices/changes"): AccessScope.READ,
    ("GET", "/v1/labels"): AccessScope.READ,
    ("POST", "/v1/labels"): AccessScope.REVIEW,
    ("GET", "/v1/review/disagreements"): AccessScope.READ,
    ("GET", "/v1/tenants/{tenant}/rules"): AccessScope.READ,
    ("GET", "/v1/tenants/{tenant}/rules/versions"): AccessScope.READ,
    ("GET", "/v1/tenants/{tenant}/rules/versions/{version}"): AccessScope.READ,
    ("PUT", "/v1/tenants/{tenant}/rules"): AccessScope.ADMIN,
    ("GET", "/v1/tenants/{tenant}/schema"): AccessScope.READ,
    ("GET", "/v1/tenants/{tenant}/schema/versions/{version}"): AccessScope.READ,
    ("PUT", "/v1/tenants/{tenant}/schema"): AccessScope.ADMIN,
    ("DELETE", "/v1/tenants/{tenant}/schema"): AccessScope.ADMIN,
    ("PUT", "/v1/tenants/{tenant}/eval-runs/{name}"): AccessScope.PUBLISH,
    ("GET", "/v1/audit"): AccessScope.ADMIN,
    ("GET", "/v1/canaries"): AccessScope.READ,
    ("GET", "/metrics"): AccessScope.READ,
}
REVIEW_NEXT = ("POST", "/v1/review/next")
"""Hands out texts to a reviewer: needs two scopes."""
INCIDENT_STEP = ("POST", "/v1/incidents/{incident_id}")
"""Shows what a reviewer changes: needs two scopes."""
PAGES = ["/console", "/console/evaluations", "/console/evaluations/0190b1a5-0000-7000-8000-000000000000"]


def test_every_route_has_a_scope_or_tells_nothing():
    paths = build_app().openapi()["paths"]
    declared = {(method.upper(), path) for path, each in paths.items() for method in each}
    assert declared - set(ROUTES) == {("GET", "/healthz"), ("GET", "/readyz"), REVIEW_NEXT, INCIDENT_STEP}


async def test_each_scope_opens_its_own_routes_and_no_other(serving, store):
    secrets = {scope: (await store.create(new(scope, tenant=None)))[0] for scope in AccessScope}
    unknown = "0190b1a5-0000-7000-8000-000000000000"
    async with serving() as client:
        for (method, path), needed in ROUTES.items():
            names = {"evaluation_id": unknown, "incident_id": unknown, "name": "v7"}
            url = path.format(**names, tenant="library", version=1)
            assert (await client.request(method, url)).status_code == 401
            for scope, secret in secrets.items():
                reply = await client.request(method, url, headers=bearer(secret))
                assert (reply.status_code == 403) == (scope is not needed), (method, path, scope, reply.text)
                assert scope is needed or needed.value.encode() in reply.content
        for page in PAGES:
            for scope, secret in secrets.items():
                refused = (await client.get(page, auth=("me", secret))).status_code == 403
                assert refused == (scope is not AccessScope.READ)
        counted = await client.get("/metrics", headers=bearer(secrets[AccessScope.READ]))
        assert 'sqlassay_refused_tokens_total{reason="scope"}' in counted.text


async def test_who_is_handed_answers_must_be_allowed_to_review_and_to_read(serving, store):
    both = (await store.create(new(AccessScope.REVIEW, AccessScope.READ)))[0]
    single = [(await store.create(new(scope)))[0] for scope in AccessScope]
    method, path = REVIEW_NEXT
    async with serving() as client:
        url = f"{path}?tenant=library&reviewer=noor"
        assert (await client.request(method, url)).status_code == 401
        assert [(await client.request(method, url, headers=bearer(each))).status_code for each in single] == [403] * 4
        assert (await client.request(method, url, headers=bearer(both))).status_code == 200


@pytest.mark.slow  # takes over a second
async def test_a_revoked_or_expired_token_is_refused_and_its_use_is_known(serving, store, wait_until):
    kept, _ = await store.create(new(name="kept"))
    lost, _ = await store.create(new(name="lost"))
    old, _ = await store.create(new(name="old", expires_at=datetime.now(UTC) - timedelta(seconds=1)))
    async with serving() as client:

        async def status(token: str) -> int:
            return (await client.get("/v1/report", headers=bearer(token))).status_code

        assert [await status(each) for each in (kept, lost, old, "guess")] == [200, 200, 401, 401]
        assert (await store.revoke("lost")).name == "lost"
        assert await store.revoke("lost") is None

        async def is_refused() -> bool:
            return await status(lost) == 401

        await wait_until(is_refused)
        reply = await client.get("/v1/report", headers=bearer(lost))
        assert "revoked" in reply.json()["error"]["message"]
        assert await status(kept) == 200

        async def use_is_known() -> bool:
            return {each.name: each.last_used_at is not None for each in await store.all()}["kept"]

        await wait_until(use_is_known)


async def test_only_the_hash_of_a_token_is_stored(store, database):
    secret, stored = await store.create(new())
    engine = create_async_engine(database)
    async with engine.connect() as connection:
        row = dict((await connection.execute(text("SELECT * FROM access_tokens"))).mappings().one())
    await engine.dispose()
    assert secret not in str(row)
    assert row["digest"] == hashlib.sha256(secret.encode()).hexdigest() == stored.digest
    assert len(secret) >= 40
    with pytest.raises(TokenNameTaken):
        await store.create(new(name=stored.name))


async def test_access_stays_closed_after_the_last_token_is_revoked(store):
    access = AccessTokens(http=HttpSettings(), store=store)
    await access.refresh()
    assert access.find("") == OPEN
    _, stored = await store.create(new())
    await store.revoke(stored.id)
    await access.refresh()
    assert access.find("") is TokenRefusal.MISSING
    required = AccessTokens(http=HttpSettings(require_tokens=True), store=store)
    assert required.find("") is TokenRefusal.MISSING


async def test_a_token_of_the_settings_may_be_hashed_and_scoped(serving):
    digest = hashlib.sha256(LONG.encode()).hexdigest()
    tokens = {"library": {"token": f"sha256:{digest}", "scopes": ["publish"]}, "*": OTHER}
    async with serving(http=HttpSettings.model_validate({"tokens": tokens})) as client:
        assert (await client.post("/v1/events", json=EVENT, headers=bearer(LONG))).status_code == 202
        assert (await client.get("/v1/report", headers=bearer(LONG))).status_code == 403
        assert (await client.get("/v1/report", headers=bearer(f"sha256:{digest}"))).status_code == 401
        rows = (await client.get("/v1/evaluations", headers=bearer(OTHER))).json()["items"]
        assert [each["tenant"] for each in rows] == ["library"]


@pytest.mark.parametrize("tokens", [{}, {"library": LONG}])
async def test_a_service_that_is_open_to_everybody_says_so_at_start(serving, tokens):
    with structlog.testing.capture_logs() as lines:
        async with serving(http=HttpSettings.model_validate({"tokens": tokens})):
            pass
    told = [each for each in lines if each["event"] == "login_open"]
    assert [each["log_level"] for each in told] == ([] if tokens else ["warning"])
    for name in ("HTTP__TOKENS", "HTTP__REQUIRE_TOKENS", "OIDC__ISSUER", "PROXY__ADDRESSES"):
        assert all(f"SQLASSAY_{name}" in each["detail"] for each in told)


@pytest.mark.parametrize(
    ("tokens", "says"),
    [
        ({"a": "short"}, "24 characters"),
        ({"a": "a" * 40}, "easy to guess"),
        ({"a": ""}, "24 characters"),
        ({"a": LONG, "b": LONG}, "same token"),
        ({"a": LONG, "b": "sha256:" + hashlib.sha256(LONG.encode()).hexdigest()}, "same token"),
        ({"a": "sha256:abc"}, "64 hexadecimal"),
        ({"a": f"{LONG} "}, "space"),
        ({"a": f"{LONG}é"}, "header"),
        ({"a/b": LONG}, "tenant's name"),
        ({"": LONG}, "tenant's name"),
        ({"a": {"token": LONG, "scopes": ["everything"]}}, "admin"),
        ({"a": {"token": LONG, "scopes": []}}, "scopes"),
        ({"a": {"token": LONG, "scope": ["read"]}}, "scope"),
    ],
)
def test_unsafe_tokens_are_refused_at_start_without_being_shown(tokens, says):
    with pytest.raises(ValidationError) as refusal:
        HttpSettings.model_validate({"tokens": tokens})
    told = str(refusal.value.errors(include_input=False, include_url=False, include_context=False))
    assert says in told
    assert LONG not in told


def test_hosts_that_others_reach_may_rely_on_the_table(monkeypatch):
    from service.settings.loading import SettingsError, load_settings

    monkeypatch.setenv("SQLASSAY_HTTP__HOST", "0.0.0.0")
    with pytest.raises(SettingsError, match="REQUIRE_TOKENS"):
        load_settings()
    monkeypatch.setenv("SQLASSAY_HTTP__REQUIRE_TOKENS", "on")
    assert load_settings().http.require_tokens


# fmt: off
BAD_TENANTS = [
    "a/b", "..", ".", ".a", "a%2Fb", "a\\b", "a?b", "a#b", " a", "a ", "*", "a\u200bb", "a\u202eb", "\u00a0",
    "x" * 129,
]
# fmt: on
GOOD_TENANTS = ["a", "meridian-retail", "Ærø Bøger", "日本", "a:b@c+d_e.f", "x" * 128]


async def test_a_tenant_without_a_plain_name_is_refused_everywhere(client):
    for tenant in BAD_TENANTS:
        assert not is_tenant(tenant)
        event = await client.post("/v1/events", json=EVENT | {"tenant": tenant})
        assert (event.status_code, event.json()["error"]["code"]) == (422, "INVALID_FIELD"), tenant
        assert "tenant's name" in event.json()["error"]["message"]
        label = await client.post("/v1/labels", json=LABEL | {"tenant": tenant})
        assert (label.status_code, label.json()["error"]["code"]) == (422, "INVALID_FIELD")
        rules = await client.put(f"/v1/tenants/{quote(tenant, safe='')}/rules", json={})
        assert rules.status_code in {400, 404, 405}
        with pytest.raises(ValidationError):
            HttpSettings.model_validate({"tokens": {"" if tenant == "*" else tenant: LONG}})


@pytest.mark.slow  # takes over a second
async def test_a_tenant_with_a_plain_name_reaches_its_rules(client):
    for tenant in GOOD_TENANTS:
        path = f"/v1/tenants/{quote(tenant, safe='')}/rules"
        assert (await client.put(path, json={"lambda_min": 7})).json()["tenant"] == tenant
        assert (await client.get(path)).json()["rules"]["lambda_min"] == 7
        assert (await client.get(f"{path}/versions")).json()["versions"][0]["version"] == 1
        assert (await client.get(f"{path}/versions/1")).json()["tenant"] == tenant
        assert (await client.post("/v1/events", json=EVENT | {"tenant": tenant})).status_code == 202
        [row] = (await client.get("/v1/evaluations", params={"tenant": tenant})).json()["items"]
        assert (row["tenant"], row["rules_version"]) == (tenant, 1)


async def test_a_named_database_is_not_served_to_everybody_unless_a_setting_says_so(database):
    named = Settings(database=DatabaseSettings(url=SecretStr(database.render_as_string(hide_password=False))))
    with pytest.raises(SettingsError) as told:
        await refuse_open_access(named)
    for name in ("tokens create", "HTTP__TOKENS", "OIDC__ISSUER", "PROXY__ADDRESSES", "HTTP__WITHOUT_LOGIN=on"):
        assert name in str(told.value)
    await refuse_open_access(Settings())
    for http in ({"without_login": True}, {"require_tokens": True}, {"tokens": {"library": LONG}}):
        await refuse_open_access(named.model_copy(update={"http": HttpSettings.model_validate(http)}))
    engine = create_engine(database, DatabaseSettings())
    await PostgresTokens(engine).create(new())
    await engine.dispose()
    await refuse_open_access(named)


@pytest.mark.slow  # starts a process
async def test_serve_ends_with_2_on_a_named_database_without_a_login(database):
    bare = {name: value for name, value in os.environ.items() if not name.startswith("SQLASSAY_")}
    url = database.render_as_string(hide_password=False)
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "service", "serve"],
        env=bare | {"SQLASSAY_DATABASE__URL": url, "SQLASSAY_HTTP__PORT": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "WITHOUT_LOGIN" in done.stderr) == (2, True), done.stderr
