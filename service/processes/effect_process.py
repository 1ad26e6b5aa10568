"""Tries rules on stored answers, and mines answers for rules, in a process that may be ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from learning.mining.mine_rules import Mined, mine_rules
from learning.mining.observing import observe
from scoring.evaluation import conclude, examine
from scoring.judging.local import LocalJudge
from scoring.query import Query, Unscored
from scoring.rules import Rules
from scoring.verdict import Score
from service.judges.weights import fitted_judge, local_judge
from service.processes.child import limit_cpu, note_step
from service.processes.endable import EndableProcess, ProcessEnded

_AT_ONCE = 20
"""Answers in one call."""
_NICENESS = 10
"""Live events come first."""
_JUDGE: list[LocalJudge] = []
"""The judge of this process, set when it starts."""


class RuledScore(NamedTuple):
    """What an answer gets under some rules."""

    score: float | None
    tier: str | None
    verdict: str
    """The verdict, or why there is no score."""
    p_correct: float | None


class BothScores(NamedTuple):
    """What an answer gets under the rules in force, and under others."""

    before: RuledScore
    after: RuledScore


class ReviewedAnswer(NamedTuple):
    """An answer, and whether its label says that it is right; `None` without a label."""

    query: Query
    right: bool | None
    agent: str = ""
    """The agent and its version."""


class EffectProcess:
    """Compares rules on answers, one request at a time, within a budget of time for all answers."""

    def __init__(
        self,
        *,
        weights: Path | None = None,
        cpu_seconds: float = 1.0,
        seconds: float = 20.0,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """One answer may take `cpu_seconds` of CPU under both rules, and all of them `seconds` on the clock."""
        self._weights, self._cpu_seconds, self._seconds, self._timer = weights, cpu_seconds, seconds, timer
        self._turn = asyncio.Lock()

    async def compare(self, queries: Sequence[Query], before: Rules, after: Rules) -> list[BothScores | None]:
        """The scores of each answer, `None` for one that took too long; fewer than asked where time is up."""
        async with self._turn:
            process = EndableProcess(partial(_open, self._weights), niceness=_NICENESS)
            ends, found = self._timer() + self._seconds, list[BothScores | None]()
            try:
                while len(found) < len(queries) and self._timer() < ends:
                    found += await self._some(process, queries[len(found) : len(found) + _AT_ONCE], before, after)
            finally:
                process.kill()
        return found

    async def mine(self, answers: Sequence[ReviewedAnswer], rules: Rules) -> Mined | None:
        """The rules that these answers propose; `None` where that takes too long. Costly answers are left out."""
        scored = await self.compare([each.query for each in answers], rules, rules)
        cheap = [each for each, both in zip(answers, scored, strict=False) if both is not None]
        async with self._turn:
            process = EndableProcess(partial(_open, self._weights), niceness=_NICENESS)
            try:
                return await process.call(_mine, cheap, rules, self._seconds)
            except ProcessEnded:
                return None
            finally:
                process.kill()

    async def _some(
        self, process: EndableProcess, queries: Sequence[Query], before: Rules, after: Rules
    ) -> list[BothScores | None]:
        """The scores of the first of the answers: of all, or of those up to one that ended the process."""
        try:
            return list(await process.call(_compare, queries, before, after, self._cpu_seconds))
        except ProcessEnded as ended:
            good = queries[: max(ended.steps - 1, 0)]
        try:
            first = list(await process.call(_compare, good, before, after, self._cpu_seconds)) if good else []
        except ProcessEnded:
            first = [None] * len(good)
        return [*first, None]


def _open(weights: Path | None) -> None:
    _JUDGE[:] = [local_judge() if weights is None else fitted_judge(weights)]


def _compare(queries: Sequence[Query], before: Rules, after: Rules, cpu_seconds: float) -> list[BothScores | None]:
    found: list[BothScores | None] = []
    for query in queries:
        note_step()
        limit_cpu(cpu_seconds)
        try:
            found.append(BothScores(_scored(query, before), _scored(query, after)))
        except Exception:  # one answer that trips a bug must not cost the others their figures
            found.append(None)
        limit_cpu(0)
    return found


def _mine(answers: Sequence[ReviewedAnswer], rules: Rules, cpu_seconds: float) -> Mined:
    limit_cpu(cpu_seconds)
    scored = [(each, _concluded(each.query, rules)) for each in answers]
    observed = [
        observe(each.query, score, right=each.right, agent=each.agent)
        for each, score in scored
        if not isinstance(score, Unscored)
    ]
    return mine_rules(observed, rules, _concluded)


def _concluded(query: Query, rules: Rules) -> Score | Unscored:
    case = examine(query, rules)
    return case if isinstance(case, Unscored) else conclude(case, _JUDGE[0].judge(case))


def _scored(query: Query, rules: Rules) -> RuledScore:
    score = _concluded(query, rules)
    if isinstance(score, Unscored):
        return RuledScore(None, None, score.reason.value, None)
    return RuledScore(score.composite.score, score.tier.value, score.reply.verdict.value, score.reply.p_correct)
