"""`sqlassay score` with `reference_sql` on its lines: what comparing with the reference finds, beside the score."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from dataclasses import dataclass, field
from typing import cast

import orjson

from consumers.judging.comparing.gold_judges import COMPARISON
from consumers.wire.events import parse_json
from scoring.query import Query, Unscored
from scoring.rules import JudgePolicy, Rules
from scoring.verdict import Score
from service.commands.files.columns import DATABASE
from service.commands.files.formats import ScoredFiles
from service.commands.gold.reference_finding import ReferenceComparer, ReferencePlan, open_references
from service.commands.jsonl import STANDARD, InputLine
from service.commands.options import ScoreOptions
from service.commands.score_lines import Encoded, LocalScorer, RowWriter, RunTally, read_event
from service.commands.score_memory import MemoryScorer

REFERENCE_FIELD = "reference"
"""The field that a line out has where the line in has a `reference_sql`."""
_KEY = b"reference_sql"
_MOST_ROWS = 256
"""Rows that may wait for the comparison of an earlier one."""


def reference_plan(options: ScoreOptions, rules: Rules, policy: JudgePolicy) -> ReferencePlan:
    """How the references of a file are compared. A model is asked where it judges every answer."""
    schemas = options.schema_file if options.schema_file != STANDARD else None
    return ReferencePlan(
        databases=options.databases,
        schemas=schemas,
        dialect=rules.dialect,
        judge=COMPARISON if policy is JudgePolicy.LLM else None,
        learned=rules.learned,
        processes=max(2, options.jobs),
    )


def has_reference(line: InputLine) -> bool:
    """Whether a line may have a reference; a line without the key surely has none.

    >>> has_reference(InputLine(1, b'{"question": "How many?", "sql": "SELECT 1"}'))
    False
    """
    return line.raw is not None and _KEY in line.raw


def db_id_of(line: InputLine) -> str | None:
    """The `db_id` of a line, which names a database and is no field of an event."""
    document = parse_json(line.raw or b"{}")
    found = cast("dict[str, object]", document).get(DATABASE) if isinstance(document, dict) else None
    return str(found) if isinstance(found, str | int) else None


async def reference_of(compare: ReferenceComparer, line: InputLine) -> object:
    """The field `reference` of a line out; `None` where the line in is no event, or has no reference."""
    event = read_event(line)
    return None if isinstance(event, Unscored) else await compare(event, db_id_of(line))


def say_compared(compare: ReferenceComparer) -> None:
    """Says on stderr what the references say of the answers."""
    if compare.found:
        print(f"compared with references: {compare}", file=sys.stderr)


@dataclass(frozen=True, slots=True)
class ReferencedScorer:
    """Scores with another scorer, and compares each answer with its reference. The score does not depend on it."""

    scorer: LocalScorer | MemoryScorer
    plan: ReferencePlan

    @property
    def rules(self) -> Rules:
        return self.scorer.rules

    def __call__(self, query: Query) -> Score | Unscored:
        return self.scorer(query)

    def finish(self) -> None:
        self.scorer.finish()

    def score_file(self, files: ScoredFiles) -> RunTally:
        """Writes one row for each line, in order. Holds some lines in memory at a time."""
        return asyncio.run(self._score_file(files))

    async def _score_file(self, files: ScoredFiles) -> RunTally:
        with self.scorer.opened(files, (REFERENCE_FIELD,)) as (rows, write):
            async with open_references(self.plan) as compare, asyncio.TaskGroup() as group:
                waiting = _WaitingRows(write, most=4 * self.plan.processes)
                for line, row in rows:
                    found = group.create_task(reference_of(compare, line)) if has_reference(line) else None
                    await waiting.add(line, row, found)
                await waiting.finish()
            say_compared(compare)
        return write.tally


@dataclass(slots=True)
class _WaitingRows:
    """Rows in the order of their lines, of which some wait for their comparison."""

    write: RowWriter
    most: int
    rows: deque[tuple[InputLine, Encoded, asyncio.Task[object] | None]] = field(
        default_factory=deque[tuple[InputLine, Encoded, "asyncio.Task[object] | None"]]
    )
    running: int = 0
    """How many of them wait for a comparison."""

    async def add(self, line: InputLine, row: Encoded, found: asyncio.Task[object] | None) -> None:
        """Adds a row, and writes those that need not wait."""
        self.rows.append((line, row, found))
        self.running += found is not None
        while self.rows and (self._full() or self._ready()):
            await self._write_first()

    def _full(self) -> bool:
        return self.running > self.most or len(self.rows) > _MOST_ROWS

    def _ready(self) -> bool:
        found = self.rows[0][2]
        return found is None or found.done()

    async def finish(self) -> None:
        """Writes all rows."""
        while self.rows:
            await self._write_first()

    async def _write_first(self) -> None:
        line, row, found = self.rows.popleft()
        if found is not None:
            self.running -= 1
            row = with_reference(row, await found)
        self.write.encoded(line, row)


def with_reference(row: Encoded, reference: object) -> Encoded:
    """The row with its field `reference`, where there is one.

    >>> with_reference(Encoded(b'{"score":1.0}\\n', 1.0, None, None, None), {"equivalence": "different"}).content
    b'{"score":1.0,"reference":{"equivalence":"different"}}\\n'
    """
    if reference is None:
        return row
    added = orjson.dumps({REFERENCE_FIELD: reference}, default=str, option=orjson.OPT_APPEND_NEWLINE)
    return row._replace(content=row.content.rstrip()[:-1] + b"," + added[1:])
