"""Asks the model that writes, once for each prompt: known replies come from the journal."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping

from consumers.judging.budgets import Bound
from consumers.judging.calling import BudgetSpent, CallModel
from consumers.judging.ports import ModelFailed
from consumers.judging.prompting import Prompt, Template, as_data
from learning.rules.examples import LearningStopped
from service.pipeline.rule_learning.journal import ReplyJournal

SPENT = "the budget of this run is spent: raise --max-calls or --max-tokens and run the same command again"


def task_prompt(template: Template, data: Mapping[str, object], schema: Mapping[str, object], task: str) -> Prompt:
    """The prompt of a task with its data, of which nothing is masked here."""
    user = f"BEGIN DATA\n{as_data(data)}\nEND DATA\n{task}"
    digest = hashlib.sha256("\0".join((template.version, template.system, user)).encode()).hexdigest()
    return Prompt(
        version=template.version, system=template.system, user=user, digest=digest, masker=None, schema=schema
    )


async def written_reply(call: CallModel, prompt: Prompt, journal: ReplyJournal, at_once: asyncio.Semaphore) -> str:
    """What the model writes; raises `LearningStopped`."""
    model = call.model.name
    known = await journal.find("", model, prompt.digest)
    if known is not None:
        return known
    async with at_once:
        try:
            completion = await call(prompt, Bound(), "learning")
        except BudgetSpent:
            raise LearningStopped(SPENT) from None
        except (ModelFailed, TimeoutError) as error:
            why = str(error) or "it gave no reply in time"
            raise LearningStopped(f"the model {model} that writes rules failed: {why}", unavailable=True) from error
    await journal.keep("", model, prompt.digest, completion.text)
    return completion.text
