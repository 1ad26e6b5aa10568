"""What a real OTLP receiver gets of a service in a process of its own."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from aiokafka import AIOKafkaConsumer
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as genai
from sqlalchemy import URL

from consumers.evaluation.event_evaluation import Evaluation, evaluate
from consumers.evaluation.outcomes import Outcome, OutcomeKind, Trigger
from consumers.evaluation.timings import StageTimings
from consumers.spans import Span as AnswerSpan
from consumers.wire.events import decode_event
from scoring.evaluation import conclude, examine
from scoring.query import Unscored, UnscoredReason
from scoring.rules import Rules
from scoring.verdict import Case
from service.judges.weights import local_judge
from service.otlp import write_protobuf
from service.telemetry import TracedOutcomes
from service.telemetry.result_events import result_attributes
from tests.memory.stores import MemoryOutcomes
from tests.served import ROOT, served
from tests.servers.collector import Collector, attributes, collector
from tests.waiting import WaitUntil

pytestmark = pytest.mark.slow  # starts a service and a collector for each test

__all__ = ["collector"]

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
QUESTION, SQL = "How many kites did Zephyra fly?", "SELECT COUNT(*) FROM kites WHERE flier = 'Zephyra'"
EVENT = {"event_id": "kite-1", "tenant": "fliers", "agent": "breeze", "question": QUESTION, "sql": SQL}
STAGES = ["decode", "claims", "rules", "examine", "record"]


def sampled(flags: str = "01") -> dict[str, str]:
    return {"traceparent": f"00-{TRACE}-{PARENT}-{flags}"}


async def post(url: str, *events: dict[str, Any], headers: dict[str, str] | None = None) -> list[dict[str, Any]]:
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        reply = await client.post("/v1/events", json=list(events), headers=headers or {})
        return reply.json()["results"]


async def metric(url: str, name: str) -> float | None:
    async with httpx.AsyncClient(base_url=url) as client:
        said = re.search(rf"^{re.escape(name)} ([\d.]+)$", (await client.get("/metrics")).text, re.MULTILINE)
    return float(said[1]) if said else None


def whole(spans: list[Span]) -> Span:
    """The one span that is no stage."""
    [span] = [span for span in spans if span.name.startswith("sqlassay.")]
    return span


async def test_an_event_s_way_is_a_trace_that_continues_its_producer_s(collector: Collector, database: URL):
    async with served(database, SQLASSAY_TELEMETRY__ENDPOINT=collector.url) as url:
        [result] = await post(url, EVENT, headers=sampled())
    span = whole(collector.spans())
    assert (span.name, span.trace_id.hex(), span.parent_span_id.hex()) == ("sqlassay.score", TRACE, PARENT)
    assert span.kind == Span.SPAN_KIND_CONSUMER
    said = attributes(span.attributes)
    assert said["sqlassay.outcome"] == "scored"
    assert said["sqlassay.evaluation.id"] == result["evaluation_id"]
    assert (said["sqlassay.tenant"], said["gen_ai.agent.name"]) == ("fliers", "breeze")
    stages = [each for each in collector.spans() if each.parent_span_id == span.span_id]
    assert [each.name for each in sorted(stages, key=lambda each: each.start_time_unix_nano)] == STAGES
    for each in stages:
        assert each.trace_id == span.trace_id
        began, ended = each.start_time_unix_nano, each.end_time_unix_nano
        assert span.start_time_unix_nano <= began <= ended <= span.end_time_unix_nano
    assert {attributes(each.attributes)["service.name"] for each in collector.resources()} == {"sqlassay"}


async def test_a_result_is_an_event_of_the_span_that_it_is_about_and_quotes_nothing_without_details(
    collector: Collector, database: URL
):
    async with served(database, SQLASSAY_TELEMETRY__ENDPOINT=collector.url, SQLASSAY_TELEMETRY__DETAILS="off") as url:
        [scored, unscored] = await post(url, EVENT, {**EVENT, "event_id": "kite-2", "sql": ""}, headers=sampled())
    first, second = collector.results()
    assert first.event_name == second.event_name == "gen_ai.evaluation.result"
    assert {(each.trace_id.hex(), each.span_id.hex()) for each in (first, second)} == {(TRACE, PARENT)}
    said = attributes(first.attributes)
    assert said[genai.GEN_AI_EVALUATION_NAME] == "sqlassay.score"
    assert said[genai.GEN_AI_EVALUATION_SCORE_VALUE] == scored["score"]
    assert said[genai.GEN_AI_EVALUATION_SCORE_LABEL] in {"excellent", "good", "marginal", "poor"}
    assert said[genai.GEN_AI_EVALUATION_EXPLANATION].startswith(str(said["sqlassay.verdict"]))
    assert said[genai.GEN_AI_AGENT_NAME] == "breeze"
    assert said["sqlassay.score.ratio"] == scored["score"] / 100
    assert genai.GEN_AI_REQUEST_MODEL not in said
    assert said["sqlassay.evaluation.id"] == scored["evaluation_id"]
    said = attributes(second.attributes)
    assert said["error.type"] == "EMPTY_SQL"
    assert genai.GEN_AI_EVALUATION_SCORE_VALUE not in said
    assert said["sqlassay.evaluation.id"] == unscored["evaluation_id"]
    for body in [*collector.bodies("traces"), *collector.bodies("logs")]:
        assert b"zephyra" not in body.lower()
        assert b"kites" not in body.lower()


async def test_an_unsampled_trace_is_not_exported_but_its_result_is(collector: Collector, database: URL):
    async with served(database, SQLASSAY_TELEMETRY__ENDPOINT=collector.url) as url:
        await post(url, EVENT, headers=sampled("00"))
    assert collector.spans() == []
    assert [each.trace_id.hex() for each in collector.results()] == [TRACE]


async def test_events_without_a_trace_begin_one_each_as_the_sampler_of_the_environment_says(
    collector: Collector, database: URL
):
    async with served(database, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url, OTEL_SERVICE_NAME="assay-a") as url:
        await post(url, EVENT, {**EVENT, "event_id": "kite-2"})
    roots = [span for span in collector.spans() if span.name == "sqlassay.score"]
    assert len({span.trace_id for span in roots}) == 2
    assert not any(span.parent_span_id for span in roots)
    assert {attributes(each.attributes)["service.name"] for each in collector.resources()} == {"assay-a"}
    before = len(collector.spans())
    never: dict[str, Any] = {"OTEL_TRACES_SAMPLER": "parentbased_always_off"}
    async with served(database, SQLASSAY_TELEMETRY__ENDPOINT=collector.url, **never) as url:
        await post(url, {**EVENT, "event_id": "kite-3"}, {**EVENT, "event_id": "kite-4"}, headers={})
    assert len(collector.spans()) == before


async def test_the_span_of_a_dead_letter_is_an_error_with_its_reason(collector: Collector, database: URL):
    async with served(database, SQLASSAY_TELEMETRY__ENDPOINT=collector.url) as url:
        await post(url, {"event_id": "kite-1", "question": QUESTION}, headers=sampled())
    span = whole(collector.spans())
    assert span.trace_id.hex() == TRACE
    assert (span.status.code, span.status.message) == (Status.STATUS_CODE_ERROR, "MISSING_FIELD")
    assert attributes(span.attributes)["error.type"] == "MISSING_FIELD"


async def test_the_score_of_a_span_is_an_event_of_that_very_span(collector: Collector, database: URL):
    said = {"sqlassay.question": QUESTION, "db.query.text": SQL, "db.system.name": "postgresql"}
    spans = [AnswerSpan(trace_id=TRACE, span_id=PARENT, parent_id=None, attributes=said)]
    headers = {"Content-Type": "application/x-protobuf"}
    async with served(database, SQLASSAY_TELEMETRY__ENDPOINT=collector.url) as url, httpx.AsyncClient() as client:
        statuses: list[int] = []
        while 200 not in statuses and len(statuses) < 10:  # a busy service says 503, and an exporter sends again
            reply = await client.post(f"{url}/v1/traces", content=write_protobuf(spans), headers=headers, timeout=60)
            statuses.append(reply.status_code)
        assert set(statuses) <= {200, 503}
        assert statuses[-1] == 200
    assert [(each.trace_id.hex(), each.span_id.hex()) for each in collector.results()] == [(TRACE, PARENT)]
    assert whole(collector.spans()).parent_span_id.hex() == PARENT


async def test_from_an_api_through_kafka_to_a_worker_it_is_one_trace_that_the_result_goes_on_with(
    collector: Collector, kafka, database: URL, wait_until: WaitUntil
):
    environment = {
        "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS": kafka.bootstrap,
        "SQLASSAY_KAFKA__GROUP": kafka.group,
        "SQLASSAY_KAFKA__TOPIC_EVENTS": kafka.events,
        "SQLASSAY_KAFKA__TOPIC_DEAD": kafka.dead,
        "SQLASSAY_KAFKA__TOPIC_SCORES": kafka.scores,
        "SQLASSAY_KAFKA__TOPIC_LABELS": "",
        "SQLASSAY_KAFKA__TOPIC_FEEDBACK": "",
        "SQLASSAY_KAFKA__TOPIC_SPANS": "",
        "SQLASSAY_TELEMETRY__ENDPOINT": collector.url,
    }
    consumer = AIOKafkaConsumer(kafka.scores, bootstrap_servers=kafka.bootstrap, auto_offset_reset="earliest")
    async with served(database, **environment) as url, consumer:
        assert [each["status"] for each in await post(url, EVENT, headers=sampled())] == ["published"]
        async with asyncio.timeout(60):
            result = await consumer.getone()
    assert ("ce_traceparent", f"00-{TRACE}-{PARENT}-01".encode()) in result.headers
    ways = {span.name: span for span in collector.spans() if span.name.startswith("sqlassay.")}
    assert set(ways) == {"sqlassay.publish", "sqlassay.score"}
    assert {(span.trace_id.hex(), span.parent_span_id.hex()) for span in ways.values()} == {(TRACE, PARENT)}
    published = [each.name for each in collector.spans() if each.parent_span_id == ways["sqlassay.publish"].span_id]
    scored = [each.name for each in collector.spans() if each.parent_span_id == ways["sqlassay.score"].span_id]
    assert sorted(published) == ["decode", "publish"]
    assert sorted(scored) == sorted([*STAGES, "publish"])


async def test_a_collector_that_hangs_costs_no_event_and_what_does_not_fit_is_counted(
    collector: Collector, database: URL, wait_until: WaitUntil
):
    events = [{**EVENT, "event_id": f"kite-{number}"} for number in range(1500)]
    few: dict[str, Any] = {"SQLASSAY_TELEMETRY__QUEUE": "512", "OTEL_EXPORTER_OTLP_TIMEOUT": "3600"}
    async with served(database, SQLASSAY_TELEMETRY__ENDPOINT=collector.url, **few) as url:
        collector.freeze()
        assert {each["status"] for each in await post(url, *events)} == {"scored"}

        async def dropped() -> bool:
            return all(
                [
                    await metric(url, f'sqlassay_telemetry_total{{end="dropped",signal="{signal}"}}')
                    for signal in ("spans", "results")
                ]
            )

        await wait_until(dropped)


async def test_what_was_exported_and_what_was_not_is_counted(
    collector: Collector, database: URL, wait_until: WaitUntil
):
    quick: dict[str, Any] = {
        "OTEL_BSP_SCHEDULE_DELAY": "50",
        "OTEL_BLRP_SCHEDULE_DELAY": "50",
        "OTEL_EXPORTER_OTLP_TIMEOUT": "1",
    }
    async with served(database, SQLASSAY_TELEMETRY__ENDPOINT=collector.url, **quick) as url:
        await post(url, EVENT)

        async def exported() -> bool:
            return await metric(url, 'sqlassay_telemetry_total{end="exported",signal="spans"}') == 1 + len(STAGES)

        await wait_until(exported)
        collector.kill()
        await post(url, {**EVENT, "event_id": "kite-2"})

        async def failed() -> bool:
            return await metric(url, 'sqlassay_telemetry_total{end="failed",signal="results"}') == 1

        await wait_until(failed)


@dataclass
class Broken:
    """A `Telemetry` with a bug."""

    def export_trace(self, name: str, timings: StageTimings, attributes: object, error: str | None) -> None:
        raise ZeroDivisionError

    def export_result(self, evaluation: Evaluation) -> None:
        raise ZeroDivisionError


def test_a_result_says_what_each_reason_found_unless_the_tenant_s_texts_are_withheld():
    event = decode_event({**EVENT, "sql": "SELECT COUNT(*) FROM kites"}, require_id=True)
    case = examine(event.query(), Rules())
    assert isinstance(case, Case)
    score = conclude(case, local_judge().judge(case))
    evaluation = evaluate(event, score, Rules(), datetime.now(UTC))
    told = str(result_attributes(evaluation, details=True)["gen_ai.evaluation.explanation"])
    first = score.reply.reasons[0]
    assert f"; {first.code.value} ({first.detail})" in told
    assert "Zephyra" in told
    for each, details in ((evaluation, False), (replace(evaluation, withheld=True), True)):
        told = str(result_attributes(each, details=details)["gen_ai.evaluation.explanation"])
        assert first.code.value in told
        assert "Zephyra" not in told


def test_a_bug_in_telemetry_is_counted_and_keeps_no_outcome_from_its_sender():
    counts = MemoryOutcomes()
    outcomes = TracedOutcomes(counts, Broken())
    ended = Outcome(kind=OutcomeKind.SCORED, timings=StageTimings(0.0, None))
    outcomes.ended([ended, ended])
    evaluation = evaluate(
        decode_event(EVENT, require_id=True), Unscored(UnscoredReason.EMPTY_SQL), Rules(), datetime.now(UTC)
    )
    outcomes.evaluated(evaluation)
    assert counts.outcomes == [ended, ended]
    assert counts.evaluations == [evaluation]
    assert [where for where, _ in counts.faults] == ["telemetry"] * 3
    outcomes.evaluated(replace(evaluation, trigger=Trigger.BACKFILL))
    assert len(counts.faults) == 3


def test_without_the_extra_it_says_what_to_install():
    start = "import sys; sys.modules['opentelemetry.sdk'] = None; from service.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", start, "serve"],
        env={"SQLASSAY_TELEMETRY__ENDPOINT": "http://127.0.0.1:4318", "PATH": "", "SQLASSAY_HTTP__PORT": "0"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "SQLASSAY_TELEMETRY__ENDPOINT is set" in done.stderr
    assert "pip install 'sqlassay[telemetry]'" in done.stderr
