"""Holds rows to the conditions that a table declares, and computes its generated columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from sqlglot import exp, parse_one

from references.sandbox import Layout, Result, Row, Sandbox, Value, quoted
from references.schema import Check


class RowRules:
    """The conditions of one table, evaluated by SQLite on one row at a time."""

    def __init__(self, layout: Layout, checks: Sequence[Check]) -> None:
        self._layout = layout
        self._places: Mapping[str, int] = {name.lower(): place for place, (name, _) in enumerate(layout.columns)}
        self._checks = [each for each in checks if self._reads(each)]
        self._sandbox = Sandbox([layout])
        self._known: dict[Row, tuple[Value, ...]] = {}

    def _reads(self, check: Check) -> bool:
        return {*check.columns, *([check.computes] if check.computes else [])} <= self._places.keys()

    @cached_property
    def trees(self) -> tuple[tuple[exp.Expr, str | None], ...]:
        """The conditions, and the expressions of generated columns with their column."""
        return tuple((parse_one(each.sql, dialect="sqlite"), each.computes) for each in self._checks)

    def sources(self, places: frozenset[int]) -> frozenset[int]:
        """These columns, and for generated ones those that they are computed of."""
        read = {
            self._places[name]
            for check in self._checks
            if check.computes and self._places[check.computes] in places
            for name in check.columns
        }
        return (places | read) - self.generated

    @property
    def generated(self) -> frozenset[int]:
        """The places of generated columns."""
        return frozenset(self._places[each.computes] for each in self._checks if each.computes)

    def computed(self, row: Row) -> Row:
        """The row with the values of its generated columns; those may read each other."""
        for _ in self.generated:
            values = {
                self._places[check.computes]: value
                for check, value in zip(self._checks, self._values(row), strict=True)
                if check.computes
            }
            row = tuple(values.get(place, value) for place, value in enumerate(row))
        return row

    def broken(self, row: Row) -> frozenset[int]:
        """The places of the columns in conditions that are false on the row; one that is NULL is not false."""
        return frozenset(
            self._places[name]
            for check, value in zip(self._checks, self._values(row), strict=True)
            if not check.computes and value is not None and not value
            for name in check.columns
        )

    def allow(self, row: Row) -> bool:
        """Whether a table may hold the row."""
        return not self.broken(row) and self.computed(row) == row

    def _values(self, row: Row) -> tuple[Value, ...]:
        if row not in self._known:
            self._sandbox.fill({self._layout.name: [row]})
            expressions = ", ".join(f"({each.sql})" for each in self._checks)
            result = self._sandbox.run(f"SELECT {expressions} FROM {quoted(self._layout.name)}")  # noqa: S608 - the sandbox only reads
            found = result.rows[0] if isinstance(result, Result) and result.rows else ()
            self._known[row] = found or (None,) * len(self._checks)
        return self._known[row]
