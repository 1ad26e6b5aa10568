"""Signals about what is compared: two periods as far as today, or a year apart, and what came in and went out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.unmet.times.beside import (
    are_a_year_apart,
    compared_times,
    month_for_year,
    one_of_all_time,
    weekday_missed,
)
from scoring.signals.mistakes.wording import cue, shapes
from scoring.specification import Clause, SqlFilter
from scoring.specification.shapes import ShapeKind
from scoring.values import Choices, RelativeTime, TimeRange
from scoring.verdict import Case

_SAME_DAYS = cue(
    "same",
    r"\bsame (?:stretch|period|time|span|days|point|dates?)\b(?: of| in| as| a)?(?: the)? "
    r"(?:last|previous|prior|prev|one)?\.? ?"
    r"(?:(year|yr|fy|fiscal year|month|quarter|qtr|week)s?\b(?: before| earlier| ago)?)",
)
_WHOLE = {"month": 28, "quarter": 89, "qtr": 89, "week": 7}
"""Days from which a stretch is a whole period; a year's otherwise."""
_DAY_PARTS = lazy(
    r"\bday\s*\(|\bextract\s*\(\s*(?:day|doy|dayofyear)\b|dayof(?:year|month)|\bdoy\b|%j|%m-?%d|'?mm-?dd'?"
    r"|date_?part\s*\(\s*'?(?:day|doy|dy)\b|datepart\s*\(\s*(?:day|dy|dayofyear)\b",
    re.IGNORECASE,
)


def same_days_missed(case: Case) -> str | None:
    """The same days of an earlier period are asked for beside this one, and the earlier one comes whole.

    >>> same_days_missed(case("Fares this month vs the same days last month", "SELECT date_trunc('month', paid_on), "
    ...     "SUM(fare) FROM trips WHERE paid_on >= date_trunc('month', now()) - interval '1 month' GROUP BY 1"))
    'same days last month: the earlier period is whole'
    """
    found = _SAME_DAYS.search(case.asked)
    if found is None or _DAY_PARTS.search(case.written) is not None or case.sql.windows:
        return None
    times = [time for each in case.sql.filters for time in _times(each.rhs)]
    if _is_whole_before(times, _WHOLE.get(found[1], 360)):
        return f"{found.group()}: the earlier period is whole"
    if (
        not times
        or any(_is_cut(time, _WHOLE.get(found[1], 360)) for time in times)
        or _TO_DATE.search(case.written) is not None
    ):
        return None
    return f"{found.group()}: the earlier period is whole"


def _is_whole_before(times: Sequence[TimeRange | RelativeTime], whole: int) -> bool:
    """Whether a whole period ends where one begins that is cut short, and no part of the earlier one stands there."""
    spans = {(each.start, each.end) for each in times if isinstance(each, TimeRange)}
    spans = {(start, end) for start, end in spans if start is not None and end is not None}
    if len(spans) != len({*times}):
        return False
    cut = {start: end for start, end in spans if (end - start).days < whole}
    return any(end in cut and start not in cut and (end - start).days >= whole for start, end in spans)


_TO_DATE = lazy(
    r"<=?\s*(?:date\s*)?\(?(?:now\s*\(\)|current_date(?:\(\))?|current_timestamp(?:\(\))?|curdate\(\)|sysdate"
    r"|getdate\(\)|today\(\)|cast\(getdate\(\) as date\))\s*-"
    r"|<=?\s*(?:date_?sub|date_?add|dateadd|add_months|timestamp_sub|datetime_sub)\s*\("
    r"|\bbetween\b[^;]{1,160}\band\s+(?:date_?sub|date_?add|dateadd|add_months|timestamp_sub|datetime_sub)\s*\(",
    re.IGNORECASE,
)
"""A bound at today, a period earlier."""


def _times(rhs: object) -> Sequence[TimeRange | RelativeTime]:
    """The times that a condition keeps."""
    members = rhs.members if isinstance(rhs, Choices) else (rhs,)
    return [each for each in members if isinstance(each, TimeRange | RelativeTime)]


def _is_cut(time: TimeRange | RelativeTime, whole: int) -> bool:
    """Whether a time is less than a whole period, or begins or ends within a month."""
    if isinstance(time, RelativeTime):
        return not time.whole and time.end is not None and time.end < 0
    short = time.start is not None and time.end is not None and (time.end - time.start).days < whole
    return short or any(end is not None and end.day != 1 for end in (time.start, time.end))


_YEAR_APART = cue(
    "year yr yoy vs versus and to against",
    r"\b(?:a|one|1) (?:year|yr) (?:ago|earlier|before)\b|\bthe year before\b|\byoy\b|\byear[- ](?:on|over)[- ]year\b"
    r"|\bsame (?:month|quarter|week|time) (?:of |in )?(?:the )?(?:last|previous|prior) (?:year|yr)\b"
    r"|\b(?:vs\.?|versus|to|with|against|than|and|over) (?:in )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
    r"|q[1-4])[a-z]*\.? (?:of )?last (?:year|yr)\b"
    r"|\b(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* '?(?:20)?\d\d (?:vs\.?|versus|and|to|against"
    r"|compared (?:to|with)) (?P=month)[a-z]* '?(?:20)?\d\d\b",
)
_COMPARED = lazy(
    r"\b(?:compar\w+|vs\.?|versus|against|than|difference|diff|change|growth|yoy|over|on|beside|next to)\b"
)


def year_before_missed(case: Case) -> str | None:
    """A period is to be compared with the same one a year earlier, and the SQL sets another one beside it.

    Nor may a month stand beside twelve. Where the month before is asked for, the same one of the year before is wrong.

    >>> year_before_missed(case("Fares of january compared to january a year ago", "SELECT SUM(CASE WHEN day >= "
    ...     "'2020-01-01' AND day < '2020-02-01' THEN fare END), SUM(CASE WHEN day >= '2019-12-01' AND day < "
    ...     "'2020-01-01' THEN fare END) FROM trips"))
    'a year ago: [2019-12-01, 2020-01-01) beside [2020-01-01, 2020-02-01)'
    """
    found = _YEAR_APART.search(case.asked)
    if found is None or _COMPARED.search(case.asked) is None:
        return _month_before_missed(case)
    odd = month_for_year(case)
    if odd is not None:
        return f"{found.group()}: {odd}"
    if case.sql.shaped.get(ShapeKind.NEIGHBOUR):
        return None
    if _is_of_this_year(case):
        return f"{found.group()}: nothing of it is read"
    times = compared_times(case)
    if len(times) != 2 or are_a_year_apart(*times):
        return None
    return f"{found.group()}: {times[0]} beside {times[1]}"


_UNIT_BEFORE = cue(
    "before previous prior preceding",
    r"\bthe (?:month|quarter|week) before\b|\b(?:the|its) (?:previous|prior|preceding) (?:month|quarter|week)\b",
)


def _month_before_missed(case: Case) -> str | None:
    """The month or quarter before is to stand beside one, and the same one of the year before does."""
    found = _UNIT_BEFORE.search(case.asked)
    times = compared_times(case) if found is not None else []
    if found is None or len(times) != 2 or not are_a_year_apart(*times):
        return None
    return f"{found.group()}: {times[0]} beside {times[1]}"


def _is_of_this_year(case: Case) -> bool:
    """Whether WHERE keeps only times that begin within eleven months of the question, and nothing looks back."""
    now, sql = case.query.occurred_at, case.sql
    tested = [each for each in sql.filters if _times(each.rhs)]
    if now is None or not tested or len(sql.blocks) > 1 or sql.windows or sql.set_operations:
        return False
    plain = all(each.clause is Clause.WHERE for each in tested) and _ends_too(tested)
    first = min(filter(None, (_starts(each.rhs) for each in tested)), default=None)
    return plain and first is not None and (now.replace(tzinfo=None) - first).days < _ELEVEN_MONTHS


def _starts(rhs: object) -> datetime | None:
    return rhs.start if isinstance(rhs, TimeRange) else None


def _ends_too(tested: Sequence[SqlFilter]) -> bool:
    """Whether all times are ranges of dates, and each that has no end begins somewhere."""
    ranges = [each.rhs for each in tested if isinstance(each.rhs, TimeRange)]
    return len(ranges) == len(tested) and all(each.start is not None for each in ranges if each.end is None)


_ELEVEN_MONTHS = 330


def _whole_year_beside(case: Case) -> str | None:
    """A part of this year is to stand beside the same part of the last, and all of the last comes with it."""
    cut = any(each.clause is Clause.CASE or each.alternative is not None for each in case.sql.filters)
    times = [each for each in case.sql.filters if isinstance(each.rhs, TimeRange)]
    if cut or len(times) != 1 or _SAME_DAYS.search(case.asked) is None:
        return None
    rhs = times[0].rhs
    whole = isinstance(rhs, TimeRange) and rhs.start and rhs.end and (rhs.end - rhs.start).days > _A_YEAR
    return f"all of the last year: {times[0].text}" if whole else None


_A_YEAR = 367


def other_period(case: Case) -> Finding | None:
    """The first of these that is wrong with a comparison."""
    found = _whole_year_beside(case) or same_days_missed(case) or year_before_missed(case) or weekday_missed(case)
    found = found or one_of_all_time(case)
    return Finding(1.0, found) if found is not None else None


IN = frozenset(
    "in inbound incoming received arrive arriving arrival arrived got returned borrowed bought end ended".split()
)
OUT = frozenset(
    "out outbound outgoing sent leave depart departing departure departed lent gave given sold start started".split()
)
"""Words for what comes to a place or a person, and for what goes from there."""
_SIDE = rf"\b({'|'.join(sorted(IN | OUT))})\b"
_MORE_THAN = cue("than", rf"\bmore\b[^.?!,]{{0,40}}?{_SIDE}[^.?!,]{{0,12}}?\bthan\b[^.?!,]{{0,30}}?{_SIDE}")


def more_said(text: str) -> tuple[str, str] | None:
    """The word for what is more than the other one of what comes in and goes out, and the word for that.

    >>> more_said("depots where more vans came in than went out"), more_said("more in may than in june")
    (('in', 'out'), None)
    """
    found = _MORE_THAN.search(text)
    return (found[1], found[2]) if found is not None and (found[1] in IN) is not (found[2] in IN) else None


def more_of_other_side(case: Case) -> str | None:
    """More came in than went out is asked for, and the SQL keeps where more went out, or the other way round.

    >>> more_of_other_side(case("Depots where more vans came in than went out",
    ...     "SELECT depot FROM moves GROUP BY depot HAVING vans_out > vans_in"))
    'more in … than out: vans_out > vans_in'
    """
    said = more_said(case.asked)
    if said is None:
        return None
    more, less = (IN, OUT) if said[0] in IN else (OUT, IN)
    for shape in shapes(case, ShapeKind.COLUMNS_COMPARED):
        first, second = ({*column.name.split("_")} for column in shape.columns)
        if first & less and second & more and not first & more and not second & less:
            return f"more {said[0]} … than {said[1]}: {shape.text}"
    return None
