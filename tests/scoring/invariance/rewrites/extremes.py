"""The row with the highest or lowest value."""

from __future__ import annotations

from sqlglot import exp

from tests.scoring.invariance.rewrites.trees import (
    column,
    derived,
    free_name,
    items,
    only_table,
    own_columns,
    qualify,
    terms,
    where,
)


def _sorted_by(tree: exp.Query) -> tuple[exp.Column, bool] | None:
    """The column and direction of `ORDER BY column LIMIT 1` in a query without groups."""
    order, limit = tree.args.get("order"), tree.args.get("limit")
    if not isinstance(tree, exp.Select) or order is None or limit is None or tree.args.get("group"):
        return None
    key = order.expressions[0]
    plain = len(order.expressions) == 1 and isinstance(key.this, exp.Column) and limit.expression.name == "1"
    return (key.this, bool(key.args.get("desc"))) if plain and not tree.args.get("distinct") else None


def limit_to_extreme(tree: exp.Query) -> bool:
    """`x = (SELECT MAX(x) …)` for `ORDER BY x DESC LIMIT 1`."""
    found = _sorted_by(tree)
    if found is None or not isinstance(tree, exp.Select):
        return False
    key, descending = found
    inner = tree.copy()
    for part in ("order", "limit", "with_"):
        inner.set(part, None)
    inner.set("expressions", [(exp.Max if descending else exp.Min)(this=key.copy())])
    kept = [*terms(tree.args.get("where")), exp.EQ(this=key.copy(), expression=exp.Subquery(this=inner))]
    tree.set("order", None)
    tree.set("limit", None)
    where(tree, kept)
    return True


def _extreme(tree: exp.Query) -> tuple[exp.EQ, exp.Column, bool] | None:
    """The first `x = (SELECT MAX(x) FROM …)` of the main SELECT; is it the highest?"""
    for term in terms(tree.args.get("where")):
        if isinstance(term, exp.EQ) and isinstance(term.this, exp.Column) and isinstance(term.expression, exp.Subquery):
            inner = term.expression.this
            output = inner.expressions[0].unalias() if isinstance(inner, exp.Select) else None
            if isinstance(output, exp.Max | exp.Min) and isinstance(output.this, exp.Column):
                return term, term.this, isinstance(output, exp.Max)
    return None


def extreme_to_limit(tree: exp.Query) -> bool:
    found = _extreme(tree)
    if found is None or tree.args.get("order") or not isinstance(tree, exp.Select):
        return False
    term, key, highest = found
    kept = [each for each in terms(tree.args.get("where")) if each is not term]
    tree.set("order", exp.Order(expressions=[exp.Ordered(this=key.copy(), desc=highest)]))
    tree.set("limit", exp.Limit(expression=exp.Literal.number(1)))
    where(tree, kept)
    return True


def extreme_to_not_exists(tree: exp.Query) -> bool:
    """No row is higher."""
    found = _extreme(tree)
    table = only_table(tree) if isinstance(tree, exp.Select) else None
    if found is None or table is None or not isinstance(tree, exp.Select) or not qualify(tree):
        return False
    term, key, highest = found
    other = free_name(tree, "others", "other")
    inner = exp.Select(expressions=[exp.Literal.number(1)]).from_(
        exp.alias_(exp.to_table(table.name), other, table=True)
    )
    kind = exp.GT if highest else exp.LT
    where(inner, [kind(this=column(other, key.name), expression=key.copy())])
    kept = [each for each in terms(tree.args["where"]) if each is not term]
    where(tree, [*kept, exp.Not(this=exp.Exists(this=inner))])
    return True


def limit_to_row_number(tree: exp.Query) -> bool:
    """`ROW_NUMBER() OVER (ORDER BY x DESC) = 1`."""
    found = _sorted_by(tree)
    if found is None or not isinstance(tree, exp.Select) or not qualify(tree) or not items(tree):
        return False
    key, descending = found
    if any(each.table == "" for each in own_columns(tree)):
        return False
    inner = tree.copy()
    outputs = [each.alias_or_name for each in inner.expressions]
    place = free_name(tree, "place_in_order", "row_place")
    over = exp.Order(expressions=[exp.Ordered(this=key.copy(), desc=descending)])
    inner.append("expressions", exp.alias_(exp.Window(this=exp.RowNumber(), order=over), place))
    inner.set("order", None)
    inner.set("limit", None)
    for part in list(tree.args):
        tree.set(part, None)
    tree.set("expressions", [exp.column(each) for each in outputs])
    tree.set("from_", exp.From(this=derived(inner, free_name(inner, "ranked", "ranked_rows"))))
    where(tree, [exp.EQ(this=exp.column(place), expression=exp.Literal.number(1))])
    return True
