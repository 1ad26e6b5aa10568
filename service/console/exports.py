"""The answers of a list as files: CSV for spreadsheets, JSONL for programs, Parquet for analysts."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse
from sqlalchemy.ext.asyncio import AsyncEngine

from service.api.access import ConsoleReader, RunningService
from service.api.caller import Caller
from service.console.answer_files.answer_lines import COLUMNS, answer_lines
from service.console.answer_files.parquet_pages import ParquetAnswers
from service.console.forms import ListForm
from service.console.rendering import SAFE_HEADERS
from service.console.spelling import spelled
from service.csv_tables import CsvTable
from service.storage.feedback.exported_answers import exported_answers
from service.storage.scores.evaluation_pages import MAX_PAGE, evaluation_page

router = APIRouter(include_in_schema=False)
MOST_EXPORTED = 10_000
"""Most answers in one file."""
Lines = Sequence[dict[str, Any]]


@router.get("/console/evaluations.csv")
async def export_csv(
    request: Request, query: Annotated[ListForm, Query()], service: RunningService, reader: ConsoleReader
) -> Response:
    """The answers of the list as CSV, at most 10,000."""
    pages = await _pages(request, query, service.engine, reader)
    return _file(_written(pages, _csv), "csv", "text/csv; charset=utf-8; header=present")


@router.get("/console/evaluations.jsonl")
async def export_jsonl(
    request: Request, query: Annotated[ListForm, Query()], service: RunningService, reader: ConsoleReader
) -> Response:
    """The answers of the list as JSON, one a line, at most 10,000."""
    return _file(
        _written(await _pages(request, query, service.engine, reader), _jsonl), "jsonl", "application/x-ndjson"
    )


@router.get("/console/evaluations.parquet")
async def export_parquet(
    request: Request, query: Annotated[ListForm, Query()], service: RunningService, reader: ConsoleReader
) -> Response:
    """The answers of the list as Parquet, at most 10,000. A 501 without the extra `arrow`."""
    file = await asyncio.to_thread(ParquetAnswers)
    async for lines in await _pages(request, query, service.engine, reader):
        await asyncio.to_thread(file.add, lines)
    return _file(file.content(), "parquet", "application/vnd.apache.parquet")


async def _pages(request: Request, query: ListForm, engine: AsyncEngine, reader: Caller) -> AsyncIterator[Lines]:
    """The lines of the file, a page at a time. An error of the first page can still be answered with its status."""
    form, _ = await spelled(query, engine, reader)
    wanted, order = form.at(datetime.now(UTC)).wanted(reader), form.shown_order
    address = str(request.base_url).rstrip("/")
    first = await evaluation_page(engine, wanted, order=order, limit=MAX_PAGE)

    async def pages() -> AsyncIterator[Lines]:
        page, exported = first, 0
        while True:
            rows = await exported_answers(engine, page.items)
            yield await asyncio.to_thread(answer_lines, rows, address)
            exported += len(rows)
            if page.next_cursor is None or exported >= MOST_EXPORTED:
                return
            page = await evaluation_page(engine, wanted, order=order, limit=MAX_PAGE, cursor=page.next_cursor)

    return pages()


async def _written(pages: AsyncIterator[Lines], write: Callable[[Lines, bool], str]) -> AsyncIterator[str]:
    first = True
    async for lines in pages:
        yield await asyncio.to_thread(write, lines, first)
        first = False


def _file(content: Any, ending: str, media_type: str) -> Response:
    disposition = {"Content-Disposition": f'attachment; filename="answers.{ending}"'}
    return StreamingResponse(content, media_type=media_type, headers={**SAFE_HEADERS, **disposition})


def _csv(lines: Lines, first: bool) -> str:
    text = io.StringIO()
    table = CsvTable(text, quoted=True, line_end="\r\n")
    if first:
        table.write(COLUMNS)
    table.write(*([line[name] for name in COLUMNS] for line in lines))
    return text.getvalue()


def _jsonl(lines: Lines, _: bool) -> str:
    return "".join(orjson.dumps(line, default=str, option=orjson.OPT_UTC_Z).decode() + "\n" for line in lines)
