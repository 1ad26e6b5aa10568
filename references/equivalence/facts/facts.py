"""What a pair of queries compares."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from references.equivalence.facts.date_steps import Step
from references.equivalence.facts.readings import Readings
from references.equivalence.reading.origins import Cell
from references.sandbox import Value


@dataclass(slots=True)
class Facts:
    """What a pair of queries compares."""

    inside: dict[Cell, dict[Value, None]] = field(default_factory=dict[Cell, dict[Value, None]])
    """Values that meet a condition, by column."""
    beside: dict[Cell, dict[Value, None]] = field(default_factory=dict[Cell, dict[Value, None]])
    """Values that just miss a condition, by column."""
    meets: set[tuple[Cell, Cell]] = field(default_factory=set[tuple[Cell, Cell]])
    """Pairs of columns that are compared with each other."""
    sizes: set[int] = field(default_factory=set[int])
    """Numbers of rows that a LIMIT, a HAVING or a rank counts."""
    counts: set[int] = field(default_factory=set[int])
    """Every number that rows, their ranks or their sums are compared with, or that a window counts."""
    ordered: set[Cell] = field(default_factory=set[Cell])
    """Columns of sort keys."""
    grouped: set[Cell] = field(default_factory=set[Cell])
    """Columns of GROUP BY and PARTITION BY."""
    nulls: set[Cell] = field(default_factory=set[Cell])
    """Columns that are tested for NULL."""
    numeric: set[Cell] = field(default_factory=set[Cell])
    """Columns used in computations."""
    dated: set[Cell] = field(default_factory=set[Cell])
    """Columns of which functions of dates are taken."""
    undated: set[Cell] = field(default_factory=set[Cell])
    """Columns that the queries treat as texts that are no ISO dates, whatever their declared type."""
    timed: set[Cell] = field(default_factory=set[Cell])
    """Columns of which a LIKE pattern leaves the time of day open."""
    moments: set[Cell] = field(default_factory=set[Cell])
    """Columns that are compared with a text of a day and a time."""
    steps: set[Step] = field(default_factory=set[Step])
    """How far apart dates are that are compared."""
    readings: dict[Cell, Readings] = field(default_factory=dict[Cell, Readings])
    """What the queries read inside the values of columns."""
    truths: set[Cell] = field(default_factory=set[Cell])
    """Columns that are conditions of their own."""

    def add(self, cells: Iterable[Cell], inside: Iterable[Value], beside: Iterable[Value]) -> None:
        """Adds values for columns."""
        inside, beside = tuple(inside), tuple(beside)
        for cell in cells:
            self.inside.setdefault(cell, {}).update(dict.fromkeys(inside))
            self.beside.setdefault(cell, {}).update(dict.fromkeys(beside))
