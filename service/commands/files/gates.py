"""`sqlassay score --fail-under`: the least value that a figure of a run may have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from service.commands.exits import refuse

FIGURES = ("mean", "p_correct", "cover")


@dataclass(frozen=True, slots=True)
class Gate:
    """A figure and its least value."""

    figure: str
    least: float

    def __str__(self) -> str:
        return f"{self.figure}={self.least:g}"


def read_gates(given: Sequence[str]) -> tuple[Gate, ...]:
    """Returns the gates that the options name, such as `mean=75`. One that is no such gate ends the command."""
    return tuple(_gate(each) for each in given)


def _gate(text: str) -> Gate:
    figure, _, least = text.partition("=")
    try:
        bound = float(least)
    except ValueError:
        bound = math.nan
    if figure not in FIGURES or not math.isfinite(bound):
        refuse(f"--fail-under {text!r}: write NAME=NUMBER, such as mean=75; the names are {', '.join(FIGURES)}")
    return Gate(figure, bound)


def failed(gates: Sequence[Gate], figures: Mapping[str, float]) -> list[str]:
    """What to say of each gate that a run does not pass.

    >>> failed([Gate("mean", 75), Gate("cover", 0.9)], {"mean": 71.234, "cover": 1.0})
    ['mean 71.234 is less than 75']
    """
    return [
        f"{each.figure} {figures[each.figure]:.5g} is less than {each.least:g}"
        for each in gates
        if figures[each.figure] < each.least
    ]
