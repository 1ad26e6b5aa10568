"""Signals about who has not done a thing for a while: those who never did it belong to them, and need no last time."""

from __future__ import annotations

from scoring.alignment.left_out import EXCLUDING_ROLES
from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.wording import asks_nothing_since, cue
from scoring.specification import Clause, Op, SqlFilter
from scoring.values import RelativeTime, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_DID_BEFORE = lazy(
    r"\bused to\b|\bbefore\b(?! (?:the )?(?:\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|last|this|that))"
    r"|\bpreviously\b|\bin the past\b|\bonce\b|\bat least\b|\bformer\b|\blapsed\b|\bgone (?:quiet|cold|silent|dark)\b"
    r"|\bstopped\b|\blost\b|\bchurn\w*\b|\bno longer\b|\bwin(?:ning)?[- ]?backs?\b|\bregulars?\b|\bearlier\b"
    r"|\b(?:their|its|his|her|the) (?:last|latest|most recent)\b(?! (?:\w+ )?(?:day|week|month|quarter|year|hour|\d))"
    r"|\blast \w+ (?:was|is|date|on)\b|\bwhen (?:\w+ )?last\b"
    r"|\bsince (?:then|that|their|its)\b|\bbut (?:did|had|were|was|who|that|they)\b|\band (?:did|had|were|was)\b"
    r"|\b(?:customer|buyer|client|shopper|donor)s?\b"
    r"|\bdormant\b|\binactive\b|\bover(?:due)?\b|\bmore than \w+ \w+ ago\b|\bhad (?:one|some)\b"
)
"""Words for people who did it at least once: those who never did are not asked for."""
_AGAIN = lazy(
    r"\b(?:seen|been|back|again|any ?more|return\w*|renew\w*|re-?order\w*|re-?book\w*|repeat\w*|reply|replied)\b"
)
"""Verbs that say that there was a first time."""


def quiet_misread(case: Case) -> Finding | None:
    """Those who never did it are lost, or come though only those who once did are asked for: doubts of half strength.

    Or an older time is enough, whatever the last one is.
    """
    older = last_by_any(case) or recent_for_quiet(case)
    if older is not None:
        return Finding(1.0, older)
    found = never_lost(case) or before_unchecked(case)
    return Finding(0.5, found) if found is not None else None


def never_lost(case: Case) -> str | None:
    """Who has not done a thing for a while is asked for, and only those come whose last time is long ago.

    Without any row there is no last time, and NULL is not less than a date.

    >>> never_lost(case("Pilots who haven't flown in the last 30 days", "SELECT p.name FROM pilots p JOIN flights f ON "
    ...     "f.pilot_id = p.id GROUP BY p.name HAVING MAX(f.day) < CURRENT_DATE - INTERVAL '30 days'"))
    'max(day) within now[None, -30) day: those without any have none'
    """
    if not asks_nothing_since(case) or _AGAIN.search(case.asked) or _DID_BEFORE.search(case.said):
        return None
    last = next((each for each in case.sql.filters if _is_last_time(each)), None)
    if last is None or _counts_otherwise(case):
        return None
    return f"{last.text}: those without any have none"


def _is_last_time(each: SqlFilter) -> bool:
    """Whether a plain condition keeps those whose last time is before another."""
    if each.lhs is None or each.lhs.func != "MAX" or each.alternative is not None or "coalesce" in each.text:
        return False
    return _only_ends(each) and each.op is Op.WITHIN and each.clause in (Clause.WHERE, Clause.HAVING)


def _only_ends(each: SqlFilter) -> bool:
    """Whether a condition keeps all times before one."""
    return isinstance(each.rhs, RelativeTime | TimeRange) and each.rhs.start is None


def _counts_otherwise(case: Case) -> bool:
    """Whether something else of the SQL may keep those without any, or says that they must have one."""
    sql = case.sql
    others = [each for each in sql.filters if each.lhs is not None and each.lhs.func in ("COUNT", "SUM", "MIN")]
    absent = any(each.op is Op.IS_NULL and each.alternative is not None for each in sql.filters)
    return bool(others or absent or sql.set_operations) or any(each.conditional for each in sql.aggregations)


_LAST_BEFORE = cue(
    "last latest recent",
    r"\b(?:last|latest|most recent) \w+(?:[- ]\w+)? (?:is |was |were |dates? )?(?:back )?"
    r"(?:(?:more|longer) than|over|older than|before|at least)\b",
)


def last_by_any(case: Case) -> str | None:
    """Whose last time is before another is asked for, and WHERE keeps the times before it: an older one is enough.

    >>> last_by_any(case("Pilots whose last flight was over 60 days ago", "SELECT pilot, MAX(day) FROM flights "
    ...     "WHERE day < CURRENT_DATE - INTERVAL '60 days' GROUP BY pilot"))
    'day within now[None, -60) day of any row'
    """
    found = _LAST_BEFORE.search(case.asked) if not case.sql.windows and not case.sql.having else None
    latest = {each.columns[0] for each in case.sql.aggregations if each.func == "MAX" and len(each.columns) == 1}
    for each in case.sql.filters if found is not None else ():
        same = each.lhs is not None and latest.issuperset(each.lhs.columns)
        if same and each.clause is Clause.WHERE and _only_ends(each):
            return f"{each.text} of any row"
    return None


_QUIET = cue(
    "inactive dormant lapsed",
    r"\b(?:inactive|dormant|lapsed)\b[^.?;]{0,20}\b(?:for|since|in the (?:last|past)|over the (?:last|past))\b",
)
_LAST = frozenset(map(stem, "last latest recent".split()))


def recent_for_quiet(case: Case) -> str | None:
    """Who has been inactive for a time is asked for, and those come whose last time lies in it.

    >>> recent_for_quiet(case("Pilots inactive for 6 months", "SELECT id FROM pilots WHERE last_flight_at > "
    ...     "CURRENT_DATE - INTERVAL '6 months'"))
    'last_flight_at within now[-6, None) month: they are active'
    """
    if _QUIET.search(case.asked) is None:
        return None
    for each in case.sql.filters:
        span = each.rhs if isinstance(each.rhs, RelativeTime | TimeRange) and each.op is Op.WITHIN else None
        named = identifier_words(each.lhs.name) if each.lhs is not None else ()
        if span is not None and span.start is not None and span.end is None and not _LAST.isdisjoint(named):
            return f"{each.text}: they are active"
    return None


_ONCE_DID = lazy(
    r"\bused to\b(?! be| have| do(?:ing)? it)"
    r"|\b(?:ordered|bought|booked|visited|shopped|paid|came|been|purchased|rented) (?:\w+ )?"
    r"(?:before|previously|in the past)\b(?= but|,)|\b(?:did|have|had) before\b|\bthat used to\b"
    r"|\bbut (?:did|have|had|ordered|bought|booked) (?:\w+ )?(?:before|previously|earlier|in the past)\b"
)


def before_unchecked(case: Case) -> str | None:
    """Who did a thing before and no longer does is asked for, and those come who never did it, too.

    >>> before_unchecked(case("Which pilots used to fly for us but haven't flown in the last 90 days", "SELECT name "
    ...     "FROM pilots WHERE id NOT IN (SELECT pilot_id FROM flights WHERE day >= CURRENT_DATE - 90)"))
    'used to: nothing looks for it'
    """
    found = _ONCE_DID.search(case.asked) if asks_nothing_since(case) else None
    if found is None or case.sql.set_operations or case.sql.having or case.sql.windows:
        return None
    return f"{found.group()}: nothing looks for it" if _looks_for_absence_alone(case) else None


def _looks_for_absence_alone(case: Case) -> bool:
    """Whether the rows of one table are kept unless a subquery finds them, and no time is tested beside it."""
    absent = [each.block for each in case.sql.subqueries if each.role in EXCLUDING_ROLES]
    if len(absent) != 1 or len(case.sql.blocks) != 2:
        return False
    beside = [each for each in case.sql.filters if each.block != absent[0]]
    one_table = all(len(block.tables) == 1 for block in case.sql.blocks if block.path != absent[0])
    return one_table and not any(isinstance(each.rhs, RelativeTime | TimeRange) for each in beside)
