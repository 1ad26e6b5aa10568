"""Judges behind the port."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from scoring.judge import LocalJudge
from scoring.verdict import Case, Reply


@dataclass(frozen=True, slots=True)
class InProcessJudge:
    """The local judge, giving way to the event loop between cases."""

    local: LocalJudge

    async def judge(self, case: Case) -> Reply:
        """The local verdict."""
        await asyncio.sleep(0)
        return self.local.judge(case)
