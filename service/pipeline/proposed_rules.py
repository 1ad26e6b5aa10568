"""Rules that a tenant's newest answers propose, as whole documents that can be stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.wire.rules_document import RulesDocument
from learning.mining.mine_rules import Mined, MinedRule
from learning.mining.proposals import ProposedRule
from scoring.rules import Rules
from service.processes.effect_process import EffectProcess, ReviewedAnswer
from service.storage.reviewing.training_labels import AnswerKey, TrainingFilter, agreed_labels
from service.storage.scores.evaluation_pages import EvaluationFilter
from service.storage.scores.stored_events import newest_events

MOST_MINED = 500
"""The newest answers that are mined."""


@dataclass(frozen=True, slots=True)
class OfferedRule:
    """A proposal, and the tenant's rules with it."""

    mined: MinedRule
    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedRules:
    """What the answers propose."""

    mined: Mined
    offers: Sequence[OfferedRule]
    against: Sequence[OfferedRule]
    """Decision rules that speak against answers."""


async def offered_rules(
    engine: AsyncEngine, process: EffectProcess, tenant: str, rules: Rules, document: Mapping[str, Any]
) -> OfferedRules | None:
    """Mines the tenant's newest answers, with their labels; `None` where that takes too long.

    Raises `StoreUnavailable`.
    """
    labels = await agreed_labels(engine, TrainingFilter(tenant=tenant))
    answers: list[ReviewedAnswer] = []
    for each in await newest_events(engine, EvaluationFilter(tenant=tenant), MOST_MINED):
        label = labels.get(AnswerKey(tenant, str(each.event.source), str(each.event.event_id)))
        right = None if label is None else label.correct
        answers.append(ReviewedAnswer(each.event.query(), right, each.event.agent_release))
    mined = await process.mine(answers, rules)
    if mined is None:
        return None
    offers, against = (_offers(each, document) for each in (mined.proposals, mined.against))
    return OfferedRules(mined=mined, offers=offers, against=against)


def _offers(found: Sequence[MinedRule], document: Mapping[str, Any]) -> list[OfferedRule]:
    return [OfferedRule(each, document_with(document, [each.rule])) for each in found]


def document_with(document: Mapping[str, Any], proposals: Iterable[ProposedRule]) -> dict[str, Any]:
    """A stored document with these proposals."""
    merged = RulesDocument.model_validate(document).model_dump(mode="json")
    for rule in proposals:
        entry, key = rule.entry, rule.kind.value
        if isinstance(entry, dict):
            merged[key].update(entry)
        else:
            merged[key] += [each for each in entry if each not in merged[key]]
    return merged
