"""`sqlassay score` with `reference_sql` on its lines: what comparing finds, and what a model that compares is shown."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.evals.runner.test_gold_opinions import asked
from tests.evals.runner.weaving import GOLDS, Mill, lines
from tests.servers.model_server import ModelServer, model_process_server, model_server
from tests.service.commands.command_line import sqlassay

__all__ = ["model_process_server", "model_server"]

FIELDS = {"equivalence", "rationale", "compared_by", "doubt", "witness", "opinions"}


@pytest.fixture
def mill(tmp_path: Path) -> Mill:
    return Mill(tmp_path)


def answer(name: str, sql: str | None = None, **more: Any) -> dict[str, Any]:
    question, gold = GOLDS[name]
    return {"id": name, "question": question, "sql": sql or gold, "reference_sql": gold, "db_id": "weaving", **more}


def scored(folder: Path, answers: list[dict[str, Any]], *options: str | Path, **settings: str) -> dict[str, Any]:
    """Scores the answers; returns the rows by their ids."""
    source, target = lines(folder / "in.jsonl", answers), folder / "out.jsonl"
    done = sqlassay("score", str(source), "--out", str(target), *map(str, options), **settings)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in target.read_text().splitlines()]
    assert [row["event_id"] for row in rows] == [each["id"] for each in answers]
    return {row["event_id"]: row for row in rows}


def test_a_reference_says_beside_the_score_what_comparing_proves(mill: Mill) -> None:
    answers = [
        answer("count", "SELECT COUNT(id) FROM looms"),
        answer("widest", "SELECT name FROM looms WHERE width > 100"),
        answer("names", "SELECT name FROM looms WHERE soundex_of(name) = 'A1'"),
        answer("towns", "SELEC town FRM mills"),
        {**answer("count"), "id": "alone", "reference_sql": " "},
    ]
    rows = scored(mill.folder, answers, "--schema", mill.ddl)
    found = {name: row["reference"] for name, row in rows.items() if "reference" in row}
    assert {name: each["equivalence"] for name, each in found.items()} == {
        "count": "equivalent",
        "widest": "different",
        "names": "not_compared",
        "towns": "skipped",
    }
    assert all(set(each) == FIELDS for each in found.values())
    assert found["count"]["compared_by"] == "schema"
    witness = found["widest"]["witness"]
    assert witness["gold_result"] != witness["answer_result"]
    assert "looms" in witness["tables"]
    assert "soundex_of" in found["names"]["rationale"]
    without = scored(mill.folder, answers, "--schema", mill.ddl, "--without-reference")
    assert without == {name: {key: row[key] for key in row if key != "reference"} for name, row in rows.items()}


def test_databases_of_lines_are_asked_first(mill: Mill) -> None:
    answers = [
        answer("widest", "SELECT name FROM looms WHERE width > 100"),
        answer("count", "SELECT COUNT(*) + 1 FROM looms"),
        {**answer("towns"), "db_id": "spinning"},
    ]
    rows = scored(mill.folder, answers, "--databases", mill.databases)
    found = {name: (row["reference"]["equivalence"], row["reference"]["compared_by"]) for name, row in rows.items()}
    assert found == {
        "widest": ("equivalent", "database"),
        "count": ("different", "database"),
        "towns": ("not_compared", None),
    }
    assert "spinning" in rows["towns"]["reference"]["rationale"]


@pytest.mark.parametrize("options", [(), ("--memory",), ("--jobs", "2")])
def test_rows_keep_the_order_of_lines_and_tables_have_a_column(mill: Mill, options: tuple[str, ...]) -> None:
    sql = "SELECT name FROM looms WHERE width > 100"
    answers = [{**answer("widest", sql if n % 3 == 0 else None), "id": f"{n}"} for n in range(12)]
    for each in answers[1::3]:
        del each["reference_sql"]
    rows = scored(mill.folder, answers, "--databases", mill.databases, *options)
    assert [row.get("reference", {}).get("equivalence") for row in rows.values()] == [
        "equivalent",
        None,
        "equivalent",
    ] * 4
    source, target = mill.folder / "in.csv", mill.folder / "out.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(answers[0]))
        writer.writeheader()
        writer.writerows(answers)
    done = sqlassay("score", str(source), "--out", str(target), "--databases", str(mill.databases), *options)
    assert done.returncode == 0, done.stderr
    assert "compared with references: equivalent 8" in done.stderr
    with target.open(encoding="utf-8", newline="") as file:
        written = [row["reference"] for row in csv.DictReader(file)]
    assert [json.loads(each) if each else None for each in written] == [row.get("reference") for row in rows.values()]


@pytest.mark.parametrize(
    ("sql", "equivalence"),
    [
        ("```sql\nSELECT COUNT(id) FROM looms\n```", "equivalent"),
        ("The query is: SELECT COUNT(*) FROM looms WHERE width > 3; it counts all looms.", "different"),
    ],
)
def test_what_an_agent_writes_around_its_sql_is_taken_off_first(mill: Mill, sql: str, equivalence: str) -> None:
    rows = scored(mill.folder, [answer("count", sql)], "--schema", mill.ddl)
    assert rows["count"]["reference"]["equivalence"] == equivalence


def test_databases_that_cannot_be_used_are_named(mill: Mill) -> None:
    for options, said in (
        (("in.jsonl", "--databases", str(mill.folder / "none")), "there is no folder"),
        (("in.jsonl", "--databases", str(mill.databases), "--without-reference"), "is for a file of answers"),
        (("-q", "How many?", "--sql", "SELECT 1", "--databases", str(mill.databases)), "is for a file of answers"),
    ):
        done = sqlassay("score", *options)
        assert done.returncode == 2
        assert said in done.stderr


def model(server: ModelServer, **changed: str) -> dict[str, str]:
    return {
        "SQLASSAY_JUDGE__BASE_URL": server.url,
        "SQLASSAY_JUDGE__MODEL": "stand-in",
        "SQLASSAY_JUDGE__PRICES": '{"stand-in": {"sent": 1, "received": 10}}',
        "SQLASSAY_JUDGE__TRIES": "1",
        "SQLASSAY_JUDGE__MASK": "false",
        **changed,
    }


def reply(equivalence: str, *, both: bool = False, why: str = "It reads well.") -> dict[str, Any]:
    """A reply that is valid to the judge of the question alone, and to the judge that compares."""
    fields = {
        "rationale": why,
        "verdict": "Likely Correct",
        "confidence": 0.7,
        "reason_codes": [],
        "question_filters": [],
        "sql_filters": [],
        "question_allows_both": both,
        "equivalence": equivalence,
    }
    return {"do": "text", "text": json.dumps(fields)}


@pytest.mark.slow  # asks a server
def test_a_model_is_shown_the_reference_in_a_call_of_its_own(mill: Mill, model_server: ModelServer) -> None:
    model_server.script(reply("different", why="100 is not 120."))
    answers = [
        answer(
            "widest", "SELECT name, width FROM looms WHERE width > 100", enriched_question="Which looms have width 120?"
        ),
        {key: value for key, value in answer("towns").items() if key != "reference_sql"},
    ]
    options = ("--judge", "llm", "--databases", mill.databases, "--schema", mill.ddl)
    rows = scored(mill.folder, answers, *options, **model(model_server))
    [data] = asked(model_server, "comparison-1")
    assert data["question"] == "Which looms are 120 wide?"
    assert data["enriched_question"] == "Which looms have width 120?"
    assert data["gold_sql"] == "SELECT name FROM looms WHERE width = 120"
    assert data["sql"] == answers[0]["sql"]
    assert data["gold_result"] == {"columns": ["name"], "rows": [["Berit"], ["Cato"]], "rows_in_all": 2}
    assert data["answer_result"]["rows"] == [["Berit", 120.0], ["Cato", 120.0]]
    assert [each["table"] for each in data["schema"]] == ["looms"]
    alone = asked(model_server, "judge-2")
    assert len(alone) == 2
    assert not [each for each in alone if "= 120" in json.dumps(each)], "the judge of the score sees no reference"
    found = rows["widest"]["reference"]
    # a further column: the program passes it in part, and the model may fail it
    assert (found["equivalence"], found["rationale"]) == ("different", "100 is not 120.")
    assert found["opinions"]["comparison"]["equivalence"] == "partially_equivalent"
    assert found["opinions"]["decided_by"] == "model"
    assert "reference" not in rows["towns"]
    without = scored(mill.folder, answers, *options[:2], *options[4:], "--without-reference", **model(model_server))
    assert without["widest"]["score"] == rows["widest"]["score"]
    assert rows["widest"]["rationale"] == "100 is not 120.", "the model's own word on the question alone"


@pytest.mark.slow  # asks a server
def test_values_are_masked_in_what_a_model_is_shown_of_a_reference(mill: Mill, model_server: ModelServer) -> None:
    model_server.script(reply("different"))
    answers = [answer("names", "SELECT name, town FROM looms JOIN mills ON mills.id = looms.mill")]
    options = ("--judge", "llm", "--databases", mill.databases)
    scored(mill.folder, answers, *options, **model(model_server, SQLASSAY_JUDGE__MASK="true"))
    sent = "".join(each["body"] for each in model_server.seen())
    assert not [name for name in ("Asker", "Bod", "Berit", "Cato", "Dag") if name in sent]
    [data] = asked(model_server, "comparison-1")
    assert len(data["answer_result"]["rows"]) == 4


@pytest.mark.slow  # asks a server
@pytest.mark.parametrize(
    ("word", "both", "expected"),
    [
        ("equivalent", False, ("different", "comparison")),
        ("different", True, ("different", "both")),
        ("equivalent", True, ("partially_equivalent", "both")),
    ],
)
def test_a_difference_stands_unless_the_model_that_saw_it_allows_both(
    mill: Mill, model_server: ModelServer, word: str, both: bool, expected: tuple[str, str]
) -> None:
    model_server.script(reply(word, both=both))
    answers = [answer("count", "SELECT COUNT(*) > 0 FROM looms")]
    rows = scored(mill.folder, answers, "--judge", "llm", "--schema", mill.ddl, **model(model_server))
    found = rows["count"]["reference"]
    assert (found["equivalence"], found["opinions"]["decided_by"]) == expected
    [data] = asked(model_server, "comparison-1")
    assert set(data["witness"]) == {"tables", "gold_result", "answer_result"}
    assert data["witness"] == found["witness"]


@pytest.mark.slow  # asks a server
def test_a_model_is_not_asked_about_what_is_proved(mill: Mill, model_server: ModelServer) -> None:
    model_server.script(reply("different"))
    answers = [answer("count", "SELECT COUNT(id) FROM looms"), {**answer("towns", "SELEC town"), "id": "unread"}]
    rows = scored(mill.folder, answers, "--judge", "llm", "--schema", mill.ddl, **model(model_server))
    assert asked(model_server, "comparison-1") == []
    assert {name: row["reference"]["equivalence"] for name, row in rows.items()} == {
        "count": "equivalent",
        "unread": "skipped",
    }


@pytest.mark.slow  # asks a server
def test_a_cascade_compares_without_a_model(mill: Mill, model_server: ModelServer) -> None:
    model_server.script(reply("equivalent", both=True))
    answers = [answer("widest", "SELECT name FROM looms WHERE width > 100")]
    rows = scored(mill.folder, answers, "--judge", "cascade", "--schema", mill.ddl, **model(model_server))
    assert asked(model_server, "comparison-1") == []
    assert (rows["widest"]["reference"]["equivalence"], rows["widest"]["reference"]["opinions"]) == ("different", None)


@pytest.mark.slow  # asks a server
def test_without_a_reply_the_comparison_stands_and_the_row_says_why(mill: Mill, model_server: ModelServer) -> None:
    model_server.script({"do": "text", "text": "no JSON"})
    answers = [answer("widest", "SELECT name FROM looms WHERE width > 100")]
    rows = scored(mill.folder, answers, "--judge", "llm", "--schema", mill.ddl, **model(model_server))
    found = rows["widest"]["reference"]
    assert (found["equivalence"], found["opinions"]["decided_by"]) == ("different", "comparison")
    assert found["opinions"]["model"]["failed"]["cause"] == "JUDGE_REPLY_INVALID"
