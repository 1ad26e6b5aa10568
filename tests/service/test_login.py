"""Logging in to the console: sessions, their cookies, forms, failures, and where a login leads."""

from __future__ import annotations

import re
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from service.api.visits import COOKIE
from service.console.login_pages import safe_next
from service.settings.access_settings import AccessScope
from service.settings.intake_settings import HttpSettings
from service.settings.login_settings import LoginSettings
from service.storage.tables import ACCESS_TOKENS
from tests.service.test_access import LONG, bearer, new, store  # noqa: F401  # pyright: ignore[reportUnusedImport] a fixture

BROWSER = {"Accept": "text/html,application/xhtml+xml"}
OF_LIBRARY = HttpSettings.model_validate({"tokens": {"library": LONG}})


async def csrf(client: httpx.AsyncClient) -> str:
    """The form token of the client's session."""
    shown = await client.get("/console/login", headers=BROWSER)
    return re.search(r'name="csrf" value="([^"]+)"', shown.text)[1]


async def log_in(client: httpx.AsyncClient, token: str, **fields: str) -> httpx.Response:
    return await client.post(
        "/console/login", data={"csrf": await csrf(client), "token": token, **fields}, headers=BROWSER
    )


async def test_a_browser_is_sent_to_the_login_and_back_to_the_page_it_asked_for(serving):
    async with serving(http=OF_LIBRARY) as client:
        asked = "/console/evaluations?order=worst&agent=a%26b"
        sent = await client.get(asked, headers=BROWSER)
        assert sent.status_code == 303
        shown = await client.get(sent.headers["location"], headers=BROWSER)
        assert shown.status_code == 200
        wanted = re.search(r'name="next" value="([^"]+)"', shown.text)[1].replace("&amp;", "&")
        back = await log_in(client, LONG, next=wanted)
        assert (back.status_code, back.headers["location"]) == (303, asked)
        page = await client.get(asked, headers=BROWSER)
        assert page.status_code == 200
        assert "library" in page.text
        assert "Log out" in page.text


async def test_scripts_are_asked_for_a_password_and_pass_with_basic_or_bearer(serving):
    async with serving(http=OF_LIBRARY) as client:
        refused = await client.get("/console")
        assert (refused.status_code, refused.headers["www-authenticate"][:5]) == (401, "Basic")
        for accepted in ({"auth": ("me", LONG)}, {"headers": bearer(LONG)}):
            assert (await client.get("/console", **accepted)).status_code == 200
        assert (await client.get("/console", auth=("me", "x" * 30))).status_code == 401


async def test_logging_out_ends_the_session(serving):
    async with serving(http=OF_LIBRARY) as client:
        await log_in(client, LONG)
        page = await client.get("/console", headers=BROWSER)
        token = re.search(r'name="csrf" value="([^"]+)"', page.text)[1]
        assert (await client.get("/console/logout")).status_code == 405
        out = await client.post("/console/logout", data={"csrf": token})
        assert (out.status_code, out.headers["location"]) == (303, "/console/login")
        assert (await client.get("/console", headers=BROWSER)).status_code == 303


@pytest.mark.slow  # waits until a session is looked up again
async def test_a_session_ends_with_its_token(serving, store, wait_until):  # noqa: F811 the fixture
    secret, stored = await store.create(new(AccessScope.READ))
    ending, _ = await store.create(new(AccessScope.READ, expires_at=datetime.now(UTC) + timedelta(days=1)))

    async def let_it_expire() -> None:
        async with store.engine.begin() as connection:
            await connection.execute(update(ACCESS_TOKENS).values(expires_at=datetime.now(UTC)))

    for token, end in ((secret, lambda: store.revoke(stored.id)), (ending, let_it_expire)):
        async with serving() as client:
            assert (await log_in(client, token)).status_code == 303
            assert (await client.get("/console", headers=BROWSER)).status_code == 200
            await end()

            async def is_out(client=client) -> bool:
                return (await client.get("/console", headers=BROWSER)).status_code == 303

            await wait_until(is_out)
            assert (await log_in(client, token)).status_code == 401


async def test_the_cookie_is_signed_and_no_script_and_no_other_site_has_it(serving):
    async with serving(
        http=OF_LIBRARY, login=LoginSettings.model_validate({"public_url": "https://localhost"})
    ) as client:
        client.base_url = "https://localhost"
        reply = await log_in(client, LONG)
        cookie = reply.headers["set-cookie"].lower()
        for flag in ("httponly", "samesite=lax", "secure", "path=/console", "max-age=43200"):
            assert flag in cookie, flag
        value = client.cookies[COOKIE]
        assert LONG not in value
        for forged in (value[:-2] + "xx", b64encode(b'{"who": {"token": "x", "until": 9e9}}').decode(), "null", ""):
            other = {"Cookie": f"{COOKIE}={forged}", **BROWSER}
            client.cookies.clear()
            assert (await client.get("/console", headers=other)).status_code == 303, forged
    async with serving(http=OF_LIBRARY) as client:
        assert "secure" not in (await log_in(client, LONG)).headers["set-cookie"].lower()


async def test_a_session_of_before_the_login_gives_nobody_access(serving):
    async with serving(http=OF_LIBRARY) as client:
        planted = await csrf(client)
        before = client.cookies[COOKIE]
        await log_in(client, LONG)
        page = await client.get("/console", headers=BROWSER)
        assert planted not in page.text
        assert client.cookies[COOKIE] != before
        client.cookies.clear()
        assert (await client.get("/console", headers={"Cookie": f"{COOKIE}={before}", **BROWSER})).status_code == 303


@pytest.mark.slow  # takes over a second
async def test_processes_on_one_database_share_their_sessions_unless_a_secret_differs(serving):
    async with serving(http=OF_LIBRARY) as one, serving(http=OF_LIBRARY) as two:
        await log_in(one, LONG)
        cookie = {"Cookie": f"{COOKIE}={one.cookies[COOKIE]}", **BROWSER}
        assert (await two.get("/console", headers=cookie)).status_code == 200
    secret = LoginSettings.model_validate({"secret": "s" * 40})
    async with serving(http=OF_LIBRARY, login=secret) as other:
        assert (await other.get("/console", headers=cookie)).status_code == 303


@pytest.mark.parametrize("fields", [{}, {"csrf": ""}, {"csrf": "guess"}, {"csrf": "é"}])
async def test_a_form_without_the_sessions_token_is_refused(serving, fields):
    async with serving(http=OF_LIBRARY) as client:
        refused = await client.post("/console/login", data={"token": LONG, **fields})
        assert (refused.status_code, "FORM_REFUSED" in refused.text) == (403, True)
        await csrf(client)
        refused = await client.post("/console/login", data={"token": LONG, **fields})
        assert refused.status_code == 403
        assert (await client.get("/console", headers=BROWSER)).status_code == 303
        await log_in(client, LONG)
        assert (await client.post("/console/logout", data=fields)).status_code == 403
        assert (await client.get("/console", headers=BROWSER)).status_code == 200


async def test_a_form_of_another_site_or_session_is_refused(serving):
    async with serving(http=OF_LIBRARY) as client, serving(http=OF_LIBRARY) as other:
        data = {"token": LONG, "csrf": await csrf(other)}
        assert (await client.post("/console/login", data=data)).status_code == 403
        data["csrf"] = await csrf(client)
        foreign = await client.post("/console/login", data=data, headers={"Origin": "https://evil.example"})
        assert (foreign.status_code, foreign.json()["error"]["code"]) == (403, "FOREIGN_ORIGIN")
        own = await client.post("/console/login", data=data, headers={"Origin": "http://localhost"})
        assert own.status_code == 303


async def test_too_many_wrong_tokens_are_refused_and_right_ones_never(serving):
    few = LoginSettings(attempts=3)
    async with serving(http=OF_LIBRARY, login=few) as client, serving(http=OF_LIBRARY, login=few) as other:
        await log_in(other, LONG)
        for refused in range(5):
            assert (await log_in(other, "a-wrong-token")).status_code == (401 if refused < 3 else 429)
        limited = await log_in(other, "another-wrong-token")
        assert (limited.status_code, "retry-after" in limited.headers) == (429, True)
        assert (await other.get("/console", auth=("me", "wrong"))).status_code == 429
        assert (await other.get("/console", auth=("me", LONG))).status_code == 200
        assert (await log_in(other, LONG)).status_code == 303, "whose address sent junk"
        assert (await other.get("/console", headers=BROWSER)).status_code == 200
        assert (await other.get("/v1/report", headers=bearer(LONG))).status_code == 200
        assert (await log_in(client, LONG)).status_code == 303, "another process counts for itself"


# fmt: off
ELSEWHERE = [
    "https://evil.example/console", "//evil.example/console", "/\\evil.example/console", "/console\\..\\x",
    "javascript:alert(1)", "/console/../../evil", "/console//evil.example", "/docs", "/consolex", "console", "",
    "\n/console/evaluations", "/console/evaluations\r\nSet-Cookie: a=b", "https:/console", "http:///console",
    "/console/login", "/console/logout", "//[::1/console", "/console/evaluations\u202e",
]
# fmt: on


@pytest.mark.parametrize("address", ELSEWHERE)
async def test_a_login_leads_nowhere_but_to_pages_of_the_console(address):
    assert safe_next(address) == "/console"


async def test_where_a_login_leads_is_checked_again_when_it_is_sent(serving):
    async with serving(http=OF_LIBRARY) as client:
        back = await log_in(client, LONG, next="https://evil.example/console")
        assert back.headers["location"] == "/console"


async def test_a_post_whose_session_has_ended_gets_a_page_with_a_way_to_log_in(serving):
    async with serving(http=OF_LIBRARY) as client:
        refused = await client.post("/console/evaluations", headers=BROWSER)
        assert refused.status_code == 405
        large = await client.post(
            "/console/login",
            content=b"a=" + b"x" * 2**20,
            headers={"Content-Type": "application/x-www-form-urlencoded"},
        )
        assert large.status_code == 413
        bad: dict[str, Any] = {"Content-Type": "application/x-www-form-urlencoded"}
        assert (await client.post("/console/login", content=b"a=%ff", headers=bad)).status_code == 400


async def test_where_nobody_needs_to_log_in_each_page_says_so(client):
    for path in ("/console", "/console/evaluations", "/console/nothing"):
        shown = await client.get(path, headers=BROWSER)
        assert ("Nobody needs to log in" in shown.text) == (shown.status_code == 200)
