"""Signals about averages and records of a day or a month, where the groups are of other periods or of more things."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta

from scoring.patterns import lazy
from scoring.signals.mistakes.events import is_time
from scoring.signals.mistakes.unmet.ratios.means import asks_average
from scoring.signals.mistakes.wording import cue
from scoring.specification import Aggregation, Operand, SqlFilter
from scoring.sql.shapes.naming import key_stems, table_words
from scoring.values import Grain, RelativeTime, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_PER_PERIOD = cue(
    "day dai week month quarter year",
    r"\b(?:per|an?|each|every|one|single|normal|typical|usual|average|avg|mean) (day|week|month|quarter|year)\b"
    r"|\b(dai|week|month|quarter|year)ly\b",
)
_UNSCALED = r"(?:1(?:\.0)? \* )?{}(?: \* 1(?:\.0)?)?"
_CALENDAR = lazy(r"date|day|month|week|quarter|year|hour")
_COMPUTED = lazy(r"diff\(| % ")
_GRAINS = (
    ("month", re.compile(r"month|'mm'|%m|yyyy-mm'|yyyymm\b")),
    ("week", re.compile(r"week")),
    ("quarter", re.compile(r"quarter")),
    ("year", re.compile(r"year")),
    ("hour", re.compile(r"hour")),
)


def groups_of_other_period(case: Case) -> str | None:
    """An average per day or month is asked for, and totals of no day, or of each day for months, are averaged.

    >>> groups_of_other_period(case("How many flights does a pilot make on a normal day?",
    ...     "SELECT AVG(n) FROM (SELECT pilot_id, COUNT(*) AS n FROM flights GROUP BY pilot_id) t"))
    'AVG(count(*)) of each pilot_id, not of each day'
    """
    found = {match[1] or {"dai": "day"}.get(match[2], match[2]) for match in _PER_PERIOD.matches(case.asked)}
    if len(found) != 1 or not asks_average(case) or any(map(is_one_day, case.sql.filters)):
        return None
    period = found.pop()
    for mean, keys, shown in averaged_totals(case):
        names = ", ".join(key.name for key in keys)
        if _are_of_other_period(keys, period):
            return f"AVG({mean.column}) of each {names}, not of each {period}"
        if period == "day" and _splits_days(keys, shown, case):
            return f"AVG({mean.column}) of each {names}, not of each {period}"
    return None


def averaged_totals(case: Case) -> Iterator[tuple[Aggregation, list[Operand], set[str]]]:
    """The averages of totals of groups, with the keys of those groups, and the names of the keys of the average."""
    taken = [each for each in case.sql.aggregations if not each.windowed]
    totals = [each for each in taken if each.func in ("SUM", "COUNT")]
    for mean in taken:
        for each in totals if mean.func == "AVG" else ():
            if each.block != mean.block and _is_mean_of(mean, each):
                yield mean, _keys(each.block, case), {key.name for key in _keys(mean.block, case)}


def _keys(block: str, case: Case) -> list[Operand]:
    return [key.operand for key in case.sql.group_by if key.block == block]


def _is_mean_of(mean: Aggregation, total: Aggregation) -> bool:
    text = re.escape(f"{total.func.lower()}({'distinct ' if total.distinct else ''}{total.column})")
    return re.fullmatch(_UNSCALED.format(text), mean.column) is not None


def is_one_day(each: SqlFilter) -> bool:
    """Whether a condition keeps a single day, so that the total of a thing is one of that day."""
    if isinstance(each.rhs, RelativeTime):
        return each.rhs.unit is Grain.DAY
    if not isinstance(each.rhs, TimeRange) or each.rhs.start is None or each.rhs.end is None:
        return False
    return each.rhs.end - each.rhs.start <= timedelta(days=1)


def _are_of_other_period(keys: Sequence[Operand], period: str) -> bool:
    """Whether groups are of things alone for a day, of days for a longer period, or of longer periods for a day."""
    times = [key for key in keys if is_calendar(key)]
    if not times:
        return period == "day" and bool(keys) and all(key_stems(key.name) for key in keys)
    grains = {grain_of(key) for key in times}
    if grains == {"day"}:
        return period != "day"
    return period == "day" and not grains & {"day", "hour", ""}


def _splits_days(keys: Sequence[Operand], shown: set[str], case: Case) -> bool:
    """Whether days are split by a thing that nothing asks for, and that the average is not shown for."""
    others = [key for key in keys if not is_calendar(key)]
    if len(others) == len(keys):
        return False
    words = [key_stems(key.name) or () for key in others if key.name not in shown]
    return any(each and each[-1] not in case.asked for each in words)


def is_calendar(key: Operand) -> bool:
    """Whether rows are grouped by a time or a part of one."""
    return any(is_time(column.name) for column in key.columns) or _CALENDAR.search(key.name) is not None


def grain_of(key: Operand) -> str:
    """The period that a time is cut to, a day where nothing cuts it; empty where it is computed.

    >>> [grain_of(Operand(name=name)) for name in ("date_trunc('month', day)", "flown_on", "date_add(day, -(day % 7))")]
    ['month', 'day', '']
    """
    if _COMPUTED.search(key.name) is not None:
        return ""
    return next((grain for grain, pattern in _GRAINS if pattern.search(key.name.casefold())), "day")


_RECORD = cue(
    "busiest quietest best worst biggest strongest weakest slowest record",
    r"\b(?:busiest|quietest|best|worst|biggest|strongest|weakest|slowest|record) (single |ever )?"
    r"(day|week|month|quarter|year)\b(?! (?:rate|price|fee|score|value|reading|temp\w*))",
)
_OF_PERIODS = frozenset("day daily week weekly month monthly quarter quarterly year yearly".split())


def record_of_other_rows(case: Case) -> str | None:
    """The busiest month or biggest day is asked for, and totals of smaller groups, or single rows, are compared.

    >>> record_of_other_rows(case("Which pilot had the busiest single month?", "SELECT pilot_id, SUM(hours) FROM "
    ...     "flights GROUP BY pilot_id, flown_on ORDER BY SUM(hours) DESC LIMIT 1"))
    'flown_on for the busiest single month'
    """
    found = _RECORD.search(case.asked)
    tables = {word for block in case.sql.blocks for table in block.tables for word in table_words(table)}
    if found is None or not _OF_PERIODS.isdisjoint(tables):
        return None
    odd = _other_key(found[2], case)
    if odd is not None:
        return f"{odd.name} for the {found.group()}"
    row = _largest_row(case) if found[1] is not None else None
    return f"{row} of single rows for the {found.group()}" if row is not None else None


def _other_key(period: str, case: Case) -> Operand | None:
    """A key that makes the groups that are compared smaller than the period, where all are groups of one SELECT."""
    if len({key.block for key in case.sql.group_by}) != 1:
        return None
    keys = [key.operand for key in case.sql.group_by]
    raw = next((key for key in keys if _is_raw_day(key)), None) if period != "day" else None
    return raw or _splits_record(keys, case)


def _is_raw_day(key: Operand) -> bool:
    bare = len(key.columns) == 1 and key.name == key.columns[0].name and is_time(key.name)
    return bare and _OF_PERIODS.isdisjoint(identifier_words(key.name))


_RANKS = frozenset({"RANK", "DENSE_RANK", "ROW_NUMBER"})


def _splits_record(keys: Sequence[Operand], case: Case) -> Operand | None:
    """A key of ranked totals that is neither a time, nor ranked within, nor shown, nor asked for."""
    within = [{part.name for part in each.partition_by} for each in case.sql.windows if each.func in _RANKS]
    if len(within) != 1 or not any(map(is_calendar, keys)):
        return None
    shown = within[0] | {each.operand.name for each in case.answer}
    others = (key for key in keys if not is_calendar(key) and key.name not in shown and key_stems(key.name) is None)
    return next((key for key in others if not set(identifier_words(key.name)) <= case.spoken), None)


def _largest_row(case: Case) -> str | None:
    """MAX of a column, where nothing is added up."""
    taken = case.sql.aggregations
    if len(case.sql.blocks) != 1 or case.sql.windows or [each.func for each in taken] != ["MAX"]:
        return None
    plain = len(taken[0].columns) == 1 and taken[0].column == taken[0].columns[0].name and not is_time(taken[0].column)
    return f"MAX({taken[0].column})" if plain else None


_NOT_PER = cue("not per not by not each", r"\bnot (?:per|by|each|for each) (?:single )?([a-z]+)")


def finer_than_thing(case: Case, thing: str) -> str | None:
    """Totals of each thing are averaged, and their groups are cut by a month, or by what is not to be averaged.

    >>> finer_than_thing(case("Average bill per guest (not per seat)", "SELECT AVG(t) FROM (SELECT guest_id, seat_no, "
    ...     "SUM(fee) AS t FROM fees GROUP BY guest_id, seat_no) x"), "guest")
    'AVG(sum(fee)) of each guest_id, seat_no, not of each guest'
    """
    excluded = _NOT_PER.search(case.asked)
    for mean, keys, shown in averaged_totals(case) if asks_average(case) else ():
        cut = [key for key in keys if key.name not in shown and _is_unasked_period(key, case)]
        if excluded is not None:
            cut += [key for key in keys if stem(excluded[1]) in identifier_words(key.name)]
        if cut and len(cut) < len(keys):
            return f"AVG({mean.column}) of each {', '.join(key.name for key in keys)}, not of each {thing}"
    return None


def _is_unasked_period(key: Operand, case: Case) -> bool:
    """Whether groups are cut by a day, a month, a week or a quarter that nothing speaks of."""
    grain = grain_of(key) if key.columns and is_calendar(key) else ""
    told = "dai" in case.said or "date" in case.said if grain == "day" else False
    cut = grain in ("day", "month", "week", "quarter") and grain not in case.said
    return cut and not told and key.name != key.columns[0].name
