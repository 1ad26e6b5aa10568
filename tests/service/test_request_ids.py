"""The id of a request: in the reply, on an error page, and in the log."""

from __future__ import annotations

import re

import httpx
import pytest
import structlog
from fastapi import FastAPI

from service.api.errors import handle_errors
from service.api.request_ids import HEADER, RequestIds
from service.console.error_pages import present_error


async def test_each_reply_has_an_id_and_an_error_page_names_it(client):
    replies = [await client.get(path) for path in ("/console", "/v1/report", "/healthz", "/console/nothing")]
    ids = [each.headers[HEADER] for each in replies]
    assert len(set(ids)) == 4
    assert f'<code id="request-id">{ids[3]}</code>' in replies[3].text
    foreign = await client.get("/console", headers={"Host": "evil.example"})
    assert (foreign.status_code, bool(foreign.headers[HEADER])) == (421, True)


@pytest.mark.parametrize(
    ("sent", "kept"), [("proxy-0123.ab_C", True), ("short", False), ("x" * 65, False), ("<b>0123456789", False)]
)
async def test_a_proxy_may_name_the_request(shared_client, sent, kept):
    given = (await shared_client.get("/console/nothing", headers={HEADER: sent})).headers[HEADER]
    assert (given == sent) is kept
    assert re.fullmatch(r"[\w.-]{8,64}", given)


async def test_a_failure_is_in_the_log_under_the_id_that_the_page_names():
    app = FastAPI()
    handle_errors(app, present_error)
    app.add_middleware(RequestIds)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)

    async def fail() -> None:
        raise ValueError("a defect")

    for path in ("/console/broken", "/v1/broken"):
        app.add_api_route(path, fail)
    with structlog.testing.capture_logs() as lines:
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            for path in ("/console/broken", "/v1/broken"):
                reply = await client.get(path)
                assert reply.status_code == 500
                [line] = [each for each in lines if each["event"] == "request_failed" and each["path"] == path]
                assert line["request_id"] == reply.headers[HEADER]
                assert reply.headers[HEADER] in reply.text
