"""Signals about rows without a partner or a value: kept, dropped or skipped otherwise than asked for."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.mistakes.wording import cue, first, spoken_in_full
from scoring.specification import Op
from scoring.specification.shapes import ShapeKind
from scoring.sql.shapes.naming import key_stems
from scoring.verdict import Case
from scoring.words import identifier_words

_ATTRIBUTE = lazy(
    r"\bcount\(\s*(?:\w+\.)?(\w*(?:e_?mail|phone|mobile|fax|website|birth_?da(?:te|y)|notes|comments?)(?:_\w*)?)\s*\)",
    re.IGNORECASE,
)


def attribute_counted(case: Case) -> str | None:
    """Rows are counted by a value that some lack, such as an address, and nothing asks for that value.

    >>> attribute_counted(case("Pilots per base", "SELECT base, COUNT(email) FROM pilots GROUP BY base"))
    'COUNT(email) skips rows without it'
    """
    found = _ATTRIBUTE.search(case.written)
    beside = found is not None and case.written.casefold().count(found[1].casefold()) > 1
    if found is None or beside or not case.spoken.isdisjoint(identifier_words(found[1])):
        return None
    return f"{found.group()} skips rows without it"


_UNASSIGNED = cue(
    "assigned nobody unassigned", r"\b(?:nobody|no one|not|never)(?: is| are| was| has been)? assigned\b|\bunassigned\b"
)
_ASSIGNEE = lazy(
    r"\bcount\(\s*(?:\w+\.)?(?:technician|agent|owner|assignee|assigned_to|driver|rep|employee|staff|user"
    r"|handler)\w*\s*\)",
    re.IGNORECASE,
)


def assigned_alone(case: Case) -> str | None:
    """Rows that nobody has are to count too, and they are counted by who has them.

    >>> assigned_alone(case("Jobs per base, those nobody is assigned to count too",
    ...     "SELECT base, COUNT(technician_id) FROM jobs GROUP BY base"))
    'COUNT(technician_id) skips rows without it'
    """
    found = _ASSIGNEE.search(case.written) if _UNASSIGNED.search(case.asked) is not None else None
    return f"{found.group()} skips rows without it" if found is not None else None


_TRUTH_COUNTED = lazy(
    r"\bcount\(\s*(?:(?:\w+\.)?\w+\s+is\s+(?:not\s+)?null|nvl2\([^(),]{1,80},\s*[01]\s*,\s*[01]\s*\))\s*\)",
    re.IGNORECASE,
)
_FLAG = lazy(
    r"(?:\b(?:iif|if|nvl2)\([^()]{1,200},\s*[01]\s*,\s*[01]\s*\)|\belse\s+0\s+end)\s+as\s+(\w+)", re.IGNORECASE
)
"""A column of ones and zeros, never NULL, and its name."""
_TAKEN = lazy(r"\b(count|sum|avg)\(\s*(?:\w+\.)?(\w+)\s*\)", re.IGNORECASE)


def truth_counted(case: Case) -> str | None:
    """COUNT of `x IS NULL`, or of a flag of ones and zeros, counts every row: 0 is a value, too.

    >>> truth_counted(case("Pilots without a licence", "SELECT COUNT(licence IS NULL) FROM pilots"))
    'COUNT(licence IS NULL) counts every row'
    """
    found = _TRUTH_COUNTED.search(case.written)
    if found is not None:
        return f"{found.group()} counts every row"
    flag = _counted_flag(case.written) if "left join" not in case.written.casefold() else None
    return f"COUNT({flag}) counts every row" if flag is not None else None


def _counted_flag(written: str) -> str | None:
    """A column of ones and zeros that COUNT takes, and nothing adds up: beside its sum, COUNT may mean all rows.

    >>> _counted_flag("SELECT COUNT(late) FROM (SELECT IF(x > 1, 1, 0) AS late FROM flights)")
    'late'
    >>> _counted_flag("SELECT SUM(late) / COUNT(late) FROM (SELECT IF(x > 1, 1, 0) AS late FROM flights)") is None
    True
    """
    flags = {name.casefold() for name in _FLAG.findall(written)}
    taken = [(func.casefold(), name) for func, name in _TAKEN.findall(written) if name.casefold() in flags]
    added = {name.casefold() for func, name in taken if func != "count"}
    return next((name for func, name in taken if func == "count" and name.casefold() not in added), None)


_ZERO_KEPT = cue(
    "zero 0 none nothing",
    r"\b(?:zeros?|0|none|nothing|zero \w+)\b[^.;?]{0,30}\b(?:too|as well|also|included|on the list|in the list)\b"
    r"|\b(?:with|w/?) (?:a )?0\b|\bshow(?:ing|n)? (?:a |as )?(?:0|zero)\b",
)
_OUTER = lazy(
    r"\b(?:left|right|full|outer|cross) (?:outer )?(?:join|apply)\b|\bgenerate\w*\(|\bexists\b", re.IGNORECASE
)


def groups_of_one_table(case: Case) -> str | None:
    """Things without rows are to be listed with a zero, and the groups come from the table of the rows alone.

    >>> groups_of_one_table(case("Pilots with at most 2 flights, those with zero flights too",
    ...     "SELECT pilot_id FROM flights GROUP BY pilot_id HAVING COUNT(*) <= 2"))
    'flights has no row of them'
    """
    tables = {table for block in case.sql.blocks for table in block.tables}
    if len(tables) != 1 or not case.sql.group_by or case.sql.set_operations or case.sql.joins:
        return None
    if _ZERO_KEPT.search(case.asked) is None or _OUTER.search(case.written) is not None:
        return None
    counts = any(each.func == "COUNT" and not each.conditional for each in case.sql.aggregations)
    return f"{tables.pop()} has no row of them" if counts else None


_AVERAGED = lazy(r"\bavg\(\s*(?:cast\s*\(\s*)?(\w+)\.(\w+)\s*(?:::\s*\w+\s*|as\s+\w+\s*\)\s*)?\)", re.IGNORECASE)


def average_of_partners(case: Case) -> str | None:
    """Things without rows count as zero, and AVG over an outer join skips them.

    >>> average_of_partners(case("Average flights per pilot, pilots without flights count as 0", "SELECT AVG(f.n) FROM "
    ...     "pilots p LEFT JOIN (SELECT pilot_id, COUNT(*) AS n FROM flights GROUP BY pilot_id) f USING (pilot_id)"))
    'AVG(f.n)'
    """
    averages = _AVERAGED.finditer(case.written)
    return next((found.group() for found in averages if _is_optional(found[1], case)), None)


def _is_optional(alias: str, case: Case) -> bool:
    """Whether what has this name is left joined, so that it may have no row."""
    name = re.escape(alias)
    joined = rf"\bleft\s+(?:outer\s+)?join\s+(?:[\w.]+\s+(?:as\s+)?|\((?:[^()]|\([^()]*\))*\)\s*(?:as\s+)?)?{name}\b"
    return re.search(joined, case.written, re.IGNORECASE) is not None


_TAKEN_OFF = lazy(r"\bsum\(\s*(\w+)\.\w+\s*-\s*(\w+)\.\w+\s*\)", re.IGNORECASE)


_SELDOM = lazy(r"\b(?:refund|return|paid|payment|credit|charge-?back|discount|rebate|voucher|outstanding|owe)")
"""What many rows have none of; a price or a cost is there for each."""


def taken_off_if_any(case: Case) -> str | None:
    """What may have no row is taken off each row, and where it has none the difference is NULL and the row is lost.

    >>> taken_off_if_any(case("Fares after refunds", "SELECT SUM(t.fare - r.amount) FROM trips t "
    ...     "LEFT JOIN refunds r ON r.trip_id = t.id"))
    'SUM(t.fare - r.amount)'
    """
    found = _TAKEN_OFF.search(case.written) if _SELDOM.search(case.said) is not None else None
    lost = found is not None and _is_optional(found[2], case) and not _is_optional(found[1], case)
    return found.group() if found is not None and lost else None


_LEFT_JOIN = lazy(
    r"\bleft\s+(?:outer\s+)?join\s+[\w.]+\s+(?:as\s+)?(?P<alias>(?!on\b|using\b)\w+)\s+on\s+(?P<on>.{1,600}?)"
    r"(?=\b(?:left|right|full|inner|cross|join|where|group|order|having|limit|union|qualify)\b|;|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_QUALIFIED = lazy(r"\b([a-z_]\w*)\.([a-z_]\w*)\b", re.IGNORECASE)


def condition_beside_key(case: Case) -> str | None:
    """A condition that is asked for stands in ON of an outer join and is on the kept side: it keeps every row.

    >>> condition_beside_key(case("Flights of our active pilots", "SELECT p.name, COUNT(f.id) FROM pilots p "
    ...     "LEFT JOIN flights f ON f.pilot_id = p.id AND p.active GROUP BY p.name"))
    'p.active in ON drops no row'
    """
    for join in _LEFT_JOIN.finditer(case.written):
        for part in re.split(r"\band\b", join["on"], flags=re.IGNORECASE):
            named = _QUALIFIED.findall(part)
            if not named or any(table.casefold() == join["alias"].casefold() for table, _ in named):
                continue
            words = {word for _, column in named for word in identifier_words(column)}
            value = re.search(r"'([^']{3,})'", part)
            if value is not None and value[1].casefold() in case.asked:
                words |= set(case.question.stems)
            if not words.isdisjoint(case.question.stems) and re.search(r"\.\w+\s*=\s*\w+\.\w+", part) is None:
                return f"{' '.join(part.split()).rstrip(')')} in ON drops no row"
    return None


_BLANK = cue(
    "blank empty null nothing n/a dash any",
    r"\b(?:blank|empty|null|nothing|n/a|a dash|dash) (?:where|if|when|for|otherwise)\b"
    r"|\b(?:leave|left|show\w*|keep|kept|put|stay)(?: it| them| that| as| an?)* (?:blank|empty|null|n/a|dash)\b(?! out)"
    r"|\b(?:if|where|when) (?:there (?:is|was|are|were)n?['’]?t? )(?:any|one|none|nothing)\b"
    r"|,? \(?if any\b(?! \w)",
)
"""What has no partner is shown with nothing beside it."""
_ALL_OF_THEM = lazy(r"\b(?:all|every|each|whole|full|any)\b")


def blank_partner_dropped(case: Case) -> str | None:
    """All things are asked for, blank where they have no partner, and WHERE drops what the outer join keeps.

    >>> blank_partner_dropped(case("All pilots with their flight of 4 May, blank where there is none", "SELECT p.name, "
    ...     "f.plane FROM pilots p LEFT JOIN flights f ON f.pilot_id = p.id WHERE f.day = '2020-05-04'"))
    "blank where: f.day = '2020-05-04'"
    """
    undone = first(case, ShapeKind.OUTER_CONDITION)
    found = _BLANK.search(spoken_in_full(case)) if undone is not None else None
    if undone is None or found is None or _ALL_OF_THEM.search(case.asked) is None:
        return None
    return f"{found.group().strip(' ,(')}: {undone.text}"


def kept_otherwise(case: Case) -> str | None:
    """The first of these that is wrong with what is kept."""
    return groups_of_one_table(case) or condition_beside_key(case) or blank_partner_dropped(case)


_COUNT_TOO = cue(
    "count 0 zero included too well",
    r"\b(?:with|having|that had|that have|who had|who have|where|without|w/o|w no)\b[^.;]{0,30}?\b"
    r"(?:counts?|counted|included?)\b(?: (?:too|as well|also|as (?:0|zero|nought)))"
    r"|\bquiet (?:days|weeks|months) (?:count|included|too)\b"
    r"|\b(?:days|weeks|months|nights) (?:w|w/|w/o|with|without) (?:nothing|no|none|any|zero)\b[^.;]{0,25}?"
    r"\b(?:counts?|are|is|=) (?:as |a )?(?:0|zero)\b"
    r"|\b(?:with(?:out)?|w/o)\b[^.;]{0,30}\b(?:count\w*|go|goes) (?:too\b|as (?:a )?(?:0|zero|nought)\b)",
)
_EMPTY = lazy(r"\b(?:no|none|nothing|without|w/o|zero|quiet|any)\b")
_ALL_DAYS = lazy(
    r"\b(?:left|right|full|cross|outer)\b|series|sequence|unnest|recursive|calendar|connect by|generate|\bexists\b"
    r"|/ ?(?:\d|datediff|date_diff|extract|day)",
    re.IGNORECASE,
)
_GROUP_TOTAL = lazy(r"(?:1(?:\.0)? \* )?(?:count|sum)\([^()]*\)(?: \* 1(?:\.0)?)?")
_KEYS = lazy(r"(?:nullif\()?count\(distinct (\w+)\)(?:, 0\))?")


def average_of_present(case: Case) -> str | None:
    """Days or things without rows count too, and an average is taken of those that have rows.

    >>> average_of_present(case("Average flights per day, days without any count too",
    ...     "SELECT AVG(n) FROM (SELECT day, COUNT(*) AS n FROM flights GROUP BY day) t"))
    'AVG(count(*)) of those with rows'
    """
    found = _COUNT_TOO.search(spoken_in_full(case))
    if found is None or _EMPTY.search(found.group()) is None or _ALL_DAYS.search(case.written) is not None:
        return None
    for each in case.sql.aggregations:
        if each.func == "AVG" and not each.windowed and _GROUP_TOTAL.fullmatch(each.column):
            return f"AVG({each.column}) of those with rows"
    return _divided_by_present(case)


def _divided_by_present(case: Case) -> str | None:
    """A number divided by that of the things that have a row, within one SELECT."""
    if any(each.kind not in ("inner", "comma") for each in case.sql.joins):
        return None
    for each in case.sql.divisions:
        below = _KEYS.fullmatch(each.denominator)
        if below is not None and key_stems(below[1]) and each.numerator.removeprefix("1.0 * ").startswith("count("):
            return f"{each.denominator} of those with rows"
    return None


_SKIPPED = cue(
    "drag pull leave left skip ignor exclud out",
    r"\b(?:drag|pull)\w* (?:it|them|things|the \w+|that) down\b"
    r"|\b(?:leav\w*|skip\w*|ignor\w*|exclud\w*)(?: out)? (?:the |those |any |all )?(?:\w+ ){0,3}?(?:with no|with"
    r" nothing|without"
    r"|that have no|who (?:have|gave) no|where\b[^.;]{0,30}\bno)\b",
)
_ONLY_RATED = cue(
    "rated scored reviewed graded answered measured",
    r"\b(?:just|only|counting)\b(?! (?:\d|once|one))[^.;?]{0,40}\b(?:rated|scored|reviewed|graded|answered|measured)\b"
    r"(?! (?:\d|above|over|under|below|at|as|by|with|in|within|more|less))"
    r"|\b(?:average|avg|mean)\b[^.;?]{0,60}\b(?:rated|scored|reviewed|graded|answered|measured) (?:ones |\w+ )?only\b",
)
_FILLED_IN = lazy(
    r"\bavg\s*\((?:\s*cast\s*\()?\s*(?:coalesce|ifnull|isnull|nvl)\s*\([^()]*,\s*0(?:\.0*)?\s*\)", re.IGNORECASE
)
_ALL_ROWS = lazy(r"(?:nullif\()?count\(\*\)(?:, 0\))?")
_ADDED_UP = lazy(r"(?:1(?:\.0)? \* )?sum\(([a-z_]\w*)\)(?: \* 1(?:\.0)?)?")


def missing_averaged(case: Case) -> str | None:
    """Rows without a value are to stay out of an average, and they count as zero in it, or below its line.

    >>> missing_averaged(case("Average stars per hotel, guests who gave none must not drag it down",
    ...     "SELECT hotel, SUM(stars) / COUNT(*) FROM stays GROUP BY hotel"))
    'sum(stars) / count(*)'
    """
    if _SKIPPED.search(spoken_in_full(case)) is None and _ONLY_RATED.search(case.asked) is None:
        return None
    filled = _FILLED_IN.search(case.written)
    if filled is not None:
        return filled.group()
    kept = {each.lhs.name for each in case.sql.filters if each.op is Op.NOT_NULL and each.lhs is not None}
    for each in case.sql.divisions:
        added = _ADDED_UP.fullmatch(each.numerator)
        if added is not None and added[1] not in kept and _ALL_ROWS.fullmatch(each.denominator):
            return f"{each.numerator} / {each.denominator}"
    return None
