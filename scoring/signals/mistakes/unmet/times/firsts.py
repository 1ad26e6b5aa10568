"""Signals about the first or latest of each thing: looked for among too few rows, or within one of several groups."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.events import is_time
from scoring.signals.mistakes.wording import cue, is_called
from scoring.specification import Aggregation, Clause, Column, Op, SqlFilter, SubqueryRole
from scoring.values import RelativeTime, TimeRange
from scoring.verdict import Case
from scoring.words import stem

_ONLY_IF = cue("only if", r"\bonly if (?:that|it|this|the)(?: one| latest| last| first)? ?(?:is|was|has|had|'s)\b")
_RANKS = frozenset({"ROW_NUMBER", "RANK", "DENSE_RANK"})


def first_of_those(case: Case) -> Finding | None:
    """The latest row counts only if it meets a condition, and the latest of those that meet it is taken.

    >>> first_of_those(case("Each pilot's latest claim, but only if it is open", "SELECT pilot, id FROM (SELECT pilot, "
    ...     "id, ROW_NUMBER() OVER (PARTITION BY pilot ORDER BY day DESC) AS r FROM claims WHERE closed_at IS NULL) t "
    ...     "WHERE r = 1")).detail
    'closed_at is null before the first row is taken'
    """
    if _ONLY_IF.search(case.asked) is None:
        return None
    ranked = {each.block for each in case.sql.windows if each.func in _RANKS and each.partition_by}
    found = next((each for each in case.sql.filters if each.block in ranked and _is_of_state(each)), None)
    return Finding(1.0, f"{found.text} before the first row is taken") if found is not None else None


def _is_of_state(each: SqlFilter) -> bool:
    """Whether WHERE tests a value of each row, and no time."""
    timed = isinstance(each.rhs, TimeRange | RelativeTime)
    return each.clause is Clause.WHERE and not timed and each.op in (Op.EQ, Op.NE, Op.IN, Op.IS_NULL)


_NEW_OR_NOT = cue(
    "new first",
    r"\b(?:new|first[- ]time) (?:vs\.?|versus|and|or|/) (?:returning|existing|repeat|old|recurring)\b"
    r"|\b(?:returning|existing|repeat) (?:vs\.?|versus|and|or|/) new\b|\bnew/(?:returning|existing|repeat)\b",
)


def first_of_a_period(case: Case) -> Finding | None:
    """Who is new is told by the first time within the period that is kept: everybody is new in its first month.

    Nor is the first ever one the first of a period, or of those with something.

    >>> first_of_a_period(case("Fares of new vs returning guests since may", "SELECT CASE WHEN day = MIN(day) OVER "
    ...     "(PARTITION BY guest) THEN 'new' ELSE 'returning' END, SUM(fare) FROM trips WHERE day >= '2020-05-01' "
    ...     "GROUP BY 1")).detail
    'min(day) of day within [2020-05-01, )'
    """
    if _FIRST_THEN.search(case.asked) is not None:
        return _only_within(case)
    return _first_with(case) or _never_within(case) or _first_within(case)


def _first_within(case: Case) -> Finding | None:
    """The first of what WHERE keeps of a time."""
    if _NEW_OR_NOT.search(case.said) is None and _FIRST_EVER.search(case.said) is None:
        return None
    for each in case.sql.aggregations:
        column = each.columns[0] if each.func == "MIN" and each.columns else None
        if column is None or not is_time(column.name) or not _is_read_once(column, case):
            continue
        bound = next((other for other in case.sql.filters if _keeps_since(other, column.name)), None)
        if bound is not None:
            return Finding(1.0, f"min({column.name}) of {bound.text}")
    return _numbered_within(case)


def _numbered_within(case: Case) -> Finding | None:
    """Rows are numbered after WHERE has kept those of a time, so number 1 is the first in that time, not ever."""
    for each in case.sql.windows:
        ranked = each.func in _RANKS and each.partition_by and each.order_by and not each.order_by[0].descending
        columns = each.order_by[0].operand.columns if ranked else ()
        if len(columns) != 1 or not is_time(columns[0].name) or not _is_read_once(columns[0], case):
            continue
        kept = (one for one in case.sql.filters if one.block == each.block and _keeps_since(one, columns[0].name))
        bound = next(kept, None)
        if bound is not None:
            return Finding(1.0, f"{each.func} within {bound.text}")
    return None


_FIRST_EVER = cue(
    "first never before brand",
    r"\bbrand[- ]new (?!product|item|model|car|site|shop|store|page|app|line|menu|branch|office)\w+s\b"
    r"|\bfirst[- ]ever\b|\bfirst (?:\w+[- ]){1,3}ever\b|\bfirst time ever\b|\bvery first\b"
    r"|\bnever\b(?:(?!\d|month|week|day|year)[^.;?]){0,40}\bbefore\b"
    r"|\bbefore (?:\d{4}|that|then) (?:do not|does not|don'?t|doesn'?t) count\b",
)
_WITH = cue(
    "first",
    r"\bfirst[- ](?:ever )?[a-z]+(?: ever)? (?:was )?(?:with|using|via|through|on) (?:a |an |the |our )?([a-z]+)\b",
)


def _first_with(case: Case) -> Finding | None:
    """The first ever is to be one with something, and the first of those that have it is taken."""
    found = _WITH.search(case.asked) if _FIRST_EVER.search(case.asked) is not None else None
    taken = {each.block for each in case.sql.aggregations if each.func == "MIN" and _is_of_time(each)}
    for each in case.sql.filters if found is not None else ():
        named = found is not None and each.lhs is not None and is_called(stem(found[1]), each.lhs.columns)
        if named and each.block in taken and each.block not in case.sql.outputs and each.clause is Clause.WHERE:
            return Finding(1.0, f"{each.text} before the first is taken")
    return None


def _is_of_time(each: Aggregation) -> bool:
    return bool(each.columns) and is_time(each.columns[0].name)


def _never_within(case: Case) -> Finding | None:
    """Nothing before is asked for, and NOT EXISTS looks no further back than a period."""
    if _FIRST_EVER.search(case.said) is None:
        return None
    absent = {each.block for each in case.sql.subqueries if each.role in (SubqueryRole.NOT_EXISTS, SubqueryRole.NOT_IN)}
    for each in case.sql.filters:
        if each.block in absent and isinstance(each.rhs, TimeRange | RelativeTime) and each.rhs.start is not None:
            return Finding(1.0, f"nothing before within {each.text} alone")
    return None


_FIRST_THEN = cue(
    "first",
    r"\bfirst\b[^.?;]{0,40}\b(?:in|during|this|last) [^.?;]{1,30}\b(?:never|not|n'?t|nothing|no) "
    r"(?:\w+ ){0,3}?(?:back|again|since|returned|after)\b",
)


def _only_within(case: Case) -> Finding | None:
    """A first time with nothing after it, told by one row within a period: before and after are not looked at."""
    sql = case.sql
    bounds = [each for each in sql.filters if isinstance(each.rhs, TimeRange | RelativeTime)]
    once = [each for each in sql.having if each.lhs is not None and each.lhs.func == "COUNT" and each.op is Op.EQ]
    if len(sql.blocks) > 1 or not once or sql.windows or not any(each.clause is Clause.WHERE for each in bounds):
        return None
    return Finding(1.0, f"{once[0].text} within the period alone")


_TO_FIRST = cue(
    "first 1st",
    r"\b(?:days?|hours?|weeks?|time|long)\b[^.;?]{0,50}\b(?:and|to|till|until|before|n|&) (?:the |their |its |a )?"
    r"(?:first|1st) (?:\w+ )?\w+",
)
_FIRST_TAKEN = lazy(
    r"\bmin\s*\(|row_number|rank\s*\(|first|distinct on|qualify|\blimit 1\b|top 1\b|arg_?min|not exists|\brn\b|initial",
    re.IGNORECASE,
)


def every_for_first(case: Case) -> str | None:
    """The time to the first of several is averaged over all of them.

    >>> every_for_first(case("Average days from joining to the first flight", "SELECT AVG(f.day - p.joined_on) FROM "
    ...     "pilots p JOIN flights f ON f.pilot_id = p.id"))
    'days from joining to the first flight: no first is taken'
    """
    found = _TO_FIRST.search(case.asked)
    measures = any(each.func in ("AVG", "MEDIAN", "PERCENTILE_CONT") for each in case.sql.aggregations)
    if found is None or not measures or not case.sql.joins or _FIRST_TAKEN.search(case.written) is not None:
        return None
    return f"{found.group()}: no first is taken"


_LAST_TWO = cue(
    "two 2",
    r"\b(?:last|latest|most recent) (?:two|2)\b(?! (?:full |whole )?(?:day|week|month|quarter|year|hour|yr|mo)s?\b)",
)
_ONE_TAKEN = lazy(r"row_number|rank\s*\(|qualify|\bmax\s*\(|\blimit\b|\btop\b|arg_?max|distinct on", re.IGNORECASE)
_ONE_AND_TWO = cue("2nd second", r"\b(?:1st|first) and (?:the |their |its )?(?:2nd|second)\b(?! hal)")


def neighbours_of_all(case: Case) -> str | None:
    """The last two, or the first two, of several are compared, and all of them come, or the first and the last.

    >>> neighbours_of_all(case("Who slowed down between their last two flights?", "SELECT pilot FROM (SELECT pilot, "
    ...     "speed - LAG(speed) OVER (PARTITION BY pilot ORDER BY day) AS d FROM flights) t WHERE d < 0"))
    'last two: any two that follow each other'
    """
    found = _LAST_TWO.search(case.asked)
    offset = any(each.func in ("LAG", "LEAD") for each in case.sql.windows)
    if found is not None and offset and _ONE_TAKEN.search(case.written) is None:
        return f"{found.group()}: any two that follow each other"
    between = _last_for_later(case)
    if between is not None:
        return between
    ends = _ONE_AND_TWO.search(case.asked)
    funcs = {each.func for each in case.sql.aggregations}
    if ends is None or case.sql.windows or not {"MIN", "MAX"} <= funcs or case.sql.limits or len(case.sql.blocks) > 1:
        return None
    return f"{ends.group()}: the first and the last"


_FIRST_AND_LATER = cue(
    "first 1st",
    r"\b(?:1st|first)\b(?: \w+){0,2}? (?:and|to|till|until|n|&|vs\.?|->) (?:the |their |its |his )?"
    r"(?:2nd|second|3rd|third|4th|fourth|5th|fifth|6th|sixth|10th|tenth)\b"
    r"(?! (?:half|halves|week|month|quarter|year|day)s?\b)",
)
_PLACED = lazy(r"row_number|rank\s*\(|nth_value|\boffset\b|\blag\b|\blead\b|array|list\(|group_concat", re.IGNORECASE)


def _last_for_later(case: Case) -> str | None:
    """The first and the third of several are compared, and MAX takes the last of them, whichever it is."""
    found, sql = _FIRST_AND_LATER.search(case.asked), case.sql
    if found is None or _is_placed(case):
        return None
    taken = {(each.func, each.block, each.columns) for each in sql.aggregations if _is_of_time(each)}
    grouped = {key.block for key in sql.group_by}
    for func, block, columns in taken:
        both = func == "MAX" and ("MIN", block, columns) in taken and block in grouped
        if both and _is_read_once(columns[0], case):
            return f"{found.group()}: max({columns[0].name}) is the last"
    return None


def _is_placed(case: Case) -> bool:
    """Whether something tells which row is the third."""
    return bool(case.sql.windows or case.sql.limits) or _PLACED.search(case.written) is not None or _is_exact(case)


def _is_exact(case: Case) -> bool:
    """Whether the groups have just as many rows, so that the last is the one asked for."""
    counts = (each for each in case.sql.filters if each.lhs is not None and each.lhs.func == "COUNT")
    return any(each.op in (Op.EQ, Op.IN) for each in counts)


def _is_read_once(column: Column, case: Case) -> bool:
    """Whether the table of a column is read in one place."""
    return [table for block in case.sql.blocks for table in block.tables].count(column.table or "") == 1


def _keeps_since(each: SqlFilter, name: str) -> bool:
    """Whether WHERE keeps the rows of a time of that name alone."""
    own = each.lhs is not None and each.lhs.name == name
    starts = isinstance(each.rhs, TimeRange | RelativeTime) and each.rhs.start is not None
    return own and starts and each.clause is Clause.WHERE and each.alternative is None
