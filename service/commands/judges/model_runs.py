"""Runs work that asks models, within a budget and with a journal; ends the command with what to do when it stops."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NoReturn, Protocol, TypeVar

from learning.rules.examples import LearningStopped
from service.commands.command_context import settings
from service.commands.exits import answer_no, give_up, refuse
from service.pipeline.rule_learning.call_budget import CallBudget
from service.pipeline.rule_learning.journal import ReplyJournal, UnusableJournal
from service.pipeline.rule_learning.learning_models import (
    LearningModels,
    NoModelError,
    RunLimits,
    open_learning_models,
)
from service.settings import Settings

Result = TypeVar("Result")


class SpendingOptions(Protocol):
    """The options that bound a run."""

    @property
    def max_calls(self) -> int | None: ...

    @property
    def max_tokens(self) -> int | None: ...


def run_with_models(
    options: SpendingOptions, journal: Path | None, work: Callable[[LearningModels], Awaitable[Result]]
) -> Result:
    """Runs `work` with the configured models. Ends the command when it cannot go on; the journal stays."""
    configured = settings()
    limits = RunLimits(
        budget=CallBudget(most_calls=options.max_calls, most_tokens=options.max_tokens), journal=ReplyJournal(journal)
    )
    try:
        known = limits.journal.read()
        if known:
            print(f"sqlassay: {known} replies are known from {journal}", file=sys.stderr)
        return asyncio.run(_run(configured, limits, work))
    except (NoModelError, UnusableJournal) as error:
        refuse(str(error))
    except LearningStopped as stopped:
        if stopped.unavailable:
            give_up(f"{stopped}{_kept(journal)}")
        answer_no(f"{stopped}{_kept(journal)}")
    except KeyboardInterrupt:
        _interrupted(journal)
    finally:
        spent = limits.budget
        found = limits.journal.found
        print(f"sqlassay: {spent.calls} calls, {spent.tokens} tokens, {found} known replies", file=sys.stderr)


async def _run(configured: Settings, limits: RunLimits, work: Callable[[LearningModels], Awaitable[Result]]) -> Result:
    async with open_learning_models(configured, limits) as models:
        return await work(models)


def _kept(journal: Path | None) -> str:
    return "" if journal is None else f"; what models wrote is kept in {journal}: the same command goes on from there"


def _interrupted(journal: Path | None) -> NoReturn:
    print(f"sqlassay: interrupted{_kept(journal)}", file=sys.stderr)
    raise SystemExit(130)
