"""The answers of a list as files: CSV for spreadsheets, JSONL for programs."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, cast

import orjson
from fastapi import APIRouter, Query
from fastapi.responses import Response, StreamingResponse
from sqlalchemy.ext.asyncio import AsyncEngine

from service.api.access import ConsoleReader, RunningService
from service.api.caller import Caller
from service.console.forms import ListForm
from service.console.rendering import SAFE_HEADERS
from service.console.spelling import spelled
from service.storage.scores.evaluation_pages import MAX_PAGE, EvaluationFilter, Order, RowPage, evaluation_page

router = APIRouter(include_in_schema=False)
MOST_EXPORTED = 10_000
"""Most answers in one file."""
COLUMNS = (
    "id occurred_at tenant agent agent_version source event_id question enriched_question sql dialect score tier"
    " filter_status verdict confidence p_correct p_alone judge unscored reason_codes reference_verdict reference_level"
    " rules_version evaluator_version"
).split()
_FORMULA, _BREAKS = frozenset("=+-@"), frozenset("\t\r\n\0")
_UNSEEN = frozenset(("Cc", "Cf", "Cn", "Co", "Mn", "Zl", "Zp", "Zs"))
"""Unicode categories of characters that a spreadsheet may drop before a formula."""
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols that show nothing."""
Rows = Iterable[Mapping[str, Any]]


@router.get("/console/evaluations.csv")
async def export_csv(query: Annotated[ListForm, Query()], service: RunningService, reader: ConsoleReader) -> Response:
    """The answers of the list as CSV, at most 10,000."""
    return await _export(query, service.engine, reader, _csv, "csv", "text/csv; charset=utf-8; header=present")


@router.get("/console/evaluations.jsonl")
async def export_jsonl(query: Annotated[ListForm, Query()], service: RunningService, reader: ConsoleReader) -> Response:
    """The answers of the list as JSON, one a line, at most 10,000."""
    return await _export(query, service.engine, reader, _jsonl, "jsonl", "application/x-ndjson")


async def _export(
    query: ListForm,
    engine: AsyncEngine,
    reader: Caller,
    write: Callable[[Rows, bool], str],
    ending: str,
    media_type: str,
) -> Response:
    form, _ = await spelled(query, engine, reader)
    wanted, order = form.at(datetime.now(UTC)).wanted(reader), form.shown_order
    # an error of the first page can still be answered with its status
    first = await evaluation_page(engine, wanted, order=order, limit=MAX_PAGE)

    async def parts() -> AsyncIterator[str]:
        page, exported = first, 0
        yield write(page.items, True)
        while page.next_cursor is not None and (exported := exported + len(page.items)) < MOST_EXPORTED:
            page = await _next_page(engine, wanted, order, page)
            yield write(page.items, False)

    disposition = {"Content-Disposition": f'attachment; filename="answers.{ending}"'}
    return StreamingResponse(parts(), media_type=media_type, headers={**SAFE_HEADERS, **disposition})


async def _next_page(engine: AsyncEngine, wanted: EvaluationFilter, order: Order, page: RowPage) -> RowPage:
    return await evaluation_page(engine, wanted, order=order, limit=MAX_PAGE, cursor=page.next_cursor)


def _csv(rows: Rows, first: bool) -> str:
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    if first:
        writer.writerow(COLUMNS)
    writer.writerows([cell(row[name]) for name in COLUMNS] for row in rows)
    return text.getvalue()


def cell(value: object) -> str:
    """The value as text that no spreadsheet takes for a formula.

    >>> cell("=1+1"), cell(" @SUM(A1)"), cell(-1.5), cell(["A", "B"]), cell(None)
    ("'=1+1", "' @SUM(A1)", '-1.5', 'A B', '')
    """
    if value is None:
        return ""
    if isinstance(value, list):
        return cell(" ".join(map(str, cast("list[object]", value))))
    if isinstance(value, datetime):
        return value.isoformat()
    if not isinstance(value, str):
        return str(value)
    return "'" + value if _begins_a_formula(value) else value


def _begins_a_formula(text: str) -> bool:
    for each in text:
        if each in _BREAKS:
            return True
        if each not in _BLANK and unicodedata.category(each) not in _UNSEEN:
            # wide and small forms too: ＝ is =
            return unicodedata.normalize("NFKC", each) in _FORMULA
    return False


def _jsonl(rows: Rows, _: bool) -> str:
    lines = (orjson.dumps({name: row[name] for name in COLUMNS}, default=str, option=orjson.OPT_UTC_Z) for row in rows)
    return "".join(line.decode() + "\n" for line in lines)
