"""Which learned rules of a tenant are in force: the commands that list them and roll them back. They ask no model."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.wire.learned_rules_document import LearnedRulesDocument
from service.commands.command_context import with_database
from service.commands.exits import answer_no
from service.commands.learn.rule_texts import rule_line
from service.commands.rules.rule_versions import shared_rules
from service.storage.reviewing.learned_rule_store import (
    StoredLearnedRules,
    learned_in_force,
    learned_sets,
)
from service.storage.reviewing.rollback import version_before
from service.storage.rule_store import StoredRules


async def put_learned_in_force(engine: AsyncEngine, tenant: str, version: int | None, author: str) -> StoredRules:
    """Puts a stored set in force, or none, in all processes."""
    async with shared_rules(engine) as rules:
        return await rules.put_learned(tenant, version, author=author)


def roll_back_rules(tenant: str, *, author: str) -> None:
    """Puts in force what was before the learned rules in force. Exit code 1 when none are."""

    async def work(engine: AsyncEngine) -> tuple[int | None, StoredRules | None]:
        history = await learned_in_force(engine, tenant)
        current = history[0] if history else None
        if current is None:
            return None, None
        before = version_before(history)
        return before, await put_learned_in_force(engine, tenant, before, author)

    before, rules = with_database(work)
    if rules is None:
        answer_no(f"tenant {tenant!r} has no learned rules in force")
    what = "no learned rules are" if before is None else f"learned rules {before} are"
    print(f"{tenant}: {what} in force with version {rules.version} of the rules")


def show_learned(tenant: str, *, version: int | None, as_json: bool) -> None:
    """Lists a tenant's sets, newest first, or prints the document of one. Exit code 1 when there is none."""
    found = with_database(lambda engine: learned_sets(engine, tenant))
    if version is not None:
        document = next((each.document for each in found if each.version == version), None)
        if document is None:
            answer_no(f"tenant {tenant!r} has no learned rules {version}: sqlassay rules learned {tenant} lists them")
        print(json.dumps(document, indent=1, ensure_ascii=False))
        return
    for each in found:
        print(json.dumps(_listed(each)) if as_json or not sys.stdout.isatty() else _text(each))
    if not found:
        answer_no(f"tenant {tenant!r} has no learned rules: sqlassay learn rules --tenant {tenant} --out RULES.json")


def _listed(stored: StoredLearnedRules) -> dict[str, object]:
    return {
        "version": stored.version,
        "in_force": stored.in_force,
        "rules": len(stored.document.get("rules", ())),
        **asdict(stored.promotion),
        "author": stored.author,
        "promoted_at": stored.promoted_at.isoformat(),
    }


def _text(stored: StoredLearnedRules) -> str:
    mark = "in force" if stored.in_force else "stored"
    promotion = stored.promotion
    gain = "not measured"
    if promotion.accuracy_before is not None and promotion.accuracy_after is not None:
        gain = f"accuracy {promotion.accuracy_before:.3f} → {promotion.accuracy_after:.3f} on {promotion.labels} labels"
    rules = LearnedRulesDocument.model_validate(stored.document).rules
    lines = [f"    {rule_line(number, each)}" for number, each in enumerate(rules, 1)]
    head = f"{stored.version}  {mark}  {gain}{', forced' if promotion.forced else ''}"
    return "\n".join([f"{head}, promoted {stored.promoted_at:%Y-%m-%d %H:%M}", *lines])
