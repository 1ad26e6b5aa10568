"""Signals about what a count counts: different things, things once, or how often something was."""

from __future__ import annotations

import re

from scoring.linking import content_words
from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.keys import repeated_tables
from scoring.signals.mistakes.events import is_time
from scoring.signals.mistakes.unmet.distinct_pairs import pairs_counted
from scoring.signals.mistakes.unmet.other_rows import lists_added
from scoring.signals.mistakes.wording import asked, cue, said, shapes
from scoring.specification import Aggregation, Column, SqlFilter
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import is_own_key, key_stems, table_words
from scoring.values import Number
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_BOUND = r"(?:\d+|two|three|four|five|six|ten)\+?(?: or more| or fewer)?"
_DIFFERENT = cue(
    "different distinct separate unique",
    rf"\b(?:at least|more than|over|fewer than|less than|exactly|minimum(?: of)?|{_BOUND}) "
    rf"(?:{_BOUND} )?(?:different|distinct|separate|unique) ((?:\w+ )?\w+)",
)


def different_counted_as_rows(case: Case) -> Finding | None:
    """A number of different things is bounded, and HAVING counts rows.

    Three orders of one product are three rows and one product. Nor are different times different days.

    >>> different_counted_as_rows(case("Pilots with at least 3 different planes",
    ...     "SELECT pilot_id FROM flights GROUP BY pilot_id HAVING COUNT(plane_id) >= 3")).detail
    'count(plane_id) >= 3 for different planes'
    """
    bounds = [each for each in case.sql.having if _bounds_count(each)]
    odd = _every_by_rows(bounds, case) or _bounded_by_lines(bounds, case) or _periods_as_rows(case)
    if odd is not None:
        return odd
    return _different_by_rows(bounds, case) if bounds else None


def _different_by_rows(bounds: list[SqlFilter], case: Case) -> Finding | None:
    found = _DIFFERENT.search(said(case))
    if found is None or any(block.distinct for block in case.sql.blocks) or case.sql.set_operations:
        return None
    odd = next((each for each in bounds if _is_of_moments(each, found[1], case)), None) or _of_rows(bounds, case)
    return Finding(1.0, f"{odd.text} for different {found[1]}") if odd is not None else None


def _every_by_rows(bounds: list[SqlFilter], case: Case) -> Finding | None:
    """Something in every month is asked for, and as many rows are enough."""
    every = _EVERY_PERIOD.search(asked(case)) if bounds else None
    if every is None or _counts_periods(case):
        return None
    return Finding(1.0, f"{bounds[0].text} for every {every[1]}")


def _bounded_by_lines(bounds: list[SqlFilter], case: Case) -> Finding | None:
    """Orders are bounded in number, and COUNT(*) counts the lines that are joined to them."""
    found = _ORDERED.search(said(case)) if bounds and case.sql.joins else None
    thing = stem(found[1]) if found is not None else ""
    whole = next((each for each in sorted(repeated_tables(case)) if identifier_words(each)[-1:] == (thing,)), None)
    odd = next((each for each in bounds if each.text.startswith("count(*)")), None)
    return Finding(1.0, f"{odd.text} counts lines of {whole}") if odd is not None and whole is not None else None


_ORDERED = cue(
    "or more at least times than over",
    r"\b(?:at least|more than|over|\d\+?|two|three) (?:\d+ |two |three )?(?:or more )?"
    r"(orders|bookings|visits|purchases|tickets|stays)\b",
)
_EVERY_PERIOD = cue(
    "every each all",
    r"\b(?:in|on|during) (?:every|each) (?:single )?(day|week|month|quarter|year)\b(?=.{0,30}$| of\b| since\b| this\b)",
)


_PERIOD_COUNTED = lazy(r"(?:date|timestamp|datetime)_?trunc\(|(?:year|month|week|quarter)\(|to_char\(|date_format\(")
_OF_PERIODS = lazy(
    r"\b(?:every|each|all|different|distinct|how many|number of|active) (?:\w+ )?(?:days?|weeks?|months?|quarters?)\b"
)


def _periods_as_rows(case: Case) -> Finding | None:
    """Months are counted without DISTINCT, which counts the rows of all months."""
    if _OF_PERIODS.search(asked(case)) is None:
        return None
    for each in case.sql.aggregations:
        if each.func == "COUNT" and not each.distinct and _PERIOD_COUNTED.match(each.column):
            return Finding(1.0, f"COUNT({each.column}) counts rows")
    return None


def _counts_periods(case: Case) -> bool:
    """Whether something counts different values, or rows of groups that an inner query has made."""
    distinct = any(each.distinct for each in case.sql.aggregations) or any(each.distinct for each in case.sql.blocks)
    inner = any(each.block not in case.sql.outputs for each in case.sql.group_by)
    return distinct or inner or bool(case.sql.windows) or bool(case.sql.set_operations)


def _of_rows(bounds: list[SqlFilter], case: Case) -> SqlFilter | None:
    """The first bound, where all count rows of base tables, and not groups that an inner query has made."""
    distinct = any(each.lhs is not None and "distinct" in each.lhs.name for each in bounds)
    return bounds[0] if not distinct and shapes(case, ShapeKind.COUNTED_ROWS) else None


def _bounds_count(each: SqlFilter) -> bool:
    """Whether a condition bounds a count."""
    return each.lhs is not None and each.lhs.func == "COUNT"


def _is_of_moments(each: SqlFilter, things: str, case: Case) -> bool:
    """Whether different times are counted for different days."""
    columns = each.lhs.columns if each.lhs is not None else ()
    if len(columns) != 1 or {"days", "dates"}.isdisjoint(things.split()):
        return False
    # A cast to a date is not told in the names of operands.
    bare = re.search(rf"\bdistinct\s+(?:\w+\.)?{re.escape(columns[0].name)}\s*\)", case.written.casefold())
    return bare is not None and not _MOMENTS.isdisjoint(identifier_words(columns[0].name)[-1:])


_MOMENTS = frozenset({"at", "ts", "time", "timestamp", "datetime"})
_PEOPLE = frozenset(
    map(
        stem,
        "people person ppl customer client user member guest patient buyer donor viewer player subscriber visitor "
        "student pupil employee passenger rider account individual".split(),
    )
)
_PAIRS = frozenset(map(stem, "enrollment enrolment registration membership assignment participation".split()))
"""Rows that pair two things once: each student has one enrollment in a course."""
_GENERAL = frozenset(map(stem, "people person ppl individual someone anybody".split()))


def things_counted_by_rows(case: Case) -> Finding | None:
    """A key of other rows is counted without DISTINCT, so each thing counts once for each of its rows.

    COUNT(order_id) of the lines of orders counts lines. COUNT of the key of an account, or of a flight, is no number of
    customers, and different customers are no number of orders.

    >>> things_counted_by_rows(case("How many pilots flew a glider?", "SELECT COUNT(f.pilot_id) FROM pilots p "
    ...     "JOIN flights f ON f.pilot_id = p.id WHERE f.kind = 'glider'")).detail
    'COUNT(f.pilot_id) for the number of pilots'
    """
    return _distinct_by_day(case) or _by_rows(_things(case), case)


def _by_rows(things: list[str], case: Case) -> Finding | None:
    """A key of other rows, or pairs with one, are counted for things."""
    if not things or case.sql.set_operations or any(each.rhs == Number(0) for each in case.sql.having):
        return None  # a bound of 0 looks for things without rows
    if any(block.distinct for block in case.sql.blocks):
        return _pairs_of_people(things[-1], case)
    for each in shapes(case, ShapeKind.COUNTED_ROWS):
        thing = next((thing for thing in things if _is_of_other_rows(each, thing)), None)
        if thing is not None:
            return Finding(1.0, f"{each.text} for the number of {thing}s")
    return _people_for_rows(things, case) or _other_key_distinct(things, case)


def _pairs_of_people(thing: str, case: Case) -> Finding | None:
    paired = pairs_counted(case, _PEOPLE) if thing in _PEOPLE else None
    return Finding(1.0, paired) if paired is not None else None


def _distinct_by_day(case: Case) -> Finding | None:
    """The different things of each day are added up: one that comes on two days counts twice."""
    inner = next((each for each in case.sql.aggregations if each.distinct and each.columns), None)
    if inner is None or not _is_of_others(inner.columns[0]):
        return None
    shown = f"{inner.func.lower()}(distinct {inner.column})"
    adds = any(each.func == "SUM" and each.column == shown for each in case.sql.aggregations if each is not inner)
    keys = [key.operand.name for key in case.sql.group_by if key.block == inner.block]
    timed = next(filter(_TIME_KEY.search, keys), None)
    return Finding(1.0, f"SUM({shown}) counts a thing once for each {timed}") if adds and timed is not None else None


def _is_of_others(column: Column) -> bool:
    """Whether it is the key of other things than the rows of its table."""
    return bool(key_stems(column.name)) and not is_own_key(column)


_TIME_KEY = lazy(r"\b(?:date|day|week|month|hour)\w*\b|_(?:at|on|date|day)\b|trunc")


def _things(case: Case) -> list[str]:
    """The things whose number is asked for, or bounded."""
    counted = [content_words(each.column) for each in case.question.aggregations if each.func == "COUNT"]
    bounded = [each for each in case.question.filters if isinstance(each.rhs, Number) and each.lhs is not None]
    having = bool(case.sql.having)
    counted += [content_words(each.lhs.name) for each in bounded if having and each.lhs is not None]
    return [words[-1] for words in counted if words]


def _is_of_other_rows(shape: Shape, thing: str) -> bool:
    """Whether the key of a thing is counted in a table of other rows."""
    keyed, *columns = shape.columns
    stems = key_stems(columns[0].name) if len(columns) == 1 else None
    if not stems or columns[0].table is None or len(set(shape.words)) < 2:
        return False
    grouped = [key_stems(key) for key in keyed.name.split()]
    same = _is_same(thing, stems[-1])
    if is_own_key(columns[0]):
        return thing in _PEOPLE and _PEOPLE.isdisjoint({*stems, *table_words(columns[0].table)[-1:]}) and not same
    once = stems in grouped or stems[:-1] == ("new",)  # who is new is so once
    return same and not once and not _has_one_of(thing, columns[0].table, grouped=bool(grouped))


def _is_same(thing: str, key: str) -> bool:
    """Whether a key is of the thing, or of people where people are named in general."""
    return thing == key or (thing in _GENERAL and key in _PEOPLE)


def _has_one_of(thing: str, table: str, *, grouped: bool) -> bool:
    """Whether each row is one thing: it is named so, or pairs it once with the group."""
    *named, rows = table_words(table)
    if rows in _RECORDS and named:
        rows = named[-1]
    return rows.startswith(thing) or (grouped and rows in _PAIRS)


_RECORDS = frozenset({"log", "history", "hist", "record", "register", "book", "ledger", "list"})
"""Words for a table of things, not of other rows: `fault_log`."""


def _people_for_rows(things: list[str], case: Case) -> Finding | None:
    """Different keys of people, say, are counted for the rows of the one table that is read."""
    tables = {table for block in case.sql.blocks for table in block.tables}
    counts = [each for each in case.sql.aggregations if each.func == "COUNT"]
    if not len(tables) == len(things) == len(counts) == 1 or _ONCE.search(said(case)):
        return None
    rows, each = table_words(tables.pop())[-1], counts[0]
    stems = key_stems(each.columns[0].name) if each.distinct and len(each.columns) == 1 else None
    if not stems or stems[-1] == rows or rows != things[0]:
        return None
    return Finding(1.0, f"count(distinct {each.column}) for the number of {rows}s")


def _other_key_distinct(things: list[str], case: Case) -> Finding | None:
    """Different rows are counted for the people they are of, whose key is read: COUNT(DISTINCT stay_id) of guests."""
    counts = [each for each in case.sql.aggregations if each.func == "COUNT"]
    if len(counts) != 1 or not counts[0].distinct or things[0] not in _PEOPLE:
        return None
    stems = _own_stems(counts[0])
    read = {words[-1] for column in case.sql.columns if (words := key_stems(column.name))}
    if not stems or things[0] not in read or not stems.isdisjoint(_PEOPLE | case.spoken):
        return None
    return Finding(1.0, f"count(distinct {counts[0].column}) for the number of {things[0]}s")


def _own_stems(counted: Aggregation) -> frozenset[str]:
    """The words of the key of its own rows that a table's rows are counted by, if they are."""
    column = counted.columns[0] if len(counted.columns) == 1 else None
    return frozenset(key_stems(column.name) or ()) if column is not None and is_own_key(column) else frozenset()


_ONCE = lazy(r"\b(?:distinct|different|unique|once|dedup\w*)\b")
_UNIQUE = cue("unique distinct different", r"\b(?:unique|distinct|different)\b")


def uniques_added(case: Case) -> Finding | None:
    """Different things are counted for each of several groups, and the counts are added.

    Who came on two days is one of each day and counts twice in the sum.

    >>> uniques_added(case("Unique pilots in May", "SELECT SUM(n) FROM (SELECT day, COUNT(DISTINCT pilot_id) AS n "
    ...     "FROM flights GROUP BY day) t")).detail
    'SUM of COUNT(DISTINCT pilot_id)'
    """
    lists = lists_added(case)
    if lists is not None:
        return Finding(1.0, lists)
    added = [each for each in shapes(case, ShapeKind.SUM_OF_COUNTS) if "(DISTINCT" in each.text]
    odd = next((each for each in added if any(_may_repeat(column.name) for column in each.columns)), None)
    return Finding(1.0, odd.text) if odd is not None and _UNIQUE.search(asked(case)) else None


def _may_repeat(key: str) -> bool:
    """Whether a thing may be in several groups of a key: of times, say."""
    return is_time(key) or not _PERIODS.isdisjoint(identifier_words(key)) or key_stems(key) is not None


_PERIODS = frozenset("date day week month quarter year".split())
