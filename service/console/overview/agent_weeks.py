"""How an agent fared day by day, and in its last week against the week before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncEngine

from evals.mean_change import SIGNIFICANT, MeanChange, ValueSums, holm, mean_change
from service.storage.scores.recent_findings import Who
from service.storage.sums.reading import AnswerScope, Period, Sums, read_sums

DAYS = 28
"""Days of the trend."""
_WEEK = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDay:
    """The answers of an agent in one day (UTC)."""

    day: datetime
    received: int = 0
    scored: int = 0
    mean: float | None = None
    """Mean score, 0 to 100."""
    mean_p: float | None = None
    """Mean of the probabilities without memory."""
    judged_wrong: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekChange:
    """The change of the mean probability from one week to the next."""

    before: float
    after: float
    change: MeanChange
    p_value: float
    """Corrected for the number of agents that are compared (Holm)."""

    @property
    def real(self) -> bool:
        """Whether chance alone hardly makes such a change."""
        return self.p_value < SIGNIFICANT


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentWeeks:
    """The days of every agent, and its change where both weeks have answers."""

    days: Mapping[Who, list[AgentDay]]
    changes: Mapping[Who, WeekChange]
    releases: Mapping[Who, Mapping[date, list[str]]]
    """The versions whose first answer in these days is on each day, but for those of the first day with answers."""
    end: datetime
    """The end of the last day."""

    @property
    def week(self) -> datetime:
        """When the last week began."""
        return self.end - timedelta(days=_WEEK)

    @property
    def week_before(self) -> datetime:
        return self.end - timedelta(days=2 * _WEEK)

    def received(self, who: Who) -> int:
        """The answers of the agent in the last week, without those that the sample rate left out."""
        return sum(each.received for each in self.days.get(who, [])[-_WEEK:])

    def answered_since(self, who: Who, answers: int) -> datetime | None:
        """The day since which the agent gave so many scored answers; `None` where that is before the first day."""
        for each in reversed(self.days.get(who, [])):
            answers -= each.scored
            if answers <= 0:
                return each.day
        return None


async def agent_weeks(engine: AsyncEngine, wanted: AnswerScope, now: datetime) -> AgentWeeks:
    """The last 28 days of the agents in scope, before its end. Raises `StoreUnavailable`."""
    last = min(wanted.until, now) if wanted.until is not None else now
    midnight = last.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    end = midnight if midnight == last else midnight + timedelta(days=1)
    scope = replace(wanted, since=end - timedelta(days=DAYS), until=end)
    by_day: dict[Who, dict[datetime, Sums]] = defaultdict(dict)
    began: dict[Who, dict[str | None, date]] = defaultdict(dict)
    for each in await read_sums(engine, scope, by_version=True, period=Period.DAY, histogram=False):
        if each.period is not None:
            sums, versions = by_day[each.tenant, each.agent], began[each.tenant, each.agent]
            sums[each.period] = sums[each.period] + each if each.period in sums else each
            day = each.period.date()
            versions[each.agent_version] = min(day, versions.get(each.agent_version, day))
    days = [end - timedelta(days=back) for back in range(DAYS, 0, -1)]
    shown = {who: [_day(day, sums.get(day)) for day in days] for who, sums in by_day.items()}
    releases = {who: _releases(versions) for who, versions in began.items()}
    return AgentWeeks(days=shown, changes=_changes(by_day, days), releases=releases, end=end)


def _releases(began: Mapping[str | None, date]) -> dict[date, list[str]]:
    first, found = min(began.values()), dict[date, list[str]]()
    for version, day in sorted(began.items(), key=lambda each: (each[1], each[0] or "")):
        if day > first:
            found.setdefault(day, []).append(version or "without a name")
    return found


def _day(day: datetime, sums: Sums | None) -> AgentDay:
    if sums is None or not sums.scored:
        return AgentDay(day=day, received=sums.received if sums is not None else 0)
    return AgentDay(
        day=day,
        received=sums.received,
        scored=sums.scored,
        mean=sums.score / sums.scored,
        mean_p=sums.p_alone / sums.scored,
        judged_wrong=sums.judged_wrong / sums.scored,
    )


def _changes(by_day: Mapping[Who, Mapping[datetime, Sums]], days: Sequence[datetime]) -> dict[Who, WeekChange]:
    found: dict[Who, tuple[ValueSums, ValueSums, MeanChange]] = {}
    for who, sums in by_day.items():
        before = _total(sums[day] for day in days[-2 * _WEEK : -_WEEK] if day in sums)
        after = _total(sums[day] for day in days[-_WEEK:] if day in sums)
        change = mean_change(before, after)
        if change is not None:
            found[who] = before, after, change
    corrected = holm([change.p_value for _, _, change in found.values()])
    return {
        who: WeekChange(before=before.mean, after=after.mean, change=change, p_value=p_value)
        for (who, (before, after, change)), p_value in zip(found.items(), corrected, strict=True)
    }


def _total(sums: Iterable[Sums]) -> ValueSums:
    each = list(sums)
    return ValueSums(
        count=sum(one.scored for one in each),
        total=sum(one.p_alone for one in each),
        squares=sum(one.p_alone_square for one in each),
    )
