"""What is asked for whole, where the SQL keeps a part: an order with all its lines, what overlaps a time."""

from __future__ import annotations

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.wording import asked
from scoring.specification import Clause, Op, SqlFilter
from scoring.values import Text, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words

_WHOLE = lazy(
    r"\bcount (?:all|every) (?:the )?\w+ (?:of|in) (?:those|these|them|such)\b"
    r"|\bnot (?:only|just) (?:the |those )\w+(?! of\b)\b"
    r"|\bthe whole (?:order|basket|booking|invoice|trip|cart|bill|shipment|account|group|case)s?\b"
)
_AT_ANY = lazy(r"\bat (?:any|some) (?:point|time|moment)\b|\bany time (?:in|during)\b|\bsome ?time (?:in|during)\b")
_STARTS = frozenset("start starts begin begins from opened valid since".split())


def parts_dropped(case: Case) -> Finding | None:
    """Things are asked for whole, and WHERE keeps their fitting parts alone; or all that overlaps a time, and less."""
    whole = _WHOLE.search(asked(case)) if _reads_once(case) else None
    if whole is not None and any(map(_keeps_a_kind, case.sql.filters)):
        return Finding(1.0, f"{whole.group()}: WHERE keeps a part of it")
    overlaps = _AT_ANY.search(asked(case))
    inside = _inside(case) if overlaps is not None else None
    return Finding(1.0, f"{overlaps.group()}: {inside.text}") if overlaps is not None and inside is not None else None


def _keeps_a_kind(each: SqlFilter) -> bool:
    return each.clause is Clause.WHERE and each.op is Op.EQ and isinstance(each.rhs, Text)


def _reads_once(case: Case) -> bool:
    return len(case.sql.blocks) == 1 and not case.sql.subqueries and not case.sql.windows


def _inside(case: Case) -> SqlFilter | None:
    """The bound on a beginning, where what began before a time or ended after it is left out."""
    begins = [each for each in case.sql.filters if _open_end(each) == "end"]
    ends = [each for each in case.sql.filters if _open_end(each) == "start"]
    both = len(begins) == len(ends) == 1 and _is_start(begins[0]) and not _is_start(ends[0])
    return begins[0] if both else None


def _open_end(each: SqlFilter) -> str | None:
    """Which end of the time is open that WHERE keeps."""
    if each.clause is not Clause.WHERE or not isinstance(each.rhs, TimeRange):
        return None
    return "end" if each.rhs.end is None else "start" if each.rhs.start is None else None


def _is_start(each: SqlFilter) -> bool:
    """Whether a condition is on the beginning of something."""
    columns = each.lhs.columns if each.lhs is not None else ()
    return any(not _STARTS.isdisjoint(identifier_words(column.name)) for column in columns)
