"""Signals about bounds of totals, of lengths and of numbers that may be 0, and about groups that have no rows."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.unmet.levels import part_bounded_for_whole
from scoring.signals.mistakes.unmet.links import lone_column
from scoring.signals.mistakes.unmet.ratios.measures import bound_in_hundredths
from scoring.signals.mistakes.unmet.repeated import repeats_misread
from scoring.signals.mistakes.unmet.times.reach import days_for_hours
from scoring.signals.mistakes.wording import HAS_ONE, cue, said
from scoring.signals.unit_names import FACTORS, convertible, is_unit, unit_named
from scoring.specification import Clause, Op, SqlFilter, SubqueryRole
from scoring.sql.shapes.naming import key_stems, table_words
from scoring.values import Expression, Number, Text
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_BOUNDS = frozenset({Op.LT, Op.LE, Op.GT, Op.GE})
_MEASURED = lazy(
    r"(?<![\w.])(\d[\d,]*(?:\.\d+)?|one|two|three|four|five|six|ten|twelve)\s*(h"
    r"|hours?|hrs?|minutes?|mins?|seconds?|secs?|days?|kg|kilograms?|g|grams?|tonnes?|"
    r"tons?|miles?|km|kilomet(?:er|re)s?|met(?:er|re)s?|gb|mb|kwh|mwh|litres?|liters?|ml)\b"
)


_SPELT = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10, "twelve": 12}
_DIFFERENCE = lazy(r"(?:timestamp_?|datetime_?|date_?)diff\(.*\b(second|minute|hour|day)s?\b.*\)")


def bound_in_other_unit(case: Case) -> Finding | None:
    """A length or a weight is bounded by the number of the question, in a column of another unit.

    >>> bound_in_other_unit(case("Trips longer than 2 hours", "SELECT id FROM trips WHERE duration_min > 2")).detail
    'expected → actual: 2 hours → duration_min > 2'
    """
    for number, unit in _MEASURED.findall(case.asked):
        said = Number(float(_SPELT.get(number) or number.replace(",", "")))
        for each in case.sql.filters:
            held = _unit_held(each)
            if held is None or not convertible(held, unit_named(unit)):
                continue
            if each.rhs == said or _is_of_other_factor(each, said.value, held, unit_named(unit)):
                return Finding(1.0, f"expected → actual: {number} {unit} → {each.text}")
    other = bound_in_hundredths(case) or days_for_hours(case)
    return Finding(1.0, other) if other is not None else None


_WRONG_FACTORS = (24, 60, 100, 1000, 1440, 3600)


def _is_of_other_factor(each: SqlFilter, said: float, held: str, unit: str) -> bool:
    """Whether the bound is the number of the question by the factor of another unit: `seconds > 2 * 60` for hours."""
    right = {factor for pair in ((held, unit), (unit, held)) for factor in FACTORS.get(pair, ())}
    given = each.rhs.value / said if isinstance(each.rhs, Number) and said else 0.0
    return given in _WRONG_FACTORS and given not in right


def _unit_held(each: SqlFilter) -> str | None:
    """The unit that the name of a bounded column ends or begins with."""
    if each.op not in _BOUNDS or each.lhs is None:
        return None
    apart = _DIFFERENCE.fullmatch(each.lhs.name)
    if apart is not None:
        return unit_named(apart[1])
    if len(each.lhs.columns) != 1 or re.search(r"[*/]", each.lhs.name):
        return None
    words = identifier_words(each.lhs.columns[0].name)
    leads = len(words) > 1 and len(words[0]) > 1 and is_unit(words[0]) and not is_unit(words[-1])  # `km_driven`
    return unit_named(words[0 if leads else -1]) if len(words) > 1 else None


_SPENT = cue(
    "spent earned made billed paid raised generated ordered bought invoiced missed lost charged donated used",
    r"\b(?:spent|earned|made|billed|paid|raised|generated|bought|ordered|invoiced|missed|lost|charged|donated|used)"
    r" (?:more than|less than|over|under|at least) "
    r"[^.?,;]{0,30}\b(?:in total|altogether|combined|overall|in all)\b",
)


def total_left_to_rows(case: Case) -> Finding | None:
    """A total or number of rows is to be bounded, and the SQL adds or counts nothing: a single row is enough.

    >>> total_left_to_rows(case("Which pilots spent more than 900 in total?",
    ...     "SELECT DISTINCT pilot_id FROM bills WHERE amount > 900")).detail
    'spent more than 900 in total: amount > 900'
    """
    odd = _rows_over_bound(case) or _part_over_budget(case) or repeats_misread(case)
    if odd is not None:
        return Finding(1.0, odd)
    found = _SPENT.search(case.asked)
    if found is None or (_adds_up(case) and not _counts_others(case)) or not _shows_things(case):
        return None
    bound = next((each for each in case.sql.filters if _bounds_amount(each)), None)
    return Finding(1.0, f"{found.group()}: {bound.text}") if bound is not None else None


def _rows_over_bound(case: Case) -> str | None:
    """WHERE compares each amount with a bound of its group, and SUM adds only the amounts above it.

    >>> _rows_over_bound(case("Which projects are over budget?", "SELECT p.id, SUM(i.cost) FROM projects p JOIN bills "
    ...     "i ON i.project_id = p.id WHERE i.cost > p.budget GROUP BY p.id, p.budget"))
    'cost > budget'
    """
    grouped = {column.name for key in case.sql.group_by for column in key.operand.columns}
    added = {each.columns[0].name for each in case.sql.aggregations if each.func == "SUM" and len(each.columns) == 1}
    for each in case.sql.filters if grouped and added else ():
        one, other = _compared(each)
        if (one in added and other in grouped) or (other in added and one in grouped):
            return each.text
    return None


_OVER_OWN = cue(
    "budget limit allowance quota",
    r"\b(?:over|above|beyond|exceed\w*) (?:their |its |the )?(?:budget|limit|allowance|quota)s?\b",
)
_SPENDING = frozenset(map(stem, "expense bill invoice payment cost charge purchase booking entry line item".split()))


def _part_over_budget(case: Case) -> str | None:
    """Whole projects over their budget are asked for, and WHERE compares each single bill with it.

    >>> _part_over_budget(case("Trips over budget", "SELECT t.id FROM trips t JOIN bills b ON b.trip_id = t.id "
    ...     "WHERE b.amount > t.budget"))
    'amount > budget: one of bills'
    """
    if _OVER_OWN.search(case.asked) is None or case.sql.group_by or case.sql.windows:
        return None
    for each in case.sql.filters:
        one, other = _compared(each)
        table = column.table if (column := lone_column(each)) is not None else None
        if one and other and table and not _SPENDING.isdisjoint(table_words(table)[-1:]):
            return f"{each.text}: one of {table}"
    return None


def _compared(each: SqlFilter) -> tuple[str, str]:
    """The two sides that WHERE compares by more or less."""
    if each.clause is not Clause.WHERE or each.lhs is None or each.op not in _BOUNDS:
        return "", ""
    return each.lhs.name, each.rhs.text if isinstance(each.rhs, Expression) else ""


def _counts_others(case: Case) -> bool:
    """Whether things are counted that have a row of some size, and nothing is added up."""
    taken = case.sql.aggregations
    return bool(taken) and all(each.func == "COUNT" and each.distinct and each.conditional for each in taken)


def _adds_up(case: Case) -> bool:
    sql = case.sql
    return bool(sql.group_by or sql.windows) or any(each.func == "SUM" for each in sql.aggregations)


def _shows_things(case: Case) -> bool:
    """Whether the answer shows things that may have several rows: the rows of a join, different ones, or keys."""
    shown = [column for each in case.answer for column in each.operand.columns]
    return case.sql.distinct or bool(case.sql.joins) or any(key_stems(column.name) for column in shown)


def _bounds_amount(each: SqlFilter) -> bool:
    in_row = each.clause in (Clause.WHERE, Clause.CASE)
    return each.op in _BOUNDS and in_row and isinstance(each.rhs, Number) and each.rhs.value > 1


_EVEN_NONE = lazy(r"\b(?:zero|0) (?:if|for|where|when)\b|\b(?:incl|including|with|also) (?:the )?zeros?\b")
_EACH_OF = lazy(r"\b(?:each|every|per|by)\b|\bhow many \w+ (?:they|it|he|she) ha(?:s|ve)\b")
_HOW_MANY = lazy(r"\b(?:how many|number of|count of|# of)\b")


def empty_groups_counted(case: Case) -> Finding | None:
    """COUNT(*) over an outer join gives 1 to a group that has no rows of its own.

    >>> empty_groups_counted(case("How many flights has each pilot?",
    ...     "SELECT p.name, COUNT(*) FROM pilots p LEFT JOIN flights f ON f.pilot_id = p.id GROUP BY p.name")).detail
    'COUNT(*) over LEFT JOIN flights'
    """
    sql = case.sql
    if len(sql.joins) != 1 or sql.joins[0].kind != "left" or len(sql.blocks) != 1 or sql.having:
        return None
    if [each.column for each in sql.aggregations if each.func == "COUNT"] != ["*"]:
        return None
    right = sql.joins[0].table
    if not _groups_left_rows(case, right) or not _asks_each(case, right):
        return None
    return Finding(1.0, f"COUNT(*) over LEFT JOIN {right}")


def _groups_left_rows(case: Case, right: str) -> bool:
    """Whether all keys are of other tables than the joined one, and no condition tests its columns."""
    keys = [column for each in case.sql.group_by for column in each.operand.columns]
    tested = [column for each in case.sql.filters if each.lhs is not None for column in each.lhs.columns]
    own = all(column.table not in (None, right) for column in keys)
    return bool(keys) and own and all(column.table != right for column in tested)


def _asks_each(case: Case, right: str) -> bool:
    """Whether the rows of the joined table are to be counted for each of the others."""
    own = {word for table in case.sql.blocks[0].tables if table != right for word in table_words(table)}
    counted = {
        word for each in case.question.aggregations if each.func == "COUNT" for word in identifier_words(each.column)
    }
    numbered = _HOW_MANY.search(case.asked) or _EVEN_NONE.search(case.said)
    asks = numbered is not None and _EACH_OF.search(case.asked) is not None
    return asks and own.isdisjoint(counted)


_MAY_BE_NONE = cue(
    "fewer less most under",
    r"\b(?:fewer than|less than|at most|no more than|not more than|under) (?:\d+|one|two|three|four|five|six|ten)\b",
)


def empty_groups_dropped(case: Case) -> Finding | None:
    """Things with fewer than a number of others are asked for, and an inner join drops those that have none.

    >>> empty_groups_dropped(case("Pilots with fewer than 3 flights", "SELECT p.name FROM pilots p "
    ...     "JOIN flights f ON f.pilot_id = p.id GROUP BY p.name HAVING COUNT(*) < 3")).detail
    'fewer than 3: count(*) < 3 over an inner join'
    """
    periods = empty_periods_dropped(case)
    if periods is not None:
        return Finding(1.0, periods)
    found, sql = _MAY_BE_NONE.search(case.asked), case.sql
    if found is None or not sql.joins or any(each.kind != "inner" for each in sql.joins) or len(sql.blocks) != 1:
        return None
    for each in sql.having:
        if each.op in (Op.LT, Op.LE) and each.lhs is not None and each.lhs.func == "COUNT":
            return Finding(1.0, f"{found.group()}: {each.text} over an inner join")
    return None


_EMPTY_PERIODS = cue(
    "day week month hour date quarter",
    r"\b(?:including|incl\.?|even|also|with)(?: for| the)? (?:the )?(?:days|weeks|months|hours|dates|quarters) "
    r"(?:(?:that|which) (?:had|have) |that are )?(?:without|with(?:out)? (?:no|zero|0|any|nothing)|no|zero|nothing"
    r"|where (?:nothing|there))\b",
)
_CALENDAR = lazy(
    r"generate|\bseries|calendar|spine|\bdates?\b(?=\s+\w*\s*(?:left|cross|join))|dim_|recursive|connect\s+by|sequence"
    r"|explode|\b(?:left|right|full|cross)\s+(?:outer\s+)?join|\bunion\b|\bvalues\b|with\s+fill|numbers",
    re.IGNORECASE,
)


def empty_periods_dropped(case: Case) -> str | None:
    """Days, weeks or months with nothing are to be shown, and groups of rows have none of them.

    >>> empty_periods_dropped(case("Flights per day in May, including days without any",
    ...     "SELECT day, COUNT(*) FROM flights WHERE month = 5 GROUP BY day"))
    'including days without: only those with rows'
    """
    found = _EMPTY_PERIODS.search(case.asked)
    if found is None or not case.sql.group_by or _CALENDAR.search(case.written) is not None:
        return None
    return f"{found.group()}: only those with rows"


def value_of_any_row(case: Case) -> Finding | None:
    """All rows of a group are counted, and only its last value in the order of letters is tested."""
    part = _bound_of_part(case) or part_bounded_for_whole(case)
    if part is not None:
        return part
    sides = [each.lhs for each in case.sql.having if each.lhs is not None]
    tests = [each for each in case.sql.having if each.lhs is not None and each.lhs.func in ("MAX", "MIN")]
    if len(tests) != 1 or any(each.distinct for each in sides):
        return None
    return _of_one_row(tests[0], case)


_COUNTED_PART = lazy(
    r"(?:count|sum)\((?!\*|distinct )(?:case when )?(.+?)(?: then 1(?: else 0)? end)?\)|count\(\*\) filter \(where "
    r"(.+)\)"
)


def _bound_of_part(case: Case) -> Finding | None:
    """The rows that a rate is of are bounded in number, and HAVING counts the part of them alone."""
    wholes = [each.numerator.removeprefix("100 * ") for each in case.sql.divisions if "count(*)" in each.denominator]
    for each in case.sql.having if wholes else ():
        name = each.lhs.name if each.lhs is not None and each.op in _BOUNDS else ""
        part = _COUNTED_PART.fullmatch(name)
        if part is not None and any(name in whole for whole in wholes):
            named = _is_part_bounded(part[1] or part[2], case)
            return None if named else Finding(1.0, f"{each.text} counts the part alone")
    return None


def _is_part_bounded(condition: str, case: Case) -> bool:
    """Whether the question bounds the number of the part itself: `10 or more cancelled`."""
    value = re.search(r"'([^']+)'", condition)
    return value is not None and re.search(rf"\d\+? (?:or more )?{re.escape(value[1])}", case.asked) is not None


def _of_one_row(test: SqlFilter, case: Case) -> Finding | None:
    """The test of an extreme, where every row that is counted is to meet it."""
    value = test.rhs
    if isinstance(value, Number) and test.op in (Op.GT, Op.GE) and _OF_EACH_ROW.search(said(case)):
        return Finding(1.0, f"{test.text} of one row, not of each that is counted")
    named = isinstance(value, Text) and _WORDS.fullmatch(value.folded) is not None and value.folded != "true"
    return Finding(1.0, f"{test.text} of all rows that are counted") if named and test.op is Op.EQ else None


_WORDS = lazy(r"[a-z][a-z _-]{3,}")
_OF_EACH_ROW = cue(
    "each",
    r"\b(?:longer|larger|bigger|higher|more|over|above|heavier|older) (?:than )?\w+ ?\w* each\b"
    r"|\beach (?:counted )?\w+ (?:lasted|took|cost|weighed|was|were|is|has|had)\b",
)


def kept_by_part(case: Case) -> Finding | None:
    """Whole things are kept by one of their parts, and only the parts of that kind are added or counted."""
    whole = part_bounded_for_whole(case)
    if whole is not None:
        return whole
    found, sql = HAS_ONE.search(said(case)), case.sql
    if found is None or any(each.role is not SubqueryRole.DERIVED for each in sql.subqueries):
        return None
    added = {column.table for each in sql.aggregations if each.func in ("SUM", "AVG") for column in each.columns}
    odd = next((each for each in sql.filters if _keeps_parts(each, stem(found[1]), added)), None)
    return Finding(1.0, f"{found.group()}: only rows with {odd.text} are added") if odd is not None else None


def _keeps_parts(each: SqlFilter, part: str, added: set[str | None]) -> bool:
    """Whether WHERE keeps one kind of the rows that are added."""
    if each.op is not Op.EQ or each.clause is not Clause.WHERE or each.lhs is None or not each.lhs.columns:
        return False
    column = each.lhs.columns[0]
    words = re.findall(r"[a-z]+", each.rhs.folded) if isinstance(each.rhs, Text) else ()
    named = part in map(stem, words) or (column.name.startswith("is_") and part in identifier_words(column.name))
    return named and column.table in added - {None}
