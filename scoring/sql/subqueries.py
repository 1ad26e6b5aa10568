"""Reads queries inside expressions: scalar, IN, EXISTS and quantified subqueries."""

from __future__ import annotations

from types import MappingProxyType

from sqlglot import exp

from scoring.specification import Column, Operand, Projection, Subquery, SubqueryRole
from scoring.sql.expressions import read_value
from scoring.sql.from_items import FromItem
from scoring.sql.scopes import BlockPlace, Reader, Scope, read
from scoring.sql.terms import Node, Term, children, merged, shorten

_PATHS = MappingProxyType(
    {
        SubqueryRole.SCALAR: "scalar",
        SubqueryRole.IN: "in",
        SubqueryRole.NOT_IN: "in",
        SubqueryRole.EXISTS: "exists",
        SubqueryRole.NOT_EXISTS: "exists",
        SubqueryRole.DERIVED: "derived",
        SubqueryRole.QUANTIFIED: "quantified",
    }
)


def read_nested(scope: Scope, node: Node, role: SubqueryRole, key: Operand | None, outer: Scope | None) -> FromItem:
    """Reads a nested query into its own blocks and records it as a subquery of this block."""
    path = scope.child_path(_PATHS[role])
    number, first = len(scope.spec.subqueries), len(scope.spec.projections)
    entry = Subquery(role=role, block=path, parent=scope.path, key=key)
    scope.spec.subqueries.append(entry)
    item = scope.walk.read_query(scope.walk, node, BlockPlace(path, outer, scope.ctes, is_output=False))
    if item.correlated and role in _MEMBERSHIPS and item.outer_pair is not None:
        own, around = item.outer_pair
        _show_key(scope, path, own, first)
        looked_up = Operand(name=around.name, columns=(around,))
        entry = Subquery(role=_MEMBERSHIPS[role], block=path, parent=scope.path, key=looked_up)
        scope.spec.subqueries[number] = entry
    elif item.correlated:
        entry = Subquery(role=role, block=path, parent=scope.path, key=key, correlated=True)
        scope.spec.subqueries[number] = entry
    return item


_MEMBERSHIPS = MappingProxyType({SubqueryRole.EXISTS: SubqueryRole.IN, SubqueryRole.NOT_EXISTS: SubqueryRole.NOT_IN})
"""EXISTS of rows with the same key is membership of that key."""


def _show_key(scope: Scope, path: str, key: Column, first: int) -> None:
    """Makes the key the only output of a block whose outputs begin at `first`: EXISTS does not read them."""
    outputs = scope.spec.projections
    others = [each for each in outputs[first:] if each.block != path]
    outputs[first:] = [Projection(operand=Operand(name=key.name, columns=(key,)), block=path), *others]


def read_subquery(scope: Scope, node: Node, role: SubqueryRole, key: Operand | None) -> Term:
    """The term of a query inside an expression."""
    done = scope.spec.terms.get(id(node))
    if done is not None:
        return done
    item = read_nested(scope, node, role, key, scope)
    outputs = item.columns
    names = ", ".join(term.name for term in outputs[:20]) or "*"
    tables = ", ".join(item.item_names[:20]) or "…"
    canonical = f"(select {names} from {tables})"  # noqa: S608 (canonical text for people; it is never run)
    term = Term(shorten(canonical), merged(outputs[:20]), outputs[0].func if outputs else None)
    term.block = item.path
    term.empty, term.correlated = item.empty, item.correlated
    term.lookup = len(outputs) == 1 and outputs[0].is_column
    term.real = bool(outputs) and outputs[0].real
    scope.spec.terms[id(node)] = term
    return term


def _scalar(scope: Scope, node: Node) -> Term:
    return read_subquery(scope, node, SubqueryRole.SCALAR, None)


def _exists(scope: Scope, node: Node) -> Term:
    inner = read_subquery(scope, node.args["this"], SubqueryRole.EXISTS, None)
    return Term(shorten(f"exists {inner.name}"), inner.columns)


def _membership(scope: Scope, node: Node) -> Term:
    """IN as a value, such as the condition of a CASE."""
    key = read(scope, node.args["this"])
    query = node.args.get("query")
    if query is not None:
        inner = read_subquery(scope, query, SubqueryRole.IN, key.operand)
        return Term(shorten(f"{key.nested} in {inner.name}"), merged([key, inner]), key.func)
    members = [read_value(scope, each) for each in children(node, "expressions")]
    inside = ", ".join(sorted(member.name for member in members))
    term = Term(shorten(f"{key.nested} in ({inside})"), merged([key, *members]), key.func)
    term.composite = True
    return term


READERS: MappingProxyType[type[Node], Reader] = MappingProxyType(
    dict.fromkeys((exp.Subquery, exp.Select, exp.Union, exp.Intersect, exp.Except), _scalar)
    | {exp.Exists: _exists, exp.In: _membership}
)
"""Readers of queries inside expressions."""
