"""`sqlassay export`: writes a range of the stored scores to a file, one batch at a time."""

from __future__ import annotations

import sys

import orjson
from sqlalchemy.ext.asyncio import AsyncEngine

from service.commands.command_context import with_database
from service.commands.exits import answer_no
from service.commands.files.formats import row_sink
from service.commands.progress import progress
from service.commands.report import parse_time
from service.commands.transfer.transfer_options import ExportOptions
from service.storage.scores.evaluation_pages import EvaluationFilter
from service.storage.scores.exported_rows import EXPORTED_FIELDS, exported_rows


def export_scores(options: ExportOptions) -> None:
    """Writes the rows and says how many. Exit code 1 when none match."""
    wanted = EvaluationFilter(
        tenant=options.tenant,
        agent=options.agent,
        since=parse_time("--since", options.since),
        until=parse_time("--until", options.until),
    )
    written = with_database(lambda engine: _write(engine, wanted, options))
    if not written:
        answer_no("no stored answers match")
    print(f"exported {written}", file=sys.stderr)


async def _write(engine: AsyncEngine, wanted: EvaluationFilter, options: ExportOptions) -> int:
    written = 0
    with row_sink(options.out, EXPORTED_FIELDS) as sink, progress("exporting", None) as advance:
        async for batch in exported_rows(engine, wanted, options.evaluator_version):
            for row in batch:
                sink.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
            written += len(batch)
            advance(len(batch))
    return written
