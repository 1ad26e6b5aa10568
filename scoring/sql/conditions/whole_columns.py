"""Recognises `x IN (SELECT x FROM t)`: the query gives every value of the column that is compared with it."""

from __future__ import annotations

from sqlglot import exp

from scoring.sql.builder import SpecificationBuilder
from scoring.sql.expressions import bare
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node, Term

_NARROWING = ("having", "qualify", "limit", "offset", "joins", "sample", "with_")
"""Clauses that may leave out values of a column. WHERE is looked at by its conditions; GROUP BY keeps all values."""


def is_whole_column(scope: Scope, query: Node, key: Term, term: Term) -> bool:
    """Whether a query without filters gives every value of the very column that is compared with it."""
    if not key.is_column or not term.lookup or key.columns != term.columns or key.columns[0].table is None:
        return False
    return not term.correlated and gives_all_rows(scope, query)


def gives_all_rows(scope: Scope, query: Node) -> bool:
    """Whether a query, and each query that it reads, leaves out no row of its table.

    A WHERE may test that one column is not NULL, or that two are equal.
    """
    while True:
        inner = query.args["this"] if type(query) is exp.Subquery else query
        if type(inner) is not exp.Select or _narrows(inner):
            return False
        clause = inner.args.get("from_")
        source = clause.args["this"] if clause is not None else None
        if type(source) is not exp.Subquery:
            break
        query = source
    if type(source) is not exp.Table or source.args.get("joins") or source.args.get("sample") is not None:
        return False
    cte = scope.ctes.find(source.name.lower()) if source.args.get("db") is None else None
    return cte is None or not _is_narrowed(scope.spec, cte.path)


def _narrows(query: Node) -> bool:
    return any(query.args.get(each) is not None for each in _NARROWING) or not _keeps_most(query.args.get("where"))


def _keeps_most(where: Node | None) -> bool:
    if where is None:
        return True
    condition = bare(where.args["this"])
    if type(condition) is exp.EQ:
        return type(condition.args["this"]) is type(condition.args["expression"]) is exp.Column
    test = bare(condition.args["this"]) if type(condition) is exp.Not else condition
    present = type(test) is exp.Is and type(test.args["expression"]) is exp.Null
    return present and (test is condition) is bool(test.args.get("negate"))


def _is_narrowed(spec: SpecificationBuilder, path: str) -> bool:
    """Whether a CTE, or one that it reads, has conditions, joins, groups, limits or set operations."""
    paths, waiting = {path}, [path]
    while waiting:
        path = waiting.pop()
        found = {cte for block, cte in spec.reads if _is_inside(block, path)} - paths
        paths |= found
        waiting += found
    parts = (spec.filters.values(), spec.joins, spec.group_by, spec.limits, spec.subqueries)
    blocks = {each.block for each_list in parts for each in each_list} | {each.left for each in spec.set_operations}
    return any(_is_inside(block, path) for block in blocks for path in paths)


def _is_inside(block: str, path: str) -> bool:
    return block == path or block.startswith(f"{path}/")
