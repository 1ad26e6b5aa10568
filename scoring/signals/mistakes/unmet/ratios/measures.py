"""Signals about one amount in two units, and one time in two zones, within the same SQL."""

from __future__ import annotations

import re
from collections.abc import Collection

from scoring.patterns import lazy
from scoring.signals.mistakes.wording import cue, shapes
from scoring.signals.unit_names import FACTORS, LARGER_UNITS, convertible, is_unit, unit_named
from scoring.specification import Aggregation, Clause, Division, Op, Projection, SqlFilter
from scoring.specification.shapes import ShapeKind
from scoring.values import Number
from scoring.verdict import Case
from scoring.words import identifier_words

_SCALED = lazy(r"\b1(?:e[369]|0{2,9})(?:\.0)?\b|\b60\b|\b3600\b|\b0\.0*1\b")


def factor_left_out(case: Case) -> str | None:
    """An amount in one unit is multiplied by a price for another: grams by what a kilogram costs.

    >>> factor_left_out(case("Cost of all parcels", "SELECT SUM(weight_g * cost_per_kg) FROM parcels"))
    'weight_g * cost_per_kg: gram by each kg'
    """
    for each in case.sql.aggregations:
        if each.func == "SUM" and " * " in each.column and _SCALED.search(each.column) is None:
            units = _unscaled(each)
            if units is not None:
                return f"{each.column}: {units}"
    return None


def _unscaled(product: Aggregation) -> str | None:
    """The unit of one factor, and the one that the other is a price of, where a factor is left out between them."""
    names = [identifier_words(column.name) for column in product.columns]
    gains = [unit_named(words[-1]) for words in names if "per" in words[:-1]]
    held = [unit_named(words[-1]) for words in names if len(words) > 1 and "per" not in words]
    return next((f"{one} by each {gain}" for one in held for gain in gains if convertible(one, gain)), None)


_HUNDREDTH = lazy(r"\(?(.+?)\)? / 100(?:\.0+)?")


_TURNED = (
    (r"kwh", r"1000(?:\.0)?", "mwh"),
    (r"mb", r"1000(?:\.0)?|1024(?:\.0)?", "gb"),
    (r"miles?", r"0\.62\d*", "km"),
    (r"km", r"1\.6\d*", "mile"),
    (r"(?:lbs?|pounds?)", r"2\.2\d*", "kg"),
    (r"kg", r"0\.45\d*", "lb"),
)
"""A stored unit, the factor by which it is multiplied, and the unit asked for, which is the other way round."""


def factor_turned(case: Case) -> str | None:
    """A unit is turned into another by the factor of the way back.

    >>> factor_turned(case("How many MWh did each base use?", "SELECT base, SUM(kwh) * 1000 FROM uses GROUP BY base"))
    'kwh) * 1000 for mwh'
    """
    for stored, factor, wanted in _TURNED:
        if re.search(rf"\b{wanted}s?\b", case.asked) is None:
            continue
        found = re.search(rf"{stored}\)*\s*\*\s*(?:{factor})\b", case.written, re.IGNORECASE)
        if found is not None:
            return f"{found.group()} for {wanted}"
    return None


def bound_in_hundredths(case: Case) -> str | None:
    """An amount is shown divided by 100, and bounded as it is stored by the number of the question.

    >>> bound_in_hundredths(case("Bills over 500 euros",
    ...     "SELECT id, (total_ct - paid_ct) / 100.0 AS eur FROM bills WHERE total_ct - paid_ct > 500"))
    'total_ct - paid_ct > 500 beside (total_ct - paid_ct) / 100'
    """
    found = [_HUNDREDTH.fullmatch(each.operand.name) for each in case.answer]
    shown = {match[1]: match.group() for match in found if match is not None}
    said = {each.rhs.value for each in case.question.filters if isinstance(each.rhs, Number)} if shown else set[float]()
    odd = next((each for each in case.sql.filters if said and _bounds(each, shown, said)), None)
    return f"{odd.text} beside {shown[odd.lhs.name]}" if odd is not None and odd.lhs is not None else None


def _bounds(each: SqlFilter, shown: Collection[str], said: Collection[float]) -> bool:
    """Whether a condition bounds an amount that is shown otherwise by a number of the question."""
    if each.lhs is None or each.clause is Clause.CASE or not isinstance(each.rhs, Number):
        return False
    return each.op in _BOUNDS and each.lhs.name in shown and each.rhs.value in said and each.rhs.value != 0


_BOUNDS = frozenset({Op.GT, Op.GE, Op.LT, Op.LE})


_AVERAGE_OF_WHOLE = lazy(
    r"\bavg\s*\(\s*datediff\s*\(\s*(days?|dd?|hours?|hh|weeks?|wk|ww|months?|mm|years?|yy(?:yy)?)\s*,"
    r"(?:[^()]|\([^()]*\))*\)\s*\)",
    re.IGNORECASE,
)
_ROUNDED = lazy(r"\b(?:whole|full|round\w*|nearest)\b")


def whole_units_averaged(case: Case) -> str | None:
    """AVG of DATEDIFF in days or hours is a whole number in T-SQL, so up to a day or an hour of it is lost.

    >>> whole_units_averaged(case("Average days per repair",
    ...     "SELECT TOP 5 base, AVG(DATEDIFF(day, began, ended)) FROM [repairs] GROUP BY base"))
    'AVG(DATEDIFF(day, began, ended)) is a whole number'
    """
    found = _AVERAGE_OF_WHOLE.search(case.written) if case.sql.dialect == "tsql" else None
    if found is None or _ROUNDED.search(case.asked) is not None:
        return None
    return f"{found.group()} is a whole number"


_ONE_MORE = lazy(r"(?:date_?diff\s*\([^()]*\)|\w*out\w*\s*-\s*(?:\w+\.)?\w*in\w*\)?)\s*\+\s*1\b(?!\.)", re.IGNORECASE)
_DAYS = lazy(r"\bdays?\b")
_NIGHTS = cue("night stay", r"\bnights?\b|\blength of (?:the |their )?stay\b")


def nights_one_more(case: Case) -> str | None:
    """Nights between two days are asked for, and the days with both ends are counted: one more for each stay.

    >>> nights_one_more(case("Average nights per stay", "SELECT AVG(DATEDIFF(left_on, came_on) + 1) FROM stays"))
    'DATEDIFF(left_on, came_on) + 1 counts days'
    """
    if _NIGHTS.search(case.asked) is None or _DAYS.search(case.asked) is not None:
        return None
    found = _ONE_MORE.search(case.written)
    return f"{found.group()} counts days" if found is not None else None


_CONSTANT = lazy(r"\(?(\d[\d.]*(?:e\d+)?)\)?")
_SCALED_AGAIN = lazy(r"[/*] \d|diff|extract|epoch|julian| - ")
_OTHER_FACTORS = frozenset({24.0, 60.0, 100.0, 1000.0, 1024.0, 1440.0, 3600.0, 86400.0, 1e6, 1024.0**2, 1e9})


def factor_of_alias(case: Case) -> str | None:
    """What the answer calls its number is another unit than what a division makes of a column.

    >>> factor_of_alias(case("Flown hours per base",
    ...     "SELECT base, SUM(flown_minutes) / 3600.0 AS flown_hours FROM trips GROUP BY base"))
    'sum(flown_minutes) / 3600 as flown_hours'
    """
    for division in case.sql.divisions:
        given = _CONSTANT.fullmatch(division.denominator)
        if given is None or float(given[1]) not in _OTHER_FACTORS or _SCALED_AGAIN.search(division.numerator):
            continue
        for shown in case.sql.projections:
            unit = _unit_called(shown, division) if shown.block == division.block else None
            if unit is not None and not _turns_into(division.numerator, unit, float(given[1])):
                return f"{division.numerator} / {division.denominator} as {shown.alias}"
    return None


def _unit_called(shown: Projection, division: Division) -> str | None:
    """The unit that a column of the answer is called by, where a division makes it and nothing scales it again."""
    text = f"{division.numerator} / {division.denominator}"
    before, found, after = shown.operand.name.partition(text)
    words = re.findall(r"[a-z]+", (shown.alias or "").casefold())
    if not found or re.search(r"[/*]", before + after) or "per" in words:
        return None
    return next((unit_named(word) for word in reversed(words) if len(word) > 1 and is_unit(word)), None)


def _turns_into(numerator: str, unit: str, factor: float) -> bool:
    """Whether a factor may turn what a numerator is named by into a unit: also where its name tells no unit."""
    names = {unit_named(word) for word in re.findall(r"[a-z]+", numerator) if len(word) > 1}
    if re.search(r"(?:duration|length|time|seconds?)_s\b", numerator):
        names.add("second")
    known = [FACTORS[name, unit] for name in sorted(names) if (name, unit) in FACTORS and unit in LARGER_UNITS]
    return len(known) != 1 or any(abs(factor - one) < 0.02 * one for one in known[0])


_SPEED = cue("km/h km /h kmh kph mph", r"\bkm ?/ ?h\b|\bkmh\b|\bkph\b|\bmph\b")
_SECONDS = lazy(r"(?:_s|_sec|_secs|seconds?)\)*$")
_MINUTES = lazy(r"(?:_min|_mins|minutes?)\)*$")


def speed_per_other(case: Case) -> str | None:
    """A speed per hour is asked for, and seconds are divided by 60, or minutes by 3600, for the hours.

    >>> speed_per_other(case("Average speed in km/h", "SELECT SUM(km) / (SUM(duration_s) / 60.0) FROM trips"))
    'sum(duration_s) / 60 for hours'
    """
    if _SPEED.search(case.asked) is None or re.search(r"\*\s*(?:60|3600)\b", case.written) is not None:
        return None
    again = {each.numerator.strip("()") for each in case.sql.divisions if _CONSTANT.fullmatch(each.denominator)}
    for each in case.sql.divisions:
        given = _CONSTANT.fullmatch(each.denominator)
        unit = {60.0: _SECONDS, 3600.0: _MINUTES}.get(float(given[1])) if given is not None else None
        text = f"{each.numerator} / {each.denominator}"
        if unit is not None and unit.search(each.numerator) is not None and text not in again:
            return f"{text} for hours"
    return None


_STATED = cue("=", r"\b1 ?([a-z]+) ?= ?(\d+(?:\.\d+)?) ?([a-z]+)\b")


def stated_factor_turned(case: Case) -> str | None:
    """A text says how many of the second unit one of the first is, and the first is divided by that number.

    >>> stated_factor_turned(case("Heat in GJ (1 MWh = 3.6 GJ)", "SELECT SUM(heat_mwh) / 3.6 AS gj FROM heats"))
    'mwh / 3.6 for gj'
    """
    for one, number, other in (found.groups() for found in _STATED.matches(case.said)):
        factor, written = re.escape(number), case.written.casefold()
        if re.search(rf"(?:_|\b){one}s?\)*\s*/\s*{factor}\b", written):
            return f"{one} / {number} for {other}"
        if re.search(rf"(?:_|\b){other}s?\)*\s*\*\s*{factor}\b", written):
            return f"{other} * {number} for {one}"
    return None


def turned_outside(units: set[str], given: set[str], case: Case) -> bool:
    """Whether an outer query divides lengths of time by what turns their unit into the one asked for: minutes by 60."""
    factors = [_INTO.get((unit, wanted)) for unit in given for wanted in units]
    if len(case.sql.blocks) < 2 or len(factors) != 1 or factors[0] is None:
        return False
    turns = re.compile(rf"/ ?{factors[0]}(?:\.0+)?(?![\d.])")
    counted = any(turns.search(each.text) is not None for each in shapes(case, ShapeKind.DURATION))
    return turns.search(case.written) is not None and not counted


_INTO = {
    ("second", "minute"): 60, ("minute", "hour"): 60, ("second", "hour"): 3600, ("hour", "day"): 24,
    ("minute", "day"): 1440, ("second", "day"): 86400, ("day", "week"): 7,
}  # fmt: skip
