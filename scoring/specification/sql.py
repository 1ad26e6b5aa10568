"""What SQL does: `Ssql`."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from scoring.immutable import immutable
from scoring.schema import UnknownNames
from scoring.specification.shapes import Shape, ShapeKind
from scoring.specification.terms import Aggregation, Column, Filter, Operand
from scoring.specification.voids import Void


class Clause(StrEnum):
    """Where in a query block a filter stands."""

    WHERE = "where"
    HAVING = "having"
    ON = "on"
    """A join condition that compares with something other than a column of another table."""
    CASE = "case"
    """A condition of CASE inside an aggregate, or the aggregate's argument when it is boolean."""
    FILTER = "filter"
    """`aggregate(…) FILTER (WHERE …)`."""
    QUALIFY = "qualify"


@immutable()
class SqlFilter(Filter):
    """A condition the SQL applies."""

    block: str
    """Path of the query block it restricts, as in `Block.path`."""
    clause: Clause
    alternative: int | None = None
    """Filters of one block with the same number are ORed; `None` is a plain AND term."""
    text: str = ""
    """The predicate as canonical SQL, for people."""


@immutable()
class Projection:
    """One output column of a query block."""

    operand: Operand
    block: str
    alias: str | None = None
    star: bool = False
    """`*` or `t.*`."""
    literal: bool = False
    """It reads no column and no subquery."""
    conditional: bool = False
    """It holds CASE, IIF or IF."""
    subqueries: tuple[str, ...] = ()
    """Blocks of scalar subqueries in it."""


@immutable()
class SortKey:
    operand: Operand
    descending: bool
    block: str


@immutable()
class GroupKey:
    operand: Operand
    block: str


@immutable()
class Limit:
    """At most `count` rows of a block: LIMIT, FETCH, TOP, or a rank or row number compared with a constant."""

    count: int | None
    """`None` where it is not a literal."""
    block: str
    offset: int = 0
    ranked: bool = False
    """It was a rank or row number compared with a constant."""
    partition: tuple[Operand, ...] = ()
    """PARTITION BY keys of the rank: top k within each."""


@immutable()
class Join:
    kind: str
    """`inner`, `left`, `right`, `full`, `cross`, `semi`, `anti`, `natural`, `comma`."""
    table: str
    """Base table name, or the block path of a derived table."""
    block: str
    pairs: tuple[tuple[Column, Column], ...] = ()
    """Columns equated by ON, USING or an old-style WHERE."""
    bound: bool = False
    """Some condition compares columns of both sides otherwise: by a range, a function or a computed column."""


class SubqueryRole(StrEnum):
    SCALAR = "scalar"
    IN = "in"
    NOT_IN = "not in"
    EXISTS = "exists"
    NOT_EXISTS = "not exists"
    DERIVED = "derived"
    """A subquery in FROM."""
    QUANTIFIED = "quantified"
    """ANY or ALL."""


@immutable()
class Subquery:
    role: SubqueryRole
    block: str
    parent: str
    correlated: bool = False
    key: Operand | None = None
    """The outer operand of IN / NOT IN: a semi-join key, not a filter."""


@immutable()
class SetOperation:
    kind: str
    """`union`, `union all`, `intersect`, `except` (with ` all` if given)."""
    left: str
    right: str


@immutable()
class Window:
    func: str
    partition_by: tuple[Operand, ...]
    order_by: tuple[SortKey, ...]
    block: str


@immutable()
class Division:
    """One division, for ratio and percentage questions."""

    block: str
    real: bool
    """Some operand is cast to a real type, is a decimal literal, an AVG, or multiplied by one before dividing."""
    hundred: bool
    """The quotient (or its numerator) is multiplied by 100."""
    numerator: str = ""
    denominator: str = ""


@immutable()
class Block:
    """One SELECT. `path` is `main`, then `main/cte:name`, `main/in:1`, `main/scalar:1`, `main/union:2`, and so on."""

    path: str
    tables: tuple[str, ...] = ()
    """Base tables it reads, lower case, in FROM order, without schema."""
    distinct: bool = False
    output: bool = False
    """Its rows are rows of the answer: the main SELECT, or each arm of the main set operation."""


class SourceKind(StrEnum):
    """What an item of FROM is."""

    DATA = "data"
    """A table of the tenant, or a file."""
    CATALOGUE = "catalogue"
    """A table of the database's own: it describes tables, sessions or queries."""
    NONE = "none"
    """No table: DUAL, VALUES, a series."""


@immutable()
class Source:
    """One item of FROM that is neither a CTE nor a subquery."""

    kind: SourceKind
    block: str
    """Path of the query block that reads it, as in `Block.path`."""
    name: str = ""


@immutable()
class SqlSpec:
    """`Ssql`: everything in the order of the text; each entry names its block."""

    dialect: str
    """The dialect it was read in, given or guessed."""
    projections: tuple[Projection, ...] = ()
    aggregations: tuple[Aggregation, ...] = ()
    filters: tuple[SqlFilter, ...] = ()
    """All conditions, HAVING included; join keys and semi-join keys are not among them."""
    group_by: tuple[GroupKey, ...] = ()
    order_by: tuple[SortKey, ...] = ()
    limits: tuple[Limit, ...] = ()
    joins: tuple[Join, ...] = ()
    set_operations: tuple[SetOperation, ...] = ()
    subqueries: tuple[Subquery, ...] = ()
    windows: tuple[Window, ...] = ()
    ctes: tuple[str, ...] = ()
    divisions: tuple[Division, ...] = ()
    blocks: tuple[Block, ...] = ()
    columns: frozenset[Column] = frozenset()
    """Every base column that is read anywhere."""
    functions: frozenset[str] = frozenset()
    """Upper-case names of other functions and casts used (ROUND, SUBSTR, STRFTIME, CAST, …)."""
    sources: tuple[Source, ...] = ()
    """What FROM reads, without what takes no part in the answer."""
    parameters: frozenset[str] = frozenset()
    """Placeholders whose values are not known."""
    voids: tuple[Void, ...] = ()
    """Parts that do not do what they seem to do."""
    shapes: tuple[Shape, ...] = field(default=(), repr=False, compare=False)
    """What experts look twice at in the SQL as it is written; queries that do the same may differ in it."""
    unknown: UnknownNames | None = field(default=None, repr=False)
    """Names that the tenant's schema does not have; `None` without a schema, or where names cannot be resolved."""
    nodes: int = 0
    """Nodes of the syntax tree as the parser counts them: without names, columns and literals."""

    outputs: frozenset[str] = field(init=False, repr=False, compare=False)
    """Paths of the blocks whose rows are the answer's."""
    having: tuple[SqlFilter, ...] = field(init=False, repr=False, compare=False)
    """Those of `filters` that stand in HAVING."""
    limit: Limit | None = field(init=False, repr=False, compare=False)
    """The limit on the answer's rows, if any: LIMIT and its kin, or a row number over all rows."""
    distinct: bool = field(init=False, repr=False, compare=False)
    """The answer's rows are made distinct by SELECT DISTINCT."""
    shaped: dict[ShapeKind, list[Shape]] = field(init=False, repr=False, compare=False)
    """`shapes` by their kind."""

    def __post_init__(self) -> None:
        # Read many times for each answer, so they are found once.
        answering = [block for block in self.blocks if block.output]
        keep = object.__setattr__
        keep(self, "outputs", frozenset([block.path for block in answering]))
        keep(self, "having", tuple([each for each in self.filters if each.clause is Clause.HAVING]))
        keep(self, "limit", _limit(self.limits) if self.limits else None)
        keep(self, "distinct", any(block.distinct for block in answering))
        shaped: dict[ShapeKind, list[Shape]] = {}
        for each in self.shapes:
            shaped.setdefault(each.kind, []).append(each)
        keep(self, "shaped", shaped)


def _limit(limits: tuple[Limit, ...]) -> Limit | None:
    return next((each for each in limits if each.block == "main" and not each.partition), None)
