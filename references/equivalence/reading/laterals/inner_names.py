"""Says which columns of an inner query are of the tables that stand before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import UnsupportedError

from references.equivalence.reading.origins import first_select
from references.names import bare
from references.schema import DeclaredTable, Schema, ValueKind


@dataclass(frozen=True, slots=True)
class FromSource:
    """One table or derived table of a FROM clause."""

    alias: str
    node: exp.Expr


def sources_before(select: exp.Select, place: int) -> tuple[FromSource, ...]:
    """What a FROM clause has before the join at a place."""
    first = select.args.get("from_")
    nodes = [first.this] if first is not None else []
    nodes += [join.this for join in (select.args.get("joins") or ())[:place]]
    if not all(isinstance(node, exp.Table | exp.Subquery) and node.alias_or_name for node in nodes):
        raise UnsupportedError("LATERAL after what is no table")
    return tuple(FromSource(node.alias_or_name, node) for node in nodes)


class Names:
    """Resolves names by the declared tables. Where none are declared, the innermost table has every column."""

    __slots__ = ("_schema",)

    def __init__(self, schema: Schema | None) -> None:
        self._schema = schema

    def read_of(self, body: exp.Query, before: Sequence[FromSource]) -> list[exp.Column]:
        """The columns of the tables before that an inner query reads, each with its table's name."""
        aliases = [each.alias.lower() for each in before]
        if len(set(aliases)) < len(aliases):
            raise UnsupportedError("tables of one name before LATERAL")
        found: list[exp.Column] = []
        for column in [*body.find_all(exp.Column)]:
            if column.is_star or self._is_inner(column, body):
                continue
            alias = column.table or self._owner(column, before)
            if alias.lower() in aliases:
                column.set("table", exp.to_identifier(before[aliases.index(alias.lower())].alias))
                column.set("db", None)
                column.set("catalog", None)
                found.append(column)
        return found

    def kind(self, column: exp.Column, before: Sequence[FromSource]) -> ValueKind | None:
        """What a column of a table before holds; `None` where that is not known."""
        source = next(each for each in before if each.alias.lower() == column.table.lower())
        table = self._table(source.node)
        declared = table.find(column.name) if table is not None else None
        return declared.kind if declared is not None else None

    def outputs(self, body: exp.Query) -> Sequence[str] | None:
        """The names of an inner query's columns; `None` where they are not known."""
        select = first_select(body)
        if select is None:
            return None
        names: list[str] = []
        for each in select.expressions:
            star = each.is_star and isinstance(each, exp.Star | exp.Column)
            found = self._of_star(each, select) if star else [each.alias_or_name]
            if found is None or not all(found):
                return None
            names += found
        return names

    def _of_star(self, star: exp.Expr, select: exp.Select) -> list[str] | None:
        held = star.this if isinstance(star, exp.Column) else star
        if any(held.args.values()) or any(join.args.get("using") for join in select.args.get("joins") or ()):
            return None
        names: list[str] = []
        for source in _sources(select):
            if isinstance(star, exp.Column) and source.alias.lower() != star.table.lower():
                continue
            columns = self._columns(source.node)
            if columns is None:
                return None
            names += columns
        return names

    def _is_inner(self, column: exp.Column, body: exp.Query) -> bool:
        """Whether a column is of the inner query, or of one inside that."""
        select = column.find_ancestor(exp.Select)
        while select is not None:
            if self._has(select, column):
                return True
            if select is body:
                break
            inside = select.find_ancestor(exp.Select, exp.Lateral)
            select = inside if isinstance(inside, exp.Select) else None
        return False

    def _has(self, select: exp.Select, column: exp.Column) -> bool:
        name = column.name.lower()
        if column.table:
            return any(source.alias.lower() == column.table.lower() for source in _sources(select))
        if column.find_ancestor(exp.Order, exp.Having, exp.Group, exp.Select) is not select and any(
            isinstance(each, exp.Alias) and each.alias.lower() == name for each in select.expressions
        ):
            return True
        return any(self._may_have(source.node, name) for source in _sources(select))

    def _may_have(self, node: exp.Expr, name: str) -> bool:
        columns = self._columns(node)
        return columns is None or name in {each.lower() for each in columns}

    def _owner(self, column: exp.Column, before: Sequence[FromSource]) -> str:
        """The table before that has a column which is written without one; nothing if none has."""
        owners = [each.alias for each in before if self._may_have(each.node, column.name.lower())]
        if len(owners) > 1:
            raise UnsupportedError(f"{column.name} may be of {' or '.join(owners)}: write which")
        return owners[0] if owners else ""

    def _columns(self, node: exp.Expr) -> Sequence[str] | None:
        """The columns of a table or a derived table; `None` where they are not known."""
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Query):
            return self.outputs(node.this)
        table = self._table(node)
        return [each.name for each in table.columns] if table is not None else None

    def _table(self, node: exp.Expr) -> DeclaredTable | None:
        """The declared table of a name, where there is one and no CTE may be meant."""
        if self._schema is None or not isinstance(node, exp.Table):
            return None
        name = bare(node.name).lower()
        named = [each for each in self._schema.tables.values() if each.parts[-1] == name]
        hidden = any(each.alias.lower() == name for each in node.root().find_all(exp.CTE))
        return named[0] if len(named) == 1 and not hidden else None


def _sources(select: exp.Select) -> Iterator[FromSource]:
    first = select.args.get("from_")
    for clause in ([first] if first is not None else []) + list(select.args.get("joins") or ()):
        if clause.this.alias_or_name:
            yield FromSource(clause.this.alias_or_name, clause.this)
