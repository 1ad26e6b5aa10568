"""Signals about bounds of single rows, of all rows of a group, and of parts within parts, that HAVING takes as one."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.unmet.links import lone_column, references
from scoring.signals.mistakes.unmet.ratios.averages import is_calendar, is_one_day
from scoring.signals.mistakes.wording import cue
from scoring.specification import Clause, Op, SqlFilter
from scoring.sql.shapes.naming import key_stems, table_words
from scoring.values import DatePart, Number, RelativeTime, Text, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_BOUNDS = frozenset({Op.GT, Op.GE, Op.LT, Op.LE})
_ROWS_OVER = cue(
    "over above under below than least most up more",
    r"\b(?:no\.? of|number of|how many|count of|(?:average|avg|total|sum|mean)(?: [a-z]+)? of|only(?: count|"
    r" take)?|take only"
    r"|just)(?: (?:the|all|our|heavy|big|large|small|long|short))* (?P<thing>[a-z]+s)\b(?: (?:in|of|from|during)"
    r" [a-z0-9]+)"
    r"{0,2}(?: (?:that|which))?(?: (?:are|were|was|is|lasted|took|take|last|weigh\w*|cost\w*|with|of|worth))? \(?"
    r"(?:(?:long|short|bigg|larg|small|heavi|high|old)er than|over|above|under|below|more than|less than|at least"
    r"|at most"
    r"|\d+ \w+ (?:and|or) (?:up|more|over|above))\b",
)
_AMOUNTS = frozenset({"sale", "hour", "day", "unit", "point", "minute", "amount", "fee", "cost"})
_ANYTHING = cue(
    "anything everything",
    r"\b(?:leav\w*|left) out (?:anything|everything)|\b(?:ignor\w*|skip\w*|exclud\w*|drop\w*) (?:anything|everything)",
)


def rows_bounded_by_group(case: Case) -> Finding | None:
    """Each row that is counted or averaged is to meet a bound, and HAVING bounds the extreme or total of its group.

    >>> rows_bounded_by_group(case("Number of flights over 90 minutes per pilot",
    ...     "SELECT pilot_id, COUNT(*) FROM flights GROUP BY pilot_id HAVING MAX(minutes) > 90")).detail
    'max(minutes) > 90 of each pilot_id'
    """
    for each in case.sql.having:
        if each.op not in _BOUNDS or not isinstance(each.rhs, Number):
            continue
        keys = [key.operand.name for key in case.sql.group_by if key.block == each.block]
        if _is_of_rows(each, keys, case) or _is_averaged_alike(each, case):
            return Finding(1.0, f"{each.text} of each {', '.join(keys[:3])}")
    return None


_TAKEN = frozenset({"MAX", "MIN", "AVG", "SUM"})


def _is_of_rows(bound: SqlFilter, keys: list[str], case: Case) -> bool:
    """Whether the rows of the bounded column's table are what the question bounds, and no key groups by them."""
    found = _ROWS_OVER.search(case.asked)
    thing = stem(found["thing"]) if found is not None else ""
    if not thing or thing in _AMOUNTS or bound.lhs is None or bound.lhs.func not in _TAKEN:
        return False
    grouped = {word for key in keys for word in (key_stems(key) or identifier_words(key))}
    return thing not in grouped and thing in _rows_of(bound, case)


def _rows_of(bound: SqlFilter, case: Case) -> set[str]:
    """What the rows are whose column is bounded."""
    tables = next((block.tables for block in case.sql.blocks if block.path == bound.block), ())
    alone = tables[0] if len(tables) == 1 else None
    owners = [column.table or alone for column in (bound.lhs.columns if bound.lhs is not None else ())]
    return {table_words(table)[-1] for table in owners if table}


def _is_averaged_alike(bound: SqlFilter, case: Case) -> bool:
    """Whether the very average that is shown is bounded, where anything too small or large is to be left out."""
    if _ANYTHING.search(case.asked) is None or bound.lhs is None or bound.lhs.func != "AVG":
        return False
    return any(each.operand.name == bound.lhs.name for each in case.answer)


def sum_bounded_by_row(case: Case) -> Finding | None:
    """The total of a computed amount is to be bounded, and WHERE bounds that of each row.

    >>> sum_bounded_by_row(case("Pilots who owe over 90 in total", "SELECT pilot_id, SUM(due - paid) FROM bills "
    ...     "WHERE due - paid > 90 GROUP BY pilot_id")).detail
    'due - paid > 90 of each row'
    """
    added = {each.column for each in case.sql.aggregations if each.func == "SUM" and len(each.columns) > 1}
    for each in case.sql.filters:
        in_row = each.clause is Clause.WHERE and each.lhs is not None and each.lhs.func is None
        if in_row and each.op in _BOUNDS and _bounds_several(each) and _name(each) in added:
            return Finding(1.0, f"{each.text} of each row")
    return None


_IN_ALL = cue(
    "total overall altogether",
    r"\b(?:at least|more than|over|min(?:imum)?(?: of)?) (?P<number>\d+) (?P<rows>[a-z]+s)(?: [a-z]+){0,2}? "
    r"(?:in total|overall|altogether)\b",
)


def part_bounded_for_whole(case: Case) -> Finding | None:
    """A number of all rows is bounded, and rows of one kind are counted; or one count is bounded for two.

    >>> part_bounded_for_whole(case("Cancelled flights of pilots with over 50 flights in total", "SELECT pilot_id, "
    ...     "COUNT(*) FROM flights WHERE state = 'cancelled' GROUP BY pilot_id HAVING COUNT(*) > 50")).detail
    "count(*) > 50 where state = 'cancelled'"
    """
    found = _IN_ALL.search(case.asked)
    part = _bounds_part(found["rows"], Number(float(found["number"])), case) if found is not None else None
    other = part or _levels_as_one(case) or _kind_beside_count(case)
    return other or _time_beside_count(case) or _all_days_bounded(case) or _whole_by_part(case)


def _bounds_part(rows: str, number: Number, case: Case) -> Finding | None:
    """The bound of a count of rows of one kind by the number of all of them."""
    kind = next((each for each in case.sql.filters if _keeps_kind(each, rows, case)), None)
    counts = (each for each in case.sql.filters if each.lhs is not None and each.lhs.func == "COUNT")
    odd = next((each for each in counts if each.rhs == number), None) if kind is not None else None
    return Finding(1.0, f"{odd.text} where {kind.text}") if odd is not None and kind is not None else None


def _keeps_kind(each: SqlFilter, rows: str, case: Case) -> bool:
    """Whether WHERE keeps rows of a kind that the question names beside the rows, and not within the bound."""
    if each.clause is not Clause.WHERE or each.op is not Op.EQ or not isinstance(each.rhs, Text):
        return False
    kind = re.escape(each.rhs.folded.replace("_", " "))
    named = re.search(rf"(?<!\d )\b{kind} {rows}\b|\b{rows} (?:that )?(?:were|was|are|got) {kind}\b", case.asked)
    return named is not None and re.search(rf"\d {kind} {rows}", case.asked) is None


_WITHIN = cue(
    "with having have had",
    r"\b(?:more than|at least|over|fewer than|less than) (\d+) [a-z]+ (?:each )?(?:with|having|who have|that have"
    r"|who had"
    r"|that had) (?:more than|at least|over|fewer than|less than) (\d+) ",
)


def _levels_as_one(case: Case) -> Finding | None:
    """Enough things with enough parts are asked for, and one group has enough things, and enough parts of all."""
    found = _WITHIN.search(case.asked)
    numbers = [Number(float(found[1])), Number(float(found[2]))] if found is not None else []
    bounds = [each for each in case.sql.having if each.lhs is not None and each.lhs.func == "COUNT"]
    both = [each for each in bounds if each.rhs in numbers]
    if len(both) != 2 or both[0].block != both[1].block or both[0].rhs == both[1].rhs:
        return None
    return Finding(1.0, f"{both[0].text} and {both[1].text} of one group")


_SOME = lazy(
    r"\bat least (?:one|once)\b|\b(?:one|any|some) of (?:them|which|those|whom)\b|\bonce\b|\bincluding\b|\balso\b"
)
_CONDITIONAL = lazy(r"case when|filter \(|count\([^*)]* (?:=|<|>|is) ")


def _kind_beside_count(case: Case) -> Finding | None:
    """A number of rows of a kind is to be bounded, and HAVING bounds that of all rows beside any one of the kind.

    >>> _kind_beside_count(case("Pilots with more than 20 late flights", "SELECT pilot_id FROM flights GROUP BY "
    ...     "pilot_id HAVING COUNT(*) > 20 AND SUM(CASE WHEN late = 1 THEN 1 ELSE 0 END) > 0")).detail
    'count(*) > 20 of all rows'
    """
    if len(case.sql.having) != 2 or _SOME.search(case.asked) is not None:
        return None
    for kind, total in (case.sql.having, reversed(case.sql.having)):
        any_one = kind.op is Op.GT and kind.rhs == Number(0) and _CONDITIONAL.search(_name(kind)) is not None
        bounds = total.op in _BOUNDS and isinstance(total.rhs, Number) and total.rhs.value > 1
        if any_one and bounds and _CONDITIONAL.search(_name(total)) is None:
            return Finding(1.0, f"{total.text} of all rows")
    return None


def _name(each: SqlFilter) -> str:
    return each.lhs.name if each.lhs is not None else ""


_OF_ENDS = lazy(
    r"\b(?:and|again|last|latest|most recent|newest|recently|still|earliest|first (?!of\b))\b"
    r"|\d[^?.]*\b(?:who|that|of (?:them|those|these)) [a-z]+ed\b"
)
"""What asks for the last time beside the number: `with 5 dives or more who dived since May`."""


def _time_beside_count(case: Case) -> Finding | None:
    """Rows of a time are to be counted or added, and HAVING asks of their groups only that one row is of that time.

    >>> _time_beside_count(case("Pilots who flew at least 3 times in 2023", "SELECT pilot_id FROM flights GROUP BY "
    ...     "pilot_id HAVING COUNT(*) >= 3 AND MAX(flown_on) >= '2023-01-01'")).detail
    'count(*) >= 3 beside max(flown_on) within [2023-01-01, )'
    """
    if len(case.sql.having) != 2 or _OF_ENDS.search(case.asked) is not None:
        return None
    for end, total in (case.sql.having, reversed(case.sql.having)):
        timed = end.lhs is not None and end.lhs.func == "MAX" and isinstance(end.rhs, TimeRange)
        added = total.lhs is not None and total.lhs.func in ("COUNT", "SUM") and isinstance(total.rhs, Number)
        if timed and added and end.block == total.block and not any(map(_keeps_time, case.sql.filters)):
            return Finding(1.0, f"{total.text} beside {end.text}")
    return None


def _keeps_time(each: SqlFilter) -> bool:
    return each.clause is not Clause.HAVING and isinstance(each.rhs, TimeRange | RelativeTime | DatePart)


_ON_A_DAY = cue(
    "day",
    r"\b(?:under|over|more than|less than|fewer than|at least|above|below) (\d+)(?: [a-z]+){1,2} (?:on|in) "
    r"(?:an?|any|one|a single|any one|the same) (?:single )?day\b",
)


def _all_days_bounded(case: Case) -> Finding | None:
    """A number on one day is to be bounded, and the rows of all days are counted together.

    >>> _all_days_bounded(case("Pilots with over 5 flights on a day",
    ...     "SELECT pilot_id FROM flights GROUP BY pilot_id HAVING COUNT(*) > 5")).detail
    'count(*) > 5 of all days'
    """
    found = _ON_A_DAY.search(case.asked)
    keys = [key.operand for key in case.sql.group_by]
    if found is None or any(map(is_calendar, keys)) or any(map(is_one_day, case.sql.filters)):
        return None
    bounds = (each for each in case.sql.having if each.lhs is not None and each.lhs.func in ("COUNT", "SUM"))
    odd = next((each for each in bounds if each.rhs == Number(float(found[1]))), None)
    return Finding(1.0, f"{odd.text} of all days") if odd is not None else None


_ALL_OF_THEM = lazy(r"\b(?:total|everything|all|whole|overall|full)\b")


def _whole_by_part(case: Case) -> Finding | None:
    """Things that ever had a part of a kind are asked for with all their rows, and WHERE keeps that kind alone.

    >>> _whole_by_part(case("Total fees of pilots who ever booked a glider",
    ...     "SELECT SUM(fee) FROM bookings WHERE kind = 'glider'")).detail
    "kind = 'glider' keeps a part of the rows"
    """
    counted = _ALL_THEIRS.search(case.asked) is not None or any(map(_bounds_several, case.sql.having))
    funcs = ("SUM", "AVG", "COUNT") if counted else ("SUM", "AVG")
    blocks = {each.block for each in case.sql.aggregations if each.func in funcs and not each.distinct}
    kinds = (each for each in case.sql.filters if each.block in blocks and _fixes(each))
    odd = next((each for each in kinds if _is_of_some(each, case)), None)
    return Finding(1.0, f"{odd.text} keeps a part of the rows") if odd is not None else None


def _bounds_several(each: SqlFilter) -> bool:
    return isinstance(each.rhs, Number) and each.rhs.value > 1


def _fixes(each: SqlFilter) -> bool:
    plain = each.clause is Clause.WHERE and each.op is Op.EQ and each.alternative is None
    return plain and isinstance(each.rhs, Text)


_ALL_THEIRS = lazy(r"\b(?:all|every) (?:of )?(?:their|its|the|those)\b")


def _is_of_some(kind: SqlFilter, case: Case) -> bool:
    """Whether the question asks for things that had the kind at least once, and for all that they had.

    The kind is one of the rows of another table than that of the things.
    """
    value = re.escape(kind.rhs.folded.replace("_", " ")) if isinstance(kind.rhs, Text) else ""
    if any(map(_bounds_several, case.sql.having)) and re.search(rf"\b{value}s?(?: \w+)? at least once\b", case.asked):
        return True
    found = re.search(
        rf"\b(?P<thing>[a-z]+) (?:who|that|which) (?:(?:ever|once) \w+ (?:an? |the |to )?"
        rf"|(?:had|have|has|contain\w*|includ\w*) (?:an? |at least one ))(?:\w+ )?{value}\b",
        case.asked,
    )
    other = found is not None and stem(found["thing"]) not in _rows_of(kind, case)
    return other and _ALL_OF_THEM.search(case.asked) is not None


_ALL_IN_ALL = cue(
    "total altogether overall combined all",
    r"\b(?:over|above|under|below|more than|less than|at least|at most|up to)\b[^.?;]{1,15}\d[^.?;]{0,15}"
    r"\b(?:in total|altogether|all in all|overall|in all|combined)\b",
)


def parts_bounded(case: Case) -> Finding | None:
    """Whole things are counted whose amounts are bounded in total, and WHERE bounds the amount of each part.

    >>> parts_bounded(case("How many trips came to over 300 in total?", "SELECT COUNT(DISTINCT t.id) FROM "
    ...     "trips t JOIN bills b ON b.trip_id = t.id WHERE b.amount > 300")).detail
    'amount > 300 of each of bills'
    """
    sql = case.sql
    if _ALL_IN_ALL.search(case.asked) is None or sql.having or sql.windows or sql.group_by:
        return None
    parts = {one.table for one, _ in references(sql)}
    counted = any(each.func == "COUNT" and each.distinct for each in sql.aggregations)
    odd = next((each for each in sql.filters if counted and _bounds_part_of(each, parts)), None)
    return Finding(1.0, f"{odd.text} of each of {', '.join(map(str, _tables_of(odd)))}") if odd is not None else None


def _bounds_part_of(each: SqlFilter, parts: set[str | None]) -> bool:
    """Whether WHERE bounds an amount of one of some tables by a number."""
    column = lone_column(each) if each.op in _BOUNDS and each.clause is Clause.WHERE else None
    amount = column is not None and key_stems(column.name) is None and column.table in parts
    return amount and isinstance(each.rhs, Number)


def _tables_of(each: SqlFilter) -> list[str | None]:
    return [column.table for column in each.lhs.columns] if each.lhs is not None else []


def mean_bounded(case: Case) -> Finding | None:
    """A number of rows is bounded that are called like a column, and WHERE bounds its values, whose mean is taken.

    >>> mean_bounded(case("Average rating of planes with at least 10 ratings",
    ...     "SELECT plane, AVG(rating) FROM ratings WHERE rating >= 10 GROUP BY plane")).detail
    'rating >= 10 of each row'
    """
    means = {each.columns for each in case.sql.aggregations if each.func == "AVG"}
    for each in case.sql.filters:
        column = lone_column(each) if each.op in _BOUNDS and each.clause is Clause.WHERE else None
        if column is not None and (column,) in means and _names_rows(column.name, each.rhs, case):
            return Finding(1.0, f"{each.text} of each row")
    return None


def _names_rows(name: str, number: object, case: Case) -> bool:
    """Whether the question bounds by that number how many of what a column is called there are."""
    wanted = [each for each in case.question.filters if each.rhs == number and each.lhs is not None]
    return any(each.lhs is not None and each.lhs.name.endswith(f"{name}s") for each in wanted)
