"""No tenant sees or changes another's rows through any route, and every page forbids what it does not need."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

import httpx
import pytest
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.routing import BaseRoute

from service.application import build_app
from tests.service.test_login import BROWSER, log_in
from tests.service.walls import (
    HTTP,
    MARK,
    OURS,
    OWN,
    REVIEWER,
    THEIRS,
    TOKENS,
    as_tenant,
    fill,
    parameters,
    rows_of,
)

SHOW_OURS = {
    *("/v1/evaluations", "/v1/labels", "/v1/report", "/v1/review/disagreements", "/v1/canaries", "/console"),
    "/v1/feedback",
    *("/v1/incidents", "/console/incidents", "/console/status"),
    *(
        "/console/evaluations",
        "/console/evaluations.csv",
        "/console/evaluations.jsonl",
        "/console/review/disagreements",
    ),
    *("/console/rules", "/console/trust", "/console/audit", "/console/compare/runs", "/console/views"),
}
"""Addresses that show our tenant's texts without any parameter that restricts them."""
LAST = {"/console/login", "/console/logout", "/console/login/oidc", "/console/login/oidc/callback"}
"""Pages that may end the session."""
EXPLAIN = {"/console/reasons"}
"""Pages that show nobody's rows, whose tenant only stands in their links."""
RUN = b'{"case_id":"1","question":"q","gold_sql":"x","generated_sql":null,"pass":false,"equivalence":"skipped"}'


@dataclass(kw_only=True)
class Walls:
    """A client of our tenant, the other tenant's ids, and the faults that were found."""

    client: httpx.AsyncClient
    values: dict[str, tuple[str, ...]]
    ids: list[str]
    csrf: str = ""
    shown: set[str] = field(default_factory=set[str])
    """Addresses that showed a text of ours."""
    faults: list[str] = field(default_factory=list[str])

    async def send(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Sends a request, and looks for the other tenant in the reply."""
        reply = await self.client.request(method, path, **more)
        what = f"{method} {path} {more.get('params', '')} {more.get('data') or more.get('json') or ''}"
        told = f"{reply.headers} {reply.text}".lower()
        asked = f"{path} {more}".lower()
        foreign = [each for each in (MARK, THEIRS, *self.ids) if each in told and each not in asked]
        if foreign or reply.status_code >= 500:
            self.faults.append(f"{what}: {reply.status_code} with {foreign}")
        if OWN in told:
            self.shown.add(path)
        self.faults += [f"{what}: {fault}" for fault in page_faults(reply)]
        return reply

    async def enter(self) -> None:
        """Logs in to the console."""
        self.client.cookies.clear()
        assert (await log_in(self.client, TOKENS[OURS])).status_code == 303
        page = await self.client.get("/console/rules", headers=BROWSER)
        self.csrf = re.search(r'name="csrf" value="([^"]+)"', page.text)[1]

    def of(self, name: str, path: str) -> tuple[str, ...]:
        """The values of a parameter."""
        assert name in self.values, f"{path}: say in tests/service/walls.py what is sent for the parameter {name!r}"
        return self.values[name]

    def addresses(self, path: str) -> Iterator[str]:
        """The addresses of a route, with what is the other tenant's in its place."""
        names = re.findall(r"{(\w+)(?::\w+)?}", path)
        for place in range(2 if names else 1):
            filled = path
            for name in names:
                values = self.of(name, path)
                filled = re.sub(
                    rf"{{{name}(:\w+)?}}", values[min(place, len(values) - 1) if name != "tenant" else 0], filled
                )
            yield filled


class _Inline(HTMLParser):
    """Finds what a page holds that the policy forbids."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "style" or (tag == "script" and not given.get("src")) or tag in {"iframe", "object", "embed", "base"}:
            self.found.append(tag)
        for name, value in attrs:
            address = (value or "").strip().lower()
            if name == "style" or name.startswith("on") or address.startswith(("javascript:", "data:text")):
                self.found.append(f"{tag} {name}")


def page_faults(reply: httpx.Response) -> list[str]:
    """What is wrong with the headers and the markup of a page; nothing is expected of what is no page."""
    if not reply.headers.get("content-type", "").startswith("text/html"):
        return []
    given = [each.split() for each in reply.headers.get("content-security-policy", "").split(";") if each.strip()]
    policy = {name: said for name, *said in given}
    faults = [each for each in ("default-src", "frame-ancestors") if policy.get(each) != ["'none'"]]
    # the page of the API's documentation is a library's, which styles by script
    styled = {"style-src"} if reply.request.url.path == "/docs" else set[str]()
    faults += [name for name, said in policy.items() if "'unsafe-inline'" in said and name not in styled]
    loose = {"'unsafe-eval'", "*", "https:", "data:"}
    faults += [name for name, said in policy.items() if name != "img-src" and loose & set(said)]
    if reply.headers.get("x-content-type-options") != "nosniff":
        faults.append("nosniff is missing")
    parser = _Inline()
    parser.feed(reply.text)
    return faults + parser.found


def routes(found: Iterable[BaseRoute]) -> Iterator[APIRoute]:
    """All routes below these, of included routers too."""
    for each in found:
        if isinstance(each, APIRoute):
            yield each
        else:
            yield from routes(getattr(getattr(each, "original_router", None), "routes", ()))


def pages() -> list[tuple[str, str, list[str]]]:
    """Method, path and parameters of the console's routes; those that may end a session come last."""
    found: list[tuple[str, str, list[str]]] = []
    for route in routes(build_app().routes):
        names: list[str] = []
        for each in route.dependant.query_params:
            model: Any = each.field_info.annotation
            if isinstance(model, type) and issubclass(model, BaseModel):
                names += [shown.alias or name for name, shown in model.model_fields.items()]
            else:
                names.append(each.alias)
        if route.path.startswith("/console"):
            found += [(method, route.path, names) for method in sorted(route.methods or ())]
    return sorted(found, key=lambda each: each[1] in LAST)


def operations() -> list[tuple[str, str, list[str], list[str]]]:
    """Method, path, all parameters and those that are required, of the API's document."""
    return [
        (
            method.upper(),
            path,
            [each["name"] for each in said.get("parameters", []) if each["in"] == "query"],
            [each["name"] for each in said.get("parameters", []) if each["in"] == "query" and each["required"]],
        )
        for path, methods in build_app().openapi()["paths"].items()
        for method, said in methods.items()
    ]


def bodies(ids: list[str]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """What is sent to each operation that changes something."""
    event = {"event_id": "1", "question": "How many?", "sql": "SELECT 1", "agent": "crumb"}
    label = {"reviewer": REVIEWER, "label": "unsure"}
    rules = {"lambda_min": 7}
    attributes = [
        {"key": key, "value": {"stringValue": value}}
        for key, value in {"sqlassay.tenant": THEIRS, "tenant": THEIRS, "gen_ai.agent.name": "crumb"}.items()
    ]
    span = {"traceId": uuid4().hex, "spanId": uuid4().hex[:16], "name": "x", "attributes": attributes}
    return {
        ("POST", "/v1/events"): [{"json": event | {"tenant": THEIRS}}, {"json": event | {"event_id": "new"}}],
        ("POST", "/v1/traces"): [
            {"json": {"resourceSpans": [{"resource": {"attributes": attributes}, "scopeSpans": [{"spans": [span]}]}]}}
        ],
        ("POST", "/v1/incidents/{incident_id}"): [{"json": {"action": "acknowledged"}}],
        ("POST", "/v1/feedback"): [
            {"json": {"thumb": "up", "user": "x", "event_id": "1", "agent": "crumb", "tenant": THEIRS}},
            {"json": {"stars": 1, "feedback_id": "x", "trace_id": "shared-trace"}},
        ],
        ("POST", "/v1/labels"): [
            {"json": label | {"evaluation_id": ids[0]}},
            {"json": label | {"evaluation_id": ids[0], "tenant": THEIRS}},
            {"json": label | {"event_id": "1", "agent": "crumb", "tenant": THEIRS}},
            {"json": label | {"event_id": "1", "agent": "crumb"}},
        ],
        ("POST", "/v1/review/next"): [{}],
        ("PUT", "/v1/tenants/{tenant}/rules"): [{"json": rules}, {"json": rules, "headers": {"if-match": '"2"'}}],
        ("PUT", "/v1/tenants/{tenant}/schema"): [
            {"content": "CREATE TABLE a (b INT)", "headers": {"content-type": "application/sql"}}
        ],
        ("DELETE", "/v1/tenants/{tenant}/schema"): [{}],
        ("PUT", "/v1/tenants/{tenant}/eval-runs/{name}"): [
            {"content": RUN, "headers": {"content-type": "application/x-ndjson"}}
        ],
    }


def forms(labelled_at: str) -> dict[str, list[dict[str, str]]]:
    """The fields that are sent to each form of the console."""
    who = {"reviewer": REVIEWER}
    label = {"label": "unsure", "note": "mine", **who}
    return {
        "/console/review/next": [who, who | {"tenant": THEIRS}, who | {"agent": "crumb"}],
        "/console/review/{evaluation_id}": [label, label | {"tenant": THEIRS}, label | {"label": "wrong"}],
        "/console/review/{evaluation_id}/undo": [
            who | {"labelled_at": labelled_at, "tenant": tenant} for tenant in (THEIRS, OURS)
        ],
        "/console/review/{evaluation_id}/skip": [who, who | {"tenant": THEIRS}],
        "/console/incidents/{incident_id}": [
            {"action": action, "explanation": "mine"} for action in ("acknowledged", "explained", "closed", "reopened")
        ],
        "/console/compare/runs": [{"name": "mine", "tenant": each, "file": RUN.decode()} for each in (THEIRS, OURS)],
        "/console/compare/runs/{run_id}/delete": [{}],
        "/console/views": [
            {"name": "mine", "shows": shows, "filters": f"tenant={tenant}"}
            for shows in ("evaluations", "slices")
            for tenant in (THEIRS, OURS)
        ],
        "/console/views/{view_id}/delete": [{}],
        "/console/trust": [
            {"action": action, "version": "1"}
            for action in ("fit", "promote", "roll_back", "promote_rules", "roll_back_rules")
        ],
        "/console/rules": [
            {"action": "try", "edited": "2", "way": "json", "json": '{"ignore_filters": ["kind"]}'},
            {"action": "propose", "edited": "2"},
            {"action": "store", "edited": "2", "way": "json", "json": '{"lambda_min": 7}'},
            {"action": "store", "edited": "0", "lambda_min": "7"},
        ],
        "/console/login": [{"token": "x" * 30}, {"token": TOKENS[OURS], "next": "/console/evaluations"}],
        "/console/logout": [{}],
    }


@pytest.fixture
async def walls(serving: Any, engine: Any) -> AsyncIterator[Walls]:
    """Both tenants' rows; fails where a request showed the other tenant's, or changed them."""
    async with serving(http=HTTP) as client:
        await fill(client, engine, OURS, OWN)
        ids = await fill(client, engine, THEIRS, MARK)
        page = (await client.get("/v1/evaluations?limit=1", headers=as_tenant(THEIRS))).json()
        values = parameters(ids)
        values["cursor"] = (page["next_cursor"],)
        walls = Walls(client=client, values=values, ids=ids)
        before = await rows_of(engine, THEIRS)
        assert {name for name, (count, _) in before.items() if count == 0} <= {
            "deferred_events",
            "past_labels",
            "access_tokens",
        }
        yield walls
        assert walls.faults == []
        assert await rows_of(engine, THEIRS) == before


@pytest.mark.slow  # walks every route
async def test_the_api_shows_and_changes_only_what_is_the_tenants_own(walls: Walls) -> None:
    headers = as_tenant(OURS)
    known = bodies(walls.ids)
    for method, path, names, required in operations():
        needed = {name: walls.of(name, path)[0] for name in required}
        about = [needed, needed | {"tenant": THEIRS}] if "tenant" in names else [needed]
        assert method == "GET" or (method, path) in known, f"{method} {path}: say in bodies() what is sent to it"
        for address in walls.addresses(path):
            for body in known.get((method, path), [{}]):
                for params in about:
                    given = {**body, "headers": headers | body.get("headers", {}), "params": params}
                    reply = await walls.send(method, address, **given)
                    if "{tenant}" in path or "tenant" in params:
                        assert reply.status_code == 403, (method, address, params, reply.text)
                    elif "{evaluation_id}" in path:
                        unknown = path.format(evaluation_id=uuid4())
                        nobody = await walls.send(method, unknown, **given)
                        assert (reply.status_code, nobody.status_code) == (404, 404), address
    assert {each for each in SHOW_OURS if each.startswith("/v1")} <= walls.shown


@pytest.mark.slow  # walks every route
async def test_the_console_shows_and_changes_only_what_is_the_tenants_own(walls: Walls) -> None:
    shown = await walls.client.get("/v1/labels?reviewer=zoltan", headers=as_tenant(THEIRS))
    known = forms(shown.json()["items"][0]["labelled_at"])
    await walls.enter()
    for path in ("/docs", "/console/nothing", "/console/evaluations?limit=x"):
        assert "content-security-policy" in (await walls.send("GET", path, headers=BROWSER)).headers, path
    for method, path, names in pages():
        if method == "POST":
            assert path in known, f"{path}: say in forms() what is sent to it"
        about = [{}, {"tenant": THEIRS}] if "tenant" in names else [{}]
        for address in walls.addresses(path):
            for fields in known[path] if method == "POST" else [{}]:
                for params in about:
                    data = {"data": {**fields, "csrf": walls.csrf}} if method == "POST" else {}
                    reply = await walls.send(method, address, params=params, headers=BROWSER, **data)
                    assert "FORM_REFUSED" not in reply.text or path in LAST, address
                    refused = ("tenant" in params and path not in EXPLAIN) or "{evaluation_id}" in path
                    assert not refused or reply.status_code in {403, 404}, (method, address, params, reply.text)
                    where = urlsplit(reply.headers.get("location", ""))
                    if where.path.startswith("/console") and path not in LAST:
                        await walls.send("GET", where.path, params=dict(parse_qsl(where.query)), headers=BROWSER)
    assert {each for each in SHOW_OURS if each.startswith("/console")} <= walls.shown


@pytest.mark.slow
async def test_no_filter_of_a_list_or_page_leads_to_another_tenant(walls: Walls) -> None:
    await walls.enter()
    asked = [(path, names, {}) for method, path, names in pages() if method == "GET" and path not in LAST]
    api = [(path, names, needed) for method, path, names, needed in operations() if method == "GET"]
    asked += [(path, names, {name: walls.of(name, path)[0] for name in needed}) for path, names, needed in api]
    for path, names, needed in asked:
        headers = BROWSER if path.startswith("/console") else as_tenant(OURS)
        for address in walls.addresses(path):
            for name in names:
                for value in walls.of(name, path):
                    await walls.send("GET", address, params={**needed, name: value}, headers=headers)


def test_what_the_walk_looks_for_would_be_found() -> None:
    bad = '<p onclick="x()" style="a"><script>1</script><style></style><a href=" javascript:x">'
    request = httpx.Request("GET", "http://localhost/console")
    policy = "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src *"
    headers = {"content-type": "text/html", "content-security-policy": policy}
    found = page_faults(httpx.Response(200, text=bad, headers=headers, request=request))
    assert found == [
        *("frame-ancestors", "style-src", "script-src", "nosniff is missing"),
        *("p onclick", "p style", "script", "style", "a href"),
    ]
