"""Scores one answer with the local judge, and prints what came of it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Protocol

from scoring.evaluation import conclude, examine
from scoring.judging.local import LocalJudge
from scoring.query import Query, Unscored
from scoring.record import Record, score_record, unscored_record
from scoring.rules import Rules
from scoring.verdict import Score

NAME_FIELDS = ("event_id", "tenant", "agent")
"""The fields of a row that say whose answer it is."""


class AnswerScorer(Protocol):
    """Scores an answer with one tenant's rules."""

    @property
    def rules(self) -> Rules: ...

    def __call__(self, query: Query) -> Score | Unscored: ...

    def finish(self) -> None:
        """Says what a model did not judge, and why; ends the command where its server refuses all calls."""
        ...


@dataclass(frozen=True, slots=True)
class LocalAnswerScorer:
    """Scores with the local judge: the same answer always gets the same score."""

    rules: Rules
    judge: LocalJudge

    def __call__(self, query: Query) -> Score | Unscored:
        case = examine(query, self.rules)
        if isinstance(case, Unscored):
            return case
        return conclude(case, self.judge.judge(case))

    def finish(self) -> None:
        """Asks no model: there is nothing to say."""


def record_of(result: Score | Unscored, rules: Rules) -> Record:
    """The fields of a row, except its names."""
    return unscored_record(result, rules.version) if isinstance(result, Unscored) else score_record(result)


def explain(query: Query, scorer: AnswerScorer, *, as_json: bool) -> None:
    """Prints an explanation on a terminal, or the row as JSON."""
    result = scorer(query)
    if as_json or not sys.stdout.isatty():
        print(json.dumps({**dict.fromkeys(NAME_FIELDS), **record_of(result, scorer.rules)}, ensure_ascii=True))
    else:
        # the library of tables is for terminals only
        from service.commands.rendering.answer import explanation, refusal  # noqa: PLC0415 for the reason above
        from service.commands.rendering.terminal import print_to_terminal  # noqa: PLC0415 for the reason above

        print_to_terminal(refusal(query, result) if isinstance(result, Unscored) else explanation(result))
    scorer.finish()
