"""The same condition in other words."""

from __future__ import annotations

from sqlglot import exp

from tests.scoring.invariance.rewrites.trees import selects, terms, where

_TURNED = {exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE, exp.EQ: exp.EQ, exp.NEQ: exp.NEQ}
_OPPOSITE = {exp.GT: exp.LTE, exp.GTE: exp.LT, exp.LT: exp.GTE, exp.LTE: exp.GT, exp.EQ: exp.NEQ, exp.NEQ: exp.EQ}
_SHIFTED = {exp.GT: (exp.GTE, 1), exp.GTE: (exp.GT, -1), exp.LT: (exp.LTE, -1), exp.LTE: (exp.LT, 1)}


def between_to_bounds(tree: exp.Query) -> bool:
    found = list(tree.find_all(exp.Between))
    for node in found:
        low = exp.GTE(this=node.this.copy(), expression=node.args["low"].copy())
        high = exp.LTE(this=node.this.copy(), expression=node.args["high"].copy())
        both = exp.And(this=low, expression=high)
        node.replace(exp.paren(both) if isinstance(node.parent, exp.Or | exp.Not) else both)
    return bool(found)


def bounds_to_between(tree: exp.Query) -> bool:
    changed = False
    for select in selects(tree):
        found = terms(select.args.get("where"))
        for low in [each for each in found if isinstance(each, exp.GTE)]:
            high = next((each for each in found if isinstance(each, exp.LTE) and each.this == low.this), None)
            if high is not None and low in found:
                between = exp.Between(this=low.this.copy(), low=low.expression.copy(), high=high.expression.copy())
                found = [between if each is low else each for each in found if each is not high]
                where(select, found)
                changed = True
    return changed


def bounds_shifted(tree: exp.Query) -> bool:
    """`x > 10` as `x >= 11`, where x is whole."""
    found = [each for each in tree.find_all(*_SHIFTED) if _whole(each.expression) and not _whole(each.this)]
    for node in found:
        kind, step = _SHIFTED[type(node)]
        number = int(node.expression.this) + step
        node.replace(kind(this=node.this.copy(), expression=exp.Literal.number(number)))
    return bool(found)


def _whole(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and node.this.isdigit() and int(node.this) > 0


def comparison_turned(tree: exp.Query) -> bool:
    """`10 < x` for `x > 10`."""
    found = [each for each in tree.find_all(*_TURNED) if each.find_ancestor(exp.Join) is None]
    for node in found:
        node.replace(_TURNED[type(node)](this=node.expression.copy(), expression=node.this.copy()))
    return bool(found)


def comparison_negated(tree: exp.Query) -> bool:
    """`NOT x <= 10` for `x > 10`, of the first comparison with a constant."""
    comparisons = (each for each in tree.find_all(*_OPPOSITE) if isinstance(each.expression, exp.Literal))
    node = next((each for each in comparisons if each.find_ancestor(exp.Not) is None), None)
    if node is None:
        return False
    opposite = _OPPOSITE[type(node)](this=node.this.copy(), expression=node.expression.copy())
    node.replace(exp.Not(this=exp.paren(opposite)))
    return True


def list_to_or(tree: exp.Query) -> bool:
    """`x = 1 OR x = 2` for `x IN (1, 2)`."""
    found = [each for each in tree.find_all(exp.In) if each.expressions]
    for node in found:
        arms = [exp.EQ(this=node.this.copy(), expression=each.copy()) for each in node.expressions]
        node.replace(exp.paren(exp.or_(*arms)))
    return bool(found)


def parentheses_added(tree: exp.Query) -> bool:
    found = [each for select in selects(tree) for each in terms(select.args.get("where"))]
    for node in found:
        node.replace(exp.paren(node.copy()))
    for node in list(tree.find_all(exp.AggFunc)):
        if isinstance(node.parent, exp.Select | exp.Alias | exp.Binary):
            node.replace(exp.paren(node.copy()))
            found.append(node)
    return bool(found)


def parentheses_dropped(tree: exp.Query) -> bool:
    """Around what binds by itself."""
    kinds = (exp.Column, exp.Literal, exp.Paren, exp.Func, exp.EQ, exp.GT, exp.LT)
    found = [each for each in tree.find_all(exp.Paren) if isinstance(each.this, kinds)]
    found = [each for each in found if not isinstance(each.parent, exp.Not | exp.Binary)]
    for node in found:
        node.replace(node.this.copy())
    return bool(found)


def always_true(tree: exp.Query) -> bool:
    """`WHERE 1 = 1 AND …`, as builders of queries write it."""
    select = next((each for each in selects(tree) if each.args.get("where")), None)
    if select is None:
        return False
    one = exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(1))
    where(select, [one, *terms(select.args["where"])])
    return True


def terms_turned(tree: exp.Query) -> bool:
    """The terms of WHERE in the opposite order."""
    changed = False
    for select in selects(tree):
        found = terms(select.args.get("where"))
        if len(found) > 1:
            where(select, reversed(found))
            changed = True
    return changed
