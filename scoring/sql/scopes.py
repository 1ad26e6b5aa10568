"""One SELECT while it is read: which names stand for which tables, and what they resolve to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from sqlglot import exp

from scoring.specification import (
    Aggregation,
    Block,
    Column,
    Division,
    GroupKey,
    Join,
    Limit,
    Operand,
    Projection,
    SetOperation,
    SortKey,
    SqlFilter,
    SqlSpec,
    Subquery,
    SubqueryRole,
    Window,
)
from scoring.sql.terms import Node, Term

_STARS = 64
"""How many nested `SELECT *` a column is followed through."""

Reader: TypeAlias = Callable[["Scope", Any], Term]
"""Reads one kind of node; the node's class is the key under which the reader is registered."""


class Source:
    """Something that FROM reads: a base table, or a query with named output columns."""

    __slots__ = ("columns", "correlated", "outputs", "path", "reads", "stars", "table", "tables")

    def __init__(self, table: str | None, path: str = "") -> None:
        self.table = table
        """Base table name; `None` for a derived table or CTE."""
        self.path = path
        """Block path of a derived table or CTE."""
        self.columns: list[Term] = []
        """Its output columns in order."""
        self.outputs: dict[str, Term] = {}
        """Its output columns by lower-case name."""
        self.stars: list[Source] = []
        """Sources that a `*` passes through."""
        self.tables: tuple[str, ...] = ()
        """Base tables that the query's first block reads."""
        self.reads: tuple[str, ...] = ()
        """The same and its CTEs, by name, for people."""
        self.correlated = False
        """The query reads columns of a block around it."""

    @property
    def name(self) -> str:
        """A table's or CTE's own name; a derived table's place."""
        return self.table if self.table is not None else self.path.rpartition("/")[2].removeprefix("cte:")

    def again(self) -> Source:
        """The same columns under another alias: a source of its own, so that self-joins are joins."""
        twin = Source(self.table, self.path)
        twin.columns, twin.outputs, twin.stars = self.columns, self.outputs, self.stars
        twin.tables, twin.reads = self.tables, self.reads
        return twin

    def renamed(self, names: list[str], path: str) -> Source:
        """The same columns with the names of an alias list, where there is one."""
        twin = self.again()
        twin.path = path
        if names and not self.stars:
            twin.outputs = dict(zip(names, self.columns, strict=False))
        return twin

    def find(self, name: str) -> Term | None:
        """The output column of that name, through `*`; `None` where a base table would have to say."""
        found = self.outputs.get(name)
        if found is not None or not self.stars:
            return found
        waiting = list(self.stars)
        for _ in range(_STARS):
            if not waiting:
                return None
            source = waiting.pop()
            if name in source.outputs:
                return source.outputs[name]
            waiting.extend(source.stars)
        return None

    def base(self) -> str | None:
        """The one base table behind it, through `SELECT *` of a single source."""
        source = self
        for _ in range(_STARS):
            if source.table is not None or len(source.stars) != 1:
                return source.table
            source = source.stars[0]
        return None


class Names:
    """CTE names that are in sight, the innermost WITH first."""

    __slots__ = ("parent", "recursive", "sources")

    def __init__(self, parent: Names | None = None) -> None:
        self.parent = parent
        self.sources: dict[str, Source] = {}
        self.recursive: tuple[str, str, list[str]] | None = None
        """Name, path and column names of the CTE whose body is being read."""

    def find(self, name: str) -> Source | None:
        names: Names | None = self
        while names is not None:
            if name in names.sources:
                return names.sources[name]
            names = names.parent
        return None


class Group:
    """The arms of one OR; its identity is its meaning."""

    __slots__ = ()


class PendingJoin:
    """A join whose equated columns are still being found."""

    __slots__ = ("kind", "pairs", "source")

    def __init__(self, kind: str, source: Source) -> None:
        self.kind = kind
        self.source = source
        self.pairs: list[tuple[Column, Column]] = []


class Reading:
    """One SQL text being read: the specification while it grows."""

    # A plain class: one is made for every text, and a dataclass with twenty default factories costs several times more.
    def __init__(
        self,
        *,
        dialect: str,
        lenient: bool,
        readers: Mapping[type[Node], Reader],
        read_query: Callable[[Reading, Node, str, Scope | None, Names, bool], Source],
        read_subquery: Callable[[Scope, Node, SubqueryRole, Operand | None], Term],
    ) -> None:
        self.dialect = dialect
        self.lenient = lenient
        """A double-quoted word in a value's place is text."""
        self.readers = readers
        self.default = readers[exp.Expr]
        """Reads nodes that have no reader of their own."""
        self.read_query = read_query
        """Reads a query into blocks of that path; the last argument says that its rows are the answer's."""
        self.read_subquery = read_subquery
        self.projections: list[Projection] = []
        self.aggregations: dict[tuple[object, ...], Aggregation] = {}
        self.filters: dict[tuple[object, ...], SqlFilter] = {}
        self.group_by: list[GroupKey] = []
        self.order_by: list[SortKey] = []
        self.limits: list[Limit] = []
        self.joins: list[Join] = []
        self.set_operations: list[SetOperation] = []
        self.subqueries: list[Subquery] = []
        self.windows: list[Window] = []
        self.ctes: list[str] = []
        self.divisions: list[Division] = []
        self.blocks: list[Block] = []
        self.columns: set[Column] = set()
        self.functions: set[str] = set()
        self.seen: dict[int, Term] = {}
        """Terms of nodes that must be read once only: a subquery, a window, a division."""
        self.cases = 0
        """How many CASE and IF were read."""

    def specification(self, nodes: int) -> SqlSpec:
        """What was read."""
        return SqlSpec(
            dialect=self.dialect,
            projections=tuple(self.projections),
            aggregations=tuple(self.aggregations.values()),
            filters=tuple(self.filters.values()),
            group_by=tuple(self.group_by),
            order_by=tuple(self.order_by),
            limits=tuple(self.limits),
            joins=tuple(self.joins),
            set_operations=tuple(self.set_operations),
            subqueries=tuple(self.subqueries),
            windows=tuple(self.windows),
            ctes=tuple(self.ctes),
            divisions=tuple(self.divisions),
            blocks=tuple(self.blocks),
            columns=frozenset(self.columns),
            functions=frozenset(self.functions),
            nodes=nodes,
        )


class Scope:
    """One query block being read."""

    __slots__ = (
        "_children",
        "_found",
        "_visible",
        "aggregate",
        "aliases",
        "bases",
        "by_alias",
        "correlated",
        "filtered",
        "groups",
        "joined",
        "joins",
        "names",
        "parent",
        "path",
        "readers",
        "reading",
        "sources",
        "windowed",
        "windows",
    )

    def __init__(self, reading: Reading, path: str, parent: Scope | None, names: Names) -> None:
        self.reading = reading
        self.readers = reading.readers
        self.path = path
        self.parent = parent
        """The block whose columns a correlated subquery may read."""
        self.names = names
        self.sources: dict[str, Source] = {}
        """What FROM reads, by lower-case alias or name."""
        self.bases: list[Source] = []
        """Base tables among the sources."""
        self.joins: list[PendingJoin] = []
        self.joined: dict[Source | None, int] = {}
        """Which of the joins brought a source."""
        self.aliases: dict[str, Term] = {}
        """Output columns by alias, for ORDER BY, GROUP BY, HAVING and QUALIFY."""
        self.windows: dict[str, Node] = {}
        self.groups: dict[Group, int] = {}
        """Numbers of OR groups."""
        self.by_alias = False
        """In a clause where an output column's alias may stand for its expression."""
        self.correlated = False
        self.aggregate = False
        """Inside an aggregate's argument: conditions there are filters."""
        self.filtered = False
        """Directly under FILTER."""
        self.windowed = False
        """Directly under OVER: an aggregate there does not collapse rows."""
        self._found: dict[tuple[str | None, str], tuple[Source | None, Term]] = {}
        self._visible: dict[str, tuple[Source, Term]] | None = None
        self._children: dict[str, int] = {}

    def child(self, role: str) -> str:
        """The path of the next nested block in that role."""
        number = self._children.get(role, 0) + 1
        self._children[role] = number
        return f"{self.path}/{role}:{number}"

    def add(self, alias: str, source: Source) -> None:
        """Brings a source into sight."""
        self.sources[alias] = source
        if source.table is not None:
            self.bases.append(source)

    def column(self, node: Node) -> tuple[Source | None, Term]:
        """What a column reference names, and which source of this block it is of (`None`: an outer or unknown one)."""
        args = node.args
        qualifier = args.get("table")
        identifier = args["this"]
        if type(identifier) is not exp.Identifier:
            return None, read(self, identifier) if isinstance(identifier, exp.Expr) else Term("?")
        name: str = identifier.args["this"].lower()
        if qualifier is None:
            if self.by_alias and not self.aggregate and name in self.aliases:
                return None, self.aliases[name]
            key = None, name
        else:
            key = qualifier.name.lower(), name
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._base(*key) or self._resolve(*key)
        return found

    def _base(self, qualifier: str | None, name: str) -> tuple[Source, Term] | None:
        """The short way for most columns: of a base table that is named, or the only source."""
        sources = self.sources
        if qualifier is not None:
            source = sources.get(qualifier)
        else:
            source = self.bases[0] if len(sources) == 1 and self.bases else None
        if source is None or source.table is None:
            return None
        column = Column(name, source.table)
        self.reading.columns.add(column)
        return source, Term(name, (column,))

    def plain_column(self, name: str) -> Term:
        """A column of which only the name is known."""
        return self._base_column(name, None)

    def _resolve(self, qualifier: str | None, name: str) -> tuple[Source | None, Term]:
        if qualifier is None:
            return self._unqualified(name)
        source = self.sources.get(qualifier)
        if source is not None:
            return source, self._of(source, name)
        outer = self.parent
        while outer is not None:
            if qualifier in outer.sources:
                self._mark_correlated(outer)
                return None, outer._of(outer.sources[qualifier], name)
            outer = outer.parent
        # Without any FROM (a tenant's predicate) the qualifier can only be a table's own name.
        return None, self._base_column(name, None if self.sources else qualifier)

    def _unqualified(self, name: str) -> tuple[Source | None, Term]:
        if len(self.sources) == 1:
            source = next(iter(self.sources.values()))
            return source, self._of(source, name)
        if self._visible is None:
            self._visible = self._derived_columns()
        if name in self._visible:
            return self._visible[name]
        for source in self.sources.values():
            if source.stars and (found := source.find(name)) is not None:
                return source, found
        only = self.bases[0] if len(self.bases) == 1 else None
        return only, self._base_column(name, only.table if only is not None else None)

    def _derived_columns(self) -> dict[str, tuple[Source, Term]]:
        visible: dict[str, tuple[Source, Term]] = {}
        for source in self.sources.values():
            for name, term in source.outputs.items():
                visible.setdefault(name, (source, term))
        return visible

    def _of(self, source: Source, name: str) -> Term:
        return source.find(name) or self._base_column(name, source.base())

    def _base_column(self, name: str, table: str | None) -> Term:
        column = Column(name, table)
        self.reading.columns.add(column)
        return Term(name, (column,))

    def _mark_correlated(self, outer: Scope) -> None:
        scope: Scope | None = self
        while scope is not None and scope is not outer:
            scope.correlated = True
            scope = scope.parent


def read(scope: Scope, node: Node) -> Term:
    """The term of any expression; what is recorded on the way (aggregates, functions, …) goes to the reading."""
    reader = scope.readers.get(type(node))
    return scope.reading.default(scope, node) if reader is None else reader(scope, node)
