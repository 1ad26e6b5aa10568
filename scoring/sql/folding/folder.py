"""Folds any expression, each part of it once."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import cast

from sqlglot import exp

from scoring.sql.expressions import bare
from scoring.sql.folded import TRUTHS, Folded, Kind, fixed, is_true, unknown
from scoring.sql.folding import calls, replaced, truths
from scoring.sql.folding.truths import Fold
from scoring.sql.scopes import Scope
from scoring.sql.terms import COMPARISONS, Node, Term, children, function_name

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


def verdict(scope: Scope, node: Node) -> bool | None:
    """Whether a condition always holds, or never; `None` if that depends on the row."""
    folded = fold(scope, node)
    return None if not folded.constant else folded.value is not None and is_true(folded.value)


def is_evaluated(node: Node) -> bool:
    """Whether an expression may be a constant; a column and any other call are values of their own."""
    return type(node) in _READERS


def _fold(scope: Scope, node: Node) -> Folded:
    kind = type(node)
    if kind is exp.Column:
        return _column(scope, node)
    try:
        return _READERS.get(kind, _other)(_Parts(scope), node)
    except (AttributeError, KeyError, TypeError, IndexError):
        # The parser accepts some broken calls and leaves out what they need.
        return unknown(f"incomplete {kind.__name__}", reads=True)


class _Parts:
    """Folds the parts of an expression of one block."""

    __slots__ = ("_scope",)

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    @property
    def dialect(self) -> str:
        """The dialect of the text."""
        return self._scope.spec.dialect

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


def _literal(_: Fold, node: Node) -> Folded:
    raw: str = node.args["this"]
    if node.args["is_string"]:
        return fixed(raw)
    try:
        return fixed(float(raw))
    except ValueError:
        return unknown(f"literal {raw}")


def _text(_: Fold, node: Node) -> Folded:
    return fixed(node.name)


def _boolean(_: Fold, node: Node) -> Folded:
    return fixed(bool(node.args["this"]))


def _null(_: Fold, __: Node) -> Folded:
    return fixed(None)


def _inside(fold: Fold, node: Node) -> Folded:
    return fold(node.args["expression" if type(node) is exp.Convert else "this"])


def _cast(fold: Fold, node: Node) -> Folded:
    """A cast keeps a constant, a count and a NULL; whole numbers, dates and truths are values of their own."""
    value = node.args.get("expression" if type(node) is exp.Convert else "this")
    to = node.args["this"] if type(node) is exp.Convert else node.args.get("to")
    if not isinstance(value, exp.Expr):
        return unknown("cast", reads=True)
    inner = fold(value)
    whole = to.args["this"] if type(to) is exp.DataType else None
    if inner.constant or whole in _KEEPING or (whole in exp.DataType.INTEGER_TYPES and inner.counts):
        return inner
    return unknown(f"cast {whole}", (inner,), kind=Kind.TRUTH if whole is exp.DType.BOOLEAN else Kind.ANY)


def _parameter(_: Fold, node: Node) -> Folded:
    return unknown(f"parameter {node.name}", reads=True)


def _negative(fold: Fold, node: Node) -> Folded:
    return calls.operation(exp.Sub(), fixed(0.0), fold(node.args["this"]))


def _not(fold: Fold, node: Node) -> Folded:
    return truths.negation(fold(node.args["this"]))


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
            parts.append(fold(part))
    return truths.all_of(parts, conjunction=kind is exp.And)


def _exclusive(fold: Fold, node: Node) -> Folded:
    one, other = fold(node.args["this"]), fold(node.args["expression"])
    for fact, rest in ((one, other), (other, one)):
        if fact.constant and fact.value is not None:
            return truths.negation(rest) if is_true(fact.value) else rest
    return truths.negation(truths.compared(exp.EQ, one, other))


def _compared(fold: Fold, node: Node) -> Folded:
    left, right = bare(node.args["this"]), bare(node.args["expression"])
    if type(right) in (exp.Any, exp.All):
        return _other(fold, node)
    return truths.compared(type(node), fold(left), fold(right))


def _is(fold: Fold, node: Node) -> Folded:
    left, right = fold(node.args["this"]), bare(node.args["expression"])
    negated = bool(node.args.get("negate"))
    if type(right) is exp.Not:
        negated, right = not negated, bare(right.args["this"])
    if type(right) is exp.Null:
        found = truths.null_test(left)
    elif type(right) is exp.Boolean:
        wanted = bool(right.args["this"])
        found = (
            left
            if left.choices == TRUTHS and not left.constant
            else truths.compared(exp.NullSafeEQ, left, fixed(wanted))
        )
        if found is left and not wanted:
            found = truths.negation(left)
    else:
        found = truths.compared(exp.NullSafeEQ, left, fold(right))
    return truths.negation(found) if negated else found


def _in(fold: Fold, node: Node) -> Folded:
    members: list[Node] = children(node, "expressions")
    if node.args.get("query") is not None or not members or isinstance(bare(members[0]), exp.Query):
        return _other(fold, node)
    return truths.listed(fold(node.args["this"]), [fold(each) for each in members])


def _between(fold: Fold, node: Node) -> Folded:
    key, low, high = (fold(node.args[each]) for each in ("this", "low", "high"))
    ends = [truths.compared(exp.GTE, key, low), truths.compared(exp.LTE, key, high)]
    return truths.all_of(ends, conjunction=True)


def _like(fold: Fold, node: Node) -> Folded:
    if type(bare(node.args["expression"])) in (exp.Any, exp.All):
        return _other(fold, node)
    found = truths.pattern(node, fold(node.args["this"]), fold(node.args["expression"]))
    return truths.negation(found) if node.args.get("negate") else found


def _begins(fold: Fold, node: Node) -> Folded:
    """STARTS_WITH, ENDS_WITH and CONTAINS: every text contains the empty one."""
    left, right = fold(node.args["this"]), fold(node.args["expression"])
    if right.is_fact(False) and right.value == "":
        return fixed(True)
    return unknown(type(node).__name__, (left, right), kind=Kind.TRUTH)


def _exists(fold: Fold, node: Node) -> Folded:
    """EXISTS of a query without FROM: what its WHERE comes to."""
    query = node.args["this"]
    where = query.args.get("where")
    if type(query) is not exp.Select or query.args.get("from_") is not None or query.args.get("limit") is not None:
        return unknown(f"exists {hash(query)}", kind=Kind.TRUTH, reads=True)
    return fixed(True) if where is None else fold(where.args["this"])


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
    return calls.chosen([there], [fold(node.args["true"])], fixed(None) if missing is None else fold(missing))


def _other(fold: Fold, node: Node) -> Folded:
    """Anything else: its name and its parts."""
    parts: list[Folded] = []
    words: list[str] = [function_name(node) if isinstance(node, exp.Func) else type(node).__name__]
    for name, value in node.args.items():
        for each in cast("list[object]", value) if type(value) is list else [value]:
            if isinstance(each, exp.Expr):
                parts.append(fold(each))
            elif each is not None:
                words.append(f"{name}={each}")
    truth = Kind.TRUTH if isinstance(node, exp.Predicate) else Kind.ANY
    return unknown(" ".join(words), parts, kind=truth)


_KEEPING = exp.DataType.REAL_TYPES | exp.DataType.TEXT_TYPES
"""Types that a cast to leaves a value as it is."""
_READERS: MappingProxyType[type[Node], Callable[[Fold, Node], Folded]] = MappingProxyType(
    dict(calls.READERS)
    | replaced.READERS
    | dict.fromkeys(COMPARISONS, _compared)
    | dict.fromkeys((exp.Paren, exp.Alias, exp.Collate, exp.AtTimeZone, exp.Order, exp.IgnoreNulls), _inside)
    | dict.fromkeys((exp.Cast, exp.TryCast, exp.Convert), _cast)
    | dict.fromkeys((exp.Parameter, exp.Placeholder, exp.SessionParameter), _parameter)
    | dict.fromkeys((exp.And, exp.Or), _connective)
    | dict.fromkeys((exp.Like, exp.ILike, exp.Glob, exp.RegexpLike, exp.RegexpILike, exp.RegexpFullMatch), _like)
    | dict.fromkeys((exp.StartsWith, exp.EndsWith, exp.Contains), _begins)
    | dict.fromkeys((exp.Subquery, exp.Select), _query)
    | {
        exp.SimilarTo: _like,
        exp.Literal: _literal,
        exp.RawString: _text,
        exp.National: _text,
        exp.Boolean: _boolean,
        exp.Null: _null,
        exp.Neg: _negative,
        exp.Not: _not,
        exp.Xor: _exclusive,
        exp.Is: _is,
        exp.In: _in,
        exp.Between: _between,
        exp.Nvl2: _nvl2,
        exp.Exists: _exists,
    }
)
