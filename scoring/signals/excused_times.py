"""Times of the SQL that only seem to be others than the one asked for."""

from __future__ import annotations

import re

from scoring.alignment.same_values import TIMES, Context, same_value
from scoring.patterns import lazy
from scoring.specification import Op
from scoring.values import DatePart, TimeRange, Value
from scoring.verdict import Case, FilterMatch

MADE_ROWS = lazy(
    r"generat(?:e_\w+|or)|sequence|recursive|spine|explode|connect\s+by|system\.numbers|\bnumbers\s*\("
    r"|union\s+all\s+select\s+(?:date|to_date|cast|timestamp)?\s*\(?\s*'\d{4}-",
    re.IGNORECASE,
)
"""What makes rows of its own: one for each day, say."""


def is_of_made_days(match: FilterMatch, case: Case) -> bool:
    """Whether rows of the very period are left out of days that the SQL makes: `days in june without a run`."""
    wanted, moment = match.required, case.query.occurred_at
    if wanted.op is not Op.WITHIN or MADE_ROWS.search(case.written) is None:
        return False
    if all(_begins_as(wanted.rhs, each.rhs) for each in match.present):
        return True  # the days that are made end where the period does
    context = Context(moment.replace(tzinfo=None) if moment is not None else None)
    return all(same_value(wanted.rhs, each.rhs, context) for each in match.present)


def _begins_as(wanted: Value | None, present: Value | None) -> bool:
    """Whether a time without an end begins with the month or the dates asked for."""
    if not isinstance(present, TimeRange) or present.end is not None or present.start is None:
        return False
    if isinstance(wanted, TimeRange):
        return wanted.start == present.start
    first = isinstance(wanted, DatePart) and wanted.part == "month" and wanted.value
    return first == present.start.month and present.start.day == 1


_AT_A_MOMENT = lazy(r"\bat (?:noon|midnight|\d{1,2}(?:[:.]\d\d)?\s?(?:am|pm|h|o'clock)?)\b", re.IGNORECASE)
_MOMENTS = lazy(r"'(\d{4}-\d\d-\d\d[ T]\d\d:\d\d)[^']{0,12}'")


def is_at_a_moment(match: FilterMatch, case: Case) -> bool:
    """Whether what lasted at a moment is asked for, and the SQL compares two times with that one moment."""
    if not isinstance(match.required.rhs, TIMES) or _AT_A_MOMENT.search(case.question.text) is None:
        return False
    moments = _MOMENTS.findall(case.written)
    return len(moments) > 1 and len(set(moments)) == 1


_NONE_LEFT_OUT = lazy(
    r"\b(?:skip|exclud\w+|excl|ignor\w+|drop|leave out|without|not)\b"
    r"[^.?!;]{0,30}\b(?:nothing|none|no)\b[^.?!;]{0,20}\Z"
)
"""A double negation before a time: `skip shows with nothing in january` are those that have something then."""


def is_kept(match: FilterMatch, case: Case) -> bool:
    """Whether things without rows in a time are left out, so that those with some are kept."""
    wanted = match.required
    return wanted.op is Op.NOT_WITHIN and _NONE_LEFT_OUT.search(case.asked, 0, wanted.start) is not None
