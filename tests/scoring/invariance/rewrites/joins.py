"""The same join in another order, or with its conditions elsewhere."""

from __future__ import annotations

from sqlglot import exp

from tests.scoring.invariance.rewrites.trees import equated, is_inner, items, on_terms, selects, tables_of, terms, where


def _first_pair(tree: exp.Query) -> tuple[exp.Select, exp.Join] | None:
    """The first SELECT whose first join is an inner join of two tables."""
    for select in selects(tree):
        joins = select.args.get("joins")
        if joins and is_inner(joins[0]) and isinstance(joins[0].this, exp.Table):
            return select, joins[0]
    return None


def tables_swapped(tree: exp.Query) -> bool:
    """`FROM b JOIN a` for `FROM a JOIN b`."""
    found = _first_pair(tree)
    if found is None:
        return False
    select, join = found
    first = select.args["from_"].this
    second = join.this
    one, other = first.copy(), second.copy()
    first.replace(other)
    second.replace(one)
    return True


def sides_swapped(tree: exp.Query) -> bool:
    """`b.y = a.x` for `a.x = b.y`."""
    found = [each for join in tree.find_all(exp.Join) for each in on_terms(join) if isinstance(each, exp.EQ)]
    for each in found:
        each.replace(exp.EQ(this=each.right.copy(), expression=each.left.copy()))
    return bool(found)


def comma_join(tree: exp.Query) -> bool:
    """`FROM a, b WHERE a.x = b.y`."""
    changed = False
    for select in selects(tree):
        joins = select.args.get("joins") or []
        if not joins or not all(is_inner(each) for each in joins):
            continue
        conditions = [each for join in joins for each in on_terms(join)]
        select.set("joins", [exp.Join(this=each.this.copy()) for each in joins])
        where(select, [*conditions, *terms(select.args.get("where"))])
        changed = True
    return changed


def conditions_in_on(tree: exp.Query) -> bool:
    """The conditions of a joined table in ON."""
    changed = False
    for select in selects(tree):
        for join in select.args.get("joins") or ():
            name, found = join.this.alias_or_name, terms(select.args.get("where"))
            own = [each for each in found if tables_of(each) == {name} and each.find(exp.Select) is None]
            if not own or not is_inner(join):
                continue
            join.set("on", exp.and_(*on_terms(join), *own, wrap=False))
            where(select, [each for each in found if each not in own])
            changed = True
    return changed


def left_join(tree: exp.Query) -> bool:
    """LEFT JOIN where a condition keeps only rows with a partner."""
    found = _first_pair(tree)
    if found is None:
        return False
    found[1].set("side", "LEFT")
    found[1].set("kind", None)
    return True


def other_side_of_key(tree: exp.Query) -> bool:
    """The other of two equated columns in GROUP BY, outputs and COUNT."""
    for select in selects(tree):
        names = [each.alias_or_name for each in items(select)]
        for join in select.args.get("joins") or ():
            if not is_inner(join):
                continue
            pairs = [equated(each, join.this.alias_or_name) for each in on_terms(join)]
            for pair in pairs:
                if pair is not None and _exchanged(select, pair):
                    return len(names) > 1
    return False


def _exchanged(select: exp.Select, pair: tuple[exp.Column, exp.Column]) -> bool:
    places = [*select.expressions, *(part for part in [select.args.get("group")] if part is not None)]
    found = [each for part in places for each in part.find_all(exp.Column) if each in pair]
    for each in found:
        each.replace((pair[1] if each == pair[0] else pair[0]).copy())
    return bool(found)
