"""Guards against NULL, zero and whole-number division, and shares computed in other ways."""

from __future__ import annotations

from sqlglot import exp

from tests.scoring.invariance.rewrites.trees import selects, terms, where

_ZERO, _ONE = exp.Literal.number(0), exp.Literal.number(1)
_REAL = exp.DataType.build("REAL")


def _divisions(tree: exp.Query) -> list[exp.Div]:
    return list(tree.find_all(exp.Div))


def divisor_guarded(tree: exp.Query) -> bool:
    """`a / NULLIF(b, 0)`."""
    found = [each for each in _divisions(tree) if not isinstance(each.right, exp.Literal | exp.Nullif)]
    for node in found:
        node.set("expression", exp.Nullif(this=node.right.unnest().copy(), expression=_ZERO.copy()))
    return bool(found)


def quotient_guarded(tree: exp.Query) -> bool:
    """`CASE WHEN b = 0 THEN NULL ELSE a / b END`."""
    found = [each for each in _divisions(tree) if not isinstance(each.right, exp.Literal)]
    for node in found:
        zero = exp.EQ(this=node.right.copy(), expression=_ZERO.copy())
        node.replace(exp.Case(ifs=[exp.If(this=zero, true=exp.Null())], default=node.copy()))
    return bool(found)


def count_coalesced(tree: exp.Query) -> bool:
    """`COALESCE(COUNT(*), 0)` in what is shown."""
    found = [each for select in selects(tree) for each in select.expressions if isinstance(each.unalias(), exp.Count)]
    for node in found:
        count = node.unalias()
        count.replace(exp.Coalesce(this=count.copy(), expressions=[_ZERO.copy()]))
    return bool(found)


def _compared(tree: exp.Query) -> list[exp.Binary]:
    """Comparisons of a column with a whole number, which 0 does not meet."""
    found = tree.find_all(exp.GT, exp.GTE, exp.EQ)
    return [
        each
        for each in found
        if isinstance(each.left, exp.Column)
        and isinstance(each.right, exp.Literal)
        and not each.right.is_string
        and each.right.this.isdigit()
        and int(each.right.this) > 0
    ]


def comparison_coalesced(tree: exp.Query) -> bool:
    """`COALESCE(x, 0) > 10`."""
    found = _compared(tree)
    for node in found:
        node.set("this", exp.Coalesce(this=node.left.copy(), expressions=[_ZERO.copy()]))
    return bool(found)


def comparison_cast(tree: exp.Query) -> bool:
    """`CAST(x AS INTEGER) > 10`, where x is whole."""
    found = _compared(tree)
    for node in found:
        node.set("this", exp.Cast(this=node.left.copy(), to=exp.DataType.build("INTEGER")))
    return bool(found)


def nulls_excluded(tree: exp.Query) -> bool:
    """`x > 10 AND x IS NOT NULL`, for what is compared already."""
    changed = False
    for select in selects(tree):
        found = terms(select.args.get("where"))
        columns = [
            each.left
            for each in found
            if isinstance(each, exp.Predicate)
            and isinstance(each.args.get("this"), exp.Column)
            and isinstance(each, exp.EQ | exp.GT | exp.LT | exp.GTE | exp.LTE)
        ]
        if columns:
            guard = exp.Not(this=exp.Is(this=columns[0].copy(), expression=exp.Null()))
            where(select, [*found, guard])
            changed = True
    return changed


def cast_to_factor(tree: exp.Query) -> bool:
    """`x * 1.0 / y` for `CAST(x AS REAL) / y`."""
    found = [each for node in _divisions(tree) for each in node.find_all(exp.Cast)]
    for node in found:
        inner = node.this if isinstance(node.this, exp.Column | exp.Func) else exp.paren(node.this.copy())
        node.replace(exp.Mul(this=inner.copy(), expression=exp.Literal.number("1.0")))
    return bool(found)


def factor_to_cast(tree: exp.Query) -> bool:
    """`CAST(100 * x AS REAL) / y` for `100.0 * x / y`."""
    found = [each for each in tree.find_all(exp.Literal) if not each.is_string and each.this in ("100.0", "1.0")]
    for node in found:
        product = node.parent
        if not isinstance(product, exp.Mul) or not isinstance(product.parent, exp.Div):
            return False
        node.replace(exp.Literal.number(node.this.removesuffix(".0")))
        product.replace(exp.Cast(this=product.copy(), to=_REAL.copy()))
    return bool(found)


def hundred_moved(tree: exp.Query) -> bool:
    """`x / y * 100` for `x * 100 / y` and `100.0 * x / y`."""
    for node in _divisions(tree):
        product = node.left.unnest()
        if not isinstance(product, exp.Mul):
            continue
        for hundred, other in ((product.left, product.right), (product.right, product.left)):
            if isinstance(hundred, exp.Literal) and hundred.this in ("100", "100.0"):
                real = other.find(exp.Cast) is not None
                top = other.copy() if real else exp.Cast(this=other.copy(), to=_REAL.copy())
                quotient = exp.Div(this=top, expression=node.right.copy(), typed=False, safe=True)
                node.replace(exp.Mul(this=exp.paren(quotient), expression=exp.Literal.number(100)))
                return True
    return False


def _counting_case(node: exp.Expr) -> exp.Expr | None:
    """The condition of `CASE WHEN … THEN 1 ELSE 0 END`, or without ELSE."""
    if not isinstance(node, exp.Case) or node.this is not None or len(node.args["ifs"]) != 1:
        return None
    first, default = node.args["ifs"][0], node.args.get("default")
    return first.this if first.args["true"] == _ONE and default in (None, _ZERO) else None


def share_to_average(tree: exp.Query) -> bool:
    """`AVG(CASE WHEN … THEN 1.0 ELSE 0 END)` for a conditional count by the count of all."""
    for node in _divisions(tree):
        total = next((each for each in node.left.find_all(exp.Sum, exp.Count)), None)
        condition = _counting_case(total.this) if total is not None else None
        if condition is None or not isinstance(node.right, exp.Count) or not isinstance(node.right.this, exp.Star):
            continue
        case = exp.Case(ifs=[exp.If(this=condition.copy(), true=exp.Literal.number("1.0"))], default=_ZERO.copy())
        average: exp.Expr = exp.Avg(this=case)
        if any(each.this in ("100", "100.0") for each in node.left.find_all(exp.Literal)):
            average = exp.Mul(this=average, expression=exp.Literal.number(100))
        node.replace(average)
        return True
    return False


def _conditional_sums(tree: exp.Query) -> list[tuple[exp.Expr, exp.Expr]]:
    found = [(each, _counting_case(each.this)) for each in tree.find_all(exp.Sum)]
    return [(each, condition) for each, condition in found if condition is not None]


def sum_case_to_count_case(tree: exp.Query) -> bool:
    found = _conditional_sums(tree)
    for node, condition in found:
        node.replace(exp.Count(this=exp.Case(ifs=[exp.If(this=condition.copy(), true=_ONE.copy())]), big_int=True))
    return bool(found)


def sum_case_to_filter(tree: exp.Query) -> bool:
    found = _conditional_sums(tree)
    for node, condition in found:
        count = exp.Count(this=exp.Star(), big_int=True)
        node.replace(exp.Filter(this=count, expression=exp.Where(this=condition.copy())))
    return bool(found)


def sum_case_to_iif(tree: exp.Query) -> bool:
    found = _conditional_sums(tree)
    for node, condition in found:
        node.set("this", exp.If(this=condition.copy(), true=_ONE.copy(), false=_ZERO.copy()))
    return bool(found)
