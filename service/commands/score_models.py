"""`sqlassay score FILE --judge llm|cascade`: scores with the configured model server, many answers at once."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass

from consumers.judging.panel import Panel
from scoring.query import Unscored
from scoring.record import MODEL_FIELDS, Record
from scoring.rules import JudgePolicy
from service.commands.files.formats import ScoredFiles
from service.commands.gold.reference_finding import ReferenceComparer, ReferencePlan, open_references
from service.commands.jsonl import InputLine
from service.commands.one_answer.answer_scorer import LocalAnswerScorer, record_of
from service.commands.one_answer.model_scorer import ModelAnswerScorer, with_model
from service.commands.score_lines import (
    RunTally,
    invalid_line_row,
    names_of,
    read_event,
    scored_file,
    scorer_failed,
)
from service.commands.score_references import REFERENCE_FIELD, has_reference, reference_of, say_compared


@dataclass(frozen=True, slots=True)
class ModelScorer(ModelAnswerScorer):
    """Scores files with one tenant's rules and the configured judges."""

    references: ReferencePlan | None = None
    """How lines of a file are compared with their references; `None` ignores those."""

    def score_file(self, files: ScoredFiles) -> RunTally:
        """Writes one row for each line, in order. Holds twice as many lines in memory as calls may be in flight."""
        return asyncio.run(self._score_file(files))

    async def _score_file(self, files: ScoredFiles) -> RunTally:
        window = 2 * self.settings.judge.in_flight
        waiting: deque[tuple[InputLine, asyncio.Task[Record]]] = deque()
        with scored_file(files, (*MODEL_FIELDS, REFERENCE_FIELD)) as (lines, write):
            async with (
                self.panel() as panel,
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
            result = await self.result(panel, event.query(), event.tenant)
        except Exception as error:  # One answer that trips a bug must not cost the file its scores.
            result = scorer_failed(error)
        row = {**names_of(event), **record_of(result, self.rules)}
        reference = await reference_of(compare, line) if has_reference(line) else None
        return row if reference is None else {**row, REFERENCE_FIELD: reference}


def with_models(scorer: LocalAnswerScorer, policy: JudgePolicy, references: ReferencePlan | None = None) -> ModelScorer:
    """Returns a scorer that asks the configured model. Ends the command when no model is configured."""
    one = with_model(scorer, policy)
    return ModelScorer(one.settings, one.rules, one.local, one.counts, references)
