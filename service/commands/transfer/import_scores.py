"""`sqlassay import`: stores scores that were made elsewhere, as further rows of the answers that are stored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import islice

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import RefusedByStore
from service.commands.command_context import check_tenant, with_database
from service.commands.exits import answer_no
from service.commands.progress import progress
from service.commands.transfer.imported_lines import ImportFile, SkippedLine, read_score
from service.commands.transfer.transfer_options import ImportOptions
from service.storage.scores.imported_rows import ImportTally, ScoreRow, import_rows

BATCH = 500
"""Most lines that are held at a time, and that one transaction stores."""


@dataclass(slots=True, kw_only=True)
class _Run:
    rows: ImportTally
    failed: int = 0
    """Lines whose scoring failed."""
    refused: int = 0
    first_refused: str | None = None

    @property
    def lines(self) -> int:
        done = self.rows
        return done.added + done.already + done.unknown + done.left_out + self.failed + self.refused

    def document(self) -> dict[str, int]:
        return {**asdict(self.rows), "failed": self.failed, "refused": self.refused}


def import_scores(options: ImportOptions) -> None:
    """Stores the scores and prints what became of the lines. A refused or unknown line, and no line, answer no."""
    if options.tenant is not None:
        check_tenant(options.tenant)
    with ImportFile(options.source).lines() as lines:
        done = with_database(lambda engine: _import(engine, lines, options))
    print(json.dumps(done.document()))
    if not done.lines:
        answer_no(f"{options.source} holds no scores")
    if done.refused:
        answer_no(f"{done.refused} of {done.lines} lines refused; {done.first_refused}")
    if done.rows.unknown:
        answer_no(f"{done.rows.unknown} of {done.lines} lines are of answers that are not stored: publish those first")


async def _import(engine: AsyncEngine, lines: Iterator[tuple[int, bytes | None]], options: ImportOptions) -> _Run:
    done = _Run(rows=ImportTally())
    with progress("importing", None) as advance:
        while batch := list(islice(lines, BATCH)):
            rows = [row for number, raw in batch if (row := _row(number, raw, options, done)) is not None]
            await _store(engine, rows, options, done)
            advance(len(batch))
    return done


def _row(number: int, raw: bytes | None, options: ImportOptions, done: _Run) -> ScoreRow | None:
    """The score on a line; else None, and the line is counted."""
    row = read_score(raw, tenant=options.tenant, evaluator_version=options.evaluator_version)
    if isinstance(row, ScoreRow):
        return row
    if isinstance(row, SkippedLine):
        done.failed += 1
    else:
        _refuse(done, f"line {number}: {row.why}")
    return None


def _refuse(done: _Run, why: str) -> None:
    done.refused += 1
    done.first_refused = done.first_refused or why


async def _store(engine: AsyncEngine, rows: list[ScoreRow], options: ImportOptions, done: _Run) -> None:
    """Stores the rows; of those that the database refuses together, each that it takes alone."""
    try:
        stored = await import_rows(engine, rows, now=datetime.now(UTC), make_current=options.make_current)
        done.rows.add(stored)
    except RefusedByStore as error:
        if len(rows) == 1:
            _refuse(done, f"event {rows[0].key[2]!r} of tenant {rows[0].key[0]!r}: {error}")
            return
        middle = len(rows) // 2
        for part in (rows[:middle], rows[middle:]):
            await _store(engine, part, options, done)
