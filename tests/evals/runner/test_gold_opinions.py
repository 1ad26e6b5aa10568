"""`sqlassay eval run --judge llm` and the baselines: what a model is shown of gold SQL, and what its word counts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from consumers.judging.comparing.gold_case import GoldEvidence
from consumers.judging.comparing.gold_judges import BASELINES, GoldVerdict
from consumers.judging.comparing.gold_opinions import GoldOpinion
from evals.runner.answers import ComparedBy, Equivalence, EquivalenceFinding
from evals.runner.precedence import decide, unheard
from tests.evals.runner.weaving import Mill, case, lines
from tests.servers.model_server import ModelServer, model_process_server, model_server
from tests.service.commands.command_line import sqlassay

__all__ = ["model_process_server", "model_server"]


@pytest.fixture
def mill(tmp_path: Path) -> Mill:
    return Mill(tmp_path)


def said(equivalence: str, *, both: bool = False, confidence: float = 0.9, why: str = "The names are form.") -> str:
    fields = {"rationale": why, "question_allows_both": both, "equivalence": equivalence, "confidence": confidence}
    return json.dumps(fields)


def run(
    mill: Mill, server: ModelServer, answers: dict[str, str | None], *options: str | Path, code: int = 0, **changed: str
) -> dict[str, dict[str, Any]]:
    """Runs the answers with a scripted model; returns the records by case."""
    arguments = ["--benchmark", mill.benchmark, "--out", mill.folder / "run", "--backend", "recorded"]
    predictions = mill.predictions(answers)
    done = sqlassay(
        "eval", "run", *map(str, arguments), "--predictions", str(predictions), *map(str, options),
        **{
            "SQLASSAY_JUDGE__BASE_URL": server.url,
            "SQLASSAY_JUDGE__MODEL": "stand-in",
            "SQLASSAY_JUDGE__PRICES": '{"stand-in": {"sent": 1, "received": 10}}',
            "SQLASSAY_JUDGE__TRIES": "1",
            **changed,
        },
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return {each["case_id"]: each for each in mill.records()}


def asked(server: ModelServer, prompt: str) -> list[dict[str, Any]]:
    """The data of each request whose instructions start as this prompt file does."""
    start = (Path("service/prompts") / f"{prompt}.md").read_text(encoding="utf-8")[:60]
    bodies = [json.loads(each["body"]) for each in server.seen()]
    users = [body["messages"][1]["content"] for body in bodies if body["messages"][0]["content"].startswith(start)]
    return [json.loads(user.split("BEGIN DATA\n")[1].split("\nEND DATA")[0]) for user in users]


WIDER: dict[str, str | None] = {"widest": "SELECT name FROM looms WHERE width > 100"}


@pytest.mark.slow  # asks a server
def test_a_model_is_shown_the_question_both_queries_both_results_and_the_tables(
    mill: Mill, model_server: ModelServer
) -> None:
    model_server.script({"do": "text", "text": said("different", why="100 is not 120.")})
    answers: dict[str, str | None] = {"widest": "SELECT name, width FROM looms WHERE width > 100 ORDER BY 1 DESC"}
    options = ("--judge", "llm", "--databases", mill.databases)
    record = run(mill, model_server, answers, *options, SQLASSAY_JUDGE__MASK="false")["widest"]
    [data] = asked(model_server, "comparison-1")
    assert data["question"] == "Which looms are 120 wide?"
    assert data["gold_sql"] == "SELECT name FROM looms WHERE width = 120"
    assert data["sql"] == answers["widest"]
    assert data["dialect"] == "sqlite"
    assert data["gold_result"] == {"columns": ["name"], "rows": [["Berit"], ["Cato"]], "rows_in_all": 2}
    assert data["answer_result"]["rows"] == [["Cato", 120.0], ["Berit", 120.0]]
    assert [(each["table"], [column["name"] for column in each["columns"]]) for each in data["schema"]] == [
        ("looms", ["id", "name", "mill", "width"])
    ]
    assert data["finding"] == record["opinions"]["comparison"]["rationale"]
    [schema] = [
        body["response_format"]["json_schema"]["schema"]
        for body in (json.loads(each["body"]) for each in model_server.seen())
        if "question_allows_both" in json.dumps(body["response_format"])
    ]
    assert schema["properties"]["equivalence"]["enum"] == ["equivalent", "partially_equivalent", "different"]
    assert record["opinions"]["model"]["rationale"] == "100 is not 120."
    assert record["opinions"]["model"]["model"] == "stand-in"


@pytest.mark.slow  # asks a server
def test_names_values_and_results_are_masked_unless_the_settings_say_otherwise(
    mill: Mill, model_server: ModelServer
) -> None:
    model_server.script({"do": "text", "text": said("different", why="TEXT_1 is one of the towns.")})
    answers: dict[str, str | None] = {"names": "SELECT name, town FROM looms JOIN mills ON mills.id = looms.mill"}
    record = run(mill, model_server, answers, "--judge", "llm", "--databases", mill.databases)["names"]
    sent = "".join(each["body"] for each in model_server.seen())
    assert not [name for name in ("Asker", "Bod", "Berit", "Cato", "Dag") if name in sent]
    [data] = asked(model_server, "comparison-1")
    [stand_in] = {each.strip("'") for each in data["gold_sql"].split() if "TEXT_" in each}
    assert stand_in in data["question"]
    assert [stand_in in row for row in data["answer_result"]["rows"]] == [True, True, False, False]
    assert "mills" in data["gold_sql"], "names of tables and columns stay"
    assert record["opinions"]["model"]["rationale"] == "Asker is one of the towns.", "stand-ins are read back"


@pytest.mark.slow  # asks a server
def test_a_difference_on_valid_data_stands_unless_the_question_allows_both(
    mill: Mill, model_server: ModelServer
) -> None:
    expected = {
        ("equivalent", False): ("different", "comparison", False),
        ("different", True): ("different", "both", False),
        ("equivalent", True): ("partially_equivalent", "both", True),
        ("partially_equivalent", True): ("partially_equivalent", "both", True),
    }
    for (word, both), found in expected.items():
        model_server.script({"do": "text", "text": said(word, both=both)})
        answers: dict[str, str | None] = {"count": "SELECT COUNT(*) > 0 FROM looms"}
        options = ("--judge", "llm", "--schemas", mill.ddl)
        shutil.rmtree(mill.folder / "run", ignore_errors=True)
        record = run(mill, model_server, answers, *options)["count"]
        assert (record["equivalence"], record["opinions"]["decided_by"], record["pass"]) == found, (word, both)
        comparison = record["opinions"]["comparison"]
        assert comparison["equivalence"] == "different"
        assert comparison["witness"]["gold_result"] != comparison["witness"]["answer_result"]
        [data] = asked(model_server, "comparison-1")
        assert set(data["witness"]) == {"tables", "gold_result", "answer_result"}
        assert "looms" in data["witness"]["tables"]
    assert mill.summary()["disputed"] == 1


@pytest.mark.slow  # asks a server
def test_a_model_is_not_asked_what_is_proved_or_runs_not(mill: Mill, model_server: ModelServer) -> None:
    model_server.script({"do": "text", "text": said("different")})
    answers: dict[str, str | None] = {
        "count": "SELECT COUNT(id) FROM looms",
        "names": "SELECT colour FROM looms",
        "towns": "SELEC town FRM mills",
    }
    options = ("--judge", "llm", "--schemas", mill.ddl, "--no-grounding")
    records = run(mill, model_server, answers, *options)
    assert asked(model_server, "comparison-1") == []
    assert {name: records[name]["equivalence"] for name in answers} == {
        "count": "equivalent",
        "names": "different",
        "towns": "skipped",
    }
    assert [each["opinions"] for each in records.values()] == [None] * 4


@pytest.mark.slow  # asks a server
def test_a_model_is_not_asked_about_the_gold_sql_itself_or_what_is_proved_beside_equal_rows(
    mill: Mill, model_server: ModelServer
) -> None:
    model_server.script({"do": "text", "text": said("different")})
    itself: dict[str, str | None] = {"widest": "select name  from looms where width = 120 -- itself"}
    assert (
        run(mill, model_server, itself, "--judge", "llm", "--databases", mill.databases)["widest"]["opinions"] is None
    )
    shutil.rmtree(mill.folder / "run")
    proved: dict[str, str | None] = {"count": "SELECT COUNT(id) FROM looms"}
    options = ("--judge", "llm", "--databases", mill.databases, "--schemas", mill.ddl)
    record = run(mill, model_server, proved, *options)["count"]
    assert asked(model_server, "comparison-1") == []
    assert (record["equivalence"], record["opinions"]) == ("equivalent", None)
    assert record["ex_verified"]["outcome"] == "proved"


@pytest.mark.slow  # asks a server
def test_a_model_can_fail_and_never_pass_what_nothing_else_could_compare(mill: Mill, model_server: ModelServer) -> None:
    sql = "SELECT name FROM looms WHERE regexp_matches(name, 'a')"
    lines(mill.benchmark, [case("widest", gold_sql="SELECT name FROM looms WHERE soundex_of(name) = 'A1'")])
    model_server.script({"do": "text", "text": said("equivalent", why="The same.")})
    record = run(mill, model_server, {"widest": sql}, "--judge", "llm")["widest"]
    assert (record["equivalence"], record["pass"], record["compared_by"]) == ("not_compared", False, None)
    assert record["opinions"]["model"]["equivalence"] == "equivalent"
    shutil.rmtree(mill.folder / "run")
    model_server.script({"do": "text", "text": said("different", why="Another function.")})
    record = run(mill, model_server, {"widest": f"{sql} OR width > 1"}, "--judge", "llm")["widest"]
    assert (record["equivalence"], record["compared_by"], record["rationale"]) == (
        "different",
        "model",
        "Another function.",
    )


@pytest.mark.slow  # asks a server
def test_without_an_opinion_the_comparison_stands_and_the_row_says_why(mill: Mill, model_server: ModelServer) -> None:
    model_server.script({"do": "status", "status": 500, "headers": {}})
    record = run(mill, model_server, WIDER, "--judge", "flex", "--databases", mill.databases)["widest"]
    assert record["equivalence"] == "equivalent"
    assert record["opinions"]["model"]["failed"]["cause"] == "server"
    assert record["opinions"]["decided_by"] == "comparison"


@pytest.mark.slow  # asks a server
def test_an_invalid_reply_is_asked_for_once_more(mill: Mill, model_server: ModelServer) -> None:
    bad = {"do": "text", "text": said("the same")}
    model_server.script({"do": "text", "text": said("equivalent").replace("true", "false")}, first=(bad,))
    record = run(mill, model_server, WIDER, "--judge", "flex", "--databases", mill.databases)["widest"]
    assert len(model_server.seen()) == 2
    assert record["opinions"]["model"]["tokens_in"] == 1800, "both calls are paid"


@pytest.mark.parametrize("judge", BASELINES, ids=lambda each: each.name)
@pytest.mark.slow  # asks a server
def test_each_baseline_is_shown_what_its_authors_show(judge: Any, mill: Mill, model_server: ModelServer) -> None:
    reply = {"rationale": "The bound.", "equivalence": "different", "confidence": 0.8, "score": 2}
    model_server.script({"do": "text", "text": json.dumps(reply)})
    background = mill.folder / "background.json"
    background.write_text(json.dumps({"weaving": {"domain": "weaving", "background": "Wide looms are from 110."}}))
    options = ("--judge", judge.name, "--databases", mill.databases, "--background", background)
    record = run(mill, model_server, WIDER, *options)["widest"]
    [data] = asked(model_server, judge.prompt)
    always = {"dialect", "gold_sql", "sql", "schema"}
    with_question = {*always, "question"}
    assert (
        set(data)
        == {
            "miniature_mull": always,
            "explain_compare": with_question,
            "g_eval": with_question,
            "flex": {*with_question, "gold_result", "answer_result", "domain", "background"},
        }[judge.name]
    )
    assert record["opinions"]["model"]["judge"] == f"llm/{judge.prompt}"
    assert record["opinions"]["model"]["equivalence"] == "different"
    # equal rows that a model doubts pass with a doubt
    assert (record["equivalence"], record["pass"]) == ("partially_equivalent", True)


def opinion(word: str, *, both: bool = False) -> GoldOpinion:
    return GoldOpinion(
        equivalence=GoldVerdict(word), p_correct=0.9, rationale="The model says so.", question_allows_both=both
    )


@pytest.mark.parametrize(
    ("found", "word", "expected", "decided"),
    [
        ("equivalent", "equivalent", "equivalent", "both"),
        ("equivalent", "partially_equivalent", "partially_equivalent", "both"),
        ("equivalent", "different", "partially_equivalent", "both"),
        ("partially_equivalent", "equivalent", "partially_equivalent", "comparison"),
        ("partially_equivalent", "different", "different", "model"),
        ("different", "equivalent", "different", "comparison"),
        ("not_compared", "equivalent", "not_compared", "comparison"),
        ("not_compared", "partially_equivalent", "not_compared", "comparison"),
        ("not_compared", "different", "different", "model"),
        ("skipped", "equivalent", "skipped", "comparison"),
    ],
)
def test_the_precedence_of_program_and_model(found: str, word: str, expected: str, decided: str) -> None:
    by = None if found in {"not_compared", "skipped"} else ComparedBy.DATABASE
    finding = EquivalenceFinding(equivalence=Equivalence(found), rationale="rows", compared_by=by)
    made = decide(finding, opinion(word), may_lift=True)
    assert made.opinions is not None
    assert (made.equivalence.value, made.opinions["decided_by"]) == (expected, decided)


def test_only_a_model_that_saw_the_difference_can_say_that_the_question_allows_both() -> None:
    finding = EquivalenceFinding(equivalence=Equivalence.DIFFERENT, rationale="rows", compared_by=ComparedBy.SCHEMA)
    allowing = opinion("equivalent", both=True)
    assert decide(finding, allowing, may_lift=True).equivalence is Equivalence.DIFFERENT
    shown = EquivalenceFinding(
        equivalence=Equivalence.DIFFERENT, rationale="rows", evidence=GoldEvidence(witness={"tables": {}})
    )
    assert decide(shown, allowing, may_lift=True).equivalence is Equivalence.PARTIAL
    assert decide(shown, allowing, may_lift=False).equivalence is Equivalence.DIFFERENT


def test_what_is_settled_or_lost_its_database_stays_as_it_is() -> None:
    proved = EquivalenceFinding(equivalence=Equivalence.EQUIVALENT, rationale="proved", settled=True)
    lost = EquivalenceFinding(equivalence=Equivalence.NOT_COMPARED, rationale="gone", lost_database="gone")
    for finding in (proved, lost):
        assert decide(finding, opinion("different"), may_lift=True).equivalence is finding.equivalence
    assert unheard(lost, {"cause": "timeout", "detail": ""}).equivalence is Equivalence.NOT_COMPARED


@pytest.mark.parametrize(
    ("options", "content", "named"),
    [
        (("--judge", "gpt"), None, "miniature_mull"),
        (("--judge", "local"), "About looms.", "--background is for a model that compares"),
        (("--judge", "flex"), '{"weaving": {"subject": "looms"}}', "unknown key 'subject'"),
        (("--judge", "flex"), '{"weaving": 7}', "is no text and no object"),
        (("--judge", "flex"), '{"weaving": ', "it is not JSON"),
        (("--judge", "flex"), json.dumps({"*": {"domain": "x" * 201}}), "at most 200 characters"),
    ],
)
def test_a_judge_or_a_background_that_cannot_be_used_is_named(
    mill: Mill, options: tuple[str, ...], content: str | None, named: str
) -> None:
    path = mill.folder / "about.txt"
    path.write_text(content or "")
    given = (*options, *(("--background", str(path)) if content is not None else ()))
    arguments = ["--backend", "recorded", "--predictions", str(mill.predictions(WIDER)), *given]
    assert named in mill.run(*arguments, code=2)


def test_a_judge_that_compares_needs_a_model(mill: Mill) -> None:
    arguments = ("--backend", "recorded", "--predictions", str(mill.predictions(WIDER)), "--judge", "g_eval")
    assert "SQLASSAY_JUDGE__BASE_URL" in mill.run(*arguments, code=2)
