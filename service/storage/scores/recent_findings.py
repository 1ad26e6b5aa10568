"""What is found most among each agent's newest answers: reasons, and what became of the question."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Select, Text, column, func, lateral, literal, select, true, union_all
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.database import fetch_rows
from service.storage.sums.reading import AnswerScope
from service.storage.tables import EVALUATIONS

MOST_ANSWERS = 100
"""Newest answers of an agent that are looked at, so that a page takes the same time however many there are."""
_ROWS = EVALUATIONS.c
_ANSWERS, _REASON, _ENRICHMENT = "answers", "reason", "enrichment"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentFindings:
    """Counts over the newest answers of an agent."""

    answers: int = 0
    reasons: Counter[str] = field(default_factory=Counter[str])
    """Answers that each reason code is given for, or that have no score for it."""
    enrichments: Counter[str] = field(default_factory=Counter[str])
    """Answers of each enrichment status."""


async def recent_findings(
    engine: AsyncEngine, wanted: AnswerScope, agents: Collection[tuple[str, str]], *, most: int = MOST_ANSWERS
) -> Mapping[tuple[str, str], RecentFindings]:
    """What is found among the newest answers of each tenant's agent. Raises `StoreUnavailable`."""
    if not agents:
        return {}
    given = (
        func.unnest(
            literal([tenant for tenant, _ in agents], ARRAY(Text)), literal([agent for _, agent in agents], ARRAY(Text))
        )
        .table_valued(column("tenant", Text), column("agent", Text), name="given")
        .render_derived()
    )
    conditions: list[ColumnElement[bool]] = [
        _ROWS.current,
        _ROWS.tenant == given.c.tenant,
        _ROWS.agent == given.c.agent,
    ]
    if wanted.agent_version is not None:
        conditions.append(_ROWS.agent_version == wanted.agent_version)
    if wanted.since is not None:
        conditions.append(_ROWS.occurred_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(_ROWS.occurred_at < wanted.until)
    newest = lateral(
        select(_ROWS.id, _ROWS.reason_codes, _ROWS.enrichment_status)
        .where(*conditions)
        .order_by(_ROWS.occurred_at.desc())
        .limit(most)
    )
    found = newest.c
    columns: list[ColumnElement[Any]] = [
        *(given.c.tenant, given.c.agent),
        *(found.id, found.reason_codes, found.enrichment_status),
    ]
    return _found(await fetch_rows(engine, _counts(select(*columns).select_from(given.join(newest, true())))))


def _counts(answers: Select[Any]) -> Select[Any]:
    """How many answers of each agent there are, in all and with each finding: the rows would take longer to send."""
    rows = answers.cte("newest").prefix_with("MATERIALIZED")
    who = (rows.c.tenant, rows.c.agent)
    # a code that an answer has twice counts once
    given = func.unnest(rows.c.reason_codes).table_valued(column("code", Text), name="given_codes").render_derived()
    codes = lateral(select(given.c.code).distinct()).alias("codes")
    status = rows.c.enrichment_status
    whole = select(*who, literal(_ANSWERS).label("kind"), literal("").label("name"), func.count().label("answers"))
    reasons = select(*who, literal(_REASON), codes.c.code, func.count())
    enrichments = select(*who, literal(_ENRICHMENT), status, func.count())
    counts = union_all(
        whole.group_by(*who),
        reasons.select_from(rows.join(codes, true())).group_by(*who, codes.c.code),
        enrichments.where(status != "").group_by(*who, status),
    ).subquery("counts")
    # one row for all findings of a kind: rows cost the service more than what they say
    kinds = [counts.c[name] for name in ("tenant", "agent", "kind")]
    columns: list[ColumnElement[Any]] = [
        *kinds,
        *(func.array_agg(counts.c[name]).label(name) for name in ("name", "answers")),
    ]
    return select(*columns).group_by(*kinds)


def _found(counts: Collection[Mapping[str, Any]]) -> dict[tuple[str, str], RecentFindings]:
    found: dict[tuple[str, str], dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for tenant, agent, kind, names, answers in (each.values() for each in counts):
        most_first = sorted(zip(names, answers, strict=True), key=lambda each: (-each[1], each[0]))
        found[tenant, agent][kind] = Counter(dict(most_first))
    return {
        who: RecentFindings(answers=theirs[_ANSWERS].total(), reasons=theirs[_REASON], enrichments=theirs[_ENRICHMENT])
        for who, theirs in found.items()
    }
