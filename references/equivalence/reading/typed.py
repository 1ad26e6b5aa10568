"""Fits a translated query to the types of its columns, or says where SQLite would compare or compute otherwise.

Other dialects convert by declared types: a text that is compared with a number becomes one, a day that is compared with
a time is its midnight, and days can be subtracted. SQLite compares such values as they are stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from references.date_functions import TIMES
from references.equivalence.reading.clocks import COMPARISONS, MIDNIGHT, clock, compared, in_seconds, moment
from references.equivalence.reading.counted_days import compute, days_later
from references.equivalence.reading.date_words import call
from references.equivalence.reading.joined_texts import PLUS_JOINS
from references.equivalence.reading.origins import Origins, first_select
from references.equivalence.reading.side import Refusal, RefusalKind, Side
from references.schema import DeclaredColumn, Schema, ValueKind


class _Kind(Enum):
    NUMBER = "a number"
    COMPUTED = "a computed number"
    """One that does not convert a text that it is compared with."""
    TEXT = "a text"
    TRUTH = "a truth value"
    DAY = "a day"
    MOMENT = "a time"
    SPAN = "a day or a time"
    """Of a column whose type is inferred."""
    CLOCK = "a time of day"
    WRITTEN = "a literal"
    """A text literal, which takes the type of the other side."""


_WITH_CLOCKS = (
    *COMPARISONS,
    exp.Between,
    exp.In,
    exp.Is,
    exp.Select,
    exp.Alias,
    exp.Group,
    exp.Ordered,
    exp.Min,
    exp.Max,
)
"""What may hold a time of day."""
_DATED = frozenset({_Kind.DAY, _Kind.MOMENT})
_NUMBERS = frozenset({_Kind.NUMBER, _Kind.COMPUTED})
_THROUGH = (exp.Paren, exp.Alias, exp.Min, exp.Max, exp.Coalesce)
_TEXTS = (exp.TimeToStr, exp.Substring, exp.Lower, exp.Upper, exp.Trim, exp.Concat, exp.DPipe, exp.Replace)
_COMPUTED = (exp.Length, exp.Count, exp.Mul, exp.Div, exp.Mod, exp.Add, exp.Sub, exp.Sum, exp.Avg)
_CASTS: tuple[tuple[set[exp.DType], _Kind], ...] = (
    (exp.DataType.TEXT_TYPES, _Kind.TEXT),
    (exp.DataType.NUMERIC_TYPES, _Kind.NUMBER),
)
_NODES: tuple[tuple[tuple[type[exp.Expr], ...], _Kind], ...] = (
    ((exp.Literal, exp.Neg), _Kind.NUMBER),
    ((exp.Boolean,), _Kind.TRUTH),
    (_TEXTS, _Kind.TEXT),
    ((exp.Date, exp.TsOrDsToDate), _Kind.DAY),
    ((exp.Datetime,), _Kind.MOMENT),
    (_COMPUTED, _Kind.COMPUTED),
)
_CALLS: Mapping[str, _Kind] = {
    "DATETIME": _Kind.MOMENT,
    "TIME": _Kind.CLOCK,
    "DAY_LAST": _Kind.DAY,
    "DAY_OF": _Kind.DAY,
    "DAY_GAP": _Kind.COMPUTED,
    "DAY_SPAN": _Kind.COMPUTED,
    "MONTH_SPAN": _Kind.COMPUTED,
    "SECOND_SPAN": _Kind.COMPUTED,
    "ZONE_TIME": _Kind.MOMENT,
}
_DEEPEST = 40
_DISTANCES = ("DAY_GAP", "DAY_SPAN", "MONTH_SPAN", "SECOND_SPAN")
_DATE_CALLS = ("DAY_PLUS", "DAY_FLOOR", "DAY_LAST", *_DISTANCES)
_COUNTING = frozenset({"postgres", "redshift", "duckdb", "oracle", "snowflake"})
"""Dialects in which a day and a number make a day, and two days a number."""

_TRUNCATES_DATES = frozenset({"oracle", "redshift"})
"""Dialects whose TRUNC takes a date too."""


def fitted(side: Side, schema: Schema) -> Side | Refusal:
    """Returns the query with its literals as its columns hold them. One that was written for SQLite stays as it is."""
    if not side.translated:
        return side
    try:
        tree = _Fitting(side.tree.copy(), schema, side.dialect).tree
    except _MeansOtherwise as error:
        return Refusal(RefusalKind.UNSUPPORTED, f"cannot be translated to SQLite: {error}")
    return replace(side, sql=tree.sql(dialect="sqlite"), tree=tree) if tree != side.tree else side


class _MeansOtherwise(Exception):  # noqa: N818 not an error of the program
    """SQLite would compare or compute otherwise."""


class _Fitting:
    """Walks one query and changes its literals."""

    def __init__(self, tree: exp.Query, schema: Schema, dialect: str) -> None:
        self._origins, self._inferred = Origins(tree, schema), schema.inferred
        self._schema = schema
        self._dialect = dialect
        self._countable = _DATED if dialect == "oracle" else {_Kind.DAY}
        for node in reversed([*tree.walk()]):
            self._fit(node)
        for node in [*tree.walk()]:
            in_seconds(node)
            for one, other in compared(node):
                self._compare(one, other)
        self._refuse_clocks(tree)
        self.tree = tree

    def _fit(self, node: exp.Expr) -> None:
        """Changes a computation to what SQLite computes so."""
        if _is_call(node, *_DATE_CALLS):
            compute(_write_arguments(node))
        elif isinstance(node, exp.Add | exp.Sub) and self._has_days(node):
            node.replace(self._days(node))
        elif isinstance(node, exp.Add | exp.DPipe) and self._dialect in PLUS_JOINS:
            self._join(node)
        elif self._dialect in _TRUNCATES_DATES and _is_trunc(node):
            node.replace(self._truncated(node))
        elif _is_call(node, "DATETIME") and self._kinds(*node.expressions) == {_Kind.MOMENT}:
            # SQLite's function would drop the fraction of a second
            node.replace(node.expressions[0].copy())

    def _refuse_clocks(self, tree: exp.Query) -> None:
        """Refuses times of day that are computed with, and those of what may have none."""
        for node in tree.find_all(exp.Column, exp.Anonymous):
            if not isinstance(node.parent, _WITH_CLOCKS) and self._kinds(node) == {_Kind.CLOCK}:
                raise _MeansOtherwise("arithmetic with a time of day")
            if _is_call(node, "TIME") and self._kinds(*node.expressions) != {_Kind.MOMENT}:
                raise _MeansOtherwise("a time of day of what is not known to have one")

    def _has_days(self, node: exp.Expr) -> bool:
        kinds = _DATED | {_Kind.SPAN} if self._dialect in _COUNTING else _DATED
        return bool({self._dated(node.this), self._dated(node.expression)} & kinds)

    def _dated(self, node: exp.Expr) -> _Kind | None:
        """The kind of what is added. Oracle's SYSDATE is a literal by now; no other text is computed with."""
        if isinstance(node, exp.Date):
            return _Kind.DAY
        if self._dialect == "oracle" and isinstance(node, exp.Literal) and moment(node.name) is not None:
            return _Kind.MOMENT
        return self._kind(node, self._origins.scope(node))

    def _days(self, node: exp.Expr) -> exp.Expr:
        """A day and a number, or two days, where the dialect counts days so."""
        # only days can be counted so, but for Oracle's
        known = _Kind.MOMENT if self._dialect == "oracle" else _Kind.DAY
        kinds = [self._dated(each) for each in (node.this, node.expression)]
        found = self._counted(node, [known if each is _Kind.SPAN else each for each in kinds])
        if found is None or self._dialect not in _COUNTING:
            raise _MeansOtherwise("arithmetic with dates")
        return found

    def _join(self, node: exp.Add | exp.DPipe) -> None:
        """Joins two texts. A text and a number would be added as numbers, or fail."""
        kinds = self._kinds(node.this, node.expression)
        if isinstance(node, exp.Add) and _Kind.TEXT not in kinds:
            return
        if other := kinds - ({_Kind.TEXT, _Kind.WRITTEN} | ({None} if isinstance(node, exp.DPipe) else set())):
            named = sorted(each.value if each is not None else "what may be a number" for each in other)
            raise _MeansOtherwise(f"+ between a text and {named[0]}")
        if isinstance(node, exp.Add):
            node.replace(exp.DPipe(this=node.this.copy(), expression=node.expression.copy(), safe=True))

    def _counted(self, node: exp.Expr, kinds: list[_Kind | None]) -> exp.Expr | None:
        """The days between two days, a day so many days later, or the days between two moments of Oracle."""
        less = isinstance(node, exp.Sub)
        if less and _Kind.DAY in kinds and set(kinds) <= {_Kind.DAY, _Kind.WRITTEN}:
            return _write_arguments(call("day_gap", node.this, node.expression, "DAY"))
        if kinds[0] in self._countable and kinds[1] in _NUMBERS:
            return days_later(node.this, node.expression, less=less)
        if less and self._dialect == "oracle" and set(kinds) <= {*_DATED, _Kind.WRITTEN}:
            seconds = _write_arguments(call("second_span", node.this, node.expression, "SECOND"))
            return exp.paren(exp.Div(this=seconds, expression=exp.Literal.number(86_400)))
        return None

    def _truncated(self, node: exp.Expr) -> exp.Expr:
        """The midnight of a date, or the whole part of a number."""
        value = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
        kind = self._kind(value, self._origins.scope(value))
        if kind in {_Kind.DAY, _Kind.MOMENT, _Kind.SPAN}:
            return _write_arguments(call("day_floor", value, "DAY"))
        if kind is _Kind.WRITTEN and (when := moment(value.name)) is not None:
            return exp.Date(this=exp.Literal.string(when[0]))
        if kind in _NUMBERS:
            return exp.cast(value.copy(), "INTEGER")
        raise _MeansOtherwise("TRUNC, which may take a date")

    def _kinds(self, *nodes: exp.Expr) -> set[_Kind | None]:
        return {self._kind(each, self._origins.scope(each)) for each in nodes}

    def _compare(self, one: exp.Expr, other: exp.Expr) -> None:
        kinds = self._kinds(one, other)
        for literal, typed in ((one, other), (other, one)):
            text = _literal(literal)
            kind = self._kind(typed, self._origins.scope(typed))
            if text is not None and kind is not None and kind is not _Kind.WRITTEN:
                return self._write(literal, text, kind)
        if kinds >= _DATED and not isinstance(other, exp.Query | exp.Subquery):
            # a day counts as its midnight
            day = one if self._kind(one, self._origins.scope(one)) is _Kind.DAY else other
            day.replace(exp.Anonymous(this="DATETIME", expressions=[day.copy()]))
        elif _clash(kinds):
            raise _MeansOtherwise(" compared with ".join(sorted(each.value for each in kinds if each is not None)))
        return None

    def _write(self, literal: exp.Expr, text: str, kind: _Kind) -> None:
        """Writes a literal as the other side holds its values."""
        if kind in {_Kind.COMPUTED, _Kind.TRUTH}:
            raise _MeansOtherwise(f"{kind.value} compared with a text")
        if kind is _Kind.CLOCK:
            literal.replace(exp.Literal.string(_clock(text)))
        if kind not in {_Kind.DAY, _Kind.MOMENT, _Kind.SPAN}:
            return
        when = moment(text)
        if when is None and kind is not _Kind.SPAN:
            raise _MeansOtherwise(f"{kind.value} compared with a text that is not one")
        if when is None:
            return
        day, time = when
        if kind is _Kind.DAY and time != MIDNIGHT:
            raise _MeansOtherwise("a day compared with a time of day")
        whole = kind is _Kind.DAY or (kind is _Kind.SPAN and time == MIDNIGHT)
        literal.replace(exp.Literal.string(day if whole else f"{day} {time}"))

    def _kind(self, node: exp.Expr | None, scope: Scope | None, depth: int = 0) -> _Kind | None:
        if node is None or depth > _DEEPEST:
            return None
        if isinstance(node, exp.Column):
            return self._kind_of_column(node, scope, depth)
        if isinstance(node, exp.Query | exp.Subquery):
            select = first_select(node)
            first = select.expressions[0] if select is not None and select.expressions else None
            return self._kind(first, self._origins.scope(select), depth + 1) if select is not None else None
        if isinstance(node, _THROUGH):
            return self._kind(node.this, scope, depth + 1)
        if _is_call(node, "DAY_PLUS", "DAY_FLOOR"):
            return self._kind_of_date(node, scope, depth)
        return _kind_of(node)

    def _kind_of_date(self, node: exp.Expr, scope: Scope | None, depth: int) -> _Kind | None:
        """The kind of a later or a truncated date: that of the date, unless hours count."""
        date = node.expressions[0]
        text = _literal(date)
        kind = self._kind(date, scope, depth + 1)
        if text is not None:
            kind = _Kind.DAY if len(text) == len("2024-03-01") else _Kind.MOMENT
        return _Kind.MOMENT if kind is _Kind.DAY and node.expressions[-1].name in TIMES else kind

    def _kind_of_column(self, node: exp.Column, scope: Scope | None, depth: int) -> _Kind | None:
        origin = self._origins.of(node, scope)
        if origin is None:
            return None
        if origin.cell is None:
            return self._kind(origin.tree, origin.scope, depth + 1)
        table = self._schema.find(origin.cell[0])
        column = table.find(origin.cell[1]) if table is not None else None
        return _kind_of_declared(column, inferred=self._inferred) if column is not None else None


def _clock(text: str) -> str:
    found = clock(text)
    if found is None:
        raise _MeansOtherwise("a time of day compared with a text that is not one")
    return found


def _clash(kinds: set[_Kind | None]) -> bool:
    """Whether SQLite compares values of these kinds otherwise."""
    if _Kind.CLOCK in kinds and len(kinds) > 1:
        return True
    text = _Kind.TEXT in kinds and kinds & (_NUMBERS | {_Kind.MOMENT, _Kind.TRUTH})
    return bool(text or kinds >= _DATED or (kinds & _DATED and kinds & _NUMBERS))


def _kind_of(node: exp.Expr) -> _Kind | None:
    if _literal(node) is not None:
        return _Kind.WRITTEN
    if isinstance(node, exp.Anonymous):
        return _CALLS.get(node.name.upper())
    if isinstance(node, exp.Cast):
        return next((kind for types, kind in _CASTS if node.is_type(*types)), None)
    return next((kind for types, kind in _NODES if isinstance(node, types)), None)


def _is_trunc(node: exp.Expr) -> bool:
    return (isinstance(node, exp.Trunc) and not node.args.get("decimals")) or (
        _is_call(node, "TRUNC") and len(node.expressions) == 1
    )


def _is_call(node: exp.Expr, *names: str) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.upper() in names


def _write_arguments(node: exp.Expr) -> exp.Expr:
    """Writes the dates among the arguments of a date function as the function reads them."""
    dates = node.expressions[:2] if _is_call(node, *_DISTANCES) else node.expressions[:1]
    for each in dates:
        text = _literal(each)
        if text is None:
            continue
        when = moment(text)
        if when is None or when[0] < "0001":
            raise _MeansOtherwise("a text that is no date in date arithmetic")
        each.replace(exp.Literal.string(when[0] if when[1] == MIDNIGHT and ":" not in text else " ".join(when)))
    return node


def _kind_of_declared(column: DeclaredColumn, *, inferred: bool) -> _Kind | None:
    if column.kind is ValueKind.DATE:
        if inferred:
            return _Kind.SPAN
        return _Kind.MOMENT if column.timed else _Kind.DAY if column.declared.upper() == "DATE" else None
    if column.kind is ValueKind.BOOLEAN:
        return _Kind.TRUTH
    return _Kind.TEXT if column.kind is ValueKind.TEXT else _Kind.NUMBER


def _literal(node: exp.Expr) -> str | None:
    """The text of a literal, also of one that is made a date: `DATE '2024-03-01'`."""
    if isinstance(node, exp.Literal):
        return str(node.this) if node.is_string else None
    if _is_call(node, "DATETIME", "TIME") and len(node.expressions) == 1:
        return _literal(node.expressions[0])
    dated = isinstance(node, exp.Date | exp.Datetime | exp.TsOrDsToDate)
    if not dated or not isinstance(node.this, exp.Literal) or node.expressions:
        return None
    text = _literal(node.this)
    when = moment(text or "") if not isinstance(node, exp.Datetime) else None
    return when[0] if when is not None else text
