"""`sqlassay score --memory`: a file is one stream; an answer is judged with what earlier ones of its tenant taught."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from consumers.wire.events import QueryEvent
from scoring.evaluation import conclude, examine
from scoring.memory.asked import asked_question
from scoring.memory.context import NOTHING_KNOWN, MemoryContext, context_record
from scoring.memory.decision import weigh_context
from scoring.memory.facts import facts_of
from scoring.memory.memories import Memories
from scoring.memory.remembered import RememberedAnswer
from scoring.query import Query, Unscored
from scoring.record import Record, score_record
from scoring.rules import Rules
from scoring.verdict import Case, Score
from service.commands.files.formats import ScoredFiles
from service.commands.jsonl import InputLine
from service.commands.score_lines import (
    Encoded,
    LocalScorer,
    RowWriter,
    RunTally,
    invalid_line_row,
    names_of,
    read_event,
    record_of,
    scored_file,
    scorer_failed,
    write_all,
)

MEMORY_FIELDS = ("p_alone", "context")
"""The fields that a line out has with memory only."""


@dataclass(frozen=True, slots=True)
class MemoryScorer:
    """Scores the lines of a file in their order with the local judge and one memory for each tenant."""

    local: LocalScorer
    memories: Memories = field(default_factory=Memories)

    @property
    def rules(self) -> Rules:
        return self.local.rules

    def __call__(self, query: Query) -> Score | Unscored:
        return self.local(query)

    def finish(self) -> None:
        """Asks no model: there is nothing to say."""

    def score_file(self, files: ScoredFiles) -> RunTally:
        """Writes one row for each line, in order."""
        with self.opened(files) as opened:
            return write_all(*opened)

    @contextmanager
    def opened(
        self, files: ScoredFiles, more: Iterable[str] = ()
    ) -> Generator[tuple[Iterator[tuple[InputLine, Encoded]], RowWriter]]:
        """Opens both files; yields each line with its row, in order, and what writes rows, with `more` fields."""
        with scored_file(files, (*MEMORY_FIELDS, *more)) as (lines, write):
            yield ((line, Encoded.of(self.row(line))) for line in lines), write

    def row(self, line: InputLine) -> Record:
        """The row for a line, with `p_alone` and `context`, which are null where there are none."""
        event = read_event(line)
        if isinstance(event, Unscored):
            refused = invalid_line_row(line, event, self.rules)
            return {**refused, **dict.fromkeys(MEMORY_FIELDS)}
        try:
            scored = self._scored(event)
        except Exception as error:  # One answer that trips a bug must not cost the file its scores.
            scored = _without_score(scorer_failed(error), self.rules)
        return {**names_of(event), **scored}

    def _scored(self, event: QueryEvent) -> Record:
        case = examine(event.query(), self.rules)
        if isinstance(case, Unscored):
            return _without_score(case, self.rules)
        alone = self.local.judge.judge(case)
        context = self._context(event, case)
        reply = weigh_context(alone, context, self.local.judge.weights.thresholds)
        record = score_record(conclude(case, reply))
        return {**record, "p_alone": alone.p_correct, "context": context_record(context)}

    def _context(self, event: QueryEvent, case: Case) -> MemoryContext:
        """What the tenant's memory knows of an answer, which it then remembers."""
        if not self.rules.memory:
            return NOTHING_KNOWN
        answer = RememberedAnswer(
            agent=event.agent, event_id=event.event_id, asked=asked_question(case.question), facts=facts_of(case)
        )
        memory = self.memories.of(event.tenant)
        before = memory.size
        context = memory.recall(answer)
        if not case.ran_nothing:
            memory.learn(answer, context)
        self.memories.grew(memory.size - before)
        return context


def _without_score(unscored: Unscored, rules: Rules) -> Record:
    return {**record_of(unscored, rules), "p_alone": None, "context": None}
