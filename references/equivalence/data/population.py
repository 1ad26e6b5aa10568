"""What the tables of a pair are filled with: plans for tables, pools of values, and references."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

from references.equivalence.data.row_rules import RowRules
from references.equivalence.data.values import fresh_value
from references.equivalence.facts.date_steps import Step
from references.equivalence.pair import Contents, Level
from references.sandbox import Layout, Row, Value
from references.schema import DateForm, DeclaredColumn, ValueKind


class Spread(Enum):
    """How values of a pool are assigned to the rows of a table."""

    SAME = 0
    """All rows have the same value."""
    FEW = 1
    """Each row has one of a few values."""
    MANY = 2
    """Each row has another value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuePool:
    """Values for columns that are compared with each other."""

    inside: tuple[Value, ...]
    beside: tuple[Value, ...]
    shared: tuple[Value, ...]
    """Small values that all columns of the same kind may have."""
    grouped: bool
    """Whether rows are grouped by one of the columns."""
    own: tuple[Value, ...]
    """Values that no other pool has, which show when a query reads another column."""
    swapped: tuple[Value, ...]
    kind: ValueKind
    only: bool = False
    """Whether the columns hold nothing else: a text that is no JSON would stop the queries."""

    def fresh(self, number: int) -> Value:
        """Returns a value that is in no pool, another one for each number."""
        return self.shared[number % len(self.shared)] if self.only else fresh_value(self.kind, number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A column to fill."""

    column: DeclaredColumn
    pool: int
    key: bool
    parent: tuple[str, int] | None
    """Table and position of the column that it refers to."""
    guessed: bool
    """Whether the reference is a guess."""
    nulls: float
    """Share of NULLs when they are allowed."""
    dates: DateForm | None = None
    """The dates that it holds, where it is declared to hold dates."""

    def fit(self, value: Value) -> Value:
        """The value as the column holds it: a day without, or with, its time."""
        # by identity: a set of members hashes each of them, for every cell of every database that is tried
        form = self.dates
        if form is DateForm.DAY and isinstance(value, str):
            return value[:10]
        if form is not DateForm.MOMENT and form is not DateForm.INSTANT:
            return value
        if isinstance(value, str):
            value = value[: _WHOLE + self.column.digits].removesuffix(".")
        return with_time(value)

    def holds(self, value: Value) -> bool:
        """Whether the column may hold a value: one of dates holds only days that exist."""
        if self.dates is None or value is None:
            return True
        if not isinstance(value, str) or not is_date(value):
            return False
        whole = len(value) == len("2020-01-01")
        if self.dates is DateForm.INSTANT and len(value) > _WHOLE + self.column.digits:
            return False
        return self.dates is DateForm.EITHER or whole is (self.dates is DateForm.DAY)


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlan:
    """A table to fill."""

    name: str
    slots: tuple[Slot, ...]
    keys: tuple[tuple[tuple[int, ...], bool], ...]
    """For each key, the positions of its columns and whether it is a guess."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A reference between columns, by position."""

    table: str
    position: int
    parent: str
    parent_position: int
    guessed: bool
    late: bool
    """Whether the parent is filled after the child, or is the same table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FillStyle:
    """How one database is filled."""

    level: Level
    rows: Mapping[str, int]
    spread: Sequence[Spread]
    """How the values of each pool are assigned."""
    inside: float
    """Share of values that meet a condition."""
    own: bool
    """Whether columns that are never compared have no values in common."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Everything needed to fill databases for a pair."""

    plans: tuple[TablePlan, ...]
    """Parents first."""
    pools: tuple[ValuePool, ...]
    sizes: tuple[int, ...]
    links: tuple[Link, ...]
    """Every reference."""
    counts: frozenset[int] = frozenset()
    """Every number that rows, their ranks or their sums are compared with, however large."""
    steps: tuple[Step, ...] = ()
    """How far apart dates are that the queries compare."""
    rules: Mapping[str, RowRules] = field(default_factory=dict[str, RowRules])
    """The conditions on rows, by table."""

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The tables to create."""
        return tuple(
            Layout(name=plan.name, columns=tuple((slot.column.name, slot.column.declared) for slot in plan.slots))
            for plan in self.plans
        )

    @property
    def nullable(self) -> bool:
        """Whether any column may hold NULL."""
        return any(slot.column.nullable and not slot.key for plan in self.plans for slot in plan.slots)

    @property
    def guessed(self) -> bool:
        """Whether there is a guess that level S2 may break."""
        return any(guess for plan in self.plans for _, guess in plan.keys) or any(
            slot.guessed for plan in self.plans for slot in plan.slots if slot.parent
        )


_WHOLE = len("2020-01-01 00:00:00.")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?")


def is_date(text: str) -> bool:
    """Whether a text is a day that exists, or a moment of one.

    >>> is_date("2024-02-29"), is_date("2023-02-29"), is_date("2024-02-29 10:30:00.0"), is_date("1996z")
    (True, False, True, False)
    """
    if not _DATE.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text[:19].replace("T", " "))
    except ValueError:
        return False
    return True


def with_time(value: Value) -> Value:
    """A day as a time: its midnight.

    >>> with_time("2024-03-01"), with_time("2024-03-01 10:00:00")
    ('2024-03-01 00:00:00', '2024-03-01 10:00:00')
    """
    return f"{value} 00:00:00" if isinstance(value, str) and len(value) == len("2020-01-01") else value


def obeys(population: Population, contents: Mapping[str, Sequence[Row]], level: Level) -> bool:
    """Whether a database keeps to its level: keys and references hold, and only S6 has empty tables."""
    if level is not Level.S6 and not all(contents[plan.name] for plan in population.plans):
        return False
    if not _lawful(population, contents):
        return False
    loose = level is Level.S2
    links = [link for link in population.links if not (link.guessed and loose)]
    return all(_unique(plan, contents[plan.name], loose=loose) for plan in population.plans) and all(
        _leads(link, contents) for link in links
    )


def _lawful(population: Population, contents: Mapping[str, Sequence[Row]]) -> bool:
    """Whether columns of dates hold dates, and every row meets the conditions of its table."""
    dated = all(_holds(plan, contents[plan.name]) for plan in population.plans)
    return dated and all(rules.allow(row) for name, rules in population.rules.items() for row in contents[name])


def _holds(plan: TablePlan, rows: Sequence[Row]) -> bool:
    """Whether every column of dates holds dates."""
    dated = [(place, slot) for place, slot in enumerate(plan.slots) if slot.dates is not None]
    return all(slot.holds(row[place]) for row in rows for place, slot in dated)


def _unique(plan: TablePlan, rows: Sequence[Row], *, loose: bool) -> bool:
    """Whether no key repeats, and no guessed one is NULL; guessed keys may when `loose`."""
    for positions, guessed in plan.keys:
        keys = [key for row in rows if None not in (key := tuple(row[each] for each in positions))]
        unknown = guessed and len(keys) < len(rows)
        if not (guessed and loose) and (unknown or len(set(keys)) < len(keys)):
            return False
    return True


def _leads(link: Link, contents: Mapping[str, Sequence[Row]]) -> bool:
    """Whether a reference holds. Texts equal numbers here, as when SQLite compares such columns."""
    there = {str(row[link.parent_position]) for row in contents[link.parent]}
    return all(row[link.position] is None or str(row[link.position]) in there for row in contents[link.table])


def frozen(contents: Mapping[str, Sequence[Row]]) -> Contents:
    """Returns the rows of a database in immutable form."""
    return {name: tuple(rows) for name, rows in contents.items()}
