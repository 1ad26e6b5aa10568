"""The model's opinion on the answers of a run, beside what the comparison found."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from consumers.judging.comparing.gold_judges import COMPARISON
from service.commands.background_file import read_backgrounds
from service.commands.eval.runner.run_options import EvalRunOptions
from service.commands.exits import refuse
from service.commands.gold.gold_model import configured_judge, open_gold_model
from service.commands.gold.judge_names import gold_judge_of
from service.commands.gold.model_opinions import ModelOpinions


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
async def opened_opinions(options: EvalRunOptions) -> AsyncGenerator[ModelOpinions | None]:
    """Opens the model that compares; `None` where the judge compares nothing."""
    judge = gold_judge_of(options.judge)
    if judge is None:
        yield None
        return
    backgrounds = read_backgrounds(options.background)
    async with open_gold_model(judge) as model:
        yield ModelOpinions(model=model, judge=judge, backgrounds=backgrounds, dialect=options.dialect)
