"""Signals about units of measure: the one that is asked for and the one that the answer is in."""

from __future__ import annotations

from scoring.measures import UNITS, Unit, unit_of_column
from scoring.patterns import lazy
from scoring.signals.answers.stored_units import left_as_stored
from scoring.signals.finding import Finding, differing
from scoring.specification import Operand, Projection
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_ASKED = lazy(
    r"\bin (?:whole |full |us |u\.s\. |total )?([a-z]+)\b|\((?:in )?([a-z]+)\)|"
    r"\bhow many (hours|minutes|seconds|days|weeks|kilometres|kg|km)\b"
)
_SCALED = lazy(r"[*/]|\bdiv|interval|\bround\([^)]*, -")
_DIFFERENCE = lazy(r"(?:timestamp|datetime|date|time)_?diff\(.*, '?(millisecond|second|minute|hour|day|week)s?'?\)")


def unit_left(case: Case) -> Finding | None:
    """The answer is in another unit than the question or its own alias says, and nothing converts it.

    A column's name tells its unit: `_cents`, `_minutes`, `_grams`. So does the unit of a difference of two times. Where
    the tenant's rules say that a column holds cents, an amount in cents is at fault unless its name says so.

    >>> unit_left(case("Total fees in dollars", "SELECT SUM(fee_cents) FROM loans")).detail
    'expected → actual: dollars → sum(fee_cents)'
    """
    for each in case.answer:
        named = UNITS.get(identifier_words(each.alias)[-1]) if each.alias and identifier_words(each.alias) else None
        if named is not None and _is_left(each.operand, named):
            return differing(str(each.alias), each.operand.name)
    return _left_as_asked(case) or _left_as_stored(case)


def _left_as_asked(case: Case) -> Finding | None:
    """The first unit asked for in which no output of its kind is."""
    known = [each for each in case.answer if _unit_of(each.operand) is not None]
    for word, unit in _asked(case.asked) if known else ():
        measured = [each for each in known if _measures(each, unit)]
        if measured and all(_is_left(each.operand, unit) for each in measured):
            return differing(word, measured[0].operand.name)
    return None


def _left_as_stored(case: Case) -> Finding | None:
    found = left_as_stored(case)
    return Finding(1.0, f"{found[1]} in {found[0]}") if found is not None else None


def _asked(text: str) -> list[tuple[str, Unit]]:
    """The units in which a text wants its answer: `in hours`, `(kg)`, `how many days`."""
    words = [str(found[found.lastindex or 0]) for found in _ASKED.finditer(text)]
    return [(word, UNITS[stem(word)]) for word in words if stem(word) in UNITS]


def _measures(projection: Projection, unit: Unit) -> bool:
    given = _unit_of(projection.operand)
    return given is not None and given.of == unit.of


def _is_left(operand: Operand, wanted: Unit) -> bool:
    """Whether an output is in another unit of the same kind, and neither multiplied nor divided."""
    given = _unit_of(operand)
    return given is not None and given.of == wanted.of and given != wanted and _SCALED.search(operand.name) is None


def _unit_of(operand: Operand) -> Unit | None:
    """The unit that a difference of times or the name of the only column tells."""
    if operand.func == "COUNT" or not operand.columns:
        return None
    difference = _DIFFERENCE.search(operand.name) if "diff(" in operand.name else None
    if difference is not None:
        return UNITS.get(difference[1])
    if "extract(epoch" in operand.name:
        return UNITS["second"]
    return unit_of_column(operand.columns[0].name) if len(operand.columns) == 1 else None
