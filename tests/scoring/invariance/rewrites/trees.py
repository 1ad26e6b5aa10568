"""What rewrites need of syntax trees."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp


def selects(tree: exp.Query) -> list[exp.Select]:
    return list(tree.find_all(exp.Select))


def terms(condition: exp.Expr | None) -> list[exp.Expr]:
    """The terms of an AND."""
    if condition is None:
        return []
    node = condition.this if isinstance(condition, exp.Where | exp.Having) else condition
    if isinstance(node, exp.Paren):
        return terms(node.this)
    return [*terms(node.left), *terms(node.right)] if isinstance(node, exp.And) else [node]


def where(select: exp.Select, kept: Iterable[exp.Expr]) -> None:
    """Makes these terms the WHERE of a SELECT."""
    parts = [bracketed(each) for each in kept]
    select.set("where", exp.Where(this=exp.and_(*parts, wrap=False)) if parts else None)


def bracketed(node: exp.Expr) -> exp.Expr:
    return exp.paren(node.copy()) if isinstance(node, exp.Or) else node.copy()


def items(select: exp.Select) -> list[exp.Expr]:
    """The items of FROM and JOIN."""
    clause = select.args.get("from_")
    joined = [each.this for each in select.args.get("joins") or ()]
    return ([clause.this] if clause is not None else []) + joined


def only_table(select: exp.Select) -> exp.Table | None:
    found = items(select)
    return found[0] if len(found) == 1 and isinstance(found[0], exp.Table) else None


def own_columns(select: exp.Select) -> list[exp.Column]:
    """The columns that stand in a SELECT itself, not in a query inside it."""
    return [each for each in select.find_all(exp.Column) if each.find_ancestor(exp.Select) is select]


def qualify(select: exp.Select) -> bool:
    """Names the table of each column, where the SELECT reads only one; says whether all columns have one now."""
    table = only_table(select)
    for column in own_columns(select):
        if not column.table:
            if table is None:
                if column.find_ancestor(exp.Order, exp.Group, exp.Having) is not None:
                    continue
                return False
            if not _names_output(select, column):
                column.set("table", exp.to_identifier(table.alias_or_name))
    return True


def _names_output(select: exp.Select, column: exp.Column) -> bool:
    named = {each.alias for each in select.expressions if isinstance(each, exp.Alias)}
    return column.name in named and column.find_ancestor(exp.Order, exp.Group, exp.Having) is not None


def simple(select: exp.Expr | None) -> bool:
    """Whether a query is one SELECT that neither groups nor cuts its rows."""
    return isinstance(select, exp.Select) and not any(
        select.args.get(part) for part in ("group", "having", "limit", "offset", "with_", "order", "qualify")
    )


def aggregates(select: exp.Select) -> bool:
    return any(each.find(exp.AggFunc) for each in select.expressions)


def tables_of(node: exp.Expr) -> set[str]:
    return {each.table for each in node.find_all(exp.Column)}


def column(table: str, name: str) -> exp.Column:
    return exp.column(name, table=table)


def on_terms(join: exp.Join) -> list[exp.Expr]:
    return terms(join.args.get("on"))


def is_inner(join: exp.Join) -> bool:
    args = join.args
    return not args.get("side") and str(args.get("kind") or "").upper() in ("", "INNER") and args.get("on") is not None


def equated(node: exp.Expr, table: str) -> tuple[exp.Column, exp.Column] | None:
    """(the table's column, the other column) of `a.x = b.y`."""
    if not isinstance(node, exp.EQ):
        return None
    for one, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(one, exp.Column) and isinstance(other, exp.Column) and one.table == table:
            return (one, other) if other.table not in ("", table) else None
    return None


def with_cte(tree: exp.Query, name: str, query: exp.Query) -> None:
    """Adds a CTE after those that a query has."""
    cte = exp.CTE(this=query, alias=exp.TableAlias(this=exp.to_identifier(name)))
    clause = tree.args.get("with_")
    if clause is None:
        tree.set("with_", exp.With(expressions=[cte]))
    else:
        clause.append("expressions", cte)


def derived(query: exp.Query, name: str) -> exp.Subquery:
    return exp.Subquery(this=query, alias=exp.TableAlias(this=exp.to_identifier(name)))


def free_name(tree: exp.Expr, *names: str) -> str:
    """The first of these names that the query does not use, with a number if it uses all."""
    used = {each.name.lower() for each in tree.root().find_all(exp.Identifier)}
    found = next((name for name in names if name not in used), None)
    return found or next(f"{names[-1]}{n}" for n in range(2, 99) if f"{names[-1]}{n}" not in used)
