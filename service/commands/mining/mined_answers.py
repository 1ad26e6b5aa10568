"""Reads the answers that rules are mined from: a file of events, or what is stored of a tenant."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, cast

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.wire.events import MAX_EVENT_BYTES, InvalidEvent, decode_event, parse_json
from learning.mining.observing import ObservedAnswer, observe
from scoring.query import Query, Unscored
from service.commands.exits import refuse
from service.commands.jsonl import STANDARD, InputLine, open_input, read_lines
from service.commands.score_lines import CPU_SECONDS, LocalScorer
from service.processes.budgeted_process import BudgetedProcess
from service.processes.forked_call import CallEnded
from service.storage.reviewing.training_labels import AnswerKey, TrainingFilter, agreed_labels
from service.storage.scores.evaluation_pages import EvaluationFilter
from service.storage.scores.stored_events import stored_events

_LABELS: Mapping[object, bool | None] = {"right": True, 1: True, "wrong": False, 0: False, "unsure": None, None: None}
_AT_ONCE = 16


class ReviewedQuery(NamedTuple):
    """An answer, and its label if it has one."""

    query: Query
    right: bool | None
    agent: str = ""
    """The agent and its version."""


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """What a file of events holds."""

    answers: Sequence[ReviewedQuery]
    invalid: int
    """Lines that are no event."""
    others: int
    """Lines of other tenants."""


def read_answers(source: str, tenant: str | None) -> AnswerFile:
    """Reads the events of a file, with their `label` where they have one. Ends the command at an unknown label."""
    answers: list[ReviewedQuery] = []
    invalid = others = 0
    with open_input(source) as stream:
        for line in read_lines(stream, MAX_EVENT_BYTES):
            if line.raw is not None and not line.raw.strip():
                continue
            try:
                row = cast("Mapping[str, object]", parse_json(line.raw or b""))
                event = decode_event(row, require_id=False, tenant=tenant or "default")
            except InvalidEvent:
                invalid += 1
                continue
            if tenant is not None and event.tenant != tenant:
                others += 1
            else:
                answers.append(ReviewedQuery(event.query(), _label(row, source, line), event.agent_release))
    return AnswerFile(answers, invalid, others)


def _label(row: Mapping[str, object], source: str, line: InputLine) -> bool | None:
    said = row.get("label")
    if isinstance(said, bool | list | dict) or said not in _LABELS:
        where = "stdin" if source == STANDARD else source
        refuse(f"{where}, line {line.number}: `label` is {said!r}: use 1 or right, 0 or wrong, unsure, or leave it out")
    return _LABELS[said]


async def read_stored(engine: AsyncEngine, wanted: EvaluationFilter, most: int) -> list[ReviewedQuery]:
    """The newest stored answers of a tenant: at most so many labelled ones, and as many without a label."""
    agreed = await agreed_labels(engine, TrainingFilter(tenant=wanted.tenant))
    labelled, others = deque[ReviewedQuery](maxlen=most), deque[ReviewedQuery](maxlen=most)
    async for batch in stored_events(engine, wanted):
        for each in batch:
            event = each.event
            label = agreed.get(AnswerKey(event.tenant, event.source, event.event_id))
            kept = labelled if label is not None else others
            kept.append(ReviewedQuery(event.query(), label.correct if label is not None else None, event.agent_release))
    return [*labelled, *others]


def observe_all(answers: Iterable[ReviewedQuery], scorer: LocalScorer) -> tuple[list[ObservedAnswer], int]:
    """Scores the answers in a process of their own; returns what mining looks at, and how many have no score."""
    found: list[ObservedAnswer] = []
    without = 0
    with closing(BudgetedProcess(_Observer(scorer), CPU_SECONDS)) as process:
        for some in _batches(answers):
            for each in process.run(some):
                if isinstance(each, ObservedAnswer):
                    found.append(each)
                else:
                    without += 1
    return found, without


def _batches(answers: Iterable[ReviewedQuery]) -> Iterator[list[ReviewedQuery]]:
    rest = iter(answers)
    while some := list(islice(rest, _AT_ONCE)):
        yield some


@dataclass(frozen=True, slots=True)
class _Observer:
    scorer: LocalScorer

    def __call__(self, answer: ReviewedQuery) -> ObservedAnswer | Unscored | CallEnded:
        score = self.scorer(answer.query)
        return (
            score
            if isinstance(score, Unscored)
            else observe(answer.query, score, right=answer.right, agent=answer.agent)
        )
