"""The same steps in a CTE, in a subquery or in one query."""

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
    own_columns,
    qualify,
    selects,
    tables_of,
    terms,
    where,
    with_cte,
)


def cte_to_subquery(tree: exp.Query) -> bool:
    clause = tree.args.get("with_")
    if clause is None or clause.args.get("recursive"):
        return False
    queries = {each.alias: each.this for each in clause.expressions}
    tree.set("with_", None)
    for _ in queries:
        for table in list(tree.find_all(exp.Table)):
            if table.name in queries:
                table.replace(derived(queries[table.name].copy(), table.alias_or_name))
    return True


def subquery_to_cte(tree: exp.Query) -> bool:
    """The first derived table."""
    node = next((each for each in tree.find_all(exp.Subquery) if isinstance(each.parent, exp.From | exp.Join)), None)
    if node is None or not node.alias:
        return False
    name = free_name(tree, "step", "steps")
    table = exp.to_table(name)
    table.set("alias", exp.TableAlias(this=exp.to_identifier(node.alias)))
    inner = node.this.copy()
    node.replace(table)
    with_cte(tree, name, inner)
    return True


def filter_in_cte(tree: exp.Query) -> bool:
    """The conditions of one table in a CTE, with the columns that are needed."""
    found = _filtered(tree)
    if found is None:
        return False
    table, inner = found
    name = free_name(tree, "filtered", "chosen_rows")
    new = exp.to_table(name)
    new.set("alias", exp.TableAlias(this=exp.to_identifier(table.alias_or_name)))
    table.replace(new)
    with_cte(tree, name, inner)
    return True


def filter_in_subquery(tree: exp.Query) -> bool:
    found = _filtered(tree)
    if found is None:
        return False
    table, inner = found
    table.replace(derived(inner, table.alias_or_name))
    return True


def _filtered(tree: exp.Query) -> tuple[exp.Table, exp.Select] | None:
    """The first table of the main SELECT with conditions of its own, and the query of its rows."""
    if not isinstance(tree, exp.Select) or not qualify(tree):
        return None
    for table in [each for each in items(tree) if isinstance(each, exp.Table)]:
        joined = table.parent
        if isinstance(joined, exp.Join) and not is_inner(joined):
            continue
        name = table.alias_or_name
        found = terms(tree.args.get("where"))
        own = [each for each in found if tables_of(each) == {name} and each.find(exp.Select) is None]
        if not own:
            continue
        where(tree, [each for each in found if each not in own])
        needed = dict.fromkeys(each.name for each in tree.find_all(exp.Column) if each.table == name)
        outputs = [column(name, each) for each in needed] or [exp.Star()]
        inner = exp.Select(expressions=outputs).from_(table.copy())
        where(inner, own)
        return table, inner
    return None


def answer_in_cte(tree: exp.Query) -> bool:
    """The whole answer in a CTE, then selected from it."""
    if not isinstance(tree, exp.Select) or any(tree.args.get(part) for part in ("with_", "order", "limit", "distinct")):
        return False
    inner = tree.copy()
    outputs: list[str] = []
    for place, each in enumerate(inner.expressions):
        name = each.alias_or_name if each.alias_or_name not in (*outputs, "", "*") else f"value_{place + 1}"
        outputs.append(name)
        if each.alias_or_name != name:
            each.replace(exp.alias_(each.unalias().copy(), name))
    name = free_name(tree, "answer", "answers")
    for part in list(tree.args):
        tree.set(part, None)
    tree.set("expressions", [exp.column(each) for each in outputs])
    tree.set("from_", exp.From(this=exp.to_table(name)))
    with_cte(tree, name, inner)
    return True


def _scalar(tree: exp.Query) -> exp.Subquery | None:
    """The first comparison with a total that reads nothing around it."""
    for node in tree.find_all(exp.Subquery):
        inner = node.this
        compared = isinstance(node.parent, exp.EQ | exp.GT | exp.LT | exp.GTE | exp.LTE)
        if not compared or not isinstance(inner, exp.Select) or not aggregates(inner) or inner.args.get("group"):
            continue
        names = {each.alias_or_name for each in items(inner)}
        if all(each.table in ("", *names) for each in inner.find_all(exp.Column)):
            return node
    return None


def scalar_in_cte(tree: exp.Query) -> bool:
    """`x > (SELECT value FROM overall)`."""
    node = _scalar(tree)
    if node is None or not isinstance(tree, exp.Select):
        return False
    name = free_name(tree, "overall", "totals")
    inner = _with_value(node.this)
    node.this.replace(exp.Select(expressions=[exp.column("value")]).from_(exp.to_table(name)))
    with_cte(tree, name, inner)
    return True


def _with_value(select: exp.Select) -> exp.Select:
    inner = select.copy()
    inner.set("expressions", [exp.alias_(inner.expressions[0].unalias().copy(), "value")])
    return inner


def scalar_by_cross_join(tree: exp.Query) -> bool:
    """`FROM t CROSS JOIN overall WHERE x > overall.value`."""
    node = _scalar(tree)
    select = node.find_ancestor(exp.Select) if node is not None else None
    if node is None or select is None or select is not tree or not qualify(select):
        return False
    name = free_name(tree, "overall", "totals")
    inner = _with_value(node.this)
    node.replace(column(name, "value"))
    select.append("joins", exp.Join(this=exp.to_table(name), kind="CROSS"))
    with_cte(tree, name, inner)
    return True


def having_in_subquery(tree: exp.Query) -> bool:
    """HAVING as WHERE around a query that groups."""
    if not isinstance(tree, exp.Select) or tree.args.get("having") is None or tree.args.get("order"):
        return False
    having = terms(tree.args["having"])
    totals = list(dict.fromkeys(each for term in having for each in term.find_all(exp.AggFunc)))
    if any(each.find(exp.Select) for each in having) or not totals:
        return False
    inner = tree.copy()
    inner.set("having", None)
    outputs = [_named(each, f"output_{place + 1}") for place, each in enumerate(inner.expressions)]
    aliases = {each: f"total_{place + 1}" for place, each in enumerate(totals)}
    inner.set("expressions", [*outputs, *(exp.alias_(each.copy(), name) for each, name in aliases.items())])
    kept = [_replaced(each, aliases) for each in having]
    for part in list(tree.args):
        tree.set(part, None)
    tree.set("expressions", [exp.column(each.alias_or_name) for each in outputs])
    tree.set("from_", exp.From(this=derived(inner, free_name(inner, "grouped", "groups"))))
    where(tree, kept)
    return True


def _named(output: exp.Expr, name: str) -> exp.Expr:
    return output.copy() if output.alias_or_name else exp.alias_(output.copy(), name)


def _replaced(term: exp.Expr, aliases: dict[exp.AggFunc, str]) -> exp.Expr:
    """A term of HAVING with names for its totals."""
    return term.copy().transform(
        lambda node: exp.column(aliases[node]) if isinstance(node, exp.AggFunc) and node in aliases else node
    )


def aggregate_before_join(tree: exp.Query) -> bool:
    """`JOIN (SELECT key, SUM(x) … GROUP BY key)` for GROUP BY after the join."""
    for select in selects(tree):
        joins, group = select.args.get("joins") or [], select.args.get("group")
        if len(joins) != 1 or group is None or not is_inner(joins[0]) or select.args.get("where") is not None:
            continue
        totals = list(select.find_all(exp.AggFunc))
        many = {name for each in totals for name in tables_of(each)} or {joins[0].this.alias_or_name}
        if len(many) == 1 and _grouped_first(select, next(iter(many)), totals):
            return True
    return False


def _grouped_first(select: exp.Select, many: str, totals: list[exp.AggFunc]) -> bool:
    pair = equated(on_terms(select.args["joins"][0])[0], many)
    table = next(each for each in items(select) if each.alias_or_name == many)
    inside = {id(each) for node in (*totals, select.args["joins"][0]) for each in node.find_all(exp.Column)}
    others = [each for each in own_columns(select) if id(each) not in inside]
    if pair is None or any(each.table in (many, "") for each in others):
        return False
    aliases = {each: f"total_{place + 1}" for place, each in enumerate(dict.fromkeys(totals))}
    outputs = [pair[0].copy(), *(exp.alias_(each.copy(), name) for each, name in aliases.items())]
    inner = exp.Select(expressions=outputs).from_(table.copy()).group_by(pair[0].copy())
    for each in totals:
        each.replace(column(many, aliases[each]))
    table.replace(derived(inner, many))
    having = terms(select.args.get("having"))
    select.set("group", None)
    select.set("having", None)
    where(select, having)
    return True
