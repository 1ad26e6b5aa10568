"""Reads functions OVER a window."""

from __future__ import annotations

from types import MappingProxyType

from sqlglot import exp

from scoring.specification import SortKey, Window
from scoring.sql.scopes import Modifier, Reader, Scope, read
from scoring.sql.terms import Node, Term, children, function_name, merged, shorten

_RANKS = frozenset({exp.RowNumber, exp.Rank, exp.DenseRank})
_NULLS = frozenset({exp.IgnoreNulls, exp.RespectNulls})


def _window(scope: Scope, node: Node) -> Term:
    """A function OVER a window; a rank keeps its partition, because comparing it with a constant makes a top-k."""
    done = scope.spec.terms.get(id(node))
    if done is not None:
        return done
    call: Node = node.args["this"]
    while type(call) in _NULLS:
        call = call.args["this"]
    scope.position.add(Modifier.OVER)
    inner = read(scope, call)
    scope.position.remove(Modifier.OVER)
    partition, keys = _frame(scope, node)
    counted: Node = call.args["this"] if type(call) is exp.Filter else call
    term = _over(inner, partition, keys)
    partitions = tuple(part.operand for part in partition)
    if type(counted) in _RANKS:
        term.rank = partitions
    scope.spec.windows.append(
        Window(
            func=inner.func or function_name(counted),
            partition_by=partitions,
            order_by=tuple(SortKey(operand=key.operand, descending=down, block=scope.path) for key, down in keys),
            block=scope.path,
        )
    )
    scope.spec.terms[id(node)] = term
    return term


def _frame(scope: Scope, node: Node) -> tuple[list[Term], list[tuple[Term, bool]]]:
    """PARTITION BY and ORDER BY keys of a named window or of one written in place."""
    named: Node | None = node.args.get("alias")
    frame = scope.windows.get(named.name.lower(), node) if named is not None else node
    partition = children(frame, "partition_by") or children(node, "partition_by")
    order: Node | None = frame.args.get("order") or node.args.get("order")
    keys = children(order, "expressions") if order is not None else []
    return [read(scope, key) for key in partition], [_key(scope, key) for key in keys]


def _key(scope: Scope, key: Node) -> tuple[Term, bool]:
    if type(key) is not exp.Ordered:
        return read(scope, key), False
    return read(scope, key.args["this"]), bool(key.args.get("desc"))


def _over(inner: Term, partition: list[Term], keys: list[tuple[Term, bool]]) -> Term:
    clauses: list[str] = []
    if partition:
        clauses.append(f"partition by {', '.join(part.name for part in partition)}")
    if keys:
        clauses.append(f"order by {', '.join(key.name + (' desc' if down else '') for key, down in keys)}")
    parts = [inner, *partition, *(key for key, _ in keys)]
    term = Term(shorten(f"{inner.name} over ({' '.join(clauses)})"), merged(parts), inner.func)
    term.distinct, term.real = inner.distinct, inner.real
    term.whole = inner.func is not None and not partition and not keys
    return term


READERS: MappingProxyType[type[Node], Reader] = MappingProxyType({exp.Window: _window})
"""Reader of windows."""
