"""Adds the opinion of a model to what comparing found, where an opinion can change it."""

from __future__ import annotations

from dataclasses import dataclass, field

from consumers.judging.comparing.gold_case import GoldCase, GoldEvidence
from consumers.judging.comparing.gold_judges import GoldJudge
from consumers.judging.comparing.gold_opinions import GoldOpinion
from evals.runner.answers import EquivalenceFinding
from evals.runner.cases import BenchmarkCase
from evals.runner.precedence import decide, is_open, unheard
from service.commands.background_file import Backgrounds
from service.commands.gold.gold_model import TENANT, GoldModel
from service.commands.gold.judge_names import gold_queries


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOpinions:
    """Asks one model by one judge's prompt."""

    model: GoldModel
    judge: GoldJudge
    backgrounds: Backgrounds = field(default_factory=Backgrounds)
    dialect: str | None = None
    """The dialect of all cases, whatever they name."""

    async def __call__(
        self, case: BenchmarkCase, sql: str, finding: EquivalenceFinding, tenant: str = TENANT
    ) -> EquivalenceFinding:
        """The finding with the model's opinion; as it is, where the model is not asked."""
        if not is_open(finding):
            return finding
        said = await self.model(self._shown(case, sql, finding), tenant)
        if not isinstance(said, GoldOpinion):
            return unheard(finding, said)
        return decide(finding, said, may_lift=self.judge.may_lift)

    def _shown(self, case: BenchmarkCase, sql: str, finding: EquivalenceFinding) -> GoldCase:
        enriched, named = case.metadata.get("enriched_question"), case.metadata.get("dialect")
        return GoldCase(
            sql=sql,
            gold=gold_queries(case.gold_sql),
            question=case.question,
            enriched_question=enriched if isinstance(enriched, str) else None,
            dialect=self.dialect or (named if isinstance(named, str) else None),
            evidence=finding.evidence or GoldEvidence(),
            background=self.backgrounds.of(case.db_id),
        )
