"""What is fuzzed: each target draws an input that JSON can hold, and runs it. A run that raises is a finding."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from consumers.decoding import Known, Record, decode
from consumers.evaluation.event_evaluation import line_out
from consumers.evaluation.outcomes import Outcome
from consumers.judging.prompting import Prompt, Template, prompt_for
from consumers.spans import SpanTable
from consumers.spans.earlier_turns import turns_before
from consumers.spans.model_input import question_in
from consumers.wire.events import InvalidEvent
from consumers.wire.rules_document import InvalidRules, RulesDocument, decode_rules
from consumers.wire.schema_document import InvalidSchema, decode_schema
from references.comparison.comparing import Comparison, compare
from references.databases.access import DatabaseLimits
from references.databases.opening import open_one
from references.judging import judge_answer
from references.reference_verdict import AnswerPair, ReferenceFinding
from scoring.database.schema_evidence import weigh_schema
from scoring.evaluation import conclude, examine
from scoring.query import Query, Unscored
from scoring.rules import Rules
from scoring.specification import SqlSpec
from scoring.sql import KNOWN_DIALECTS, read_predicate, read_sql
from scoring.verdict import Case
from service.judges.weights import local_judge
from service.otlp import Export, read_otlp
from service.samples import sample_rules
from tests.fuzz.draws import Draws
from tests.fuzz.mutations import ODD, changed, changed_question, changed_sql, events, queries
from tests.fuzz.running import Input

DIALECTS = (None, *sorted(KNOWN_DIALECTS), "no such dialect")
TEMPLATE = Template(version="judge-test", system="Say whether it answers.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One thing that is fuzzed."""

    draw: Callable[[Draws], Input]
    run: Callable[[Input], None]
    cpu_seconds: float = 1.0
    """More CPU for one input is a finding."""


def _bytes_in(text: str) -> bytes:
    """The bytes of an input; JSON holds them as text."""
    return text.encode("latin-1")


_CHANGED_FIELDS = "question sql enriched_question event_id tenant occurred_at dialect attributes result".split()


def _draw_event(draws: Draws) -> Input:
    event = dict(draws.choice(events()))
    for name in _CHANGED_FIELDS:
        if draws.one_in(4):
            event[name] = _odd_value(str(event.get(name, "")), draws)
    if draws.one_in(5):
        event = {
            "specversion": "1.0",
            "id": "1",
            "source": "/x",
            "type": "t",
            draws.choice(("data", "data_base64")): event,
        }
    raw = json.dumps(event, ensure_ascii=draws.one_in(2)).encode("utf-8", "surrogatepass")
    if draws.one_in(3):
        at = draws.number(len(raw))
        raw = raw[:at] + bytes([draws.number(256)]) + raw[at + draws.number(4) :]
    headers = [
        [
            draws.choice(("content-type", "ce_id", "ce_specversion", "ce_source", "ce_type", "ce_time", "traceparent")),
            value,
        ]
        for value in draws.choice(((), ("1.0",), ("application/cloudevents+json", "x"), ("\x00", "é", "1.0", "/a")))
    ]
    return {"payload": raw.decode("latin-1"), "headers": headers if draws.one_in(2) else None}


def _odd_value(text: str, draws: Draws) -> object:
    return draws.choice(
        (
            changed(text, queries(), ODD, draws),
            None,
            1e308,
            -1,
            True,
            [],
            {},
            [[]] * 3,
            {"a": {"b": [text]}},
            10**18,
            "",
            " ",
        )
    )


def _run_event(given: Input) -> None:
    headers = None if given["headers"] is None else [(name, _bytes_in(value)) for name, value in given["headers"]]
    decoded = decode(Record(payload=_bytes_in(given["payload"]), headers=headers), max_event_bytes=1 << 20)
    assert isinstance(decoded, Known | Outcome)
    if isinstance(decoded, Known):
        assert len(decoded.payload_hash) == 64
        _score(decoded.event.query(), Rules())


def _draw_sql(draws: Draws) -> Input:
    return {"sql": changed_sql(draws), "dialect": draws.choice(DIALECTS)}


def _run_sql(given: Input) -> None:
    assert isinstance(read_sql(given["sql"], given["dialect"]), SqlSpec | Unscored)
    assert isinstance(read_predicate(given["sql"][:2000], given["dialect"]), tuple | Unscored)


def _draw_question(draws: Draws) -> Input:
    return {"question": changed_question(draws), "sql": draws.choice(queries())}


def _run_question(given: Input) -> None:
    _score(Query(question=given["question"], sql=given["sql"]), Rules())


def _draw_enrichment(draws: Draws) -> Input:
    event = draws.choice(events())
    enriched = changed(
        str(event.get("enriched_question") or event["question"]), [changed_question(draws)], (*_LINKS,), draws
    )
    return {
        "question": event["question"],
        "enriched_question": enriched,
        "sql": changed_sql(draws) if draws.one_in(2) else event["sql"],
    }


_LINKS = (
    " refers to ",
    " = ",
    " means ",
    " is ",
    "; ",
    ", ",
    " where ",
    " (",
    ")",
    "'",
    '"',
    " > 5",
    " DIVIDE(SUM(a), COUNT(b))",
    " AND ",
    " in ('a', 'b')",
)


def _run_enrichment(given: Input) -> None:
    _score(Query(**given), Rules())


def _score(query: Query, rules: Rules) -> Case | None:
    """Scores an answer with the local judge, and writes its line."""
    case = examine(query, rules)
    end = case if isinstance(case, Unscored) else conclude(case, local_judge().judge(case))
    orjson.dumps(line_out("1", end, rules).line)
    return None if isinstance(case, Unscored) else case


def _draw_rules(draws: Draws) -> Input:
    document: dict[str, Any] = dict(draws.choice([*sample_rules().values(), RulesDocument().model_dump(mode="json")]))
    for name in list(document):
        if draws.one_in(4):
            document[name] = _odd_value(str(document[name]), draws)
    if draws.one_in(2):
        document["benign_filters"] = [changed_sql(draws).partition("WHERE")[2][:2000] or "a = 1" for _ in range(3)]
    if draws.one_in(2):
        document["column_mappings"] = {changed_question(draws)[:200] or "x": changed_sql(draws)[:200] or "y"}
    return {"rules": document, "event": draws.number(len(events()))}


def _run_rules(given: Input) -> None:
    try:
        rules = decode_rules(given["rules"]).rules(1)
    except InvalidRules:
        return
    event = events()[given["event"]]
    _score(Query(question=str(event["question"]), sql=str(event["sql"])), rules)


_DDL = (
    "CREATE TABLE ports (code VARCHAR(5) PRIMARY KEY, city TEXT, berths INT);",
    'CREATE TABLE a."Parcels" (id BIGINT, dest VARCHAR(5) REFERENCES ports (code), kg NUMERIC(8, 2), tags TEXT[]);',
    "ALTER TABLE ONLY a.parcels ADD CONSTRAINT k FOREIGN KEY (id, dest) REFERENCES ports (code, city);",
    "CREATE VIEW late AS SELECT * FROM parcels;",
)


def _draw_schema(draws: Draws) -> Input:
    ddl = "\n".join(draws.choice(_DDL) for _ in range(1 + draws.number(4)))
    if draws.one_in(2):
        at = draws.number(len(ddl))
        ddl = (
            ddl[:at] + draws.choice((*ODD, "(", ")", ",", "--", "'", changed_sql(draws))) + ddl[at + draws.number(6) :]
        )
    columns = [{"name": "code", "type": "text"}, {"name": _odd_value("dest", draws), "type": "int"}]
    catalogue: dict[str, object] = {"tables": [{"name": "ports", "columns": columns}, {"name": "late"}]}
    if draws.one_in(3):
        catalogue[draws.choice(("tables", "ddl", "x"))] = _odd_value("ports", draws)
    text = draws.choice((ddl, json.dumps({"ddl": ddl}), json.dumps(catalogue)))
    return {"schema": text.encode("utf-8", "surrogatepass").decode("latin-1"), "sql": changed_sql(draws)}


def _run_schema(given: Input) -> None:
    try:
        schema = decode_schema(_bytes_in(given["schema"])).schema_of_database()
    except InvalidSchema:
        return
    case = _score(Query(question="How many parcels?", sql=given["sql"]), Rules(schema=schema))
    if case is not None:
        weigh_schema(case, [])


def _draw_spans(draws: Draws) -> Input:
    attributes = [
        {
            "key": draws.choice(
                ("sqlassay.question", "db.query.text", "gen_ai.prompt", "input.value", "x", "sqlassay.tenant")
            ),
            "value": value,
        }
        for value in (
            {"stringValue": changed_question(draws)},
            {draws.choice(("intValue", "doubleValue", "boolValue", "bytesValue")): _odd_value("1", draws)},
            {"arrayValue": {"values": [{"stringValue": "a"}] * draws.number(5)}},
            {"kvlistValue": {"values": [{"key": "a", "value": {"intValue": "1"}}]}},
        )
    ]
    span = {
        "traceId": "0" * 31 + "1",
        "spanId": "0" * 15 + "1",
        "startTimeUnixNano": _odd_value("1", draws),
        "attributes": attributes,
    }
    if draws.one_in(3):
        span[draws.choice(list(span))] = _odd_value("00", draws)
    raw = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span] * (1 + draws.number(3))}]}]}).encode()
    at = draws.number(len(raw))
    raw = raw[:at] + bytes([draws.number(256)]) * draws.number(4) + raw[at + draws.number(3) :]
    if draws.one_in(3):
        raw = bytes(draws.number(256) for _ in range(draws.number(200)))
    return {
        "body": raw.decode("latin-1"),
        "message": _odd_value(json.dumps([{"role": "user", "content": "How many?"}]), draws),
    }


def _run_spans(given: Input) -> None:
    with suppress(InvalidEvent):
        assert isinstance(read_otlp(_bytes_in(given["body"]), SpanTable()), Export)
    found = question_in(given["message"])
    assert found is None or isinstance(found, str)
    assert isinstance(turns_before(given["message"], found or ""), list)


def _draw_masking(draws: Draws) -> Input:
    return _draw_enrichment(draws) | {"question": changed_question(draws)}


def _run_masking(given: Input) -> None:
    case = _score(Query(**given), Rules())
    if case is not None:
        for masked in (True, False):
            assert isinstance(prompt_for(case, TEMPLATE, masked=masked), Prompt | Unscored)


def _draw_pair(draws: Draws) -> Input:
    return {
        "reference": draws.choice(queries()),
        "answer": changed_sql(draws),
        "dialect": draws.choice(("sqlite", "postgres", None)),
    }


def _run_verify(given: Input) -> None:
    assert isinstance(judge_answer(AnswerPair(**given), bound=1, budget=0.2), ReferenceFinding)


@cache
def _database() -> Path:
    path = Path(tempfile.mkdtemp(prefix="sqlassay-fuzz-")) / "shop.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE beds (id INTEGER, name TEXT, kind TEXT, area REAL, planted DATE)")
        connection.executemany(
            "INSERT INTO beds VALUES (?, ?, ?, ?, '2025-01-01')", [(n, f"bed {n}", "rose", n / 2) for n in range(20)]
        )
    return path


_SELECTS = (
    *(
        "SELECT * FROM beds",
        "SELECT id FROM beds WHERE kind = 'rose' ORDER BY id",
        "SELECT COUNT(*), kind FROM beds GROUP BY kind",
    ),
    *(
        "SELECT {id, name} FROM beds",
        "SELECT MAX(area) FROM beds",
        "WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 9) SELECT * FROM r",
    ),
)


def _draw_comparison(draws: Draws) -> Input:
    fragments = (" AND ", " OR ", " id", " beds b", "'rose'", " LIMIT 2", " ORDER BY 1 DESC", " UNION ", *_SELECTS)
    first, second = (changed(draws.choice(_SELECTS), _SELECTS, fragments, draws) for _ in range(2))
    return {"reference": first, "sql": second}


def _run_comparison(given: Input) -> None:
    with open_one(str(_database()), DatabaseLimits(seconds=0.3, rows=5000)) as database:
        assert isinstance(compare(given["reference"], given["sql"], database.run, dialect="sqlite"), Comparison)


TARGETS: Mapping[str, Target] = {
    "events": Target(draw=_draw_event, run=_run_event),
    "sql": Target(draw=_draw_sql, run=_run_sql),
    "question": Target(draw=_draw_question, run=_run_question),
    "enrichment": Target(draw=_draw_enrichment, run=_run_enrichment),
    "rules": Target(draw=_draw_rules, run=_run_rules),
    "schema": Target(draw=_draw_schema, run=_run_schema),
    "spans": Target(draw=_draw_spans, run=_run_spans),
    "masking": Target(draw=_draw_masking, run=_run_masking),
    "verify": Target(draw=_draw_pair, run=_run_verify, cpu_seconds=5.0),
    "compare": Target(draw=_draw_comparison, run=_run_comparison, cpu_seconds=5.0),
}
