"""The field `result` of an event: what is stored, what is refused, and what is hidden in an error."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from consumers.spans import Span
from consumers.spans.attributes import SpanTable
from consumers.spans.span_reader import SpanReader
from consumers.wire.events import InvalidEvent, InvalidReason, QueryEvent, decode_event
from consumers.wire.masked_errors import LONGEST_KEPT, mask_error
from scoring.query import RunResult

SQL = "SELECT nam FROM members WHERE town = 'Faro'"
PLAIN = {"question": "Who lives in Faro?", "sql": SQL}


def decoded(result: object) -> QueryEvent:
    return decode_event({**PLAIN, "result": result}, require_id=False)


def read(result: object) -> RunResult | None:
    return decoded(result).query().result


def test_every_key_is_optional_and_unknown_ones_are_ignored() -> None:
    assert read({}) == RunResult()
    assert read({"millis": 7, "rows": 3}) == RunResult(rows=3)
    assert read(None) is None
    full = {"executed": True, "rows": 2, "columns": 1, "empty": False, "only_null": True}
    assert read(full) == RunResult(executed=True, rows=2, columns=1, empty=False, only_null=True)


def test_names_of_columns_are_counted_and_not_kept() -> None:
    event = decoded({"columns": ["nam", "max(CASE WHEN nam = 'Ann' THEN 1 END)"]})
    assert event.query().result == RunResult(columns=2)
    assert b"Ann" not in event.payload


def test_a_blank_error_is_none() -> None:
    assert read({"executed": True, "error": "  "}) == RunResult(executed=True)


@pytest.mark.parametrize(
    ("result", "says"),
    [
        ({"executed": True, "error": "no such column: nam"}, ["result", "executed is true and error is set"]),
        ({"executed": False, "rows": 3}, ["result", "rows came back"]),
        ({"error": "syntax error", "only_null": True}, ["result", "rows came back"]),
        ({"empty": True, "rows": 3}, ["result", "empty is true and rows is not 0"]),
        ({"empty": False, "rows": 0}, ["result", "empty is false and rows is 0"]),
        ({"only_null": True, "rows": 0}, ["result", "only_null is true and no row"]),
        ({"only_null": True, "empty": True}, ["result", "only_null is true and no row"]),
        ({"executed": "yes"}, ["result.executed"]),
        ({"executed": 1}, ["result.executed", "got 1"]),
        ({"rows": -1}, ["result.rows", "got -1"]),
        ({"rows": True}, ["result.rows"]),
        ({"rows": 2.5}, ["result.rows"]),
        ({"rows": 10**40}, ["result.rows"]),
        ({"columns": "nam"}, ["result.columns", "got a string"]),
        ({"columns": [1]}, ["result.columns", "a number, or a list of names"]),
        ({"error": {"code": 1}}, ["result.error", "got an object"]),
        ("failed", ["result", "got a string"]),
        ([], ["result"]),
    ],
)
def test_what_contradicts_itself_or_is_of_another_type_is_refused_with_the_fix(result: object, says: list[str]) -> None:
    with pytest.raises(InvalidEvent) as refusal:
        decoded(result)
    assert refusal.value.reason is InvalidReason.INVALID_FIELD
    assert [word for word in says if word not in refusal.value.detail] == []


@pytest.mark.parametrize(
    "result",
    [
        {"executed": True, "error": "Key (name)=(Quillfeather) exists"},
        {"error": ["Quillfeather"]},
        {"error": "Quillfeather" * 20_000},
        "Quillfeather",
    ],
)
def test_no_refusal_shows_an_error(result: object) -> None:
    with pytest.raises(InvalidEvent) as refusal:
        decoded(result)
    assert "Quillfeather" not in str(refusal.value)


@pytest.mark.parametrize(
    ("error", "kept"),
    [
        ("no such column: nam", "no such column: nam"),
        ('column "nam" does not exist', 'column "nam" does not exist'),
        ('invalid input syntax for type integer: "Ann Lee, 12 Elm St"', "invalid input syntax for type integer …"),
        ("Conversion failed when converting the varchar value 'Maria' to data type int.", None),
        ("duplicate key value violates unique constraint DETAIL: Key (mail)=(ann@example.org) exists", None),
        ("Failing row contains (7, Maria, ann@example.org, 555-1234, 1990-05-17).", None),
        ("SQLSTATE 42703", "SQLSTATE 42703"),
        ("42P01", "42P01"),
        ("customer 42703 lives in 42601", "…"),
        ("psycopg.errors.UndefinedColumn", None),
    ],
)
def test_an_error_keeps_words_of_the_sql_and_of_errors_alone(error: str, kept: str | None) -> None:
    masked = mask_error(error, SQL)
    assert kept is None or kept in masked
    assert [word for word in ("Maria", "ann", "Lee", "555", "1990", "customer", "psycopg") if word in masked] == []


WORDS = st.sampled_from("column … \" ' 42P01 code 12345 Ann TimeoutError nam : \n = ( ) . near_the_end".split(" "))


@given(st.text(max_size=80) | st.lists(WORDS, max_size=150).map(" ".join) | st.lists(WORDS, max_size=30).map("".join))
@example("column " * 100)
@example("Ann " * 1000)
@example("0CODE:40000")
def test_masking_twice_changes_nothing_so_that_an_event_keeps_its_hash(error: str) -> None:
    once = mask_error(error, SQL)
    assert mask_error(once, SQL) == once
    assert len(once) <= LONGEST_KEPT


def test_an_event_that_was_written_and_read_again_has_the_same_hash() -> None:
    first = decoded({"error": "relation of Maria does not exist", "columns": ["a", "b"]})
    again = decode_event(first.model_dump(), require_id=False)
    assert again.payload_hash == first.payload_hash
    assert again.query().result == first.query().result


def test_an_event_without_a_result_is_what_it_was_before() -> None:
    assert b"result" not in decode_event(PLAIN, require_id=False).payload
    digest = decode_event({**PLAIN, "tenant": "oven"}, require_id=False).payload_hash
    assert digest == "b0330829a631122cb8c122f5f8aef9b678cb1c3f086b04dcf4700ca4d3ca3bd4"
    assert decoded({"rows": 1}).payload_hash != decoded(None).payload_hash


def spanned(**attributes: Any) -> Any:
    span = Span(trace_id="t", span_id="s", attributes={"db.query.text": SQL, **attributes})
    return SpanReader(SpanTable()).read(span).result


def test_spans_say_what_the_conventions_have() -> None:
    assert spanned() is None
    assert spanned(**{"db.response.returned_rows": 0}) == {"rows": 0}
    assert spanned(**{"db.response.returned_rows": "12"}) == {"rows": 12}
    assert spanned(**{"error.type": "42P01"}) == {"executed": False, "error": "42P01"}
    assert spanned(**{"error.type": "42P01", "db.response.returned_rows": 5})["executed"] is False


@pytest.mark.parametrize("rows", [-1, True, 1.5, "many", None, 10**20, [1]])
def test_a_number_of_rows_that_is_none_is_not_read(rows: object) -> None:
    assert spanned(**{"db.response.returned_rows": rows}) is None


def test_a_long_error_of_a_span_never_costs_the_event() -> None:
    result = spanned(**{"error.type": "no such column " * 100_000})
    assert decoded(result).query().result is not None
