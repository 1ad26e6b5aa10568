"""Signals about periods: the last day that a range of moments cuts, a month or quarter of any year."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TypeAlias

from scoring.alignment.apart import is_day, is_month, is_moved, time_range
from scoring.alignment.left_out import anti_joined_blocks, excluded_blocks
from scoring.alignment.matching import CERTAIN
from scoring.alignment.same_values import TIMES
from scoring.display import show_filter, show_match
from scoring.patterns import lazy
from scoring.signals.cutting import RANKING
from scoring.signals.finding import EXPECTED_ACTUAL, Finding, differing
from scoring.signals.keys import one_sides
from scoring.signals.mistakes.wording import asks_nothing_since
from scoring.signals.spans import last_day_left_out
from scoring.specification import Clause, Op, SqlFilter, Void, VoidKind
from scoring.values import Choices, DatePart, RelativeTime, TimeRange, Value
from scoring.verdict import Case
from scoring.words import identifier_words

_OF_STATE = lazy(r"\bas of\b|\bat (?:the )?(?:end|close|start|beginning) of\b", re.IGNORECASE)
"""Words after which a date says when a state is looked at."""
_MOMENT_WORDS = frozenset({"at", "ts", "time", "timestamp", "datetime", "dtm"})


def last_day_cut(case: Case) -> Finding | None:
    """A range of moments ends with a date, so it has only midnight of its last day.

    `BETWEEN '2026-05-01' AND '2026-05-31'` ends where May 31 begins. It is right for a column of dates; a column counts
    as one of moments by its name (`sold_at`, `start_ts`) or where the SQL takes the date or the hour of it. Nor may a
    range end where the last of the days that are named begins: `from 1 to 15 May` and `< '2026-05-15'`.

    >>> last_day_cut(case("Rides in May 2026",
    ...     "SELECT id FROM rides WHERE begun_at BETWEEN '2026-05-01' AND '2026-05-31'")).detail
    "begun_at <= '2026-05-31'"
    """
    days = [void for void in case.sql.voids if void.kind is VoidKind.LAST_DAY]
    if _OF_STATE.search(case.asked):
        return None
    found = next((void for void in days if _holds_moments(void.values[0], case) and _is_asked(void, case)), None)
    return Finding(1.0, found.text) if found is not None else last_day_left_out(case)


def _holds_moments(column: str, case: Case) -> bool:
    """Whether a column's name or its use says that it has a time of day."""
    if not _MOMENT_WORDS.isdisjoint(identifier_words(column)[-1:]):
        return True
    name = re.escape(column)
    own = rf"(?:\w+\.)?{name}\b"
    used = (
        rf"\bdate\s*\(\s*{own}\s*(?:\)|,\s*'[a-z]+/)|\b{name}\s*(?:::\s*date\b|at\s+time\s+zone)|\bhour\s+from\s+{own}"
    )
    return re.search(used, case.written, re.IGNORECASE) is not None


def _is_asked(void: Void, case: Case) -> bool:
    """Whether the day is over and belongs to the period asked for: one that is met ends with it, or a month does."""
    after = datetime.fromisoformat(void.values[1]) + timedelta(days=1)
    now = case.query.occurred_at
    if now is not None and after > now.replace(tzinfo=None):
        return False
    met = [each.rhs for match in case.filters.matched for each in match.present]
    return after.day == 1 or any(isinstance(rhs, TimeRange) and rhs.end == after for rhs in met)


_RECURRING = lazy(
    r"\b(?:every|each|any|all) (?:the |other |single |given |of the |past )?(?:years?|months?|quarters?|seasons?"
    r"|times?|summers?|winters?|autumns?|springs?|easters?|christmas\w*|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"|\b(?:always|typical\w*|usual\w*|season\w*|annual\w*|yearly|years|ever|birthdays?|anniversar\w*|born)\b",
    re.IGNORECASE,
)
_YEAR = lazy(r"year|\b(?:19|20)\d\d\b|yy|%y|trunc|strftime|to_char|format", re.IGNORECASE)


_PART_OF_NOW = lazy(
    r"=\s*(?:(?:datepart|date_part)\s*\(\s*'?(?:iso_?)?|extract\s*\(\s*)?(week|month|quarter|wk|ww|mm|qq)(?:ofyear)?'?"
    r"\s*(?:\(|,|from)\s*(?:date_?add\s*\([^()]*,\s*)?(?:getdate|curdate|now|sysdate|current_date|current_timestamp)\b",
    re.IGNORECASE,
)
"""The number of this week, month or quarter, with which that of a column is compared."""


def period_without_year(case: Case) -> Finding | None:
    """The question means a month or quarter of one year, and the SQL takes it of every year.

    `in October` is the last one. `MONTH(d) = 10` adds those of earlier years, as soon as the table has any. It counts
    only where it is known when the question was asked, and the question speaks of no years.

    >>> period_without_year(case("How many rides were there last month?",
    ...     "SELECT COUNT(*) FROM rides WHERE MONTH(begun_at) = 4", asked="2026-05-09")).detail
    'of every year: begun_at within month 4'
    """
    if case.query.occurred_at is None or _RECURRING.search(case.question.text):
        return None
    part = _PART_OF_NOW.search(case.written)
    if part is not None and not _YEAR.search(case.written):
        return Finding(1.0, f"of every year: the {part[1].lower()} of now")
    found = _of_every_year(case) if any(map(_recurs, case.sql.filters)) and not _names_year(case) else None
    return Finding(1.0, f"of every year: {show_filter(found)}") if found is not None else None


def _of_every_year(case: Case) -> SqlFilter | None:
    """The condition on a month or quarter of every year, which stands for one of one year."""
    matches = (*case.filters.matched, *case.filters.mismatched)
    met = [(match.required.rhs, each) for match in matches for each in match.present]
    found = next((each for asked, each in met if _is_of_one_year(asked) and _recurs(each)), None)
    return found or next((each for each in case.sql.filters if _recurs(each) and _has_year(each.rhs, case)), None)


def _has_year(part: Value | None, case: Case) -> bool:
    """Whether the rewritten question says of which year a month is."""
    if not isinstance(part, DatePart) or part.part != "month":
        return False
    told = [time.start for time in case.enriched.time_ranges if isinstance(time, TimeRange)]
    return any(start is not None and start.month == part.value for start in told)


def _is_of_one_year(asked: Value | None) -> bool:
    if isinstance(asked, DatePart):
        return asked.part in ("month", "quarter")
    return isinstance(asked, (TimeRange, RelativeTime))


def _recurs(each: SqlFilter) -> bool:
    return isinstance(each.rhs, DatePart) and each.rhs.part in ("month", "quarter") and each.rhs.value > 0


def _names_year(case: Case) -> bool:
    """Whether a condition, a group or an output of the SQL has a year."""
    if any(isinstance(each.rhs, (TimeRange, RelativeTime)) for each in case.sql.filters):
        return True
    shown = [key.operand.name for key in case.sql.group_by]
    shown += [each.operand.name for each in case.sql.projections]
    shown += [str(each.rhs) for each in case.sql.filters if not isinstance(each.rhs, DatePart)]
    return any(_YEAR.search(text) for text in shown)


def older_rows(case: Case) -> SqlFilter | None:
    """Who has done nothing since a time is asked for, and any older deed is enough: `ordered_at < '2026-06-01'`."""
    one = one_sides(case) if asks_nothing_since(case) and not case.sql.having else frozenset[str]()
    return next((each for each in case.sql.filters if one and _keeps_older(each, one)), None)


def _keeps_older(each: SqlFilter, one: frozenset[str]) -> bool:
    """Whether WHERE keeps the rows before a time of a table that may have several for each thing."""
    if each.op is not Op.WITHIN or each.clause is not Clause.WHERE or each.lhs is None or len(each.lhs.columns) != 1:
        return False
    column = each.lhs.columns[0]
    ends = isinstance(each.rhs, (RelativeTime, TimeRange)) and each.rhs.start is None
    return ends and column.table not in {None, *one} and _LATEST.isdisjoint(identifier_words(column.name))


_LATEST = frozenset({"last", "latest", "recent", "max"})


def unused_time(case: Case) -> str | None:
    """The time that the question asks for, where nothing in the SQL has any."""
    asked = [each for each in case.filters.missing if isinstance(each.rhs, TIMES) and each.certain >= CERTAIN]
    feast = _FEAST.search(case.asked)
    span = asked[0].span if asked else feast.group() if feast is not None else None
    if span is None or case.sql.parameters or any(isinstance(each.rhs, TIMES) for each in case.sql.filters):
        return None
    told = _ANY_TIME.search(case.written) or _STANDS_NOW.search(case.asked)
    return span if told is None else None


_FEAST = lazy(
    r"\b(?:since|before|after|over|during|on|until|till) (?:last |this )?"
    r"(?:easter|christmas|xmas|thanksgiving|black friday|cyber monday|new year|halloween|ramadan|diwali)\b"
)
"""A day or days that the reader of the question knows by no date."""


_ANY_TIME = lazy(
    r"(?:\b|_)(?:19|20)\d\d|current|\bnow\b|getdate|getutcdate|sysdate|today|yesterday|curdate|utc_|interval|date_?(?:add|sub|diff)"
    r"|age\s*\(|sequence|generat|recursive|[ymqw]td|(?:last|this|past|prev\w*|recent|rolling)_|\d+_?d(?:ays?)?\b"
    r"|\byear|\b(?:month|quarter|week|day)\w*\s*(?:\([^()]*\)\s*)?(?:[=<>]|in\b|between)|\b1[4-9]\d{8}(?:\d{3}){0,3}\b",
    re.IGNORECASE,
)
"""What may be the time asked for: a year, now, a length of time, a part that is compared, a column that holds it, the
time since 1970 in seconds or parts of them."""
_STANDS_NOW = lazy(r"\b(?:as of|still|so far|balance|stock|ever|current\w*|active|open|now)\b")


_STANDS = lazy(
    r"\bas of\b|\bat (?:the )?(?:end|close|start)\b|\bend of\b|\b(?:until|till|up to|before|prior|running|cumulative"
    r"|balance|stock|so far|to date|already|still|open|active|ever|growth|change|mom|wow|yoy|qoq|over)\b"
)
"""Words by which rows from before a period may count, too."""


_FISCAL = lazy(r"\bfiscal\b|\bfy ?\d|\bfinancial year\b")


def other_time(case: Case) -> Finding | None:
    """The SQL selects another time than the one asked for: no moment of it, as much elsewhere, or all before its end.

    As much elsewhere, as from 8 May to 8 June for May, is no other reading of a phrase, unless it ends now.
    """
    if excluded_blocks(case.sql) or anti_joined_blocks(case.sql):
        return None
    if any(each.func not in RANKING for each in case.sql.windows):
        return None
    now = case.query.occurred_at
    moment = now.replace(tzinfo=None) if now is not None else None
    for match in case.filters.mismatched:
        for each in match.present:
            within = match.required.op is each.op is Op.WITHIN and each.clause is not Clause.CASE
            if within and _is_elsewhere(match.required.rhs, each.rhs, moment, case):
                return Finding(1.0, f"{EXPECTED_ACTUAL}: {show_match(match)}")
    return _other_than_stated(moment, case)


def _other_than_stated(now: datetime | None, case: Case) -> Finding | None:
    """The times that the SQL tests lie elsewhere than the dates of the enriched question, or one has no start.

    Only times with two ends are held against the dates.
    """
    if case.enriched is case.question or _OF_STATE.search(case.said) is not None:
        return None
    told = [time for time in _stated(case) if isinstance(time, TimeRange) and time.start is not None]
    tested = [(each, time_range(each.rhs, None, now)) for each in case.sql.filters if each.op is Op.WITHIN]
    if not told or not tested:
        return None
    odd = _without_start(told, tested, case) or _elsewhere_than(told, tested, now, case)
    return differing(str(told[0]), show_filter(odd)) if odd is not None else None


_Tested: TypeAlias = list[tuple[SqlFilter, TimeRange | None]]
"""Conditions on times, with the range of each."""


def _without_start(told: list[TimeRange], tested: _Tested, case: Case) -> SqlFilter | None:
    """The only condition on a time, if it keeps everything before the end of a stated period."""
    lost = len(tested) == 1 and any(_lost_its_start(wanted, tested[0][1], case) for wanted in told)
    return tested[0][0] if lost else None


def _elsewhere_than(told: list[TimeRange], tested: _Tested, now: datetime | None, case: Case) -> SqlFilter | None:
    """The first condition with a start and an end, if every such condition lies outside the stated periods."""
    whole = [(each, time) for each, time in tested if time is not None and time.start and time.end]
    asked = [time_range(each.rhs, None, now) for each in case.question.filters]
    if not whole or any(time in asked for _, time in whole):
        return None
    elsewhere = all(_lies_elsewhere(wanted, time, now) for wanted in told for _, time in whole)
    return whole[0][0] if elsewhere else None


def _lost_its_start(wanted: TimeRange, there: TimeRange | None, case: Case) -> bool:
    """Whether all before the end of a period is kept, where the question is not of what stood at its end."""
    if there is None or there.start is not None or wanted.end != there.end or is_day(wanted):
        return False
    return _STANDS.search(case.said) is None and len(case.sql.blocks) == 1


def _lies_elsewhere(wanted: TimeRange, there: TimeRange, now: datetime | None) -> bool:
    """Whether they share no moment, or a month is moved. Of `within a week from 16 June` one day is read: no time."""
    if is_day(wanted) and not is_day(there):
        return False
    return not wanted.overlaps(there) or (is_month(wanted) and is_moved(wanted, there, now))


def _stated(case: Case) -> Iterator[Value | None]:
    """What the enriched question compares with."""
    for each in case.enriched.filters:
        yield from each.rhs.members if isinstance(each.rhs, Choices) else (each.rhs,)


def _names_dates(wanted: TimeRange, case: Case) -> bool:
    """Whether a text names the year by its number: then it is the calendar year."""
    return wanted.start is not None and str(wanted.start.year) in case.said


def _begins(start: datetime | None, case: Case) -> bool:
    """Whether another condition begins there: what ended after the start and began before the end was there between."""
    return any(isinstance(each.rhs, TimeRange) and each.rhs.start == start for each in case.sql.filters)


def _is_elsewhere(wanted: Value | None, there: Value | None, now: datetime | None, case: Case) -> bool:
    one, other = time_range(wanted, there, now), time_range(there, wanted, now)
    if one is None or other is None or _FISCAL.search(case.said) is not None:
        return False
    if any(time_range(time, there, now) == other for time in _stated(case)):
        return False
    if not one.overlaps(other) or is_moved(one, other, now, calendar=_names_dates(one, case)):
        return True
    endless = one.start is not None and other.start is None and one.end == other.end
    return endless and _STANDS.search(case.asked) is None and not _begins(one.start, case)
