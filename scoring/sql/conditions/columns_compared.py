"""Comparisons without a constant: join keys, bounds on the time between moments, queries that give a whole column."""

from __future__ import annotations

from types import MappingProxyType

from sqlglot import exp

from scoring.specification import Clause, Op
from scoring.sql.builder import SpecificationBuilder
from scoring.sql.constants import length_of_time
from scoring.sql.drafts import FLIPPED, FilterDraft
from scoring.sql.expressions import bare
from scoring.sql.resolution import Resolved
from scoring.sql.scopes import Scope, read
from scoring.sql.terms import Node, Term, children, combine
from scoring.values import Number

_WRAPPERS = frozenset({exp.Paren, exp.Cast, exp.TryCast, exp.Lower, exp.Upper, exp.Trim, exp.Collate})


def equates_join_keys(scope: Scope, left: Node, right: Node, clause: Clause) -> bool:
    """Whether `left = right` joins two FROM items; if so, the pair is added to the join they belong to."""
    left, right = _unwrapped(left), _unwrapped(right)
    if type(left) is not exp.Column or type(right) is not exp.Column:
        return False
    one, other = scope.column(left), scope.column(right)
    if one[0] is not None and one[0] is other[0]:
        return False
    if (one[0] is None or other[0] is None) and not _may_join_unknown(scope, left, right, clause):
        return False
    if scope.columns.correlated and (one[0] is None) is not (other[0] is None):
        own, outer = (one[1], other[1]) if other[0] is None else (other[1], one[1])
        if own.is_column and outer.is_column:
            scope.columns.outer_pairs.append((own.columns[0], outer.columns[0]))
    _add_pair(scope, one, other)
    return True


def _may_join_unknown(scope: Scope, left: Node, right: Node, clause: Clause) -> bool:
    """Whether a column of an unknown item joins: it is an outer column, or stands in ON, or tables are listed."""
    for node in (left, right):
        qualifier = node.args.get("table")
        if qualifier is not None and qualifier.name.lower() not in scope.columns.items:
            return True
    return clause is Clause.ON or scope.joins.lists_tables


def _unwrapped(node: Node) -> Node:
    while type(node) in _WRAPPERS:
        node = node.args["this"]
    return node


def _add_pair(scope: Scope, one: Resolved, other: Resolved) -> None:
    """Adds the pair to the later of the joins that brought the two items; ignores pairs with an outer block."""
    (first, left), (second, right) = one, other
    if not left.columns or not right.columns or not scope.joins.all:
        return
    join = scope.joins.later_of(first, second)
    if join is None:
        if first is not None or second is not None or scope.columns.correlated:
            return
        join = scope.joins.all[-1]
    join.pairs.append((left.columns[0], right.columns[0]))
    scope.joins.paired.append(join)


_SHIFTING = (exp.Add, exp.Sub, exp.DateAdd, exp.DateSub, exp.TimestampAdd, exp.TimestampSub, exp.DatetimeAdd)
_BACK = (exp.Sub, exp.DateSub, exp.TimestampSub)


def difference(scope: Scope, op: Op, left: Node, right: Node) -> FilterDraft | None:
    """`a <= b + 24 hours` as `a - b <= 24`; `None` for another comparison. Neither side is a constant."""
    if op in (Op.EQ, Op.NE):
        return None
    shift = _shift(scope, right)
    if shift is None:
        left, right, op = right, left, FLIPPED[op]
        shift = _shift(scope, right)
    if shift is None:
        return None
    first, second = read(scope, left), read(scope, bare(right.args["this"]))
    if type(right) in _BACK:
        first, second, op = second, first, FLIPPED[op]
    return FilterDraft(combine(f"{first.name} - {second.name}", [first, second]).operand, op, shift)


def _shift(scope: Scope, node: Node) -> Number | None:
    """How far a moment is shifted, if the node shifts one."""
    amount: Node | None = node.args.get("expression") if type(node) in _SHIFTING else None
    return None if amount is None else length_of_time(scope, bare(amount), node.args.get("unit"))


_NARROWING = ("having", "qualify", "limit", "offset", "joins", "sample", "with_")
"""Clauses that may leave out values of a column. WHERE is looked at by its conditions; GROUP BY keeps all values."""


def is_whole_column(scope: Scope, query: Node, key: Term, term: Term) -> bool:
    """Whether a query without filters gives every value of the very column that is compared with it."""
    if not key.is_column or not term.lookup or key.columns != term.columns or key.columns[0].table is None:
        return False
    return not term.correlated and gives_all_rows(scope, query)


def extreme_met(scope: Scope, op: Op, key: Term, term: Term, query: Node) -> bool | None:
    """Whether each value of a column meets a comparison with the column's own extreme, or none does; else `None`.

    `x <= (SELECT MAX(x) FROM t)` holds for every row of t.
    """
    func = _EXTREMES.get(op)
    if func is None or not key.is_column or key.columns[0].table is None or term.correlated:
        return None
    if term.columns != key.columns or f" {func[0]}({key.name}) from " not in term.name:
        return None
    inner = query.args["this"] if type(query) is exp.Subquery else query
    return func[1] if inner.args.get("where") is None and gives_all_rows(scope, query) else None


def gives_back(scope: Scope, left: Node, query: Node, term: Term) -> bool:
    """Whether a query of IN gives the very column that is compared with it: `x IN (SELECT t.x FROM u WHERE …)`."""
    query = query.args["this"] if type(query) is exp.Subquery else query
    outputs = children(query, "expressions") if term.correlated and type(query) is exp.Select else []
    if len(outputs) != 1 or type(outputs[0]) is not exp.Column or type(left) is not exp.Column:
        return False
    given, around = outputs[0].text("table").lower(), scope.column(left)[0]
    own = {each.alias_or_name.lower() for each in query.find_all(exp.Table)}
    return given not in own and scope.columns.items.get(given) is around is not None and _is_same_name(left, outputs[0])


def _is_same_name(one: Node, other: Node) -> bool:
    return one.name.lower() == other.name.lower()


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


_EXTREMES = MappingProxyType({Op.GE: ("min", True), Op.LE: ("max", True), Op.LT: ("min", False), Op.GT: ("max", False)})
"""Of each comparison, the extreme that decides it and whether it then holds."""


def _is_inside(block: str, path: str) -> bool:
    return block == path or block.startswith(f"{path}/")
