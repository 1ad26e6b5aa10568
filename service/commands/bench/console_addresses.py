"""Which pages of the console are measured: each kind, and lists whose filters fit many, few or no answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from service.commands.bench.stored_answers import (
    FALLEN_AGENT,
    RARE_AGENT,
    RARE_JUDGE,
    SMALL_TENANT,
    TENANT,
    StoredAnswers,
)

_AGENT = f"tenant={TENANT}&agent={FALLEN_AGENT}"
WORST_OF_AN_AGENT = f"order=worst&{_AGENT}"
_LISTS = {
    "answers, newest": "",
    "answers of a small tenant": f"tenant={SMALL_TENANT}",
    "answers, worst": "order=worst",
    "answers of an agent, worst": WORST_OF_AN_AGENT,
    "the same, a later page": WORST_OF_AN_AGENT + "&cursor={cursor}",
    "answers of a rare agent": f"agent={RARE_AGENT}",
    "answers of a rare agent, worst": f"agent={RARE_AGENT}&order=worst",
    "answers with a common reason": "reason={common}",
    "answers with a rare reason": "reason={rare}",
    "answers with a rare reason, worst": "reason={rare}&order=worst",
    "answers with an unknown reason": "reason={unknown}",
    "answers by a rare judge": f"judge={RARE_JUDGE}",
    "answers by a rare judge, worst": f"judge={RARE_JUDGE}&order=worst",
    "answers judged right, worst": "verdict=Correct&order=worst",
    "answers of the last tier, 7 days": "tier=poor&range=7d",
    "answers with a score below 1": "max_score=1",
    "answers without a score": "unscored=true",
    "answers with a label": "reviewed=true",
    "answers with a label, worst": "reviewed=true&order=worst",
    "answers without a label, worst": "reviewed=false&order=worst",
    "answers that users complain of": "feedback=dissatisfied",
    "answers that users complain of, worst": "feedback=dissatisfied&order=worst",
    "answers with another result": "reference=different",
    "answers with another result, worst": "reference=different&order=worst",
    "search, common text": "search=how+many",
    "search, common text, worst": "search=how+many&order=worst",
    "search, one answer": "search=--+{number}",
    "search, no answer": "search=not+to+be+found",
}
"""The parameters of the list of answers, by what it shows."""
_BEFORE = {
    "overview": "/console",
    "overview, 7 days": "/console?range=7d",
    "overview, by day": "/console?every=day",
    "overview, by version": "/console?by=agent_version",
    "an agent": f"/console/agents?{_AGENT}",
}
_AFTER = {
    "an answer of a list": "/console/evaluations/{middle}?" + WORST_OF_AN_AGENT,
    "the newest answer": "/console/evaluations/{newest}",
    "an answer of a rare list": "/console/evaluations/{newest}?reason={rare}",
    "incidents": "/console/incidents",
    "an incident": "/console/incidents/{incident}",
    "two versions": f"/console/compare?{_AGENT}",
    "two answers side by side": "/console/compare/{middle}/{newest}",
    "slices": "/console/slices",
    "slices of an agent": f"/console/slices?{_AGENT}",
    "slices, what got worse": "/console/slices?view=changes",
    "slices, a version against the one before": f"/console/slices?view=changes&{_AGENT}&agent_version=2.3",
    "review": "/console/review",
    "an answer under review": "/console/review/{middle}",
    "disagreements of reviewers": "/console/review/disagreements",
    "disagreements with the judge": "/console/review/disagreements?between=judge",
    "trust": "/console/trust",
    "status": "/console/status",
    "audit log": "/console/audit",
    "rules": f"/console/rules?tenant={TENANT}",
    "export, first 500 answers": "/v1/evaluations?limit=500",
    "export, first 500 of the worst": "/v1/evaluations?limit=500&order=worst",
    "report": "/v1/report",
    "labels": "/v1/labels",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundAnswers:
    """Answers and a place in a list that some addresses name."""

    newest: str
    middle: str
    """One amid the worst of an agent."""
    cursor: str
    """Of a later page of that list."""
    incident: str


def addresses(stored: StoredAnswers, found: FoundAnswers) -> Mapping[str, str]:
    """The addresses, by what they show."""
    values = {
        "common": stored.common_reason,
        "rare": stored.rare_reason,
        "unknown": stored.no_reason,
        "number": str(stored.answers // 2),
        "newest": found.newest,
        "middle": found.middle,
        "cursor": found.cursor,
        "incident": found.incident,
    }
    lists = {name: f"/console/evaluations?{query}" for name, query in _LISTS.items()}
    return {name: address.format_map(values) for name, address in {**_BEFORE, **lists, **_AFTER}.items()}
