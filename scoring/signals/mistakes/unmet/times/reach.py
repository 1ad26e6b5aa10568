"""Signals about how far a time reaches: a day too many, days for hours, and what came after something else."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.mistakes.events import is_time
from scoring.signals.mistakes.wording import cue, spoken_in_full
from scoring.specification import Op, SqlFilter, SubqueryRole
from scoring.sql.shapes.naming import is_own_key, key_stems, table_words
from scoring.values import Expression, Number, RelativeTime, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words

_APART = lazy(r"(\w+) - (\w+)|(?:date|timestamp)diff\((\w+), (\w+)(?:, (\w+))?\)")
_BACK = lazy(r"(\w+) - (\d+)|subtractdays\((\w+), (\d+)\)|date\((\w+), '-(\d+) days?'\)")


def reaches_too_far(wanted: int, unit: str, case: Case) -> str | None:
    """Rows of N days with the current one are joined by their dates, and the first is N days before it.

    >>> reaches_too_far(7, "day", case("7 day average", "SELECT a.day, AVG(b.fare) FROM fares a JOIN fares b ON b.day "
    ...     "BETWEEN a.day - INTERVAL '7 days' AND a.day GROUP BY a.day"))
    'day - day <= 7'
    """
    beyond = rf"\b(?:plus|and|\+) (?:the )?{wanted} (?:\w+ )?(?:before|prior|preceding|previous)"
    if re.search(beyond, spoken_in_full(case)) is not None:
        return None
    equal = {each.lhs.name for each in case.sql.filters if _is_up_to_own(each) and each.lhs is not None}
    return next((each.text for each in case.sql.filters if _begins_before(each, wanted, unit, equal)), None)


def _begins_before(each: SqlFilter, wanted: int, unit: str, equal: set[str]) -> bool:
    """Whether the first row may lie N days before the current one."""
    name = each.lhs.name if each.lhs is not None else ""
    if isinstance(each.rhs, Expression):
        back = _BACK.fullmatch(each.rhs.text) if each.op is Op.GE and name in equal else None
        return back is not None and unit == "day" and {name, str(wanted)} <= {*back.groups()}
    apart = _APART.fullmatch(name) if isinstance(each.rhs, Number) else None
    if apart is None or not _are_apart(apart, unit, equal):
        return False
    return (_reach(each), getattr(each.rhs, "unit", None) or unit) == (wanted, unit)


def _are_apart(apart: re.Match[str], unit: str, equal: set[str]) -> bool:
    """Whether the times of two rows are taken from each other, and the later one is that of the current row."""
    if apart[1] is not None:
        return apart[1] == apart[2] and apart[1] in equal
    return apart[3] == apart[4] and (apart[5] or unit) == unit


def _reach(each: SqlFilter) -> float:
    """How far back a condition lets a row lie."""
    number = each.rhs.value if isinstance(each.rhs, Number) else 0.0
    return number if each.op is Op.LE else -number if each.op is Op.GE else 0.0


def _is_up_to_own(each: SqlFilter) -> bool:
    """Whether a row's time is compared with that of another row, and may be the same."""
    name = each.lhs.name if each.lhs is not None else ""
    return each.op is Op.LE and isinstance(each.rhs, Expression) and each.rhs.text == name


def reaches_back(case: Case) -> bool:
    """Whether rows are joined to others by how far their dates lie apart."""
    names = (each.lhs.name for each in case.sql.filters if each.lhs is not None and isinstance(each.rhs, Number))
    return any(apart[1] == apart[2] and apart[1] for name in names if (apart := _APART.fullmatch(name)) is not None)


_WITHIN_HOURS = cue(
    "hour hr 24h 48h 72h 96h",
    r"\b(?:within|in under|in less than|inside|in) (?:the )?(?:first )?(24|48|72|96)[- ]?(?:hours?|hrs?|h)\b",
)
_OF_DAYS = lazy(
    r"(?:ts_or_ds_|date_?|datetime_?|timestamp_?)diff\(.*\bday\)|datediff\(\w+, \w+\)"
    r"|(?:julianday\()?date\(.*\) - (?:julianday\()?date\(.*\)"
)
_DATES_APART = (
    r"\b{}\s*::\s*date\s*-\s*(?:\w+\.)?{}\s*::\s*date\b"
    r"|\b{}\s+as\s+date\s*\)\s*-\s*cast\s*\(\s*(?:\w+\.)?{}\s+as\s+date\b"
)
_MOMENTS = frozenset({"at", "ts", "tm", "time", "timestamp", "datetime"})


def days_for_hours(case: Case) -> str | None:
    """What took at most 48 hours is asked for, and the dates lie at most two days apart, which is up to 72.

    >>> days_for_hours(case("Bags found within 48 hours", "SELECT id FROM bags WHERE DATEDIFF(found_at, lost_at) <= 2"))
    'within 48 hours: datediff(found_at, lost_at) <= 2'
    """
    found = _WITHIN_HOURS.search(case.asked)
    days = int(found[1]) // 24 if found is not None else 0
    for each in case.sql.filters if found is not None else ():
        bound = each.op is Op.LE and isinstance(each.rhs, Number) and each.rhs.value == days
        if found is not None and bound and _is_in_days(each, case):
            return f"{found.group()}: {each.text}"
    return None


def _is_in_days(each: SqlFilter, case: Case) -> bool:
    """Whether whole days between two moments are bounded."""
    columns = each.lhs.columns if each.lhs is not None else ()
    if each.lhs is None or len(columns) != 2 or any(_MOMENTS.isdisjoint(identifier_words(one.name)) for one in columns):
        return False
    end, start = (re.escape(one.name) for one in columns)
    cast = _DATES_APART.format(end, start, end, start)
    return _OF_DAYS.fullmatch(each.lhs.name) is not None or re.search(cast, case.written, re.IGNORECASE) is not None


_AFTER_THAT = cue(
    "after afterwards later then",
    r"\band (?:then |only then )?(?:\w+ed|bought|paid|took|made|came|got|gave|went|sold|saw|left|won|had|did|rode|flew"
    r"|sent|spent|chose) (?:\w+ ){0,5}(?:after (?:that|it)\b|afterwards?\b|later on\b)"
    r"|\band (?:only )?(?:then|afterwards?|later) (?:\w+ )?(?:bought|ordered|booked|paid|joined|took|made|came|gave"
    r"|subscribed|signed|upgraded|rented|donated|visited|returned)\b",
)
_FIXED = lazy(r"\b(?:after|since) (?:that|it),? (?:date|day|month|year|week)\b|\bexists\b")
_TIMED = lazy(r"\b(?:min|max|lag|lead|row_number|rank|first_value|last_value|asof|match_recognize|windowfunnel)\b")


def order_untested(case: Case) -> str | None:
    """Who did one thing and another after that is asked for, and nothing compares the times of the two.

    >>> order_untested(case("Pilots who took a test flight and bought a kite after that",
    ...     "SELECT pilot FROM flights WHERE kind = 'test' INTERSECT SELECT pilot FROM kite_sales"))
    'and bought a kite after that: no two times are compared'
    """
    found, sql = _AFTER_THAT.search(case.asked), case.sql
    if found is None or _FIXED.search(case.asked) is not None or _compares(case):
        return None
    united = any(each.kind.startswith("intersect") for each in sql.set_operations)
    inside = [each for each in sql.subqueries if each.role in (SubqueryRole.IN, SubqueryRole.EXISTS)]
    tables = {table for block in sql.blocks for table in block.tables}
    both = united or len(inside) > 1 or _joins_events(case)
    return f"{found.group()}: no two times are compared" if both and len(tables) > 1 else None


def _joins_events(case: Case) -> bool:
    """Whether two tables of what happened to somebody are joined by the key of that person."""
    if len(case.sql.blocks) > 1 or any(each.kind not in ("inner", "comma") for each in case.sql.joins):
        return False
    keys: dict[tuple[str, ...], set[str]] = {}
    for column in (column for join in case.sql.joins for pair in join.pairs for column in pair):
        stems = key_stems(column.name)
        if (
            stems
            and column.table is not None
            and not is_own_key(column)
            and table_words(column.table)[-1:] != stems[-1:]
        ):
            keys.setdefault(stems[-1:], set()).add(column.table)
    return any(len(tables) > 1 for tables in keys.values())


def _compares(case: Case) -> bool:
    """Whether times may be compared: of two rows, of two tables, by their first or last, or by different periods."""
    sql = case.sql
    spans = {each.rhs for each in sql.filters if isinstance(each.rhs, TimeRange | RelativeTime)}
    if len(spans) > 1 or sql.windows or any(each.bound for each in sql.joins):
        return True
    if _TIMED.search(case.written.casefold()) is not None:
        return True
    return any(_is_of_two(each) for each in sql.filters)


def _is_of_two(each: SqlFilter) -> bool:
    """Whether a condition compares a time with something else than a text or a period."""
    timed = each.lhs is not None and any(is_time(column.name) for column in each.lhs.columns)
    return timed and isinstance(each.rhs, Expression | Number)
