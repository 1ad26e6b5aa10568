"""`sqlassay backfill`: stored events scored again, its cost told first."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.judging.budgets import Price
from consumers.judging.memory_counts import MemoryModelCounts
from consumers.wire.rules_document import RulesDocument
from scoring.judging.local import LocalJudge
from scoring.rules import JudgePolicy, Rules
from service.commands.exits import Exit, refuse
from service.commands.progress import progress
from service.commands.report import moment
from service.commands.score import read_judge
from service.commands.stored import settings, with_database
from service.judges.configured_panel import TEMPLATE, open_panel
from service.pipeline.rescore import BackfillTally, Estimate, Rescore, estimate
from service.redis.link import open_redis
from service.settings import Settings
from service.settings.judge_settings import JudgeSettings
from service.storage.rule_store import PostgresRules
from service.storage.scores.evaluation_pages import EvaluationFilter
from service.storage.scores.stored_events import TenantWorkload, count_withheld, workloads


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which events, as the command line says; `None` restricts nothing."""

    tenant: str | None
    agent: str | None
    since: str | None
    until: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line says."""

    wanted: EvaluationFilter
    policy: JudgePolicy | None
    rules_version: int | None
    make_current: bool
    go_on: bool


def backfill(scope: Scope, *, judge: str | None, rules_version: int | None, make_current: bool, go_on: bool) -> None:
    """Prints the estimate and, when told to go on, scores; exit code 1 where nothing is stored for that."""
    if rules_version is not None and scope.tenant is None:
        refuse("--rules-version is a version of one tenant's rules: name it with --tenant")
    since, until = moment("--since", scope.since), moment("--until", scope.until)
    window = EvaluationFilter(tenant=scope.tenant, agent=scope.agent, since=since, until=until)
    asked = Asked(
        wanted=window,
        policy=_policy(judge),
        rules_version=rules_version,
        make_current=make_current,
        go_on=go_on,
    )
    configured = settings()
    found = with_database(lambda engine: _run(engine, configured, asked))
    if not found:
        print("sqlassay: no events are stored for that", file=sys.stderr)
        raise SystemExit(int(Exit.NO))


def _policy(name: str | None) -> JudgePolicy | None:
    if name is None:
        return None
    if name not in set(JudgePolicy):
        refuse(f"--judge {name!r}: one of {', '.join(JudgePolicy)}")
    return JudgePolicy(name)


async def _run(engine: AsyncEngine, configured: Settings, asked: Asked) -> int:
    found = await workloads(engine, asked.wanted, RulesDocument().judge.bar)
    rules = await _rules(engine, asked, found)
    # estimated by each tenant's own bar, which is known only now
    bars = {tenant: each.judge.bar for tenant, each in rules.items()}
    found = [
        (await workloads(engine, replace(asked.wanted, tenant=each.tenant), bars[each.tenant]))[0]
        for each in found
        if each.tenant in rules
    ]
    policies = {tenant: each.judge.policy for tenant, each in rules.items()}
    expected = estimate(found, policies, _price(configured.judge))
    _tell(expected, await count_withheld(engine, asked.wanted))
    if expected.model_calls and configured.judge.base_url is None:
        refuse("a model would be asked, and none is set: set SQLASSAY_JUDGE__BASE_URL, or use --judge local")
    if asked.go_on and expected.events:
        done = await _score(engine, configured, asked, rules, expected.events)
        print(json.dumps({**done.ended, "cost": round(done.cost, 4)}))
    elif expected.events:
        print("sqlassay: nothing was scored; add --yes to go on", file=sys.stderr)
    return expected.events


async def _rules(engine: AsyncEngine, asked: Asked, found: list[TenantWorkload]) -> dict[str, Rules]:
    book, tenants = PostgresRules(engine), [each.tenant for each in found]
    versions = await book.newest(tenants)
    if asked.rules_version is not None:
        versions = dict.fromkeys(tenants, asked.rules_version)
    rules = await book.parsed(versions)
    for tenant in versions.keys() - rules.keys():
        refuse(f"tenant {tenant!r} has no rules version {versions[tenant]} that can be read: see `sqlassay rules show`")
    if asked.policy is None:
        return rules
    return {tenant: replace(each, judge=replace(each.judge, policy=asked.policy)) for tenant, each in rules.items()}


def _price(judge: JudgeSettings) -> Price | None:
    if judge.model is None or judge.model not in judge.prices:
        return None
    price = judge.prices[judge.model]
    return Price(sent=price.sent, received=price.received)


def _tell(expected: Estimate, texts_gone: int) -> None:
    print(json.dumps({**asdict(expected), "withheld": texts_gone}), file=sys.stderr)


async def _score(
    engine: AsyncEngine, configured: Settings, asked: Asked, rules: dict[str, Rules], events: int
) -> BackfillTally:
    local = read_judge(str(configured.judge.weights) if configured.judge.weights else None)
    async with (
        open_redis(configured.redis) as redis,
        open_panel(configured.judge, local, MemoryModelCounts(), redis) as panel,
    ):
        rescore = Rescore(
            engine=engine,
            panel=panel,
            rules=rules,
            judges=_judges(local),
            model=configured.judge.model,
            make_current=asked.make_current,
            clock=lambda: datetime.now(UTC),
            in_flight=configured.judge.in_flight,
        )
        with progress("scoring", events) as told:
            return await rescore(asked.wanted, told)


def _judges(local: LocalJudge) -> dict[JudgePolicy, list[str]]:
    model = f"llm/{TEMPLATE}"
    return {
        JudgePolicy.LOCAL: [local.name],
        JudgePolicy.LLM: [model],
        JudgePolicy.CASCADE: [local.name, model],
    }
