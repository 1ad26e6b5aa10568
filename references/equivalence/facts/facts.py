"""What a pair of queries compares."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from references.equivalence.facts.origins import Cell
from references.sandbox import Value


@dataclass(slots=True)
class Facts:
    """What a pair of queries compares, gathered from both."""

    inside: dict[Cell, dict[Value, None]] = field(default_factory=dict[Cell, dict[Value, None]])
    beside: dict[Cell, dict[Value, None]] = field(default_factory=dict[Cell, dict[Value, None]])
    meets: set[tuple[Cell, Cell]] = field(default_factory=set[tuple[Cell, Cell]])
    """Columns that are compared with each other."""
    sizes: set[int] = field(default_factory=set[int])
    """Numbers of rows at which a LIMIT, a HAVING or a rank cuts."""
    ordered: set[Cell] = field(default_factory=set[Cell])
    """Columns that rows are sorted by."""
    grouped: set[Cell] = field(default_factory=set[Cell])
    """Columns that rows are grouped by."""
    nulls: set[Cell] = field(default_factory=set[Cell])
    """Columns that are asked whether they are NULL."""
    numeric: set[Cell] = field(default_factory=set[Cell])
    """Columns that are computed with."""

    def add(self, cells: Iterable[Cell], inside: Iterable[Value], beside: Iterable[Value]) -> None:
        """Notes values for columns."""
        inside, beside = tuple(inside), tuple(beside)
        for cell in cells:
            self.inside.setdefault(cell, {}).update(dict.fromkeys(inside))
            self.beside.setdefault(cell, {}).update(dict.fromkeys(beside))
