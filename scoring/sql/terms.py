"""The term of an SQL expression: its canonical text and the base columns it reads."""

from __future__ import annotations

from types import MappingProxyType
from typing import TypeAlias
from zlib import crc32

from sqlglot import exp

from scoring.specification import Column, Operand
from scoring.values import Number, Text, text

LONGEST_NAME = 2000
"""Longer canonical text is cut and marked with a checksum, because nested CTEs could double it without end."""
_KEPT = 240


# sqlglot leaves a node's `args` untyped; each reader knows the class of node it is registered for.
Node: TypeAlias = exp.Expr


def bare(node: Node) -> Node:
    """The node without brackets around it."""
    while type(node) is exp.Paren:
        node = node.args["this"]
    return node


def children(node: Node, argument: str) -> list[Node]:
    """The nodes of a list argument; empty if the node has no such argument."""
    return node.args.get(argument) or []


def derived_kinds(*kinds: type[Node]) -> frozenset[type[Node]]:
    """These kinds of nodes and all that are derived from them.

    >>> exp.Union in derived_kinds(exp.Query), exp.Table in derived_kinds(exp.Query)
    (True, False)
    """
    return frozenset(kinds).union(*(derived_kinds(*kind.__subclasses__()) for kind in kinds))


class Term:
    """An expression as the specification names it. It changes only while it is being read."""

    # Plain attributes with class defaults: most terms set two of them, and a term is made for every node.
    name: str
    columns: tuple[Column, ...]
    func: str | None
    distinct: bool = False
    composite: bool = False
    """Its text needs brackets inside a larger expression."""
    real: bool = False
    """A cast, a decimal literal or an average makes it a fractional number."""
    dated: bool = False
    """A cast takes its time of day away."""
    hundred: bool = False
    """It is a product with 100."""
    divisions: tuple[int, ...] = ()
    """Indices of the divisions whose quotient it is."""
    rank: tuple[Operand, ...] | None = None
    """PARTITION BY keys if it is a rank or row number, else `None`."""
    view: tuple[str, Term] | None = None
    """The part or format of a date that it is, such as `year`, `%Y-%m` or `trunc:month`, and the date."""
    block: str | None = None
    """The query block of a scalar subquery."""
    lookup: bool = False
    """It is a subquery with one plain column."""
    correlated: bool = False
    """It is a subquery that reads columns of a block around it."""
    empty: bool = False
    """It is a subquery that is certain to return no row."""
    supplies: frozenset[Text | Number] = frozenset()
    """The constants that may replace a value of the row: those of a CASE that also returns columns."""
    fallbacks: frozenset[Text | Number] = frozenset()
    """The constants that replace NULL: those of COALESCE."""
    constant: bool = False
    """It is a column of an inner query that is the same in every row, such as `'x' AS city`."""
    whole: bool = False
    """It is an aggregate OVER all rows, so it has the same value in each row."""
    seen: bool = False
    """Something names it as a column."""
    _operand: Operand | None = None

    def __init__(self, name: str, columns: tuple[Column, ...] = (), func: str | None = None) -> None:
        self.name = name
        self.columns = columns
        self.func = func

    @property
    def operand(self) -> Operand:
        """The term as the specification holds it."""
        if self._operand is None:
            self._operand = Operand(name=self.name, columns=self.columns, func=self.func, distinct=self.distinct)
        return self._operand

    @property
    def nested(self) -> str:
        """The text as part of a larger expression."""
        return f"({self.name})" if self.composite else self.name

    @property
    def is_column(self) -> bool:
        """It is one plain column, not an expression."""
        return len(self.columns) == 1 and self.columns[0].name == self.name


def shorten(name: str) -> str:
    """Canonical text of bounded length.

    >>> shorten("spend"), len(shorten("x" * 9000))
    ('spend', 249)
    """
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[:_KEPT]}…{crc32(name.encode('utf-8', 'replace')):08x}"


def combine(name: str, parts: list[Term]) -> Term:
    """An expression over other terms: their columns, and the first aggregate among them."""
    if len(parts) == 1:
        only = parts[0]
        term = Term(shorten(name), only.columns, only.func)
        if only.fallbacks:
            term.fallbacks = only.fallbacks
    else:
        func = next((part.func for part in parts if part.func is not None), None)
        term = Term(shorten(name), merged(parts), func)
    return term


def merged(parts: list[Term]) -> tuple[Column, ...]:
    """The columns of all parts in the order read, without duplicates."""
    found = [part.columns for part in parts if part.columns]
    if len(found) <= 1:
        return found[0] if found else ()
    return tuple(dict.fromkeys(column for columns in found for column in columns))


def literal_text(node: exp.Expr) -> str:
    """Canonical text of a literal: strings folded, numbers in shortest form.

    >>> literal_text(exp.Literal.string(" New  York")), literal_text(exp.Literal.number("1.50"))
    ("'new york'", '1.5')
    """
    raw: str = node.args["this"]
    if node.args["is_string"]:
        return str(text(raw))
    number = as_number(raw)
    return str(number) if number is not None else raw.lower()


def as_number(raw: str) -> Number | None:
    """The number that a literal's text means, else `None`."""
    try:
        return Number(float(raw))
    except (ValueError, OverflowError):
        return None


_RENAMED: dict[type[exp.Expr], str] = {
    exp.TimeToStr: "STRFTIME",
    exp.ToChar: "STRFTIME",
    exp.Substring: "SUBSTR",
    exp.StrPosition: "INSTR",
    exp.TsOrDsToDate: "DATE",
    exp.TryCast: "CAST",
    exp.Convert: "CAST",
    exp.If: "IIF",
    exp.Case: "CASE",
    exp.TimestampTrunc: "DATE_TRUNC",
    exp.DateTrunc: "DATE_TRUNC",
    exp.DatetimeTrunc: "DATE_TRUNC",
    exp.StddevSamp: "STDDEV",
    exp.StddevPop: "STDDEV",
    exp.VariancePop: "VARIANCE",
    exp.CountIf: "COUNT",
    exp.CurrentDatetime: "CURRENT_TIMESTAMP",
    exp.Dot: "DOT",
}

FUNCTION_NAMES = MappingProxyType({kind: kind.sql_names()[0] for kind in exp.ALL_FUNCTIONS} | _RENAMED)
"""Upper-case names of the functions that the parser knows, one name for those that mean the same."""


def function_name(node: exp.Expr) -> str:
    """The upper-case name of a function call or, failing that, of the kind of expression."""
    if isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc)):
        return str(node.this).upper()
    kind = type(node)
    return FUNCTION_NAMES.get(kind) or kind.__name__.upper()


ORDERS: MappingProxyType[type[Node], frozenset[int]] = MappingProxyType(
    {
        exp.EQ: frozenset({0}),
        exp.NullSafeEQ: frozenset({0}),
        exp.NEQ: frozenset({-1, 1}),
        exp.NullSafeNEQ: frozenset({-1, 1}),
        exp.LT: frozenset({-1}),
        exp.LTE: frozenset({-1, 0}),
        exp.GT: frozenset({1}),
        exp.GTE: frozenset({0, 1}),
    }
)
"""Of each comparison, the orders of two values in which it holds: -1 where the first is less."""
COMPARISONS = frozenset(ORDERS)
"""Comparisons of two values."""
