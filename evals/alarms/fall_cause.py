"""What an alarm is about: the version that answers worse, or else since when the agent does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, tzinfo

from evals.mean_change import SIGNIFICANT, ValueSums, holm, mean_change
from evals.slices.since import DayLoss, worse_since


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAnswer:
    """One scored answer of an agent."""

    moment: datetime
    version: str | None
    p_alone: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FallCause:
    """Since when an agent is worse, and under which version."""

    since: datetime
    version: str | None
    """The version that is worse than the answers before it; `None` where no new version is."""
    version_before: str | None
    """The version of the last answer before."""


def fall_cause(answers: Sequence[JudgedAnswer], *, fell: bool = True) -> FallCause | None:
    """The cause, from the agent's answers in the order of their times; `None` without answers.

    A version that began within them and is worse than all answers before its first one is the cause: of several the
    surest, by Welch's test with Holm's correction. Without one, it is the day that best splits the answers into better
    and worse ones, or where there is none, the first answer. Of an agent that is not known to have fallen (`fell`), a
    day counts only if the answers from it on are surely worse.

    >>> from datetime import UTC
    >>> def answer(hour, version, p):
    ...     return JudgedAnswer(moment=datetime(2026, 3, 1, hour, tzinfo=UTC), version=version, p_alone=p)
    >>> old, new = [answer(n, "1.0", 0.8 + n / 100) for n in range(6)], [answer(9, "1.1", p) for p in (0.2, 0.3, 0.25)]
    >>> found = fall_cause([*old, *new])
    >>> found.version, found.version_before, found.since.hour
    ('1.1', '1.0', 9)
    """
    if not answers:
        return None
    return _worse_version(answers) or _worse_day(answers, fell=fell)


def _worse_version(answers: Sequence[JudgedAnswer]) -> FallCause | None:
    first: dict[str | None, int] = {}
    for place, each in enumerate(answers):
        first.setdefault(each.version, place)
    found: list[tuple[str | None, int, float]] = []
    for version, place in first.items():
        before = _sums(answers[:place])
        after = _sums([each for each in answers[place:] if each.version == version])
        change = mean_change(before, after)
        if change is not None:
            found.append((version, place, change.p_value if change.change < 0 else 1.0))
    corrected = holm([p_value for _, _, p_value in found])
    surest = min(zip(corrected, found, strict=True), key=lambda each: (each[0], -each[1][1]), default=None)
    if surest is None or surest[0] >= SIGNIFICANT:
        return None
    version, place, _ = surest[1]
    return FallCause(since=answers[place].moment, version=version, version_before=answers[place - 1].version)


def _sums(answers: Sequence[JudgedAnswer]) -> ValueSums:
    values = [each.p_alone for each in answers]
    return ValueSums(count=len(values), total=sum(values), squares=sum(value**2 for value in values))


def _worse_day(answers: Sequence[JudgedAnswer], *, fell: bool) -> FallCause:
    losses: dict[date, list[float]] = defaultdict(list)
    for each in answers:
        losses[each.moment.date()].append(1 - each.p_alone)
    days = [DayLoss(day=day, answers=len(each), loss=sum(each)) for day, each in losses.items()]
    found, zone = worse_since(days), answers[0].moment.tzinfo
    since = answers[0].moment if found is None else _midnight(found.day, zone)
    before = [each for each in answers if each.moment < since]
    if not fell and not _surely_worse(before, answers[len(before) :], days=len(days)):
        since, before = answers[0].moment, []
    return FallCause(since=since, version=None, version_before=before[-1].version if before else None)


def _surely_worse(before: Sequence[JudgedAnswer], after: Sequence[JudgedAnswer], *, days: int) -> bool:
    """By Welch's test, corrected for the days of which the best was chosen (Bonferroni)."""
    change = mean_change(_sums(before), _sums(after))
    return change is not None and change.change < 0 and change.p_value * days < SIGNIFICANT


def _midnight(day: date, zone: tzinfo | None) -> datetime:
    return datetime.combine(day, time(), zone)
