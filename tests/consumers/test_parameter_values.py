"""The values of parameters are treated as literals of the SQL are: they stand nowhere else, and no model reads them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

import orjson
import pytest

from consumers.decoding import Known, Record
from consumers.evaluation.deferrals import RetryPolicy
from consumers.evaluation.event_evaluation import line_out
from consumers.evaluation.outcomes import DeferredReason
from consumers.judging.prompting import Prompt, Template, prompt_for
from consumers.pool.deferring import deferral
from consumers.wire.events import InvalidEvent, QueryEvent, decode_event
from scoring.evaluation import conclude, examine
from scoring.memory.facts import facts_of
from scoring.rules import Rules
from scoring.verdict import Case
from service.judges.weights import local_judge
from tests.planted import gone, leaked, secrets

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
SECRETS = secrets(16)
TEMPLATE = Template(version="test", system="Judge.")
LOANS = "SELECT id FROM loans WHERE "


class Shape(NamedTuple):
    """SQL with `{}` in the place of a value, which is given by a placeholder or as a literal."""

    sql: str
    placeholder: str
    dialect: str | None = None
    by_name: str = ""
    """Blank where values are given by place."""


SHAPES = (
    Shape(LOANS + "borrower = {}", "?"),
    Shape(LOANS + "borrower = {}", "$1", "postgres"),
    Shape(LOANS + "borrower = {}", "%s", "mysql"),
    Shape(LOANS + "borrower = {}", "@who", "bigquery", "who"),
    Shape(LOANS + "borrower = {}", ":who", "spark", "who"),
    Shape(LOANS + "borrower = {}", "%(who)s", "snowflake", "who"),
    Shape(LOANS + "borrower = {}", "{{ who }}", None, "who"),
    Shape(LOANS + "borrower = {}", "'{{ who }}'", "databricks", "who"),
    Shape(LOANS + "borrower = {}", "{who:String}", "clickhouse", "who"),
    Shape(LOANS + "borrower LIKE {} AND kind = 3", "@who", "tsql", "@who"),
    Shape(LOANS + "borrower IN ({}, 'x')", ":1", "oracle"),
    Shape(LOANS + "kind = 'x' OR LOWER(borrower) = LOWER({})", "${who}", "duckdb", "who"),
    Shape("SELECT CASE WHEN kind = {} THEN 1 END FROM loans", "?", "sqlite"),
    Shape("WITH a AS (SELECT id FROM loans WHERE note = {}) SELECT id FROM a", "$who", "postgres", "who"),
)


def literal(value: str, dialect: str | None) -> str:
    escape = "\\'" if dialect in {"bigquery", "spark", "databricks"} else "''"
    return "'" + value.replace("'", escape) + "'"


def bound_event(shape: Shape, value: object, **fields: object) -> QueryEvent:
    return decoded(
        shape.sql.replace("{}", shape.placeholder),
        shape,
        parameters={shape.by_name: value} if shape.by_name else [value],
        **fields,
    )


def written_event(shape: Shape, value: str, **fields: object) -> QueryEvent:
    return decoded(shape.sql.replace("{}", literal(value, shape.dialect)), shape, **fields)


def decoded(sql: str, shape: Shape, **fields: object) -> QueryEvent:
    event = {"tenant": "lenders", "question": "loans of one member", "sql": sql, "dialect": shape.dialect, **fields}
    return decode_event(orjson.dumps(event), require_id=False)


def case_of(event: QueryEvent, rules: Rules = Rules()) -> Case:  # noqa: B008 frozen
    case = examine(event.query(), rules)
    assert isinstance(case, Case), (event.sql, case)
    return case


@pytest.mark.parametrize("shape", SHAPES, ids=lambda each: f"{each.dialect} {each.placeholder}")
def test_an_event_with_a_parameter_is_the_event_with_the_literal(shape: Shape) -> None:
    for value in [*SECRETS, "x' OR 1 = 1 -- ", "'", "Zoë $1 ? :who {{ who }}", "a\nb"]:
        bound, written = bound_event(shape, value), written_event(shape, value)
        assert bound.sql == written.sql
        assert (bound, bound.event_id, bound.payload_hash) == (written, written.event_id, written.payload_hash)
        assert bound.model_dump() == written.model_dump()
        assert bound.parameters is None
        assert facts_of(case_of(bound)) == facts_of(case_of(written))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda each: f"{each.dialect} {each.placeholder}")
def test_no_value_of_a_parameter_is_in_a_masked_prompt(shape: Shape) -> None:
    for value in SECRETS:
        for question in ("loans of one member", f"loans of {value}"):
            case = case_of(bound_event(shape, value, question=question))
            prompt = prompt_for(case, TEMPLATE, masked=True)
            assert isinstance(prompt, Prompt), prompt
            assert gone(value, prompt.system + prompt.user), prompt.user


def test_values_of_every_kind_are_masked() -> None:
    values = {"who": SECRETS[0], "codes": [4471983, "QX993441"], "least": 7719.35, "born": "1957-04-22"}
    sql = "borrower = :who AND code IN (:codes) AND total > :least AND born = :born AND left = :gone"
    event = decoded(LOANS + sql, SHAPES[0], parameters={**values, "gone": None, "unused": SECRETS[1]})
    assert "(4471983, 'QX993441')" in event.sql
    prompt = prompt_for(case_of(event), TEMPLATE, masked=True)
    assert isinstance(prompt, Prompt)
    assert leaked([SECRETS[0], SECRETS[1], "4471983", "QX993441", "7719", "1957"], prompt.user) == []


def test_what_a_tenant_without_texts_stores_holds_no_value() -> None:
    rules = Rules(store_raw=False)
    for shape in SHAPES:
        for value in SECRETS:
            event = bound_event(shape, value, event_id="1", result={"executed": False, "error": f"no {value}"})
            case = case_of(event, rules)
            line = line_out("1", conclude(case, local_judge().judge(case)), rules, remember=True)
            assert line.compared is None
            assert gone(value, repr(line.line))


def test_a_deferred_event_is_kept_with_its_values_in_its_sql_only() -> None:
    event = bound_event(SHAPES[4], "O'Nullessy", event_id="1")
    known = Known(event, event.payload_hash, Record(payload=b""))
    kept = deferral(known, DeferredReason.EVENT_DEADLINE, RetryPolicy(attempts=3), NOW)
    assert kept is not None
    assert kept.payload.count(b"Nullessy") == 1
    assert "parameters" not in orjson.loads(kept.payload)
    assert decode_event(kept.payload, require_id=True) == event


def test_a_refusal_quotes_no_value() -> None:
    for wrong in (SECRETS[0], [[SECRETS[0]]] * 2000, {f"{SECRETS[0]}{n}": 1 for n in range(2000)}):
        with pytest.raises(InvalidEvent) as refusal:
            decoded(LOANS + "a = ?", SHAPES[0], parameters=wrong)
        assert gone(SECRETS[0], refusal.value.detail), refusal.value.detail
    for field in ("question", "sql", "enriched_question", "reference_sql", "attributes"):
        with pytest.raises(InvalidEvent) as refusal:
            decode_event({"question": "q", "sql": "s", field: [SECRETS[0]]}, require_id=False)
        assert gone(SECRETS[0], refusal.value.detail), refusal.value.detail
        assert f"field {field}: " in refusal.value.detail


def test_a_text_with_an_apostrophe_stays_unknown_where_only_a_guess_says_how_to_write_it() -> None:
    """A tenant's dialect may be another than the guess, and there a backslash would end the text too early."""
    ticked = Shape("SELECT id FROM `a.loans` WHERE borrower = {}", "?")
    assert bound_event(ticked, "it's").sql.endswith("= ?")
    assert bound_event(ticked, "its").sql.endswith("= 'its'")
    assert bound_event(ticked._replace(dialect="mysql"), "it's").sql.endswith("= 'it''s'")
