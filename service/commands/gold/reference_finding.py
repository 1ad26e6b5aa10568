"""What the reference of an answer says of it: the field `reference` of a line of `sqlassay score`."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from consumers.judging.comparing.gold_judges import GoldJudge
from consumers.wire.events import QueryEvent
from evals.runner.answers import EquivalenceFinding
from evals.runner.cases import BenchmarkCase
from scoring.learned_rules import LearnedRules

if TYPE_CHECKING:
    # the solver, the databases and the model client load slowly, and most files have no reference
    from service.commands.gold.comparing_processes import ComparingProcesses
    from service.commands.gold.model_opinions import ModelOpinions


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencePlan:
    """How answers of a file are compared with their references."""

    databases: str | None = None
    """Where both are run first: a folder of `<db_id>.sqlite` files, or a URL with `{db_id}`."""
    schemas: str | None = None
    """A file with their tables."""
    dialect: str | None = None
    """The dialect of events that name none."""
    judge: GoldJudge | None = None
    """The judge by whose prompt a model is asked too; `None` asks none."""
    learned: LearnedRules | None = None
    """Learned rules for that model."""
    processes: int = 2
    """How many answers are compared at a time."""


@dataclass(slots=True)
class ReferenceComparer:
    """Compares answers with their references. Starts its processes and its model with the first."""

    plan: ReferencePlan | None
    """`None` compares nothing."""
    stack: AsyncExitStack
    found: Counter[str] = field(default_factory=Counter[str])
    """How many answers have each `equivalence`."""
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    _compare: ComparingProcesses | None = None
    _opinions: ModelOpinions | None = None

    async def __call__(self, event: QueryEvent, db_id: str | None = None) -> Mapping[str, object] | None:
        """The field `reference`; `None` where the event has no reference."""
        if self.plan is None or not (event.reference_sql or "").strip():
            return None
        compare = await self._opened(self.plan)
        case = _case(event, db_id, self.plan.dialect)
        finding = await compare(case, event.sql)
        if self._opinions is not None:
            finding = await self._opinions(case, event.sql, finding, event.tenant)
        self.found[finding.equivalence.value] += 1
        return reference_record(finding)

    async def _opened(self, plan: ReferencePlan) -> ComparingProcesses:
        async with self._opening:
            if self._compare is None:
                if plan.judge is not None:
                    self._opinions = await self.stack.enter_async_context(_asking(plan.judge, plan.learned))
                self._compare = await self.stack.enter_async_context(_comparing(plan))
            return self._compare

    def __str__(self) -> str:
        return ", ".join(f"{name} {count}" for name, count in self.found.most_common())


def _comparing(plan: ReferencePlan) -> AbstractAsyncContextManager[ComparingProcesses]:
    from service.commands.gold.case_schemas import Sources  # noqa: PLC0415 they load slowly
    from service.commands.gold.comparing_processes import ComparePlan, open_comparing  # noqa: PLC0415 as above

    sources = Sources(databases=plan.databases, schemas=plan.schemas)
    return open_comparing(ComparePlan(sources=sources, as_written=True), processes=plan.processes)


@asynccontextmanager
async def _asking(judge: GoldJudge, learned: LearnedRules | None) -> AsyncGenerator[ModelOpinions]:
    from service.commands.gold.gold_model import open_gold_model  # noqa: PLC0415 the model client loads slowly
    from service.commands.gold.model_opinions import ModelOpinions  # noqa: PLC0415 as above

    async with open_gold_model(judge, learned) as model:
        yield ModelOpinions(model=model, judge=judge)


@asynccontextmanager
async def open_references(plan: ReferencePlan | None) -> AsyncGenerator[ReferenceComparer]:
    """Opens what compares answers with their references; all that it starts ends on leaving."""
    async with AsyncExitStack() as stack:
        yield ReferenceComparer(plan, stack)


def _case(event: QueryEvent, db_id: str | None, dialect: str | None) -> BenchmarkCase:
    named = {"db_id": db_id, "dialect": event.dialect or dialect, "enriched_question": event.enriched_question}
    return BenchmarkCase(
        case_id=event.event_id,
        question=event.question,
        gold_sql=event.reference_sql or "",
        schema="",
        complexity="",
        category="",
        metadata=named,
    )


def reference_record(finding: EquivalenceFinding) -> dict[str, object]:
    """What comparing found, by the names of a run's `cases.jsonl`, with the witness of a difference.

    >>> from evals.runner.answers import Equivalence
    >>> reference_record(EquivalenceFinding(equivalence=Equivalence.SKIPPED, rationale="it does not parse"))["witness"]
    """
    evidence = finding.evidence
    return {
        "equivalence": finding.equivalence.value,
        "rationale": finding.rationale,
        "compared_by": finding.compared_by.value if finding.compared_by is not None else None,
        "doubt": finding.doubt,
        "witness": evidence.witness if evidence is not None else None,
        "opinions": finding.opinions,
    }
