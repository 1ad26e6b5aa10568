"""Signals about one amount in two units, and one time in two zones, within the same SQL."""

from __future__ import annotations

import re
from collections.abc import Collection

from scoring.signals.unit_names import convertible, unit_named
from scoring.specification import Aggregation, Clause, Op, SqlFilter
from scoring.values import Number
from scoring.verdict import Case
from scoring.words import identifier_words

_SCALED = re.compile(r"\b1(?:e[369]|0{2,9})(?:\.0)?\b|\b60\b|\b3600\b|\b0\.0*1\b")


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


_HUNDREDTH = re.compile(r"\(?(.+?)\)? / 100(?:\.0+)?")


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
