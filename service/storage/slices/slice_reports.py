"""The slices in which agents lose most, and those that got worse, as the console, the API and the command show them."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncEngine

from evals.slices.changes import ChangeReport, PeriodAnswers, changes
from evals.slices.since import DayLoss, WorseSince, worse_since
from evals.slices.worst import SliceReport, worst_slices
from service.storage.scores.version_begin import BACK, version_begin
from service.storage.slices.answer_slices import read_slices
from service.storage.sums.reading import AnswerScope, Period, read_sums

_WEEK = timedelta(days=7)


class EmptyPeriod(Exception):  # noqa: N818 named beside SlicesTooSlow
    """The time asked for ends before it begins."""


@dataclass(frozen=True, slots=True)
class Periods:
    """A period and the one of the same length before it."""

    now: AnswerScope
    before: AnswerScope

    @property
    def both(self) -> AnswerScope:
        """Both periods as one."""
        same = self.now.agent_version == self.before.agent_version
        version = self.now.agent_version if same else None
        return replace(self.now, since=self.before.since, agent_version=version)

    @property
    def of_versions(self) -> bool:
        """Whether a version is compared with the answers before its first one."""
        return self.now.agent_version is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedSlices:
    """What got worse, and since when."""

    read: PeriodAnswers
    """The answers of the later period."""
    report: ChangeReport
    since: Mapping[tuple[str, str], WorseSince]
    """The day since which an agent is worse, by tenant and agent: of those that surely are."""


async def compared_periods(engine: AsyncEngine, wanted: AnswerScope, now: datetime) -> Periods:
    """What to compare: a version with the answers before its first one, else the time asked for with the time before.

    A version without answers before it is compared as a time is. Raises `EmptyPeriod` and `StoreUnavailable`.
    """
    begin = None if wanted.agent_version is None else await version_begin(engine, wanted)
    if begin is None:
        return periods(wanted, now)
    since, until = max(begin.first, wanted.since or begin.first), wanted.until or now
    if since >= until:
        raise EmptyPeriod(f"the version began at {begin.first:%Y-%m-%d %H:%M}, after the end of the time")
    before = replace(wanted, agent_version=begin.before, since=_earlier(begin.first, BACK), until=begin.first)
    return Periods(replace(wanted, since=since, until=until), before)


def periods(wanted: AnswerScope, now: datetime) -> Periods:
    """The time asked for and the time before; without a begin, the last seven days and the seven before.

    Raises `EmptyPeriod`.
    """
    until = wanted.until or now
    since = wanted.since or _earlier(until, _WEEK)
    if since >= until:
        raise EmptyPeriod(f"the time begins at {since:%Y-%m-%d %H:%M}, after its end")
    latest = replace(wanted, since=since, until=until)
    return Periods(latest, replace(wanted, since=_earlier(since, until - since), until=since))


async def slice_report(engine: AsyncEngine, wanted: AnswerScope) -> tuple[PeriodAnswers, SliceReport]:
    """The answers that were read and their slices; raises `SlicesTooSlow` and `StoreUnavailable`."""
    found = await read_slices(engine, wanted)
    return found, await asyncio.to_thread(worst_slices, found.agents, found.slices, few=found.few)


async def changed_slices(engine: AsyncEngine, compared: Periods) -> ChangedSlices:
    """What got worse since the period before; raises `SlicesTooSlow` and `StoreUnavailable`."""
    now, before = await asyncio.gather(
        read_slices(engine, compared.now), read_slices(engine, compared.before, rare_causes=True)
    )
    report = await asyncio.to_thread(changes, now, before)
    sure = [each.now.who for each in report.agents if each.sure and each.lost > 0]
    since: Mapping[tuple[str, str], WorseSince] = await _days_worse_since(engine, compared.both, sure) if sure else {}
    return ChangedSlices(read=now, report=report, since=since)


async def _days_worse_since(
    engine: AsyncEngine, wanted: AnswerScope, agents: Collection[tuple[str, str]]
) -> Mapping[tuple[str, str], WorseSince]:
    """For these tenants and agents, the day since which more answers are wrong; raises `StoreUnavailable`."""
    days: dict[tuple[str, str], dict[date, DayLoss]] = defaultdict(dict)
    by_version = wanted.agent_version is not None
    for each in await read_sums(engine, wanted, by_version=by_version, period=Period.DAY, histogram=False):
        if (each.tenant, each.agent) in agents and each.period is not None:
            day = DayLoss(day=each.period.date(), answers=each.scored, loss=each.scored - each.p_alone)
            days[each.tenant, each.agent][day.day] = day
    found = {who: worse_since(list(of_agent.values())) for who, of_agent in days.items()}
    return {who: since for who, since in found.items() if since is not None}


def _earlier(moment: datetime, length: timedelta) -> datetime:
    earliest = datetime.min.replace(tzinfo=UTC)
    return moment - length if moment - earliest > length else earliest
