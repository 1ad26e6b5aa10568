"""Joined steps that do what a subquery in a condition does: distinct keys as IN, a total as a scalar subquery."""

from __future__ import annotations

from dataclasses import replace

from scoring.specification import Column, Join, Operand, SqlFilter, Subquery, SubqueryRole
from scoring.sql.layers.layer import Layer, Steps, layers_of
from scoring.values import Expression

_INNER = frozenset({"inner", "comma", "cross"})


def read_joined_steps(spec: Steps) -> None:
    """Reads joins of distinct keys as IN, and joins of a single row of totals as scalar subqueries."""
    layers = layers_of(spec)
    for join in [each for each in spec.joins if each.kind in _INNER and each.table in layers]:
        outer, inner = layers.get(join.block), layers[join.table]
        if outer is None or inner.path not in outer.reads or any((inner.combined, inner.limited, inner.windows)):
            continue
        if inner.totals and not any((inner.grouped, join.pairs)):
            _make_scalar(spec, join, inner)
        elif inner.distinct and (inner.outputs, inner.totals, len(join.pairs)) == (1, 0, 1):
            _make_membership(spec, join, inner)


def _make_membership(spec: Steps, join: Join, inner: Layer) -> None:
    """`JOIN (SELECT DISTINCT key …) AS k ON k.key = x` is `x IN (SELECT key …)`."""
    given = next(each.operand.columns for each in spec.projections if each.block == inner.path)
    pair = join.pairs[0]
    outer = next((each for each in pair if (each,) != given), None)
    if len(given) != 1 or given[0] not in pair or outer is None:
        return
    _replace(spec, join, SubqueryRole.IN, outer)
    for number, block in enumerate(spec.blocks):
        if block.path == inner.path:
            spec.blocks[number] = replace(block, distinct=False)


def _make_scalar(spec: Steps, join: Join, inner: Layer) -> None:
    """`CROSS JOIN (SELECT AVG(x) …) AS t WHERE y > t.average` is `y > (SELECT AVG(x) …)`."""
    totals = {each.operand.name: each.operand for each in spec.projections if each.block == inner.path}
    found = {key: _compared(each, join, totals) for key, each in spec.filters.items()}
    if all(each is spec.filters[key] for key, each in found.items()):
        return
    spec.filters.update(found)
    _replace(spec, join, SubqueryRole.SCALAR, None)


def _compared(each: SqlFilter, join: Join, totals: dict[str, Operand]) -> SqlFilter:
    """A condition that compares with a total of the joined row."""
    rhs = each.rhs
    if each.block != join.block or not isinstance(rhs, Expression) or rhs.text not in totals or rhs.subquery:
        return each
    return replace(each, rhs=replace(rhs, subquery=join.table))


def _replace(spec: Steps, join: Join, role: SubqueryRole, key: Column | None) -> None:
    """Reads a joined block as a subquery of a condition."""
    operand = Operand(name=key.name, columns=(key,)) if key is not None else None
    spec.joins.remove(join)
    spec.subqueries[:] = [each for each in spec.subqueries if each.block != join.table]
    spec.subqueries.append(Subquery(role=role, block=join.table, parent=join.block, key=operand))
