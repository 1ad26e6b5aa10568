"""What gives the SQL of a run: callables, endpoints and models, and what they do wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from service.commands.eval.runner.generating import accepted
from tests.evals.runner import hostile_endpoint
from tests.evals.runner.agent_server import Reply, agent_server, as_json
from tests.evals.runner.weaving import GOLDS, Mill, case, lines
from tests.servers.model_server import ModelServer, model_process_server, model_server
from tests.service.commands.command_line import sqlassay

__all__ = ["model_process_server", "model_server"]

DEEDS = {
    "raise": "raised",
    "wait": "timeout",
    "block": "timeout",
    "flood": "too_large",
    "flood beside": "too_large",
    "die": "ended",
    "exit": "raised",
    "number": "invalid",
    "time out by itself": "raised",
    "interrupt": "raised",
    "cancel": "raised",
    "generator exit": "raised",
    "own base": "raised",
    "unspeakable": "raised",
    "endless metadata": "timeout",
    "deep metadata": "invalid",
}


@pytest.fixture
def mill(tmp_path: Path) -> Mill:
    return Mill(tmp_path)


def deed(name: str) -> dict[str, Any]:
    return {**case("count"), "case_id": name, "metadata": {"db_id": "weaving", "do": name}}


@pytest.mark.slow
def test_a_callable_that_raises_hangs_floods_or_dies_fails_its_own_case_only(mill: Mill) -> None:
    lines(mill.benchmark, [deed(each) for each in (*DEEDS, "answer", "trace")])
    agent = "tests.evals.runner.hostile_agent:answer"
    mill.run("--backend", agent, "--timeout", "0.5", "--concurrency", "2", "--databases", mill.databases)
    found = {each["case_id"]: each for each in mill.records()}
    assert {name: found[name]["error"] and found[name]["error"]["kind"] for name in DEEDS} == DEEDS
    assert not any(found[name]["pass"] for name in DEEDS)
    assert (found["answer"]["pass"], found["answer"]["error"]) == (True, None)
    assert found["trace"]["backend_metadata"] == {"model": "tiny", "prompt_version": "p7"}
    assert mill.summary()["slices"]["prompt_version"]["p7"]["pass_rate"] == 1.0
    [page] = (mill.folder / "run" / "traces").iterdir()
    assert page.name == "trace.md"
    assert "1 tool calls, 0 failed; 0.25 s in timed steps." in page.read_text()
    assert mill.summary()["failures"] == len(DEEDS)


def test_a_callable_that_cannot_be_imported_is_refused(mill: Mill) -> None:
    for name, said in {
        "no_such_module:answer": "ModuleNotFoundError",
        "tests.evals.runner.hostile_agent:nothing": "AttributeError",
        "tests.evals.runner.weaving:DDL": "name a callable",
        "telepathy": "unknown backend",
    }.items():
        assert said in mill.run("--backend", name, code=2)


@pytest.mark.parametrize("returned", [None, b"SELECT 1", ["SELECT 1"], {"sql": "SELECT 1"}])
def test_only_sql_and_results_are_accepted(returned: object) -> None:
    found = accepted(returned)
    assert getattr(found, "kind", None) == "invalid"


def test_an_agent_behind_http_gets_the_question_and_never_the_gold_sql(mill: Mill) -> None:
    def reply(path: str, asked: dict[str, Any], before: int) -> Reply:
        gold = GOLDS[asked["case_id"]][1]
        replies: dict[str, Reply] = {
            "count": as_json({"sql": gold, "metadata": {"model": "far"}, "trace": [{"kind": "assistant"}]}),
            "names": (200, "text/plain", gold.encode()),
            "widest": (500, "text/plain", b"out of yarn"),
            "towns": as_json({"answer": gold}),
        }
        # the first request of all is asked to come again
        return (429, "text/plain", b"") if before == 0 else replies[asked["case_id"]]

    with agent_server(reply) as agent:
        mill.run("--backend", "http", "--endpoint", agent.url, "--databases", mill.databases, "--concurrency", "1")
    found = {each["case_id"]: each for each in mill.records()}
    assert [each["pass"] for each in found.values()] == [True, True, False, False]
    assert found["count"]["backend_metadata"] == {"model": "far"}
    assert "status 500: out of yarn" in found["widest"]["error"]["detail"]
    assert found["towns"]["error"]["kind"] == "invalid"
    assert len(agent.asked) == len(GOLDS) + 1
    assert set(agent.asked[0]) == {"case_id", "question", "schema", "complexity", "category", "metadata", "sample"}
    assert not any(gold in json.dumps(agent.asked) for _, gold in GOLDS.values())


@pytest.mark.slow  # takes over a second
def test_an_endpoint_that_is_down_or_floods_is_a_failure(mill: Mill) -> None:
    with agent_server(lambda *_: (200, "text/plain", b"x" * 3_000_000)) as agent:
        mill.run("--backend", agent.url, "--limit", "1", out="flood")
    mill.run("--backend", agent.url, "--limit", "1", out="down")
    assert mill.records("flood")[0]["error"]["kind"] == "too_large"
    assert mill.records("down")[0]["error"]["kind"] == "unreachable"


@pytest.mark.slow  # waits for endpoints that hang
def test_an_endpoint_that_misbehaves_on_the_wire_fails_its_own_case_only(mill: Mill) -> None:
    gold = {"gold_sql": "SELECT 1", "golds": []}
    lines(mill.benchmark, [{**case("count"), "case_id": name, **gold} for name in (*hostile_endpoint.DEEDS, "well")])
    with hostile_endpoint.hostile_endpoint() as url:
        mill.run("--backend", url, "--timeout", "1", "--databases", mill.databases, "--concurrency", "4")
    found = {each["case_id"]: each for each in mill.records()}
    kinds = {name: kind for name, (_, kind) in hostile_endpoint.DEEDS.items()}
    assert {name: found[name]["error"] and found[name]["error"]["kind"] for name in kinds} == kinds
    assert {name for name, each in found.items() if each["pass"]} == {"well"}
    assert all(each["rationale"] for each in found.values())


@pytest.mark.slow  # takes over a second
def test_a_model_is_told_the_tables_and_is_asked_once_for_each_case(
    mill: Mill, model_server: ModelServer, tmp_path: Path
) -> None:
    model_server.script({"do": "text", "text": 'Sure:\n```json\n{"sql": "SELECT COUNT(*) FROM looms"}\n```'})
    options = ("--backend", "openai", "--model", "tiny", "--provider", model_server.url, "--limit", "1")
    options = (*options, "--databases", str(mill.databases), "--cache", str(tmp_path / "cache"))
    mill.run(*options)
    [record] = mill.records()
    assert (record["pass"], record["generated_sql"]) == (True, "SELECT COUNT(*) FROM looms")
    assert record["backend_metadata"]["model"] == "tiny"
    assert record["backend_metadata"]["prompt_version"]
    [asked] = model_server.seen()
    said = json.dumps(asked["body"])
    assert "How many looms are there?" in said
    assert "width" in said
    assert "SELECT COUNT(*)" not in said
    assert (mill.folder / "run" / "traces" / "count.md").exists()
    mill.run(*options, out="again")
    assert mill.records("again") == [record]
    assert len(model_server.seen()) == 1, "the answer was kept"
    mill.run(*options, "--context", "names", out="names")
    assert len(model_server.seen()) == 2, "another context is another question"
    assert "looms(id, name, mill, width)" in json.dumps(model_server.seen()[1]["body"])


def test_no_file_of_a_run_holds_the_address_of_a_server(mill: Mill) -> None:
    def reply(path: str, asked: dict[str, Any], before: int) -> Reply:
        return 200, "text/plain", b"SELECT 1"

    with agent_server(reply) as agent:
        mill.run("--backend", f"{agent.url}/?token=kestrel-71", "--limit", "1")
    held = b"".join(path.read_bytes() for path in (mill.folder / "run").rglob("*") if path.is_file())
    assert b"kestrel-71" not in held
    assert b"SELECT 1" in held


def test_a_provider_without_an_address_is_refused(mill: Mill) -> None:
    text = mill.run("--backend", "openai", "--model", "tiny", "--provider", "no-such", code=2)
    assert "NO_SUCH_BASE_URL" in text
    assert "needs --endpoint" in mill.run("--backend", "http", code=2)


def test_a_model_may_judge_the_answers_of_a_run(mill: Mill, model_server: ModelServer) -> None:
    model_server.script({"do": "verdict", "verdict": "Incorrect", "confidence": 0.9})
    predictions = mill.predictions({"count": "SELECT COUNT(*) FROM looms", "names": "SELEC"})
    arguments = ["--benchmark", mill.benchmark, "--out", mill.folder / "run", "--backend", "recorded"]
    done = sqlassay(
        "eval", "run", *map(str, arguments), "--predictions", str(predictions), "--limit", "2", "--judge", "llm",
        SQLASSAY_JUDGE__BASE_URL=model_server.url,
        SQLASSAY_JUDGE__MODEL="stand-in",
        SQLASSAY_JUDGE__PRICES='{"stand-in": {"sent": 1, "received": 10}}',
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    records = mill.records()
    assert records[0]["verdict"] == "Incorrect"
    assert len(model_server.seen()) == 1, "SQL that does not parse is not judged"
