"""Signals about bounds of single rows, of all rows of a group, and of parts within parts, that HAVING takes as one."""

from __future__ import annotations

import re

from scoring.signals.finding import Finding
from scoring.signals.mistakes.wording import cue
from scoring.specification import Clause, Op, SqlFilter
from scoring.sql.shapes.naming import key_stems, table_words
from scoring.values import Number, Text
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_BOUNDS = frozenset({Op.GT, Op.GE, Op.LT, Op.LE})
_ROWS_OVER = re.compile(
    r"\b(?:no\.? of|number of|how many|count of|(?:average|avg|total|sum|mean)(?: [a-z]+)? of|only(?: count|"
    r" take)?|take only"
    r"|just)(?: (?:the|all|our|heavy|big|large|small|long|short))* (?P<thing>[a-z]+s)\b(?: (?:in|of|from|during)"
    r" [a-z0-9]+)"
    r"{0,2}(?: (?:that|which))?(?: (?:are|were|was|is|lasted|took|take|last|weigh\w*|cost\w*|with|of|worth))? \(?"
    r"(?:(?:long|short|bigg|larg|small|heavi|high|old)er than|over|above|under|below|more than|less than|at least"
    r"|at most"
    r"|\d+ \w+ (?:and|or) (?:up|more|over|above))\b"
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
    bounds = [each for each in case.sql.filters if each.lhs is not None and each.lhs.func == "COUNT"]
    for each in bounds if found is not None else ():
        kind = next((kept for kept in case.sql.filters if found and _keeps_kind(kept, found["rows"], case)), None)
        if found is not None and kind is not None and each.rhs == Number(float(found["number"])):
            return Finding(1.0, f"{each.text} where {kind.text}")
    return _levels_as_one(case)


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
