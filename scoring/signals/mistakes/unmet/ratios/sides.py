"""Signals about the two sides of a quotient: the same on both, of unlike things, or of rows that the other lacks."""

from __future__ import annotations

import re

from scoring.alignment.same_values import TIMES
from scoring.patterns import lazy
from scoring.signals.mistakes.unmet.links import lone_column, references
from scoring.signals.mistakes.wording import cue
from scoring.specification import Column, Op, SqlFilter, Subquery, SubqueryRole
from scoring.sql.shapes.naming import is_own_key, key_stems, table_words
from scoring.verdict import Case
from scoring.words import stem

_GROUPS_COUNTED = lazy(r"(?:100 \* )?(?:count|sum)\(case when (.+?) (?:>|>=|=) \d+ then 1(?: else 0)? end\)")


def groups_over_rows(case: Case) -> str | None:
    """Groups with enough rows are counted above the line, and the rows of all groups are added below it.

    >>> groups_over_rows(case("Share of pilots who flew more than once", "SELECT SUM(CASE WHEN n > 1 THEN 1 ELSE 0 END)"
    ...     " * 1.0 / SUM(n) FROM (SELECT pilot_id, COUNT(*) AS n FROM flights GROUP BY pilot_id) t"))
    'sum(count(*)) below the line, where groups are counted above it'
    """
    for each in case.sql.divisions:
        groups = _GROUPS_COUNTED.match(each.numerator)
        if groups is not None and each.denominator.removeprefix("nullif(").startswith(f"sum({groups[1]})"):
            return f"sum({groups[1]}) below the line, where groups are counted above it"
    return None


_GROWTH = cue(
    "growth increase decrease change decline grow",
    r"\b(?:growth|(?:%|percent\w*|pct|relative) (?:change|increase|decrease|decline))\b"
    r"|\b(?:change|increase|decrease|decline|gr[eo]wn?) (?:in|by) (?:%|percent\w*|pct|how many percent)",
)
_AS_INDEX = lazy(r"\b(?:index|ratio|multiple|factor|times|as (?:an? )?(?:%|percent\w*|share|fraction) of)\b")
_LESS = lazy(r"-\s*(?:1(?:00)?(?:\.0+)?\b|\(?\s*(?:lag|lead|first_value)\s*\()", re.IGNORECASE)


def growth_as_index(case: Case) -> str | None:
    """Growth is asked for, and a value is divided by the one before, with nothing taken away.

    >>> growth_as_index(case("Monthly growth rate of fares",
    ...     "SELECT month, fares / LAG(fares) OVER (ORDER BY month) AS growth FROM months"))
    'fares / lag(fares) over (order by month): 100 % where nothing grew'
    """
    if _GROWTH.search(case.asked) is None or _AS_INDEX.search(case.said) or _LESS.search(case.written):
        return None
    for each in case.sql.divisions:
        before = each.denominator.removeprefix("nullif(")
        now = each.numerator.removeprefix("100 * ").removesuffix(" * 1").removesuffix(" * 100")
        if before.startswith(f"lag({now})"):
            return f"{now} / {before}: 100 % where nothing grew"
    return None


_SHARE = cue("rate share % percent pct", r"\b(?:rate|share|percent\w*|pct)\b|%")


def part_outside_base(case: Case) -> str | None:
    """What has ended in a time is divided by what has not ended: the part is not in its base.

    >>> part_outside_base(case("Exit rate in May 2020", "SELECT COUNT(*) * 1.0 / (SELECT COUNT(*) FROM pilots WHERE "
    ...     "left_on IS NULL) FROM pilots WHERE left_on >= '2020-05-01' AND left_on < '2020-06-01'"))
    'left_on is null below the line'
    """
    if _SHARE.search(case.asked) is None or not any("(select" in each.denominator for each in case.sql.divisions):
        return None
    for base in _scalars(case):
        ended = {each.lhs for each in case.sql.filters if each.block == base.parent and isinstance(each.rhs, TIMES)}
        for each in case.sql.filters:
            open_ones = each.block == base.block and each.op is Op.IS_NULL and each.alternative is None
            if open_ones and each.lhs in ended:
                return f"{each.text} below the line"
    return None


def _scalars(case: Case) -> list[Subquery]:
    return [each for each in case.sql.subqueries if each.role is SubqueryRole.SCALAR and not each.correlated]


_COHORT = cue(
    "share % percent pct proportion",
    r"(?:%|\b(?:share|percent\w*|pct|proportion)) of (?:the |our |all )?(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct"
    r"|nov|dec)[a-z]*|q[1-4]|20\d\d|(?:last|this) (?:week|month|quarter|year)(?:'?s)?) (?!of\b|and\b|to\b)[a-z]+s\b",
)


def base_beyond_cohort(case: Case) -> str | None:
    """A share of those of one time is asked for, and all of their table are the base.

    >>> base_beyond_cohort(case("Share of May starters who flew", "SELECT COUNT(*) * 1.0 / (SELECT COUNT(*) FROM pilots"
    ...     ") FROM pilots WHERE flew = 1 AND started_on >= '2020-05-01' AND started_on < '2020-06-01'"))
    'no time restricts the base: share of may starters'
    """
    found = _COHORT.search(case.asked)
    if found is None or not case.sql.divisions:
        return None
    tables = {block.path: block.tables for block in case.sql.blocks}
    for base in _scalars(case):
        timed = {column.table for each in case.sql.filters if (column := _timed(each, base.parent)) is not None}
        restricted = any(each.block == base.block for each in case.sql.filters)
        if not restricted and timed & set(tables.get(base.block, ())):
            return f"no time restricts the base: {found.group()}"
    return None


def _timed(each: SqlFilter, block: str) -> Column | None:
    """The column whose time a condition of a block restricts."""
    return lone_column(each) if each.block == block and isinstance(each.rhs, TIMES) else None


_PART_COUNTED = lazy(r"(?:100 \* )?count\(distinct case when (.+) then (\w+) end\)")
_WHOLE_COUNTED = lazy(r"(?:nullif\()?count\(distinct (\w+)\)")


def base_of_partners(case: Case) -> str | None:
    """A share of things that did something is asked for, and an inner join leaves out of the base those that did not.

    >>> base_of_partners(case("What % of pilots flew by night?", "SELECT 100 * COUNT(DISTINCT CASE WHEN f.night = 1 "
    ...     "THEN p.id END) / COUNT(DISTINCT p.id) FROM pilots p JOIN flights f ON f.pilot_id = p.id"))
    'count(distinct id) over an inner join: pilots without flights are lost'
    """
    if _SHARE.search(case.asked) is None or any(join.kind != "inner" for join in case.sql.joins):
        return None
    for each in case.sql.divisions:
        part, whole = _PART_COUNTED.match(each.numerator), _WHOLE_COUNTED.match(each.denominator)
        if part is None or whole is None or part[2] != whole[1]:
            continue
        for event, thing in references(case.sql, each.block):
            if whole[1] in (thing.name, event.name) and _decides(event.table, part[1], case):
                lost = f"{thing.table} without {event.table} are lost"
                return f"count(distinct {whole[1]}) over an inner join: {lost}" if _is_of_things(thing, case) else None
    return None


def _decides(table: str | None, condition: str, case: Case) -> bool:
    """Whether a condition reads a column of a table."""
    return any(column.table == table and column.name in condition for column in case.sql.columns)


def _is_of_things(thing: Column, case: Case) -> bool:
    """Whether the question says `of` the things of a table, or counts them under another name of people."""
    words = {stem(word) for word in re.findall(r"\bof (?:the |our |all |those )?(\w+)", case.asked)}
    rows = table_words(thing.table or "")[-1:]
    return not words.isdisjoint(rows) or not words.isdisjoint(_PEOPLE)


_PEOPLE = frozenset(map(stem, "people person customer user client member".split()))
_AMOUNT_SHARED = lazy(r"(?:100 \* )?sum\((\w+)\)")


def amount_of_all_times(case: Case) -> str | None:
    """An amount of one time is divided by the same amount of all times.

    >>> amount_of_all_times(case("What share of May's hours was by night?", "SELECT SUM(f.hours) / (SELECT SUM(hours) "
    ...     "FROM legs) FROM legs f JOIN trips t ON t.id = f.trip_id WHERE f.night = 1 AND t.day >= '2020-05-01' AND "
    ...     "t.day < '2020-06-01'"))
    'sum(hours) of all times below the line'
    """
    if _SHARE.search(case.asked) is None or _ALL_TIMES.search(case.said) is not None:
        return None
    for base in _scalars(case):
        restricted = any(each.block == base.block for each in case.sql.filters)
        timed = any(each.block == base.parent and isinstance(each.rhs, TIMES) for each in case.sql.filters)
        for each in case.sql.divisions if timed and not restricted else ():
            amount = _AMOUNT_SHARED.match(each.numerator)
            if amount is not None and f"(select sum({amount[1]}) from" in each.denominator:
                return f"sum({amount[1]}) of all times below the line"
    return None


_ALL_TIMES = lazy(r"\b(?:all[- ]time|ever|overall|of all|total)\b")
_KEYS_BELOW = lazy(r"(?:nullif\()?count\((\w+)\)(?:, 0\))?")


def rows_for_each(case: Case) -> str | None:
    """An amount for each thing is asked for, and the rows that refer to one are counted below the line.

    >>> rows_for_each(case("Average spend per pilot", "SELECT SUM(paid) / COUNT(pilot_id) FROM bills"))
    'count(pilot_id) counts rows, not pilots'
    """
    if len(case.sql.blocks) != 1 or case.sql.group_by:
        return None
    own = {column.name for column in case.sql.columns if is_own_key(column)}
    for each in case.sql.divisions:
        counted = _KEYS_BELOW.fullmatch(each.denominator)
        key = counted[1] if counted is not None and "sum(" in each.numerator else ""
        thing = (key_stems(key) or ("",))[-1] if key not in own else ""
        if thing and re.search(rf"\bper {thing}\w*\b", case.asked) is not None:
            return f"count({key}) counts rows, not {thing}s"
    return None


def repeated_below(case: Case) -> str | None:
    """An amount of joined rows is divided by the number of things, each of which counts once for each of its rows.

    >>> repeated_below(case("Fares per pilot by base", "SELECT p.base, SUM(t.fare) / COUNT(p.id) FROM pilots p "
    ...     "JOIN trips t ON t.pilot_id = p.id GROUP BY p.base"))
    'count(id) counts pilots once for each of trips'
    """
    for each in case.sql.divisions:
        for event, thing in references(case.sql, each.block) if _KEYS_BELOW.fullmatch(each.denominator) else ():
            counted = f"count({thing.name})" in each.denominator and _is_counted(thing, case)
            if counted and _is_added(event.table, case):
                return f"count({thing.name}) counts {thing.table} once for each of {event.table}"
    return None


def _is_counted(thing: Column, case: Case) -> bool:
    """Whether the rows are counted that have a value in a column."""
    return any(one.columns == (thing,) and one.func == "COUNT" and not one.distinct for one in case.sql.aggregations)


def _is_added(table: str | None, case: Case) -> bool:
    """Whether an amount of a table is added up."""
    sums = [one for one in case.sql.aggregations if one.func == "SUM"]
    return any(column.table == table for one in sums for column in one.columns)


_FROM_TO = cue("conversion rate", r"\b(?:conversion|rate|funnel)\b[^.?;]{0,20}\bfrom ([a-z]+) to ([a-z]+)\b")
_OF_TABLE = lazy(r"(?:nullif\()?(?:100 \* )?count\((?:distinct )?(\w+)\)")


def steps_turned(case: Case) -> str | None:
    """A rate from one step to the next is asked for, and the earlier one is divided by the later.

    >>> steps_turned(case("Conversion rate from trips to claims", "SELECT COUNT(DISTINCT t.trip_id) * 1.0 / "
    ...     "COUNT(DISTINCT c.claim_id) FROM trips t LEFT JOIN claims c ON c.trip_id = t.trip_id"))
    'trips / claims for the rate from trips to claims'
    """
    found = _FROM_TO.search(case.asked)
    if found is None:
        return None
    first, last = stem(found[1]), stem(found[2])
    for each in case.sql.divisions:
        above, below = _OF_TABLE.match(each.numerator), _OF_TABLE.match(each.denominator)
        tables = [_tables_of(side[1], case) if side is not None else set[str]() for side in (above, below)]
        if first in tables[0] - tables[1] and last in tables[1] - tables[0]:
            return f"{found[1]} / {found[2]} for the rate from {found[1]} to {found[2]}"
    return None


def _tables_of(name: str, case: Case) -> set[str]:
    """The last words of the tables whose column of a name is counted, or what the name is the key of."""
    keyed = key_stems(name) or ()
    counts = [one for one in case.sql.aggregations if one.func == "COUNT" and one.column == name]
    tables = {column.table or "" for one in counts for column in one.columns}
    return {word for table in tables for word in table_words(table)[-1:]} if not keyed else set(keyed[-1:])


_RATE_PER = lazy(r"\b(eur|usd|gbp|chf|euros?|dollars?|pounds?)_per_\w+")
_IN_CURRENCY = cue(
    "in to into as",
    r"\b(?:in|to|into|as) (?:€|\$|£)?(eur|usd|gbp|chf|euros?|dollars?|pounds?)\b",
)
_CODES = {"euro": "eur", "dollar": "usd", "pound": "gbp"}


def rate_divided(case: Case) -> str | None:
    """An amount is divided by the euros that one unit is worth, and euros are asked for.

    >>> rate_divided(case("Total fares in euros", "SELECT SUM(t.fare / r.eur_per_unit) FROM trips t JOIN rates r ON "
    ...     "r.code = t.code"))
    'divided by eur_per_unit for eur'
    """
    asked = _IN_CURRENCY.search(case.asked)
    wanted = asked[1].removesuffix("s") if asked is not None else ""
    for each in case.sql.divisions if wanted else ():
        rate = _RATE_PER.fullmatch(each.denominator.removeprefix("nullif(").removesuffix(", 0)"))
        unit = rate[1].removesuffix("s") if rate is not None else ""
        if rate is not None and _CODES.get(unit, unit) == _CODES.get(wanted, wanted):
            return f"divided by {rate.group()} for {_CODES.get(wanted, wanted)}"
    return None


def unlike_sides(case: Case) -> str | None:
    """The first of these that is wrong with the base of a share."""
    narrow = base_beyond_cohort(case) or base_of_partners(case) or amount_of_all_times(case)
    return groups_over_rows(case) or part_outside_base(case) or narrow or steps_turned(case)
