"""The page of one answer: why it has its score, from the words of the question to the last sum."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response

from consumers.evaluation.event_evaluation import EventKey
from scoring.reason_kinds import ReasonKind
from scoring.record import SCORED_FIELDS
from service.api.access import ConsoleReader, RunningService
from service.api.errors import ApiError
from service.console.answer.benchmark_case import benchmark_case
from service.console.answer.differences import differences
from service.console.answer.headline import headline
from service.console.answer.pairs import AnswerPart, pairs_of
from service.console.answer.question_text import ShownTexts, show_texts
from service.console.answer.score_sum import sum_of
from service.console.answer.specification_lines import specification_lines
from service.console.answer.sql_text import ShownSql, show_sql
from service.console.answer_files.plain_sentence import plain_sentence
from service.console.forms import ListForm
from service.console.meanings import FILTER_STATUSES, LEVELS, NORMALIZATIONS, REFERENCES, VERDICTS, meanings
from service.console.rendering import SAFE_HEADERS, page
from service.judges.weights import local_judge
from service.storage.feedback.asked_again import asked_again
from service.storage.feedback.feedback_reading import feedback_on
from service.storage.label_store import labelled_evaluation, past_labels_of
from service.storage.scores.neighbours import neighbours
from service.storage.scores.other_answers import other_answers

router = APIRouter(include_in_schema=False)
_WORDS: Mapping[str, Mapping[str, str]] = {
    "rules": NORMALIZATIONS,
    "statuses": FILTER_STATUSES,
    "verdicts": VERDICTS,
    "references": REFERENCES,
    "levels": LEVELS,
}
_TRACE_ID = re.compile(r"[0-9a-fA-F]{16,32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Texts:
    """What takes CPU time to lay out."""

    pairs: Sequence[AnswerPart]
    texts: ShownTexts
    sql: ShownSql
    others: Sequence[ShownSql]
    """The reference, and then the corrections of the labels."""
    edited: Sequence[ShownSql]
    """The SQL as each user edited it; empty where none did."""


@router.get("/console/evaluations/{evaluation_id}")
async def show_evaluation(
    evaluation_id: UUID, query: Annotated[ListForm, Query()], service: RunningService, reader: ConsoleReader
) -> Response:
    """Shows one answer with everything that explains its score. The query is that of the list it was found in."""
    row = await _found(service, evaluation_id, reader.tenant)
    record: Mapping[str, Any] = {**dict.fromkeys((*SCORED_FIELDS, "rationale")), **row["record"]}
    event = EventKey(row["tenant"], row["source"], row["event_id"])
    said = await feedback_on(service.engine, event)
    # a thousand lines of SQL must not hold up the event loop
    laid_out = await asyncio.to_thread(_laid_out, row, said)
    others = await other_answers(service.engine, row)
    past = await past_labels_of(service.engine, event)
    wanted = query.at(datetime.now(UTC)).wanted(reader)
    shown = {
        "title": "Answer",
        "row": row,
        "record": record,
        "given": query.given(),
        "headline": headline(row),
        "reasons": _reasons(record["reasons"] or ()),
        "sentence": plain_sentence(row, record["reasons"] or ()),
        "laid_out": laid_out,
        "sum": sum_of(row, local_judge().weights),
        "specifications": specification_lines(record),
        "others": _beside(row, others),
        "past_labels": past,
        "heard": said,
        # who says it, where that is known, counts once
        "users": len({each["user_id"] or each["feedback_id"] for each in said}),
        "asked_again": await asked_again(service.engine, row),
        "around": await neighbours(service.engine, wanted, query.shown_order, row),
        "case": benchmark_case(row) if row["question"] else None,
        "trace": _trace_link(service.settings.telemetry.trace_url, row["attributes"]),
        "words": {**_WORDS, "reasons": meanings()},
    }
    return page("answer.html", shown, carried=query.carried())


@router.get("/console/evaluations/{evaluation_id}/case.jsonl")
async def download_case(evaluation_id: UUID, service: RunningService, reader: ConsoleReader) -> Response:
    """The answer as a case of a benchmark."""
    row = await _found(service, evaluation_id, reader.tenant)
    disposition = {"Content-Disposition": 'attachment; filename="case.jsonl"'}
    headers = {**SAFE_HEADERS, **disposition}
    return Response(benchmark_case(row) + "\n", media_type="application/x-ndjson", headers=headers)


async def _found(service: RunningService, evaluation_id: UUID, tenant: str | None) -> dict[str, Any]:
    row = await labelled_evaluation(service.engine, evaluation_id, tenant)
    if row is None:
        raise ApiError(
            404, "NOT_FOUND", f"there is no evaluation {evaluation_id}", "Choose one from the list of answers."
        )
    return row


def _laid_out(row: Mapping[str, Any], said: Sequence[Mapping[str, Any]]) -> _Texts:
    record: Mapping[str, Any] = row["record"]
    pairs = pairs_of(record)
    reference: str | None = row["reference_sql"] if row["reference_verdict"] else None
    others = [reference or "", *(label["correction"] or "" for label in row["labels"])]
    return _Texts(
        pairs=pairs,
        texts=show_texts(row["question"], row["enriched_question"], pairs, record),
        sql=show_sql(row["sql"], _dialect(row, record), pairs),
        others=[show_sql(each, row["dialect"]) for each in others],
        edited=[show_sql(each["edited_sql"] or "", row["dialect"]) for each in said],
    )


def _reasons(found: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """The reasons, and apart the forms that moved nothing."""
    forms = [each for each in found if each.get("kind") == ReasonKind.FORM.value and not each["weight"]]
    return {"shown": [each for each in found if each not in forms], "forms": forms}


def _dialect(row: Mapping[str, Any], record: Mapping[str, Any]) -> str | None:
    """The dialect in which the SQL was read."""
    read: Any = record.get("sql_spec") or {}
    return read.get("dialect") or row["dialect"]


def _beside(row: Mapping[str, Any], others: Mapping[tuple[str, str], Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each voice of memory with its stored answer and where that differs, if it is still stored."""
    context: Any = row["context"] or {}
    own: Any = row["record"].get("sql_spec") or {}
    beside: list[dict[str, Any]] = []
    for voice in context.get("voices") or ():
        stored = others.get((str(voice.get("agent")), str(voice.get("event_id"))))
        differing = differences(own, stored["sql_spec"] or {}) if stored is not None else []
        beside.append({"voice": voice, "stored": stored, "differences": differing})
    return beside


def _trace_link(template: str | None, attributes: Mapping[str, Any]) -> str | None:
    found = attributes.get("trace_id")
    if template is None or not isinstance(found, str) or not _TRACE_ID.fullmatch(found):
        return None
    return template.replace("{trace_id}", quote(found, safe=""))
