"""The schema that two queries imply, where none is given: tables, columns, types by vote, keys guessed with reasons."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from references.equivalence.facts.gathering import Facts, Gatherer
from references.equivalence.facts.origins import Cell, Origins, sources
from references.equivalence.reading.side import Side
from references.schema import Column, Key, Kind, Reference, Schema, Table

_DAY = re.compile(r"\d{4}-\d\d")
_NUMBERS = re.compile(
    r"(?:^|_|[a-z])(?:id|ids|no|num|number|count|age|year|amount|price|cost|score|total|rank|salary|size|qty|quantity|"
    r"points|rating|weight|height|length|population|capacity|percent|rate|hours|minutes|level)$"
)
_TIMES = re.compile(r"date|time|_at$|_on$|birthday|dob")
_PLURALS = (("people", "person"), ("ies", "y"), ("ves", "f"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("s", ""))
_ROUNDS = 3
"""Joins through which a type travels."""
_MOST_WORDS = 8
_ENDINGS = ("id", "code", "no", "number", "key", "uuid", "nr", "ref")


def infer_schema(sides: Sequence[Side]) -> Schema:
    """The smallest schema on which both queries can run."""
    named: dict[str, tuple[str, dict[str, str]]] = {}
    open_columns: list[tuple[exp.Column, Scope]] = []
    scopes = [scope for side in sides for scope in _scopes(side.tree)]
    for scope in scopes:
        _gather_tables(scope, named)
    for scope in scopes:
        open_columns.extend(_gather_qualified(scope, named))
    for scope in scopes:
        _gather_using(scope, named)
    open_columns = [(column, scope) for column, scope in open_columns if not _is_no_column(column, scope, sides)]
    for column, scope in sorted(open_columns, key=lambda each: len(_base_tables(each[1])) != 1):
        _place(column, scope, named)
    tables = {
        folded: Table(
            name=name,
            columns=tuple(
                Column(name=each, kind=Kind.TEXT, declared="TEXT") for each in (columns or {"id": "id"}).values()
            ),
        )
        for folded, (name, columns) in named.items()
    }
    return _keyed(_typed(Schema(tables=tables, inferred=True), sides), sides)


def _scopes(tree: exp.Query) -> list[Scope]:
    try:
        return traverse_scope(tree)
    except (SqlglotError, AttributeError, KeyError, RecursionError):
        return []


def _gather_tables(scope: Scope, named: dict[str, tuple[str, dict[str, str]]]) -> None:
    for source in sources(scope).values():
        if isinstance(source, exp.Table) and source.name:
            named.setdefault(source.name.lower(), (source.name, {}))


def _gather_qualified(
    scope: Scope, named: Mapping[str, tuple[str, dict[str, str]]]
) -> Iterator[tuple[exp.Column, Scope]]:
    """Notes columns that name their table; gives the others back."""
    for node in scope.walk():
        if not isinstance(node, exp.Column) or node.is_star:
            continue
        if not node.table:
            yield node, scope
            continue
        source = _source(node.table, scope)
        if isinstance(source, exp.Table) and source.name:
            named[source.name.lower()][1].setdefault(node.name.lower(), node.name)


def _source(alias: str, scope: Scope | None) -> exp.Expr | Scope | None:
    while scope is not None:
        for name, source in sources(scope).items():
            if name.lower() == alias.lower():
                return source
        scope = scope.parent
    return None


def _gather_using(scope: Scope, named: Mapping[str, tuple[str, dict[str, str]]]) -> None:
    """Columns of USING stand in the joined table and in one before it."""
    tree = scope.expression
    for join in tree.args.get("joins") or () if isinstance(tree, exp.Select) else ():
        for each in join.args.get("using") or ():
            name, tables = each.name.lower(), _base_tables(scope)
            if isinstance(join.this, exp.Table) and join.this.name.lower() in named:
                named[join.this.name.lower()][1].setdefault(name, each.name)
                tables = [table for table in tables if table != join.this.name.lower()]
            if tables and all(name not in named[table][1] for table in tables):
                named[tables[0]][1].setdefault(name, each.name)


def _base_tables(scope: Scope) -> list[str]:
    tables = (source for source in sources(scope).values() if isinstance(source, exp.Table))
    return [table.name.lower() for table in tables if table.name]


def _is_no_column(column: exp.Column, scope: Scope, sides: Sequence[Side]) -> bool:
    quoted = isinstance(column.this, exp.Identifier) and column.this.quoted
    return _is_alias(column, scope) or (quoted and _is_text(column, sides))


def _place(column: exp.Column, scope: Scope, named: Mapping[str, tuple[str, dict[str, str]]]) -> None:
    """Gives a column that names no table to the likeliest one: the innermost block comes first."""
    name = column.name.lower()
    up: Scope | None = scope
    while up is not None:
        tables = _base_tables(up)
        if any(name in named[each][1] for each in tables):
            return
        if any(_exposes(source, name) for source in sources(up).values()):
            return
        if tables:
            best = max(tables, key=lambda each: (_resembles(name, each), -tables.index(each)))
            named[best][1].setdefault(name, column.name)
            return
        up = up.parent if up.is_subquery else None


def _is_alias(column: exp.Column, scope: Scope) -> bool:
    """The name of an output, where a clause after SELECT uses it."""
    tree = scope.expression
    if not isinstance(tree, exp.Query):
        return False
    outputs = {each.alias.lower() for each in tree.selects if each.alias}
    if column.name.lower() not in outputs:
        return False
    clause = column.find_ancestor(exp.Order, exp.Having, exp.Group, exp.Select)
    return not isinstance(clause, exp.Select)


def _is_text(column: exp.Column, sides: Sequence[Side]) -> bool:
    """A double-quoted word in a value's place, which SQLite takes for text."""
    if not any(f'"{column.name}"' in side.sql for side in sides):
        return False
    parent = column.parent
    if isinstance(parent, exp.In):
        return parent.this is not column
    if isinstance(parent, exp.Between):
        return parent.this is not column
    return isinstance(parent, exp.Predicate) and isinstance(parent, exp.Binary) and parent.expression is column


def _exposes(source: exp.Expr | Scope, name: str) -> bool:
    tree = source.expression if isinstance(source, Scope) else None
    if not isinstance(tree, exp.Query):
        return False
    return any(each.alias_or_name.lower() == name or each.is_star for each in tree.selects)


def _resembles(column: str, table: str) -> int:
    """Letters that a column's name and a table's stem begin with."""
    plain = _plain(column)
    return max((len(stem) for stem in stems(table) if plain.startswith(stem)), default=0)


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace(" ", "")


def stems(table: str) -> dict[str, int]:
    """What a key of the table may be called after, with how much of the table's name that is: 3 all, 2 its end, 1 else.

    >>> stems("order_lines")
    {'order': 1, 'line': 2, 'lines': 2, 'orderline': 3, 'orderlines': 3}
    """
    words = [each for each in re.split(r"[_\s]+", table.lower()) if each][:_MOST_WORDS]
    found: dict[str, int] = {}
    for size in range(1, len(words)):
        _add_stem(found, "".join(words[:size]), 1)
    for size in range(1, len(words)):
        _add_stem(found, "".join(words[-size:]), 2)
    _add_stem(found, _plain(table), 3)
    return found


def _add_stem(found: dict[str, int], name: str, strength: int) -> None:
    for each in (*_singulars(name), name):
        found[each] = strength


def _singulars(word: str) -> Iterator[str]:
    """What one of them may be called; endings that may mean several things give several."""
    for ending, rest in _PLURALS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            yield word.removesuffix(ending) + rest


def _typed(schema: Schema, sides: Sequence[Side]) -> Schema:
    """The schema with types by vote: what columns are compared or computed with, then what they are called."""
    facts = gathered(schema, sides)
    votes = {
        (folded, column.name.lower()): _vote((folded, column.name.lower()), facts)
        for folded, table in schema.tables.items()
        for column in table.columns
    }
    _spread(votes, facts)
    for cell in sorted(votes):
        if votes[cell] is None:
            votes[cell] = by_name(cell[1])
            _spread(votes, facts)
    tables: dict[str, Table] = {}
    for folded, table in schema.tables.items():
        columns = [_as(column, votes[folded, column.name.lower()] or Kind.TEXT) for column in table.columns]
        tables[folded] = replace(table, columns=tuple(columns))
    return replace(schema, tables=tables)


def _spread(votes: dict[Cell, Kind | None], facts: Facts) -> None:
    """Columns that meet are of one type."""
    for _ in range(_ROUNDS):
        for one, other in sorted(facts.meets):
            for here, there in ((one, other), (other, one)):
                if votes.get(here) is None and votes.get(there) is not None:
                    votes[here] = votes[there]


def gathered(schema: Schema, sides: Sequence[Side]) -> Facts:
    """What both queries compare."""
    facts = Facts()
    for side in sides:
        Gatherer(Origins(side.tree, schema), facts).gather()
    return facts


def _as(column: Column, kind: Kind) -> Column:
    return replace(column, kind=kind, declared=kind.value)


def _vote(cell: Cell, facts: Facts) -> Kind | None:
    values = [*facts.inside.get(cell, ())]
    texts = [each for each in values if isinstance(each, str)]
    if texts:
        return Kind.DATE if any(_DAY.match(each) for each in texts) else Kind.TEXT
    if any(isinstance(each, float) for each in values):
        return Kind.REAL
    return Kind.INTEGER if values or cell in facts.numeric else None


def by_name(name: str) -> Kind:
    """What a column's name says of its values.

    >>> by_name("member_id"), by_name("joined_on"), by_name("nickname")
    (<Kind.INTEGER: 'INTEGER'>, <Kind.DATE: 'DATE'>, <Kind.TEXT: 'TEXT'>)
    """
    folded = name.lower()
    if _TIMES.search(folded):
        return Kind.DATE
    return Kind.INTEGER if _NUMBERS.search(folded) else Kind.TEXT


def _keyed(schema: Schema, sides: Sequence[Side]) -> Schema:
    """The schema with guessed keys and references."""
    facts = gathered(schema, sides)
    pairs = [pair for pair in sorted(facts.meets) if pair[0][0] != pair[1][0]]
    keys = {folded: found for folded, table in schema.tables.items() if (found := _own_key(table, schema)) is not None}
    for one, other in pairs:
        for parent, child in ((one, other), (other, one)):
            if parent[0] not in keys and _names_key(parent, child):
                keys[parent[0]] = (parent[1], f"{child[0]}.{child[1]} is named after it")
    for one, other in pairs:
        for child, parent in ((one, other), (other, one)):
            if child[0] not in keys and keys.get(parent[0], ("",))[0] == parent[1] and _own_name(child, parent):
                keys[child[0]] = (child[1], f"joined to the key of {parent[0]} and not named after it")
    references: dict[Cell, Reference] = {}
    for one, other in pairs:
        for reference in _references(one, other, keys):
            references.setdefault((reference.table, reference.column), reference)
    tables = {
        folded: replace(table, keys=(Key(columns=(keys[folded][0],), reason=keys[folded][1], guessed=True),))
        if folded in keys
        else table
        for folded, table in schema.tables.items()
    }
    return replace(schema, tables=tables, references=tuple(references.values()))


def _own_key(table: Table, schema: Schema) -> tuple[str, str] | None:
    """A column named `id`, or after its table and no other."""
    names = [column.name.lower() for column in table.columns]
    for name in names:
        if name in {"id", "uuid", "uid", "rowid", "pk"}:
            return name, f"named {name}"
    named = [(strength, name) for name in names if (strength := _after(name, table.name))]
    for strength, name in sorted(named, key=lambda each: -each[0]):
        others = (each.name for folded, each in schema.tables.items() if folded != table.name.lower())
        if all(_after(name, other) < max(strength, 3) for other in others):
            return name, f"named after {table.name}"
    return None


def _after(column: str, table: str) -> int:
    """How much of the table's name the column, less an ending such as `id`, repeats: 3 all, 2 its end, 1 less."""
    plain = _plain(column)
    best = 0
    for stem, strength in stems(table).items():
        if strength > 1 and plain.startswith(stem) and plain[len(stem) :] in _ENDINGS:
            best = max(best, strength)
        short = plain.removesuffix("id")
        if short != plain and len(short) > 2 and stem.startswith(short):
            best = max(best, 1)
    return best


def _names_key(parent: Cell, child: Cell) -> bool:
    """`child.country_code` against `country.code`, `child.model` against `models.model`."""
    own = _plain(parent[1])
    return any(_plain(child[1]) == stem + own or (own == stem == _plain(child[1])) for stem in stems(parent[0]))


def _own_name(child: Cell, parent: Cell) -> bool:
    """An id that is not called after the table it is joined to: each side has one row of the other."""
    plain = _plain(child[1])
    return plain.endswith("id") and plain != _plain(parent[1]) and not _after(child[1], parent[0])


def _references(one: Cell, other: Cell, keys: Mapping[str, tuple[str, str]]) -> Iterator[Reference]:
    """Which of two columns that meet refers to the other; none where neither is a key, both where each might."""
    is_key = [keys.get(cell[0], ("", ""))[0] == cell[1] for cell in (one, other)]
    if not any(is_key):
        return
    parent, child = (one, other) if is_key[0] else (other, one)
    if all(is_key) and _parenthood(other, one) > _parenthood(one, other):
        parent, child = other, one
    yield _refers(child, parent)
    if all(is_key) and _own_name(child, parent):
        yield _refers(parent, child)


def _refers(child: Cell, parent: Cell) -> Reference:
    return Reference(
        table=child[0],
        column=child[1],
        parent=parent[0],
        parent_column=parent[1],
        reason="joined to a key",
        guessed=True,
    )


def _parenthood(parent: Cell, child: Cell) -> int:
    """Signs that of two keys this is the one referred to: the other is called after it, or this one is a mere `id`."""
    return 2 * _after(child[1], parent[0]) + (parent[1] == "id")
