"""Logging in at an OpenID Connect provider, which is a real one in this process, and at a reverse proxy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest
from oidc_provider_mock import User, run_server_in_thread
from pydantic import ValidationError

from service.access.identities import LoginRefused, identity
from service.api.visits import COOKIE
from service.serving import create_app, running
from service.settings import Settings
from service.settings.access_settings import AccessScope
from service.settings.login_settings import IdentitySettings, LoginSettings, OidcSettings, ProxySettings
from tests.service.test_access import EVENT

BROWSER = {"Accept": "text/html"}
USERS = {
    "noor": {"email": "noor@bakers.example", "team": "bakers", "groups": ["analyst", "of-all"]},
    "ann": {"email": "ann@millers.example", "team": "millers", "groups": ["analyst"]},
    "eve": {"email": "eve@evil.example", "team": "*", "groups": ["admin"]},
    "none": {"email": "none@x.example", "team": "bakers", "groups": []},
}


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    users = [User(sub=name, claims=claims) for name, claims in USERS.items()]
    with run_server_in_thread(user_claims=users) as server:
        yield f"http://localhost:{server.server_port}"


def settings(issuer: str, **more: Any) -> dict[str, Any]:
    oidc = {
        "issuer": issuer,
        "client_id": "sqlassay",
        "client_secret": "a-secret-of-the-client",
        "tenant_claim": "team",
        "roles_claim": "groups",
        "roles": {"analyst": ["read", "review"], "admin": ["admin", "read"]},
    }
    return {"oidc": OidcSettings.model_validate(oidc | more)}


async def at_provider(client: httpx.AsyncClient, user: str, asked: str = "/console") -> str:
    """Follows the login to the provider, logs `user` in there and returns where it leads back to."""
    sent = await client.get(f"/console/login/oidc?{urlencode({'next': asked})}", headers=BROWSER)
    assert sent.status_code == 302, sent.text
    query = parse_qs(urlsplit(sent.headers["location"]).query)
    assert query["code_challenge_method"] == ["S256"]
    assert query["nonce"][0] != query["state"][0]
    async with httpx.AsyncClient() as browser:
        back = await browser.post(sent.headers["location"], data={"sub": user})
    assert back.status_code == 302, back.text
    return back.headers["location"].removeprefix("http://localhost")


async def test_a_person_logs_in_at_the_provider_and_comes_back_to_the_page_asked_for(serving, provider):
    async with serving(**settings(provider)) as client:
        asked = "/console/evaluations?order=worst"
        first = await client.get(asked, headers=BROWSER)
        assert "/console/login/oidc?next=" in (await client.get(first.headers["location"], headers=BROWSER)).text
        done = await client.get(await at_provider(client, "noor", asked), headers=BROWSER)
        assert (done.status_code, done.headers["location"]) == (303, asked)
        page = (await client.get(asked, headers=BROWSER)).text
        assert "noor@bakers.example" in page
        assert "millers" not in page
        refused = await client.get("/console/evaluations?tenant=millers", headers=BROWSER)
        assert refused.status_code == 403
        assert (await client.get("/v1/report")).status_code == 401, "the API takes no cookies, and is not open"


@pytest.mark.parametrize(
    ("user", "more", "says"),
    [
        ("eve", {}, "no tenant that is known here"),
        ("none", {}, "no role"),
        ("ann", {"tenants": {"bakers": "bakers"}}, "no tenant that is known here"),
        ("noor", {"client_id": "sqlassay", "tenant_claim": "absent"}, "none is sent"),
    ],
)
async def test_who_lacks_a_tenant_or_a_role_is_refused_with_the_reason(serving, provider, user, more, says):
    async with serving(**settings(provider, **more)) as client:
        refused = await client.get(await at_provider(client, user), headers=BROWSER)
        assert refused.status_code == 403
        assert says in refused.text
        assert (await client.get("/console", headers=BROWSER)).status_code == 303


@pytest.mark.slow  # takes over a second
async def test_an_answer_that_this_browser_did_not_ask_for_is_refused(serving, provider):
    async with serving(**settings(provider)) as client, serving(**settings(provider)) as victim:
        answer = await at_provider(client, "noor")
        planted = await victim.get(answer, headers=BROWSER)
        assert (planted.status_code, "another browser" in planted.text) == (403, True)
        assert (await client.get(answer, headers=BROWSER)).status_code == 303
        again = await client.get(answer, headers=BROWSER)
        assert again.status_code == 403, "an answer works once"
        changed = re.sub(r"state=\w+", "state=x", await at_provider(victim, "noor"))
        assert (await victim.get(changed, headers=BROWSER)).status_code == 403
        for odd in ("?error=access_denied&error_description=<b>call+us</b>", "", "?code=x", "?state=x"):
            shown = await victim.get(f"/console/login/oidc/callback{odd}", headers=BROWSER)
            assert shown.status_code == 403
            assert "call us" not in shown.text


@pytest.mark.slow  # takes over a second
async def test_a_session_of_the_provider_ends_when_another_is_set(serving, provider):
    async with serving(**settings(provider)) as client:
        await client.get(await at_provider(client, "noor"), headers=BROWSER)
        cookie = {"Cookie": f"{COOKIE}={client.cookies[COOKIE]}", **BROWSER}
    async with serving(**settings("http://localhost:1")) as other:
        assert (await other.get("/console", headers=cookie)).status_code == 303
        down = await other.get("/console/login/oidc", headers=BROWSER)
        assert (down.status_code, "provider" in down.text) == (503, True)
    wrong = settings(provider.replace("localhost", "LOCALHOST"))
    async with serving(**wrong) as other:
        says = await other.get("/console/login/oidc", headers=BROWSER)
        assert (says.status_code, "SQLASSAY_OIDC__ISSUER" in says.text) == (503, True)


PROXY = ProxySettings.model_validate(
    {"addresses": ["10.0.0.5", "fd00::/64"], "tenant_header": "X-Tenant", "roles_header": "X-Roles"}
)
NAMED = {"X-Forwarded-User": "noor", "X-Tenant": "bakers", "X-Roles": "read, review", **BROWSER}


@asynccontextmanager
async def from_address(database, address: str, proxy: ProxySettings = PROXY):
    url = database.render_as_string(hide_password=False)
    configured = Settings.model_validate({"database": {"url": url}, "proxy": proxy})
    async with running(configured) as service:
        app = create_app(configured, service)
        transport = httpx.ASGITransport(app, client=(address, 1), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            yield client


@pytest.mark.parametrize("address", ["10.0.0.5", "::ffff:10.0.0.5", "fd00::9"])
async def test_a_listed_proxy_names_the_person(database, address):
    async with from_address(database, address) as client:
        shown = await client.get("/console", headers=NAMED)
        assert shown.status_code == 200
        assert "noor" in shown.text
        assert (await client.get("/console?tenant=millers", headers=NAMED)).status_code == 403
        assert (await client.get("/console", headers=BROWSER)).status_code == 303
        assert (await client.get("/v1/report", headers=NAMED)).status_code == 401, "programs show tokens"


@pytest.mark.parametrize("address", ["10.0.0.6", "127.0.0.1", "::1", "fd00:1::9"])
async def test_the_header_is_refused_from_other_addresses_whatever_they_claim(database, address):
    async with from_address(database, address) as client:
        for claim in ({}, {"X-Forwarded-For": "10.0.0.5"}, {"Forwarded": "for=10.0.0.5"}, {"X-Real-IP": "10.0.0.5"}):
            refused = await client.get("/console", headers=NAMED | claim)
            assert (refused.status_code, "SQLASSAY_PROXY__ADDRESSES" in refused.text) == (403, True)


@pytest.mark.parametrize(
    "sent",
    [
        [("X-Forwarded-User", "eve"), *NAMED.items()],
        [*NAMED.items(), ("X-Roles", "admin")],
        [*NAMED.items(), ("X-Tenant", "millers")],
        list((NAMED | {"X-Tenant": "*"}).items()),
        list((NAMED | {"X-Tenant": "bakers, millers"}).items()),
        list((NAMED | {"X-Roles": "everything"}).items()),
        list((NAMED | {"X-Forwarded-User": "x" * 200}).items()),
    ],
)
async def test_what_a_proxy_leaves_of_a_clients_headers_is_refused(database, sent):
    async with from_address(database, "10.0.0.5") as client:
        assert (await client.get("/console", headers=sent)).status_code == 403


async def test_a_form_needs_its_token_behind_a_proxy_too(database):
    async with from_address(database, "10.0.0.5") as client:
        assert (await client.post("/console/logout", headers=NAMED)).status_code == 403


async def test_without_the_setting_the_header_means_nothing(serving):
    async with serving(http={"tokens": {"library": "a-token-for-tests-only-0001"}}) as client:
        assert (await client.get("/console", headers=NAMED)).status_code == 303
        assert (await client.post("/v1/events", json=EVENT, headers=NAMED)).status_code == 401


@pytest.mark.parametrize(
    ("group", "value", "says"),
    [
        (OidcSettings, {"issuer": "login.example"}, "is not a URL"),
        (OidcSettings, {"issuer": "https://a.example"}, "SQLASSAY_OIDC__CLIENT_ID"),
        (OidcSettings, {"issuer": "https://a.example", "client_id": "a", "scopes": "email"}, "openid"),
        (OidcSettings, {"issuer": "https://a.example", "client_id": "a"}, "SQLASSAY_OIDC__TENANT"),
        (OidcSettings, {"issuer": "https://a.example", "client_id": "a", "tenant": "x"}, "SQLASSAY_OIDC__EVERYONE"),
        (OidcSettings, {"tenants": {"a": "a/b"}}, "tenant's name"),
        (OidcSettings, {"roles": {"a": ["everything"]}}, "admin"),
        (ProxySettings, {"addresses": ["proxy.example"]}, "not an address"),
        (ProxySettings, {"addresses": ["10.0.0.5"], "tenant": "a", "tenant_header": "b"}, "either"),
        (ProxySettings, {"addresses": ["10.0.0.5"], "tenant": "a"}, "SQLASSAY_PROXY__EVERYONE"),
        (ProxySettings, {"name_header": "Authorization"}, "such a header"),
        (LoginSettings, {"secret": "short"}, "32 characters"),
        (LoginSettings, {"public_url": "assay.example"}, "https://assay.example"),
        (LoginSettings, {"public_url": "https://assay.example/console"}, "without a path"),
    ],
)
def test_settings_that_let_nobody_or_anybody_in_are_refused(group, value, says):
    with pytest.raises(ValidationError, match=re.escape(says)):
        group.model_validate(value)


def test_all_tenants_come_from_the_settings_alone():
    everyone = IdentitySettings(everyone=frozenset({AccessScope.READ}))
    with pytest.raises(LoginRefused, match="no tenant"):
        identity("eve", everyone, tenants=["*"], roles=[])
    staff = IdentitySettings(everyone=frozenset({AccessScope.READ}), tenants={"staff": "*", "b": "bakers"})
    assert identity("ann", staff, tenants=["staff", "b"], roles=[]).tenant is None
    assert identity("ann", staff, tenants=["b", "unknown"], roles=[]).tenant == "bakers"
    for name in ("", " ", "a\u202eb", "a\nb", None, 7, "x" * 129):
        with pytest.raises(LoginRefused, match="name"):
            identity(name, staff, tenants=["b"], roles=[])
