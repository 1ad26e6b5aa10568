"""The model's opinion on the answers of a run, beside what the comparison found."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias

from consumers.judging.comparing.gold_case import GoldCase, GoldEvidence
from consumers.judging.comparing.gold_judges import COMPARISON
from consumers.judging.comparing.gold_opinions import GoldOpinion
from evals.runner.answers import EquivalenceFinding
from evals.runner.cases import BenchmarkCase
from evals.runner.precedence import decide, is_open, unheard
from service.commands.background_file import Backgrounds, read_backgrounds
from service.commands.eval.gold.gold_model import configured_judge, open_gold_model
from service.commands.eval.gold.judge_names import gold_judge_of, gold_queries
from service.commands.eval.runner.run_options import EvalRunOptions
from service.commands.exits import refuse

AddOpinion: TypeAlias = Callable[[BenchmarkCase, str, EquivalenceFinding], Awaitable[EquivalenceFinding]]
"""The finding with a model's opinion, where one can change it."""


def gold_identity(options: EvalRunOptions) -> dict[str, object]:
    """What decides the opinions of a run: another start with other values is another run."""
    judge = gold_judge_of(options.judge)
    if judge is None:
        if options.background is not None:
            refuse(f"--background is for a model that compares: name --judge {COMPARISON.name} or a baseline")
        return {}
    read_backgrounds(options.background)
    configured = configured_judge()
    held = Path(options.background).read_bytes() if options.background is not None else None
    return {
        "gold_prompt": judge.prompt,
        "gold_model": configured.model,
        "gold_masked": configured.mask,
        "background": hashlib.sha256(held).hexdigest() if held is not None else None,
    }


@asynccontextmanager
async def opened_opinions(options: EvalRunOptions) -> AsyncGenerator[AddOpinion | None]:
    """Opens the model that compares; `None` where the judge compares nothing."""
    judge = gold_judge_of(options.judge)
    if judge is None:
        yield None
        return
    backgrounds = read_backgrounds(options.background)
    async with open_gold_model(judge) as model:

        async def add(case: BenchmarkCase, sql: str, finding: EquivalenceFinding) -> EquivalenceFinding:
            if not is_open(finding):
                return finding
            said = await model(_gold_case(case, sql, finding, backgrounds, options.dialect))
            if not isinstance(said, GoldOpinion):
                return unheard(finding, said)
            return decide(finding, said, may_lift=judge.may_lift)

        yield add


def _gold_case(
    case: BenchmarkCase, sql: str, finding: EquivalenceFinding, backgrounds: Backgrounds, dialect: str | None
) -> GoldCase:
    enriched, named = case.metadata.get("enriched_question"), case.metadata.get("dialect")
    return GoldCase(
        sql=sql,
        gold=gold_queries(case.gold_sql),
        question=case.question,
        enriched_question=enriched if isinstance(enriched, str) else None,
        dialect=dialect or (named if isinstance(named, str) else None),
        evidence=finding.evidence or GoldEvidence(),
        background=backgrounds.of(case.db_id),
    )
