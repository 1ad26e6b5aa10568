"""Fills small databases so that two queries are likely to differ on them, as far as a rung of the ladder allows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from references.equivalence.facts.gathering import Facts
from references.equivalence.facts.literals import swapped
from references.equivalence.facts.origins import Cell
from references.equivalence.pair import Contents, Rung
from references.sandbox import Layout, Row, Value
from references.schema import Column, Kind, Reference, Schema, Table

_NULLS = 0.2
"""Share of NULLs where they are allowed."""
_NULLS_ASKED = 0.6
"""The same in a column that is asked whether it is NULL."""


class Spread(Enum):
    """How the values of a pool are dealt to the rows of a table."""

    SAME = 0
    """All rows have one value."""
    FEW = 1
    """Each row has one of a few values."""
    MANY = 2
    """As many values as rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuePool:
    """The values of columns that are compared with each other."""

    inside: tuple[Value, ...]
    beside: tuple[Value, ...]
    shared: tuple[Value, ...]
    """Small values that all columns of a kind have."""
    grouped: bool
    """Rows are grouped by a column of it."""
    own: tuple[Value, ...]
    """Values that no other pool has: a query that takes another column is seen."""
    swapped: tuple[Value, ...]
    kind: Kind

    def fresh(self, number: int) -> Value:
        """A value that is not among the others, another one for each number."""
        return fresh(self.kind, number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A column to fill."""

    column: Column
    pool: int
    key: bool
    parent: tuple[str, int] | None
    """Table and position of the column it refers to."""
    guessed: bool
    """The reference is a guess."""
    nulls: float
    """Share of NULLs where they are allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlan:
    """A table to fill."""

    name: str
    slots: tuple[Slot, ...]
    keys: tuple[tuple[tuple[int, ...], bool], ...]
    """Positions of each key's columns, and whether it is a guess."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A reference by positions."""

    table: str
    position: int
    parent: str
    parent_position: int
    guessed: bool
    late: bool
    """The parent is filled after the child, or is the child."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mood:
    """How one database is filled."""

    rung: Rung
    rows: Mapping[str, int]
    spread: Sequence[Spread]
    """How each pool is used."""
    inside: float
    """Share of values that meet a condition."""
    own: bool
    """Columns that do not meet have no values in common."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Everything that is needed to fill databases for a pair."""

    plans: tuple[TablePlan, ...]
    """Parents first."""
    pools: tuple[ValuePool, ...]
    sizes: tuple[int, ...]
    links: tuple[Link, ...]
    """Every reference."""

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The tables to make."""
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
        """Whether anything is a guess that S2 may break."""
        return any(guess for plan in self.plans for _, guess in plan.keys) or any(
            slot.guessed for plan in self.plans for slot in plan.slots if slot.parent
        )


def populate(schema: Schema, facts: Facts, tables: Sequence[Table], *, typed: bool = False) -> Population:
    """The population of the tables of a pair; `typed` says that a DATE holds no time, as outside SQLite."""
    names = {table.name.lower() for table in tables}
    references = [each for each in schema.references if each.table in names and each.parent in names]
    classes = _classes(facts, references)
    numbers: dict[Cell, int] = {}
    for table in tables:
        for column in table.columns:
            numbers.setdefault(classes(_cell(table, column)), len(numbers))
    members: dict[int, list[tuple[Cell, Column]]] = {}
    for table in tables:
        for column in table.columns:
            members.setdefault(numbers[classes(_cell(table, column))], []).append((_cell(table, column), column))
    ordered = _parents_first(tables, references)
    plans = tuple(_plan(table, references, ordered, facts, lambda cell: numbers[classes(cell)]) for table in ordered)
    pools = tuple(_pool(number, members[number], facts, typed=typed) for number in range(len(members)))
    links = tuple(_link(each, ordered) for each in references)
    return Population(plans=plans, pools=pools, sizes=tuple(sorted(facts.sizes)), links=links)


def _link(reference: Reference, ordered: Sequence[Table]) -> Link:
    names = [table.name.lower() for table in ordered]
    child, parent = (ordered[names.index(name)] for name in (reference.table, reference.parent))
    return Link(
        table=child.name,
        position=[each.name.lower() for each in child.columns].index(reference.column),
        parent=parent.name,
        parent_position=[each.name.lower() for each in parent.columns].index(reference.parent_column),
        guessed=reference.guessed,
        late=names.index(reference.parent) >= names.index(reference.table),
    )


def obeys(population: Population, contents: Mapping[str, Sequence[Row]], rung: Rung) -> bool:
    """Whether a database is what its rung allows: keys and references hold, and below S6 no table is empty."""
    loose = rung is Rung.S2
    if rung is not Rung.S6 and not all(contents[plan.name] for plan in population.plans):
        return False
    for plan in population.plans:
        rows = contents[plan.name]
        for positions, guessed in plan.keys:
            keys = [tuple(row[each] for each in positions) for row in rows]
            if not (guessed and loose) and len(set(keys)) < len(keys):
                return False
    return all(_leads(link, contents) for link in population.links if not (link.guessed and loose))


def _leads(link: Link, contents: Mapping[str, Sequence[Row]]) -> bool:
    """Text and number are one here, as they are where SQLite compares a column of each."""
    there = {str(row[link.parent_position]) for row in contents[link.parent]}
    return all(row[link.position] is None or str(row[link.position]) in there for row in contents[link.table])


def _cell(table: Table, column: Column) -> Cell:
    return table.name.lower(), column.name.lower()


def _classes(facts: Facts, references: Sequence[Reference]) -> Callable[[Cell], Cell]:
    """Columns that meet are in one class: a function from a column to what stands for its class."""
    parents: dict[Cell, Cell] = {}

    def find(cell: Cell) -> Cell:
        while (up := parents.get(cell, cell)) != cell:
            parents[cell] = parents.get(up, up)
            cell = up
        return cell

    joined = [((each.table, each.column), (each.parent, each.parent_column)) for each in references]
    for one, other in (*joined, *sorted(facts.meets)):
        parents[find(one)] = find(other)
    return find


def _parents_first(tables: Sequence[Table], references: Sequence[Reference]) -> list[Table]:
    """Tables ordered so that most references lead back; circles are broken where they are met."""
    needs = {
        table.name.lower(): {each.parent for each in references if each.table == table.name.lower()}
        - {table.name.lower()}
        for table in tables
    }
    left, done = list(tables), list[Table]()
    while left:
        placed = {table.name.lower() for table in done}
        ready = next((table for table in left if needs[table.name.lower()] <= placed), left[0])
        left.remove(ready)
        done.append(ready)
    return done


def _plan(
    table: Table,
    references: Sequence[Reference],
    ordered: Sequence[Table],
    facts: Facts,
    number: Callable[[Cell], int],
) -> TablePlan:
    names = [column.name.lower() for column in table.columns]
    keys = tuple((tuple(names.index(name) for name in key.columns), key.guessed) for key in table.keys)
    in_keys = {position for positions, _ in keys for position in positions}
    earlier = {each.name.lower(): each for each in ordered[: ordered.index(table)]}
    slots: list[Slot] = []
    for position, column in enumerate(table.columns):
        cell = _cell(table, column)
        reference = next(
            (each for each in references if (each.table, each.column) == cell and each.parent in earlier), None
        )
        slots.append(
            Slot(
                column=column,
                pool=number(cell),
                key=position in in_keys,
                parent=_target(earlier[reference.parent], reference) if reference else None,
                guessed=bool(reference and reference.guessed),
                nulls=_NULLS_ASKED if cell in facts.nulls else _NULLS,
            )
        )
    return TablePlan(name=table.name, slots=tuple(slots), keys=keys)


def _target(parent: Table, reference: Reference) -> tuple[str, int]:
    names = [column.name.lower() for column in parent.columns]
    return parent.name, names.index(reference.parent_column)


def _pool(number: int, members: Sequence[tuple[Cell, Column]], facts: Facts, *, typed: bool) -> ValuePool:
    kinds = {column.kind for _, column in members}
    inside = _distinct(value for cell, _ in members for value in facts.inside.get(cell, ()))
    beside = _distinct(value for cell, _ in members for value in facts.beside.get(cell, ()))
    if typed and all(column.declared.upper() == "DATE" for _, column in members):
        inside, beside = (tuple(each for each in values if _is_day(each)) for values in (inside, beside))
    kind = _kind(kinds, inside, computed=any(cell in facts.numeric for cell, _ in members))
    return ValuePool(
        inside=inside,
        beside=beside,
        shared=_SHARED[kind],
        grouped=any(cell in facts.grouped for cell, _ in members),
        own=tuple(_own(kind, number, step) for step in range(3)),
        swapped=swapped((*inside, *beside)),
        kind=kind,
    )


def _is_day(value: Value) -> bool:
    return isinstance(value, str) and len(value) == len("2020-01-01") and value[4] == value[7] == "-"


def _kind(kinds: set[Kind], inside: Iterable[Value], *, computed: bool) -> Kind:
    """What the values of columns that meet are; text that is computed with or meets numbers holds digits."""
    if Kind.INTEGER in kinds or (computed and kinds == {Kind.TEXT} and all(_numeric(each) for each in inside)):
        return Kind.INTEGER
    return next((kind for kind in (Kind.REAL, Kind.DATE) if kind in kinds), Kind.TEXT)


def _numeric(value: Value) -> bool:
    return not isinstance(value, str) or value.isdigit()


def _distinct(values: Iterable[Value]) -> tuple[Value, ...]:
    """In order of appearance, 1 and 1.0 told apart from each other as from '1'."""
    return tuple({(type(each), each): each for each in values}.values())


_SHARED: dict[Kind, tuple[Value, ...]] = {
    Kind.INTEGER: (1, 2, 3, 0, 5, 20),
    Kind.REAL: (1.5, 2.0, 3.25, 0.5, 20.0),
    Kind.TEXT: ("a", "b", "c", "d"),
    Kind.DATE: ("2020-01-15", "2021-06-10", "2022-03-05", "2020-07-20"),
}


def _own(kind: Kind, number: int, step: int) -> Value:
    if kind is Kind.INTEGER:
        return 100 + 10 * number + 3 * step
    if kind is Kind.REAL:
        return 100.5 + 10 * number + 3 * step
    if kind is Kind.DATE:
        return f"{1990 + number % 30}-0{step + 2}-1{step}"
    return f"{'abcdefghijklmnopqrstuvwxyz'[number % 26]}{number // 26 or ''}{'xyz'[step]}"


def fresh(kind: Kind, number: int) -> Value:
    """Values of a kind without end."""
    if kind is Kind.INTEGER:
        return 1001 + number
    if kind is Kind.REAL:
        return 1001.5 + number
    if kind is Kind.DATE:
        return f"20{10 + number % 80:02d}-0{1 + number % 9}-{10 + number // 80 % 18}"
    return f"t{number}"


def frozen(contents: Mapping[str, Sequence[Row]]) -> Contents:
    """A database's rows, not to be changed."""
    return {name: tuple(rows) for name, rows in contents.items()}
