"""The pages that compare two runs of a benchmark."""

from __future__ import annotations

import html
import json
import re
from datetime import timedelta
from pathlib import Path

import pytest

from service.storage.audit import AuditAction, AuditFilter, audit_rows
from service.storage.console.eval_runs import MOST_KEPT, keep_run, list_runs
from tests.evals.runner.weaving import GOLDS, Mill
from tests.service.console_lists import links, read
from tests.storage.conftest import NOW

RUNS = "/console/compare/runs"
NDJSON = {"content-type": "application/x-ndjson"}
WORSE: dict[str, str | None] = {
    "widest": "SELECT name FROM looms WHERE width = 90",
    "towns": "SELECT town FRM mills WHERE",
}


@pytest.fixture
def written(tmp_path: Path) -> dict[str, bytes]:
    """The answers of two runs, as `sqlassay eval run` writes them."""
    mill = Mill(tmp_path)
    right: dict[str, str | None] = {name: sql for name, (_, sql) in GOLDS.items()}
    right["names"] = "SELECT town FROM mills"
    for name, answers in (("v7", right), ("v8", {**right, **WORSE, "names": GOLDS["names"][1]})):
        mill.recorded(answers, "--databases", mill.databases, out=name)
    return {name: (tmp_path / name / "cases.jsonl").read_bytes() for name in ("v7", "v8")}


async def send(client, name: str, content: bytes, tenant: str = "weavers"):
    return await client.put(f"/v1/tenants/{tenant}/eval-runs/{name}", content=content, headers=NDJSON)


async def test_the_newest_run_is_compared_with_the_one_before_regressions_first(client, written):
    for name, passed in (("v7", 3), ("v8", 2)):
        sent = await send(client, name, written[name])
        assert sent.status_code == 200, sent.text
        assert (sent.json()["cases"], sent.json()["passed"]) == (4, passed)
    shown = html.unescape(await read(client, sent.json()["address"]))
    assert "v8 against v7" in shown
    assert '75 % → 50 %</b> <span class="note">3 of 4 → 2 of 4' in shown
    worse, better = shown.index("Passed before, fails now"), shown.index("Failed before, passes now")
    assert worse < shown.index(GOLDS["widest"][0]) < better < shown.index(GOLDS["names"][0])
    assert worse < shown.index(GOLDS["towns"][0]) < better
    pairs = {each.rpartition("case=")[2]: each for each in links(shown, "side by side")}
    assert set(pairs) == {"widest", "towns", "names"}
    pair = html.unescape(await read(client, pairs["widest"]))
    assert pair.index("before: run v7") < pair.index("now: run v8")
    differing = dict(re.findall(r'data-label="part">([^<]+)</td><td[^>]*>(.*?)</td>', pair))
    assert "width = 120" in differing["conditions"]
    assert "<b>does not pass</b>: different" in pair
    # the SQL of the other one does not parse
    assert "could not be read" in await read(client, pairs["towns"])
    # and the other way round
    ids = {name: id_ for id_, name in re.findall(r'<option value="([^"]+)"[^>]*>(v\d)', shown)}
    turned = html.unescape(await read(client, RUNS, run=ids["v7"], against_run=ids["v8"]))
    assert "v7 against v8" in turned
    assert turned.index("Passed before, fails now") < turned.index(GOLDS["names"][0])


async def test_a_run_of_the_same_name_replaces_it_and_can_be_deleted(client, written):
    assert "No run was sent yet" in await read(client, RUNS)
    first = (await send(client, "v7", written["v7"])).json()
    assert "There is no run before v7" in await read(client, RUNS)
    again = (await send(client, "v7", written["v8"])).json()
    assert (again["id"], again["passed"]) == (first["id"], 2)
    shown = await read(client, RUNS)
    token = re.findall(r'name="csrf" value="([^"]+)"', shown)[0]
    path = f"{RUNS}/{first['id']}/delete"
    assert (await client.post(path, data={"csrf": "x"})).status_code == 403
    assert (await client.post(path, data={"csrf": token})).status_code == 303
    assert (await client.post(path, data={"csrf": token})).status_code == 404
    assert (await client.get(f"{RUNS}?run={first['id']}")).status_code == 404
    assert "No run was sent yet" in await read(client, RUNS)
    log = (await client.get("/v1/audit", params={"tenant": "weavers"})).json()["items"]
    older, newer = {"cases": 4, "passed": 3}, {"cases": 4, "passed": 2}
    assert [(each["action"], each["subject"], each["via"], each["before"], each["after"]) for each in log] == [
        ("run_deleted", "v7", "console", newer, None),
        ("run_stored", "v7", "api", older, newer),
        ("run_stored", "v7", "api", None, older),
    ]


async def test_cases_whose_question_or_gold_differs_are_left_out(client, written):
    changed = written["v8"].replace(b"Which looms are 120 wide?", b"Which looms are wide?")
    assert changed != written["v8"]
    await send(client, "v7", written["v7"])
    await send(client, "v8", changed)
    shown = await read(client, RUNS)
    assert "Left out: 1 cases" in shown
    assert len(links(shown, "side by side")) == 2


async def test_what_is_no_run_is_refused_with_its_line(client, written):
    first, second, *_ = written["v7"].splitlines()
    methods = [json.dumps(json.loads(line) | {"method": name}).encode() for name, line in (("a", first), ("b", second))]
    for content, said in (
        (b"\n", "there is no answer"),
        (first + b"\n{}", "line 2, case_id"),
        (first + b"\nnull", "line 2"),
        (b"\n".join(methods), "several methods"),
    ):
        reply = await send(client, "v9", content)
        assert (reply.status_code, reply.json()["error"]["code"]) == (422, "INVALID_RUN"), reply.text
        assert said in reply.json()["error"]["message"]
    many = await send(client, "v9", (first + b"\n") * 5_001)
    assert many.status_code == 413
    hostile = json.loads(first) | {"question": "a\0<b>", "generated_sql": None, "score": None, "unscored": "SQL_EMPTY"}
    assert (await send(client, "v9", json.dumps(hostile).encode())).status_code == 200
    assert (await client.put("/v1/tenants/weavers/eval-runs/v9", content=first)).status_code == 415


async def test_only_the_newest_runs_of_a_tenant_are_kept(engine):
    for number in range(MOST_KEPT + 2):
        for tenant in ("weavers", "millers") if number == 0 else ("weavers",):
            sent = NOW + timedelta(seconds=number)
            await keep_run(engine, tenant=tenant, name=f"v{number}", answers=[], sent_by=None, now=sent)
    assert len(await list_runs(engine, "weavers")) == MOST_KEPT
    assert len(await list_runs(engine, "millers")) == 1
    gone = await audit_rows(engine, AuditFilter(action=AuditAction.RUN_DELETED), 10)
    assert {(each["tenant"], each["subject"], each["via"]) for each in gone} == {
        ("weavers", "v0", "service"),
        ("weavers", "v1", "service"),
    }


async def upload(client, content: bytes, name: str = "v7", tenant: str = "weavers", csrf: str | None = None):
    shown = await read(client, RUNS)
    fields = {"csrf": csrf or re.findall(r'name="csrf" value="([^"]+)"', shown)[0], "name": name, "tenant": tenant}
    return await client.post(RUNS, data=fields, files={"file": ("cases.jsonl", content)})


async def test_a_person_uploads_the_files_of_two_runs_and_they_are_compared(client, written):
    empty = await read(client, RUNS)
    assert 'enctype="multipart/form-data"' in empty
    assert "sqlassay eval run" in empty
    for name in ("v7", "v8"):
        uploaded = await upload(client, written[name], name)
        assert uploaded.status_code == 303, uploaded.text
    shown = html.unescape(await read(client, uploaded.headers["location"]))
    assert "v8 against v7" in shown
    assert '75 % → 50 %</b> <span class="note">3 of 4 → 2 of 4' in shown
    log = (await client.get("/v1/audit", params={"tenant": "weavers"})).json()["items"]
    assert [(each["action"], each["subject"], each["via"]) for each in log] == [
        ("run_stored", "v8", "console"),
        ("run_stored", "v7", "console"),
    ]
    # the same name replaces it
    assert (await upload(client, written["v7"], "v8")).status_code == 303
    assert (await read(client, RUNS)).count("3 of 4</td>") == 2


@pytest.mark.parametrize(
    ("content", "fields", "status", "said"),
    [
        (b"no run", {}, 422, "line 1"),
        (b"", {}, 422, "there is no answer"),
        (b"\xff\xfe", {}, 400, "is not UTF-8"),
        (b"{}", {"name": "a/b"}, 400, "name: "),
        (b"{}", {"tenant": "a\x01b"}, 400, "tenant: "),
        (b"{}", {"csrf": "x"}, 403, "another site"),
        (b" " * (17 * 1024 * 1024), {}, 413, "the body is over"),
    ],
    ids=["no-lines", "empty", "utf-8", "name", "tenant", "csrf", "too-large"],
)
async def test_a_file_that_is_no_run_is_refused(client, content, fields, status, said):
    refused = await upload(client, content, **fields)
    assert (refused.status_code, said in html.unescape(refused.text)) == (status, True), refused.text
    assert "No run was sent yet" in await read(client, RUNS)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", b"--x--\r\n"),
        ("multipart/form-data; boundary=x", b"--x\r\n\r\n1\r\n--x--\r\n"),
        ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1'),
        ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n' * 50),
        ("multipart/form-data; boundary=x", b""),
    ],
    ids=["no-boundary", "no-name", "no-end", "too-many-fields", "nothing"],
)
async def test_a_form_that_cannot_be_read_is_refused(client, kind, body):
    reply = await client.post(RUNS, content=body, headers={"content-type": kind})
    assert (reply.status_code, "INVALID_FORM" in reply.text or "the form" in reply.text) == (400, True), reply.text
