"""Examines answers for a backfill, in a process that may be ended: each has a budget of CPU."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeAlias

from scoring.evaluation import examine
from scoring.query import Query, Unscored, UnscoredReason
from scoring.rules import Rules
from scoring.verdict import Case
from service.processes.child import limit_cpu, note_step
from service.processes.endable import EndableProcess, ProcessEnded
from service.processes.scoring_processes import too_costly

Asked: TypeAlias = "Sequence[tuple[Query, Rules]]"
Examine: TypeAlias = "Callable[[Asked], Awaitable[Sequence[Case | Unscored]]]"
"""Examines answers, each under its rules."""
_AT_ONCE = 32
"""Answers in one call: those before one that ends the process are examined again."""


async def examine_in_thread(asked: Asked) -> Sequence[Case | Unscored]:
    """Examines answers that are trusted: nothing can end the work on a costly one."""
    return await asyncio.to_thread(lambda: [examine(query, rules) for query, rules in asked])


@asynccontextmanager
async def examining_process(cpu_seconds: float) -> AsyncGenerator[Examine]:
    """Opens a process that examines answers, each within so many seconds of CPU."""
    process = EndableProcess(_prepare)

    async def examine_within_budget(asked: Asked) -> Sequence[Case | Unscored]:
        parts = [asked[start : start + _AT_ONCE] for start in range(0, len(asked), _AT_ONCE)]
        return [each for part in parts for each in await _examine_part(process, part, cpu_seconds)]

    try:
        yield examine_within_budget
    finally:
        process.kill()


async def _examine_part(process: EndableProcess, asked: Asked, cpu_seconds: float) -> Sequence[Case | Unscored]:
    ended: dict[int, Unscored] = {}
    while True:
        left = [place for place in range(len(asked)) if place not in ended]
        try:
            cases = await process.call(_examine_all, [asked[place] for place in left], cpu_seconds)
        except ProcessEnded as error:
            if not error.steps:
                raise
            ended[left[error.steps - 1]] = too_costly(cpu_seconds) if error.over_limit else _crashed(error)
        else:
            found: dict[int, Case | Unscored] = dict(zip(left, cases, strict=True)) | ended
            return [found[place] for place in range(len(asked))]


def _crashed(error: ProcessEnded) -> Unscored:
    return Unscored(UnscoredReason.SCORER_FAILED, f"{error}: run the backfill again; if that fails, please report it")


def _prepare() -> None:
    """All modules are loaded already."""


def _examine_all(asked: Asked, cpu_seconds: float) -> list[Case | Unscored]:
    cases: list[Case | Unscored] = []
    for query, rules in asked:
        note_step()
        limit_cpu(cpu_seconds)
        cases.append(examine(query, rules))
        limit_cpu(0)
    return cases
