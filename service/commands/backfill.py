"""`sqlassay backfill`: scores stored events again, after printing what it will cost."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.judging.budgets import Price
from consumers.judging.memory_counts import MemoryModelCounts
from consumers.wire.rules_document import RulesDocument
from scoring.judging.local import LocalJudge
from scoring.rules import JudgePolicy, Rules
from service.commands.command_context import settings, with_database
from service.commands.exits import answer_no, refuse
from service.commands.options import BackfillOptions
from service.commands.progress import progress
from service.commands.report import parse_time
from service.commands.score import read_judge
from service.judges.configured_panel import calls_for_verdict, model_judge, open_panel
from service.pipeline.backfill_memory import BackfillWithMemory
from service.pipeline.backfill_scores import Backfill, BackfillTally, Estimate, estimate
from service.processes.examining import examining_process
from service.processes.rules_processes import rules_processes
from service.redis.link import open_redis
from service.settings import Settings
from service.settings.judge_settings import JudgeSettings
from service.storage.remembering.bounds import MemoryBounds
from service.storage.rule_store import PostgresRules
from service.storage.scores.evaluation_pages import EvaluationFilter
from service.storage.scores.stored_events import TenantWorkload, WantedVersion, count_withheld, workloads


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillRequest:
    """The checked options."""

    answers: EvaluationFilter
    policy: JudgePolicy | None
    """The judge to use instead of the rules' judge."""
    rules_version: int | None
    make_current: bool
    memory: bool
    """Judge rows again with memory, in place."""
    confirmed: bool


def backfill(options: BackfillOptions) -> None:
    """Prints the estimate, and scores when it is confirmed. Exit code 1 when no stored events match."""
    configured, request = settings(), _checked(options)
    found = with_database(lambda engine: _backfill(engine, configured, request))
    if not found:
        answer_no("no events are stored for that")


def _checked(options: BackfillOptions) -> BackfillRequest:
    """Ends the command when an option is invalid."""
    if options.rules_version is not None and options.tenant is None:
        refuse("--rules-version is a version of one tenant's rules: name it with --tenant")
    if options.judge is not None and options.judge not in set(JudgePolicy):
        refuse(f"--judge {options.judge!r}: one of {', '.join(JudgePolicy)}")
    others = {
        "--judge": options.judge,
        "--rules-version": options.rules_version,
        "--make-current": options.make_current,
    }
    given = [name for name, value in others.items() if value]
    if options.memory and given:
        refuse(f"--memory judges the current rows in place: leave out {', '.join(given)}")
    since, until = parse_time("--since", options.since), parse_time("--until", options.until)
    return BackfillRequest(
        answers=EvaluationFilter(tenant=options.tenant, agent=options.agent, since=since, until=until),
        # no model is asked: memory judges rows of the local judge
        policy=JudgePolicy.LOCAL if options.memory else JudgePolicy(options.judge) if options.judge else None,
        rules_version=options.rules_version,
        make_current=options.make_current,
        memory=options.memory,
        confirmed=options.confirmed,
    )


async def _backfill(engine: AsyncEngine, configured: Settings, request: BackfillRequest) -> int:
    """Returns how many events match."""
    tenants = [each.tenant for each in await workloads(engine, request.answers, RulesDocument().judge.bar)]
    rules = await _rules(engine, request, tenants)
    expected = await _estimate(engine, configured, request, rules)
    texts_gone = await count_withheld(engine, request.answers)
    print(json.dumps({**asdict(expected), "withheld": texts_gone}), file=sys.stderr)
    if expected.model_calls and configured.judge.base_url is None:
        refuse("this would ask a model, and none is configured: set SQLASSAY_JUDGE__BASE_URL, or use --judge local")
    if request.confirmed and expected.events:
        score = _score_with_memory if request.memory else _score
        done = await score(engine, configured, request, rules, expected.events)
        print(json.dumps({**done.ended, "cost": round(done.cost, 4)}))
    elif expected.events:
        print("sqlassay: nothing was scored; add --yes to go on", file=sys.stderr)
    return expected.events


async def _estimate(
    engine: AsyncEngine, configured: Settings, request: BackfillRequest, rules: Mapping[str, Rules]
) -> Estimate:
    """Estimates the cost with each tenant's own rules: bar and random share decide what a cascade asks about."""
    local = read_judge(str(configured.judge.weights) if configured.judge.weights else None)
    found: list[TenantWorkload] = []
    for tenant, each in rules.items():
        judges = _judges(local, configured.judge)[each.judge.policy]
        version = WantedVersion(rules_version=each.version, judges=judges, model=configured.judge.model)
        only, wanted = replace(request.answers, tenant=tenant), None if request.memory else version
        found += (await workloads(engine, only, each.judge.bar, wanted))[:1]
    policies = {tenant: each.judge for tenant, each in rules.items()}
    return estimate(found, policies, _price(configured.judge), calls_for_verdict(configured.judge))


async def _rules(engine: AsyncEngine, request: BackfillRequest, tenants: Sequence[str]) -> dict[str, Rules]:
    """Each tenant's rules in the requested version, with the requested judge."""
    async with rules_processes(settings().pool.cpu_seconds) as reading:
        book = PostgresRules(engine, reading)
        versions = await book.newest(tenants)
        if request.rules_version is not None:
            versions = dict.fromkeys(tenants, request.rules_version)
        rules = await book.parsed(versions)
    for tenant in versions.keys() - rules.keys():
        refuse(f"tenant {tenant!r} has no rules version {versions[tenant]} that can be read: see `sqlassay rules show`")
    if request.policy is None:
        return rules
    return {tenant: replace(each, judge=replace(each.judge, policy=request.policy)) for tenant, each in rules.items()}


def _price(judge: JudgeSettings) -> Price | None:
    if judge.model is None or judge.model not in judge.prices:
        return None
    price = judge.prices[judge.model]
    return Price(sent=price.sent, received=price.received)


async def _score(
    engine: AsyncEngine, configured: Settings, request: BackfillRequest, rules: dict[str, Rules], events: int
) -> BackfillTally:
    local = read_judge(str(configured.judge.weights) if configured.judge.weights else None)
    async with (
        open_redis(configured.redis) as redis,
        open_panel(configured.judge, local, MemoryModelCounts(), redis) as panel,
        examining_process(configured.pool.cpu_seconds) as examine,
    ):
        backfill = Backfill(
            engine=engine,
            panel=panel,
            rules=rules,
            judges=_judges(local, configured.judge),
            model=configured.judge.model,
            make_current=request.make_current,
            clock=lambda: datetime.now(UTC),
            examine=examine,
            in_flight=configured.judge.in_flight,
        )
        with progress("scoring", events) as advance:
            return await backfill(request.answers, advance)


async def _score_with_memory(
    engine: AsyncEngine, configured: Settings, request: BackfillRequest, rules: dict[str, Rules], events: int
) -> BackfillTally:
    async with examining_process(configured.pool.cpu_seconds) as examine:
        backfill = BackfillWithMemory(
            engine=engine,
            judge=read_judge(str(configured.judge.weights) if configured.judge.weights else None),
            rules=rules,
            bounds=MemoryBounds(answers=configured.memory.answers, bytes=configured.memory.bytes),
            examine=examine,
        )
        with progress("judging with memory", events) as advance:
            return await backfill(request.answers, advance)


def _judges(local: LocalJudge, judge: JudgeSettings) -> dict[JudgePolicy, list[str]]:
    model = model_judge(judge)
    return {
        JudgePolicy.LOCAL: [local.name],
        JudgePolicy.LLM: [model],
        JudgePolicy.CASCADE: [local.name, model],
    }
