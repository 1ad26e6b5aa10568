"""Signals about periods: by which parts of dates rows are grouped, ordered and limited, and where spans begin."""

from __future__ import annotations

import re

from scoring.linking import operand_words
from scoring.patterns import lazy
from scoring.signals.excused_times import MADE_ROWS
from scoring.signals.finding import Finding, differing
from scoring.signals.mistakes.unmet.ratios.averages import record_of_other_rows
from scoring.signals.mistakes.unmet.times.occasions import rows_for_number_of_days
from scoring.signals.mistakes.unmet.times.periods import days_kept, gone_kept, months_joined, runs_from_cut
from scoring.signals.mistakes.windows import RUNNING, is_time_like
from scoring.signals.mistakes.wording import asked, cue, divides, first, said, shapes
from scoring.specification import Clause, Op, SqlFilter, SubqueryRole
from scoring.specification.shapes import Shape, ShapeKind
from scoring.values import RelativeTime, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_GRAINS = "hour|day|week|month|quarter|year"
_PER_GRAIN = lazy(
    rf"\b(?:per|by|each|every|for each|for every) (?:calendar )?({_GRAINS})\b(?! to date|-to-date)"
    rf"|\b({_GRAINS}) (?:by|over|on) \2\b"
    rf"|\b(?:\w+s a|in (?:any|a) (?:one|single)) ({_GRAINS})\b(?! ago)"
)
_ADVERBS = lazy(
    r"\b(?:trend(?:ed)? |broken down |grouped |split |shown |, )(hourly|daily|weekly|monthly|quarterly|yearly)\b"
)
_ADVERB_GRAINS = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
}


def period_of_groups_wrong(case: Case) -> Finding | None:
    """A value for each period is asked for, and rows are grouped by another period.

    Grouped by day, a month has thirty rows.

    >>> period_of_groups_wrong(case("Total fares by month",
    ...     "SELECT CAST(flown_at AS DATE), SUM(fare) FROM trips GROUP BY CAST(flown_at AS DATE)")).detail
    'expected → actual: month → day'
    """
    record = record_of_other_rows(case)
    if record is not None:
        return Finding(1.0, record)
    groups = shapes(case, ShapeKind.GRAIN)
    given = {grain for each in groups for grain in each.words if grain in (*_GRAINS.split("|"), "weekday")}
    wanted = _asked_grains(asked(case)) if given else set[str]()
    recurring = _recurring_wrong(given, case)
    if recurring is not None or len(wanted) != 1 or _PARTS_OF.search(asked(case)):
        return recurring
    grain = next(iter(wanted))
    named = grain in given or _names_grain(case, grain) or MADE_ROWS.search(case.written) is not None
    return None if named else differing(grain, ", ".join(sorted(given)))


def _recurring_wrong(given: set[str], case: Case) -> Finding | None:
    """A weekday or an hour of the day is asked for, and the SQL groups by each single day."""
    if "day" not in given or len({key.block for key in case.sql.group_by}) != 1:
        return None
    if given == {"day"}:
        return differing("weekday", "day") if _WEEKDAYS.search(asked(case)) else None
    part = _PART_OF_DAY.search(asked(case)) if _PER_GRAIN.search(asked(case)) is None else None
    return differing(part[1], ", ".join(sorted(given))) if part is not None else None


_WEEKDAYS = lazy(r"\b(?:busiest|slowest|quietest|best|worst|which|what|per|by|each) (?:weekday|day of (?:the )?week)\b")
_PART_OF_DAY = lazy(
    r"\b(?:busiest|slowest|quietest|best|worst|peak|which|what) (hour of (?:the )?day|time of (?:the )?day|hour)\b"
)
_PARTS_OF = lazy(r"\bweekday|\bday of (?:the )?week|\bof (?:the )?day\b|\bof (?:the )?year\b")


def _asked_grains(text: str) -> set[str]:
    found = {match[1] or match[2] or match[3] for match in _PER_GRAIN.finditer(text)}
    return found | {_ADVERB_GRAINS[match[1]] for match in _ADVERBS.finditer(text)}


def _names_grain(case: Case, grain: str) -> bool:
    """Whether some grouped or shown column is named like the period: a calendar table may hold it."""
    keys = [key.operand for key in case.sql.group_by] + [each.operand for each in case.answer]
    names = {each.alias for each in case.sql.projections if each.alias} & {grain, *_SHORT_GRAINS.get(grain, ())}
    if any(grain in operand_words(key) for key in keys) or names:
        return True
    return re.search(rf"\bgroup by [\w., ]{{0,80}}\b{grain}\b", case.written, re.IGNORECASE) is not None


_SHORT_GRAINS = {
    "month": ("mon", "mth", "mnth", "mo", "ym", "yyyymm", "monat"), "week": ("wk", "kw"), "quarter": ("qtr", "q"),
    "year": ("yr", "jahr"), "day": ("dt", "dy", "d", "tag"), "hour": ("hr", "h"),
}  # fmt: skip
"""What people call a column of periods for short."""


def period_ungrouped(case: Case) -> Finding | None:
    """A value for each period is asked for, and nothing groups by a date.

    One total comes in place of one for each month. Averages and divisions per period need no group, unless rows are
    grouped by something that the question does not name.

    >>> period_ungrouped(case("Total fares per month in 2020",
    ...     "SELECT SUM(fare) FROM trips WHERE year = 2020")).detail
    'no group for each month'
    """
    if not case.sql.aggregations or first(case, ShapeKind.GRAIN) is not None:
        return None
    wanted = _asked_grains(_OF_TABLE.sub(" ", asked(case)))
    if len(wanted) != 1 or (_needs_no_group(case) and not _groups_by_another(case)):
        return None
    grain = wanted.pop()
    read = not case.sql.group_by and any(grain in identifier_words(column.name) for column in case.sql.columns)
    named = read or _names_grain(case, grain) or _holds_rate(case, grain)
    return (
        None if named or _has_made_rows(case) or _groups_by_time(case) else Finding(1.0, f"no group for each {grain}")
    )


def _groups_by_another(case: Case) -> bool:
    """Whether the only key of the only SELECT is a column that no word of the question names."""
    keys = case.sql.group_by
    if len(keys) != 1 or len(case.sql.blocks) != 1 or case.sql.windows or divides(case):
        return False
    columns = keys[0].operand.columns
    return len(columns) == 1 and case.spoken.isdisjoint(map(stem, identifier_words(columns[0].name)))


def _has_made_rows(case: Case) -> bool:
    """Whether the SQL makes a row for each period, and groups by it or asks a subquery for each."""
    for_each = any(each.role is SubqueryRole.SCALAR for each in case.sql.subqueries)
    return (for_each or bool(case.sql.group_by)) and MADE_ROWS.search(case.written) is not None


_OF_TABLE = lazy(r"\bone row (?:per|for (?:each|every))\b[^.?!;()]*")
"""Words that describe a table, and ask for nothing."""


def _holds_rate(case: Case, grain: str) -> bool:
    """Whether the SQL adds up a column of amounts per period: `monthly_fee` per month."""
    summed = [column.name for each in case.sql.aggregations for column in each.columns]
    return any(f"{grain}ly" in name.lower() for name in summed)


def _groups_by_time(case: Case) -> bool:
    keys = [key.operand for key in case.sql.group_by if not key.operand.name.startswith("case when ")]
    names = [column.name for key in keys for column in key.columns]
    names += [each.alias for each in case.answer if each.alias]
    return any(map(is_time_like, names))


_AVERAGED = lazy(r"\b(?:average|avg|mean|rate)\b")


def _needs_no_group(case: Case) -> bool:
    """Whether values of periods stand side by side, are divided by the number of periods, or periods are counted."""
    sql = case.sql
    if sql.windows or divides(case) or _AVERAGED.search(asked(case)) is not None:
        return True
    return any(each.conditional or each.distinct or each.func == "AVG" for each in sql.aggregations)


def month_miswritten(case: Case) -> Finding | None:
    """A month is written with the code of minutes, or sums and rows follow the names of months.

    `%Y-%M` and `YYYY-MI` give the minute. By name, April comes first.

    >>> month_miswritten(case("Total fares by month", "SELECT strftime('%Y-%M', flown_at), SUM(fare) FROM trips "
    ...     "GROUP BY 1")).strength
    1.0
    """
    minute = first(case, ShapeKind.MINUTE_FOR_MONTH)
    if minute is not None and "minute" not in said(case):
        return Finding(1.0, minute.text)
    named = first(case, ShapeKind.MONTH_NAME_ORDER)
    if named is None or "alphabet" in said(case):
        return None
    running = bool(RUNNING.search(asked(case))) or first(case, ShapeKind.NEIGHBOUR) is not None
    return Finding(1.0 if running else 0.5, named.text)


_LAST_DAYS = lazy(r"\b(?:last|past) (\d+) (day|week|month|hour|year)s\b")


def rows_for_days(case: Case) -> Finding | None:
    """The last N days are asked for, and the SQL takes the last N rows.

    A day may have many rows or none.

    >>> rows_for_days(case("Total fares of the last 7 days",
    ...     "SELECT SUM(fare) FROM (SELECT fare FROM trips ORDER BY flown_at DESC LIMIT 7) t")).detail
    'LIMIT 7 for the last 7 days'
    """
    counted = rows_for_number_of_days(case)
    return Finding(1.0, counted) if counted is not None else _last_rows(case)


def _last_rows(case: Case) -> Finding | None:
    span = _LAST_DAYS.search(asked(case)) if case.sql.order_by and case.sql.limits else None
    if span is None:
        return None
    cut = next((each for each in case.sql.limits if each.count == int(span[1])), None)
    if cut is None:
        return None
    timed = any(is_time_like(column.name) for each in case.sql.filters if each.lhs for column in each.lhs.columns)
    grouped = first(case, ShapeKind.GRAIN) is not None or MADE_ROWS.search(case.written) is not None
    return None if timed or grouped else Finding(1.0, f"LIMIT {cut.count} for the {span.group()}")


_MONTHLY = lazy(r"\b(?:per|by|each|every) month\b|\bmonthly\b|\bmonth (?:by|over|on) month\b")
_OF_YEAR = lazy(
    r"\b(?:calendar month|(?:month|week|quarter|day) of (?:the )?(?:year|month)|days? of month|seasonal\w*"
    r"|(?:by|per|each|in) season|across (?:all )?years|regardless|combined|month name)\b"
)


def months_of_years_merged(case: Case) -> Finding | None:
    """A value for each month is asked for, and the same month of all years is one group.

    Half strength, as the table may hold one year; full where the rows are of more than one. Nor may the same quarter of
    several years be one, or the same day of several months.

    >>> months_of_years_merged(case("Trips per month",
    ...     "SELECT EXTRACT(MONTH FROM began_at), COUNT(*) FROM trips GROUP BY 1")).strength
    0.5
    """
    joined = months_joined(case)
    if joined is not None:
        return Finding(1.0, joined)
    groups = shapes(case, ShapeKind.GRAIN)
    counted = [each.conditional for each in case.sql.aggregations if not each.windowed]
    beside = bool(counted) and all(counted)
    if len(groups) != 1 or _OF_YEAR.search(asked(case)) or beside:
        return None  # years that stand beside each other are not merged
    return _merged(case) or _perhaps_merged(groups[0], case)


def _perhaps_merged(group: Shape, case: Case) -> Finding | None:
    """Months without their year, of rows that no condition keeps to a year."""
    text = said(case)
    if not _MONTHLY.search(asked(case)):
        return None
    if group.words != ("month", "part") or case.question.time_ranges or re.search(r"\b(?:19|20)\d\d\b", text):
        return None
    timed = any(isinstance(each.rhs, TimeRange) or "within" in each.text for each in case.sql.filters)
    yearly = any("year" in identifier_words(column.name) for column in case.sql.columns)
    return None if timed or yearly else Finding(0.5, group.text)


_NEXT = cue(
    "next coming upcoming",
    r"\b(?:in|within|during|over)? ?(?:the )?(?:next|coming|upcoming) (?:\d+|few|two|three) (?:day|week|month)s\b",
)
_PASSED = lazy(r"\b(?:overdue|already|or earlier|past due|by then|expired)\b")


def past_kept(case: Case) -> Finding | None:
    """The next days are asked for, and the SQL has no bound at today, so all of the past comes, too.

    >>> past_kept(case("Which routes end in the next 30 days?",
    ...     "SELECT id FROM routes WHERE end_date <= CURRENT_DATE + INTERVAL '30' DAY")).detail
    'end_date within now[None, 30) day'
    """
    gone = gone_kept(case)
    if gone is not None:
        return Finding(1.0, gone)
    if not _NEXT.search(asked(case)) or _PASSED.search(said(case)):
        return None
    timed = [each for each in case.sql.filters if isinstance(each.rhs, (RelativeTime, TimeRange))]
    odd = next((each for each in timed if _ends_later(each)), None)
    if odd is None or any(map(_tells_state, case.sql.filters)):
        return None
    return Finding(1.0, odd.text) if not any(_bounds_too(each, odd) for each in case.sql.filters) else None


def _bounds_too(each: SqlFilter, odd: SqlFilter) -> bool:
    """Whether another condition bounds the same column."""
    if each is odd or each.lhs is None or odd.lhs is None or each.op in (Op.NOT_NULL, Op.IS_NULL):
        return False
    return not set(each.lhs.columns).isdisjoint(odd.lhs.columns)


def _tells_state(each: SqlFilter) -> bool:
    """Whether a condition may say that something is not over yet: of a status, or that it is active or open."""
    words = {word for column in (each.lhs.columns if each.lhs else ()) for word in identifier_words(column.name)}
    return not words.isdisjoint(_STATES)


_STATES = frozenset("status state stage active open closed paid sts st stat".split())


def _ends_later(each: SqlFilter) -> bool:
    """Whether a filter keeps all that lies before a time to come."""
    return isinstance(each.rhs, RelativeTime) and each.rhs.start is None and (each.rhs.end or 0) > 1


_ALWAYS = cue(
    "lifetime life-time all-time all",
    r"\blife-?time\b|\ball[- ]time\b|\bsince (?:the beginning|we started|inception|launch)\b"
    r"|\bover all (?:the )?years\b",
)


def all_time_cut(case: Case) -> Finding | None:
    """The whole of the time is asked for, and the SQL keeps a part of it.

    >>> all_time_cut(case("Lifetime fares per pilot", "SELECT pilot, SUM(fare) FROM trips "
    ...     "WHERE day >= '2020-01-01' GROUP BY pilot")).detail
    'day within [2020-01-01, )'
    """
    cut = runs_from_cut(case)
    if cut is not None:
        return Finding(1.0, cut)
    if not _ALWAYS.search(asked(case)) or case.question.time_ranges or re.search(r"\b(?:19|20)\d\d\b", said(case)):
        return None
    timed = (each for each in case.filters.extra if isinstance(each.rhs, (RelativeTime, TimeRange)))
    odd = next((each for each in timed if each.rhs is not None and _has_start(each)), None)
    return Finding(1.0, odd.text) if odd is not None else None


def _has_start(each: SqlFilter) -> bool:
    return isinstance(each.rhs, (RelativeTime, TimeRange)) and each.rhs.start is not None


_LONGEST = {"month": 366, "quarter": 366, "week": 371, "day": 31}
"""Days after which a part of a date comes again."""


def _merged(case: Case) -> Finding | None:
    """Parts of dates without their year, where conditions keep rows for longer than until the part comes again."""
    group = shapes(case, ShapeKind.GRAIN)[0]
    longest = _LONGEST.get(group.words[0], 0) if group.words[1:] == ("part",) else 0
    days = max((days_kept(each, case.query.occurred_at) for each in case.sql.filters), default=0)
    yearly = any("year" in identifier_words(column.name) for column in case.sql.columns)
    parted = any(each.clause in _CONDITIONAL and 0 < days_kept(each, None) <= longest for each in case.sql.filters)
    return Finding(1.0, group.text) if longest and days > longest and not yearly and not parted else None


_CONDITIONAL = frozenset({Clause.CASE, Clause.FILTER})
