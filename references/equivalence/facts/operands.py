"""One side of a comparison: the columns or the literal it is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from references.date_functions import DATE_FUNCTIONS
from references.equivalence.facts.literals import Form, Literal
from references.equivalence.reading.origins import Cell, Origins, first_select
from references.sandbox import Result, Sandbox

_SAME = (
    exp.Paren, exp.Cast, exp.TryCast, exp.Alias, exp.Round, exp.Lower, exp.Upper, exp.Trim, exp.Abs, exp.Min, exp.Max,
    exp.Collate, exp.Distinct,
)  # fmt: skip
_DATE_PARTS = (exp.TimeToStr, exp.StrToTime, exp.Year, exp.Month, exp.Day, exp.Extract, exp.TsOrDsToDate, exp.Date)
_DATE_CALLS = frozenset({"strftime", "date", "datetime", "julianday", "time", "year", "month", "day", *DATE_FUNCTIONS})
_RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank)
_DEEPEST = 60
"""Nesting depth up to which an expression is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSide:
    """One side of a comparison."""

    cells: tuple[Cell, ...] = ()
    literal: Literal | None = None
    form: Form = Form.WHOLE
    start: int = 1
    """Where a substring begins."""
    extract: exp.Expr | None = None
    """The step into JSON."""
    between: tuple[str, ...] = ()
    """The texts that are written between joined ones."""


class ComparedSideReader:
    """Reads the operands of one query."""

    __slots__ = ("_origins",)

    def __init__(self, origins: Origins) -> None:
        self._origins = origins

    def read(self, node: exp.Expr | None, scope: Scope | None, depth: int = 0) -> ComparedSide:
        """Reads one side of a comparison."""
        if node is None or depth > _DEEPEST:
            return ComparedSide()
        if isinstance(node, exp.Column):
            return self._column(node, scope, depth)
        if isinstance(node, exp.Literal | exp.Neg | exp.Boolean):
            literal = literal_of(node)
            if literal is not None:
                return ComparedSide(literal=literal)
        if isinstance(node, _SAME):
            return self.read(node.this, scope, depth + 1)
        if isinstance(node, exp.Subquery | exp.Query):
            select = first_select(node)
            if select is None or not select.expressions:
                return ComparedSide()
            return self.read(select.expressions[0], self._origins.scope(select), depth + 1)
        return self._computed(node, scope, depth)

    def _column(self, node: exp.Column, scope: Scope | None, depth: int) -> ComparedSide:
        origin = self._origins.of(node, scope)
        if origin is None:
            quoted = isinstance(node.this, exp.Identifier) and node.this.quoted and not node.table
            return ComparedSide(literal=node.name) if quoted else ComparedSide()
        if origin.cell is not None:
            return ComparedSide(cells=(origin.cell,))
        return self.read(origin.tree, origin.scope, depth + 1)

    def _computed(self, node: exp.Expr, scope: Scope | None, depth: int) -> ComparedSide:
        if isinstance(node, exp.Count | exp.CountIf | exp.Window) and _counts(node):
            return ComparedSide(form=Form.COUNT)
        if is_date_call(node) and not any(node.find_all(exp.Column)):
            return ComparedSide(literal=_constant(node.sql(dialect="sqlite")))
        cells = tuple(dict.fromkeys(self._inner(node, scope, depth)))
        if isinstance(node, exp.Substring):
            start = number_of(node.args["start"].name) if isinstance(node.args.get("start"), exp.Literal) else 1
            negative = isinstance(node.args.get("start"), exp.Neg)
            return ComparedSide(cells=cells, form=Form.PIECE, start=-1 if negative else int(start))
        if isinstance(node, exp.JSONExtract | exp.JSONExtractScalar):
            return ComparedSide(cells=cells, form=Form.PATH, extract=node)
        if isinstance(node, exp.Length):
            return ComparedSide(cells=cells, form=Form.LENGTH)
        if isinstance(node, exp.DPipe | exp.Concat):
            return ComparedSide(cells=cells, form=Form.JOINED, between=_texts_in(node))
        return ComparedSide(cells=cells, form=_form_of(node))

    def _inner(self, node: exp.Expr, scope: Scope | None, depth: int) -> Iterator[Cell]:
        for each in node.find_all(exp.Column):
            yield from self._column(each, scope, depth + 1).cells


def _form_of(node: exp.Expr) -> Form:
    dated = is_date_call(node) or any(isinstance(each, _DATE_PARTS) for each in node.walk())
    return Form.DATE_PART if dated else Form.MIXED


def _texts_in(node: exp.Expr) -> tuple[str, ...]:
    return tuple(each.name for each in node.find_all(exp.Literal) if each.is_string)


def is_date_call(node: exp.Expr) -> bool:
    """Whether a node computes of a date: a part of it, or another one."""
    called = isinstance(node, exp.Anonymous) and node.name.lower() in _DATE_CALLS
    return called or isinstance(node, _DATE_PARTS)


@lru_cache(maxsize=256)
def _constant(sql: str) -> Literal | None:
    """The value of a date that is computed of constants."""
    sandbox = Sandbox([])
    try:
        result = sandbox.run(f"SELECT {sql}")
    finally:
        sandbox.close()
    value = result.rows[0][0] if isinstance(result, Result) else None
    return value if isinstance(value, int | float | str) else None


def _counts(node: exp.Expr) -> bool:
    return isinstance(node, exp.Count | exp.CountIf) or isinstance(node.this, (*_RANKS, exp.Count, exp.Ntile))


def literal_of(node: exp.Expr) -> Literal | None:
    """Returns the value of a literal, also a negative one; `None` for anything else."""
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and not node.this.is_string:
        return -number_of(str(node.this.this))
    if isinstance(node, exp.Boolean):
        return int(bool(node.this))
    if not isinstance(node, exp.Literal):
        return None
    return str(node.this) if node.is_string else number_of(str(node.this))


def number_of(text: str) -> int | float:
    """Returns the number that a text spells, or 0."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return 0
