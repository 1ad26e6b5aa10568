"""`sqlassay score FILE`: scores the answers of a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from scoring.rules import JudgePolicy
from service.commands.exits import answer_no
from service.commands.files.columns import Columns
from service.commands.files.formats import ScoredFiles
from service.commands.files.gates import Gate, failed
from service.commands.jsonl import STANDARD
from service.commands.one_answer.answer_scorer import LocalAnswerScorer
from service.commands.options import ScoreOptions
from service.commands.score_lines import LocalScorer, RunTally
from service.commands.score_memory import MemoryScorer
from service.commands.score_references import ReferencedScorer, reference_plan

_EXAMPLE = '{"question": "How many members?", "sql": "SELECT COUNT(*) FROM members"}'


class FileScorer(Protocol):
    """Scores the answers of a file."""

    def score_file(self, files: ScoredFiles) -> RunTally: ...

    def finish(self) -> None:
        """Says what a model did not judge, and why; ends the command where its server refuses all calls."""
        ...


def score_file(options: ScoreOptions, policy: JudgePolicy, gates: Sequence[Gate], one: LocalAnswerScorer) -> None:
    """Scores the file of answers that the options name, as `one` scores an answer or with a model."""
    scorer = _open_scorer(options, policy, one)
    files = ScoredFiles(options.source or STANDARD, options.out, _columns(options))
    _conclude_run(files, scorer.score_file(files), gates, scorer.finish)


def _open_scorer(options: ScoreOptions, policy: JudgePolicy, one: LocalAnswerScorer) -> FileScorer:
    local = LocalScorer(one.rules, one.judge, options.cpu_seconds, options.jobs)
    plan = reference_plan(options, one.rules, policy) if options.with_reference else None
    if policy is not JudgePolicy.LOCAL:
        from service.commands.score_models import with_models  # noqa: PLC0415 the model client loads slowly

        return with_models(local, policy, plan)
    scorer = MemoryScorer(local) if options.memory else local
    return scorer if plan is None else ReferencedScorer(scorer, plan)


def _columns(options: ScoreOptions) -> Columns:
    return Columns(
        question=options.question_column,
        sql=options.sql_column,
        enriched_question=options.enriched_column,
        event_id=options.id_column,
        dialect=options.dialect_column,
    )


def _conclude_run(files: ScoredFiles, tally: RunTally, gates: Sequence[Gate], finish: Callable[[], None]) -> None:
    """Says what became of the lines. A refused line, no line at all and a gate that is not passed answer no."""
    if tally.lines == 0:
        answer_no(f"{files.source} holds no answers: write one a line, such as {_EXAMPLE}")
    where = "" if files.target == STANDARD else f" → {Path(files.target).name}"
    print(f"{tally}{where}", file=sys.stderr)
    finish()
    faults = failed(gates, tally.figures())
    if tally.first_refused is not None:
        faults.append(f"{tally.refused} of {tally.lines} lines refused; {tally.first_refused}")
    if faults:
        answer_no("; ".join(faults))
