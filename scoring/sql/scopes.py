"""One query block while it is read, and the walk over the whole text that it is part of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

from sqlglot import exp

from scoring.specification import Operand, SubqueryRole
from scoring.sql.builder import SpecificationBuilder
from scoring.sql.evaluation.rules import DialectRules
from scoring.sql.folded import Folds
from scoring.sql.from_items import CteScope, FromItem, PendingJoins
from scoring.sql.resolution import ColumnResolver, Resolved
from scoring.sql.terms import Node, Term

Reader: TypeAlias = Callable[["Scope", Any], Term]
"""Reads one kind of node; the node's class is the key under which the reader is registered."""


class BlockPlace(NamedTuple):
    """Where a query stands in the text."""

    path: str
    """Path of its first block, as in `Block.path`."""
    outer: Scope | None
    """The block whose columns it may read, if it is a correlated subquery."""
    ctes: CteScope
    is_output: bool
    """Its rows are rows of the answer."""


class Walk:
    """One walk over a syntax tree: the readers it uses and the specification it fills."""

    __slots__ = ("default", "folds", "lenient", "read_query", "read_subquery", "readers", "spec")

    def __init__(
        self,
        spec: SpecificationBuilder,
        rules: DialectRules,
        *,
        lenient: bool,
        readers: Mapping[type[Node], Reader],
        read_query: Callable[[Walk, Node, BlockPlace], FromItem],
        read_subquery: Callable[[Scope, Node, SubqueryRole, Operand | None], Term],
    ) -> None:
        self.spec = spec
        self.folds = Folds(rules)
        self.lenient = lenient
        """A double-quoted word in a value's place is text."""
        self.readers = readers
        self.default = readers[exp.Expr]
        """Reads nodes that have no reader of their own."""
        self.read_query = read_query
        self.read_subquery = read_subquery


class Modifier(Enum):
    """What is written after a function call and changes what an aggregate means."""

    FILTER = "filter"
    """Only some rows count."""
    OVER = "over"
    """The aggregate does not collapse rows."""


class Position:
    """Where in its block the walk is, as far as the readers of columns, CASE and aggregates must know."""

    __slots__ = ("in_aggregate", "in_on", "in_tail", "modifiers")

    def __init__(self) -> None:
        self.in_tail = False
        """In GROUP BY, HAVING, QUALIFY or ORDER BY, where an output column's alias may stand for its expression."""
        self.in_on = False
        """In a join condition."""
        self.in_aggregate = False
        """In an aggregate's argument, where conditions are filters."""
        self.modifiers: tuple[Modifier, ...] = ()
        """Those of the call that is read next; calls inside it have none."""

    def add(self, modifier: Modifier) -> None:
        self.modifiers += (modifier,)

    def remove(self, modifier: Modifier) -> None:
        self.modifiers = tuple([each for each in self.modifiers if each is not modifier])


class Scope:
    """One query block being read."""

    __slots__ = (
        "_children",
        "aliases",
        "columns",
        "ctes",
        "empty",
        "joins",
        "or_groups",
        "outer",
        "path",
        "position",
        "readers",
        "spec",
        "walk",
        "windows",
    )

    def __init__(self, walk: Walk, place: BlockPlace) -> None:
        self.walk = walk
        self.spec = walk.spec
        self.readers = walk.readers
        self.path = place.path
        self.outer = place.outer
        self.ctes = place.ctes
        self.columns = ColumnResolver(place.outer.columns if place.outer is not None else None, walk.spec.columns)
        self.joins = PendingJoins()
        self.empty = False
        """It is certain to return no row."""
        self.position = Position()
        self.aliases: dict[str, Term] = {}
        """Output columns by alias."""
        self.windows: dict[str, Node] = {}
        """Nodes of the WINDOW clause by name."""
        self.or_groups: dict[object, int] = {}
        """Numbers of the groups of ORed filters."""
        self._children: dict[str, int] = {}

    def child_path(self, role: str) -> str:
        """The path of the next nested block in that role."""
        number = self._children.get(role, 0) + 1
        self._children[role] = number
        return f"{self.path}/{role}:{number}"

    def column(self, node: Node) -> Resolved:
        """What a column reference stands for."""
        args = node.args
        qualifier = args.get("table")
        identifier = args["this"]
        if type(identifier) is not exp.Identifier:
            return None, read(self, identifier) if isinstance(identifier, exp.Expr) else Term("?")
        name: str = identifier.args["this"].lower()
        position = self.position
        if qualifier is None and position.in_tail and not position.in_aggregate and name in self.aliases:
            self.aliases[name].seen = True
            return None, self.aliases[name]
        found = self.columns.resolve(None if qualifier is None else qualifier.name.lower(), name)
        found[1].seen = True
        if found[0] is not None and not position.in_on:
            found[0].used = True
        return found


def read(scope: Scope, node: Node) -> Term:
    """The term of any expression; aggregates, functions and columns in it are recorded in the specification."""
    reader = scope.readers.get(type(node))
    return scope.walk.default(scope, node) if reader is None else reader(scope, node)
