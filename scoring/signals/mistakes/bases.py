"""Signals about the base of a share, and about factors that turn one unit into another."""

from __future__ import annotations

import re
from collections.abc import Collection

from scoring.patterns import lazy
from scoring.signals.finding import Finding, differing
from scoring.signals.mistakes.unmet.ratios.measures import (
    factor_left_out,
    factor_of_alias,
    factor_turned,
    speed_per_other,
    stated_factor_turned,
)
from scoring.signals.mistakes.unmet.ratios.shares import other_base, reads_no_more, total_of_few
from scoring.signals.mistakes.unmet.ratios.sides import rate_divided
from scoring.signals.mistakes.wording import asked, cue, first, said, stems_of
from scoring.signals.unit_names import FACTORS, LARGER_UNITS, one_name, unit_named
from scoring.specification import Aggregation, Clause, Division, Op, SqlFilter, SqlSpec, Subquery, SubqueryRole
from scoring.specification.shapes import ShapeKind
from scoring.sql.shapes.naming import table_words
from scoring.values import DatePart, Number, RelativeTime, Text, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_SHARE_OF = lazy(
    r"(?:\b(?:share|percentage|percent|pct|proportion|fraction)|%) of (?:the |all |our )?((?:[\w-]+ ){0,5}[\w-]+)"
)
_CONDITIONAL = frozenset({Clause.CASE, Clause.FILTER})


def share_base_wrong(case: Case) -> Finding | None:
    """A share is of other rows than asked for: its base lacks a condition, or has one that nothing asks for.

    Of late parcels by air, the base is all parcels by air. A condition that stands with the part alone leaves the
    base too wide; one in WHERE on what the part tests makes it too narrow.

    >>> share_base_wrong(case("What share of express parcels is late?", "SELECT 100.0 * SUM(CASE WHEN late = 1 AND "
    ...     "kind = 'express' THEN 1 ELSE 0 END) / COUNT(*) FROM parcels")).detail
    "kind = 'express' restricts the part alone"
    """
    found = _SHARE_OF.search(asked(case))
    few = _share_of_few(case) or _base_of_done(case) or _timeless_base(case) or _other_amount(case)
    return few or _odds(case) or other_base(case) or (_base_of(found[1], case) if found is not None else None)


_OF_ALL = lazy(r"\bsum\s*\((?:[^()]|\([^()]*\)){1,80}\)\s*over\s*\(\s*\)", re.IGNORECASE)
_AMONG = lazy(r"(?<!each )\b(?:among|within|of|between) (?:those|these|them|each other)\b")


def _share_of_few(case: Case) -> Finding | None:
    """A share is of the rows that a LIMIT has kept: those of the ten largest then add up to 100 %."""
    cut = [each for each in case.sql.limits if each.count and each.block not in case.sql.outputs and not each.ranked]
    if not cut or _RATE.search(asked(case)) is None or _AMONG.search(asked(case)) is not None:
        return None
    total = _OF_ALL.search(case.written) or total_of_few(cut, case)
    return Finding(1.0, f"{total.group()} adds up {cut[0].count} rows") if total is not None else None


_QUARTER = lazy(r"\bof all q[1-4]\b")


def _timeless_base(case: Case) -> Finding | None:
    """A share of the rows of a period has the rows of all times as its base."""
    wide = _RATE.search(asked(case)) is None or _EVER.search(said(case)) is not None
    if wide or not (case.question.time_ranges or _QUARTER.search(asked(case))):
        return None
    divides = any("(select " in division.denominator for division in case.sql.divisions)
    timeless = any(_is_timeless(each, case.sql) for each in case.sql.subqueries)
    return Finding(1.0, "the base is of all times") if divides and timeless else None


def _is_timeless(base: Subquery, sql: SqlSpec) -> bool:
    """Whether a value is read of the same tables as the query around it, which selects a time, without a condition."""
    tables = {block.path: block.tables for block in sql.blocks}
    own, around = tables.get(base.block, ()), tables.get(base.parent, ())
    if base.role is not SubqueryRole.SCALAR or not (own == around or reads_no_more(own, around, sql)):
        return False
    tests = (each.rhs for each in sql.filters if each.block == base.parent)
    timed = any(isinstance(each, TimeRange | RelativeTime | DatePart) for each in tests)
    return timed and all(each.block != base.block for each in sql.filters)


_OF_THAT_OF = lazy(r"\b(?:share|percentage|percent|pct|%) of (?:that|those) of\b")
_AS_SHARE_OF = lazy(
    r"\b(?:as|in) (?:an? |the )?(?:share|percentage|percent|pct|%|proportion|fraction) of"
    r" (?:the |total |its |all )*([a-z]+)"
)


def _other_amount(case: Case) -> Finding | None:
    """A share of one amount is asked for, and the parts are divided by another: profit by cost, not by revenue."""
    named = _AS_SHARE_OF.search(said(case))
    if named is None or not case.sql.divisions:
        return None
    wanted = stem(named[1])
    if wanted in stems_of(said(case)[: named.start()]):
        return None  # `seats sold as a share of all seats`: the part is named like the whole
    odd = [each for each in case.sql.divisions if wanted in stems_of(each.numerator) - stems_of(each.denominator)]
    plain = len(odd) == len(case.sql.divisions) and all(_adds(each.denominator) for each in odd)
    return Finding(1.0, f"{odd[0].denominator} below the line, not {named[1]}") if plain else None


def _adds(denominator: str) -> bool:
    """Whether an amount is added up below the line."""
    return re.fullmatch(r"(?:nullif\()?sum\([\w.]+\)(?:, 0\))?", denominator) is not None


_EVER = lazy(r"\b(?:of all(?! (?:\d|q[1-4]))|overall|all[- ]time|ever|total|altogether)\b")
_DONE_WITHIN = lazy(r"(?:share|percentage|percent|pct|%|proportion) of (?:[\w-]+ ){1,4}?(\w+) within\b")


def _base_of_done(case: Case) -> Finding | None:
    """A share of what was done in time leaves out what was never done: filled within 2 days, of those filled."""
    found = _DONE_WITHIN.search(asked(case))
    if found is None:
        return None
    done = stem(str(found[1]))
    tested = {column.name for each in case.sql.aggregations if each.conditional for column in each.columns}
    narrow = next((each for each in case.sql.filters if _is_done(each, done, tested)), None)
    return Finding(1.0, f"{narrow.text} leaves out of the base what was never done") if narrow is not None else None


def _is_done(each: SqlFilter, done: str, tested: Collection[str]) -> bool:
    """Whether a condition keeps the rows where a tested time of what was done is there."""
    if each.op is not Op.NOT_NULL or each.clause is not Clause.WHERE or each.lhs is None:
        return False
    return each.lhs.name in tested and done in identifier_words(each.lhs.name)


def _base_of(phrase: str, case: Case) -> Finding | None:
    """What is wrong with the base of the share of a phrase, where that is a count of rows."""
    if not any(_is_whole(each.denominator) for each in case.sql.divisions):
        return None
    base = _base_words(phrase, case)
    part = [each for each in case.sql.filters if each.clause in _CONDITIONAL]
    alone = [each for each in part if _names(each) & base]
    if alone and len(part) > 1:
        return Finding(1.0, f"{alone[0].text} restricts the part alone")
    narrow = next((each for each in case.filters.extra if _narrows(each, part, base)), None)
    return Finding(1.0, f"{narrow.text} restricts the base") if narrow is not None else None


def _odds(case: Case) -> Finding | None:
    """A rate whose base leaves the part out."""
    split = next((each for each in case.sql.divisions if _are_complements(each)), None)
    if split is not None and _RATE.search(asked(case)) and not _ODDS.search(said(case)):
        return Finding(1.0, f"{split.denominator} leaves the part out of the base")
    odds = first(case, ShapeKind.ODDS)
    if odds is None or not _RATE.search(asked(case)) or _ODDS.search(said(case)) or _names_base(odds.text, case):
        return None
    if odds.text.startswith("(-"):  # amounts stored below zero, such as refunds, are no part of the base
        return None
    return Finding(1.0, f"{odds.text} leaves the part out of the base")


_PART = lazy(r"sum\(case when (.+?) then (\w+) else 0 end\)")
_REST = lazy(r"sum\(case when (.+?) then 0 else (\w+) end\)")


def _are_complements(division: Division) -> bool:
    """Whether the rows that meet a condition are divided by those that do not."""
    part, rest = _PART.search(division.numerator), _REST.search(division.denominator)
    return part is not None and rest is not None and part.groups() == rest.groups()


def _names_base(text: str, case: Case) -> bool:
    """Whether the question names the base: `as a share of what was billed`, or the value that its rows have."""
    base = text.lower().rpartition(" / ")[2]
    below = re.findall(r"(?<!<> )(?<!!= )'([a-z_ ]{3,})'", base)
    named = _AS_SHARE_OF.search(asked(case)) is not None or _OF_THAT_OF.search(said(case)) is not None
    return named or any(value in asked(case) for value in below)


_RATE = lazy(r"\b(?:rate|share|percentage|percent|pct|proportion|fraction)\b|%")
_ODDS = lazy(r"\b(?:ratio|odds|vs|versus|for every|compared)\b")


def _is_whole(denominator: str) -> bool:
    """Whether a base is a count of all rows."""
    return re.fullmatch(r"(?:nullif\()?count\((?:\*|1|[a-z_]\w*)\)(?:, 0\))?", denominator) is not None


def _base_words(phrase: str, case: Case) -> set[str]:
    """The words before the thing whose share is asked for: `express` in `express parcels is late`."""
    heads = {table_words(table)[-1] for block in case.sql.blocks for table in block.tables}
    words = [stem(word) for word in re.findall(r"[a-z]+", phrase)]
    place = next((place for place, word in enumerate(words) if word in heads), None)
    if place is None:  # the thing has a name of its own: `active accts that are …`
        place = max(next((place for place, word in enumerate(words) if word in _RELATIVE), 0) - 1, 0)
    return set(words[:place])


_RELATIVE = frozenset({"that", "who", "which"})


def _names(each: SqlFilter) -> set[str]:
    """The words of the value that a condition tests for."""
    return {stem(word) for word in each.rhs.folded.split("_")} if isinstance(each.rhs, Text) else set()


def _narrows(each: SqlFilter, part: list[SqlFilter], base: set[str]) -> bool:
    """Whether WHERE bounds what the part tests, and the words of the base do not speak of it."""
    columns = each.lhs.columns if each.lhs is not None else ()
    tested = {column for other in part if other.lhs is not None for column in other.lhs.columns}
    words = {word for column in columns for word in identifier_words(column.name)}
    bounds = each.clause is Clause.WHERE and isinstance(each.rhs, Number)
    return bounds and bool(columns) and tested.issuperset(columns) and words.isdisjoint(base | _CODES)


_CODES = frozenset({"cd", "code", "status", "state", "outcome", "type", "kind"})
"""Numbers of such columns stand for words."""
_IN_UNIT = lazy(
    r"\bin (?:whole )?([a-z]+?)s?\b|^(?:total |how many |number of )?([a-z]+?)s? of\b|\bhow many (kwh|mwh|gwh|[kmgt]b|"
    r"tonne|kilo|km|litre|liter)s?\b"
    r"|\b(?:total|call|talk|watch|listening|play|working|idle|down) (minute|hour|day)s\b"
)
_KEPT_IN = lazy(r"\b(?:stored|kept|saved|recorded|measured|logged|is|are) in (?:whole )?\w+")
_CONSTANT = lazy(r"[\d.e+]+(?: \* [\d.]+)*")


def factor_of_other_unit(case: Case) -> Finding | None:
    """An amount is divided by the factor of another unit than the one asked for.

    A gigabyte is 10⁹ bytes or 1024³, and not a million. Nor is an amount divided by euros per unit to give euros.

    >>> factor_of_other_unit(case("How much did each pilot load, in GB?",
    ...     "SELECT pilot, SUM(bytes_used) / 1000000 FROM loads GROUP BY pilot")).detail
    'expected → actual: 1e+09 → 1e+06'
    """
    plain = factor_left_out(case) or factor_turned(case) or factor_of_alias(case) or stated_factor_turned(case)
    plain = plain or speed_per_other(case) or rate_divided(case)
    if plain is not None or len(case.sql.divisions) != 1:
        return Finding(1.0, plain) if plain is not None else None
    division = case.sql.divisions[0]
    if _divides_by_gain(division.denominator, case):
        return Finding(1.0, f"{division.numerator} / {division.denominator}")
    wanted = {
        one_name(word) for words in _IN_UNIT.findall(_KEPT_IN.sub(" ", asked(case))) for word in words
    } & LARGER_UNITS
    return _of_other_factor(division, wanted.pop()) if len(wanted) == 1 else None


def _of_other_factor(division: Division, unit: str) -> Finding | None:
    stored = {unit_named(word) for word in re.findall(r"(?<![a-z])[a-z]+(?![a-z(])", division.numerator)}
    if re.search(r"(?:duration|length|time|seconds?)_s\b", division.numerator):
        stored.add("second")
    factors = next((FACTORS[one, unit] for one in sorted(stored) if (one, unit) in FACTORS), ())
    given = _constant(division.denominator)
    if not factors or not given or any(abs(given - one) < 0.01 * one for one in factors):
        return None
    return differing(f"{factors[0]:g}", f"{given:g}")


_GAIN = lazy(r"(?:\w+\.)?(eur|euro|usd|dollar|gbp|pound|chf|kg|km)s?_per_\w+")
_CURRENCIES = {"eur": "euro", "usd": "dollar", "gbp": "pound", "chf": "franc"}


def _divides_by_gain(denominator: str, case: Case) -> bool:
    """Whether a divisor says how many of the units asked for one stored unit gives: `eur_per_unit`."""
    found = _GAIN.fullmatch(denominator)
    if found is None:
        return False
    unit = found[1]
    return re.search(rf"\bin (?:{unit}|{_CURRENCIES.get(unit, unit)})s?\b", asked(case)) is not None


def _constant(text: str) -> float:
    """The number that a denominator is; 0 where it is none."""
    bare = text.strip("() ")
    if not _CONSTANT.fullmatch(bare):
        return 0.0
    value = 1.0
    for factor in bare.split(" * "):
        value *= float(factor)
    return value


_FRACTIONS = cue(
    "fraction 0 0.",
    r"\bfractions?\b|\b0(?:\.0)? ?(?:-|to|and|\.\.) ?1(?:\.0)?\b(?![.\d])|\b0\.\d+ ?(?:=|is|means|for"
    r"|stands for) ?\d+(?:\.\d+)? ?(?:%|percent)",
)
_PERCENTS = cue(
    "percent %",
    r"\bis (?:a )?whole numbers? such as \d+ for \d+ ?%"
    r"|\b(?:in|as|holds?|holding|stored as|contains?) (?:whole |a )?percent(?:ages?)?\b"
    r"|\bpercent(?:ages?)? (?:such as|like|e\.g)",
)
_SCALED = lazy(r"\b100(?:\.0+)?\b|\b1e2\b|\b0?\.01\b")
_RATES = frozenset(map(stem, "rate pct percent percentage share ratio discount margin commission fraction".split()))


def percent_unscaled(case: Case) -> Finding | None:
    """A text says in which form a rate is stored, and the SQL takes it for the other one.

    A fraction of 0.15 is never above 15, and a price times a rate of 2.5 percent is to be divided by 100.

    >>> percent_unscaled(case("Trips with a discount over 15 % (discount is a fraction)",
    ...     "SELECT id FROM trips WHERE discount > 15")).detail
    'discount > 15'
    """
    if _SCALED.search(case.written):
        return None
    by_name = _fraction_in_percent(case)
    if by_name is not None:
        return Finding(1.0, by_name)
    if _FRACTIONS.search(said(case)):
        odd = next((each for each in case.sql.filters if _bounds_rate(each)), None)
        return Finding(1.0, odd.text) if odd is not None else None
    added = (each for each in case.sql.aggregations if _PERCENTS.search(said(case)) and _multiplies_rate(each))
    odd = next(added, None)
    return Finding(1.0, f"{odd.func}({odd.column})") if odd is not None else None


_SAID_PERCENT = lazy(r"\d ?(?:%|percent|pct)")
_PERCENT_OFF = lazy(r"1 - (?:\w+\.)?(\w*(?:percent|pct)\w*)\b(?! /)")


def _fraction_in_percent(case: Case) -> str | None:
    """A column that is called a fraction is bounded by a percentage, or one in percent is taken off 1."""
    for each in case.sql.filters if _SAID_PERCENT.search(asked(case)) else ():
        if _bounds_rate(each) and each.lhs is not None and "fraction" in identifier_words(each.lhs.name):
            return each.text
    added = (found.group() for each in case.sql.aggregations if (found := _PERCENT_OFF.search(each.column)))
    return next(added, None)


def _bounds_rate(each: SqlFilter) -> bool:
    """Whether a bare rate is compared with more than one."""
    bare = each.lhs is not None and [column.name for column in each.lhs.columns] == [each.lhs.name]
    number = each.rhs.value if isinstance(each.rhs, Number) else 0
    return bare and number > 1 and each.lhs is not None and not _RATES.isdisjoint(identifier_words(each.lhs.name))


def _multiplies_rate(each: Aggregation) -> bool:
    """Whether a product of a rate is added up."""
    rated = any(not _RATES.isdisjoint(identifier_words(column.name)) for column in each.columns)
    return rated and " * " in each.column and " / " not in each.column
