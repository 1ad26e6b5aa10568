"""What the current prompt shows beside the answer, and how long it is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from statistics import median

from consumers.judging.prompting import Prompt, prompt_for
from consumers.judging.reply_schema import OFFERED_CODES
from consumers.wire.rules_document import decode_rules
from scoring.evaluation import examine
from scoring.query import Query, Turn
from scoring.verdict import Case
from service.judges.configured_panel import judge_template
from service.judges.weights import local_judge

TEMPLATE = judge_template()
EVERYDAY = sorted((Path(__file__).parents[2] / "benchmarks/everyday/fit").glob("*/answers.jsonl"))
MOST_TOKENS = 1200
BYTES_PER_TOKEN = 4
"""Bytes of English and JSON in a token, by the tokenizers of common models."""


def prompt_of(case: Case, *, masked: bool = True) -> Prompt:
    prompt = prompt_for(case, TEMPLATE, masked=masked, doubts=local_judge().judge(case).reasons)
    assert isinstance(prompt, Prompt), prompt
    return prompt


def shown(query: Query, rules: dict[str, object] | None = None) -> dict:
    case = examine(query, decode_rules(rules or {}).rules(version=1))
    assert isinstance(case, Case), case
    return json.loads(prompt_of(case).user.split("\n")[1])


WELLS = Query(
    question="How many wells ran dry?",
    sql="SELECT 100 * COUNT(*) / 3 FROM wells WHERE state = 7 AND depth > 3",
    dialect="postgres",
    history=(Turn(question="wells of Varga", sql="SELECT id FROM wells WHERE keeper = 'Varga'"),),
)


def test_the_house_the_dialect_and_the_conversation_are_shown_and_masked() -> None:
    rules = {
        "conventions": [{"table": "wells", "predicate": "keeper <> 'Ottilie Varga'"}],
        "units": {"wells.depth": "cm", "other.length": "m"},
        "codes": {"state": {"7": "dry"}, "colour": {"1": "red"}},
        "look_alikes": [{"column": "wells.depth", "instead_of": ["wells.bore"], "when": ["dry"]}],
        "fiscal_year": {"starts": 7, "words": ["ytd"]},
        "time_zones": [{"zone": "Asia/Tokyo", "columns": ["wells.depth", "wells.dug_at"], "parts": ["day", "hour"]}],
    }
    said = shown(WELLS, rules)
    assert said["dialect_notes"].startswith("integer / integer drops the fraction")
    [convention] = said["rules"]["conventions"]
    assert convention["table"] == "wells"
    assert "Varga" not in json.dumps(said)
    assert said["rules"]["units"] == {"wells.depth": "cm"}
    assert said["rules"]["codes"] == {"state": {"7": "dry"}}
    assert said["rules"]["look_alikes"] == [{"column": "wells.depth", "not": ["wells.bore"], "only_for": ["dry"]}]
    assert said["rules"]["fiscal_year"] == {"first_month": 7, "named_after": "end", "also_called": ["ytd"]}
    assert said["rules"]["time_zones"] == [
        {"zone": "asia/tokyo", "columns": ["wells.depth"], "only_for": ["hour", "day"]}
    ]
    [turn] = said["history"]
    assert turn["sql"].startswith("SELECT id FROM wells WHERE keeper = 'TEXT_")


def test_the_local_reasons_against_an_answer_are_doubts_and_others_are_not() -> None:
    said = shown(replace(WELLS, sql="SELECT name FROM wells", history=()))
    assert any(each.startswith("LIST_FOR_COUNT: ") for each in said["doubts"])
    assert len(said["doubts"]) <= 4


def test_what_is_empty_is_left_out() -> None:
    said = shown(Query(question="name the wells", sql="SELECT name FROM wells"))
    assert "history" not in said
    assert "rules" not in said
    assert "missing" not in said["record"]


def test_the_median_prompt_of_everyday_answers_is_short() -> None:
    sizes: list[int] = []
    for path in EVERYDAY:
        for line in path.read_text(encoding="utf-8").splitlines()[::20]:
            row = json.loads(line)
            case = examine(
                Query(question=row["question"], sql=row["sql"], dialect=row["dialect"]),
                decode_rules({}).rules(version=1),
            )
            sizes += [prompt_of(case).size] if isinstance(case, Case) else []
    assert median(sizes) <= MOST_TOKENS * BYTES_PER_TOKEN


def test_every_code_that_the_prompt_names_is_offered() -> None:
    named = {word.strip('.,;:[]"') for word in TEMPLATE.system.split() if "_" in word and word.isupper()}
    codes = {word for word in named if not word.startswith(("TEXT_", "NUM_", "VALUE_", "YEAR_", "(YEAR_"))}
    assert len(codes) > 15
    assert codes <= set(OFFERED_CODES)
