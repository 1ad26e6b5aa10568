"""`from sqlassay import score`: what the service says, in a Python program."""

from __future__ import annotations

import inspect
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import to_json

import sqlassay
from consumers.wire.events import InvalidEvent, decode_event
from consumers.wire.rules_document import decode_rules
from scoring.record import SCORED_FIELDS
from scoring.rules import Rules as ReadRules
from service.commands.score_lines import LocalScorer
from service.judges.weights import local_judge
from service.samples import sample_events, sample_rules
from sqlassay import InvalidRules, Rules, ScoredAnswer, Scorer, score, score_many
from tests.costly import COSTLY, cpu_budget

QUESTION = "How many members joined in 2025?"
RIGHT = "SELECT COUNT(*) FROM members WHERE joined_on >= '2025-01-01' AND joined_on < '2026-01-01'"
ROOT = Path(__file__).parents[2]


def test_an_answer_has_the_bytes_that_the_commands_and_the_service_write() -> None:
    tenants = sample_rules()
    compared = 0
    for sample in sample_events():
        try:
            event = decode_event(sample, require_id=True)
        except InvalidEvent:
            continue
        rules = tenants[event.tenant]
        expected = LocalScorer(decode_rules(rules).rules(version=0), local_judge()).record(event.query())
        [answer] = score_many([sample], rules=rules)
        assert answer.to_json() == orjson.dumps(expected)
        compared += 1
    assert compared > 250


@given(st.recursive(st.floats(allow_nan=False) | st.text() | st.integers(-(2**53), 2**53), st.lists, max_leaves=5))
def test_json_is_written_as_by_the_service(value: object) -> None:
    assert to_json(value, inf_nan_mode="null") == orjson.dumps(value)


def test_an_answer_has_the_fields_of_a_line_out() -> None:
    names = {each.name for each in fields(ScoredAnswer)}
    assert names == {*SCORED_FIELDS, "unscored", "evaluator_version", "rules_version", "record"}
    answer = score(question=QUESTION, sql=RIGHT)
    line = json.loads(answer.to_json())
    assert {name: getattr(answer, name) for name in ("score", "tier", "p_correct", "composite", "sql_spec")} == {
        name: line[name] for name in ("score", "tier", "p_correct", "composite", "sql_spec")
    }
    assert [each.code for each in answer.reasons] == [each["code"] for each in line["reasons"]]


def test_the_functions_take_what_the_documentation_names() -> None:
    for function in (score, Scorer.score):
        named = [each for each in inspect.signature(function).parameters.values() if each.name != "self"]
        assert all(each.kind is each.KEYWORD_ONLY for each in named)
    documented = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/library.md").read_text(), flags=re.MULTILINE))
    assert set(inspect.signature(score).parameters) | set(sqlassay.__all__) <= documented


def test_rules_are_a_document_or_rules_and_faults_are_named() -> None:
    sql = f"{RIGHT} AND is_test = 0"
    plain = score(question=QUESTION, sql=sql, rules={"benign_filters": ["is_test = 0"]})
    assert plain.alignment
    assert [each["text"] for each in plain.alignment["filters"]["benign"]]
    assert plain == score(question=QUESTION, sql=sql, rules=Rules(benign_filters=["is_test = 0"]))
    with pytest.raises(InvalidRules, match="benign"):
        Scorer({"benign": []})
    with pytest.raises(InvalidRules, match="= ="):
        Scorer(Rules(benign_filters=["= ="]))


@pytest.mark.parametrize(
    ("answer", "unscored", "said"),
    [
        ({"question": 3, "sql": "SELECT 1"}, "INVALID_EVENT", "field question is 3: give a text"),
        ({"sql": "SELECT 1"}, "INVALID_EVENT", "field question is None: give a text"),
        ({"question": "a", "sql": ["SELECT 1"]}, "INVALID_EVENT", "field sql is list"),
        ({"question": "a", "sql": "SELECT 1", "occurred_at": "now"}, "INVALID_EVENT", "ISO 8601"),
        ({"question": "a", "sql": "SELECT 1", "occurred_at": 3}, "INVALID_EVENT", "ISO 8601"),
        ({"question": "a", "sql": None}, "EMPTY_SQL", ""),
        ({"question": "a", "sql": "SELECT '\0'"}, "INVALID_TEXT", ""),
        ({"question": "a", "sql": "SELECT " + "(" * 10_000}, "SQL_TOO_DEEP", ""),
        ({"question": "a", "sql": "SELECT 1", "dialect": "klingon"}, "UNKNOWN_DIALECT", ""),
    ],
)
def test_a_bad_answer_has_no_score_and_stops_nothing(answer: dict, unscored: str, said: str) -> None:
    bad, good = score_many([answer, {"question": QUESTION, "sql": RIGHT}])
    assert (bad.score, bad.unscored) == (None, unscored)
    assert said in bad.reasons[0].detail
    assert good.score is not None


def test_relative_dates_refer_to_when_the_agent_answered() -> None:
    question, sql = "How many members joined last month?", RIGHT.replace("2026-01-01", "2025-02-01")
    then, later = datetime(2025, 2, 10), datetime(2026, 6, 10)
    dated = score(question=question, sql=sql, occurred_at=then)
    assert dated.p_correct != score(question=question, sql=sql, occurred_at=later).p_correct
    assert [dated] == list(score_many([{"question": question, "sql": sql, "occurred_at": then.isoformat()}]))


def test_a_follow_up_is_read_with_the_turns_before_it() -> None:
    turns = [{"question": QUESTION, "sql": RIGHT}]
    answer: dict[str, Any] = {"question": "And in 2024?", "sql": RIGHT.replace("2025", "2024").replace("2026", "2025")}
    read = score(**answer, history=turns)
    assert read.follow_up
    assert (read.verdict, read.follow_up["meaning"]) == ("Correct", "How many members joined in 2024")
    assert score(**answer).unscored == "FOLLOW_UP_UNRESOLVED"
    assert [read] == list(score_many([{**answer, "history": turns}]))
    with Scorer(cpu_seconds=5) as scorer:
        assert scorer.score(**answer, history=turns) == read


@pytest.mark.parametrize(
    ("history", "said"),
    [
        (3, "field history: "),
        ([{"sql": "SELECT 1"}], "field history.0.question: Field required"),
        ([{"question": "a" * 90_000}] * 5, "at most 400000 are accepted: send the latest turns"),
    ],
)
def test_turns_that_no_event_may_have_give_no_score(history: object, said: str) -> None:
    [answer] = score_many([{"question": QUESTION, "sql": RIGHT, "history": history}])
    assert answer.unscored == "INVALID_EVENT"
    assert said in answer.reasons[0].detail


def test_answers_are_scored_when_they_are_asked_for() -> None:
    def forever():
        while True:
            yield {"question": QUESTION, "sql": RIGHT}

    assert next(score_many(forever())).score is not None


def test_an_answer_that_is_too_costly_has_no_score_and_its_neighbours_have_theirs() -> None:
    rules = {"codes": {"members.state": {"A": "active"}}, "benign_filters": ["is_test = 0"]}
    sqls = [RIGHT, COSTLY, COSTLY, RIGHT]
    alone = score(question=QUESTION, sql=RIGHT, rules=rules)
    answers = [{"question": QUESTION, "sql": sql} for sql in sqls]
    first, *costly, last = score_many(answers, rules=rules, cpu_seconds=cpu_budget())
    assert [each.unscored for each in costly] == ["TOO_COSTLY", "TOO_COSTLY"]
    assert f"{cpu_budget():g} s of CPU (cpu_seconds)" in costly[0].reasons[0].detail
    assert first == last == alone


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_a_limit_must_be_a_number_of_seconds(seconds: float) -> None:
    with pytest.raises(ValueError, match="cpu_seconds is"):
        Scorer(cpu_seconds=seconds)


def test_the_process_of_a_scorer_ends_with_the_program_that_started_it() -> None:
    script = (
        "import os, signal; from sqlassay import Scorer; scorer = Scorer(cpu_seconds=5)\n"
        "scorer.score(question='How many?', sql='SELECT COUNT(*) FROM hens')\n"
        "print(scorer._process._process.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == -signal.SIGKILL, done.stderr
    child, until = int(done.stdout), time.monotonic() + 20
    while time.monotonic() < until and _alive(child):
        time.sleep(0.05)
    assert not _alive(child)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return not Path(f"/proc/{process}/stat").exists() or " Z " not in Path(f"/proc/{process}/stat").read_text()


def test_the_readme_shows_what_its_lines_of_python_print() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.index("```python") < 2500, "it belongs on the first screen"
    block = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)[0]
    *lines, said = filter(None, block.splitlines())
    assert len(lines) == 3
    command = [sys.executable, "-c", "\n".join(lines)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert f"# {done.stdout.strip()}" == said


def test_the_default_rules_are_those_of_a_tenant_without_any() -> None:
    assert decode_rules({}).rules(version=0) == ReadRules()
