"""DISTINCT where no row repeats, and other ways to show each row once."""

from __future__ import annotations

from sqlglot import exp

from tests.scoring.invariance.rewrites.trees import aggregates, items, own_columns


def distinct_answer(tree: exp.Query) -> bool:
    if not isinstance(tree, exp.Select) or tree.args.get("distinct"):
        return False
    tree.set("distinct", exp.Distinct())
    return True


def plain_answer(tree: exp.Query) -> bool:
    if not isinstance(tree, exp.Select) or not tree.args.get("distinct"):
        return False
    tree.set("distinct", None)
    return True


def distinct_subquery(tree: exp.Query) -> bool:
    """`IN (SELECT DISTINCT …)`."""
    found = [each.args["query"].this for each in tree.find_all(exp.In) if each.args.get("query")]
    found = [each for each in found if isinstance(each, exp.Select) and not each.args.get("distinct")]
    for each in found:
        each.set("distinct", exp.Distinct())
    return bool(found)


def distinct_to_group_by(tree: exp.Query) -> bool:
    """GROUP BY of all outputs for SELECT DISTINCT."""
    if not isinstance(tree, exp.Select) or not tree.args.get("distinct") or aggregates(tree) or tree.args.get("group"):
        return False
    tree.set("distinct", None)
    tree.set("group", exp.Group(expressions=[each.unalias().copy() for each in tree.expressions]))
    return True


def _counted(tree: exp.Query) -> tuple[list[exp.Count], exp.Column] | None:
    """Each COUNT(*), and the first column of the first table that a condition or a join reads."""
    found = [each for each in tree.find_all(exp.Count) if isinstance(each.this, exp.Star)]
    select = found[0].find_ancestor(exp.Select) if found else None
    if select is None or not items(select):
        return None
    first = items(select)[0].alias_or_name
    names = (first,) if len(items(select)) > 1 else ("", first)
    read = next((each for each in own_columns(select) if each.table in names), None)
    return (found, read) if read is not None else None


def count_of_column(tree: exp.Query) -> bool:
    """COUNT of a column that is never NULL for COUNT(*)."""
    found = _counted(tree)
    for node in found[0] if found is not None else ():
        node.set("this", found[1].copy() if found is not None else None)
    return found is not None


def count_of_distinct_keys(tree: exp.Query) -> bool:
    """COUNT(DISTINCT key) for COUNT(*)."""
    found = _counted(tree)
    for node in found[0] if found is not None else ():
        node.set("this", exp.Distinct(expressions=[found[1].copy()] if found is not None else []))
    return found is not None
