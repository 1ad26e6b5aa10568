"""Signals about the base of a share: of one group, of some values, of the part, of partners, or of all times."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.mistakes.unmet.ratios.sides import unlike_sides
from scoring.signals.mistakes.wording import cue
from scoring.specification import Clause, Division, Op, SqlFilter
from scoring.values import DatePart, RelativeTime, Text, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words, stem


def share_of_one_group(case: Case) -> str | None:
    """WHERE keeps a single group, and its share is of the groups that are left: always all.

    >>> share_of_one_group(case("What % of the hours did Oslo fly?", "SELECT base, SUM(hours) / SUM(SUM(hours)) OVER ()"
    ...     " FROM flights WHERE base = 'Oslo' GROUP BY base"))
    "base = 'oslo' leaves one group"
    """
    for division in case.sql.divisions:
        keys = {key.operand.name for key in case.sql.group_by if key.block == division.block}
        kept = [each for each in case.sql.filters if each.block == division.block and _fixes_value(each)]
        fixed = {each.lhs.name: each.text for each in kept if each.lhs is not None}
        if keys and "over ()" in division.denominator and keys <= fixed.keys():
            return f"{fixed[min(keys)]} leaves one group"
    return None


def _fixes_value(each: SqlFilter) -> bool:
    return each.clause is Clause.WHERE and each.op is Op.EQ and each.alternative is None and isinstance(each.rhs, Text)


_OF_ALL_ROWS = cue("of all", r"(?:%|\b(?:pct|percent\w*|share|proportion)) of all (?!\d)[a-z]")
_CHOSEN = lazy(r"(?:nullif\()?(?:sum|count)\((?:case when )?([a-z_.]+) in \(")
_STATES = frozenset({"status", "state", "stat", "outcome", "result"})
_SAID_OF_BASE = lazy(
    r"\bof all (?:the )?(?:[a-z]+ ){1,4}(?:with|without|not|(?:that|which|who) (?:are|is|was|were|did) not)\b"
)


def base_of_some(case: Case) -> str | None:
    """A share of all rows is asked for, and the base counts those of some values alone.

    >>> base_of_some(case("Share of all flights that were late, in percent",
    ...     "SELECT 100 * SUM(kind = 'late') / SUM(kind IN ('late', 'ok')) FROM flights"))
    "sum(kind in ('late', 'ok')) is not all"
    """
    if _OF_ALL_ROWS.search(case.asked) is None:
        return None
    odd = next((each.denominator for each in case.sql.divisions if _is_of_some(each)), None)
    named = _SAID_OF_BASE.search(case.asked) is not None
    return f"{odd} is not all" if odd is not None and not named else None


def _is_of_some(division: Division) -> bool:
    """Whether a base counts some values of the column whose one value the part counts; states may be of no account."""
    chosen = _CHOSEN.match(division.denominator)
    if chosen is None or not _STATES.isdisjoint(identifier_words(chosen[1])):
        return False
    return re.search(rf"\b{re.escape(chosen[1])} = '", division.numerator) is not None


_OF_THOSE = cue(
    "share % percent pct proportion",
    r"\bof (?:the |all |our )?(?P<base>[^.?;,]{4,60}?),? (?:what|which|how many) (?:%|percent\w*|pct|share|proportion)"
    r"(?! of)(?P<part>[^.?;]{3,80})",
)
_SHARE_THAT = cue(
    "share % percent pct proportion",
    r"(?:%|\b(?:pct|percent\w*|share|proportion)) of (?:the |all |our )?(?P<base>[a-z ]{4,40}?) "
    r"(?=(?:was|were|is|are|did|got|had|have|came|turned|went|ended) )(?P<part>[^.?;,]{3,60})",
)
_BEGINNING = 4


def base_and_part_swapped(case: Case) -> str | None:
    """What is asked for as the part is the base, and the rows that are asked for as the base are the part.

    >>> base_and_part_swapped(case("Of the flights with a guest, what share went by night?", "SELECT COUNT(guest_id) * "
    ...     "1.0 / COUNT(*) FROM flights WHERE kind = 'night'"))
    "kind = 'night' restricts the base"
    """
    those = _OF_THOSE.search(case.asked)
    if those is not None:
        return _part_in_where(_beginnings(those["base"]), _beginnings(those["part"]), case)
    share = _SHARE_THAT.search(case.asked)
    if share is None:
        return None
    return _part_below(_beginnings(share["base"]), _beginnings(share["part"]), case)


def _part_in_where(base: set[str], part: set[str], case: Case) -> str | None:
    """The condition on the part that restricts the base, where the base is counted as the part."""
    own = base - _beginnings(" ".join(table for block in case.sql.blocks for table in block.tables))
    of_base = [each.block for each in case.sql.divisions if _beginnings(each.numerator) & own]
    fixed = (each for each in case.sql.filters if _fixes_value(each) and each.block in of_base)
    odd = next((each for each in fixed if _names_value(each) & (part - base) and not _names_value(each) & base), None)
    return f"{odd.text} restricts the base" if odd is not None else None


def _part_below(base: set[str], part: set[str], case: Case) -> str | None:
    """The rows of the part alone, where they stand below the line."""
    for each in case.sql.divisions:
        tested = _beginnings(" ".join(re.findall(r"'([^']+)'", each.denominator)))
        if tested & (part - base) and not tested & base and _beginnings(each.numerator) & base:
            return f"{each.denominator} is the part that is asked for"
    return None


def _beginnings(text: str) -> set[str]:
    """How the words of a text begin: `referred` and `referral` alike."""
    return {stem(word)[:_BEGINNING] for word in re.findall(r"[a-z]{4,}", text.replace("_", " "))}


def _names_value(each: SqlFilter) -> set[str]:
    return _beginnings(each.rhs.folded) if isinstance(each.rhs, Text) else set()


_KEYS_COUNTED = lazy(r"(?:100 \* |1 \* )?(?:nullif\()?count\(distinct (\w+)\)(?: \* 100| \* 1)?(?:, 0\))?")


def partners_of_all(case: Case) -> str | None:
    """The things of which an inner join has kept those with a partner are divided by themselves: always all.

    >>> partners_of_all(case("What % of pilots flew?", "SELECT 100 * COUNT(DISTINCT f.pilot_id) / COUNT(DISTINCT "
    ...     "p.pilot_id) FROM pilots p JOIN flights f ON f.pilot_id = p.pilot_id"))
    'count(distinct pilot_id) of both sides of a join'
    """
    if not case.sql.joins or re.search(r"\b(?:left|right|full|outer)\b", case.written, re.IGNORECASE) is not None:
        return None
    for each in case.sql.divisions:
        part, whole = _KEYS_COUNTED.fullmatch(each.numerator), _KEYS_COUNTED.fullmatch(each.denominator)
        if part is not None and whole is not None and part[1] == whole[1] and _equates(part[1], each.block, case):
            return f"count(distinct {part[1]}) of both sides of a join"
    return None


def _equates(name: str, block: str, case: Case) -> bool:
    """Whether a join equates two columns of a name, and both are counted beside each other."""
    joins = (join for join in case.sql.joins if join.block == block)
    equal = any(one.name == other.name == name for join in joins for one, other in join.pairs)
    counts = [each for each in case.sql.aggregations if each.block == block and each.column == name and each.distinct]
    return equal and len({column.table for each in counts for column in each.columns}) > 1


_PLAIN_COUNT = lazy(r"(?:nullif\()?count\((?:\*|\w+)\)(?:, 0\))?")
_IN_TIME = cue(
    "share % percent pct proportion",
    r"(?:%|\b(?:pct|percent\w*|share|proportion)) of (?:the |our |all )?[a-z ]{3,30}? (?:that |which |who )?"
    r"([a-z]+ed|sold) (?:in|during) [a-z0-9 ]{2,20}? (?:was|were|is|are|got|had|have)\b",
)


def time_of_part(case: Case) -> str | None:
    """A share of what happened in a time is asked for, and the time restricts the part alone.

    >>> time_of_part(case("What share of flights booked in 2023 was cancelled?", "SELECT SUM(CASE WHEN booked_on >= "
    ...     "'2023-01-01' AND booked_on < '2024-01-01' AND gone = 1 THEN 1 END) * 1.0 / COUNT(*) FROM flights"))
    'booked_on within [2023-01-01, 2024-01-01) restricts the part alone'
    """
    found = _IN_TIME.search(case.asked)
    times = [each for each in case.sql.filters if isinstance(each.rhs, TimeRange | RelativeTime | DatePart)]
    if found is None or not times or any(each.clause not in (Clause.CASE, Clause.FILTER) for each in times):
        return None
    plain = any(_PLAIN_COUNT.fullmatch(each.denominator) for each in case.sql.divisions)
    named = plain and found[1][:_BEGINNING] in (times[0].lhs.name if times[0].lhs is not None else "")
    return f"{times[0].text} restricts the part alone" if named else None


_COUNTED = lazy(
    r"(?:1(?:00)?(?:\.0)? \* |nullif\()?(?:sum|count)\((?:case when )?(.+?)(?: then 1(?: else 0)? end)?\)"
    r"(?:, 0\)| \* 100)?"
)
_RATE = lazy(r"\b(?:rate|share|percent\w*|pct|proportion|fraction)\b|%")
_ODDS = lazy(r"\b(?:ratio|odds|vs|versus|for every|compared)\b")


def part_over_rest(case: Case) -> str | None:
    """The rows that meet a condition are divided by those that do not, where a share is asked for.

    >>> part_over_rest(case("Cancellation rate", "SELECT SUM(CASE WHEN gone_on IS NOT NULL THEN 1 ELSE 0 END) * 1.0 / "
    ...     "SUM(CASE WHEN gone_on IS NULL THEN 1 ELSE 0 END) FROM flights"))
    'gone_on is null is the rest alone'
    """
    if _RATE.search(case.asked) is None or _ODDS.search(case.said) is not None:
        return None
    for each in case.sql.divisions:
        part, rest = _COUNTED.fullmatch(each.numerator.removesuffix(" * 1")), _COUNTED.fullmatch(each.denominator)
        if part is not None and rest is not None and (part[1] in _negations(rest[1]) or rest[1] in _negations(part[1])):
            return f"{rest[1]} is the rest alone"
    return None


def _negations(condition: str) -> set[str]:
    return {f"not {condition}", condition.replace(" is null", " is not null"), condition.replace(" = ", " != ")} - {
        condition
    }


_FORMULA = cue("/", r"\(([a-z]+)(?: [a-z]+)? ?- ?([a-z]+)(?: [a-z]+)?\) ?/ ?([a-z]+)")


def base_of_formula(case: Case) -> str | None:
    """A text says what a difference is divided by, and the SQL divides it, or that base, by the other side.

    >>> base_of_formula(case("Margin = (fare - cost) / fare", "SELECT (SUM(fare) - SUM(cost)) / SUM(cost) FROM trips"))
    'sum(cost) below the line, not fare'
    """
    for one, other, base in (found.groups() for found in _FORMULA.matches(case.said)):
        wrong = {one, other} - {base}
        for each in case.sql.divisions if len(wrong) == 1 else ():
            above, below = (set(re.findall(r"[a-z]+", side)) for side in (each.numerator, each.denominator))
            if base in above and wrong <= below and base not in below:
                return f"{each.denominator} below the line, not {base}"
    return None


_OF_TOTAL = cue(
    "total all overall",
    r"(?:%|\b(?:share|percent\w*|pct|part)) of (?:our |the )?(?:total|all|overall|all our|all the) ([a-z]{4,})\b",
)
_OF_KIND = lazy(r"(?:100 \* )?sum\(case when \w+ = '([^']{3,})' then (\w+) else 0 end\)")


def base_of_all_kinds(case: Case) -> str | None:
    """A share of the total of one kind is asked for, and the amounts of all kinds are the base.

    >>> base_of_all_kinds(case("Each base's share of our total fuel", "SELECT base, SUM(CASE WHEN kind = 'fuel' THEN "
    ...     "paid ELSE 0 END) / SUM(SUM(paid)) OVER () FROM costs GROUP BY base"))
    "sum(sum(paid)) over () is of more than 'fuel'"
    """
    found = _OF_TOTAL.search(case.asked)
    for each in case.sql.divisions if found is not None else ():
        kind = _OF_KIND.fullmatch(each.numerator)
        if found is None or kind is None or "case" in each.denominator or f"sum({kind[2]})" not in each.denominator:
            continue
        if found[1].startswith(kind[1][:3]):
            return f"{each.denominator} is of more than '{kind[1]}'"
    return None


def base_of_others(case: Case) -> str | None:
    """The first of these that is wrong with the base of a share."""
    odd = share_of_one_group(case) or base_of_some(case) or base_and_part_swapped(case)
    odd = odd or partners_of_all(case) or time_of_part(case) or part_over_rest(case)
    return odd or base_of_formula(case) or base_of_all_kinds(case) or unlike_sides(case)
