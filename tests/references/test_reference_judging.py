"""What an event's reference says of its answer: whose fault it is, which alternative counts, and what is kept of it."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest

from references.judging import judge_answer
from references.reference_verdict import AnswerPair, NotJudged, ReferenceVerdict, not_judged, reference_record
from references.semantics import Semantics

TALL = "SELECT id FROM shelf WHERE height > 3"
DOCS = Path(__file__).parents[2] / "docs/references.md"


def judged(reference: str, answer: str, dialect: str | None = None, **options: Any):
    return judge_answer(AnswerPair(reference=reference, answer=answer, dialect=dialect), **options)


@pytest.mark.parametrize(
    ("reference", "answer", "verdict"),
    [
        (TALL, "SELECT id FROM shelf WHERE NOT height <= 3", ReferenceVerdict.EQUIVALENT),
        (TALL, "SELECT id FROM shelf WHERE height >= 3", ReferenceVerdict.DIFFERENT),
        (TALL, "SELECT id FORM shelf WHERE", ReferenceVerdict.ERROR),
        (TALL, "", ReferenceVerdict.ERROR),
        (TALL, "DROP TABLE shelf", ReferenceVerdict.ERROR),
        ("SELECT id FORM shelf WHERE", TALL, ReferenceVerdict.UNFIT_REFERENCE),
        ("SELECT {id FROM shelf", TALL, ReferenceVerdict.UNFIT_REFERENCE),
        (" -- nothing", TALL, ReferenceVerdict.UNFIT_REFERENCE),
        (f"SELECT {'(' * 5000}1{')' * 5000}", TALL, ReferenceVerdict.UNSUPPORTED),
    ],
)
def test_a_verdict_says_whose_fault_it_is(reference: str, answer: str, verdict: ReferenceVerdict) -> None:
    assert judged(reference, answer).verdict is verdict


def test_a_reason_speaks_of_the_reference_and_of_the_answer() -> None:
    assert "answer" in (judged(TALL, "SELECT").finding.reason or "")
    assert (judged("DELETE FROM shelf", TALL).finding.reason or "").startswith("reference: ")


def test_the_alternative_that_says_most_for_the_answer_counts() -> None:
    reference = "SELECT {id, room} FROM shelf; SELECT height FROM shelf"
    found = judged(reference, "SELECT height FROM shelf")
    assert (found.verdict, found.alternative) == (ReferenceVerdict.EQUIVALENT, "SELECT height FROM shelf")
    milder = judged("SELECT id FROM shelf WHERE height > 3; SELECT DISTINCT room FROM shelf", "SELECT room FROM shelf")
    assert (milder.verdict, milder.level) == (ReferenceVerdict.DIFFERENT, "S4")
    assert milder.alternative == "SELECT DISTINCT room FROM shelf"


def test_an_alternative_that_cannot_be_run_leaves_open_what_the_others_deny() -> None:
    beyond = "SELECT id FROM shelf WHERE room ~ '^[ab]'"
    found = judged(f"{TALL}; {beyond}", "SELECT room FROM shelf", "postgres")
    assert found.verdict is ReferenceVerdict.UNSUPPORTED


def test_more_alternatives_than_are_tried_are_said_to_be_left_out() -> None:
    assert judged("SELECT {a, b, c, d, e} FROM shelf", "SELECT z FROM shelf").left_out
    assert not judged("SELECT {a, b} FROM shelf", "SELECT z FROM shelf").left_out


def test_what_leaves_the_reference_open_is_told_beside_the_verdict() -> None:
    found = judged("SELECT id FROM shelf LIMIT 3", "SELECT id FROM shelf LIMIT 3")
    assert [each.doubt.value for each in found.doubts] == ["limit_without_order"]
    assert found.verdict is ReferenceVerdict.EQUIVALENT


def test_a_dialect_may_go_by_any_of_its_names_or_none_and_one_that_is_none_is_refused() -> None:
    cast = "SELECT height::int FROM shelf"
    assert judged(cast, cast, "PostgreSQL").verdict is ReferenceVerdict.EQUIVALENT
    assert judged(cast, cast.lower()).verdict is ReferenceVerdict.EQUIVALENT
    assert judged(cast, cast, "klingon").verdict is ReferenceVerdict.UNSUPPORTED


def test_a_query_that_cannot_be_run_here_is_still_itself_unless_it_leaves_something_to_chance() -> None:
    beyond = "SELECT id FROM shelf WHERE room ~ '^[ab]'"
    assert (
        judged(beyond, f"{beyond.replace(' FROM', '  from')} -- again", "postgres").verdict == "equivalent_up_to_bound"
    )
    chance = f"{beyond} ORDER BY RANDOM()"
    assert judged(chance, chance, "postgres").verdict is ReferenceVerdict.UNSUPPORTED


def test_semantics_are_kept_with_the_verdict() -> None:
    found = judged("SELECT DISTINCT room FROM shelf", "SELECT room FROM shelf", semantics=Semantics.SET)
    assert found.verdict is ReferenceVerdict.EQUIVALENT
    assert reference_record(found)["semantics"] == "set"


def test_the_order_counts_where_the_reference_has_one() -> None:
    ordered, bare = "SELECT room FROM shelf ORDER BY height, room", "SELECT room FROM shelf"
    found = judged(ordered, bare)
    assert (found.verdict, found.semantics) == (ReferenceVerdict.DIFFERENT, Semantics.LIST)
    assert "another order" in (found.finding.reason or "")
    assert judged(bare, ordered).verdict is ReferenceVerdict.EQUIVALENT
    assert judged(ordered, f"{ordered}, room").verdict is ReferenceVerdict.EQUIVALENT
    assert judged(ordered, bare, semantics=Semantics.BAG).verdict is ReferenceVerdict.EQUIVALENT


def test_a_record_holds_nothing_that_a_database_refuses_and_stays_small() -> None:
    long = "x" * 50_000
    found = judged(f"SELECT char(0) || '{long}' FROM shelf", f"SELECT char(1) || '{long}' FROM shelf")
    assert found.verdict is ReferenceVerdict.DIFFERENT
    record = json.dumps(reference_record(found))
    assert "\\u0000" not in record
    assert len(record) < 20_000


def test_a_record_shows_the_database_and_what_both_give() -> None:
    record = reference_record(judged(TALL, "SELECT id FROM shelf WHERE height >= 3"))
    shown = record["counterexample"]
    assert isinstance(shown, dict)
    assert set(shown) == {"tables", "reference", "answer"}
    assert (shown["reference"]["rows_in_all"], shown["answer"]["rows_in_all"]) == (0, 1)
    assert record["level"] == "S0"


def test_what_was_not_judged_says_why_and_shows_nothing() -> None:
    record = reference_record(not_judged(NotJudged.OFF))
    assert (record["verdict"], record["reason"], record["counterexample"]) == ("not_judged", "OFF", None)


@pytest.mark.parametrize(("head", "enum"), [("reference verdict", ReferenceVerdict), ("not judged", NotJudged)])
def test_every_verdict_and_every_reason_for_none_is_documented_and_no_other(head: str, enum: type[StrEnum]) -> None:
    found = re.search(rf"^\| {head} \|.*\n(?:\|.*\n?)+", DOCS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert found
    assert set(re.findall(r"^\| `(\w+)`", found.group(), flags=re.MULTILINE)) == {each.value for each in enum}


DECLARED = "CREATE TABLE looms (id INTEGER PRIMARY KEY, name TEXT, width REAL);"


@pytest.mark.parametrize(
    ("answer", "dialect", "verdict"),
    [
        ("SELECT SPLIT_PART(name, ' ', 1) FROM looms", None, "unsupported"),
        ("SELECT MEDIAN(width) FROM looms", None, "unsupported"),
        ("SELECT SPLIT_PART(name, ' ', 1) FROM looms", "sqlite", "error"),
        ("SELECT colour FROM looms", None, "error"),
    ],
)
def test_what_sqlite_lacks_is_no_fault_of_an_answer_whose_dialect_nobody_named(
    answer: str, dialect: str | None, verdict: str
) -> None:
    pair = AnswerPair(reference="SELECT name FROM looms", answer=answer, dialect=dialect, schema=DECLARED)
    assert judge_answer(pair).verdict.value == verdict
