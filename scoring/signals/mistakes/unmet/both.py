"""Signals about two things that must both be, or of which one must not be: kinds, months, and rows taken away."""

from __future__ import annotations

import re
from datetime import datetime

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.unmet.roles import MOVED, side_of
from scoring.signals.mistakes.wording import cue, shapes, stems_of
from scoring.specification import Clause, Column, Op, SqlFilter, SqlSpec, SubqueryRole
from scoring.specification.shapes import ShapeKind
from scoring.sql.shapes.naming import is_own_key, key_stems, table_words
from scoring.values import Choices, Number, Text, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*"
_BOTH = cue("both", r"\bboth\b")
_BOTH_MONTHS = cue("both", rf"\bboth (?:in |during )?{_MONTH} and (?:in |during )?{_MONTH}\b")


def kinds_by_other_key(case: Case) -> str | None:
    """Two kinds must both occur, and what HAVING counts are different things of either kind.

    >>> kinds_by_other_key(case("Pilots who flew both 'Kite' and 'Swan'", "SELECT pilot FROM flights WHERE plane IN "
    ...     "('Kite', 'Swan') GROUP BY pilot HAVING COUNT(DISTINCT flight_id) >= 2"))
    'count(distinct flight_id) >= 2 for both of plane'
    """
    kinds = [each for each in case.sql.filters if each.op is Op.IN and isinstance(each.rhs, Choices)]
    if _BOTH.search(case.asked) is None or len(kinds) != 1 or len(case.sql.having) != 1 or case.sql.set_operations:
        return None
    counted, listed = case.sql.having[0].lhs, kinds[0].lhs
    if counted is None or listed is None or not (counted.func == "COUNT" and counted.distinct):
        return None
    other = set(counted.columns).isdisjoint(listed.columns)
    return f"{case.sql.having[0].text} for both of {listed.name}" if other else None


_NEITHER = cue("neither", r"\bneither\b[^.?!]{1,40}\bn?or\b")
_AND_AGAIN = cue("and", r"\bin (20\d\d) and (?:again |also )?(?:in )?(20\d\d)\b")
_EITHER_YEAR = lazy(r"\bin\s*\(\s*'?20\d\d'?\s*,\s*'?20\d\d'?\s*\)", re.IGNORECASE)


def either_lacked(case: Case) -> str | None:
    """Things that have neither of two are asked for, and those that lack one of them come.

    >>> either_lacked(case("Pilots with neither a kite nor a plane", "SELECT p.id FROM pilots p LEFT JOIN kites k ON "
    ...     "k.owner = p.id LEFT JOIN planes g ON g.pilot = p.id WHERE k.owner IS NULL OR g.pilot IS NULL"))
    'owner is null or pilot is null'
    """
    if _NEITHER.search(case.asked) is None:
        return None
    lacking = [each for each in case.sql.filters if each.op is Op.IS_NULL and each.alternative is not None]
    pair = [each for each in lacking if each.alternative == lacking[0].alternative]
    return " or ".join(each.text for each in pair[:2]) if len(pair) > 1 else None


def either_year(case: Case) -> str | None:
    """Who did something in one year and again in another is asked for, and one of the years is enough.

    >>> either_year(case("Who flew in 2024 and again in 2025?", "SELECT pilot FROM flights WHERE year IN (2024, 2025)"))
    '2024 and 2025: year IN (2024, 2025)'
    """
    found, listed = _AND_AGAIN.search(case.asked), _EITHER_YEAR.search(case.written)
    once = case.sql.having or case.sql.group_by or case.sql.set_operations or len(case.sql.blocks) != 1
    if (
        found is None
        or listed is None
        or once
        or not re.match(r"\s*(?:who|which|list|all|customers|donors)\b", case.asked)
    ):
        return None
    return f"{found[1]} and {found[2]}: year {listed.group()}"


def months_as_one_time(case: Case) -> str | None:
    """Something in both of two months is asked for, and one time from the first to the last is enough.

    >>> months_as_one_time(case("Who flew both in may and june?",
    ...     "SELECT DISTINCT pilot FROM flights WHERE day >= '2020-05-01' AND day < '2020-07-01'"))
    'both in may and june: day within [2020-05-01, 2020-07-01)'
    """
    found = _BOTH_MONTHS.search(case.asked)
    if found is None or case.sql.having or any(each.conditional for each in case.sql.aggregations):
        return None
    if any(each.kind.startswith("intersect") for each in case.sql.set_operations):
        return None
    wide = next((each for each in case.sql.filters if _is_of_two_months(each)), None)
    return f"{found.group()}: {wide.text}" if wide is not None else None


def _is_of_two_months(each: SqlFilter) -> bool:
    time = each.rhs if each.clause is Clause.WHERE and isinstance(each.rhs, TimeRange) else None
    if time is None or time.start is None or time.end is None:
        return False
    return _TWO_MONTHS[0] <= (time.end - time.start).days <= _TWO_MONTHS[1]


_TWO_MONTHS = (58, 62)
_LACKING = cue(
    "without w/o but and",
    r"\b(?:without|w/o|but (?:never|not|no|didn'?t|haven'?t|hasn'?t|who (?:never|didn'?t))|and (?:never|didn'?t))\b",
)


def taken_from_the_other(case: Case) -> Finding | None:
    """Who did one thing without another is asked for, and those who did the other without the one come.

    >>> taken_from_the_other(case("Pilots who took a test without having a lesson",
    ...     "SELECT pilot_id FROM lessons EXCEPT SELECT pilot_id FROM tests")).detail
    'lessons without tests'
    """
    lacked = _lacked_by_row(case)
    if lacked is not None:
        return Finding(1.0, lacked)
    found = _LACKING.search(case.asked)
    exclusions = [each for each in case.sql.set_operations if each.kind.startswith(("except", "minus"))]
    if found is None or len(exclusions) != 1:
        return None
    tables = {block.path: block.tables for block in case.sql.blocks}
    kept, taken = tables.get(exclusions[0].left, ()), tables.get(exclusions[0].right, ())
    if len(kept) != 1 or len(taken) != 1 or kept == taken:
        return None
    before, after = (stems_of(text) for text in (case.asked[: found.start()], case.asked[found.end() :]))
    one, other = table_words(kept[0])[-1], table_words(taken[0])[-1]
    reversed_ = other in before - after and one in after - before
    return Finding(1.0, f"{kept[0]} without {taken[0]}") if reversed_ else None


def _lacked_by_row(case: Case) -> str | None:
    """A row of one period is tested to be of no other one, which each is, in place of that there is no other row."""
    if _NOTHING.search(case.asked) is None:
        return None
    alone = [each for each in case.sql.filters if each.alternative is None and each.clause is Clause.WHERE]
    kept = [each for each in alone if each.op is Op.WITHIN]
    lacked = (each for each in alone if each.op is Op.NOT_WITHIN)
    return next(
        (f"{each.text}: of the same row" for each in lacked if any(_lies_apart(each, one) for one in kept)), None
    )


_NOTHING = lazy(r"\b(?:who|which|what)\b.*(?:\b(?:not|nothing|none|never|no|without)\b|n['’]t\b)", re.DOTALL)


def _lies_apart(lacked: SqlFilter, kept: SqlFilter) -> bool:
    return kept.lhs == lacked.lhs and kept.block == lacked.block and _are_apart(kept.rhs, lacked.rhs)


def _are_apart(one: object, other: object) -> bool:
    if not isinstance(one, TimeRange) or not isinstance(other, TimeRange):
        return False
    first, last = (one, other) if (one.start or datetime.min) <= (other.start or datetime.min) else (other, one)
    return first.end is not None and last.start is not None and first.end <= last.start


_IN_EVERY = cue(
    "every each",
    r"\bin (?:every|each)(?: single| one of the)? (month|week|quarter|year|day)s? "
    r"(?:of|in|from|since|between|this|last)\b"
    r"|\b(?:at least )?(?:one|once|any|an?)\b[^.?;]{0,40}\bin (?:every|each)(?: single)? (month|week|quarter|year)\b",
)


def rows_for_every_period(case: Case) -> str | None:
    """Something in every month is asked for, and as many rows, of whichever months, are enough.

    >>> rows_for_every_period(case("Who flew at least once in every month of Q1 2020?", "SELECT pilot FROM flights "
    ...     "WHERE day >= '2020-01-01' AND day < '2020-04-01' GROUP BY pilot HAVING COUNT(*) >= 3"))
    'count(*) >= 3 for every month'
    """
    found = _IN_EVERY.search(case.asked)
    period = (found[1] or found[2]) if found is not None else None
    grain = rf"(?<!_){period}|trunc|%[mywu]|strftime|to_char|format"
    if period is None or re.search(grain, case.written, re.IGNORECASE) is not None:
        return None
    bounds = [each for each in case.sql.filters if each.lhs is not None and each.lhs.func == "COUNT"]
    odd = next((each for each in bounds if isinstance(each.rhs, Number) and each.rhs.value > 1), None)
    return f"{odd.text} for every {period}" if odd is not None else None


_STILL = lazy(r"\bstill\b(?! (?:to|need|should|must|be|like|get)\b)")


def still_untested(case: Case) -> str | None:
    """What is still so is asked for, and the SQL has no condition of any kind.

    >>> still_untested(case("Top 3 pilots by planes still in the hangar",
    ...     "SELECT pilot, COUNT(*) FROM planes GROUP BY pilot ORDER BY 2 DESC LIMIT 3"))
    'still'
    """
    if _STILL.search(case.asked) is None or len(case.sql.joins) > 1:
        return None
    end = _end_only_read(case)
    if end is not None:
        return f"still: {end} is read and never tested"
    if _may_select(case.sql) and not (_STAYED.search(case.asked) and _selects_a_kind(case)):
        return None
    named = any("current" in identifier_words(table) for table in case.sql.blocks[0].tables)
    return None if named else "still"


_END = frozenset(map(stem, "end ended left cancelled canceled terminated closed returned expired expiry".split()))


_STATED = frozenset({"status", "state", "active", "st", "stat", "flag"})


def _end_only_read(case: Case) -> str | None:
    """The time of an end that a query below the answer hands on, and that no condition looks at."""
    read = [column for column in case.sql.columns if not _END.isdisjoint(identifier_words(column.name)[:1])]
    operands = [each.lhs for each in case.sql.filters if each.lhs is not None]
    stated = {word for each in operands for word in identifier_words(each.name)}
    used = [*operands, *case.sql.aggregations, *(each.operand for each in case.answer)]
    if len(read) != 1 or stated & _STATED or any(read[0] in each.columns for each in used):
        return None
    return read[0].name


_STAYED = lazy(
    r"\b(?:we|they) still (?:have|employ)\b|\bstill (?:w(?:ith|/)? us|here|on staff|employed|work(?:s|ing)? here)\b"
)


def _selects_a_kind(case: Case) -> bool:
    """Whether nothing but kinds that the question names select rows: `role = 'PT'` for `PTs we still have`."""
    sql = case.sql
    if sql.having or sql.set_operations or sql.windows or len(sql.blocks) != 1 or not sql.filters:
        return False
    plain = not any(each.conditional for each in sql.aggregations)
    return plain and all(_names_kind(each, case) or _is_of_beginning(each) for each in sql.filters)


def _names_kind(each: SqlFilter, case: Case) -> bool:
    """Whether a condition keeps a kind that the question names."""
    kind = each.rhs.folded.replace("_", " ") if isinstance(each.rhs, Text) and each.op is Op.EQ else ""
    return bool(kind) and kind in case.asked


def _is_of_beginning(each: SqlFilter) -> bool:
    """Whether a condition is on the time at which people came, which does not tell who left."""
    columns = each.lhs.columns if each.lhs is not None and each.op is Op.WITHIN else ()
    return any(not _CAME.isdisjoint(identifier_words(column.name)) for column in columns)


_CAME = frozenset(map(stem, "hire hired start started join joined begin began enrolled signup created".split()))


def _may_select(sql: SqlSpec) -> bool:
    """Whether anything selects some of the rows."""
    conditions = sql.filters or sql.having or any(each.conditional for each in sql.aggregations)
    return bool(conditions or sql.set_operations or sql.windows or len(sql.blocks) != 1)


_NEITHER_SIDE = cue(
    "neither",
    r"\bneither (?:paying|giving|sending|lending|selling|sent|paid|gave|lent|sold) nor "
    r"(?:receiving|getting|taking|borrowing|buying|received|got|took|borrowed|bought)\b",
)
_NONE = lazy(r"\b(?:no|never|without|not|unused|nowhere)\b|n't\b")
_FIRST_END = lazy(r"(.+)_(a|1)((?:_id|_code|_cd)?)")
_POSTAL = frozenset("address addr line name phone street".split())


def one_end_read(case: Case) -> str | None:
    """What is at neither of two ends is asked for, and the SQL looks at one of them.

    >>> one_end_read(case("Which harbours have no ferry line?", "SELECT name FROM harbours h LEFT JOIN ferry_lines f "
    ...     "ON f.harbour_a = h.id WHERE f.id IS NULL"))
    'only harbour_a is read'
    """
    if _NONE.search(case.asked) is None or not _looks_for_none(case):
        return None
    read = {each.name for each in case.sql.columns}
    keys = {shape.words[0] for shape in shapes(case, ShapeKind.ANSWER_ROLE)}
    keys |= {column.name for join in case.sql.joins for pair in join.pairs for column in pair}
    found = next((name for name in sorted(keys) if read.isdisjoint(_other_ends(name) or read)), None)
    return f"only {found} is read" if found is not None else _one_side_read(case)


def _looks_for_none(case: Case) -> bool:
    """Whether the SQL keeps what has no row in another table."""
    left = any(each.op is Op.IS_NULL for each in case.sql.filters)
    return left or any(each.role in (SubqueryRole.NOT_IN, SubqueryRole.NOT_EXISTS) for each in case.sql.subqueries)


def _other_ends(name: str) -> set[str]:
    """How the other end is named of two that a column names the first of: `port_b` of `port_a`."""
    end = _FIRST_END.fullmatch(name)
    if end is None or not _POSTAL.isdisjoint(identifier_words(end[1])):
        return set()
    return {f"{end[1]}_{'b' if end[2] == 'a' else '2'}{end[3]}"}


def _one_side_read(case: Case) -> str | None:
    """`neither paying nor receiving`, where the table is joined by one of the two keys alone."""
    found = _NEITHER_SIDE.search(case.asked)
    sided = [each for each in case.sql.columns if side_of(each.name, MOVED)] if found is not None else []
    if found is None or not sided or sided[0].table is None:
        return None
    side = sided[0]
    others = [each for each in case.sql.columns - {side} if each.table == side.table and _is_reference(each)]
    return f"{found.group()}: only {side.name} is read" if not others else None


def _is_reference(column: Column) -> bool:
    return key_stems(column.name) is not None and not is_own_key(column)
