"""A tenant's learned rules on the page of trust: which sets there are, what they gained, and which is in force."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import ValidationError

from consumers.wire.learned_rules_document import LearnedRuleEntry, LearnedRulesDocument
from scoring.rules import JudgePolicy
from service.api.caller import Caller
from service.pipeline.running import Service
from service.storage.reviewing.learned_rule_store import (
    StoredLearnedRules,
    learned_in_force,
    learned_sets,
)
from service.storage.reviewing.rollback import version_before


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRuleSet:
    """One stored set as the page shows it."""

    stored: StoredLearnedRules
    rules: list[LearnedRuleEntry]

    @property
    def may_be_promoted(self) -> bool:
        """Whether it may be put in force here, where no model measures it again: it was measured and not worse."""
        return not self.stored.in_force and not self.stored.promotion.forced and bool(self.rules)


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedView:
    """What the page shows of learned rules."""

    sets: list[ShownRuleSet]
    asks_a_model: bool
    """Whether a model judges the tenant's answers: only it reads learned rules."""


async def learned_view(service: Service, tenant: str) -> LearnedView:
    """The tenant's sets, newest first. Raises `StoreUnavailable`."""
    sets = [ShownRuleSet(stored=each, rules=_rules(each)) for each in await learned_sets(service.engine, tenant)]
    rules = (await service.rules.rules([tenant])).get(tenant)
    return LearnedView(sets=sets, asks_a_model=rules is not None and rules.judge.policy is not JudgePolicy.LOCAL)


def _rules(stored: StoredLearnedRules) -> list[LearnedRuleEntry]:
    """The rules of a set; none where an earlier or later release wrote it otherwise."""
    try:
        return LearnedRulesDocument.model_validate(stored.document).rules
    except ValidationError:
        return []


async def promote_learned(service: Service, tenant: str, version: str, caller: Caller) -> str | None:
    """Puts a stored set in force; returns why not, or `None`. Raises `StoreUnavailable`."""
    sets = (await learned_view(service, tenant)).sets
    wanted = next((each for each in sets if str(each.stored.version) == version), None)
    if wanted is None:
        return "There is no such set of learned rules: choose one of the list."
    if wanted.stored.in_force:
        return f"Learned rules {wanted.stored.version} are in force already."
    if not wanted.may_be_promoted:
        return (
            f"Learned rules {wanted.stored.version} were worse or were not measured: sqlassay rules promote {tenant}"
            f" --version {wanted.stored.version} measures them again."
        )
    await service.rules.put_learned(tenant, wanted.stored.version, author=caller.name)
    return None


async def roll_back_learned(service: Service, tenant: str, caller: Caller) -> str | None:
    """Puts in force what was before; returns why not, or `None`. Raises `StoreUnavailable`."""
    history = await learned_in_force(service.engine, tenant)
    if not history or history[0] is None:
        return "No learned rules are in force."
    await service.rules.put_learned(tenant, version_before(history), author=caller.name)
    return None
