"""`--dry-run bigquery:…`: gold SQL and answers are tried on a stand-in for BigQuery's REST call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.evals.runner.agent_server import Reply, agent_server, as_json
from tests.evals.runner.weaving import Mill
from tests.service.commands.command_line import sqlassay

ANSWERS: dict[str, str | None] = {"count": "SELECT COUNT(*) FROM looms", "widest": "SELECT name, colour FROM looms"}
TOKEN = "ya29.kestrel"


@pytest.fixture
def mill(tmp_path: Path) -> Mill:
    return Mill(tmp_path)


def refusal(message: str, status: int = 400) -> Reply:
    return status, "application/json", json.dumps({"error": {"code": status, "message": message}}).encode()


def knowing(path: str, asked: dict[str, Any], before: int) -> Reply:
    """Knows no column `colour`, as BigQuery says it."""
    if "colour" in asked["query"]:
        return refusal("Unrecognized name: colour at [1:14]")
    return as_json({"kind": "bigquery#queryResponse", "totalBytesProcessed": "2048", "jobComplete": True})


def run(mill: Mill, url: str, *options: str, code: int = 0) -> str:
    predictions = mill.predictions(ANSWERS)
    arguments = ["--benchmark", mill.benchmark, "--out", mill.folder / "run", "--predictions", predictions, *options]
    place = ("--dry-run", "bigquery:the-mill.{db_id}", "--no-grounding")
    settings = {"BIGQUERY_EMULATOR_HOST": url, "GOOGLE_OAUTH_ACCESS_TOKEN": TOKEN}
    done = sqlassay("eval", "run", "--backend", "recorded", *map(str, arguments), *place, **settings)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow  # runs a benchmark
def test_gold_and_answers_are_tried_and_what_bigquery_refuses_is_different(mill: Mill) -> None:
    with agent_server(knowing) as bigquery:
        run(mill, bigquery.url, "--databases", str(mill.databases))
    records = {each["case_id"]: each for each in mill.records()}
    assert records["count"]["dry_run"] == {"ok": True, "error": None, "bytes": 2048}
    assert records["count"]["compared_by"] == "database"
    refused = records["widest"]
    assert refused["dry_run"]["ok"] is False
    assert "Unrecognized name: colour" in refused["rationale"]
    assert (refused["equivalence"], refused["compared_by"], refused["pass"]) == ("different", "dry_run", False)
    assert len(bigquery.asked) == 4 + 2, "each gold query and each answer, once"
    assert {
        "query": "SELECT COUNT(*) FROM looms",
        "dryRun": True,
        "useLegacySql": False,
        "defaultDataset": {"projectId": "the-mill", "datasetId": "weaving"},
    } in bigquery.asked
    assert set(bigquery.keys) == {f"Bearer {TOKEN}"}
    held = b"".join(path.read_bytes() for path in (mill.folder / "run").rglob("*") if path.is_file())
    assert TOKEN.encode() not in held


def test_gold_that_bigquery_would_not_run_ends_the_command(mill: Mill) -> None:
    def strict(path: str, asked: dict[str, Any], before: int) -> Reply:
        return refusal("Not found: Table the-mill:weaving.mills", 404) if "mills" in asked["query"] else as_json({})

    with agent_server(strict) as bigquery:
        said = run(mill, bigquery.url, code=2)
    assert "gold SQL of names: Not found: Table the-mill:weaving.mills (status 404)" in said
    assert "; towns: " in said
    assert all(each["dryRun"] is True for each in bigquery.asked)


@pytest.mark.parametrize(("status", "message"), [(401, "Request had invalid credentials"), (503, "Backend error")])
def test_a_bigquery_that_gives_no_verdict_ends_the_command(mill: Mill, status: int, message: str) -> None:
    with agent_server(lambda path, asked, before: refusal(message, status)) as bigquery:
        said = run(mill, bigquery.url, code=3)
    assert f"{message} (status {status})" in said


def test_a_server_that_is_not_there_ends_the_command(mill: Mill) -> None:
    assert "BigQuery cannot be asked" in run(mill, "http://127.0.0.1:9", code=3)


@pytest.mark.slow  # runs a benchmark
def test_an_answer_without_a_verdict_is_compared_as_without_the_option(mill: Mill) -> None:
    def tired(path: str, asked: dict[str, Any], before: int) -> Reply:
        return as_json({"totalBytesProcessed": "0"}) if before < 4 else refusal("Quota exceeded", 403)

    with agent_server(tired) as bigquery:
        run(mill, bigquery.url, "--databases", str(mill.databases))
    count = next(each for each in mill.records() if each["case_id"] == "count")
    assert count["dry_run"] == {"ok": None, "error": "Quota exceeded (status 403)", "bytes": None}
    assert (count["equivalence"], count["compared_by"]) == ("equivalent", "database")


@pytest.mark.parametrize(
    ("place", "token", "named"),
    [
        ("snowflake:mill", TOKEN, "--dry-run is bigquery:PROJECT"),
        ("bigquery:the-mill.weaving; DROP", TOKEN, "--dry-run is bigquery:PROJECT"),
        ("bigquery:the-mill", "", "set GOOGLE_OAUTH_ACCESS_TOKEN"),
    ],
)
def test_a_place_or_a_token_that_is_missing_is_named(mill: Mill, place: str, token: str, named: str) -> None:
    predictions = mill.predictions(ANSWERS)
    arguments = ["--benchmark", mill.benchmark, "--out", mill.folder / "run", "--predictions", predictions]
    settings = {"BIGQUERY_EMULATOR_HOST": "", "GOOGLE_OAUTH_ACCESS_TOKEN": token}
    done = sqlassay("eval", "run", "--backend", "recorded", *map(str, arguments), "--dry-run", place, **settings)
    assert (done.returncode, named in done.stderr) == (2, True), done.stderr
