"""Walks two queries and collects what they compare."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from sqlglot import exp, parse_one
from sqlglot.optimizer.scope import Scope

from references.equivalence.facts.date_steps import dates_beside, steps_between, steps_in
from references.equivalence.facts.facts import Facts
from references.equivalence.facts.literals import Form, Literal, Operator, values_for
from references.equivalence.facts.operands import ComparedSide, ComparedSideReader, is_date_call, literal_of, number_of
from references.equivalence.facts.readings import EXTRACTS, Readings, note, path_of
from references.equivalence.reading.ordered_values import is_share, joins_texts, keys_of
from references.equivalence.reading.origins import Cell, Origins, first_select, sources
from references.equivalence.reading.side import Side
from references.schema import Schema

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
_HOLDING = (exp.Where, exp.Having, exp.Connector, exp.Not, exp.EQ, exp.Is)
_ISO = re.compile(r"(?:\d{4}(?:[-%_]|$)|\d{0,3}[%_]|[%_-])")
"""How a text or a pattern begins that is compared with ISO dates."""
_WHOLE_DAY = re.compile(r"\d{4}-\d\d-\d\d%")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d.*")
_CLOCK = re.compile(r"[ T]\d\d:\d\d")
"""How a text begins that is joined to a day."""
_EDGES = (0, 4, 5, 7, 8, 10)
"""Places between the year, the month, the day and their dashes."""
_WITHIN = ((1, 4), (5, 7), (8, 10))
"""The places of digits of the year, the month and the day; the first two may be the day of `31/12/1996`."""
_MOST = 40
"""The largest number of rows that is noted."""


def gathered(schema: Schema, sides: Sequence[Side]) -> Facts:
    """Collects what both queries compare."""
    facts = Facts()
    for side in sides:
        Gatherer(Origins(side.tree, schema), facts).gather()
    named = {node.name.lower() for side in sides for node in side.tree.find_all(exp.Table)}
    for table in [table for name, table in schema.tables.items() if name in named]:
        for check in table.checks:
            condition = parse_one(check.sql, dialect="sqlite")
            tree = exp.select(condition).from_(exp.table_(table.name, quoted=True))
            Gatherer(Origins(tree, schema), facts).gather()
    facts.numeric -= {cell for cell, read in facts.readings.items() if read.paths}
    return facts


class Gatherer:
    """Walks one query and notes what it compares."""

    __slots__ = ("_facts", "_operands", "_origins")

    def __init__(self, origins: Origins, facts: Facts) -> None:
        self._origins = origins
        self._operands = ComparedSideReader(origins)
        self._facts = facts

    def gather(self) -> None:
        """Notes everything."""
        for node in self._origins.tree.walk():
            if isinstance(node, _HOLDING):
                self.hold(node)
            if is_date_call(node):
                self._facts.dated.update(self._operands.read(node, self._origins.scope(node)).cells)
                self._facts.steps.update(steps_in(node))
            operator = _OPERATORS.get(type(node))
            if operator is not None:
                self._compare(operator, node.this, node.args["expression"], self._origins.scope(node))
                continue
            reader = _reader_of(type(node))
            if reader is not None:
                reader(self, node)

    def _group(self, keys: Iterable[exp.Expr], node: exp.Expr) -> None:
        scope = self._origins.scope(node)
        for each in keys:
            self._facts.grouped.update(self._operands.read(each, scope).cells)

    def partition(self, node: exp.Expr) -> None:
        """Notes the columns of PARTITION BY."""
        self._group(node.args.get("partition_by") or [], node)

    def group(self, node: exp.Expr) -> None:
        """Notes the columns of GROUP BY."""
        self._group(node.expressions, node)

    def sort(self, node: exp.Expr) -> None:
        """Notes the columns of a sort key."""
        self._facts.ordered.update(self._operands.read(node.this, self._origins.scope(node)).cells)

    def compute(self, node: exp.Expr) -> None:
        """Notes the columns that a computation uses."""
        if not isinstance(node, exp.Connector | exp.DPipe | exp.Predicate):
            self._facts.numeric.update(self._operands.read(node, self._origins.scope(node)).cells)

    def hold(self, node: exp.Expr) -> None:
        """Notes the columns that a clause, AND, OR or NOT takes as conditions, or that are compared with TRUE."""
        scope = self._origins.scope(node)
        for each in (node.this, node.args.get("expression")):
            if isinstance(each, exp.Column) and not isinstance(node, exp.EQ | exp.Is):
                self._facts.truths.update(self._operands.read(each, scope).cells)
        if isinstance(node, exp.EQ | exp.Is) and isinstance(node.expression, exp.Boolean):
            self._facts.truths.update(self._operands.read(node.this, scope).cells)

    def between(self, node: exp.Expr) -> None:
        """Notes both bounds of BETWEEN."""
        scope = self._origins.scope(node)
        self._compare(Operator.ABOVE, node.this, node.args["low"], scope, closed=True)
        self._compare(Operator.BELOW, node.this, node.args["high"], scope, closed=True)

    def _compare(
        self, operator: Operator, left: exp.Expr, right: exp.Expr, scope: Scope | None, *, closed: bool = False
    ) -> None:
        a, b = self._operands.read(left, scope), self._operands.read(right, scope)
        if isinstance(right, exp.Null):
            self._facts.nulls.update(a.cells)
        if isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple):
            for one, other in zip(left.expressions, right.expressions, strict=False):
                self._compare(operator, one, other, scope)
        else:
            self._compare_operands(operator, a, b, closed=closed)
        for one, other in ((a, b), (b, a)):
            if one.form is Form.COUNT and other.literal is not None:
                self._add_size(other.literal)
            elif isinstance(other.literal, int) and self._summed((left, right)[one is b], scope):
                self._facts.counts.add(other.literal)
            if one.form is Form.DATE_PART and isinstance(other.literal, int):
                self._apart(left if one is a else right, one, other.literal)

    def _summed(self, node: exp.Expr, scope: Scope | None) -> bool:
        """Whether an operand is computed of several rows, here or in the query whose column it is."""
        if node.find(exp.AggFunc, exp.Window) is not None:
            return True
        origins = [self._origins.of(each, scope) for each in node.find_all(exp.Column)]
        trees = [each.tree for each in origins if each is not None and each.tree is not None]
        return any(each.find(exp.AggFunc, exp.Window) is not None for each in trees)

    def _apart(self, node: exp.Expr, side: ComparedSide, number: int) -> None:
        """Notes how far apart dates are whose difference is compared with a number."""
        if len(side.cells) > 1:
            self._facts.steps.update(steps_between(node, number))
        else:
            self._facts.add(side.cells, (), dates_beside(node, number))

    def _compare_operands(self, operator: Operator, a: ComparedSide, b: ComparedSide, *, closed: bool) -> None:
        if b.literal is not None and a.cells:
            self._note(a, operator, b.literal, closed=closed)
        elif a.literal is not None and b.cells:
            self._note(b, _MIRRORED.get(operator, operator), a.literal, closed=closed)
        elif operator is not Operator.LIKE:
            self._meet(a, b)

    def _meet(self, a: ComparedSide, b: ComparedSide) -> None:
        """Notes that the columns of two operands are compared with each other."""
        if Form.PATH in {a.form, b.form}:
            return
        for one, other in ((a, b), (b, a)):
            if one.form is Form.WHOLE and any(map(_CLOCK.match, other.between)):
                self._facts.moments.update(one.cells)
        self._facts.meets.update((x, y) for x in a.cells[:2] for y in b.cells[:2] if x != y)

    def _note(self, operand: ComparedSide, operator: Operator, literal: Literal, *, closed: bool) -> None:
        if operand.form is Form.COUNT:
            return
        if operand.extract is not None:
            self._note_path(operand, operator, literal)
            return
        if isinstance(literal, str) and operand.form is Form.WHOLE:
            if not _ISO.match(literal):
                self._facts.undated.update(operand.cells)
            if operator is Operator.LIKE and _WHOLE_DAY.fullmatch(literal):
                self._facts.timed.update(operand.cells)
            if operator is not Operator.LIKE and _MOMENT.fullmatch(literal):
                self._facts.moments.update(operand.cells)
        found = values_for(operand.form, operator, literal, start=operand.start, between=operand.between)
        self._facts.add(operand.cells, (*found.inside, literal) if closed else found.inside, found.beside)

    def _note_path(self, operand: ComparedSide, operator: Operator, literal: Literal) -> None:
        """Notes the values that a step into JSON is compared with."""
        path = path_of(operand.extract) if operand.extract is not None else None
        if path is None:
            return
        found = values_for(Form.WHOLE, operator, literal)
        for cell in operand.cells:
            held = self._facts.readings.setdefault(cell, Readings())
            held.paths.setdefault(path, {}).update(dict.fromkeys((*found.inside, *found.beside)))
            if not isinstance(literal, str):
                held.numeric.add(path)

    def inner(self, node: exp.Expr) -> None:
        """Notes what a call reads inside values."""
        for cell in self._operands.read(node.this, self._origins.scope(node)).cells:
            note(self._facts.readings.setdefault(cell, Readings()), node)

    def piece(self, node: exp.Expr) -> None:
        """Notes what a substring reads, and columns of which it cuts the year, month or day of an ISO date."""
        self.inner(node)
        start, length = node.args.get("start"), node.args.get("length")
        if not isinstance(start, exp.Literal) or not isinstance(length, exp.Literal | None):
            return
        first = int(number_of(start.name)) - 1
        end = first + int(number_of(length.name)) if length is not None else _EDGES[-1]
        whole = first in _EDGES and (end in _EDGES or end > _EDGES[-1])
        if not whole and not any(low <= first < end <= high for low, high in _WITHIN):
            self._facts.undated.update(self._operands.read(node, self._origins.scope(node)).cells)

    def within(self, node: exp.Expr) -> None:
        """Notes what IN compares."""
        scope = self._origins.scope(node)
        left = self._operands.read(node.this, scope)
        for each in node.expressions:
            self._compare(Operator.EQUAL, node.this, each, scope)
        query = node.args.get("query")
        select = first_select(query)
        if select is None:
            return
        inner = self._origins.scope(select)
        targets = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
        for target, each in zip(targets, select.expressions, strict=False):
            one = left if target is node.this else self._operands.read(target, scope)
            other = self._operands.read(each, inner)
            self._meet(one, other)

    def align(self, node: exp.Expr) -> None:
        """Notes that the columns of a set operation's sides are compared with each other."""
        left, right = first_select(node.this), first_select(node.args.get("expression"))
        if left is None or right is None:
            return
        for one, other in zip(left.expressions, right.expressions, strict=False):
            a = self._operands.read(one, self._origins.scope(left))
            b = self._operands.read(other, self._origins.scope(right))
            if len(a.cells) == 1 and len(b.cells) == 1 and a.cells != b.cells:
                self._facts.meets.add((a.cells[0], b.cells[0]))

    def using(self, node: exp.Expr) -> None:
        """Notes that the columns of USING are compared with each other."""
        scope = self._origins.scope(node)
        for each in node.args.get("using") or ():
            cells = self._named(each.name.lower(), scope)
            self._facts.meets.update((x, y) for x in cells for y in cells if x < y)

    def _named(self, name: str, scope: Scope | None) -> list[Cell]:
        if scope is None:
            return []
        columns = [exp.column(name, table=alias) for alias in sources(scope)]
        return [cell for column in columns for cell in self._operands.read(column, scope).cells]

    def cut(self, node: exp.Expr) -> None:
        """Notes the rows that LIMIT or OFFSET count."""
        self._size(node.args.get("expression"))
        self._size(_whole_cut(node))

    def fetch(self, node: exp.Expr) -> None:
        """Notes the rows that FETCH counts."""
        self._size(node.args.get("count"))

    def tile(self, node: exp.Expr) -> None:
        """Notes the rows that NTILE counts."""
        self._size(node.this)

    def shift(self, node: exp.Expr) -> None:
        """Notes the rows between a row and the one that LAG, LEAD or NTH_VALUE reads."""
        self._size(node.args.get("offset"))

    def frame(self, node: exp.Expr) -> None:
        """Notes the rows of a window's frame."""
        for bound in ("start", "end"):
            each = node.args.get(bound)
            self._size(each if isinstance(each, exp.Expr) else None)

    def in_order(self, node: exp.Expr) -> None:
        """Notes what a percentile is taken of and the rows that its share counts, or by what texts are ordered."""
        assert isinstance(node, exp.AnonymousAggFunc)  # noqa: S101 the table below says so
        scope = self._origins.scope(node)
        for each in keys_of(node) if joins_texts(node) else ():
            self._facts.ordered.update(self._operands.read(each, scope).cells)
        if node.name.upper() == "VALUE_BETWEEN":
            self._facts.numeric.update(self._operands.read(node.expressions[0], scope).cells)
        for each in filter(is_share, node.expressions):
            share = float(each.name)
            for part in (share, 1 - share):
                self._add_size(round(1 / part) if part else 0)

    def _size(self, node: exp.Expr | None) -> None:
        if isinstance(node, exp.Literal) and not node.is_string:
            self._add_size(number_of(node.this))

    def _add_size(self, literal: Literal) -> None:
        if isinstance(literal, int | float) and literal > 0:
            self._facts.counts.add(int(literal))
            if literal <= _MOST:
                self._facts.sizes.add(int(literal))


_READERS: tuple[tuple[type[exp.Expr] | tuple[type[exp.Expr], ...], Callable[[Gatherer, exp.Expr], None]], ...] = (
    (exp.In, Gatherer.within),
    (exp.Between, Gatherer.between),
    ((exp.Limit, exp.Offset), Gatherer.cut),
    (exp.Group, Gatherer.group),
    (exp.Window, Gatherer.partition),
    (exp.Fetch, Gatherer.fetch),
    (exp.Ntile, Gatherer.tile),
    ((exp.Lag, exp.Lead, exp.NthValue), Gatherer.shift),
    (exp.WindowSpec, Gatherer.frame),
    (exp.Substring, Gatherer.piece),
    ((*EXTRACTS, exp.StrPosition, exp.Replace, exp.Trim, exp.Round), Gatherer.inner),
    (exp.Ordered, Gatherer.sort),
    (exp.SetOperation, Gatherer.align),
    ((exp.Sum, exp.Avg, exp.Binary), Gatherer.compute),
    (exp.Join, Gatherer.using),
    (exp.AnonymousAggFunc, Gatherer.in_order),
)
"""What is noted of each kind of node; the first that fits counts."""


@lru_cache(maxsize=1024)
def _reader_of(kind: type[exp.Expr]) -> Callable[[Gatherer, exp.Expr], None] | None:
    return next((reader for kinds, reader in _READERS if issubclass(kind, kinds)), None)


def _whole_cut(node: exp.Expr) -> exp.Expr | None:
    """Returns the sum of LIMIT and OFFSET, where a LIMIT has both."""
    query = node.parent
    offset, limit = (query.args.get(each) for each in ("offset", "limit")) if query is not None else (None, None)
    if offset is None or limit is None or node is offset:
        return None
    numbers = [literal_of(each.expression) for each in (offset, limit) if isinstance(each.expression, exp.Literal)]
    total = sum(each for each in numbers if isinstance(each, int))
    return exp.Literal.number(total)
