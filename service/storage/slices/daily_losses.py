"""The days of agents, from the sums that are kept: since when each is worse."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import date

from sqlalchemy.ext.asyncio import AsyncEngine

from evals.slices.since import DayLoss, WorseSince, worse_since
from service.storage.sums.reading import AnswerScope, Period, read_sums


async def days_worse_since(
    engine: AsyncEngine, wanted: AnswerScope, agents: Collection[tuple[str, str]]
) -> Mapping[tuple[str, str], WorseSince]:
    """For these tenants and agents, the day since which more answers are wrong; raises `StoreUnavailable`."""
    days: dict[tuple[str, str], dict[date, DayLoss]] = defaultdict(dict)
    for each in await read_sums(engine, wanted, by_version=wanted.agent_version is not None, period=Period.DAY):
        if (each.tenant, each.agent) in agents and each.period is not None:
            day = DayLoss(day=each.period.date(), answers=each.scored, loss=each.scored - each.p_alone)
            days[each.tenant, each.agent][day.day] = day
    found = {who: worse_since(list(of_agent.values())) for who, of_agent in days.items()}
    return {who: since for who, since in found.items() if since is not None}
