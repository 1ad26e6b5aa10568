"""Names the columns of a derived table where they are made: SQLite knows no `AS x (a, b)`."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

_CLAUSES = ("group", "having", "distribute", "sort", "qualify")


def with_named_columns(node: exp.Expr) -> None:
    """Writes the names after a derived table's alias, or a lateral's, as the aliases of its outputs.

    A query for which that could change a meaning stays as it is.

    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT n FROM (SELECT COUNT(*) FROM shelf) AS x (n)")
    >>> with_named_columns(tree.find(exp.Subquery))
    >>> tree.sql("sqlite")
    'SELECT n FROM (SELECT COUNT(*) AS n FROM shelf) AS x'
    """
    alias = node.args.get("alias")
    inner = node.this.this if isinstance(node, exp.Lateral) and isinstance(node.this, exp.Subquery) else node.this
    if not isinstance(alias, exp.TableAlias) or not alias.columns or not isinstance(node, exp.Subquery | exp.Lateral):
        return
    names = [each.copy() for each in alias.columns]
    if isinstance(inner, exp.Values):
        other = _selects(inner, names)
    else:
        other = inner if isinstance(inner, exp.Query) and _named(inner, names) else None
    if other is None:
        return
    if other is not inner:
        inner.replace(other)
    alias.set("columns", None)


def _selects(values: exp.Values, names: Sequence[exp.Expr]) -> exp.Query | None:
    """The rows of VALUES as SELECTs. Each has as many values as there are names."""
    rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in values.expressions]
    if not rows or any(len(row) != len(names) for row in rows):
        return None
    made = [exp.Select(expressions=[_as(each, name) for each, name in zip(row, names, strict=True)]) for row in rows]
    found: exp.Query = made[0]
    for each in made[1:]:
        found = exp.Union(this=found, expression=each, distinct=False)
    return found


def _named(query: exp.Query, names: Sequence[exp.Expr]) -> bool:
    """Names the outputs of a query. Returns whether that was possible."""
    first = query
    while isinstance(first, exp.SetOperation):
        first = first.left
    if not isinstance(first, exp.Select) or len(first.expressions) < len(names) or _reads_outputs(query, first):
        return False
    outputs = first.expressions
    if any(isinstance(each.unalias(), exp.Star) or each.is_star for each in outputs):
        return False
    named = [_as(each.unalias(), name) for each, name in zip(outputs, names, strict=False)]
    first.set("expressions", [*named, *outputs[len(names) :]])
    return True


def _reads_outputs(query: exp.Query, first: exp.Select) -> bool:
    """Whether a clause may read an output by the name that it has now."""
    if query.args.get("order") or first.args.get("order"):
        return True
    return any(isinstance(each, exp.Alias) for each in first.expressions) and any(map(first.args.get, _CLAUSES))


def _as(value: exp.Expr, name: exp.Expr) -> exp.Expr:
    return exp.Alias(this=value.copy(), alias=name.copy())
