"""The benchmark of everyday questions is complete, repeatable, invented, and stays out of what is shipped."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

from benchmarks.everyday.databases import Company
from benchmarks.everyday.execute import executed
from consumers.wire.events import decode_event
from hatch_build import ROOMS

ROOT = Path(__file__).parents[2]
EVERYDAY = ROOT / "benchmarks" / "everyday"
FOLDERS = sorted(path.parent for path in EVERYDAY.glob("*/*/company.json"))
FILES = {"company.json", "schema.sql", "dictionary.md", "data.py", "questions.jsonl", "answers.jsonl"}
FIELDS_OF_AN_ANSWER = (
    *("id", "company", "agent", "knows_dictionary", "dialect", "occurred_at", "question_id", "question"),
    *("enriched_question", "sql", "label", "visible", "why", "executed"),
)
SMALL = ("report/voltride", "choose/helpwell")
REAL_COMPANIES = """
    adidas airbnb aldi allianz amazon anthropic apple audi axa bmw citroen claude dhl disney doordash ebay expedia
    facebook fedex fiat ford glovo google hertz honda hyundai ikea imax instagram kia klarna lidl linkedin lyft
    mastercard mazda mercedes meta microsoft netflix nike nissan openai opel opentable paypal peugeot renault
    revolut salesforce samsung seat sixt skoda sony spotify stripe suzuki tesco tesla tiktok toyota twitter uber
    vauxhall visa vodafone volkswagen volvo vw yamaha youtube zendesk zumba
""".split()
# the makers of a dialect are named by it: oracle, snowflake, databricks
ORDINARY_WORDS = {"apple", "seat", "visa", "meta"}
"""Left out: as a fruit, a place to sit, a permit and a prefix they are no names."""


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def named(path: Path) -> str:
    return path.relative_to(EVERYDAY).as_posix()


every_company = pytest.mark.parametrize("folder", FOLDERS, ids=named)


def test_there_are_enough_companies_dialects_and_answers() -> None:
    assert len(FOLDERS) >= 16
    assert Counter(path.parent.name for path in FOLDERS).keys() == {"fit", "choose", "report"}
    assert len([path for path in FOLDERS if path.parent.name == "report"]) >= 5
    assert len({path.name for path in FOLDERS}) == len(FOLDERS), "a company belongs to one part"
    assert len({Company(path).dialect for path in FOLDERS}) >= 8
    assert sum(len(lines(path / "answers.jsonl")) for path in FOLDERS) >= 3500


@every_company
def test_a_company_has_all_its_files(folder: Path) -> None:
    assert {path.name for path in folder.iterdir() if path.is_file()} == FILES
    assert json.loads((folder / "company.json").read_text()).keys() == {"name", "about", "dialect", "today"}
    assert len((folder / "dictionary.md").read_text(encoding="utf-8").splitlines()) >= 10


@every_company
def test_a_schema_parses_in_its_dialect(folder: Path) -> None:
    statements = sqlglot.parse((folder / "schema.sql").read_text(encoding="utf-8"), read=Company(folder).dialect)
    tables = [each for each in statements if isinstance(each, exp.Create) and isinstance(each.this, exp.Schema)]
    assert len(tables) >= 7


@every_company
def test_questions_are_enough_and_follow_ups_have_their_conversation(folder: Path) -> None:
    questions = lines(folder / "questions.jsonl")
    assert len(questions) >= 40
    assert len({each["id"] for each in questions}) == len(questions)
    assert all(each["question"] and each["gold"] and isinstance(each["alternatives"], list) for each in questions)
    assert any(each["conversation"] for each in questions)


@every_company
def test_every_answer_is_an_event_with_a_label(folder: Path) -> None:
    about = json.loads((folder / "company.json").read_text())
    questions = {each["id"]: each["question"] for each in lines(folder / "questions.jsonl")}
    for answer in lines(folder / "answers.jsonl"):
        assert tuple(answer) == FIELDS_OF_AN_ANSWER
        assert decode_event(answer, require_id=False).query().sql == answer["sql"]
        assert answer["company"] == folder.name
        assert (answer["dialect"], answer["occurred_at"]) == (about["dialect"], about["today"])
        assert answer["question"] == questions[answer["question_id"]]
        assert answer["executed"] in ("same", "different", "not_run")


@every_company
def test_every_wrong_answer_says_whether_its_fault_can_be_seen_and_why(folder: Path) -> None:
    for answer in lines(folder / "answers.jsonl"):
        if answer["label"] == 1:
            assert answer["visible"] is None, answer["id"]
        else:
            assert answer["label"] == 0
            assert answer["why"].startswith("v: " if answer["visible"] else "h: "), answer["id"]


@every_company
def test_every_pass_answers_every_question_once(folder: Path) -> None:
    questions = [each["id"] for each in lines(folder / "questions.jsonl")]
    counts = Counter((each["agent"], each["question_id"]) for each in lines(folder / "answers.jsonl"))
    agents = {agent for agent, _ in counts}
    assert len(agents) >= 5
    assert counts == Counter((agent, question) for agent in agents for question in questions)


def test_ids_are_unique_over_all_companies() -> None:
    ids = Counter(each["id"] for path in FOLDERS for each in lines(path / "answers.jsonl"))
    assert [key for key, count in ids.items() if count > 1] == []


@pytest.mark.slow  # makes every company's rows twice
@every_company
def test_rows_are_seeded(folder: Path) -> None:
    rows = Company(folder).rows()
    assert rows == Company(folder).rows()
    assert all(len({len(row) for row in table}) == 1 for table in rows.values())


@pytest.mark.parametrize("name", SMALL)
def test_gold_and_alternatives_run_and_are_not_empty(name: str) -> None:
    database = Company(EVERYDAY / name).database()
    for question in lines(EVERYDAY / name / "questions.jsonl"):
        for sql in (question["gold"], *question["alternatives"]):
            rows = database.execute(sql).fetchall()
            assert any(value is not None for row in rows for value in row), (question["id"], sql)


@pytest.mark.parametrize("name", SMALL[:1])
def test_answers_run_as_they_are_recorded(name: str) -> None:
    recorded = {each["id"]: each["executed"] for each in lines(EVERYDAY / name / "answers.jsonl")}
    assert dict(executed(EVERYDAY / name)) == recorded


@every_company
def test_no_real_company_and_no_path_is_named(folder: Path) -> None:
    names = "|".join(sorted(set(REAL_COMPANIES) - ORDINARY_WORDS))
    forbidden = re.compile(rf"\b(?:{names})\b|(?<![\w.])/(?:tmp|work|home|root|usr|mnt)/", re.IGNORECASE)
    for path in folder.iterdir():
        if path.is_file():
            assert forbidden.findall(path.read_text(encoding="utf-8")) == [], path.name


def test_the_data_is_neither_in_the_wheel_nor_in_the_image() -> None:
    assert "benchmarks" not in ROOMS
    assert "benchmarks" in (ROOT / ".dockerignore").read_text().splitlines()
    assert "benchmarks" not in (ROOT / "Dockerfile").read_text()


@pytest.mark.parametrize("part", ["fit", "choose", "report"])
def test_the_page_counts_what_is_there(part: str) -> None:
    page = (ROOT / "docs" / "everyday.md").read_text(encoding="utf-8")
    folders = [folder for folder in FOLDERS if folder.parent.name == part]
    answers = [each for folder in folders for each in lines(folder / "answers.jsonl")]
    right = sum(each["label"] for each in answers) / len(answers)
    seen = sum(each["visible"] is True for each in answers)
    cells = f"{len(folders)} | {44 * len(folders)} | {len(answers):,} | {right:.2f} | {seen} |"
    assert re.search(rf"^\| `{part}` \| [^|]+ \| {re.escape(cells)}$", page, re.MULTILINE)
