"""Plans how the tables of a pair are filled, from their schema and from what the queries compare."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from references.date_functions import TIMES
from references.equivalence.data.population import Link, Population, Slot, TablePlan, ValuePool, is_date
from references.equivalence.data.row_rules import RowRules
from references.equivalence.data.values import EDGES, SHARED, own_value
from references.equivalence.facts.facts import Facts
from references.equivalence.facts.literals import swapped
from references.equivalence.facts.readings import Readings
from references.equivalence.reading.origins import Cell
from references.sandbox import Layout, Value
from references.schema import DateForm, DeclaredColumn, DeclaredTable, Reference, Schema, ValueKind

_NULLS = 0.2
"""Share of NULLs in a nullable column."""
_LIKE_DATE = re.compile(r"\d{4}(-|\d\d|$)")
_NULLS_TESTED = 0.6
"""The same for a column that a query tests for NULL."""


def populate(schema: Schema, facts: Facts, tables: Sequence[DeclaredTable], *, typed: bool = False) -> Population:
    """Plans the tables of a pair. `typed`: a DATE holds no time of day and a TIMESTAMP one, unlike in SQLite."""
    references = _references(schema, tables)
    texts = facts.undated if schema.inferred else facts.undated - facts.dated
    forms = _forms(tables, facts, texts, typed=typed)
    if schema.inferred:
        forms = _inferred(forms, facts)
    classes = _classes(facts, references, {cell: column.kind for cell, column in _cells(tables)}, forms)
    groups: dict[Cell, list[tuple[Cell, DeclaredColumn]]] = {}
    for cell, column in _cells(tables):
        groups.setdefault(classes(cell), []).append((cell, column))
    numbers = {cell: number for number, members in enumerate(groups.values()) for cell, _ in members}
    ordered = _parents_first(tables, references)
    plans = tuple(_plan(table, references, ordered, facts, numbers.__getitem__, forms) for table in ordered)
    pools = tuple(_pool(number, each, facts, forms, typed=typed) for number, each in enumerate(groups.values()))
    links = tuple(_link(each, ordered) for each in references)
    rules = {table.name: _rules(table) for table in ordered if table.checks}
    return Population(
        plans=plans,
        pools=pools,
        sizes=tuple(sorted(facts.sizes)),
        links=links,
        counts=frozenset(facts.counts),
        steps=tuple(sorted(facts.steps)),
        rules=rules,
    )


def _references(schema: Schema, tables: Sequence[DeclaredTable]) -> list[Reference]:
    names = {table.name.lower() for table in tables}
    return [each for each in schema.references if each.table in names and each.parent in names]


def _rules(table: DeclaredTable) -> RowRules:
    layout = Layout(name=table.name, columns=tuple((each.name, each.declared) for each in table.columns))
    return RowRules(layout, table.checks)


def _link(reference: Reference, ordered: Sequence[DeclaredTable]) -> Link:
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


def _forms(tables: Sequence[DeclaredTable], facts: Facts, texts: set[Cell], *, typed: bool) -> dict[Cell, DateForm]:
    """The columns that hold dates, not `texts`. In SQLite, the queries may say whether one has times."""
    return {
        cell: form if typed else _as_compared(cell, form, facts)
        for cell, column in _cells(tables)
        if (form := column.dates(translated=typed)) is not None and cell not in texts
    }


def _inferred(forms: Mapping[Cell, DateForm], facts: Facts) -> dict[Cell, DateForm]:
    """The same without a schema, where columns hold dates that a query computes with."""
    dated = {cell: form for cell, form in forms.items() if cell in facts.dated}
    return {cell: form if form is DateForm.DAY else DateForm.EITHER for cell, form in dated.items()}


def _as_compared(cell: Cell, form: DateForm, facts: Facts) -> DateForm:
    if form is DateForm.EITHER and cell in facts.moments:
        return DateForm.MOMENT
    return DateForm.EITHER if cell in facts.timed else form


def _cells(tables: Sequence[DeclaredTable]) -> Iterator[tuple[Cell, DeclaredColumn]]:
    for table in tables:
        for column in table.columns:
            yield _cell(table, column), column


def _cell(table: DeclaredTable, column: DeclaredColumn) -> Cell:
    return table.name.lower(), column.name.lower()


def _classes(
    facts: Facts, references: Sequence[Reference], kinds: Mapping[Cell, ValueKind], forms: Mapping[Cell, DateForm]
) -> Callable[[Cell], Cell]:
    """Groups columns that are compared with each other. Returns a function from a column to its group.

    A number that is compared with what is computed of dates is in no group with them.
    """
    parents: dict[Cell, Cell] = {}

    def find(cell: Cell) -> Cell:
        while (up := parents.get(cell, cell)) != cell:
            parents[cell] = parents.get(up, up)
            cell = up
        return cell

    joined = [((each.table, each.column), (each.parent, each.parent_column)) for each in references]
    met = [pair for pair in sorted(facts.meets) if not any(each in forms for each in pair) or not _counts(pair, kinds)]
    for one, other in (*joined, *met):
        parents[find(one)] = find(other)
    return find


def _counts(cells: tuple[Cell, Cell], kinds: Mapping[Cell, ValueKind]) -> bool:
    """Whether one of two columns holds numbers."""
    return any(cell in kinds and kinds[cell].numeric for cell in cells)


def _parents_first(tables: Sequence[DeclaredTable], references: Sequence[Reference]) -> list[DeclaredTable]:
    """Orders tables so that parents come first; a circle of references is broken at its first table."""
    needs = {
        table.name.lower(): {each.parent for each in references if each.table == table.name.lower()}
        - {table.name.lower()}
        for table in tables
    }
    left, done = list(tables), list[DeclaredTable]()
    while left:
        placed = {table.name.lower() for table in done}
        ready = next((table for table in left if needs[table.name.lower()] <= placed), left[0])
        left.remove(ready)
        done.append(ready)
    return done


def _plan(
    table: DeclaredTable,
    references: Sequence[Reference],
    ordered: Sequence[DeclaredTable],
    facts: Facts,
    number: Callable[[Cell], int],
    forms: Mapping[Cell, DateForm],
) -> TablePlan:
    names = [column.name.lower() for column in table.columns]
    keys = tuple((tuple(names.index(name) for name in key.columns), key.guessed) for key in table.keys)
    earlier = {each.name.lower(): each for each in ordered[: ordered.index(table)]}
    leading = [each for each in references if each.table == table.name.lower() and each.parent in earlier]
    targets = {each.column: (_target(earlier[each.parent], each), each.guessed) for each in reversed(leading)}
    slots: list[Slot] = []
    for column in table.columns:
        cell = _cell(table, column)
        parent, guessed = targets.get(column.name.lower(), (None, False))
        slot = Slot(
            column=column,
            pool=number(cell),
            key=table.keyed(column),
            parent=parent,
            guessed=guessed,
            nulls=_NULLS_TESTED if cell in facts.nulls else _NULLS,
            dates=forms.get(cell),
        )
        slots.append(slot)
    return TablePlan(name=table.name, slots=tuple(slots), keys=keys)


def _target(parent: DeclaredTable, reference: Reference) -> tuple[str, int]:
    names = [column.name.lower() for column in parent.columns]
    return parent.name, names.index(reference.parent_column)


def _pool(
    number: int,
    members: Sequence[tuple[Cell, DeclaredColumn]],
    facts: Facts,
    forms: Mapping[Cell, DateForm],
    *,
    typed: bool,
) -> ValuePool:
    cells, columns = {cell for cell, _ in members}, [column for _, column in members]
    grouped = not facts.grouped.isdisjoint(cells)
    inside, beside = _tried(members, facts.inside), _tried(members, facts.beside)
    kind = _kind({column.kind for column in columns}, inside, computed=not facts.numeric.isdisjoint(cells))
    dated = {form for cell, form in forms.items() if cell in cells}
    read = _readings(cells, facts)
    if dated:
        kind = ValueKind.DATE
        inside, beside = _dates(inside, beside, dated, edges=not facts.dated.isdisjoint(cells))
        beside += _odd_times(beside, dated, facts)
    elif _are_documents(read, kind):
        return _documents(read, grouped=grouped)
    else:
        fit = _fitting(kind, typed and all(column.declared.upper() == "DATE" for column in columns))
        inside, beside = fit(inside), fit(beside)
        beside += _read(read, kind, (*inside, *beside))
    return ValuePool(
        inside=inside,
        beside=beside,
        shared=SHARED[kind],
        grouped=grouped,
        own=tuple(own_value(kind, number, step) for step in range(3)),
        swapped=() if dated else swapped((*inside, *beside)),
        kind=kind,
    )


def _fitting(kind: ValueKind, days: bool) -> Callable[[tuple[Value, ...]], tuple[Value, ...]]:
    """Leaves the values that a column of a kind can hold."""
    if kind is ValueKind.BOOLEAN:
        return lambda values: tuple(filter(_is_truth, values))
    return _days if days else lambda values: values


def _readings(cells: set[Cell], facts: Facts) -> list[Readings]:
    """What is read of columns that hold no dates."""
    dated = not facts.dated.isdisjoint(cells)
    return [] if dated else [facts.readings[cell] for cell in cells if cell in facts.readings]


def _are_documents(read: Sequence[Readings], kind: ValueKind) -> bool:
    return kind is ValueKind.TEXT and any(each.paths for each in read)


def _documents(read: Sequence[Readings], *, grouped: bool) -> ValuePool:
    """JSON texts with what is read of them."""
    found = tuple(dict.fromkeys(text for each in read if each.paths for text in each.documents()))
    own = found[:3]
    return ValuePool(
        inside=found, beside=found, shared=found, grouped=grouped, own=own, swapped=(), kind=ValueKind.TEXT, only=True
    )


def _read(read: Sequence[Readings], kind: ValueKind, tried: Iterable[Value]) -> tuple[Value, ...]:
    """Values in which there is something to read; none where others are dates as texts."""
    if kind is ValueKind.REAL:
        return _distinct(number for each in read for number in each.numbers())
    if kind is not ValueKind.TEXT or any(isinstance(each, str) and _LIKE_DATE.match(each) for each in tried):
        return ()
    return _distinct(text for each in read for text in each.texts())


def _dates(
    inside: Iterable[Value], beside: Iterable[Value], forms: Set[DateForm], *, edges: bool
) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    """The values that are dates; beside them the edges of months and years, and times of day."""
    within, near = (
        tuple(each for each in values if isinstance(each, str) and is_date(each)) for values in (inside, beside)
    )
    near += EDGES if edges else ()
    if not forms - {DateForm.DAY}:
        return within, near
    if DateForm.INSTANT in forms:
        near += tuple(_later(each) for each in within + near if len(each) > len("2020-01-01 00:00"))
    inner, outer = ([f"{each[:10]} 12:00:00" for each in values] for values in (within, near))
    return _distinct((*within, *inner)), _distinct((*near, *outer))


def _odd_times(values: Iterable[Value], forms: Set[DateForm], facts: Facts) -> tuple[Value, ...]:
    """Times off the hour where hours or minutes are counted: from a full hour, 24 hours and 1440 minutes are alike."""
    counted = any(unit in TIMES for _, unit in facts.steps) and forms - {DateForm.DAY}
    return _distinct(f"{str(each)[:10]} 23:59:30" for each in values) if counted else ()


def _later(moment: str) -> str:
    """A moment less than a second later, unless its type rounds it."""
    return f"{moment}1" if "." in moment else f"{moment}.5"


def _tried(members: Sequence[tuple[Cell, DeclaredColumn]], values: Mapping[Cell, Iterable[Value]]) -> tuple[Value, ...]:
    return _distinct(value for cell, _ in members for value in values.get(cell, ()))


def _days(values: Iterable[Value]) -> tuple[Value, ...]:
    """The days of those values that are dates."""
    return _distinct(each[:10] for each in values if isinstance(each, str) and is_date(each))


def _is_truth(value: Value) -> bool:
    return isinstance(value, int) and value in {0, 1}


def _kind(kinds: set[ValueKind], inside: Iterable[Value], *, computed: bool) -> ValueKind:
    """The kind of a pool's values. Text columns that are used in computations hold numbers."""
    if kinds == {ValueKind.BOOLEAN}:
        return ValueKind.BOOLEAN
    if not kinds.isdisjoint({ValueKind.INTEGER, ValueKind.BOOLEAN}) or (
        computed and kinds == {ValueKind.TEXT} and all(_numeric(each) for each in inside)
    ):
        return ValueKind.INTEGER
    return next((kind for kind in (ValueKind.REAL, ValueKind.DATE) if kind in kinds), ValueKind.TEXT)


def _numeric(value: Value) -> bool:
    return not isinstance(value, str) or value.isdigit()


def _distinct(values: Iterable[Value]) -> tuple[Value, ...]:
    """Distinct values in order of appearance; 1, 1.0 and '1' are different."""
    return tuple({(type(each), each): each for each in values}.values())
