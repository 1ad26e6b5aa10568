"""`sqlassay score --judge llm|cascade`: scores with the configured model server, many answers at once."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from consumers.judging.memory_counts import MemoryModelCounts
from consumers.judging.panel import Panel
from consumers.judging.ports import REFUSALS
from scoring.evaluation import conclude, examine
from scoring.judging.local import LocalJudge
from scoring.query import Query, Unscored, UnscoredReason
from scoring.record import MODEL_FIELDS, Record
from scoring.rules import JudgePolicy, Rules
from scoring.verdict import Reply, Score
from service.commands.command_context import settings
from service.commands.exits import Exit, refuse
from service.commands.files.formats import ScoredFiles
from service.commands.gold.reference_finding import ReferenceComparer, ReferencePlan, open_references
from service.commands.jsonl import InputLine
from service.commands.score_lines import (
    LocalScorer,
    RunTally,
    invalid_line_row,
    names_of,
    read_event,
    record_of,
    scored_file,
    scorer_failed,
)
from service.commands.score_references import REFERENCE_FIELD, has_reference, reference_of, say_compared
from service.judges.configured_panel import open_panel
from service.settings import Settings
from service.settings.storage_settings import RedisSettings

if TYPE_CHECKING:
    from service.redis.link import RedisLink


@dataclass(frozen=True, slots=True)
class ModelScorer:
    """Scores with one tenant's rules and the configured judges."""

    settings: Settings
    rules: Rules
    local: LocalJudge
    counts: MemoryModelCounts = field(default_factory=MemoryModelCounts)
    references: ReferencePlan | None = None
    """How lines of a file are compared with their references; `None` ignores those."""

    def finish(self) -> None:
        """Says which causes kept the model from judging; ends the command where its server refuses all calls."""
        for cause, cases in self.counts.causes.items():
            answers = "1 answer" if cases == 1 else f"{cases} answers"
            print(f"sqlassay: the model did not judge {answers}: {self.counts.details[cause]}", file=sys.stderr)
        if self.counts.causes.keys() & REFUSALS:
            raise SystemExit(int(Exit.UNAVAILABLE))

    def __call__(self, query: Query) -> Score | Unscored:
        async def one() -> Score | Unscored:
            async with self._panel() as panel:
                return await self._result(panel, query, "default")

        return asyncio.run(one())

    def score_file(self, files: ScoredFiles) -> RunTally:
        """Writes one row for each line, in order. Holds twice as many lines in memory as calls may be in flight."""
        return asyncio.run(self._score_file(files))

    @asynccontextmanager
    async def asking(self) -> AsyncGenerator[Callable[[Query], Awaitable[Score | Unscored]]]:
        """Opens the judges; yields a function that asks them about one answer."""
        async with self._panel() as panel:
            yield lambda query: self._result(panel, query, "default")

    @asynccontextmanager
    async def _panel(self) -> AsyncGenerator[Panel]:
        async with (
            _open_redis(self.settings.redis) as redis,
            open_panel(self.settings.judge, self.local, self.counts, redis) as panel,
        ):
            yield panel

    async def _score_file(self, files: ScoredFiles) -> RunTally:
        window = 2 * self.settings.judge.in_flight
        waiting: deque[tuple[InputLine, asyncio.Task[Record]]] = deque()
        with scored_file(files, (*MODEL_FIELDS, REFERENCE_FIELD)) as (lines, write):
            async with (
                self._panel() as panel,
                open_references(self.references) as compare,
                asyncio.TaskGroup() as group,
            ):
                for line in lines:
                    waiting.append((line, group.create_task(self._row(panel, compare, line))))
                    while len(waiting) >= window or (waiting and waiting[0][1].done()):
                        first, row = waiting.popleft()
                        write(first, await row)
                for first, row in waiting:
                    write(first, await row)
            say_compared(compare)
        return write.tally

    async def _row(self, panel: Panel, compare: ReferenceComparer, line: InputLine) -> Record:
        event = read_event(line)
        if isinstance(event, Unscored):
            return invalid_line_row(line, event, self.rules)
        try:
            result = await self._result(panel, event.query(), event.tenant)
        except Exception as error:  # One answer that trips a bug must not cost the file its scores.
            result = scorer_failed(error)
        row = {**names_of(event), **record_of(result, self.rules)}
        reference = await reference_of(compare, line) if has_reference(line) else None
        return row if reference is None else {**row, REFERENCE_FIELD: reference}

    async def _result(self, panel: Panel, query: Query, tenant: str) -> Score | Unscored:
        case = await asyncio.to_thread(examine, query, self.rules)
        if isinstance(case, Unscored):
            return case
        reply = panel.at_once(case) or await panel.ask(case, tenant=tenant)
        if isinstance(reply, Reply):
            return conclude(case, reply)
        if isinstance(reply, Unscored):
            return reply
        return Unscored(UnscoredReason.JUDGE_UNAVAILABLE, "the model does not answer: run this again later")


def _open_redis(settings: RedisSettings) -> AbstractAsyncContextManager[RedisLink | None]:
    if settings.url is None:
        return nullcontext()
    from service.redis.link import open_redis  # noqa: PLC0415 the client of Redis loads slowly

    return open_redis(settings)


def with_models(scorer: LocalScorer, policy: JudgePolicy, references: ReferencePlan | None = None) -> ModelScorer:
    """Returns a scorer that asks the configured model. Ends the command when no model is configured."""
    configured = settings()
    if configured.judge.base_url is None:
        refuse(
            f"--judge {policy.value} asks a model server, and none is set: set SQLASSAY_JUDGE__BASE_URL,"
            " SQLASSAY_JUDGE__MODEL and SQLASSAY_JUDGE__PRICES, or use --judge local"
        )
    rules = replace(scorer.rules, judge=replace(scorer.rules.judge, policy=policy))
    return ModelScorer(configured, rules, scorer.judge, references=references)
