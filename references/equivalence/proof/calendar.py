"""Days as numbers: the months before it times 31, and the days before it in its month.

A day's ordinal, which counts the days that exist, is another number. The solver is told that both sort alike; what an
ordinal is, it learns only when that does not decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

from references.date_functions import last_day
from references.equivalence.proof.logic import Bit, Number, every, integer, pick, some, z3

YEAR = 372
"""Numbers of a year's days."""
LAST_YEAR = 9_999
_SHORT = 28
"""The most days of a step that ends in the next or the last month."""
_MOST_RELATED = 9
"""The most days whose ordinals are compared with those of others, though no query asks for them."""
_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


def last(months: Number) -> Number:
    """How many days a month has, by the months before it since year 0."""
    month, leap = months % 12, leaps(months / 12)
    short = some(month == each for each in (3, 5, 8, 10))
    return z3.If(month == 1, pick(leap, integer(29), integer(28)), z3.If(short, integer(30), integer(31)))


def leaps(year: Number) -> Bit:
    """Whether a year has a 29 February."""
    return every((year % 4 == 0, some((year % 100 != 0, year % 400 == 0))))


def exists(day: Number, first_year: int) -> Bit:
    """Whether a number is a day of the calendar."""
    return every((day >= first_year * YEAR, day < (LAST_YEAR + 1) * YEAR, day % 31 < last(day / 31)))


def place_in_year(day: Number) -> Number:
    """The days before it in its year."""
    month = day / 31 % 12
    before: Number = integer(0)
    for index, count in enumerate(_BEFORE):
        before = z3.If(month == index, integer(count), before)
    return before + z3.If(z3.And(month > 1, leaps(day / YEAR)), 1, 0) + day % 31


def months_later(day: Number, months: Number, *, clamped: bool, keep_end: bool = False) -> Number:
    """The day so many months later: one that does not exist is the last of its month, or runs into the next."""
    index, rest = day / 31 + months, day % 31
    end = last(index)
    if not clamped:
        return z3.If(rest < end, 31 * index + rest, 31 * (index + 1) + rest - end)
    to_end = rest >= end
    if keep_end:
        to_end = z3.Or(to_end, rest == last(day / 31) - 1)
    return 31 * index + z3.If(to_end, end - 1, rest)


@dataclass(frozen=True, slots=True)
class _Later:
    """A day that was reached from another one."""

    day: Number
    start: Number
    days: Number | int


@dataclass(slots=True)
class Calendar:
    """The days whose ordinals a proof uses."""

    first_year: int = 0
    bounds: list[Bit] = field(default_factory=list[Bit])
    """That computed dates are in the calendar."""
    _marks: dict[int, date] = field(default_factory=dict[int, date])
    _known: list[tuple[Number, Number]] = field(default_factory=list[tuple[Number, Number]])
    """Days with their ordinals."""
    _later: dict[str, _Later] = field(default_factory=dict[str, _Later])

    def mark(self, day: int) -> None:
        """Notes a constant day that others are compared with; one that does not exist counts as the next."""
        months, rest = divmod(day, 31)
        if rest >= last_day(months // 12, months % 12 + 1):
            months, rest = months + 1, 0
        if 1 <= months // 12 <= LAST_YEAR:
            self._marks[31 * months + rest] = date(months // 12, months % 12 + 1, rest + 1)

    def years(self) -> tuple[int, int]:
        """A few years around the constant days, or around 2020."""
        years = [each.year for each in self._marks.values()] or [2020]
        return min(years) - 2, max(years) + 2

    def holds(self, day: Number) -> Number:
        """A computed day, which the proof takes to be in the calendar."""
        day = z3.simplify(day)
        if z3.is_int_value(day):
            self.mark(day.as_long())
        self.bounds.append(every((day >= self.first_year * YEAR, day < (LAST_YEAR + 1) * YEAR)))
        return day

    def found(self, day: Number) -> Number:
        """A day of which nothing is known but that it is in the calendar."""
        self.bounds.append(exists(day, self.first_year))
        return day

    def ordinal(self, day: Number) -> Number:
        """The ordinal of a day."""
        day = z3.simplify(day)
        for known, ordinal in self._known:
            if z3.eq(known, day):
                return ordinal
        ordinal = z3.Int(f"ordinal {len(self._known)}")
        self._known.append((day, ordinal))
        return ordinal

    def later(self, day: Number, days: Number | int) -> Number:
        """The day so many days later."""
        day = z3.simplify(day)
        fixed = self._marks.get(day.as_long()) if z3.is_int_value(day) else None
        if fixed is not None and isinstance(days, int) and 0 < fixed.toordinal() + days <= date.max.toordinal():
            moved = date.fromordinal(fixed.toordinal() + days)
            return self.holds(integer(YEAR * moved.year + 31 * (moved.month - 1) + moved.day - 1))
        key = f"{day} + {days}"
        if key not in self._later:
            found = z3.Int(f"later {len(self._later)}")
            self._later[key] = _Later(found, day, days)
            self._known.append((found, self.ordinal(day) + days))
            self.bounds.append(exists(found, self.first_year))
        return self._later[key].day

    def relate(self, days: Sequence[Number]) -> None:
        """Compares these days with those that lie a few days after others, by their ordinals too."""
        if len(days) <= _MOST_RELATED and any(not z3.is_int_value(step.start) for step in self._later.values()):
            for each in days:
                self.ordinal(each)

    def order(self) -> Iterator[Bit]:
        """That days exist, and sort like their ordinals."""
        yield from self.bounds
        fixed = [(integer(day), integer(when.toordinal())) for day, when in self._marks.items()]
        for index, (day, ordinal) in enumerate(self._known):
            for other, its in (*self._known[:index], *fixed):
                yield (day < other) == (ordinal < its)
                yield (day == other) == (ordinal == its)

    def definitions(self) -> Iterator[Bit]:
        """What the ordinals are, and what a few days later is."""
        for step in self._later.values():
            if isinstance(step.days, int) and abs(step.days) <= _SHORT:
                yield step.day == _step(step.start, step.days)
        for day, ordinal in self._known:
            years = day / YEAR - 1
            yield ordinal == 365 * years + years / 4 - years / 100 + years / 400 + place_in_year(day) + 1


def _step(day: Number, days: int) -> Number:
    """The day a few days later, or earlier."""
    index, rest = day / 31, day % 31 + days
    if days >= 0:
        end = last(index)
        return z3.If(rest < end, day + days, 31 * (index + 1) + rest - end)
    return z3.If(rest >= 0, day + days, 31 * (index - 1) + last(index - 1) + rest)
