"""Lists the rules that a tenant's answers propose, and puts some of them in force."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import RulesUnavailable
from consumers.wire.rules_document import InvalidRules, RulesDocument, decode_rules
from learning.mining.mine_rules import Mined, MinedRule, mine_rules
from scoring.judging.local import LocalJudge
from scoring.rules import Rules
from service.commands.command_context import check_tenant, settings, with_database
from service.commands.exits import answer_no, refuse
from service.commands.mining.mined_answers import ReviewedQuery, observe_all, read_answers, read_stored
from service.commands.mining.proposal_lines import mined_document, mined_text
from service.commands.options import AcceptOptions, MineOptions
from service.commands.report import parse_time
from service.commands.rules.rule_versions import shared_rules
from service.commands.rules.rules_file import load_rules
from service.commands.score import read_judge
from service.commands.score_lines import LocalScorer
from service.pipeline.proposed_rules import document_with
from service.storage.rule_store import PostgresRules, RulesConflict, StoredRules
from service.storage.scores.evaluation_pages import EvaluationFilter


@dataclass(frozen=True, slots=True)
class MiningInput:
    """The answers, and the rules in force."""

    answers: Sequence[ReviewedQuery]
    rules: Rules
    stored: StoredRules | None
    """The tenant's stored rules; `None` where a file holds everything."""


def mine(options: MineOptions) -> None:
    """Prints the proposals. Exit code 1 when there is no answer with a score."""
    if options.tenant is None and options.file is None:
        refuse("name the tenant whose stored answers are read with --tenant, or a file of events with --file")
    if options.rules_file is not None and options.file is None:
        refuse("--rules is for --file: stored answers are read with the tenant's rules in force")
    given = _from_file(options) if options.file is not None else _from_store(options)
    found = _mined(given, read_judge(None) if options.file is not None else _judge())
    if options.as_json or not sys.stdout.isatty():
        print(json.dumps(mined_document(options.tenant, given.rules.version, found), ensure_ascii=False))
    else:
        print(mined_text(options.tenant, found))


def accept(options: AcceptOptions) -> None:
    """Mines again, and stores the proposals with these ids as a new version. Exit code 1 when one is not proposed."""
    given = _from_store(options)
    found = _mined(given, _judge())
    proposed = {each.rule.id: each for each in (*found.proposals, *found.against)}
    unknown = [each for each in options.ids if each not in proposed]
    if unknown or given.stored is None:
        now = ", ".join(proposed) or "none"
        answer_no(f"not proposed: {', '.join(unknown)}; proposed now: {now}")
    accepted = [proposed[each] for each in dict.fromkeys(options.ids)]
    document, stored = _with(given.stored.document, accepted), given.stored
    try:
        kept = with_database(lambda engine: _store(engine, stored, document, options.author))
    except RulesConflict as error:
        refuse(f"the rules of tenant {stored.tenant!r} changed meanwhile ({error}): run the command again")
    print(kept.version)


def _judge() -> LocalJudge:
    weights = settings().judge.weights
    return read_judge(str(weights) if weights is not None else None)


def _from_file(options: MineOptions) -> MiningInput:
    rules = Rules() if options.rules_file is None else load_rules(options.rules_file).rules(version=0)
    return MiningInput(_answers_in(options.file or "", options.tenant), rules, None)


def _answers_in(file: str, tenant: str | None) -> Sequence[ReviewedQuery]:
    read = read_answers(file, tenant)
    if read.invalid or read.others:
        left_out = f"{read.invalid} lines that are no event, {read.others} of other tenants"
        print(f"sqlassay: left out: {left_out}", file=sys.stderr)
    return read.answers


def _from_store(options: MineOptions | AcceptOptions) -> MiningInput:
    """The tenant's rules in force, and its answers: stored ones, or those of a file."""
    tenant = options.tenant or ""
    check_tenant(tenant)
    since, until = parse_time("--since", options.since), parse_time("--until", options.until)
    wanted = EvaluationFilter(tenant=tenant, since=since, until=until)
    of_file = None if options.file is None else _answers_in(options.file, tenant)

    async def read(engine: AsyncEngine) -> MiningInput:
        store = PostgresRules(engine)
        stored = await store.current(tenant)
        rules = (await store.parsed({tenant: stored.version})).get(tenant)
        if rules is None:
            raise RulesUnavailable(f"the rules of tenant {tenant!r} cannot be read: store them again")
        answers = await read_stored(engine, wanted, options.most) if of_file is None else of_file
        return MiningInput(answers, rules, stored)

    return with_database(read)


def _mined(given: MiningInput, judge: LocalJudge) -> Mined:
    scorer = LocalScorer(given.rules, judge)
    observed, without = observe_all(given.answers, scorer)
    if not observed:
        answer_no(f"there are no answers to mine from; {without} have no score")
    return mine_rules(observed, given.rules, lambda query, rules: LocalScorer(rules, judge)(query))


def _with(document: Mapping[str, Any], accepted: Sequence[MinedRule]) -> RulesDocument:
    """The stored document with the accepted proposals."""
    try:
        return decode_rules(document_with(document, [each.rule for each in accepted]))
    except (InvalidRules, ValidationError) as error:
        refuse(f"the rules would not be valid with these proposals: {error}")


async def _store(engine: AsyncEngine, before: StoredRules, document: RulesDocument, author: str) -> StoredRules:
    async with shared_rules(engine) as rules:
        return await rules.put(before.tenant, document, author=author, expected=before.version)
