"""Signals about moments: what was running at one, which event a time is of, and how far a comparison reaches."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from scoring.patterns import lazy
from scoring.signals.finding import Finding, differing
from scoring.signals.mistakes.events import event_of, is_time
from scoring.signals.mistakes.wording import cue
from scoring.specification import Clause, Op, SqlFilter
from scoring.values import Boolean, Choices, Number, RelativeTime, Text, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*"
_AT_A_MOMENT = cue(
    "active open running live valid enrolled employed unpaid subscribed outstanding head",
    r"\b(?:active|open|running|live|valid|enrolled|employed|unpaid|subscribed|outstanding"
    r"|head ?count(?: (?:per|by) [a-z]+)?)(?: [a-z]+s)? "
    r"(?:as of|as at|at|on|by) (?:the )?(?:(?:very )?(?:end|start|beginning|close) of )?"
    rf"(?:the )?(?:last (?:year|month|quarter|week)|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH}|{_MONTH}|\d{{4}}-\d\d-\d\d"
    r"|q[1-4]|\d{4}|year[- ]end|month[- ]end)\b",
)
_ENDS = frozenset(
    map(stem, "end ended ends until till thru through expiry expires left termination terminated closed cancelled "
        "canceled resigned returned resolved paid completed".split())
)  # fmt: skip
_STARTS = frozenset(
    map(stem, "start started starts begin began from opened created joined hired enrolled signed since issued "
        "subscribed activated hire".split())
)  # fmt: skip


def moment_missed(case: Case) -> Finding | None:
    """What was running at a past moment is asked for, and the SQL keeps what has not ended yet, or all that began.

    >>> moment_missed(case("How many contracts were active at the end of march?", "SELECT COUNT(*) FROM contracts "
    ...     "WHERE started_on <= '2020-03-31' AND ended_on IS NULL", asked="2020-06-10")).detail
    'active at the end of march: ended_on is null'
    """
    some = _begun_in_it(case) or _arrived_that_night(case)
    return Finding(1.0, some) if some is not None else _moment_missed(case)


def _moment_missed(case: Case) -> Finding | None:
    found = _AT_A_MOMENT.search(case.asked)
    begun = next((each for each in case.sql.filters if _began_before(each, case.query.occurred_at)), None)
    if found is None or begun is None:
        return None
    ends = [each for each in case.sql.filters if each.clause is Clause.WHERE and _is_on(each, _ENDS)]
    if not ends:
        return Finding(1.0, f"{found.group()}: {begun.text} alone") if _has_end(case) else None
    open_now = all(each.op is Op.IS_NULL and each.alternative is None for each in ends)
    return Finding(1.0, f"{found.group()}: {ends[0].text}") if open_now else None


_THAT_NIGHT = cue(
    "night occupied house stay",
    r"\b(?:occupied|full|in house|staying|stayed|slept)\b[^.?;]{0,30}\b(?:(?:the )?night of|on|for)\b",
)
_ARRIVALS = frozenset({"checkin", "check", "arriv", "arrival", "arrived"})


def _arrived_that_night(case: Case) -> str | None:
    """What is occupied in a night is asked for, and only who arrived that day is found.

    >>> _arrived_that_night(case("Rooms occupied the night of 24 may", "SELECT COUNT(DISTINCT room) FROM stays WHERE "
    ...     "check_in_date = '2020-05-24'", asked="2020-06-10"))
    'check_in_date within [2020-05-24, 2020-05-25): only who arrived then'
    """
    found = _THAT_NIGHT.search(case.asked)
    timed = [each for each in case.sql.filters if isinstance(each.rhs, TimeRange)]
    if found is None or len(timed) != 1 or not _is_on(timed[0], _ARRIVALS) or not _is_one_day(timed[0]):
        return None
    return f"{timed[0].text}: only who arrived then"


def _is_one_day(each: SqlFilter) -> bool:
    """Whether a condition keeps no more than a day."""
    start, end = (each.rhs.start, each.rhs.end) if isinstance(each.rhs, TimeRange) else (None, None)
    return start is not None and end is not None and end - start <= timedelta(days=1)


_AT_SOME_POINT = cue(
    "at some at any",
    r"\b(?:active|open|running|live|valid|enrolled|employed|subscribed|insured|covered"
    r"|on (?:staff|leave|loan|the payroll)|under contract|in force)\b[^.?;]{0,20}"
    r"\bat (?:some|any) (?:point|time) (?:in|during|between)\b",
)


_OUT_AT_SOME_POINT = cue(
    "at some at any",
    r"\b(?:out|away|rented|hired|lent|borrowed|occupied|in (?:house|use|the (?:yard|shop|hotel|workshop))|here"
    r"|on site|down|in effect|booked|taken)\b[^.?;]{0,30}\bat (?:some|any) (?:point|time|moment)"
    r" (?:in|during|between|over|on|within|this|last|of)\b"
    r"|\b(?:staying|stayed|present|around) at (?:some|any) (?:point|time|moment) "
    r"(?:in|during|between|over|on|within)\b",
)
_GONE = frozenset({"out", "pickup", "handout"})
_COME = frozenset({"in", "checkin", "arriv", "arrival", "arrived", "entry", "entered", "enter"})


def _begun_in_it(case: Case) -> str | None:
    """What was running at some point of a time is asked for, and only what began in it is kept."""
    found = _AT_SOME_POINT.search(case.asked) or _OUT_AT_SOME_POINT.search(case.asked)
    timed = [each for each in case.sql.filters if each.clause is Clause.WHERE and isinstance(each.rhs, TimeRange)]
    leaves = found is not None and found.group().startswith(("out", "away", "rent", "hire"))
    starts = _STARTS | (_GONE if leaves else _COME)
    if found is None or len(timed) != 1 or not _is_on(timed[0], starts):
        return None
    rhs = timed[0].rhs
    return f"{found.group()}: {timed[0].text}" if isinstance(rhs, TimeRange) and rhs.start and rhs.end else None


_PART_ONLY = cue(
    "just only",
    r"\b(?:just|only) (?:count )?(?:the )?(?:part|portion|share|hours|minutes|days|bit)s? (?:of it |of them )?"
    r"(?:that |which )?(?:lies?|falls?|fell|lie|inside|within)\b",
)
_CUTS = lazy(r"\b(?:least|greatest|case|iif|if|generate\w*|range|overlaps?)\b", re.IGNORECASE)


def part_counted_whole(case: Case) -> str | None:
    """Only the part of each stretch that lies in a time is to count, and each counts whole.

    >>> part_counted_whole(case("Idle hours in may, only the part that lies in may", "SELECT SUM(ended_at - began_at) "
    ...     "FROM stops WHERE began_at < '2020-06-01' AND ended_at > '2020-05-01'"))
    'only the part that lies: sum(ended_at - began_at) counts it whole'
    """
    found = _PART_ONLY.search(case.asked)
    if found is None or _CUTS.search(case.written) is not None:
        return None
    whole = next((each for each in case.sql.aggregations if len({*each.columns}) > 1 and each.func in _ADDED), None)
    return f"{found.group()}: {whole.func.lower()}({whole.column}) counts it whole" if whole is not None else None


_ADDED = frozenset({"SUM", "AVG"})


def _has_end(case: Case) -> bool:
    """Whether a column that is read says when something ended, and no condition is on its state."""
    dated = any(not _ENDS.isdisjoint(identifier_words(column.name)) for column in case.sql.columns)
    return dated and not any(_is_on(each, _STATES) for each in case.sql.filters)


_STATES = frozenset({"status", "state", "active"})


def _began_before(each: SqlFilter, now: datetime | None) -> bool:
    """Whether WHERE keeps what began before a moment that is over when the question is asked."""
    if each.clause is not Clause.WHERE or not isinstance(each.rhs, TimeRange) or not _is_on(each, _STARTS):
        return False
    end = each.rhs.end
    return each.rhs.start is None and end is not None and now is not None and end <= now.replace(tzinfo=None)


def _is_on(each: SqlFilter, words: frozenset[str]) -> bool:
    columns = each.lhs.columns if each.lhs is not None else ()
    return any(not words.isdisjoint(identifier_words(column.name)) for column in columns)


_DONE = lazy(
    rf"\b(?<!not )(?<!never )([a-z]{{3,}}(?:ed|wn|ught)) (?:since|in|during|between|after|before|on|last|this|past)"
    rf"(?: the)?(?: last| past| this)? ?(?:calendar )?(?:\d|{_MONTH}\b|q[1-4]\b|year|month|week|quarter|yesterday"
    r"|today)"
)


def event_by_its_name(case: Case) -> Finding | None:
    """The time of an event is asked for, the SQL reads its column, and the condition is on another time.

    >>> event_by_its_name(case("Days from brewing to packing of kegs brewed in 2020", "SELECT AVG(packed_on - "
    ...     "brewed_on) FROM kegs WHERE packed_on >= '2020-01-01' AND packed_on < '2021-01-01'")).detail
    'expected → actual: brewed_on → packed_on'
    """
    tested = _tested_times(case)
    if not tested or len(case.sql.columns) <= len(tested):
        return None
    named = _BY_DATE.search(case.asked)
    for verb in [*(stem(match[1]) for match in _DONE.finditer(case.asked)), *([named[1]] if named is not None else [])]:
        own = sorted(
            column.name for column in case.sql.columns if _is_named_by(verb, column.name) and is_time(column.name)
        )
        if own and not any(_is_named_by(verb, name) for name in tested):
            return Finding(1.0, f"expected → actual: {own[0]} → {min(tested)}")
    return None


_BY_DATE = lazy(r"\bby (?:the |their )?([a-z]{5})[a-z]* dates?\b")
"""The first letters of the event whose date is said to count: `by delivery date`."""


def _is_named_by(verb: str, name: str) -> bool:
    return any(word == verb or (len(verb) == _LETTERS and word.startswith(verb)) for word in _spelled(name))


_LETTERS = 5


def _spelled(name: str) -> set[str]:
    return {*identifier_words(name), *(stem(word) for word in name.split("_"))}


def _tested_times(case: Case) -> set[str]:
    """The columns that stand alone in a condition on a time."""
    tests = (each for each in case.sql.filters if isinstance(each.rhs, (TimeRange, RelativeTime)))
    return {each.lhs.columns[0].name for each in tests if each.lhs is not None and len(each.lhs.columns) == 1}


_LOST_THEN = cue(
    "lost lose churned",
    r"\b(?:lost|lose|churned)\b[^.?;]{0,40}\b(?:in|during|this|last|since) (?:the )?"
    rf"(?:{_MONTH}|q[1-4]|\d{{4}}|year|month|week|quarter)\b",
)


def start_for_loss(case: Case) -> Finding | None:
    """Who was lost in a time is asked for, and the SQL keeps who began in it.

    >>> start_for_loss(case("Which plan lost the most members in may?", "SELECT plan, COUNT(*) FROM members WHERE "
    ...     "state = 'gone' AND started_on >= '2020-05-01' AND started_on < '2020-06-01' GROUP BY plan")).detail
    'expected → actual: lost → started_on'
    """
    tested = _tested_times(case) if _LOST_THEN.search(case.asked) is not None else set[str]()
    odd = bool(tested) and all(not _BEGUN.isdisjoint(identifier_words(name)) for name in tested)
    return Finding(1.0, f"expected → actual: lost → {min(tested)}") if odd else None


_BEGUN = frozenset(map(stem, "start started begin began joined created signed opened".split()))
_TO_PAY = cue(
    "pay",
    r"\b(?:days?|time|long) (?:it takes |taken |they take |(?:do|does|did) (?:\w+ ){1,3}?take )?to pay\b"
    r"|\bpayment time\b",
)
_DUE = lazy(r"\b(?:due|late|overdue|past)\b")


def pays_from_due(case: Case) -> Finding | None:
    """How long paying takes is asked for, and the time from the due date comes.

    >>> pays_from_due(case("Average days to pay of our bills", "SELECT AVG(paid_on - due_on) FROM bills")).detail
    'paid_on - due_on: from the due date'
    """
    if _TO_PAY.search(case.asked) is None or _DUE.search(case.asked) is not None:
        return None
    measured = [(each.column, each.columns) for each in case.sql.aggregations]
    measured += [(each.operand.name, each.operand.columns) for each in case.answer]
    for text, columns in measured:
        words = [set(identifier_words(column.name)) for column in columns]
        if len(words) == 2 and any("due" in one for one in words) and any(one & _PAID for one in words):
            return Finding(1.0, f"{text}: from the due date")
    return None


_CASH_IN = cue(
    "came come received collected",
    r"\b(?:cash|money|payments?) (?:\w+ )?(?:came|come|coming|has come) in\b|\bactually (?:came in|received|collected"
    r"|got paid)\b",
)
_BILLED = frozenset("invoice issue issued bill billed order ordered".split())


def cash_by_bill(case: Case) -> Finding | None:
    """The money that came in within a time is asked for, and what was billed in it is added up.

    >>> cash_by_bill(case("How much cash came in during april?", "SELECT SUM(amount_paid) FROM bills WHERE "
    ...     "issued_on >= '2020-04-01' AND issued_on < '2020-05-01'")).detail
    'cash came in: issued_on within [2020-04-01, 2020-05-01)'
    """
    found = _CASH_IN.search(case.asked)
    timed = [each for each in case.sql.filters if isinstance(each.rhs, TimeRange | RelativeTime)]
    odd = found is not None and len(timed) == 1 and _is_on(timed[0], _BILLED)
    return Finding(1.0, f"{found.group()}: {timed[0].text}") if found is not None and odd else None


_PAID = frozenset({"paid", "pay", "payment", "settl"})


_OVERDUE = cue("overdue late past", r"\boverdue\b|\blate\b|\bpast (?:the |their |its )?due\b")
_FROM_NOW = lazy(r"datediff\((\w*due\w*|\w*promised\w*|\w*deadline\w*), (?:current_|now|getdate|curdate|sysdate)")


def overdue_backwards(case: Case) -> Finding | None:
    """What is overdue is asked for, and the SQL keeps what is due in as many days from now.

    >>> overdue_backwards(case("Bills more than 3 days overdue", "SELECT id FROM bills WHERE paid_on IS NULL AND "
    ...     "DATEDIFF(day, GETDATE(), due_on) > 3")).detail
    'datediff(due_on, current_timestamp, day) > 3: still to come'
    """
    if _OVERDUE.search(case.asked) is None or _NOT_YET.search(case.asked) is not None:
        return None
    for each in case.sql.filters:
        name = each.lhs.name if each.lhs is not None and each.op in (Op.GT, Op.GE) else ""
        if _FROM_NOW.match(name) is not None and isinstance(each.rhs, Number) and each.rhs.value >= 0:
            return Finding(1.0, f"{each.text}: still to come")
    return None


_NOT_YET = lazy(r"\b(?:not|isn'?t|aren'?t) (?:yet )?(?:overdue|late)\b|\bon[- ]time\b|\bearly\b")


_PAST_DUE = lazy(r"\bpast (?:the |their |its )?due\b|\bdays? overdue\b")


def age_of_issue(case: Case) -> Finding | None:
    """How long something is past due is asked for, and the SQL reads when it was issued, and no due date."""
    if _PAST_DUE.search(case.said) is None or any("due" in column.name for column in case.sql.columns):
        return None
    issued = next((column.name for column in case.sql.columns if event_of(column.name) == "issue"), None)
    return differing("due", issued) if issued is not None else None


def is_told(event: str, case: Case) -> bool:
    """Whether a state may tell the event, and no column that is read holds its time."""
    if any(event_of(column.name) == event for column in case.sql.columns):
        return False
    states = (Text, Boolean, Choices)
    told = any(isinstance(each.rhs, states) or each.op in (Op.NOT_NULL, Op.IS_NULL) for each in case.sql.filters)
    return told or any(each.conditional for each in case.sql.aggregations)
