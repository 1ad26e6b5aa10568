"""What is read beside the SQL and the question costs no more than its size: rules, spans, envelopes and prompts."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import orjson
import pytest

from consumers.decoding import Record, decode
from consumers.judging.prompting import Template, prompt_for
from consumers.spans import SpanTable
from consumers.spans.model_input import question_in
from consumers.wire.events import MAX_EVENT_BYTES, InvalidEvent
from consumers.wire.rules_document import decode_rules
from scoring.evaluation import conclude, examine
from scoring.query import Query, Unscored
from service.judges.weights import local_judge
from service.otlp import read_otlp
from tests.costs import Call, times_as_costly

MOST_GROWTH = 2.3
FIXED = 0.02
"""CPU seconds added to each cost, so that the growth of what costs next to nothing does not count."""
QUESTION = "How many bakers live in 'Oslo' and earn more than 100?"
SQL = "SELECT COUNT(*) FROM bakers WHERE town = 'Oslo' AND wage > 100"
MARKS = "\u0301\u0316"
"""Combining marks, out of the order in which a normal form has them."""
TEMPLATE = Template(version="judge-test", system="Say whether it answers.")


def numbered(form: str, count: int) -> list[str]:
    return [form.replace("{n}", str(number)) for number in range(count)]


def filters_read(form: str) -> Callable[[int], Call]:
    """Reads rules whose benign filters have this form."""
    return lambda count: lambda: decode_rules({"benign_filters": numbered(form, count)}).rules(1)


def scored_by(document: Mapping[str, Any], question: str = QUESTION, sql: str = SQL) -> Call:
    """Scores an event by rules that are read already."""
    rules = decode_rules(document).rules(1)

    def score() -> object:
        case = examine(Query(question=question, sql=sql, dialect="sqlite"), rules)
        return case if isinstance(case, Unscored) else conclude(case, local_judge().judge(case))

    return score


def filters_applied(count: int) -> Call:
    conditions = " AND ".join(numbered("c{n} = {n}", 180))
    return scored_by({"benign_filters": numbered("c{n} = {n}", count)}, sql=f"SELECT a FROM t WHERE {conditions}")


def mappings_applied(count: int) -> Call:
    words = " ".join(numbered("w{n}", 400))
    return scored_by({"column_mappings": {f"w{n}": f"c{n}" for n in range(count)}}, question=f"Show {words}?")


def wordy_mappings(count: int) -> Call:
    words = " ".join(["tall"] * 400)
    return scored_by({"column_mappings": {f"tall tall {n}": "c" for n in range(count)}}, question=f"Show {words}?")


def decoded(payload: Callable[[int], Mapping[str, Any]]) -> Callable[[int], Call]:
    """Decodes an event."""

    def made(count: int) -> Call:
        record = Record(payload=orjson.dumps({"event_id": "1", "question": QUESTION, "sql": SQL, **payload(count)}))
        return lambda: decode(record, max_event_bytes=MAX_EVENT_BYTES)

    return made


def wrapped(count: int) -> Mapping[str, Any]:
    event = orjson.dumps({"event_id": "1", "question": QUESTION, "sql": "x" * count})
    about = {"specversion": "1.0", "id": "1", "source": "/x", "type": "t"}
    return {**about, "data_base64": base64.b64encode(event).decode()}


def nested(count: int) -> object:
    value: object = 1
    for _ in range(count):
        value = [value]
    return value


def spans(attributes: Callable[[int], Sequence[Mapping[str, Any]]], *, many: bool = False) -> Callable[[int], Call]:
    """Reads an export of one span with many attributes, or of many spans."""

    def made(count: int) -> Call:
        span = {"traceId": "0" * 31 + "1", "spanId": "0" * 15 + "1", "attributes": attributes(1 if many else count)}
        body = orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span] * (count if many else 1)}]}]})

        def read() -> object:
            try:
                return read_otlp(body, SpanTable())
            except InvalidEvent as refused:
                return refused

        return read

    return made


def attribute(name: str, value: str) -> Mapping[str, Any]:
    return {"key": name, "value": {"stringValue": value}}


def messages(count: int) -> str:
    said = [{"role": "assistant", "content": "ok"}] * count
    return orjson.dumps([{"role": "user", "content": QUESTION}, *said]).decode()


def prompt(question: Callable[[int], str], sql: Callable[[int], str] = lambda count: SQL) -> Callable[[int], Call]:
    """Masks the prompt of a case."""

    def made(count: int) -> Call:
        case = examine(Query(question=question(count), sql=sql(count), dialect="sqlite"), decode_rules({}).rules(1))
        assert not isinstance(case, Unscored), case
        return lambda: prompt_for(case, TEMPLATE, masked=True)

    return made


def compared(count: int) -> str:
    return "SELECT a FROM t WHERE " + " AND ".join(numbered("c{n} = 'Anna {n} Lee'", count))


def listed(count: int) -> str:
    people = ", ".join(numbered("'Anna {n} Lee'", count))
    return f"SELECT a FROM t WHERE b IN ({people})"


INPUTS: Mapping[str, tuple[int, Callable[[int], Call]]] = {
    "rules: conditions": (500, filters_read("c{n} = {n}")),
    "rules: ORs": (240, filters_read(" OR ".join(["c{n} = {n}"] * 100))),
    "rules: IN lists": (240, filters_read("c{n} IN (" + ", ".join(["{n}"] * 300) + ")")),
    "rules: nested brackets": (240, filters_read("(" * 70 + "c{n} = 1" + ")" * 70)),
    "rules: mappings": (
        2000,
        lambda n: lambda: decode_rules({"column_mappings": {f"p {i}": f"c{i}" for i in range(n)}}),
    ),
    "rules: conditions of an answer": (500, filters_applied),
    "rules: mappings of a question": (2000, mappings_applied),
    "rules: mappings of its words": (2000, wordy_mappings),
    "event: question": (400_000, decoded(lambda n: {"question": "word " * (n // 5)})),
    "event: letters beyond ASCII": (100_000, decoded(lambda n: {"question": "ß∀😀" * (n // 3)})),
    "event: marks in a name": (100_000, decoded(lambda n: {"agent": "a" + MARKS * (n // 2)})),
    "event: marks in a tenant": (100_000, decoded(lambda n: {"tenant": "a" + MARKS * (n // 2)})),
    "event: attributes": (20_000, decoded(lambda n: {"attributes": {f"a{i}": i for i in range(n)}})),
    "event: attributes in lists": (200, decoded(lambda n: {"attributes": {"a": nested(n)}})),
    "event: unknown fields": (20_000, decoded(lambda n: {f"a{i}": i for i in range(n)})),
    "event: in base64": (400_000, decoded(wrapped)),
    "spans: attributes": (20_000, spans(lambda n: [attribute(f"a{i}", "x") for i in range(n)])),
    "spans: one attribute again": (20_000, spans(lambda n: [attribute("db.query.text", SQL)] * n)),
    "spans: messages": (10_000, spans(lambda n: [attribute("gen_ai.input.messages", messages(n))])),
    "spans: many": (10_000, spans(lambda n: [attribute("db.query.text", SQL)], many=True)),
    "spans: a question in messages": (40_000, lambda n: partial(question_in, messages(n))),
    "prompt: words": (1400, prompt(lambda n: "tall " * n)),
    "prompt: quoted words": (2000, prompt(lambda n: QUESTION, listed)),
    "prompt: names": (36, prompt(lambda n: "Who knows " + "Anna Lee, " * n)),
    "prompt: outputs": (190, prompt(lambda n: QUESTION, lambda n: f"SELECT {', '.join(numbered('a{n}', n))} FROM t")),
    "prompt: conditions": (190, prompt(lambda n: QUESTION, compared)),
    "prompt: one long literal": (
        40_000,
        prompt(lambda n: QUESTION, lambda n: f"SELECT a FROM t WHERE b = '{'ab ' * (n // 3)}'"),
    ),
    "prompt: marks": (
        30_000,
        prompt(lambda n: QUESTION, lambda n: f"SELECT a FROM t WHERE b = 'b{MARKS * (n // 2)}'"),
    ),
    "prompt: marks asked": (1400, prompt(lambda n: f"Who is 'b{MARKS * (n // 2)}'?")),
    "prompt: letters spread by %": (
        20_000,
        prompt(lambda n: QUESTION, lambda n: f"SELECT a FROM t WHERE b LIKE '{'%a' * (n // 2)}'"),
    ),
}
QUICK = (
    "rules: conditions of an answer",
    "spans: one attribute again",
    "prompt: quoted words",
    "event: marks in a name",
)


def check(name: str) -> None:
    largest, made = INPUTS[name]
    assert times_as_costly(made(largest), made(largest // 2), MOST_GROWTH, fixed=FIXED) <= MOST_GROWTH


@pytest.mark.parametrize("name", QUICK)
def test_twice_the_input_costs_about_twice_as_much(name: str) -> None:
    check(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in INPUTS if name not in QUICK])
def test_every_input_costs_no_more_than_its_size(name: str) -> None:
    check(name)
