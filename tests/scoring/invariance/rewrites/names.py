"""Other aliases, qualifiers and references to outputs."""

from __future__ import annotations

from sqlglot import exp

from tests.scoring.invariance.rewrites.trees import items, own_columns, qualify, selects


def _tables(select: exp.Select) -> list[exp.Table]:
    return [each for each in items(select) if isinstance(each, exp.Table)]


def _realias(tree: exp.Query, new: dict[int, str | None]) -> None:
    """Gives the tables (by identity) other aliases, and their columns in the SELECT and inside it."""
    for select in selects(tree):
        names = {each.alias_or_name: new[id(each)] or each.name for each in _tables(select) if id(each) in new}
        for each in select.find_all(exp.Column):
            if each.table in names and _owner(each, each.table) is select:
                each.set("table", exp.to_identifier(names[each.table]))
    for table in list(tree.find_all(exp.Table)):
        if id(table) in new:
            name = new[id(table)]
            table.set("alias", exp.TableAlias(this=exp.to_identifier(name)) if name else None)


def _owner(column: exp.Column, name: str) -> exp.Select | None:
    """The innermost SELECT around a column that has an item of this name."""
    select = column.find_ancestor(exp.Select)
    while select is not None and name not in {each.alias_or_name for each in items(select)}:
        select = select.find_ancestor(exp.Select)
    return select


def aliases_renamed(tree: exp.Query) -> bool:
    """T1, T2, … for every table."""
    tables = [each for select in selects(tree) for each in _tables(select)]
    for select in selects(tree):
        if len(_tables(select)) > 0 and not qualify(select):
            return False
    # Old and new aliases may overlap, so they change by way of others.
    _realias(tree, {id(each): f"zz{place}" for place, each in enumerate(tables)})
    _realias(tree, {id(each): f"T{place + 1}" for place, each in enumerate(tables)})
    return bool(tables)


def aliases_dropped(tree: exp.Query) -> bool:
    """Tables under their own names."""
    tables = [each for select in selects(tree) for each in _tables(select)]
    names = [each.name for each in tables]
    if len(set(names)) != len(names) or not any(each.alias for each in tables):
        return False
    _realias(tree, {id(each): None for each in tables})
    return True


def qualifiers_dropped(tree: exp.Query) -> bool:
    """Columns without their tables, where only one table has them."""
    changed = False
    for select in selects(tree):
        for each in own_columns(select):
            if each.table and each.find_ancestor(exp.Join) is None:
                each.set("table", None)
                changed = True
    return changed


def qualifiers_added(tree: exp.Query) -> bool:
    bare = [each for each in tree.find_all(exp.Column) if not each.table]
    return bool(bare) and all(qualify(select) for select in selects(tree))


def outputs_named(tree: exp.Query) -> bool:
    """Names for computed outputs."""
    if not isinstance(tree, exp.Select):
        return False
    found = [each for each in tree.expressions if not isinstance(each, exp.Alias | exp.Column | exp.Star)]
    for place, each in enumerate(found):
        each.replace(exp.alias_(each.copy(), f"result_{place + 1}"))
    return bool(found)


def outputs_unnamed(tree: exp.Query) -> bool:
    if not isinstance(tree, exp.Select) or tree.args.get("order"):
        return False
    found = [each for each in tree.expressions if isinstance(each, exp.Alias)]
    for each in found:
        each.replace(each.this.copy())
    return bool(found)


def group_by_ordinal(tree: exp.Query) -> bool:
    """GROUP BY 1 for a key that is shown."""
    group = tree.args.get("group")
    if group is None or not isinstance(tree, exp.Select):
        return False
    shown = [each.unalias() for each in tree.expressions]
    changed = False
    for key in list(group.expressions):
        if key in shown:
            key.replace(exp.Literal.number(shown.index(key) + 1))
            changed = True
    return changed


def order_by_alias(tree: exp.Query) -> bool:
    """ORDER BY the name of an output."""
    order = tree.args.get("order")
    if order is None or not isinstance(tree, exp.Select):
        return False
    for key in order.expressions:
        shown = next((each for each in tree.expressions if each.unalias() == key.this), None)
        if shown is not None:
            shown.replace(exp.alias_(shown.unalias().copy(), "sort_value"))
            key.set("this", exp.column("sort_value"))
            return True
    return False
