"""Signals about what occurs more than once: duplicates, what happened several times, and groups of single rows."""

from __future__ import annotations

from scoring.signals.mistakes.wording import cue
from scoring.specification import Aggregation, Op, SqlFilter, SqlSpec
from scoring.sql.shapes.naming import is_own_key
from scoring.values import Number
from scoring.verdict import Case
from scoring.words import identifier_words

_DUPLICATES = cue(
    "duplicate twice",
    r"\bduplicate[ds]?\b(?! (?:rows?|records?|entries|lines?|ones?)? ?(?:removed|excluded|out\b|left out|do))"
    r"|\b(?:appears?|occurs?|exists?|listed|registered|entered|stored) (?:at least )?twice\b",
)
_REMOVED = cue(
    "without no not remov exclud ignor dedup drop free skip despite counting counted",
    r"\b(?:without|no|not|remov\w*|exclud\w*|ignor\w*|dedup\w*|drop\w*|free of|skip\w*|despite|counting|counted)\b",
)
_SEVERAL = cue(
    "once twice times repeatedly",
    r"\b(?:more than (?:once|twice)|at least twice|(?:more than|at least) (?:two|three|four|five|\d+) times"
    r"|several times|multiple times|repeatedly)\b|\b(?:booked|ordered|paid|charged|billed|sent|used|sold) twice\b",
)
_COUNTING = frozenset({"count", "cnt", "num", "number", "times", "n", "total", "attempts", "attempt", "no", "visits"})


def repeats_unchecked(case: Case) -> str | None:
    """What occurs several times is asked for, and nothing in the SQL tells how often it does.

    >>> repeats_unchecked(case("Duplicate pilot codes", "SELECT code, COUNT(*) FROM pilots GROUP BY code"))
    'duplicate: nothing tells how often'
    """
    found = _SEVERAL.search(case.asked)
    if found is None:
        found = _DUPLICATES.search(case.asked) if _REMOVED.search(case.asked) is None else None
    if found is None or case.follow_up is not None or "dup" in case.written.casefold() or _weighs_repeats(case):
        return None
    return f"{found.group()}: nothing tells how often"


def _weighs_repeats(case: Case) -> bool:
    """Whether rows are numbered, joined with each other, or counted below or for a condition, or a number is stored."""
    sql = case.sql
    if sql.having or sql.windows or sql.set_operations or any(each.lhs and each.lhs.func for each in sql.filters):
        return True
    return any(_counts_apart(each, sql) for each in sql.aggregations) or _joins_itself(sql) or _stores_number(sql)


def _joins_itself(sql: SqlSpec) -> bool:
    tables = [table for block in sql.blocks for table in block.tables]
    return len(tables) != len(set(tables))


def _stores_number(sql: SqlSpec) -> bool:
    return any(not _COUNTING.isdisjoint(identifier_words(column.name)) for column in sql.columns)


def _counts_apart(each: Aggregation, sql: SqlSpec) -> bool:
    """Whether different things are counted, rows of a kind, or rows below the answer."""
    return each.conditional or (each.func == "COUNT" and (each.distinct or each.block not in sql.outputs))


def single_rows_counted(case: Case) -> str | None:
    """Groups with more than one row are kept, and the key of the table is among the keys of the groups.

    >>> single_rows_counted(case("Duplicate pilot codes",
    ...     "SELECT code FROM pilots GROUP BY id, code HAVING COUNT(*) > 1"))
    'count(*) > 1 of each id, which has one row'
    """
    if len(case.sql.blocks) != 1 or case.sql.joins:
        return None
    keys = [column for key in case.sql.group_by for column in key.operand.columns]
    own = next((column.name for column in keys if column.name == "id" and is_own_key(column)), None)
    odd = next((each for each in case.sql.having if _keeps_several(each)), None) if own is not None else None
    return f"{odd.text} of each {own}, which has one row" if odd is not None else None


def _keeps_several(each: SqlFilter) -> bool:
    counts = each.lhs is not None and each.lhs.func == "COUNT" and each.op in (Op.GT, Op.GE)
    return counts and isinstance(each.rhs, Number) and each.rhs.value + (each.op is Op.GT) > 1


def repeats_misread(case: Case) -> str | None:
    """The first of these that is wrong with what occurs several times."""
    return single_rows_counted(case) or repeats_unchecked(case)
