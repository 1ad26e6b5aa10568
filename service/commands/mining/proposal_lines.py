"""Proposals for rules, as JSON and as text for a terminal."""

from __future__ import annotations

from dataclasses import asdict
from shlex import quote
from typing import Any

from learning.mining.mine_rules import Mined, MinedRule, ScoreChange
from learning.mining.proposals import ProposedRule
from service.commands.rendering.terminal import one_line


def mined_document(tenant: str | None, rules_version: int, found: Mined) -> dict[str, Any]:
    """What `sqlassay rules mine --json` prints."""
    return {
        "tenant": tenant,
        "rules_version": rules_version,
        "answers": found.answers,
        "questions": found.questions,
        "evidence": "labels" if found.labelled else "judge",
        "proposals": [_proposal_document(each) for each in found.proposals],
        "against": [_proposal_document(each) for each in found.against],
        "together": asdict(found.together),
    }


def _proposal_document(mined: MinedRule) -> dict[str, Any]:
    rule = mined.rule
    return {
        "id": rule.id,
        "kind": rule.kind.value,
        "rules": {rule.kind.value: rule.entry},
        "precision": rule.precision,
        "least_precision": rule.least_precision,
        "support": rule.support,
        "counts": None if rule.counts is None else rule.counts._asdict(),
        "concerned": mined.concerned,
        "change": asdict(mined.change),
        "change_of_right": None if mined.right is None else asdict(mined.right),
        "change_of_wrong": None if mined.wrong is None else asdict(mined.wrong),
        "examples": [{"question": each.question, "sql": each.sql} for each in rule.examples],
    }


def mined_text(tenant: str | None, found: Mined) -> str:
    """The proposals for a person, and the command that accepts one."""
    said = "their labels" if found.labelled else "the judge's opinion at a stricter bar, for want of labels"
    lines = [f"{len(found.proposals)} proposals from {found.answers} answers to {found.questions} questions, by {said}"]
    for each in found.proposals:
        lines += ["", *_lines(each)]
    if found.proposals:
        lines += ["", f"all together: {_change(found.together)}"]
        name = quote(tenant) if tenant is not None else "NAME"
        lines.append(f"accept one: sqlassay rules accept --tenant {name} {found.proposals[0].rule.id}")
    if found.against:
        lines += ["", "decision rules that speak against answers, accepted in the same way:"]
        for each in found.against:
            lines += ["", *_lines(each)]
    return "\n".join(lines)


def _lines(mined: MinedRule) -> list[str]:
    rule = mined.rule
    lines = [
        f"{rule.id}  {rule.kind.value}: {one_line(rule.text, 200)}",
        _evidence(rule),
        f"    of {mined.concerned} answers {_change(mined.change)}",
    ]
    for name, change in (("right", mined.right), ("wrong", mined.wrong)):
        if change is not None:
            lines.append(f"    of those labelled {name} {_change(change)}")
    return lines + [f"    {one_line(each.question, 120)}  ⇒  {one_line(each.sql, 160)}" for each in rule.examples]


def _evidence(rule: ProposedRule) -> str:
    if rule.counts is None:
        return f"    precision {rule.precision:.2f} (at least {rule.least_precision:.2f}), {rule.support} questions"
    counts = rule.counts
    answers = f"{counts.having} of the {counts.reading} answers that read the table"
    return f"    in {answers}, {counts.questions} questions, {counts.agents} agents"


def _change(change: ScoreChange) -> str:
    return f"mean score {change.before:.2f} → {change.after:.2f} ({change.answers} scored again)"
