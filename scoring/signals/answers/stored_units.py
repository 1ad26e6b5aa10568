"""Whether an amount is shown in the unit of people, and not in the one that the tenant's rules say is stored."""

from __future__ import annotations

from scoring.patterns import lazy
from scoring.specification import Projection
from scoring.verdict import Case
from scoring.words import identifier_words, letters, stem

_SCALED = lazy(r"[*/]|\bdiv|\bpower|\bround\([^)]*, -|\bscale|\bover \(")
_PARTS = lazy(r"\b(?:tenths?|hundredths?|thousandths?|minor|subunits?|smallest)\b")
_MINOR = frozenset(
    map(
        stem,
        "cents pence øre öre ore grosz groszy haléř haler fillér rappen centimes centavos kopecks kurus"
        " paise sen minor".split(),
    )
)
"""Units of money in which no figure is reported."""


def left_as_stored(case: Case) -> tuple[str, str] | None:
    """The stored unit of an output that nothing converts, with the output; nothing where its name says the unit.

    Only units in which nobody speaks count: cents, tenths of an hour.
    """
    for each in case.answer if case.rules.units else ():
        unit = _stored_unit(each, case)
        if unit is not None and _SCALED.search(each.operand.name) is None and not _is_said(unit, each, case):
            return unit, each.operand.name
    return None


def _stored_unit(shown: Projection, case: Case) -> str | None:
    operand = shown.operand
    if operand.func == "COUNT" or len(operand.columns) != 1:
        return None
    column = operand.columns[0]
    for name, unit in case.rules.units.items():
        table, _, own = name.rpartition(".")
        placed = not table or column.table is None or letters(table) == letters(column.table)
        if own == column.name and placed and _is_odd(unit):
            return unit
    return None


def _is_odd(unit: str) -> bool:
    words = [stem(word) for word in unit.split()]
    return bool(words) and (words[0] in _MINOR or _PARTS.search(unit) is not None)


def _is_said(unit: str, shown: Projection, case: Case) -> bool:
    """Whether the output's name or the question says the unit."""
    words = {stem(word) for word in identifier_words(shown.alias or shown.operand.columns[0].name)}
    said = {stem(word) for word in unit.split() if stem(word) in _MINOR or _PARTS.fullmatch(word)}
    return not said.isdisjoint(words) or not said.isdisjoint(case.question.stems)
