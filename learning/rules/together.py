"""Waits for work that runs side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from learning.rules.examples import LearningStopped

Result = TypeVar("Result")


async def together(work: Sequence[Coroutine[Any, Any, Result]]) -> list[Result]:
    """The results of all, in order. What failed is raised when all have ended, so that no paid reply is lost."""
    ended = await asyncio.gather(*work, return_exceptions=True)
    failed = [each for each in ended if isinstance(each, BaseException)]
    if failed:
        # a bug says more than the stop of a run
        raise min(failed, key=lambda each: isinstance(each, LearningStopped))
    return [each for each in ended if not isinstance(each, BaseException)]
