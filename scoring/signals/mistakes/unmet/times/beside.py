"""The two times whose numbers a query sets beside each other, and how far they are apart."""

from __future__ import annotations

from scoring.patterns import lazy
from scoring.signals.mistakes.events import is_time
from scoring.signals.mistakes.wording import cue, shapes
from scoring.specification import Clause, SqlFilter, SubqueryRole
from scoring.specification.shapes import ShapeKind
from scoring.values import Choices, DatePart, Grain, RelativeTime, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words

_A_QUARTER = 92
_A_WEEK = 7
_ALIKE = 0.15
"""Share of a length by which another may differ and still be as long."""


def compared_times(case: Case) -> list[TimeRange]:
    """The times with both ends that a query keeps, in order; a CASE or FILTER keeps what WHERE leaves it.

    >>> [str(each) for each in compared_times(case("Fares", "SELECT SUM(fare) FILTER (WHERE day < '2020-01-01') FROM "
    ...     "trips WHERE day >= '2019-11-01' AND day < '2020-02-01'"))]
    ['[2019-11-01, 2020-01-01)']
    """
    timed = [(each, time) for each in case.sql.filters if (time := _time(each)) is not None]
    cut = [(each, time) for each, time in timed if each.clause in (Clause.CASE, Clause.FILTER)]
    outer = [(each, time) for each, time in timed if each.clause is Clause.WHERE]
    times = {_within(each, time, outer) for each, time in cut} if cut else {time for _, time in outer}
    lengths = list(map(_days, times))
    complete = bool(lengths) and 0 < min(lengths) <= _A_QUARTER
    return sorted(times, key=str) if complete else []


def _time(each: SqlFilter) -> TimeRange | None:
    return each.rhs if isinstance(each.rhs, TimeRange) and each.alternative is None else None


def _within(each: SqlFilter, time: TimeRange, outer: list[tuple[SqlFilter, TimeRange]]) -> TimeRange:
    """What a condition keeps of the times that WHERE keeps in its block, or in the only block that has a time."""
    own = [found for other, found in outer if other.block == each.block]
    for other in own or [found for _, found in outer if len(outer) == 1]:
        starts = [start for start in (time.start, other.start) if start is not None]
        ends = [end for end in (time.end, other.end) if end is not None]
        time = TimeRange(max(starts, default=None), min(ends, default=None))
    return time


def _days(time: TimeRange) -> int:
    return (time.end - time.start).days if time.start is not None and time.end is not None else 0


def are_a_year_apart(earlier: TimeRange, later: TimeRange) -> bool:
    """Whether one begins a year after the other, and is as long; a week may begin 52 weeks after.

    >>> from datetime import datetime
    >>> may = [TimeRange(datetime(year, 5, 1), datetime(year, 6, 1)) for year in (2019, 2020)]
    >>> are_a_year_apart(*may), are_a_year_apart(may[0], TimeRange(datetime(2020, 5, 1), datetime(2021, 5, 1)))
    (True, False)
    """
    if earlier.start is None or later.start is None:
        return False
    begun = (later.start.year - earlier.start.year, later.start.month, later.start.day)
    longer = max(_days(earlier), _days(later))
    if longer <= _A_WEEK:
        return abs((later.start - earlier.start).days - 365) <= _A_WEEK
    return (
        begun == (1, earlier.start.month, earlier.start.day) and abs(_days(earlier) - _days(later)) <= _ALIKE * longer
    )


_BEFORE = lazy(r"date_?trunc\('month', .*(?:ts_or_ds_add|date_?add|date_?sub|- interval).*[ -]'?1'?,? month")


def month_for_year(case: Case) -> str | None:
    """What sets the month before beside each month, where no two months alone are kept: LAG, or a join of the two.

    >>> month_for_year(case("Fares of may vs may last year", "SELECT month, LAG(fare) OVER (ORDER BY month) FROM "
    ...     "fares GROUP BY date_trunc('month', day)"))
    'LAG(fare) OVER (ORDER BY month): the month before'
    """
    if any(map(_are_several, case.sql.filters)):
        return None
    moved = next((each.text for each in case.sql.filters if _BEFORE.match(each.text)), None)
    before = [each.text for each in shapes(case, ShapeKind.NEIGHBOUR) if each.number == 1]
    found = moved or (before[0] if before and _follows_months(case) else None)
    return f"{found}: the month before" if found is not None else None


def _follows_months(case: Case) -> bool:
    """Whether rows are of months, and a row before is not looked for within the same month of all years."""
    grains = {word for each in shapes(case, ShapeKind.GRAIN) for word in each.words}
    keys = [key for window in case.sql.windows if window.func in ("LAG", "LEAD") for key in window.partition_by]
    within = any(_is_period(column.name) for key in keys for column in key.columns)
    return not {"month", "mm"}.isdisjoint(grains) and "year" not in grains and not within


def _are_several(each: SqlFilter) -> bool:
    """Whether a condition keeps one of several times."""
    return _is_timed(each) and (isinstance(each.rhs, Choices) or each.alternative is not None)


def _is_period(name: str) -> bool:
    return is_time(name) or not {"month", "mon", "mth", "mo"}.isdisjoint(identifier_words(name))


def one_of_all_time(case: Case) -> str | None:
    """Two numbers of a time stand side by side, each by a subquery, and one of them is of all time.

    >>> one_of_all_time(case("Trips and fines per pilot since may", "SELECT name, (SELECT COUNT(*) FROM trips t WHERE "
    ...     "t.pilot_id = p.id AND t.day >= '2020-05-01'), (SELECT COUNT(*) FROM fines f WHERE f.pilot_id = p.id) "
    ...     "FROM pilots p"))
    'nothing of fines is kept to a time'
    """
    inner = _of_each_row(case)
    timed = [each.block for each in case.sql.filters if _is_timed(each)]
    of_all = [block for block in inner if not any(each.startswith(block) for each in timed)]
    inside = all(each.startswith(inner) for each in timed)
    if len(inner) < 2 or len(of_all) != 1 or not inside or not _is_time_of_both(case):
        return None
    return _untimed(of_all[0], case)


def _is_time_of_both(case: Case) -> bool:
    """Whether the time stands behind both of the things that are asked for: `trips and fines since may`."""
    starts = [each.start for each in case.question.filters if isinstance(each.rhs, TimeRange | RelativeTime | DatePart)]
    behind = len(starts) == 1 and _AND.search(case.asked, 0, starts[0]) is not None
    return behind and _AND.search(case.asked, starts[0]) is None and _EVER.search(case.asked) is None


_AND = lazy(r"\b(?:and|plus|as well as|n)\b|[&+]")


def _of_each_row(case: Case) -> tuple[str, ...]:
    """The subqueries that give one value for each row."""
    found = (each for each in case.sql.subqueries if each.role is SubqueryRole.SCALAR)
    return tuple(each.block for each in found if each.correlated)


def _untimed(path: str, case: Case) -> str | None:
    """What a subquery adds or counts without a condition on a time."""
    tables = next((each.tables for each in case.sql.blocks if each.path == path), ())
    counts = any(each.block == path and each.func in ("COUNT", "SUM") for each in case.sql.aggregations)
    return f"nothing of {tables[0]} is kept to a time" if tables and counts else None


_EVER = cue(
    "ever time total overall current now open far",
    r"\bever\b|\ball[- ]time\b|\btotal\b|\blifetime\b|\boverall\b|\bso far\b|\bcurrent\w*\b|\bnow\b|\bopen\b",
)


def _is_timed(each: SqlFilter) -> bool:
    members = each.rhs.members if isinstance(each.rhs, Choices) else (each.rhs,)
    return any(isinstance(time, TimeRange | RelativeTime) for time in members)


_SAME_WEEKDAY = cue(
    "day",
    r"\bsame (?:week)?day (?:of |in )?(?:the )?(?:last|previous|prior|prev) (?:week|wk)\b"
    r"|\bsame (?:week)?day (?:the |a |one )(?:week|wk) (?:before|ago|earlier)\b",
)


def weekday_missed(case: Case) -> str | None:
    """A day is to stand beside the same weekday of the week before, and the SQL takes another day.

    >>> weekday_missed(case("Fares yesterday vs the same day last week", "SELECT SUM(CASE WHEN day = current_date - 1 "
    ...     "THEN fare END), SUM(CASE WHEN day = current_date - 7 THEN fare END) FROM trips"))
    'same day last week: 6 days before'
    """
    found = _SAME_WEEKDAY.search(case.asked)
    days = {day for each in case.sql.filters if (day := _day(each)) is not None} if found is not None else set[int]()
    if found is None or len(days) != 2:
        return None
    apart = max(days) - min(days)
    return f"{found.group()}: {apart} days before" if apart not in (0, _A_WEEK) else None


def _day(each: SqlFilter) -> int | None:
    """The one day that a condition keeps, as a number."""
    rhs = each.rhs
    if isinstance(rhs, RelativeTime) and rhs.unit is Grain.DAY and rhs.start is not None and rhs.end == rhs.start + 1:
        return rhs.start
    if isinstance(rhs, TimeRange) and _days(rhs) == 1 and rhs.start is not None:
        return rhs.start.toordinal()
    return None
