"""Signals about shares of an amount, of a group's own total, and of what is left after a loss."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.unmet.ratios.bases import base_of_others
from scoring.signals.mistakes.unmet.ratios.cohorts import asks_of_each, counts_unlinked
from scoring.signals.mistakes.wording import cue, divides, stems_of
from scoring.specification import Clause, Division, Limit, Op, SqlSpec, SubqueryRole
from scoring.sql.shapes.naming import is_own_key
from scoring.values import Text
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_OF_AMOUNT = cue(
    "weight kg kilo tonne volume litre liter hours minutes revenue spend turnover mileage kwh sales takings payroll "
    "gmv mrr arr profit balance principal debt",
    r"(?:\b(?:share|percentage|percent|pct|proportion|fraction)|%) of "
    r"(?:(?!(?:are|at|by|did|for|from|had|has|have|in|is|of|on|that|to|was|were|who|whose|with)\b)[\w'-]+ ){0,3}?"
    r"(weight|kgs?|kilos?|tonnes?|tonnage|volume|litres?|liters?|hours|minutes|revenue|spend|turnover|mileage|kwh"
    r"|sales|takings|payroll|gmv|mrr|arr|profit|balance|principal|debt)\b(?! (?:sheet|account|transfer|inquir|check))",
)
_COUNTED = lazy(r"(?:nullif\()?(?:\(select |sum\()?count\(")


def amount_shared_by_rows(case: Case) -> str | None:
    """A share of an amount is asked for, and rows are counted above and below the line.

    >>> amount_shared_by_rows(case("What share of the weight was late?",
    ...     "SELECT SUM(CASE WHEN late = 1 THEN 1 ELSE 0 END) * 1.0 / COUNT(*) FROM parcels"))
    'count(*) below the line for the share of the weight'
    """
    found = _OF_AMOUNT.search(case.asked)
    if found is None or not case.sql.divisions:
        return None
    if not all(_COUNTED.match(each.denominator) for each in case.sql.divisions):
        return None
    return f"{case.sql.divisions[0].denominator} below the line for the share of the {found[1]}"


_OF_OWN = cue(
    "own that its their same each",
    r"(?:%|\b(?:pct|percent\w*|share|proportion))(?: \w+)? of (?:that|its|their|the same) (?!own\b)[a-z]+(?:'s|s)?\b"
    r"|\b(?:share|part|percent\w*|pct|%)\b[^.;?]{0,40}\b(?:of|in|within) (?:their|its|his|her) own (?!total)[a-z]+\b"
    r"|(?:%|\b(?:pct|percent\w*|share|proportion)) of each (?:[a-z]+'?s? own\b|[a-z]+'?s? [a-z]+ (?:was|were|is|are"
    r"|that)\b|one'?s [a-z]+)",
)
_OF_ALL = lazy(r"\b(?:sum|count|ratio_to_report)\s*\((?:[^()]|\([^()]*\)){1,80}\)\s*over\s*\(\s*\)", re.IGNORECASE)
_SCALAR = lazy(
    r"/ ?(?:nullif ?\()?\(\s*select\s+(?:sum|count)\s*\([^()]{1,30}\)\s+from\s+[\w.]+(?:\s+(?!where\b)\w+)?\s*(?:\)"
    r"|where\b)",
    re.IGNORECASE,
)
_THAT_WERE = cue(
    "that which who",
    r"(?:%|\b(?:pct|percent\w*|share|proportion)) of (?:the |our |all )?[a-z][a-z ]{2,40}? (?:that|which|who) \w+\b"
    r"[^.;?]{0,60}\b(?:by|per|for each|in each) \w+",
)
_RATE_OF_EACH = cue("rate", r"\b[a-z-]+ rate (?:per|by|for each|for every|in each|of each|at each) [a-z]+\b")


_IN_EACH = cue(
    "each every within inside",
    r"(?:%|\b(?:pct|percent\w*|share|proportion)) of [^.;?]{2,50}\b(?:in|for|within|at|of|inside) (?:each|every) [a-z]+"
    r"|\b(?:share|mix|split)\b[^.;?]{2,50}\b(?:within|inside) (?:the|its|their|that|each|every) (?P<group>[a-z]+)"
    r"|\b(?:within|in) (?:each|every) (?P<in>[a-z]+)[,:]? (?:what |which |the )?(?:%|pct|percent\w*|share|proportion)"
    r"|\bfor (?:every|each) (?P<each>[a-z]+),? (?:what|which|the) (?:%|(?:pct|percent\w*|share|proportion)) of "
    r"(?:the|that) "
    r"(?P=each)\b",
)


def own_total_of_all(case: Case) -> str | None:
    """A share of each group's own total is asked for, and the total over all groups is the base.

    >>> own_total_of_all(case("Best pilot of each base and what % of that base's hours it is", "SELECT base, name, "
    ...     "hours / SUM(hours) OVER () FROM (SELECT base, name, hours, RANK() OVER (PARTITION BY base ORDER BY hours "
    ...     "DESC) AS r FROM pilots) t WHERE r = 1"))
    'SUM(hours) OVER () adds up all groups'
    """
    within = _asks_within(case)
    if not within and not _asks_own(case):
        return None
    if any(each.func in _TOTALS and each.partition_by for each in case.sql.windows):
        return None
    found = _OF_ALL.search(case.written) or (_SCALAR.search(case.written) if _has_same_base(case) else None)
    if found is not None:
        return f"{found.group().strip(' (')} adds up all groups"
    return _total_beside(case) if within else None


_TOTALS = frozenset({"SUM", "COUNT", "RATIO_TO_REPORT"})


_PER_PERIOD = cue(
    "month week day quarter",
    r"(?:%|\b(?:share|percent\w*|pct|proportion)) of (?:the |our |all )?[a-z][a-z -]{2,30}? (?:per|by|each|every) "
    r"(?:month|week|day|quarter)\b",
)
_OF_YEAR = lazy(r"\b(?:yearly|annual|year's|of the year|total|fell in|fall in)\b")


def _asks_of_period(case: Case) -> bool:
    """Whether the share of a kind of rows is asked for in each period, and all groups are periods."""
    found = _PER_PERIOD.search(case.asked) is not None and _OF_YEAR.search(case.asked) is None
    if not found or len({key.operand.name for key in case.sql.group_by}) != 1:
        return False
    letters = re.sub(r"[^a-z]", "", case.asked)
    kinds = (each.rhs.folded for each in case.sql.filters if each.op is Op.EQ and isinstance(each.rhs, Text))
    named = any(len(kind) > 2 and re.sub(r"[^a-z]", "", kind) in letters for kind in kinds)
    return named or any(each.conditional or "case when" in each.column for each in case.sql.aggregations)


def _asks_within(case: Case) -> bool:
    """Whether a share within each of something is asked for, and rows are grouped by that and something else."""
    found = _IN_EACH.search(case.asked)
    words = {word for key in case.sql.group_by for word in identifier_words(key.operand.name)}
    group = (found["group"] or found["in"]) if found is not None else None
    return found is not None and (group is None or stem(group) in words) and len(case.sql.group_by) > 1


def _has_same_base(case: Case) -> bool:
    """Whether a scalar subquery reads no more than the query around it, and is the same for each of its rows."""
    tables = {block.path: block.tables for block in case.sql.blocks}
    scalars = [each for each in case.sql.subqueries if each.role is SubqueryRole.SCALAR]
    alike = all(set(tables.get(each.block, ())) <= set(tables.get(each.parent, ())) for each in scalars)
    return alike and not any(each.correlated for each in scalars)


def _asks_own(case: Case) -> bool:
    """Whether each group's share of its own rows is asked for, or its rate, and all that is divided has one base."""
    if _OF_OWN.search(case.asked) is not None or _asks_of_period(case) or asks_of_each(case):
        return True
    if _THAT_WERE.search(case.asked) is not None:
        return not any(map(_spreads_whole, case.sql.divisions))
    of_all = [("over ()" in each.denominator or "(select" in each.denominator) for each in case.sql.divisions]
    return _RATE_OF_EACH.search(case.asked) is not None and bool(case.sql.group_by) and bool(of_all) and all(of_all)


def _spreads_whole(division: Division) -> bool:
    """Whether all rows of each group are divided by those of all groups: where the whole comes from."""
    part = division.numerator.removeprefix("100 * ").removesuffix(" * 100")
    return f"sum({part}) over ()" in division.denominator and _CONDITIONS.search(part) is None


_CONDITIONS = lazy(r"case when|filter| (?:=|<|>|in|is) ")


def _total_beside(case: Case) -> str | None:
    """The total of all rows that a cross join puts beside each group, where a division has it below the line."""
    crossed = {each.table for each in case.sql.joins if each.kind == "cross" and "/" in each.table}
    ungrouped = crossed - {key.block for key in case.sql.group_by}
    totals = {each.column: each for each in case.sql.aggregations if each.func == "SUM" and each.block in ungrouped}
    below = (name for each in case.sql.divisions for name in totals if name in each.denominator)
    return next((f"SUM({name}) adds up all groups" for name in below), None)


_OF_WHOLE = cue(
    "total overall grand whole entire company together",
    r"(?:%|\b(?:pct|percent\w*|share|proportion)) of (?:our |the )?(?:total|overall|grand|whole|entire|company)\b"
    r"|\ball rows together\b",
)


def whole_split(case: Case) -> str | None:
    """A share of the total of all is asked for, and the base is of each group that a window parts.

    >>> whole_split(case("Each plane's share of total company hours, show base too", "SELECT base, plane, SUM(hours) / "
    ...     "SUM(SUM(hours)) OVER (PARTITION BY base) FROM flights GROUP BY base, plane"))
    'base parts the whole'
    """
    found = _OF_WHOLE.search(case.asked)
    if found is None or _OF_ALL.search(case.written) is not None or _SCALAR.search(case.written) is not None:
        return None
    totals = [each for each in case.sql.windows if each.func in _TOTALS and not each.order_by]
    keys = {key.name for each in totals for key in each.partition_by}
    words = "|".join(word for key in keys for word in identifier_words(key))
    within = re.search(rf"\b(?:each|every|its|that|own|within|in|per|the) (?:{words})", case.asked)
    return f"{', '.join(sorted(keys))} parts the whole" if keys and within is None else None


_PART_OVER = cue(
    "over of by",
    r"\b([a-z]{3,}) (?:as (?:a )?(?:%|pct|percent\w*|share|proportion) of|over|divided by|out of)"
    r" (?:the |all |total |its )?(?:[a-z]+ )?([a-z]{3,})\b",
)
_NAMES_DIVIDED = lazy(r"\b([a-z]\w*)\s*(?:/|,)\s*nullif\s*\(\s*(?:coalesce\s*\(\s*)?(?:\w+\.)?([a-z]\w*)")


_ALL_ROWS = lazy(r"(?:100 \* |1 \* )?count\(\*\)(?: \* 1(?:00)?)?")
_ALL_BELOW = lazy(r"(?:nullif\()?count\(\*\)(?:, 0\))?")
_SOME_ROWS = lazy(r"case when .* then 1|filter \(where|count\([^*)]* (?:=|<|>) ")


def all_over_some(case: Case) -> str | None:
    """All rows are divided by those that meet a condition, where a rate or a share is asked for.

    >>> all_over_some(case("Late rate", "WITH t AS (SELECT COUNT(*) AS n, SUM(CASE WHEN late = 1 THEN 1 ELSE 0 END) AS "
    ...     "late FROM flights) SELECT n / late FROM t"))
    'count(*) / sum(case when late = 1 then 1 else 0 end)'
    """
    right_way = any(_ALL_BELOW.fullmatch(each.denominator) for each in case.sql.divisions)
    if right_way or _RATE_OF_ALL.search(case.asked) is None:
        return None
    for each in case.sql.divisions:
        some = _SOME_ROWS.search(each.denominator) is not None and " over " not in each.denominator
        if some and _ALL_ROWS.fullmatch(each.numerator) is not None:
            return f"{each.numerator} / {each.denominator}"
    return None


def inverted_by_words(case: Case) -> str | None:
    """The question says what is divided by what, and the SQL divides them the other way round.

    >>> inverted_by_words(case("Loss rate (claims over premium)", "SELECT SUM(premium) / SUM(claims) FROM policies"))
    'sum(premium) / sum(claims) for claims over premium'
    """
    pairs = [(each.numerator, each.denominator) for each in case.sql.divisions]
    pairs += _NAMES_DIVIDED.findall(case.written.casefold()) if pairs else []
    for found in _PART_OVER.matches(case.asked) if pairs else ():
        part, whole = (stem(word) for word in found.groups())
        for above, below in pairs:
            over, under = (stems_of(side) for side in (above, below))
            if part in under - over and whole in over - under:
                return f"{above} / {below} for {found.group()}"
    return None


_PLAIN_COUNT = lazy(r"(?:100(?:\.0)? \* )?count\((?:distinct )?(\w+)\)(?: \* 1(?:\.0)?)?")


def base_of_the_part(case: Case) -> str | None:
    """Rows with a value are divided by all rows, and WHERE keeps only rows with a value: each share is 1.

    >>> base_of_the_part(case("What share of seats is sold?",
    ...     "SELECT COUNT(guest_id) * 1.0 / COUNT(*) FROM seats WHERE guest_id IS NOT NULL"))
    'guest_id is not null restricts the base'
    """
    parts = {(found[1], each.block) for each in case.sql.divisions if (found := _part_of_all(each))}
    kept = [each for each in case.sql.filters if each.op is Op.NOT_NULL and each.clause is Clause.WHERE and each.lhs]
    odd = next((each for each in kept if each.lhs is not None and (each.lhs.name, each.block) in parts), None)
    return f"{odd.text} restricts the base" if odd is not None else None


def _part_of_all(division: Division) -> re.Match[str] | None:
    whole = re.fullmatch(r"(?:nullif\()?count\(\*\)(?:, 0\))?", division.denominator)
    return _PLAIN_COUNT.fullmatch(division.numerator) if whole is not None else None


def _part_counted(division: Division) -> str | None:
    """The column of which every value is counted above the line, over all rows or different keys."""
    part = _part_of_all(division) or _part_of_keys(division) if "distinct" not in division.numerator else None
    return part[1] if part is not None else None


def _part_of_keys(division: Division) -> re.Match[str] | None:
    """A count of one key over that of different other ones."""
    whole = re.fullmatch(r"(?:nullif\()?count\(distinct \w+\)(?:, 0\))?", division.denominator)
    return _PLAIN_COUNT.fullmatch(division.numerator) if whole is not None else None


_LOSS = cue(
    "loss shrink wast drop decrease reduction decline",
    r"\b(?:drop|decrease|reduction|decline) (?:in )?(?:%|pct\b|percent\w*)|(?:%|\bpct|\bpercent\w*) (?:drop|decrease)\b"
    r"|\b(?:loss|shrinkage|wastage|waste) ?(?:%|pct\b|percent\w*|rate\b)"
    r"|(?:%|\b(?:pct|percent\w*)) (?:of )?(?:loss|shrinkage|wastage)\b",
)
_TAKEN_OFF = lazy(r"\b1(?:00)?(?:\.0+)?\s*-(?!\d)|\)\s*-\s*\(?\s*(?:sum|count|\d)|[a-z_]\s*-\s*[a-z_]", re.IGNORECASE)
_LOST = lazy(r"lost|loss|wast|shrink|scrap|reject|spoil|write|broken|return|leak|dead|expired|dump")
_SUMS = lazy(r"(?:100(?:\.0)? \* )?sum\([\w.]+\)(?: \* (?:1(?:\.0)?|100(?:\.0)?))?")


def yield_for_loss(case: Case) -> str | None:
    """The share that was lost is asked for, and the SQL gives the share that is left.

    >>> yield_for_loss(case("Loss % by route", "SELECT route, SUM(kg_out) / SUM(kg_in) FROM trips GROUP BY route"))
    'sum(kg_out) / sum(kg_in) is what is left'
    """
    if _LOSS.search(case.asked) is None or _TAKEN_OFF.search(case.written) or len(case.sql.divisions) != 1:
        return None
    division = case.sql.divisions[0]
    if _SUMS.fullmatch(division.numerator) is None or _LOST.search(division.numerator) is not None:
        return None
    return f"{division.numerator} / {division.denominator} is what is left"


_SHARE = lazy(r"%|\b(?:pct|percent\w*|share|proportion|fraction)\b")
_COUNTED_ONCE = lazy(r"\brates?\b[^;?]{0,120}\b(?:at least once|only once|counts? (?:as (?:1|one)|once))\b")
_RATE_OF_ALL = lazy(r"%|\b(?:pct|percent\w*|share|proportion|fraction|rate)\b")


def share_by_repeats(case: Case) -> str | None:
    """A share of things that have something is asked for, and what they have is counted, several for one thing.

    >>> share_by_repeats(case("What share of flights had a claim?", "SELECT COUNT(c.claim_id) * 1.0 / COUNT(*) FROM "
    ...     "flights f LEFT JOIN claims c ON c.flight_id = f.flight_id"))
    'count(claim_id) counts each of several claims'
    """
    optional = {each.table for each in case.sql.joins if each.kind == "left"} - {None, ""}
    if not optional or (_SHARE.search(case.asked) or _COUNTED_ONCE.search(case.asked)) is None:
        return None
    parts = list(filter(None, map(_part_counted, case.sql.divisions)))
    keys = (each for each in case.sql.columns if each.name in parts and each.table in optional and is_own_key(each))
    return next((f"count({each.name}) counts each of several {each.table}" for each in keys), None)


def other_base(case: Case) -> Finding | None:
    """The first of these that is wrong with a share."""
    if not divides(case):
        return None
    repeats = share_by_repeats(case)
    if repeats is not None:
        return Finding(0.5, repeats)
    found = (
        own_total_of_all(case)
        or base_of_the_part(case)
        or yield_for_loss(case)
        or whole_split(case)
        or base_of_others(case)
        or counts_unlinked(case)
    )
    return Finding(1.0, found) if found is not None else None


def reads_no_more(base: tuple[str, ...], outer: tuple[str, ...], sql: SqlSpec) -> bool:
    """Whether a base reads only tables of the query around it, and the one whose time that query selects."""
    timed = {column.table for each in sql.filters if each.lhs is not None for column in each.lhs.columns}
    return bool(base) and set(base) <= set(outer) and not timed.isdisjoint(base)


_OF_FIRST = lazy(
    r"(?:%|\b(?:pct|percent\w*|share|proportion|part)) (?:\w+ )?of (?:the |that |those |this |these )?"
    r"(?:top|first|best|\d+|them|three|five|ten)\b|\b(?:of|in|within|among) (?:the |those |these )top\b"
)


def total_of_few(cut: Iterable[Limit], case: Case) -> re.Match[str] | None:
    """The sum of all rows of a query that has kept the first alone: `(SELECT SUM(n) FROM top5)`."""
    if _OF_FIRST.search(case.asked) is not None:
        return None
    names = [re.escape(each.block.rpartition("/cte:")[2]) for each in cut if "/cte:" in each.block]
    if not names:
        return None
    summed = rf"\(\s*select\s+(?:sum|count)\s*\([^()]*\)(?:\s+(?:as\s+)?\w+)?\s+from\s+(?:{'|'.join(names)})\s*\)"
    return re.search(summed, case.written, re.IGNORECASE)
