"""`sqlassay eval judge` with judges that see the reference: what they are shown, and the table of all of them."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from consumers.judging.comparing.gold_judges import BASELINES, GOLD_JUDGES
from consumers.judging.comparing.gold_opinions import GoldOpinion, read_gold_opinion
from consumers.judging.prompting import Prompt
from scoring.query import Unscored
from service.commands.cli import app
from tests.evals.test_eval_command import RUNNER, live
from tests.servers.model_server import ModelServer, model_process_server, model_server

__all__ = ["live", "model_process_server", "model_server"]

DDL = "CREATE TABLE kilns (id INTEGER PRIMARY KEY, name TEXT NOT NULL, heat INTEGER NOT NULL);"
ROWS = "INSERT INTO kilns VALUES (1, 'Anagama', 1300), (2, 'Raku', 950), (3, 'Noborigama', 1300);"
GOLD = "SELECT name FROM kilns WHERE heat = 1300"
ANSWERS = [
    (GOLD, 1),
    # equal results on these rows, and wrong
    ("SELECT name FROM kilns WHERE heat > 1000", 0),
    # other results, and right for who asks
    ("SELECT name || '!' FROM kilns WHERE heat = 1300", 1),
    ("SELECT name FROM kilns WHERE heat < 1300", 0),
]


@pytest.fixture
def kilns(tmp_path: Path) -> Path:
    """Forty labelled answers with a reference, their database and their schema."""
    (tmp_path / "databases").mkdir()
    with sqlite3.connect(tmp_path / "databases" / "pottery.sqlite") as connection:
        connection.executescript(DDL + ROWS)
    (tmp_path / "pottery.sql").write_text(DDL)
    rows = [
        {"id": f"k{n}", "question": "Which kilns reach 1300 degrees?", "db_id": "pottery", "reference_sql": GOLD,
         "sql": ANSWERS[n % 4][0], "dialect": "sqlite", "label": ANSWERS[n % 4][1]}
        for n in range(40)
    ]  # fmt: skip
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def judged(kilns: Path, *options: str, code: int = 0) -> str:
    done = RUNNER.invoke(app, ["eval", "judge", str(kilns / "labels.jsonl"), *options])
    assert done.exit_code == code, done.output
    return done.output


def data_of(server: ModelServer) -> list[dict[str, Any]]:
    users = [json.loads(each["body"])["messages"][1]["content"] for each in server.seen()]
    return [json.loads(user.split("BEGIN DATA\n")[1].split("\nEND DATA")[0]) for user in users]


@pytest.mark.slow  # asks a server
def test_one_command_measures_all_judges_side_by_side(kilns: Path, live: ModelServer) -> None:
    reply = {"rationale": "r", "equivalence": "equivalent", "confidence": 0.9, "question_allows_both": True, "score": 5}
    live.script({"do": "text", "text": json.dumps(reply)})
    names = [*(each.name for each in BASELINES), "llm"]
    options = ("--judge", ",".join(names), "--with-reference", "--databases", str(kilns / "databases"))
    page = judged(kilns, *options)
    rows = {line.split(" | ")[0].strip("| "): line.split(" | ")[1:] for line in page.splitlines() if "| 40 |" in line}
    assert list(rows)[:6] == ["equal results", *names]
    # each judge calls all right, half of which is; results are right on half of each class
    assert rows["flex"] == ["40", "0.500", "0.500", "1.000", "0.667", "0.500 |"]
    assert rows["equal results"] == ["40", "0.500", "0.500", "0.500", "0.500", "0.500 |"]
    assert len(live.seen()) == 40 * len(names)


@pytest.mark.slow  # runs queries in processes
def test_answers_whose_label_is_not_what_results_say_are_a_slice(kilns: Path) -> None:
    replies = kilns / "replies.jsonl"
    words = ["equivalent", "equivalent", "equivalent", "different"] * 10
    said = [{"rationale": "r", "equivalence": word, "confidence": 0.8} for word in words]
    replies.write_text("".join(json.dumps({"id": f"k{n}", "reply": each}) + "\n" for n, each in enumerate(said)))
    options = ("--judge", "flex", "--replies", str(replies), "--databases", str(kilns / "databases"), "--json")
    [report] = json.loads(judged(kilns, *options))
    subset = report["slices"]["subset"]
    assert {name: (each["answers"], each["accuracy"]) for name, each in subset.items()} == {
        "easy": (20, 1.0),
        "hard": (20, 0.5),
        "equal results, labelled wrong": (10, 0.0),
        "other results, labelled right": (10, 1.0),
    }


@pytest.mark.slow  # asks a server
def test_the_model_sees_reference_results_witness_and_background_but_no_label(kilns: Path, live: ModelServer) -> None:
    reply = {"rationale": "r", "equivalence": "different", "confidence": 0.9, "question_allows_both": False}
    live.script({"do": "text", "text": json.dumps(reply)})
    about = kilns / "about.md"
    about.write_text("A kiln is fired to a heat in degrees Celsius.")
    learned = kilns / "learned.json"
    rule = {"side": "supports_right", "text": "问题只问名称时结果多一列说明也算对。"}
    learned.write_text(json.dumps({"rules": [rule]}))
    options = ("--judge", "llm", "--with-reference", "--databases", str(kilns / "databases"), "--schemas",
               str(kilns / "pottery.sql"), "--background", str(about), "--learned", str(learned))  # fmt: skip
    judged(kilns, *options)
    by_sql = {each["sql"]: each for each in data_of(live)}
    wider = next(each for sql, each in by_sql.items() if ">" in sql)
    assert wider["background"] == about.read_text(), "the words of its writer stay as they are"
    assert set(wider) >= {"question", "gold_sql", "gold_result", "answer_result", "schema", "finding"}
    assert not any("label" in each or "label" in json.dumps(each) for each in by_sql.values())
    system = json.loads(live.seen()[0]["body"])["messages"][0]["content"]
    rules = json.loads(system.split("BEGIN RULES\n")[1].split("\nEND RULES")[0])
    assert rules == [{"number": 1, **rule}], "a rule in another language is shown as it is"


@pytest.mark.slow  # asks a server
def test_written_prompts_are_those_that_a_server_is_sent(kilns: Path, live: ModelServer) -> None:
    prompts = kilns / "prompts.jsonl"
    options = ("--judge", "explain_compare", "--schemas", str(kilns / "pottery.sql"))
    judged(kilns, *options, "--prompts", str(prompts))
    rows = [json.loads(line) for line in prompts.read_text().splitlines()]
    assert len(rows) == 40
    assert not any("label" in row for row in rows)
    live.script({"do": "text", "text": json.dumps({"rationale": "", "equivalence": "equivalent", "confidence": 1})})
    judged(kilns, *options)
    sent = {tuple(message["content"] for message in json.loads(each["body"])["messages"]) for each in live.seen()}
    assert sent == {(row["system"], row["user"]) for row in rows}


def test_a_server_that_refuses_is_named_with_the_answers_that_it_left_out(kilns: Path, live: ModelServer) -> None:
    live.script({"do": "status", "status": 401, "headers": {}})
    said = judged(kilns, "--judge", "g_eval", code=2)
    assert "the model gave no opinion on " in said
    assert "no answer could be judged" in said


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--judge", "flex,local"), "sees no reference"),
        (("--judge", "flex,llm"), "add --with-reference"),
        (("--judge", "flex", "--with-reference"), "--with-reference is for --judge llm"),
        (("--judge", "gpt"), "miniature_mull"),
        (("--judge", "local", "--databases", "."), "--databases is for judges that see the reference"),
        (("--judge", "flex", "--databases", "nowhere"), "there is no folder nowhere"),
        (("--judge", "flex", "--held-out", "question"), "--held-out and --alone"),
        (("--judge", "flex,g_eval", "--prompts", "p.jsonl"), "are for one judge"),
    ],
)
def test_options_that_contradict_each_other_are_refused(kilns: Path, options: tuple[str, ...], named: str) -> None:
    assert named in judged(kilns, *options, code=2)


def test_labels_without_a_reference_are_refused(kilns: Path) -> None:
    (kilns / "labels.jsonl").write_text('{"id": "a", "question": "q", "sql": "SELECT 1", "label": 1}\n')
    assert "`reference_sql`" in judged(kilns, "--judge", "g_eval", code=2)


PROMPT = Prompt(version="v", system="", user="", digest="", masker=None)


@pytest.mark.parametrize(
    ("judge", "reply", "expected"),
    [
        ("llm", {"equivalence": "partially_equivalent", "confidence": 0.7}, ("partially_equivalent", 0.7)),
        ("llm", {"equivalence": "different", "confidence": 0.7}, ("different", 0.3)),
        ("flex", {"equivalence": "different", "confidence": 0.2}, ("different", 0.5)),
        ("g_eval", {"score": 5}, ("equivalent", 1.0)),
        ("g_eval", {"score": 3}, ("partially_equivalent", 0.5)),
        ("g_eval", {"score": 1}, ("different", 0.0)),
        ("flex", {"equivalence": "partially_equivalent", "confidence": 0.7}, "was not offered"),
        ("flex", {"equivalence": "equivalent", "confidence": 7}, "is not a probability"),
        ("g_eval", {"score": 2.5}, "is not a whole number from 1 to 5"),
        ("g_eval", {"score": True}, "is not a whole number from 1 to 5"),
        ("llm", {"equivalence": "equivalent", "confidence": 1, "rationale": ["no"]}, "rationale is an array"),
    ],
)
def test_replies_are_read_strictly(judge: str, reply: dict[str, Any], expected: Any) -> None:
    found = read_gold_opinion(json.dumps(reply), PROMPT, GOLD_JUDGES[judge].form)
    if isinstance(expected, str):
        assert isinstance(found, Unscored)
        assert expected in found.detail
    else:
        assert isinstance(found, GoldOpinion)
        assert (found.equivalence.value, found.p_correct) == expected
