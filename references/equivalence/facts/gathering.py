"""What two queries compare: values worth trying for each column, columns that meet, and sizes that matter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from references.equivalence.facts.literals import Form, Literal, Operator, values_for
from references.equivalence.facts.origins import Cell, Origins, first_select, sources
from references.sandbox import Value

_OPERATORS: dict[type[exp.Expr], Operator] = {
    exp.EQ: Operator.EQUAL,
    exp.NullSafeEQ: Operator.EQUAL,
    exp.Is: Operator.EQUAL,
    exp.NEQ: Operator.UNEQUAL,
    exp.NullSafeNEQ: Operator.UNEQUAL,
    exp.GT: Operator.ABOVE,
    exp.GTE: Operator.ABOVE,
    exp.LT: Operator.BELOW,
    exp.LTE: Operator.BELOW,
    exp.Like: Operator.LIKE,
    exp.ILike: Operator.LIKE,
    exp.Glob: Operator.LIKE,
}
_MIRRORED = {Operator.ABOVE: Operator.BELOW, Operator.BELOW: Operator.ABOVE}
_SAME = (
    exp.Paren, exp.Cast, exp.TryCast, exp.Alias, exp.Round, exp.Lower, exp.Upper, exp.Trim, exp.Abs, exp.Min, exp.Max,
    exp.Collate, exp.Distinct,
)  # fmt: skip
_DATE_PARTS = (exp.TimeToStr, exp.StrToTime, exp.Year, exp.Month, exp.Day, exp.Extract, exp.TsOrDsToDate, exp.Date)
_DATE_CALLS = frozenset({"strftime", "date", "datetime", "julianday", "time", "year", "month", "day"})
_RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank)
_MOST = 40
"""A size beyond which no table is filled."""
_DEEPEST = 60


@dataclass(slots=True)
class Facts:
    """What a pair of queries compares, gathered from both."""

    inside: dict[Cell, dict[Value, None]] = field(default_factory=dict[Cell, dict[Value, None]])
    beside: dict[Cell, dict[Value, None]] = field(default_factory=dict[Cell, dict[Value, None]])
    meets: set[tuple[Cell, Cell]] = field(default_factory=set[tuple[Cell, Cell]])
    """Columns that are compared with each other."""
    sizes: set[int] = field(default_factory=set[int])
    """Numbers of rows at which a LIMIT, a HAVING or a rank cuts."""
    ordered: set[Cell] = field(default_factory=set[Cell])
    """Columns that rows are sorted by."""
    grouped: set[Cell] = field(default_factory=set[Cell])
    """Columns that rows are grouped by."""
    nulls: set[Cell] = field(default_factory=set[Cell])
    """Columns that are asked whether they are NULL."""
    numeric: set[Cell] = field(default_factory=set[Cell])
    """Columns that are computed with."""

    def add(self, cells: Iterable[Cell], inside: Iterable[Value], beside: Iterable[Value]) -> None:
        """Notes values for columns."""
        inside, beside = tuple(inside), tuple(beside)
        for cell in cells:
            self.inside.setdefault(cell, {}).update(dict.fromkeys(inside))
            self.beside.setdefault(cell, {}).update(dict.fromkeys(beside))


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """One side of a comparison."""

    cells: tuple[Cell, ...] = ()
    literal: Literal | None = None
    form: Form = Form.WHOLE
    start: int = 1


class Gatherer:
    """Walks one query and notes what it compares."""

    __slots__ = ("_facts", "_origins")

    def __init__(self, origins: Origins, facts: Facts) -> None:
        self._origins = origins
        self._facts = facts

    def gather(self) -> None:
        """Notes everything."""
        for node in self._origins.tree.walk():
            kind = type(node)
            if kind in _OPERATORS:
                self._compare(_OPERATORS[kind], node.this, node.args["expression"], self._origins.scope(node))
            elif isinstance(node, exp.In):
                self._within(node, self._origins.scope(node))
            elif isinstance(node, exp.Between):
                scope = self._origins.scope(node)
                self._compare(Operator.ABOVE, node.this, node.args["low"], scope, closed=True)
                self._compare(Operator.BELOW, node.this, node.args["high"], scope, closed=True)
            elif isinstance(node, exp.Limit | exp.Offset):
                self._size(node.expression)
                self._size(_whole_cut(node))
            elif isinstance(node, exp.Group):
                self._group(node.expressions, node)
            elif isinstance(node, exp.Window):
                self._group(node.args.get("partition_by") or [], node)
            elif isinstance(node, exp.Fetch):
                self._size(node.args.get("count"))
            elif isinstance(node, exp.Ordered):
                self._facts.ordered.update(self._operand(node.this, self._origins.scope(node)).cells)
            elif isinstance(node, exp.SetOperation):
                self._align(node)
            elif isinstance(node, exp.Sum | exp.Avg | exp.Binary) and not isinstance(node, exp.Connector | exp.DPipe):
                self._compute(node)
            elif isinstance(node, exp.Join) and node.args.get("using"):
                self._using(node)

    def _group(self, keys: Iterable[exp.Expr], node: exp.Expr) -> None:
        scope = self._origins.scope(node)
        for each in keys:
            self._facts.grouped.update(self._operand(each, scope).cells)

    def _compute(self, node: exp.Expr) -> None:
        if not isinstance(node, exp.Predicate):
            self._facts.numeric.update(self._operand(node, self._origins.scope(node)).cells)

    def _compare(
        self, operator: Operator, left: exp.Expr, right: exp.Expr, scope: Scope | None, *, closed: bool = False
    ) -> None:
        a, b = self._operand(left, scope), self._operand(right, scope)
        if isinstance(right, exp.Null):
            self._facts.nulls.update(a.cells)
        if isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple):
            for one, other in zip(left.expressions, right.expressions, strict=False):
                self._compare(operator, one, other, scope)
        elif b.literal is not None and a.cells:
            self._note(a, operator, b.literal, closed=closed)
        elif a.literal is not None and b.cells:
            self._note(b, _MIRRORED.get(operator, operator), a.literal, closed=closed)
        elif a.cells and b.cells and operator is not Operator.LIKE:
            self._facts.meets.update((x, y) for x in a.cells[:2] for y in b.cells[:2] if x != y)
        for one, other in ((a, b), (b, a)):
            if one.form is Form.COUNT and other.literal is not None:
                self._add_size(other.literal)

    def _note(self, operand: Operand, operator: Operator, literal: Literal, *, closed: bool) -> None:
        if operand.form is Form.COUNT:
            return
        found = values_for(operand.form, operator, literal, start=operand.start)
        self._facts.add(operand.cells, (*found.inside, literal) if closed else found.inside, found.beside)

    def _within(self, node: exp.In, scope: Scope | None) -> None:
        left = self._operand(node.this, scope)
        for each in node.expressions:
            self._compare(Operator.EQUAL, node.this, each, scope)
        query = node.args.get("query")
        select = first_select(query)
        if select is None:
            return
        inner = self._origins.scope(select)
        targets = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
        for target, each in zip(targets, select.expressions, strict=False):
            one = left if target is node.this else self._operand(target, scope)
            other = self._operand(each, inner)
            self._facts.meets.update((x, y) for x in one.cells[:2] for y in other.cells[:2] if x != y)

    def _align(self, node: exp.SetOperation) -> None:
        left, right = first_select(node.left), first_select(node.right)
        if left is None or right is None:
            return
        for one, other in zip(left.expressions, right.expressions, strict=False):
            a = self._operand(one, self._origins.scope(left))
            b = self._operand(other, self._origins.scope(right))
            if len(a.cells) == 1 and len(b.cells) == 1 and a.cells != b.cells:
                self._facts.meets.add((a.cells[0], b.cells[0]))

    def _using(self, node: exp.Join) -> None:
        scope = self._origins.scope(node)
        for each in node.args["using"]:
            cells = self._named(each.name.lower(), scope)
            self._facts.meets.update((x, y) for x in cells for y in cells if x < y)

    def _named(self, name: str, scope: Scope | None) -> list[Cell]:
        if scope is None:
            return []
        columns = [exp.column(name, table=alias) for alias in sources(scope)]
        return [cell for column in columns for cell in self._operand(column, scope).cells]

    def _size(self, node: exp.Expr | None) -> None:
        if isinstance(node, exp.Literal) and not node.is_string:
            self._add_size(_number(node.this))

    def _add_size(self, literal: Literal) -> None:
        if isinstance(literal, int | float) and 0 < literal <= _MOST:
            self._facts.sizes.add(int(literal))

    def _operand(self, node: exp.Expr | None, scope: Scope | None, depth: int = 0) -> Operand:
        """What one side of a comparison is about."""
        if node is None or depth > _DEEPEST:
            return Operand()
        if isinstance(node, exp.Column):
            return self._column(node, scope, depth)
        if isinstance(node, exp.Literal | exp.Neg | exp.Boolean):
            literal = literal_of(node)
            if literal is not None:
                return Operand(literal=literal)
        if isinstance(node, _SAME):
            return self._operand(node.this, scope, depth + 1)
        if isinstance(node, exp.Subquery | exp.Query):
            select = first_select(node)
            if select is None or not select.expressions:
                return Operand()
            return self._operand(select.expressions[0], self._origins.scope(select), depth + 1)
        return self._computed(node, scope, depth)

    def _column(self, node: exp.Column, scope: Scope | None, depth: int) -> Operand:
        origin = self._origins.of(node, scope)
        if origin is None:
            quoted = isinstance(node.this, exp.Identifier) and node.this.quoted and not node.table
            return Operand(literal=node.name) if quoted else Operand()
        if origin.cell is not None:
            return Operand(cells=(origin.cell,))
        return self._operand(origin.tree, origin.scope, depth + 1)

    def _computed(self, node: exp.Expr, scope: Scope | None, depth: int) -> Operand:
        if isinstance(node, exp.Count | exp.CountIf | exp.Window) and _counts(node):
            return Operand(form=Form.COUNT)
        cells = tuple(dict.fromkeys(self._inner(node, scope, depth)))
        if isinstance(node, exp.Substring):
            start = _number(node.args["start"].name) if isinstance(node.args.get("start"), exp.Literal) else 1
            negative = isinstance(node.args.get("start"), exp.Neg)
            return Operand(cells=cells, form=Form.PIECE, start=-1 if negative else int(start))
        if isinstance(node, exp.Length):
            return Operand(cells=cells, form=Form.LENGTH)
        if isinstance(node, _DATE_PARTS) or (isinstance(node, exp.Anonymous) and node.name.lower() in _DATE_CALLS):
            return Operand(cells=cells, form=Form.DATE_PART)
        dated = any(isinstance(each, _DATE_PARTS) for each in node.walk())
        return Operand(cells=cells, form=Form.DATE_PART if dated else Form.MIXED)

    def _inner(self, node: exp.Expr, scope: Scope | None, depth: int) -> Iterator[Cell]:
        for each in node.find_all(exp.Column):
            yield from self._column(each, scope, depth + 1).cells


def _counts(node: exp.Expr) -> bool:
    return isinstance(node, exp.Count | exp.CountIf) or isinstance(node.this, (*_RANKS, exp.Count, exp.Ntile))


def _whole_cut(node: exp.Limit | exp.Offset) -> exp.Expr | None:
    """Of a LIMIT with an OFFSET, the rows up to its end."""
    query = node.parent
    offset, limit = (query.args.get(each) for each in ("offset", "limit")) if query is not None else (None, None)
    if offset is None or limit is None or node is offset:
        return None
    numbers = [literal_of(each.expression) for each in (offset, limit) if isinstance(each.expression, exp.Literal)]
    total = sum(each for each in numbers if isinstance(each, int))
    return exp.Literal.number(total)


def literal_of(node: exp.Expr) -> Literal | None:
    """The value of a literal, negative ones too; `None` of anything else."""
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and not node.this.is_string:
        return -_number(str(node.this.this))
    if isinstance(node, exp.Boolean):
        return int(bool(node.this))
    if not isinstance(node, exp.Literal):
        return None
    return str(node.this) if node.is_string else _number(str(node.this))


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return 0
