"""Do the values of a required filter and an SQL filter mean the same, whatever their notation?"""

from __future__ import annotations

from datetime import datetime, timedelta

from scoring.alignment.bare_periods import run_of, same_bare_period
from scoring.alignment.codes.countries import is_code_of
from scoring.immutable import immutable
from scoring.values import (
    LENGTHS,
    MONTHS,
    Boolean,
    Choices,
    DatePart,
    Expression,
    Grain,
    Number,
    Pattern,
    RelativeTime,
    Text,
    TimeRange,
    Value,
    floor,
    intersect,
)

FALSE_WORDS = frozenset({"0", "n", "no", "f", "false"})
"""Texts that mean no."""
TIMES = (RelativeTime, TimeRange, DatePart)


@immutable(kw_only=False)
class Context:
    """What a comparison depends on besides the two filters."""

    moment: datetime | None
    """The time that relative dates are resolved from. Without it, any range of the right width is accepted."""
    excluded: frozenset[str] = frozenset()
    """Blocks whose rows are left out of the answer (NOT IN, NOT EXISTS, EXCEPT): their conditions are negated."""
    anti_joined: frozenset[str] = frozenset()
    """Blocks that keep only rows without a partner (LEFT JOIN … IS NULL): their ON conditions are negated."""


def same_value(wanted: Value | None, there: Value | None, context: Context) -> bool:
    """Whether two right sides stand for the same value, whatever their notation."""
    if wanted is None or there is None:
        return wanted is there
    if type(wanted) is Text and type(there) is Text:
        return wanted.folded == there.folded or plain(wanted) == plain(there) or is_code_of(plain(wanted), there.folded)
    if wanted == there:
        return True
    if isinstance(wanted, Choices) or isinstance(there, Choices):
        return _same_choices(wanted, there, context)
    if isinstance(wanted, TIMES) or isinstance(there, TIMES):
        return same_time(wanted, there, context)
    return _same_literal(wanted, there)


def _same_literal(wanted: Value, there: Value) -> bool:
    """Whether a text is within a pattern, two expressions share a function, or both are one number."""
    if isinstance(wanted, Text) and isinstance(there, Pattern):
        return wanted.folded in there.text.casefold()
    if isinstance(wanted, Expression) and isinstance(there, Expression):
        return bool(set(wanted.functions) & set(there.functions))
    mine, theirs = as_number(wanted), as_number(there)
    return mine is not None and theirs is not None and _close(mine, theirs, wanted)


def _close(mine: float, theirs: float, wanted: Value) -> bool:
    if abs(mine - theirs) <= 1e-9 * max(1.0, abs(mine)):
        return True
    percent = isinstance(wanted, Number) and wanted.unit == "%"
    return percent and abs(mine / 100 - theirs) <= 1e-9


def _same_choices(wanted: Value, there: Value, context: Context) -> bool:
    ours = wanted.members if isinstance(wanted, Choices) else frozenset({wanted})
    theirs = there.members if isinstance(there, Choices) else frozenset({there})
    if len(ours) != len(theirs):
        return False
    return all(any(same_value(a, b, context) for b in theirs) for a in ours - theirs)


def plain(literal: Text) -> str:
    """The literal without surrounding marks and a final stop, for comparison."""
    return literal.folded.strip(" .,;:?!'\"")


def as_number(value: Value) -> float | None:
    """The number a literal stands for, if any."""
    if isinstance(value, Number):
        return value.value
    if isinstance(value, Boolean):
        return float(value.value)
    if isinstance(value, Text):
        try:
            return float(value.folded.replace(",", ""))
        except ValueError:
            return None
    return None


def same_time(wanted: Value, there: Value, context: Context) -> bool:
    """Whether two times, or a time and the number of a year, are the same range."""
    if isinstance(wanted, DatePart):
        return _same_part(wanted, there, context)
    if isinstance(there, DatePart):
        return False
    if isinstance(wanted, RelativeTime):
        return _same_relative(wanted, there, context)
    if isinstance(wanted, TimeRange) and isinstance(there, TimeRange):
        return _near(wanted, there) or _both_reach_now(wanted, there, context.moment)
    if isinstance(there, RelativeTime):
        return _resolved(wanted, there, context)
    if isinstance(wanted, TimeRange):
        return _is_year(wanted, there)
    return isinstance(there, TimeRange) and _is_year(there, wanted)


def _same_part(wanted: DatePart, there: Value, context: Context) -> bool:
    if isinstance(there, DatePart):
        return _same_parts(wanted, there)
    return isinstance(there, (TimeRange, RelativeTime)) and same_bare_period(wanted, there, context.moment)


def _same_parts(wanted: DatePart, there: DatePart) -> bool:
    """Whether two parts of a year hold the same months: the third quarter is July to September."""
    ours, theirs = run_of(wanted, _A_YEAR), run_of(there, _A_YEAR)
    return ours is not None and ours == theirs


_A_YEAR = 2023


def _resolved(wanted: Value, there: RelativeTime, context: Context) -> bool:
    """Whether the SQL's relative time gives a range asked for, or counts as many units as asked for."""
    if isinstance(wanted, TimeRange):
        return context.moment is not None and _near(wanted, there.resolve(context.moment))
    return isinstance(wanted, Number) and wanted.value in (abs(there.start or 0), abs(there.end or 0))


def _is_year(when: TimeRange, number: Value) -> bool:
    year = _whole_year(when)
    return year is not None and as_number(number) == year


def _same_relative(wanted: RelativeTime, there: Value, context: Context) -> bool:
    return any(_same_form(form, there, context) for form in _forms(wanted))


def _forms(wanted: RelativeTime) -> tuple[RelativeTime, ...]:
    """What a phrase may mean: `the last 3 months` also whole months, `the next 7 days` also what is overdue."""
    unit, start, end = wanted.unit, wanted.start, wanted.end
    if wanted.whole or start is None or end is None:
        return (wanted,)
    if start == 0 and end > 0:
        return wanted, RelativeTime(unit, None, end), RelativeTime(unit, 0, end + 1)
    if end == 0 and (unit, start) == (Grain.YEAR, -1):
        unit, start = Grain.MONTH, -12
    if end == 0 and start < -1 and unit in (Grain.WEEK, *MONTHS):
        return wanted, *(
            RelativeTime(unit, *ends, whole=True) for ends in ((start, 0), (start, None), (start + 1, None))
        )
    return (wanted,)


def _same_form(wanted: RelativeTime, there: Value, context: Context) -> bool:
    if isinstance(there, RelativeTime):
        return _both_relative(wanted, there)
    if not isinstance(there, TimeRange):
        return False
    if context.moment is None:
        return resolves(wanted, there)
    if wanted.whole and wanted.unit is Grain.DAY and wanted.start is not None and wanted.end == wanted.start + 1:
        return any(_is_that_day(wanted.resolve(now), there) for now in _local_times(context.moment))
    if wanted == _LAST_WEEK and _is_week_of_house(there, context.moment):
        return True
    return _resolves_to(wanted.resolve(context.moment), there, context.moment)


def _both_relative(wanted: RelativeTime, there: RelativeTime) -> bool:
    if (wanted, there) == (_BY_TODAY, _BY_NOW) or _is_to_yesterday(wanted, there) or _about_as_long(wanted, there):
        return True
    reaches_now = not wanted.whole
    return plainest(wanted, reaches_now) == plainest(there, reaches_now)


_LAST_WEEK = RelativeTime(Grain.WEEK, -1, 0, whole=True)


def _is_week_of_house(there: TimeRange, now: datetime) -> bool:
    """Whether a range is seven whole days that ended before yesterday's end, and are the last full week of some house.

    A cinema's week runs from Friday to Thursday. The seven days up to today are a rolling week, which is another one.
    """
    today = floor(now, Grain.DAY)
    if there.start is None or there.end is None or there.end - there.start != timedelta(days=7):
        return False
    return floor(there.end, Grain.DAY) == there.end and today - timedelta(days=7) < there.end < today


def _is_to_yesterday(wanted: RelativeTime, there: RelativeTime) -> bool:
    """Whether whole days end with yesterday, as the last of dates: `BETWEEN today - 7 AND today - 1`."""
    if not wanted.whole or wanted.unit is not Grain.DAY or there.unit is not Grain.DAY:
        return False
    return (wanted.end, there.start, there.end) == (0, wanted.start, -1)


def _is_that_day(day: TimeRange, there: TimeRange) -> bool:
    """Whether a range is the day or a part of it, though a time zone may move its bounds."""
    if there.start is None or there.end is None or not _near(day, there, slack=_DAY):
        return False
    common = intersect(day, there)
    if common.start is None or common.end is None:
        return False
    return 2 * (common.end - common.start) > there.end - there.start


_WEST, _EAST = timedelta(hours=8), timedelta(hours=10)


def _local_times(moment: datetime) -> tuple[datetime, ...]:
    """The moment on the clocks of most people: where it is another day, `yesterday` is another day, too."""
    return moment, moment - _WEST, moment + _EAST


_BY_TODAY, _BY_NOW = RelativeTime(Grain.DAY, None, 1, whole=True), RelativeTime(Grain.DAY, None, 0)
"""`today or earlier` is `<= CURRENT_DATE` of a day."""


def _about_as_long(wanted: RelativeTime, there: RelativeTime) -> bool:
    """Whether both reach as far back or ahead, as a month and 30 days or a year and 365 days do.

    >>> _about_as_long(RelativeTime(Grain.YEAR, -1, 0), RelativeTime(Grain.DAY, -365, None))
    True
    """
    if wanted.whole or there.whole or wanted.unit is there.unit:
        return False
    ours, theirs = plainest(wanted, reaches_now=True), plainest(there, reaches_now=True)
    for mine, other in ((ours.start, theirs.start), (ours.end, theirs.end)):
        if mine is None or other is None:
            if mine is not other:
                return False
            continue
        size, its = mine * _IN_DAYS[ours.unit], other * _IN_DAYS[theirs.unit]
        if abs(size - its) > max(_APART, abs(size) / 100):
            return False
    return True


_IN_DAYS = {Grain.MONTH: 365.25 / 12, Grain.SECOND: 1 / 86400}
_APART = 1.5
"""Days by which a month in days may differ from a month."""


def _resolves_to(wanted: TimeRange, there: TimeRange, now: datetime) -> bool:
    """Compares to the day."""
    return _near(wanted, there, slack=_DAY) or _both_reach_now(wanted, there, now)


def _both_reach_now(wanted: TimeRange, there: TimeRange, now: datetime | None) -> bool:
    """Whether both start together and neither ends before now: as a rule nothing has happened after it."""
    if now is None or wanted.start is None or wanted.start > now:
        return False
    if not _same_bound(wanted.start, there.start, _DAY):
        return False
    if _is_closed(there, now) and (wanted.end is None or wanted.end >= now - _DAY):
        return True
    return all(each.end is None or each.end >= now - _DAY for each in (wanted, there))


def _is_closed(there: TimeRange, now: datetime) -> bool:
    """Whether a range of months ends with the last one that is over: the year to date, as books know it."""
    if there.start is None or there.end is None:
        return False
    return there.end == floor(now, Grain.MONTH) and there.end - there.start > _TWO_MONTHS


_TWO_MONTHS = timedelta(days=58)


_DAY = timedelta(days=1)


def plainest(relative: RelativeTime, reaches_now: bool) -> RelativeTime:
    """One form for all ways to write a range: `last 24 hours` is the last day.

    Whether days are whole is not compared: many dates have no time.
    """
    start, end = relative.start, None if _is_open(relative, reaches_now) else relative.end
    if relative.whole and relative.unit is not Grain.DAY:
        return RelativeTime(relative.unit, start, end, whole=True)
    fixed = LENGTHS.get(relative.unit)
    base, times = (Grain.MONTH, MONTHS[relative.unit]) if fixed is None else (Grain.SECOND, int(fixed.total_seconds()))
    return RelativeTime(base, start and start * times, end and end * times)


def _is_open(relative: RelativeTime, reaches_now: bool) -> bool:
    """Whether it ends now: `this month`, `today` and, with `reaches_now`, `last 30 days`, but not `yesterday`."""
    start, end, is_day = relative.start, relative.end, relative.unit is Grain.DAY
    if start is None or start > 0:
        return False
    if end in (start, 1) and (start == 0 if is_day else relative.whole):
        return True
    return reaches_now and start < 0 and end == 0 and (is_day or not relative.whole)


def resolves(wanted: RelativeTime, there: TimeRange) -> bool:
    """Whether an absolute range has the width and grain of a relative phrase."""
    if there.start is None or (there.end is None and wanted.end is not None and wanted.whole):
        return False
    if there.end is None or wanted.start is None or wanted.end is None:
        return True
    expected = wanted.resolve(there.end if wanted.end == 0 else there.start)
    if expected.start is None or expected.end is None:
        return True
    width = expected.end - expected.start
    return abs((there.end - there.start) - width) <= max(timedelta(days=1), width * 0.04)


def _near(mine: TimeRange, theirs: TimeRange, slack: timedelta = timedelta(seconds=1)) -> bool:
    return _same_bound(mine.start, theirs.start, slack) and _same_bound(mine.end, theirs.end, slack)


def _same_bound(mine: datetime | None, theirs: datetime | None, slack: timedelta) -> bool:
    if mine is None or theirs is None:
        return mine is theirs
    return abs(mine - theirs) <= slack


def _whole_year(when: TimeRange) -> int | None:
    if when.start is None or when.end is None:
        return None
    whole = when.start == datetime(when.start.year, 1, 1) and (when.end - when.start).days in (365, 366)
    return when.start.year if whole else None


def is_false(value: Value | None) -> bool:
    """Whether a literal means no: 0, FALSE, 'n'."""
    if isinstance(value, Text):
        return value.folded in FALSE_WORDS
    return value is not None and as_number(value) == 0
