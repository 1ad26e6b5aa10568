"""What is found most among each agent's newest answers: reasons, and what became of the question."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Integer,
    Select,
    Text,
    column,
    func,
    lateral,
    literal,
    select,
    true,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.database import fetch_rows
from service.storage.sums.reading import AnswerScope
from service.storage.tables import EVALUATIONS

MOST_ANSWERS = 100
"""Newest answers of an agent that are looked at, so that a page takes the same time however many there are."""
_ROWS = EVALUATIONS.c
_ANSWERS, _REASON, _ENRICHMENT = "answers", "reason", "enrichment"
Who = tuple[str, str]
"""A tenant and an agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentFindings:
    """Counts over the newest answers of an agent."""

    answers: int = 0
    reasons: Counter[str] = field(default_factory=Counter[str])
    """Answers that each reason code is given for, or that have no score for it."""
    enrichments: Counter[str] = field(default_factory=Counter[str])
    """Answers of each enrichment status."""


async def recent_findings(
    engine: AsyncEngine, asked: Sequence[tuple[AnswerScope, Collection[Who]]], *, most: int = MOST_ANSWERS
) -> list[Mapping[Who, RecentFindings]]:
    """What is found among the newest answers of each agent in each scope. Raises `StoreUnavailable`.

    Agents without answers in a scope are absent. The scopes' own tenants and agents do not count.
    """
    found = [defaultdict[Who, dict[str, Counter[str]]](lambda: defaultdict(Counter)) for _ in asked]
    listed = [list(agents) for _, agents in asked]
    newest = [_newest(place, scope, listed[place], most) for place, (scope, _) in enumerate(asked) if listed[place]]
    if newest:
        for row in await fetch_rows(engine, _counts(union_all(*newest))):
            place, number, kind, names, answers = row.values()
            most_first = sorted(zip(names, answers, strict=True), key=lambda each: (-each[1], each[0]))
            found[place][listed[place][number - 1]][kind] = Counter(dict(most_first))
    return [{who: _findings(kinds) for who, kinds in each.items()} for each in found]


def _findings(kinds: Mapping[str, Counter[str]]) -> RecentFindings:
    return RecentFindings(answers=kinds[_ANSWERS].total(), reasons=kinds[_REASON], enrichments=kinds[_ENRICHMENT])


def _newest(place: int, scope: AnswerScope, agents: Sequence[Who], most: int) -> Select[Any]:
    """The newest answers of each agent, with the place of the scope and the number of the agent."""
    listed = ([tenant for tenant, _ in agents], [agent for _, agent in agents])
    given = (
        func.unnest(*(literal(each, ARRAY(Text)) for each in listed))
        .table_valued(column("tenant", Text), column("agent", Text), with_ordinality="number", name=f"given_{place}")
        .render_derived()
    )
    conditions: list[ColumnElement[bool]] = [
        _ROWS.current,
        _ROWS.tenant == given.c.tenant,
        _ROWS.agent == given.c.agent,
    ]
    if scope.agent_version is not None:
        conditions.append(_ROWS.agent_version == scope.agent_version)
    # the planner leaves out the partitions of other days only if each scope names its times
    if scope.since is not None:
        conditions.append(_ROWS.occurred_at >= scope.since)
    if scope.until is not None:
        conditions.append(_ROWS.occurred_at < scope.until)
    found = lateral(
        select(_ROWS.reason_codes, _ROWS.enrichment_status)
        .where(*conditions)
        .order_by(_ROWS.occurred_at.desc())
        .limit(most)
    )
    who: list[ColumnElement[Any]] = [literal(place).label("place"), given.c.number.cast(Integer).label("number")]
    return select(*who, found.c.reason_codes, found.c.enrichment_status).select_from(given.join(found, true()))


def _counts(answers: CompoundSelect[Any]) -> Select[Any]:
    """How many answers of each agent there are, in all and with each finding: the rows would take longer to send."""
    row = answers.cte("newest").prefix_with("MATERIALIZED").c
    who = (row.place, row.number)
    count = func.count().label("answers")
    # side by side in the list of columns: joined to each row, they would take three times as long
    given = (func.unnest(row.reason_codes).label("code"), func.generate_subscripts(row.reason_codes, 1).label("nth"))
    each = select(*who, row.reason_codes, *given).subquery("each_code").c
    # a code that an answer has twice counts once
    is_first = func.array_position(each.reason_codes, each.code) == each.nth
    counts = union_all(
        select(*who, literal(_ANSWERS).label("kind"), literal("").label("name"), count).group_by(*who),
        select(each.place, each.number, literal(_REASON), each.code, count)
        .where(is_first)
        .group_by(each.place, each.number, each.code),
        select(*who, literal(_ENRICHMENT), row.enrichment_status, count)
        .where(row.enrichment_status != "")
        .group_by(*who, row.enrichment_status),
    ).subquery("counts")
    # one row for all findings of a kind: rows cost the service more than what they say
    kinds = [counts.c[name] for name in ("place", "number", "kind")]
    columns: list[ColumnElement[Any]] = [
        *kinds,
        *(func.array_agg(counts.c[name]).label(name) for name in ("name", "answers")),
    ]
    return select(*columns).group_by(*kinds)
