"""Compares answers with their gold SQL in processes that may be killed."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from evals.runner.answers import Equivalence, EquivalenceFinding
from evals.runner.cases import BenchmarkCase
from evals.runner.cleaning import cleaned_sql, looks_plain
from service.commands.gold.case_schemas import CaseSchemas, Sources
from service.commands.gold.comparing_answers import AnswerComparer
from service.commands.gold.parsed_answers import why_unparsed
from service.processes.limited_pool import CallStopped, LimitedPool, ProcessLimits, limited_pool

MEGABYTES = 4 * 1024
"""Address space of one process, including the solver's libraries."""
BUDGET = 5.0
"""CPU seconds for one search and proof."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparePlan:
    """How answers are compared, the same for a whole command."""

    sources: Sources
    dialect: str | None = None
    """The dialect of all cases, whatever they name."""
    as_written: bool = False
    """Whether answers are as an agent wrote them: what stands around the SQL is taken off, and one that does not parse
    is skipped."""


_COMPARER: list[tuple[ComparePlan, AnswerComparer]] = []
"""The one of this process."""


def prepare_comparer(plan: ComparePlan) -> None:
    """Prepares this process."""
    comparer = AnswerComparer(
        schemas=CaseSchemas(plan.sources), dialect=plan.dialect, budget=BUDGET, rule=None, shows=True
    )
    _COMPARER[:] = [(plan, comparer)]


def compare_here(case: BenchmarkCase, sql: str) -> EquivalenceFinding:
    """Compares one answer in this process."""
    plan, comparer = _COMPARER[0]
    named = case.metadata.get("dialect")
    dialect = plan.dialect or (named if isinstance(named, str) else None)
    if not plan.as_written:
        return comparer(case, sql)
    query = sql if looks_plain(sql) else cleaned_sql(sql, dialect) or sql
    if (why := why_unparsed(query, dialect)) is not None:
        return EquivalenceFinding(equivalence=Equivalence.SKIPPED, rationale=why)
    return comparer(case, query)


def seconds_to_compare(sources: Sources, budget: float) -> float:
    """Clock time for one comparison: it runs several queries, each with its own limit, and may search twice."""
    return sources.seconds * 8 + budget * 3 + 5


def stopped(why: CallStopped) -> EquivalenceFinding:
    """The finding of a comparison that came to no end."""
    rationale = f"comparing it was stopped: {why.detail}"
    return EquivalenceFinding(equivalence=Equivalence.NOT_COMPARED, rationale=rationale)


def failed(error: Exception) -> CallStopped:
    """Why a call that tripped a bug has no result."""
    return CallStopped(False, f"the evaluator failed ({type(error).__name__}): please report it")


@dataclass(frozen=True, slots=True)
class ComparingProcesses:
    """Compares several answers at a time."""

    pool: LimitedPool
    plan: ComparePlan

    async def __call__(self, case: BenchmarkCase, sql: str) -> EquivalenceFinding:
        """What comparing finds, with all that a model may be shown of it."""
        seconds = seconds_to_compare(self.plan.sources, BUDGET)
        try:
            found = await self.pool.call(compare_here, case, sql, seconds=seconds)
        except Exception as error:  # One answer that trips a bug must not cost the others their findings.
            found = failed(error)
        return stopped(found) if isinstance(found, CallStopped) else found


@asynccontextmanager
async def open_comparing(plan: ComparePlan, *, processes: int = 2) -> AsyncGenerator[ComparingProcesses]:
    """Opens the processes; they end on leaving."""
    limits = ProcessLimits(workers=processes, megabytes=MEGABYTES)
    async with limited_pool(limits, prepare_comparer, plan) as pool:
        yield ComparingProcesses(pool, plan)
