"""The terms of both sides: columns, operands, filters and aggregates (STEF paper, equations 1–10)."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from scoring.immutable import immutable
from scoring.values import Value


class Op(StrEnum):
    """How a filter compares, after normalisation (docs/method.md, Stage 2)."""

    EQ = "="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    IN = "in"
    NOT_IN = "not in"
    CONTAINS = "contains"
    NOT_CONTAINS = "not contains"
    STARTS_WITH = "starts with"
    NOT_STARTS_WITH = "not starts with"
    ENDS_WITH = "ends with"
    NOT_ENDS_WITH = "not ends with"
    LIKE = "like"
    """A pattern of another form."""
    NOT_LIKE = "not like"
    WITHIN = "within"
    """The time lies in the range of `rhs` (TimeRange, RelativeTime or DatePart)."""
    NOT_WITHIN = "not within"
    IS_NULL = "is null"
    NOT_NULL = "is not null"
    EXISTS = "exists"
    """`rhs` is the subquery's Expression; the subquery's own conditions are filters of their own."""
    NOT_EXISTS = "not exists"
    OTHER = "other"
    """A predicate with no simpler name; `lhs` holds its canonical text."""


_OPPOSITES = (
    (Op.EQ, Op.NE),
    (Op.LT, Op.GE),
    (Op.LE, Op.GT),
    (Op.IN, Op.NOT_IN),
    (Op.CONTAINS, Op.NOT_CONTAINS),
    (Op.STARTS_WITH, Op.NOT_STARTS_WITH),
    (Op.ENDS_WITH, Op.NOT_ENDS_WITH),
    (Op.LIKE, Op.NOT_LIKE),
    (Op.WITHIN, Op.NOT_WITHIN),
    (Op.IS_NULL, Op.NOT_NULL),
    (Op.EXISTS, Op.NOT_EXISTS),
)
NEGATION: dict[Op, Op] = dict(_OPPOSITES) | {right: left for left, right in _OPPOSITES}
"""Each operator's opposite; `OTHER` has none."""


class Column(NamedTuple):
    """A column by its own lower-case name and, where the SQL says it, its base table's (never an alias).

    A tuple, because columns are in many sets and hashing a dataclass takes four times as long.
    """

    name: str
    table: str | None = None


@immutable()
class Operand:
    """The left side of a filter, a projection, a sort key or a group key: a column or an expression."""

    name: str
    """Canonical lower-case text without table names or aliases: `country`, `count(*)`, `a - b`; a question's phrase."""
    columns: tuple[Column, ...] = ()
    """The columns it reads, first-read first; empty on the question's side."""
    func: str | None = None
    """Upper-case aggregate function it is or holds (`COUNT`, `SUM`, `AVG`, `MIN`, `MAX`, …)."""
    distinct: bool = False
    """The aggregate counts distinct values."""


@immutable()
class Filter:
    """One condition: (lhs, op, rhs) in the STEF paper."""

    lhs: Operand | None
    """`None` when a question names no column; it then matches on operator and value."""
    op: Op
    rhs: Value | None
    """`None` for IS NULL and IS NOT NULL."""


@immutable()
class Aggregation:
    """An aggregate: (func, col, distinct) in the STEF paper."""

    func: str
    """Upper-case: COUNT, SUM, AVG, MIN, MAX or the SQL function's name."""
    column: str
    """Canonical operand text, `*` for all rows; on the question's side the phrase, possibly empty."""
    distinct: bool = False
    block: str = ""
    columns: tuple[Column, ...] = ()
    windowed: bool = False
    """It is computed OVER a window, so it does not collapse rows."""
    conditional: bool = False
    """A CASE, IF or FILTER inside restricts its rows."""
