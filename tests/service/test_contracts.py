from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from consumers.evaluation.event_evaluation import evaluate
from consumers.publishing.result_messages import result_message
from consumers.stream.dead_letters import dead_letter
from consumers.wire.events import decode_event
from scoring.evaluation import conclude, examine
from scoring.query import Unscored, UnscoredReason
from scoring.reasons import ReasonCode
from scoring.rules import Rules
from service.contracts.asyncapi import QueryScore, asyncapi
from service.contracts.reason_meanings import reason_meanings
from service.contracts.reasons_page import reasons_page
from service.contracts.write import CONTRACTS, FOLDER, MEANINGS, REASONS, file_content
from service.judges.weights import local_judge


@pytest.mark.parametrize("name", CONTRACTS)
def test_the_contract_checked_in_is_what_the_code_says(name):
    current = file_content(CONTRACTS[name]())
    assert (FOLDER / name).read_bytes() == current, f"docs/contracts/{name} is out of date: run make contracts"


def test_the_tables_of_reasons_are_what_the_docstrings_of_the_signals_say():
    page = REASONS.read_text(encoding="utf-8")
    assert page == reasons_page(page), "docs/reasons.md is out of date: run make contracts"


def test_the_console_knows_the_meaning_of_every_reason():
    found = reason_meanings(REASONS.read_text(encoding="utf-8"))
    assert MEANINGS.read_bytes() == file_content(found), f"{MEANINGS.name} is out of date: run make contracts"
    assert set(found) == {*ReasonCode, *UnscoredReason}
    assert all(each["means"] and each["section"] for each in found.values())


def test_no_other_contract_lies_there():
    assert {path.name for path in FOLDER.iterdir()} == set(CONTRACTS)


EVENT = {"event_id": "1", "question": "How many open orders are there?", "occurred_at": "2026-11-02T09:30:00Z"}


@pytest.mark.parametrize("sql", ["SELECT COUNT(*) FROM orders WHERE status = 'open'", "SELECT", ""])
def test_a_result_is_what_the_contract_of_its_topic_says(sql):
    event = decode_event(EVENT | {"sql": sql}, require_id=True)
    case, judge = examine(event.query(), Rules()), local_judge()
    result = case if isinstance(case, Unscored) else conclude(case, judge.judge(case))
    evaluation = evaluate(event, result, Rules(), datetime(2026, 11, 2, tzinfo=UTC))
    message = result_message(evaluation, "query-scores")
    assert message.value is not None
    told = QueryScore.model_validate_json(message.value)
    assert set(orjson.loads(message.value)) == set(QueryScore.model_fields)
    assert (told.score is None) == isinstance(result, Unscored)
    declared = asyncapi("1")["components"]["messages"]["query-scores:Message"]["headers"]["properties"]
    assert {name for name, _ in message.headers} <= set(declared)


def test_the_headers_of_a_dead_letter_are_declared():
    record: Any = SimpleNamespace(
        topic="query-events", key=None, value=b"{", partition=0, offset=7, timestamp=1, headers=[]
    )
    letter = dead_letter(record, "query-events.dead", reason="NOT_JSON", detail="it ends too early", most=10)
    declared = asyncapi("1")["components"]["messages"]["query-events.dead:Message"]["headers"]["properties"]
    assert {name for name, _ in letter.headers} == set(declared)
