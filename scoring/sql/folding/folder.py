"""Folds any expression, each part of it once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType

from sqlglot import exp

from scoring.sql.evaluation.operations import OPERATIONS
from scoring.sql.evaluation.rules import DialectRules
from scoring.sql.evaluation.values import Open, Operation, Typical, applied, parts_of
from scoring.sql.folded import Folded, Kind, Unknown, evaluated, fixed, unknown
from scoring.sql.folding import arithmetic, calls, conditions, replaced, truths
from scoring.sql.folding.truths import Fold
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node, Term, bare, children

DEEPEST = 60
"""Expressions that nest deeper are not folded, so that no run of operators is walked by recursion."""


def fold(scope: Scope, node: Node) -> Folded:
    """What an expression of this block comes to."""
    memory = scope.walk.folds
    found = memory.folded.get(id(node))
    if found is not None and found[0] is node:
        return found[1]
    if memory.depth > DEEPEST:
        return unknown(f"deep {len(memory.folded)}", reads=True)
    memory.depth += 1
    folded = _fold(scope, node)
    memory.depth -= 1
    memory.folded[id(node)] = node, folded
    return folded


def verdict(scope: Scope, node: Node) -> Folded:
    """What an expression comes to where a condition stands: a constant is true, false or NULL."""
    return truths.condition(scope.walk.folds.rules, fold(scope, node))


def is_evaluated(node: Node) -> bool:
    """Whether an expression may be a constant; a column and any other call are values of their own."""
    return type(node) in _STRUCTURES or type(node) in OPERATIONS


def _fold(scope: Scope, node: Node) -> Folded:
    kind = type(node)
    if kind is exp.Column:
        return _column(scope, node)
    parts = _Parts(scope)
    try:
        structure = _STRUCTURES.get(kind)
        if structure is not None and (kind not in _ROWS_OR_VALUES or not node.args.get("expressions")):
            return structure(parts, node)
        operation = OPERATIONS.get(kind)
        return calls.other(parts, node) if operation is None else _operation(parts, node, operation)
    except (AttributeError, KeyError, TypeError, IndexError, ValueError):
        # The parser accepts some broken calls and leaves out what they need.
        return unknown(f"incomplete {kind.__name__}", reads=True)


def _operation(fold: Fold, node: Node, operation: Operation) -> Folded:
    """Constants are evaluated as the dialect does; of other values, what holds in all dialects is found out."""
    parts = [fold(each) for each in parts_of(operation, node)]
    if all(part.constant for part in parts) and not _asks_what_may_be_null(node, parts):
        return settled(fold, node, operation, parts)
    if operation.strict and any(part.is_null for part in parts):
        return fixed(None)
    if any(part.open for part in parts):
        return _opened(fold, node)
    reader = _READERS.get(type(node))
    return calls.other(fold, node) if reader is None else reader(fold, node, parts)


def _asks_what_may_be_null(node: Node, parts: Sequence[Folded]) -> bool:
    """Whether it is IS NULL of what holds only where its parts have a value."""
    return type(node) is exp.Is and type(bare(node.args["expression"])) is exp.Null and parts[0].reads


def _opened(fold: Fold, node: Node) -> Folded:
    folded = calls.other(fold, node)
    folded.open = True
    return folded


def settled(fold: Fold, node: Node, operation: Operation, parts: Sequence[Folded]) -> Folded:
    """What an operation on constants comes to; a value of its own if that is not known."""
    known = [part.value for part in parts if not isinstance(part.value, Unknown)]
    value = applied(operation, fold.rules, node, known)
    if isinstance(value, Open | Typical):
        return _opened(fold, node)
    folded = fixed(value)
    folded.reads = any(part.reads for part in parts)
    return folded


class _Parts:
    """Folds the parts of an expression of one block."""

    __slots__ = ("_scope",)

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    @property
    def rules(self) -> DialectRules:
        return self._scope.walk.folds.rules

    def __call__(self, node: Node | None, /) -> Folded:
        return unknown("nothing") if node is None else fold(self._scope, node)

    def keep(self, node: Node, folded: Folded) -> None:
        self._scope.walk.folds.folded[id(node)] = node, folded


def _column(scope: Scope, node: Node) -> Folded:
    if type(node.args["this"]) is not exp.Identifier:
        return unknown("*", reads=True)
    item, term = scope.column(node)
    if item is None:
        name = f"{term.name} {term.columns}"
        return unknown(name, kind=Kind.COUNT if _counts(term) else Kind.ANY, reads=True)
    counts = item.table is None and _counts(term) and not scope.joins.is_optional(item)
    name = f"{node.name.lower()} of {item.alias}"
    return unknown(name, kind=Kind.COUNT if counts else Kind.ANY, reads=True)


def _counts(term: Term) -> bool:
    """Whether a column of a query is a COUNT."""
    return term.func == "COUNT" and term.name.startswith("count(")


def _inside(fold: Fold, node: Node) -> Folded:
    return fold(node.args["this"])


def _cast(fold: Fold, node: Node, parts: Sequence[Folded]) -> Folded:
    """A cast keeps a count; whole numbers, dates and truths are values of their own, and some decimals are rounded."""
    to, inner = node.args["this"] if type(node) is exp.Convert else node.args.get("to"), parts[0]
    whole = to.args["this"] if type(to) is exp.DataType else None
    sizes = to.args.get("expressions") if type(to) is exp.DataType else None
    if inner.counts and (whole in exp.DataType.INTEGER_TYPES or whole in exp.DataType.REAL_TYPES):
        return inner
    if whole in _DECIMALS and (sizes or fold.rules.name not in ("sqlite", "postgres")):
        return _rounded(node, inner)
    if whole in _KEEPING and not sizes:
        return inner
    return unknown(f"cast {to}", parts, kind=Kind.TRUTH if whole is exp.DType.BOOLEAN else Kind.ANY)


def _rounded(node: Node, inner: Folded) -> Folded:
    """A decimal of few places, rounded."""
    points = [None if each is None else round(each, _PLACES) for each in inner.numbers]
    if None in points:
        return unknown(f"cast {node.args.get('to')}", (inner,))
    folded = evaluated(points, (inner,))
    return unknown("cast", (inner,)) if folded.constant else folded


def _parameter(_: Fold, node: Node) -> Folded:
    return unknown(f"parameter {node.name}", reads=True)


def _collated(_: Fold, node: Node, parts: Sequence[Folded]) -> Folded:
    """A text under a collation, which may equal texts that are spelled otherwise."""
    return unknown(f"collate {node.args['expression']}", parts[:1])


def _negative(_: Fold, __: Node, parts: Sequence[Folded]) -> Folded:
    return arithmetic.operation(exp.Sub(), fixed(0), parts[0])


def _binary(fold: Fold, node: Node) -> Folded:
    """A left-deep run of operators, folded in a loop because hostile SQL makes it thousands long."""
    spine: list[Node] = []
    left = node
    while type(left) in calls.BINARY:
        spine.append(left)
        left = left.args["this"]
    total = fold(left)
    for link in reversed(spine):
        right = fold(link.args["expression"])
        total = _linked(fold, link, total, right)
        fold.keep(link, total)
    return total


def _linked(fold: Fold, node: Node, left: Folded, right: Folded) -> Folded:
    if left.constant and right.constant:
        return settled(fold, node, OPERATIONS[type(node)], (left, right))
    if (left.open or right.open) and not (left.is_null or right.is_null):
        folded = unknown(type(node).__name__, (left, right))
        folded.open = True
        return folded
    return arithmetic.operation(node, left, right)


def _not(fold: Fold, node: Node) -> Folded:
    return truths.negation(truths.condition(fold.rules, fold(node.args["this"])))


def _connective(fold: Fold, node: Node) -> Folded:
    """A run of ANDs or of ORs, in a loop because hostile SQL makes it thousands long."""
    kind = type(node)
    parts: list[Folded] = []
    waiting = [node]
    while waiting:
        part = bare(waiting.pop())
        if type(part) is kind:
            waiting.append(part.args["expression"])
            waiting.append(part.args["this"])
        else:
            parts.append(truths.condition(fold.rules, fold(part)))
    return truths.all_of(parts, conjunction=kind is exp.And)


def _in(fold: Fold, node: Node) -> Folded:
    members: list[Node] = children(node, "expressions")
    if node.args.get("query") is not None or not members or isinstance(bare(members[0]), exp.Query):
        return calls.other(fold, node)
    return _operation(fold, node, OPERATIONS[exp.In])


def _exists(fold: Fold, node: Node) -> Folded:
    """EXISTS of a query without FROM: what its WHERE comes to."""
    query = node.args["this"]
    where = query.args.get("where")
    if type(query) is not exp.Select or query.args.get("from_") is not None or query.args.get("limit") is not None:
        return unknown(f"exists {hash(query)}", kind=Kind.TRUTH, reads=True)
    return fixed(True) if where is None else truths.condition(fold.rules, fold(where.args["this"]))


def _query(fold: Fold, node: Node) -> Folded:
    """A query as a value: without FROM it is its expression, and a COUNT is at least 0."""
    query = node.args["this"] if type(node) is exp.Subquery else node
    while type(query) is exp.Subquery:
        query = query.args["this"]
    outputs: list[Node] = children(query, "expressions") if type(query) is exp.Select else []
    only = outputs[0] if len(outputs) == 1 else None
    only = only.args["this"] if only is not None and type(only) is exp.Alias else only
    bounded = any(query.args.get(each) is not None for each in ("where", "group", "having", "limit", "offset"))
    if only is not None and query.args.get("from_") is None and not bounded:
        return fold(only)
    counts = type(only) is exp.Count and query.args.get("group") is None
    return unknown(f"query {hash(node)}", kind=Kind.COUNT if counts else Kind.ANY, reads=True)


def _nvl2(fold: Fold, node: Node) -> Folded:
    there = truths.negation(truths.null_test(fold(node.args["this"])))
    missing = node.args.get("false")
    return calls.chosen(
        fold.rules, [there], [fold(node.args["true"])], fixed(None) if missing is None else fold(missing)
    )


_KEEPING = exp.DataType.REAL_TYPES | exp.DataType.TEXT_TYPES
"""Types that a cast to leaves a value as it is."""
_DECIMALS = exp.DataType.REAL_TYPES - {exp.DType.FLOAT, exp.DType.DOUBLE}
_PLACES = 2
_ROWS_OR_VALUES = frozenset({exp.Max, exp.Min})
"""Aggregates that, of several values, choose one in SQLite."""
_STRUCTURES: MappingProxyType[type[Node], Callable[[Fold, Node], Folded]] = MappingProxyType(
    dict(replaced.READERS)
    | dict.fromkeys(calls.BINARY, _binary)
    | dict.fromkeys(calls.AGGREGATES, calls.aggregate)
    | dict.fromkeys((exp.Paren, exp.Alias, exp.AtTimeZone, exp.Order, exp.IgnoreNulls), _inside)
    | dict.fromkeys((exp.Parameter, exp.Placeholder, exp.SessionParameter), _parameter)
    | dict.fromkeys((exp.And, exp.Or), _connective)
    | dict.fromkeys((exp.Subquery, exp.Select), _query)
    | {
        exp.DecodeCase: calls.decode,
        exp.Filter: calls.filtered,
        exp.Not: _not,
        exp.In: _in,
        exp.Nvl2: _nvl2,
        exp.Exists: _exists,
    }
)
"""Readers of what is more than an operation on the values of its parts."""
_READERS: MappingProxyType[type[Node], Callable[[Fold, Node, Sequence[Folded]], Folded]] = MappingProxyType(
    dict(calls.READERS)
    | conditions.READERS
    | dict.fromkeys((exp.Cast, exp.TryCast, exp.Convert), _cast)
    | {
        exp.Collate: _collated,
        exp.Replace: replaced.replaced,
        exp.Neg: _negative,
    }
)
"""Readers of operations of which some part is not constant."""
