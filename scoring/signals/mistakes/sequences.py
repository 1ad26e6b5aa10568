"""Signals about days that follow each other, stretches of time that overlap, weekends and hours."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding, differing
from scoring.signals.mistakes.events import is_time
from scoring.signals.mistakes.unmet.times.moments import moment_missed, part_counted_whole
from scoring.signals.mistakes.unmet.times.reach import order_untested
from scoring.signals.mistakes.windows import RUNNING
from scoring.signals.mistakes.wording import asked, cue, first, said, shapes
from scoring.specification import Clause, Op, SqlFilter
from scoring.specification.shapes import ShapeKind
from scoring.values import Number, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words

_STREAK = lazy(
    r"\b(?:days?|weeks?|months?|years?|quarters?|nights?)\b[^.?]{0,15}\b(?:in a row|running|on end)\b"
    r"|\bconsecutive(?:ly)? (?:\w+ )?(?:days|weeks|months|years|quarters|nights)\b|\b(?:daily|day|login"
    r"|activity) streaks?\b"
    r"|\bstreaks? of (?:\w+ ){0,3}(?:days|weeks|months)\b|\bback[- ]to[- ]back (?:days|weeks|months)\b"
)


_RUN_OF = lazy(r"\b\d+ (?:or more |\+ )?(?:\w+[ -]){0,2}\w+s in a row\b")


def _run_asked(case: Case) -> re.Match[str] | None:
    """The words that ask for a run of days, or of things where no window looks at the rows beside."""
    if RUNNING.search(asked(case)) is not None:
        return None
    return _STREAK.search(asked(case)) or (_RUN_OF.search(asked(case)) if not case.sql.windows else None)


def streak_unchecked(case: Case) -> Finding | None:
    """Days in a row are asked for, and nothing tests that one follows upon the other.

    Three different days, or a third visit, may lie weeks apart. A row number over all rows does not count the days of
    one thing.

    >>> streak_unchecked(case("Pilots who flew 3 days in a row",
    ...     "SELECT pilot FROM flights GROUP BY pilot HAVING COUNT(DISTINCT day) >= 3")).detail
    'days in a row: no two days are compared'
    """
    found = _run_asked(case)
    if found is None:
        loose = order_untested(case)
        return Finding(1.0, loose) if loose is not None else None
    steps = shapes(case, ShapeKind.STEP)
    if not steps:
        compared = any(each.bound for each in case.sql.joins) or any(each.correlated for each in case.sql.subqueries)
        return None if compared else Finding(1.0, f"{found.group()}: no two days are compared")
    alone = next((each.text for each in steps if each.words), None)
    grouped = max((_keys_of(each.block, case) for each in case.sql.group_by), default=0) > 1
    return Finding(1.0, f"{alone}: no PARTITION BY") if alone is not None and grouped else None


def _keys_of(block: str, case: Case) -> int:
    """By how many keys a block groups."""
    return sum(each.block == block for each in case.sql.group_by)


_OVERLAPS = lazy(r"\b(?:overlap\w*|clash\w*|conflict\w*|double[- ]book\w*)\b")
_IN_FORCE = lazy(
    r"\b(?:in force|active|valid|open|in house|employed|live|running|effective|subscribed|covered|insured"
    r"|on loan|rented"
    r"|occupied|booked)\b[^.?]{0,20}\b(?:on|at|as of|as at)\b"
)
_STARTS = frozenset("start from begin began arrival arrive in checkin pickup hire join effective since open".split())
_ENDS = frozenset("end to until till expiry expire departure depart out checkout return due close leave left".split())


def overlap_missed(case: Case) -> Finding | None:
    """What overlaps a time is asked for, and only what begins, ends or lies in it is found.

    A booking that began before and ends after is missed. It begins before the end and ends after the beginning.

    >>> overlap_missed(case("How many cards were valid on 1 May 2020?", "SELECT COUNT(*) FROM cards WHERE start_date "
    ...     "<= '2020-05-01' AND end_date BETWEEN '2020-01-01' AND '2020-05-01'")).detail
    'end_date within [2020-01-01, 2020-05-02)'
    """
    text, whole = asked(case), part_counted_whole(case)
    if whole is not None:
        return Finding(1.0, whole)
    sides = _sides(case)
    if _OVERLAPS.search(text):
        return _lies_between(sides) or _ends_equal(case)
    if sides is None:
        return moment_missed(case)
    start, end = sides
    if _AT_ANY.search(text) is not None and start.alternative is None:
        return _within(start, end)
    if end.alternative is not None:
        alone = end.alternative == start.alternative and not re.search(r"\b(?:or|either)\b", text)
        return Finding(1.0, f"{start.text} or {end.text}") if alone else None
    return Finding(1.0, end.text) if _is_missed(text, start, end) else None


def _is_missed(text: str, start: SqlFilter, end: SqlFilter) -> bool:
    """Whether the SQL misses what is in force, or taken, for longer than the time."""
    in_force = _IN_FORCE.search(text) is not None and _ends_by(end)
    return in_force or (_FREE.search(text) is not None and _lies_within(start, end))


def _within(start: SqlFilter, end: SqlFilter) -> Finding | None:
    return Finding(1.0, f"{start.text} and {end.text}") if _lies_within(start, end) else None


_AT_ANY = lazy(r"\bat (?:any|some) (?:time|point|moment)\b")
_FREE = lazy(r"\b(?:free|available|availability|vacant|bookable|not booked|unbooked|taken)\b")


def _lies_within(start: SqlFilter, end: SqlFilter) -> bool:
    """Whether only what begins and ends within a stretch of time is found, as `in >= '2026-08-10' AND out <= …`."""
    one, other = start.rhs, end.rhs
    if not isinstance(one, TimeRange) or not isinstance(other, TimeRange):
        return False
    return one.end is None and other.start is None and one.start is not None and other.end is not None


def _lies_between(sides: tuple[SqlFilter, SqlFilter] | None) -> Finding | None:
    """The beginning and the end are both to lie between the same times, where an overlap is enough."""
    spans = [each.rhs for each in sides or () if isinstance(each.rhs, TimeRange)]
    within = len(spans) == 2 and all(each.start is not None and each.end is not None for each in spans)
    return Finding(1.0, f"{sides[0].text} and {sides[1].text}") if sides is not None and within else None


def _sides(case: Case) -> tuple[SqlFilter, SqlFilter] | None:
    """The tests of when a stretch of time begins and when it ends, where a block has one of each."""
    timed = [each for each in case.sql.filters if each.op is Op.WITHIN and each.clause is Clause.WHERE]
    ends = [each for each in timed if _is_side(each, _ENDS)]
    starts = [each for each in timed if each not in ends and _is_side(each, _STARTS)]
    if len(ends) != 1 or len(starts) != 1 or ends[0].block != starts[0].block:
        return None
    return starts[0], ends[0]


def _is_side(each: SqlFilter, words: frozenset[str]) -> bool:
    """Whether a filter tests one column that is named like a side of a stretch of time."""
    columns = each.lhs.columns if each.lhs is not None else ()
    if len(columns) != 1 or not isinstance(each.rhs, TimeRange):
        return False
    return not words.isdisjoint((*columns[0].name.split("_"), *identifier_words(columns[0].name)))


def _ends_by(each: SqlFilter) -> bool:
    """Whether a filter keeps what lies before a time."""
    return isinstance(each.rhs, TimeRange) and each.rhs.end is not None


_SPANS = lazy(r"\bbetween\b|\boverlaps\b|range\(|&&", re.IGNORECASE)


def _ends_equal(case: Case) -> Finding | None:
    """Two rows overlap only if their times are equal."""
    pair = first(case, ShapeKind.SELF_PAIR)
    timed = any(is_time(side.name) for each in shapes(case, ShapeKind.COLUMNS_COMPARED) for side in each.columns)
    if pair is None or timed or _SPANS.search(case.written):
        return None
    equal = [column.name for column in pair.columns if is_time(column.name)]
    return Finding(1.0, f"equal {', '.join(equal)}") if equal else None


_WEEKDAYS = lazy(
    r"(dayofweek_?iso|dayofweek|isodow|todayofweek|weekday|\bdow\b|\bdw\b|%w"
    r"|%u)[^=<>]{0,60}?(?:\bin\s*\(([\d', ]+)\)|=\s*'?(\d)\b)"
    r"|(dayofweek_?iso|dayofweek|isodow|todayofweek|weekday|\bdow\b|\bdw\b|%w|%u)[^=<>]{0,60}?>=\s*'?([5-7])\b",
    re.IGNORECASE,
)
_SUNDAY_FIRST = frozenset({1, 7})
_SUNDAY_ZERO = frozenset({0, 6})
_MONDAY_FIRST = frozenset({6, 7})
_MONDAY_ZERO = frozenset({5, 6})
_NUMBERED = {
    "isodow": _MONDAY_FIRST,
    "dayofweekiso": _MONDAY_FIRST,
    "todayofweek": _MONDAY_FIRST,
    "%u": _MONDAY_FIRST,
    "%w": _SUNDAY_ZERO,
    "dow": _SUNDAY_ZERO,
    "dw": _SUNDAY_FIRST,
}


def weekend_misnumbered(case: Case) -> Finding | None:
    """A weekend or a weekday is asked for, and the SQL takes others by the numbers that its dialect gives to weekdays.

    MySQL's DAYOFWEEK counts from Sunday as 1, so Saturday and Sunday are 7 and 1.

    >>> weekend_misnumbered(case("How many trips on weekends?",
    ...     "SELECT COUNT(*) FROM trips WHERE strftime('%w', day) IN ('6', '7')")).detail
    'expected → actual: 0, 6 → 6, 7'
    """
    named = _misnamed(case)
    if named is not None:
        return named
    days = frozenset({"sat", "sun"}) if "weekend" in said(case) else _days_named(asked(case))
    matches = list(_WEEKDAYS.finditer(case.written)) if days else []
    if len(matches) != 1 or ("weekend" not in said(case) and _RANGE.search(said(case))):
        return None
    match = matches[0]
    weekend = _weekend(_numbering(match[1] or match[4], case.written), case.sql.dialect)
    given = _numbers_given(match, weekend)
    wanted = _numbers(days, weekend)
    if not wanted or len(given) != len(wanted) or given == wanted:
        return None
    return differing(", ".join(map(str, sorted(wanted))), ", ".join(map(str, sorted(given))))


def _numbers_given(match: re.Match[str], weekend: frozenset[int]) -> frozenset[int]:
    """The numbers of weekdays that a condition keeps: those of a list, one, or all from one on."""
    if match[5]:
        return frozenset(range(int(match[5]), max(weekend, default=0) + 1))
    return frozenset(map(int, re.findall(r"\d", match[2] or match[3])))


_NUMBERING = lazy(r"\b(dayofweek_?iso|dayofweek|isodow|todayofweek|weekday)\b", re.IGNORECASE)


def _numbering(function: str, sql: str) -> str:
    """The function that numbers the days, where a column is named like another: `EXTRACT(DAYOFWEEK …) AS dow`."""
    if re.search(rf"\bas\s+{re.escape(function)}\b", sql, re.IGNORECASE) is not None:
        functions = {each.casefold() for each in _NUMBERING.findall(sql)} - {function.casefold()}
        function = functions.pop() if len(functions) == 1 else ""
    return function.casefold().replace("_", "")


_NAMED_DAYS = lazy(
    r"(dayofweek_?iso|dayofweek|isodow|todayofweek|weekday|\bdow\b|\bdw\b|%w|%u)\b(?:(?!\bwhen\b).){0,60}"
    r"((?:\s*\bwhen\s+'?\d'?\s+then\s+'[a-z]+'){3,7})",
    re.IGNORECASE | re.DOTALL,
)
_NAMED_DAY = lazy(r"(\d)'?\s+then\s+'(mon|tue|wed|thu|fri|sat|sun)", re.IGNORECASE)


def _misnamed(case: Case) -> Finding | None:
    """A number of a weekday is shown under the name of another day."""
    found = _NAMED_DAYS.search(case.written)
    if found is None or re.search(rf"\bas\s+{re.escape(found[1])}\b", case.written, re.IGNORECASE) is not None:
        return None  # an alias says nothing of how its days are numbered
    weekend = _weekend(found[1].casefold().replace("_", ""), case.sql.dialect)
    for number, day in _NAMED_DAY.findall(found[2]):
        wanted = _numbers(frozenset({day.casefold()}), weekend)
        if wanted and int(number) not in wanted:
            return Finding(1.0, f"{number} is shown as {day.casefold()}, which is {min(wanted)}")
    return None


_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY = cue(
    "mon tue wed thu fri sat sun",
    r"\b(mon(?=days?\b|\b)|tue(?=sdays?\b|s?\b)|wed(?=nesdays?\b|\b)|thu(?=rsdays?\b|rs?\b)|fri(?=days?\b|\b)"
    r"|sat(?=urdays?\b|\b)|sun(?=days?\b|\b))",
)
_RANGE = lazy(
    r"\bweekdays?\b|\b(?:mon|tue|wed|thu|fri)[a-z]* ?(?:-|to|through|thru|until) ?(?:mon|tue|wed|thu|fri|sat|sun)"
)


def _days_named(text: str) -> frozenset[str]:
    """The days of the week that a text names."""
    return frozenset(match[1] for match in _DAY.matches(text))


def _numbers(days: frozenset[str], weekend: frozenset[int]) -> frozenset[int]:
    """The numbers of days, where those of Saturday and Sunday are known; none where they are not."""
    first = {_SUNDAY_FIRST: 2, _SUNDAY_ZERO: 1, _MONDAY_FIRST: 1, _MONDAY_ZERO: 0}.get(weekend)
    if first is None:
        return frozenset()
    numbers = {day: first + place for place, day in enumerate(_DAYS)}
    numbers["sun"] = min(weekend) if weekend in (_SUNDAY_FIRST, _SUNDAY_ZERO) else max(weekend)
    return frozenset(numbers[day] for day in days)


def _weekend(function: str, dialect: str) -> frozenset[int]:
    """The numbers of Saturday and Sunday; none where they depend on settings."""
    if function == "dayofweek":
        return _SUNDAY_ZERO if dialect in ("snowflake", "duckdb") else _SUNDAY_FIRST
    if function == "weekday":
        known = {"mysql": _MONDAY_ZERO, "spark": _MONDAY_ZERO, "databricks": _MONDAY_ZERO, "tsql": _SUNDAY_FIRST}
        return known.get(dialect, frozenset())
    return _NUMBERED.get(function, frozenset())


_CLOCK = lazy(r"\b(after|from|since|past|before|until|by) (\d{1,2})(?::?00)? ?(am|pm|h\b|o'clock)")


def _in_the_morning(hour: int, case: Case) -> Finding | None:
    """An hour after noon that is compared by its number in the morning: `>= 10` for 10 pm."""
    if not 0 < hour < _NOON:
        return None
    odd = (each for each in case.sql.filters if each.rhs == Number(hour) and each.op in _BEYOND and _is_hour(each))
    return next((Finding(1.0, f"{each.text} for {hour} pm") for each in odd), None)


def _is_hour(each: SqlFilter) -> bool:
    name = each.lhs.name if each.lhs is not None else ""
    return name.startswith(("hour(", "extract(hour", "datepart(hour"))


_NOON = 12
_BEYOND = frozenset({Op.GT, Op.GE, Op.LT, Op.LE})


def hour_shifted(case: Case) -> Finding | None:
    """A time of day is asked for, and the SQL bounds the hour one too late.

    After 6 pm begins at 18:00, which has the hour 18; `> 18` begins at 19:00. Before 9, the hour is at most 8.

    >>> hour_shifted(case("How many trips began after 6 pm?",
    ...     "SELECT COUNT(*) FROM trips WHERE EXTRACT(HOUR FROM began_at) > 18")).detail
    'hour(began_at) > 18'
    """
    found = _CLOCK.search(asked(case))
    if found is None:
        return _hour_after(case)
    hour = int(found[2]) % 12 + 12 if found[3] == "pm" else int(found[2])
    early = _in_the_morning(int(found[2]), case) if found[3] == "pm" else None
    if early is not None:
        return early
    late = Op.GT if found[1] in ("after", "from", "since", "past") else Op.LE
    for each in case.sql.filters:
        if each.op is late and each.rhs == Number(hour) and _is_hour(each):
            return Finding(1.0, each.text)
    return None


_BETWEEN_HOURS = cue("am pm", r"\b(?:between|from) (\d{1,2}) ?(am|pm)? ?(?:and|to|until|till|-) ?(\d{1,2}) ?(am|pm)\b")


def _hour_after(case: Case) -> Finding | None:
    """Between 6 and 9 pm ends at 21:00, and the SQL keeps the hour that begins then."""
    found = _BETWEEN_HOURS.search(asked(case))
    if found is None:
        return None
    halves = (int(found[1]), found[2] or found[4]), (int(found[3]), found[4])
    start, end = (hour % 12 + 12 * (half == "pm") for hour, half in halves)
    kept = re.search(rf"\bbetween\s+'?0?{start}'?\s+and\s+'?0?{end}'?(?![:\d])", case.written, re.IGNORECASE)
    return Finding(1.0, f"{kept.group().lower()} keeps the hour after {end}:00") if kept is not None else None
