"""Signals about windows: running totals, moving averages, neighbours and ranks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from scoring.patterns import lazy
from scoring.signals.answers.called import named_end_flipped
from scoring.signals.finding import Finding
from scoring.signals.mistakes.unmet.neighbours import across_finer_groups, change_backwards, other_order, within_other
from scoring.signals.mistakes.unmet.ranks import percentile_flipped
from scoring.signals.mistakes.unmet.sums import sum_runs_on
from scoring.signals.mistakes.unmet.times.ages import age_of_other_end
from scoring.signals.mistakes.unmet.times.lateness import gap_as_span
from scoring.signals.mistakes.unmet.times.moving import by_calendar
from scoring.signals.mistakes.unmet.times.reach import reaches_back, reaches_too_far
from scoring.signals.mistakes.wording import asked, cue, first, said, shapes
from scoring.specification import Column, Direction
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import key_stems
from scoring.verdict import Case
from scoring.words import identifier_words, stem

RUNNING = cue(
    "running cumulative balance year-to-date year ytd",
    r"\brunning (?:\w+ )?(?:totals?|sums?|counts?|balances?)\b|\bcumulative(?:ly)?\b|\bbalance after (?:each|every)\b"
    r"|\b(?:year[- ]to[- ]date|ytd)\b(?=.*\b(?:restart|start|reset|begin)\w*)",
)
_RESTARTS = cue(
    "restart start reset begin",
    r"\b(?:restart\w*|resets?|resetting|(?:start|begin)(?:s|ning|ing)? (?:again|over|anew|from zero))\b",
)
_MOVING = cue("rolling moving trailing", r"\b(?:rolling|moving|trailing)\b")
_OF_DAYS = lazy(r"\b\d{1,3}[- ](?:day|week|month) (?:average|avg|mean)\b")
"""A moving average that no word calls so: `with the 7 day average`."""


def running_total_wrong(case: Case) -> Finding | None:
    """A running total is asked for, and the sum does not run from the first row to the current one.

    The window has no order, runs from the last row or from one thing to the next, does not restart where it is to, its
    frame begins or ends elsewhere, or it runs over single rows where one value for each day is asked for. Or it runs on
    where the number of each month is asked for.

    >>> running_total_wrong(case("Show the running total of fares by month",
    ...     "SELECT month, SUM(fare) OVER (ORDER BY month DESC) FROM fares")).detail
    'SUM(fare) OVER (ORDER BY month DESC): latest first'
    """
    text = asked(case)
    if not RUNNING.search(text) or _MOVING.search(text):
        return sum_runs_on(case)
    found = shapes(case, ShapeKind.RUNNING)
    if not found:
        return Finding(1.0, "no sum runs over rows") if "running total" in text or "cumulative" in text else None
    plain = next((each for each in found if not each.words), None)
    if plain is None:
        return Finding(1.0, f"{found[0].text}: {found[0].words[0]}")
    if _RESTARTS.search(text) and " OVER (ORDER BY" in plain.text:
        return Finding(1.0, f"{plain.text}: never restarts")
    odd = "no PARTITION BY" if _is_of_all(plain, case) else _row_for_period(case)
    return Finding(1.0, f"{plain.text}: {odd}") if odd is not None else None


_PER_PERIOD = lazy(r"\b(?:by|per|each|every) (day|week|month|quarter)\b|\b(dai|week|month)ly running\b")
_GROUPED = lazy(r"(?:dai|week|month)ly|day|week|month|agg|summar|total", re.IGNORECASE)
"""Tables that may have one row for each day or month."""


def _row_for_period(case: Case) -> str | None:
    """One value for each day is asked for, and the sum runs over rows that nothing makes one a day."""
    found = _PER_PERIOD.search(asked(case))
    tables = " ".join(table for block in case.sql.blocks for table in block.tables)
    if found is None or case.sql.group_by or "distinct" in case.written.casefold() or _GROUPED.search(tables):
        return None
    return f"a row for each row, not for each {found[1] or found.group()}"


_THINGS = cue(
    "each every per same",
    r"\b(?:for|of|in|by|from|within) (?:each|every) ([a-z]+)\b|\bper ([a-z]+)\b|\b(?:each|every) ([a-z]+)(?:'s)\b"
    r"|\bof the same ([a-z]+)\b",
)


def _is_of_all(shape: Shape, case: Case) -> bool:
    """Whether a window follows the times of all things, where the question speaks of each thing."""
    if " OVER (ORDER BY" not in shape.text or not _follows(shape, is_time_like):
        return False
    things = [stem(word) for match in _THINGS.matches(said(case)) for word in match.groups() if word]
    keys = {stems[-1] for column in case.sql.columns if (stems := key_stems(column.name))}
    shown = {column.name for each in case.answer for column in each.operand.columns}
    return any(thing in keys | shown for thing in things if not is_time_like(thing))


def _follows(shape: Shape, kind: Callable[[str], bool]) -> bool:
    """Whether the first column of an order has a name of some kind."""
    return bool(shape.columns) and kind(shape.columns[0].name)


_SPAN = lazy(
    r"\b(\d+|two|three|four|five|six|seven|twelve|thirty)[- ](day|week|month|quarter|year|row|period|order|game)s?\b"
)
_WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "twelve": 12, "thirty": 30}


def moving_window_wrong(case: Case) -> Finding | None:
    """A moving average or sum is asked for over N rows, and the window has another length.

    The current row is one of the N: a 7-day average reaches back 6 rows.

    >>> moving_window_wrong(case("Show the 7-day moving average of fares",
    ...     "SELECT day, AVG(fare) OVER (ORDER BY day ROWS BETWEEN 7 PRECEDING AND CURRENT ROW) FROM fares")).detail
    'expected → actual: 6 rows before → 7'
    """
    calendar = by_calendar(case)
    return Finding(1.0, calendar) if calendar is not None else _other_frame(case)


def _other_frame(case: Case) -> Finding | None:
    """A frame of another length, or none."""
    text = asked(case)
    said_so = _OF_DAYS.search(text)
    span = _SPAN.search(text, said_so.start() if said_so else 0) if said_so or _MOVING.search(text) else None
    if span is None:
        return None
    wanted = int(span[1]) if span[1].isdecimal() else _WORDS[span[1]]
    found = shapes(case, ShapeKind.FRAME_ROWS)
    if not found:
        far = reaches_too_far(wanted, span[2], case)
        return Finding(1.0, f"{far}: {wanted + 1} {span[2]}s") if far is not None else _frameless(wanted, case)
    if any(_reaches(each, wanted, span[2]) for each in found):
        return None
    return Finding(1.0, f"expected → actual: {wanted - 1} rows before → {found[0].number}")


def _frameless(wanted: int, case: Case) -> Finding | None:
    """A window that runs from the first row, where nothing joins rows by how far they lie apart."""
    found = () if reaches_back(case) else shapes(case, ShapeKind.RUNNING)
    if not found or any("without the row" in each.words for each in found):
        return None
    return Finding(0.5, f"{found[0].text}: no frame of {wanted}")


def _reaches(frame: Shape, wanted: int, unit: str) -> bool:
    """Whether a frame has N rows with the current one, or reaches back N days in time."""
    return frame.number == wanted - 1 or ((frame.number, *frame.words, unit) == (wanted, "range", "day"))


def neighbour_wrong(case: Case) -> Finding | None:
    """LAG or LEAD looks at a row of another group, in no order, or in the wrong direction.

    Without PARTITION BY, the first month of one shop follows the last of another. Without ORDER BY, the row before is
    any row.

    >>> neighbour_wrong(case("Growth of fares over the previous month", "SELECT month, fare - LAG(fare) OVER () "
    ...     "FROM fares")).detail
    'LAG(fare) OVER (): no ORDER BY'
    """
    text = asked(case)
    for each in shapes(case, ShapeKind.NEIGHBOUR):
        lacks = [word for word in each.words if word != "next row" or _PREVIOUS.search(text)]
        if lacks or _is_of_all(each, case):
            return Finding(1.0, f"{each.text}: {lacks[0] if lacks else 'no PARTITION BY'}")
        if each.number == 1 and _YEAR_BEFORE.search(said(case)) and _is_monthly(each):
            return Finding(1.0, f"{each.text}: the month before")
    return _other_neighbour(case)


def _other_neighbour(case: Case) -> Finding | None:
    span = gap_as_span(case)
    if span is not None:
        return Finding(1.0, span)
    return other_order(case) or within_other(case) or change_backwards(case) or _across_groups(case)


def _across_groups(case: Case) -> Finding | None:
    """The row before is looked for among the groups of all things, which the answer shows beside each time."""
    for each in case.sql.windows:
        if each.func not in ("LAG", "LEAD") or each.partition_by or not each.order_by:
            continue
        keys = [key.operand for key in case.sql.group_by if key.block == each.block]
        others = [key for key in keys if len(key.columns) == 1 and not _is_time(key.columns[0].name)]
        if len(keys) > 1 and len(others) == 1:
            return Finding(1.0, f"{each.func} among all {others[0].name}: no PARTITION BY")
    finer = across_finer_groups(case)
    return Finding(1.0, finer) if finer is not None else None


_YEAR_BEFORE = lazy(
    r"\byoy\b|\byear[- ](?:over|on)[- ]year\b|\bsame month (?:of )?(?:the )?(?:last|previous|prior) year\b"
    r"|\ba year (?:ago|before)\b|\b(?:one|a|1) year (?:before|earlier|ago)\b"
    r"|\bsame (?:month|week|quarter) (?:of |in )?(?:the )?(?:prev|previous|prior|last|preceding)\.? year\b"
    r"|\bthe year before\b"
)


def _is_monthly(shape: Shape) -> bool:
    """Whether a window follows months, and is not within each of them."""
    monthly = shape.columns and "month" in identifier_words(shape.columns[0].name)
    return bool(monthly) and "PARTITION BY" not in shape.text


_PREVIOUS = lazy(
    r"\b(?:previous|prior|last|preceding|earlier|before|month[- ](?:over|on)[- ]month|year[- ](?:over|on)[- ]year"
    r"|week[- ](?:over|on)[- ]week|mom|yoy|wow|growth|change)\b"
)


_LATEST = cue(
    "latest recent newest last current",
    r"\b(?:latest|most recent(?:ly)?|newest)\b|\b(?:their|its|the|each \w+'s|'s) last (?!\d|name|week"
    r"|month|year|quarter|day|few)\w+|\bcurrent (?:price|status|plan|salary|rate)\b",
)
_FIRST = cue(
    "earliest first out originally initially",
    r"\b(?:earliest|very first|originally|initially|start(?:ed)? out)\b"
    r"|\b(?:their|its|'s|each \w+'s) first (?!\d|name|week|month|year|quarter|day|few)\w+",
)
_TIMES = frozenset("date at on time day ts timestamp dt datetime created updated".split())


def date_extreme_flipped(case: Case) -> Finding | None:
    """The latest is asked for and the earliest is taken, or the other way round.

    Ordered by a date, the latest comes first in descending order only.

    >>> date_extreme_flipped(case("What is the latest flight of each pilot?",
    ...     "SELECT pilot, MIN(flown_at) FROM flights GROUP BY pilot")).detail
    'MIN(flown_at) for the latest'
    """
    age = age_of_other_end(case)
    if age is not None:
        return Finding(1.0, age)
    latest, earliest = _LATEST.search(asked(case)), _FIRST.search(asked(case))
    if latest is not None and earliest is None:
        flipped, name = _flipped(case, "MIN", "asc"), latest.group()
    elif earliest is not None and latest is None:
        flipped, name = _flipped(case, "MAX", "desc"), earliest.group()
    else:
        return named_end_flipped(case)
    return Finding(1.0, f"{flipped} for the {name.removeprefix('the ')}") if flipped else named_end_flipped(case)


def last_value_of_row(case: Case) -> Finding | None:
    """LAST_VALUE reaches only to the row itself, so it gives the row's own value.

    The frame of a window with ORDER BY ends at the current row, unless it is written that it goes on.

    >>> last_value_of_row(case("First and last fare of each route",
    ...     "SELECT LAST_VALUE(fare) OVER (PARTITION BY route ORDER BY day) FROM trips")).detail
    'LAST_VALUE(fare) OVER (PARTITION BY route ORDER BY day)'
    """
    found = first(case, ShapeKind.LAST_OF_ROW)
    return Finding(1.0, found.text) if found is not None else None


def _flipped(case: Case, func: str, order: str) -> str:
    """What takes the wrong end of the times: a function, a rank, or the order of a LIMIT; empty where nothing does."""
    dated = [each for each in case.sql.aggregations if each.func in ("MIN", "MAX") and _reads_time(each.columns)]
    taken = [(each.func, f"{each.func}({each.column})") for each in dated] + list(_chosen_ends(case))
    if not taken:
        return _cut_flipped(case, descends=order == "desc")
    return taken[0][1] if {end for end, _ in taken} <= {func, order} else ""


def _chosen_ends(case: Case) -> Iterable[tuple[str, str]]:
    """The ends of times that ranks of 1 and functions like ARG_MAX take, each with its SQL."""
    for each in shapes(case, ShapeKind.RANKED):
        if each.number == 1 and _reads_time(each.columns):
            yield each.words[1], each.text
    for each in shapes(case, ShapeKind.PICKED):
        if _reads_time(each.columns):
            yield "asc" if each.words[0] == "least" else "desc", each.text


def _cut_flipped(case: Case, *, descends: bool) -> str:
    """The time that a LIMIT of one row follows in the wrong direction."""
    cut = {each.block for each in case.sql.limits if each.count == 1 and not each.ranked}
    key = next((each for each in case.sql.order_by if each.block in cut), None)
    if key is None or not _is_time(key.operand.name) or key.descending is not descends:
        return ""
    return f"{key.operand.name} {'DESC' if descends else 'ASC'}"


def _reads_time(columns: tuple[Column, ...]) -> bool:
    return bool(columns) and _is_time(columns[0].name)


def _is_time(name: str) -> bool:
    return not _TIMES.isdisjoint(identifier_words(name)[-1:])


def is_time_like(name: str) -> bool:
    """Whether a column is named like a time or a period of time."""
    return _is_time(name) or not _PERIODS.isdisjoint(identifier_words(name))


_PERIODS = frozenset("month year week quarter day period hour date ym yyyymm".split())


def shape_of_direction(shape: Shape) -> Direction:
    """Which end of an order a rank takes."""
    return Direction.MOST if shape.words[1] == "desc" else Direction.LEAST


def rank_flipped(case: Case) -> Finding | None:
    """A rank or row number takes the other end of the order than the one asked for.

    The first row in ascending order is the least.

    >>> rank_flipped(case("Which pilot has the highest pay in each base?", "SELECT name FROM (SELECT name, "
    ...     "ROW_NUMBER() OVER (PARTITION BY base ORDER BY pay) AS r FROM pilots) t WHERE r = 1")).strength
    1.0
    """
    return percentile_flipped(case) or _ranks_flipped(case)


def _ranks_flipped(case: Case) -> Finding | None:
    """The first row of the other end."""
    ranks = [each for each in shapes(case, ShapeKind.RANKED) if each.columns and each.words[1] != "unordered"]
    if len(ranks) != 1 or len(case.question.superlatives) > 1:
        return None
    wanted = {_PLAIN_EXTREMES[word] for word in _PLAIN_EXTREMES.keys() & set(re.findall(r"[a-z]+", asked(case)))}
    if len(wanted) != 1:
        return None
    if any(is_time_like(column.name) or "rank" in column.name for column in ranks[0].columns):
        return Finding(1.0, f"{ranks[0].text}: a time") if _follows_time(ranks[0], case) else None
    return None if shape_of_direction(ranks[0]) in wanted else Finding(1.0, ranks[0].text)


def _follows_time(shape: Shape, case: Case) -> bool:
    """Whether a rank follows one time, where no word speaks of times."""
    timed = len(shape.columns) == 1 and _is_time(shape.columns[0].name)
    return timed and not _LATEST.search(asked(case)) and not _DATED.search(said(case))


_DATED = lazy(
    r"\b(?:date|time|recent|recently|late|latest|early|earliest|first|last|old|oldest|new|newest|young"
    r"|youngest|current|since|ago)\w*\b"
)
_PLAIN_EXTREMES = dict.fromkeys("highest most largest biggest greatest".split(), Direction.MOST) | dict.fromkeys(
    "lowest least fewest smallest".split(), Direction.LEAST
)
