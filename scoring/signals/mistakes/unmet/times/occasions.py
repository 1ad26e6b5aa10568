"""Signals about the time of an occasion: when it was booked or planned is not when it took place."""

from __future__ import annotations

from scoring.patterns import lazy
from scoring.signals.finding import EXPECTED_ACTUAL, Finding
from scoring.signals.mistakes.events import event_of, events_named, is_time, tested_times
from scoring.signals.mistakes.wording import cue
from scoring.specification import Aggregation, Column, Op, SqlFilter, SqlSpec
from scoring.sql.shapes.naming import table_words
from scoring.values import RelativeTime, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words

_WHEN = (
    r"(?:yesterday|today|tomorrow|tmrw|(?:this|last|in|during|since|on|between|from|for) (?:the )?(?:last )?"
    r"(?:year|month|week|wk|quarter|qtr|q[1-4]|\d+|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri"
    r"|sat|sun)[a-z]*))"
)


def other_occasion(case: Case) -> Finding | None:
    """The first of these that is wrong with the time of an occasion."""
    found = _booked_for_held(case) or _ordered_for_left(case) or _due_for_returned(case) or _made_for_added(case)
    found = found or _said_day_of(case) or _said_not_when(case) or _kept_for_cancelled(case)
    found = found or _other_end_of_stay(case) or _other_end_of_way(case) or _third_time(case)
    return Finding(1.0, f"{EXPECTED_ACTUAL}: {found}") if found is not None else None


_HELD = cue(
    "no-show no show noshow place held happened",
    r"\bno[- ]?shows?\b|\b(?:took|take|takes|taking) place\b|\bhappened\b"
    r"|\b(?:lesson|class|session|course|event|meeting|hearing|workshop|appointment|concert|training|tour)(?:e?s)? "
    r"(?:that |which )?(?:was |were )?held\b",
)
_MADE = cue(
    "book ma creat place enrol regist order sold bought",
    rf"\b(?:booked|made|created|placed|enrolled|registered|ordered|sold|bought)(?: out| online)? {_WHEN}"
    r"|\b(?:book|order|enrol|register|creat|mak)ing (?:date|day|month|week)\b",
)
_BOOKED = frozenset("booked booking book enrolled enrol enroll enrolment registered created ordered".split())
_OF_BOOKINGS = frozenset(
    "booking bkg reservation appointment appt visit enrolment enrollment ticket lesson class".split()
)


def _booked_for_held(case: Case) -> str | None:
    """Occasions of a time, and those that were booked in it."""
    found = _HELD.search(case.asked)
    if found is None or _MADE.search(case.asked) is not None:
        return None
    timed = _timed(case)
    odd = bool(timed) and all(map(_is_of_booking, timed))
    return f"{found.group()} → {timed[0].name}" if odd else None


def _timed(case: Case) -> list[Column]:
    """The columns that stand alone in a condition on a time."""
    tests = [each.lhs for each in case.sql.filters if isinstance(each.rhs, TimeRange | RelativeTime)]
    return [lhs.columns[0] for lhs in tests if lhs is not None and len(lhs.columns) == 1]


def _is_of_booking(column: Column) -> bool:
    """Whether a column holds when something was booked, or when a row of a table of bookings was made."""
    parts = _parts(column.name)
    of_bookings = "created" not in parts or not _OF_BOOKINGS.isdisjoint(table_words(column.table or ""))
    return of_bookings and not _BOOKED.isdisjoint(parts)


def _parts(name: str) -> set[str]:
    return {*identifier_words(name), *name.casefold().split("_")}


_LEFT = cue(
    "left leave out",
    r"\b(?:left|leave|leaving|(?:went|gone|go|moved) out of) (?:the |our |its )?"
    rf"(?:warehouse|depot|dock|building|store|factory|plant|yard) {_WHEN}",
)


def _ordered_for_left(case: Case) -> str | None:
    """What left the warehouse in a time, and what was ordered in it."""
    found = _LEFT.search(case.asked)
    tested = tested_times(case) if found is not None else set[str]()
    odd = bool(tested) and all(event_of(name) == "begin" for name in tested)
    return f"{found.group()} → {min(tested)}" if found is not None and odd else None


_BACK = cue(
    "back returned",
    rf"\b(?:came|come|brought|handed|gave|given|got) back {_WHEN}"
    r"|\b(?:really|actually) (?:returned|delivered|arrived)\b",
)


def _due_for_returned(case: Case) -> str | None:
    """What came back in a time, and what was due in it."""
    found = _BACK.search(case.asked)
    tested = tested_times(case) if found is not None else set[str]()
    odd = bool(tested) and all(event_of(name) in ("due", "plan") for name in tested)
    return f"{found.group()} → {min(tested)}" if found is not None and odd else None


_ADDED = cue(
    "add acquir b purchas",
    rf"\b(?:add|added|acquired?|buy|bought|purchased?|take on|took on)\b[^.;?]{{0,40}} {_WHEN}",
)
_MADE_THEN = frozenset("publication published publish vintage built edition".split())
_OF_MAKING = cue("publi release built model vintage edition", r"\b(?:publi|release|built|model|vintage|edition)")


def _made_for_added(case: Case) -> str | None:
    """What was added in a time, and what was published or built in it."""
    found = _ADDED.search(case.asked)
    if found is None or _OF_MAKING.search(case.asked) is not None:
        return None
    timed = [column.name for column in _timed(case)]
    odd = bool(timed) and all(not _MADE_THEN.isdisjoint(_parts(name)) for name in timed)
    return f"{found.group()} → {min(timed)}" if odd else None


_DAY_OF = cue(
    "date day",
    r"\bby (?:the )?(?:day|date|time) of (?:the )?(?P<of>[a-z]+)\b"
    r"|\b(?P<own>[a-z]+)[- ](?:date|day),? (?:and |but )?not (?:the |its |their )?[a-z]+[- ](?:date|day)\b",
)
_OCCASIONS = frozenset("performance show concert event match game session lesson class departure travel visit".split())


def _said_day_of(case: Case) -> str | None:
    """The person says whose day counts, and the SQL tests that of something else."""
    found = _DAY_OF.search(case.asked)
    tested = tested_times(case) if found is not None else set[str]()
    word = (found["of"] or found["own"]) if found is not None else ""
    if found is None or not tested:
        return None
    named = events_named({word})
    if word in _OCCASIONS:
        odd = all(not _BOOKED.isdisjoint(_parts(name)) for name in tested)
    else:
        odd = "begin" in named and all(not _OCCASIONS.isdisjoint(_parts(name)) for name in tested)
    return f"{found.group()} → {min(tested)}" if odd else None


_NOT_WHEN = cue(
    "not irrelevant no use",
    r"\bnot (?:by |on |the )*(?:when|date|day|month|time)(?: (?:it|they|that|she|he|we|the [a-z]+|a [a-z]+))?"
    r"(?: (?:was|were|is|are|got|has been))? (?P<event>[a-z]{5,})"
    r"|\b(?P<of>[a-z]+)(?:['’]s)? (?P<what>[a-z]+) (?:is|are) (?:irrelevant|of no use|meaningless|not relevant)\b",
)


def _said_not_when(case: Case) -> str | None:
    """The person says which day does not count, and the SQL tests or groups by it."""
    found = _NOT_WHEN.search(case.query.question.casefold())  # such words are often an aside
    if found is None:
        return None
    if found["event"]:
        names = tested_times(case) | {column.name for key in case.sql.group_by for column in key.operand.columns}
        odd = [name for name in names if any(word.startswith(found["event"][:5]) for word in name.split("_"))]
    else:
        said = {found["of"], found["what"]}
        odd = [column.name for column in case.sql.columns if said <= set(column.name.split("_"))]
    return f"{found.group()} → {min(odd)}" if odd else None


_CANCELLATIONS = cue("cancel", rf"\bcancell?ations? {_WHEN}")


def _kept_for_cancelled(case: Case) -> str | None:
    """The cancellations of a time, when it is known when each was cancelled, and those of what was to be in it."""
    found = _CANCELLATIONS.search(case.asked)
    known = any(event_of(column.name) == "cancel" for column in case.sql.columns)
    tested = tested_times(case) if found is not None and known else set[str]()
    odd = bool(tested) and all(event_of(name) != "cancel" for name in tested)
    return f"{found.group()} → {min(tested)}" if found is not None and odd else None


_LEAVES = cue("check", r"\bcheck(?:s|ing|ed)?[- ]?outs?\b")
_COMES = cue("check arriv", rf"\bcheck(?:s|ing|ed)?[- ]?ins?\b|\barriv(?:e|es|ing|als?) {_WHEN}")
_COME_NAMES = lazy(r"check_?in|arriv")
_LEAVE_NAMES = lazy(r"check_?out|depart")


def _other_end_of_stay(case: Case) -> str | None:
    """Who checks out in a time, and who checks in, or the other way round."""
    leaves, comes = _LEAVES.search(case.asked), _COMES.search(case.asked)
    if (leaves is None) == (comes is None):
        return None
    wanted, other = (_LEAVE_NAMES, _COME_NAMES) if leaves is not None else (_COME_NAMES, _LEAVE_NAMES)
    tested = tested_times(case)
    odd = [name for name in sorted(tested) if other.search(name) is not None]
    found = leaves or comes
    missed = bool(odd) and found is not None and not any(wanted.search(name) for name in tested)
    return f"{found.group()} → {odd[0]}" if found is not None and missed else None


_DEPARTS = cue(
    "depart left leav",
    r"\b(?:departure delays?|depart\w* late|left [^.;,?]{0,30}\blate|leav\w+ late|late departures?|departed on time)\b",
)
_ARRIVES = cue(
    "arriv", r"\b(?:arrival delays?|arriv\w+ late|late arrivals?|delays? (?:on|at) arrival|arrived on time)\b"
)
_OF_DEPARTURE = lazy(r"dep(?:art\w*)?(?:_|\Z)")
_OF_ARRIVAL = lazy(r"arr(?:iv\w*)?(?:_|\Z)")


def _other_end_of_way(case: Case) -> str | None:
    """How late something left, and how late it arrived, or the other way round."""
    leaves, comes = _DEPARTS.search(case.asked), _ARRIVES.search(case.asked)
    if (leaves is None) == (comes is None):
        return None
    wanted, other = (_OF_DEPARTURE, _OF_ARRIVAL) if leaves is not None else (_OF_ARRIVAL, _OF_DEPARTURE)
    actual = sorted({column.name for column in case.sql.columns if "actual" in column.name})
    odd = [name for name in actual if other.search(name) is not None]
    found = leaves or comes
    missed = bool(odd) and not any(wanted.search(name) for name in actual)
    return f"{found.group()} → {odd[0]}" if found is not None and missed else None


def _third_time(case: Case) -> str | None:
    """How long something took on average, up to another event than the one that is named and must have happened."""
    known = [name for each in case.sql.filters if each.op is Op.NOT_NULL for name in _time_of(each)]
    known = [name for name in known if _is_end(name, case)]
    for mean in case.sql.aggregations if known else ():
        times = {column.name for column in mean.columns if is_time(column.name)}
        if _is_mean_length(mean) and len(times) == 2 and times.isdisjoint(known):
            return f"{known[0]} → {' and '.join(sorted(times))}"
    return None


def _is_mean_length(mean: Aggregation) -> bool:
    return mean.func in ("AVG", "MEDIAN") and (" - " in mean.column or "diff" in mean.column)


_UNTIL = cue(
    "to until till til and before",
    r"\b(?:to|until|till|til|and|before) (?:the |its |their |our |a |an )?(?:being |be |get |got |been |is |was |are "
    r"|were |it |they |actual |actually |first |really )*([a-z]+)",
)
_ON_SITE = cue("site there", r"\bon[- ]site\b|\b(?:is|gets?|got) there\b")


def _is_end(name: str, case: Case) -> bool:
    """Whether a time is to be measured up to the event of a column."""
    ends = [match[1] for match in _UNTIL.matches(case.asked)] + (["arrival"] if _ON_SITE.search(case.asked) else [])
    words = [word[:_LETTERS] for word in name.split("_") if len(word) >= _LETTERS]
    return any(end.startswith(word) for end in ends for word in words)


_LETTERS = 5


def _time_of(each: SqlFilter) -> list[str]:
    """The name of the one column that a condition is on, if it is a time."""
    columns = each.lhs.columns if each.lhs is not None else ()
    return [column.name for column in columns if is_time(column.name)] if len(columns) == 1 else []


_ON_DAYS = cue(
    "days", r"\bon how many (?:different |distinct |separate )?days\b|\bhow many (?:different|distinct|separate) days\b"
)
_DAILY = frozenset({"day", "daily", "calendar", "date"})


def rows_for_number_of_days(case: Case) -> str | None:
    """Days on which something happened are to be counted, and each time it happened counts.

    >>> rows_for_number_of_days(case("On how many days did a pilot fly?", "SELECT COUNT(flown_at) FROM flights"))
    'COUNT(flown_at) counts rows, not days'
    """
    sql = case.sql
    if _ON_DAYS.search(case.asked) is None or sql.group_by or sql.windows or sql.set_operations:
        return None
    counts = [each for each in sql.aggregations if each.func == "COUNT" and not each.conditional]
    once = any(each.distinct for each in (*counts, *sql.blocks))
    if len(counts) != 1 or once or _reads_days(sql):
        return None
    return f"COUNT({counts[0].column}) counts rows, not days"


def _reads_days(sql: SqlSpec) -> bool:
    """Whether a table may have one row for each day."""
    tables = [table for block in sql.blocks for table in block.tables]
    return any(not _DAILY.isdisjoint(identifier_words(table)) for table in tables)
