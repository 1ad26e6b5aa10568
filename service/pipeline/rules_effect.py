"""What other rules would change of a tenant's newest answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncEngine

from scoring.rules import Rules
from service.processes.effect_process import BothScores, EffectProcess
from service.storage.scores.evaluation_pages import EvaluationFilter
from service.storage.scores.stored_events import newest_events

MOST_ANSWERS = 500
"""The newest answers that are scored again."""
_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """An answer that the rules would change."""

    id: UUID
    question: str
    scores: BothScores

    @property
    def distance(self) -> float:
        """How far the score moves; the whole scale where one side has none."""
        before, after = self.scores.before.score, self.scores.after.score
        return 101.0 if before is None or after is None else abs(after - before)


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesEffect:
    """What changes of the answers that were scored again."""

    stored: int
    """Answers that were read: at most `MOST_ANSWERS`."""
    compared: int
    """Those of them that were scored under both rules."""
    too_costly: int
    """Those that took too long."""
    scores: int
    """How many get another score."""
    tiers: int
    verdicts: int
    mean_before: float | None
    mean_after: float | None
    examples: Sequence[ChangedAnswer]
    """Those whose score moves most."""

    @property
    def unfinished(self) -> int:
        """Answers for which time was up."""
        return self.stored - self.compared - self.too_costly


async def rules_effect(
    engine: AsyncEngine, process: EffectProcess, tenant: str, *, before: Rules, after: Rules
) -> RulesEffect:
    """Scores the tenant's newest answers with both rules, by the local judge and without memory.

    Raises `StoreUnavailable`.
    """
    newest = await newest_events(engine, EvaluationFilter(tenant=tenant), MOST_ANSWERS)
    found = await process.compare([each.event.query() for each in newest], before, after)
    scored = [
        ChangedAnswer(each.row.id, each.event.question, both)
        for each, both in zip(newest, found, strict=False)
        if both is not None
    ]
    return _effect(len(newest), found.count(None), scored)


def draft_rules(parsed: Rules, in_force: Rules) -> Rules:
    """Rules of a document that is not stored, with the schema and the calibration in force."""
    return replace(parsed, schema=in_force.schema, calibration=in_force.calibration, version=in_force.version)


def _effect(stored: int, too_costly: int, scored: Sequence[ChangedAnswer]) -> RulesEffect:
    pairs = [each.scores for each in scored]
    changed = [each for each in scored if each.scores.before != each.scores.after]
    return RulesEffect(
        stored=stored,
        compared=len(scored),
        too_costly=too_costly,
        scores=sum(each.before.score != each.after.score for each in pairs),
        tiers=sum(each.before.tier != each.after.tier for each in pairs),
        verdicts=sum(each.before.verdict != each.after.verdict for each in pairs),
        mean_before=_mean([each.before.score for each in pairs]),
        mean_after=_mean([each.after.score for each in pairs]),
        examples=sorted(changed, key=lambda each: -each.distance)[:_EXAMPLES],
    )


def _mean(scores: Sequence[float | None]) -> float | None:
    known = [each for each in scores if each is not None]
    return fmean(known) if known else None
