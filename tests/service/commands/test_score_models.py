"""`sqlassay score --judge llm|cascade`: the configured model judges, and rows keep the order of the lines."""

from __future__ import annotations

import json
import subprocess

import pytest

from scoring.rules import JudgeRules
from service.judges.weights import local_judge
from tests.servers.model_server import VERDICT, ModelServer, model_process_server, model_server
from tests.service.commands import command_line

__all__ = ["model_process_server", "model_server"]

PRICES = '{"stand-in": {"sent": 1, "received": 10}}'


def sqlassay(
    *arguments: str, text: str = "", url: str | None = None, **settings: str
) -> subprocess.CompletedProcess[str]:
    server = {} if url is None else {"BASE_URL": url, "MODEL": "stand-in", "PRICES": PRICES}
    named = {f"SQLASSAY_JUDGE__{name}": value for name, value in {**server, **settings}.items()}
    return command_line.sqlassay(*arguments, text=text, **named)


def event(number: int, columns: int = 1) -> str:
    names = ", ".join(["name"] * columns)
    return json.dumps({"event_id": str(number), "question": "list the piers", "sql": f"SELECT {names} FROM piers"})


def test_the_model_judges_every_line_and_rows_keep_the_order_of_lines(model_server: ModelServer) -> None:
    slow = {**VERDICT, "verdict": "Likely Correct", "confidence": 0.66}
    model_server.script(slow, first=({**slow, "seconds": 0.4},))
    lines = [event(1), "no json", *(event(number, number) for number in range(2, 9))]
    done = sqlassay("score", "-", "--judge", "llm", text="\n".join(lines), url=model_server.url)
    assert done.returncode == 1, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["event_id"] for row in rows] == ["1", None, *map(str, range(2, 9))]
    scored = [row for row in rows if row["score"] is not None]
    assert {(row["verdict"], row["judge"], row["model"]) for row in scored} == {
        ("Likely Correct", "llm/judge-2", "stand-in")
    }
    assert {(row["tokens_in"], row["tokens_out"], row["cost"], row["cached"]) for row in scored} == {
        (900, 100, 0.0019, False)
    }
    assert len(model_server.seen()) == len(scored) == 8


def test_one_answer_may_be_judged_by_a_model(model_server: ModelServer) -> None:
    done = sqlassay(
        "score", "-q", "list the piers", "--sql", "SELECT name FROM piers", "--judge", "llm", url=model_server.url
    )
    assert json.loads(done.stdout)["rationale"] == "It reads well."


def test_a_cascade_asks_only_where_the_local_judge_is_below_the_bar(model_server: ModelServer) -> None:
    doubtful = {"question": "Revenue per pier last month", "sql": "SELECT pier, SUM(fee) FROM stays GROUP BY pier"}
    text = "\n".join([event(1), json.dumps(json.loads(event(2, 2)) | doubtful)])
    assert sqlassay("score", "-", "--judge", "cascade", text=text, url=model_server.url).returncode == 0
    asked = len(model_server.seen())
    local = [json.loads(line) for line in sqlassay("score", "-", text=text).stdout.splitlines()]
    assert asked == sum(row["confidence"] < JudgeRules().bar for row in local) == 1


def test_a_model_that_is_down_gives_the_local_verdict_as_a_fallback() -> None:
    done = sqlassay("score", "-", "--judge", "llm", text=event(1), url="http://127.0.0.1:9/v1", TRIES="1")
    row = json.loads(done.stdout)
    assert (row["fallback"], row["judge"], row["model"]) == (True, local_judge().name, "stand-in")
    assert done.returncode == 3
    assert f"the model did not judge 1 answer: {row['rationale']}" in done.stderr


def test_a_model_that_fails_at_some_answers_ends_with_0(model_server: ModelServer) -> None:
    broken = {"do": "status", "status": 500, "headers": {}, "body": {"error": "out of memory"}}
    model_server.script(VERDICT, first=(broken,))
    text = f"{event(1)}\n{event(2, 2)}"
    done = sqlassay("score", "-", "--judge", "llm", text=text, url=model_server.url, TRIES="1")
    assert done.returncode == 0
    assert "the model did not judge 1 answer: the model server answers with status 500: out of memory" in done.stderr


def test_a_model_without_a_price_ends_with_2_and_names_the_setting() -> None:
    done = sqlassay("score", "-", "--judge", "llm", url="http://127.0.0.1:9/v1", PRICES="{}")
    assert done.returncode == 2
    assert "SQLASSAY_JUDGE__PRICES" in done.stderr


@pytest.mark.parametrize("status", [307, 401, 402, 403, 404])
def test_a_server_that_refuses_every_call_ends_with_3_and_the_rows_name_the_cause(
    model_server: ModelServer, status: int
) -> None:
    body = {"error": {"message": "no such thing"}}
    model_server.script({"do": "status", "status": status, "headers": {"location": "/no such thing"}, "body": body})
    done = sqlassay("score", "-", "--judge", "llm", text=event(1), url=model_server.url)
    assert done.returncode == 3
    row = json.loads(done.stdout)
    assert row["fallback"]
    assert f"status {status}" in row["rationale"]
    assert "no such thing" in row["rationale"]
    assert f"the model did not judge 1 answer: {row['rationale']}" in done.stderr


def test_the_cost_of_an_invalid_reply_stands_in_the_row(model_server: ModelServer) -> None:
    model_server.script({"do": "text", "text": "Correct"})
    done = sqlassay("score", "-", "--judge", "llm", text=event(1), url=model_server.url)
    row = json.loads(done.stdout)
    assert (row["unscored"], row["tokens_in"], row["cost"]) == ("JUDGE_REPLY_INVALID", 1800, 0.0038)


def test_judges_check_says_what_works_and_what_it_costs(model_server: ModelServer) -> None:
    refusal = {"error": {"message": "temperature is not supported"}}
    model_server.script({"do": "strict", "refuses": {"temperature": refusal}})
    done = sqlassay("judges", "check", url=model_server.url)
    assert done.returncode == 0, done.stderr
    assert "the server refuses temperature: it is left out" in done.stdout
    assert "1.9 for 1000 answers" in done.stdout


def test_judges_check_tells_the_cost_of_later_answers_of_a_model_that_reasons(model_server: ModelServer) -> None:
    model_server.script({"do": "thinking", "needs": 2000})
    done = sqlassay("judges", "check", url=model_server.url)
    assert "1.9 for 1000 answers; this one took 900 tokens sent and 100 received" in done.stdout


@pytest.mark.parametrize(
    ("step", "code", "said"),
    [
        ({"do": "status", "status": 404, "headers": {}, "body": {"detail": "no such model"}}, 3, "no such model"),
        ({"do": "text", "text": "Correct"}, 1, "the model cannot judge"),
        ({**VERDICT, "verdict": "Incorrect"}, 1, "the sample is right"),
    ],
)
def test_judges_check_says_what_is_wrong(model_server: ModelServer, step: dict, code: int, said: str) -> None:
    model_server.script(step)
    done = sqlassay("judges", "check", url=model_server.url)
    assert done.returncode == code
    assert said in done.stderr


def test_judges_check_without_a_model_names_the_settings() -> None:
    done = sqlassay("judges", "check")
    assert done.returncode == 2
    assert "SQLASSAY_JUDGE__BASE_URL" in done.stderr
