"""Scores events inside a process that may be ended: chunks in which each tenant has an allowance, and single events."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

from consumers.evaluation.event_evaluation import LineOut, line_out
from consumers.judging.panel import Panel
from consumers.pool.scorers import Unfinished
from consumers.score_events import judged
from scoring.query import Query, Unscored, UnscoredReason
from scoring.rules import Rules
from scoring.sql import KNOWN_DIALECTS
from scoring.verdict import Case
from service.judges.weights import fitted_judge, local_judge
from service.processes.child import limit_cpu, note_step

_CHUNK_SECONDS = 0.5
"""CPU of one tenant in a chunk, after which none of its events is begun. A chunk of ordinary events takes a fifth."""
_PANEL: list[Panel] = []
"""The panel of this process, set when it starts."""
_REMEMBER: list[bool] = [False]
"""Whether the tenants' memory is on, set when this process starts."""


class SentEvent(NamedTuple):
    """What a process needs of an event; its other fields may be large."""

    tenant: str
    event_id: str
    query: Query


class ScorerBug(NamedTuple):
    """A bug that costs one event its score."""

    kind: str
    """The exception's name."""
    where: str
    """Its innermost frames; its message may quote the event."""


Judged: TypeAlias = LineOut | Case | ScorerBug
"""The result of an event, or the case for a model."""


def open_judge(weights: Path | None, *, remember: bool = False) -> None:
    """Loads the local judge of this process. `remember` has each result carry what the tenant's memory compares."""
    _REMEMBER[:] = [remember]
    judge = local_judge() if weights is None else fitted_judge(weights)
    _PANEL[:] = [Panel(local=judge.judge)]


def warm_up() -> None:
    """Scores an answer in each dialect, so that caches and parsers are there before the first event."""
    query = Query(question="How many loaves were sold in 2025?", sql="SELECT COUNT(*) FROM sales WHERE year = 2025")
    for dialect in KNOWN_DIALECTS:
        _judge(SentEvent("", "", replace(query, dialect=dialect)), Rules())


def judge_chunk(
    events: Sequence[SentEvent], rules: Mapping[str, Rules], allowances: Mapping[str, float]
) -> list[Judged | Unfinished]:
    """Judges the events in order, as long as their tenants have time; none may exceed its tenant's allowance."""
    spent, results = dict.fromkeys(allowances, 0.0), list[Judged | Unfinished]()
    for event in events:
        note_step()
        if spent[event.tenant] >= _CHUNK_SECONDS:
            results.append(Unfinished.NOT_REACHED)
            continue
        began = time.process_time()
        limit_cpu(allowances[event.tenant])
        results.append(_judge(event, rules[event.tenant]))
        limit_cpu(0)
        spent[event.tenant] += time.process_time() - began
    return results


def judge_event(event: SentEvent, rules: Rules, seconds: float) -> Judged:
    """Judges one event, which may take so many seconds of CPU."""
    note_step()
    limit_cpu(seconds)
    return _judge(event, rules)


def _judge(event: SentEvent, rules: Rules) -> Judged:
    try:
        result = judged(event.query, rules, _PANEL[0].at_once)
    except MemoryError:
        result = Unscored(UnscoredReason.TOO_COSTLY, "scoring took too much memory: shorten the question or the SQL")
    except Exception as error:
        return ScorerBug(type(error).__name__, "".join(traceback.format_tb(error.__traceback__, limit=-8)))
    return result if isinstance(result, Case) else line_out(event.event_id, result, rules, remember=_REMEMBER[0])
