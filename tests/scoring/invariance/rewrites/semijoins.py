"""Rows that have a partner, or none: by IN, EXISTS or JOIN."""

from __future__ import annotations

from sqlglot import exp

from tests.scoring.invariance.rewrites.trees import (
    aggregates,
    column,
    derived,
    equated,
    free_name,
    is_inner,
    items,
    on_terms,
    only_table,
    own_columns,
    qualify,
    selects,
    simple,
    tables_of,
    terms,
    where,
)


def in_to_exists(tree: exp.Query) -> bool:
    changed = False
    for node in [each for each in tree.find_all(exp.In) if each.args.get("query")]:
        parts = _membership(node)
        if parts is None:
            continue
        inner, key, outer = parts
        rest = [*terms(inner.args.get("where")), exp.EQ(this=key.copy(), expression=outer.copy())]
        inner.set("expressions", [exp.Literal.number(1)])
        inner.set("distinct", None)
        where(inner, rest)
        node.replace(exp.Exists(this=inner.copy()))
        changed = True
    return changed


def _membership(node: exp.In) -> tuple[exp.Select, exp.Column, exp.Column] | None:
    """The inner SELECT, its key and the outer column of `x IN (SELECT …)`, each with its table."""
    inner, outer, around = node.args["query"].this, node.this, node.find_ancestor(exp.Select)
    if around is None or not simple(inner) or not isinstance(outer, exp.Column) or len(inner.expressions) != 1:
        return None
    if not qualify(around):
        return None
    around_names = {each.alias_or_name for each in items(around)}
    table = only_table(inner)
    if table is not None and table.alias_or_name in around_names:
        _alias(inner, table, free_name(node, "inner_rows", "inner"))
    if not qualify(inner):
        return None
    key = inner.expressions[0].unalias()
    return (inner, key, outer) if isinstance(key, exp.Column) and key.table and outer.table else None


def _alias(select: exp.Select, table: exp.Table, name: str) -> None:
    old = table.alias_or_name
    for each in own_columns(select):
        if each.table == old:
            each.set("table", exp.to_identifier(name))
    table.set("alias", exp.TableAlias(this=exp.to_identifier(name)))


def exists_to_in(tree: exp.Query) -> bool:
    changed = False
    for node in list(tree.find_all(exp.Exists)):
        inner = node.this.this if isinstance(node.this, exp.Subquery) else node.this
        table = only_table(inner) if simple(inner) else None
        if table is None:
            continue
        found = terms(inner.args.get("where"))
        keys = [(each, pair) for each in found if (pair := equated(each, table.alias_or_name)) is not None]
        if len(keys) != 1:
            continue
        term, (own, outer) = keys[0]
        inner.set("expressions", [own.copy()])
        where(inner, [each for each in found if each is not term])
        node.replace(exp.In(this=outer.copy(), query=exp.Subquery(this=inner.copy())))
        changed = True
    return changed


def _member_terms(tree: exp.Query) -> list[tuple[exp.Select, exp.In]]:
    """Each `x IN (SELECT …)` that is a term of WHERE."""
    found = [(select, each) for select in selects(tree) for each in terms(select.args.get("where"))]
    return [(select, each) for select, each in found if isinstance(each, exp.In) and each.args.get("query")]


def in_to_join(tree: exp.Query) -> bool:
    """A plain join: the same where the inner key is unique or the answer DISTINCT."""
    for select, node in _member_terms(tree):
        parts = _membership(node)
        table = only_table(parts[0]) if parts is not None else None
        if parts is None or table is None:
            continue
        inner, key, outer = parts
        kept = [each for each in terms(select.args["where"]) if each is not node]
        condition = exp.EQ(this=outer.copy(), expression=key.copy())
        moved = terms(inner.args.get("where"))
        select.append("joins", exp.Join(this=table.copy(), on=condition, kind="INNER"))
        where(select, [*kept, *moved])
        return True
    return False


def in_to_distinct_join(tree: exp.Query) -> bool:
    """A join with the distinct keys."""
    for select, node in _member_terms(tree):
        parts = _membership(node)
        if parts is None:
            continue
        inner, key, outer = parts
        kept = [each for each in terms(select.args["where"]) if each is not node]
        name = free_name(tree, "matching", "chosen")
        keys = inner.copy()
        keys.set("distinct", exp.Distinct())
        condition = exp.EQ(this=outer.copy(), expression=column(name, key.name))
        select.append("joins", exp.Join(this=derived(keys, name), on=condition, kind="INNER"))
        where(select, kept)
        return True
    return False


def join_to_in(tree: exp.Query) -> bool:
    """For a table that only restricts rows."""
    return any(_without_join(select) for select in selects(tree))


def join_to_exists(tree: exp.Query) -> bool:
    return join_to_in(tree) and in_to_exists(tree)


def _without_join(select: exp.Select) -> bool:
    joins = select.args.get("joins") or []
    for join in joins:
        table = join.this
        if not isinstance(table, exp.Table) or not is_inner(join) or len(on_terms(join)) != 1:
            continue
        name = table.alias_or_name
        pair = equated(on_terms(join)[0], name)
        found = terms(select.args.get("where"))
        own = [each for each in found if tables_of(each) == {name}]
        inside = {id(each) for term in (*own, join) for each in term.find_all(exp.Column)}
        others = [each for each in own_columns(select) if id(each) not in inside]
        if pair is None or any(each.table in (name, "") for each in others):
            continue
        inner = exp.Select(expressions=[pair[0].copy()]).from_(table.copy())
        where(inner, own)
        member = exp.In(this=pair[1].copy(), query=exp.Subquery(this=inner))
        select.set("joins", [each for each in joins if each is not join])
        where(select, [*(each for each in found if each not in own), member])
        return True
    return False


def not_in_to_outer_join(tree: exp.Query) -> bool:
    """`LEFT JOIN … WHERE key IS NULL`."""
    for node in list(tree.find_all(exp.Not)):
        member, select = node.this, node.find_ancestor(exp.Select)
        if not isinstance(member, exp.In) or not member.args.get("query") or select is None or aggregates(select):
            continue
        parts = _membership(member)
        table = only_table(parts[0]) if parts is not None else None
        if parts is None or table is None or node not in terms(select.args.get("where")):
            continue
        inner, key, outer = parts
        condition = exp.and_(exp.EQ(this=key.copy(), expression=outer.copy()), *terms(inner.args.get("where")))
        kept = [each for each in terms(select.args["where"]) if each is not node]
        select.append("joins", exp.Join(this=table.copy(), on=condition, side="LEFT"))
        where(select, [*kept, exp.Is(this=key.copy(), expression=exp.Null())])
        return True
    return False


def outer_join_to_not_exists(tree: exp.Query) -> bool:
    for select in selects(tree):
        for join in select.args.get("joins") or ():
            found = terms(select.args.get("where"))
            name = join.this.alias_or_name
            nulls = [each for each in found if isinstance(each, exp.Is) and tables_of(each) == {name}]
            if str(join.args.get("side")).upper() != "LEFT" or len(nulls) != 1 or join.args.get("on") is None:
                continue
            inner = exp.Select(expressions=[exp.Literal.number(1)]).from_(join.this.copy())
            where(inner, on_terms(join))
            select.set("joins", [each for each in select.args["joins"] if each is not join])
            where(select, [*(each for each in found if each is not nulls[0]), exp.Not(this=exp.Exists(this=inner))])
            return True
    return False
