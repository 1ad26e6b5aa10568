"""Reads one predicate in any spelling into draft filters, a join's pair, a top-k limit or a semi-join."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from types import MappingProxyType

from sqlglot import exp

from scoring.specification import NEGATION, Clause, Limit, Op, Operand, Subquery, SubqueryRole, VoidKind
from scoring.sql.calendar.moments import Constant
from scoring.sql.calendar.ranges import dated, run_of_parts, spanned, time_of
from scoring.sql.conditions.columns_compared import gives_all_rows
from scoring.sql.conditions.comparison import (
    comparison,
    expression,
    listed,
    note_last_day,
    plain,
    same_for_all,
    semi_join,
    versus,
)
from scoring.sql.conditions.matching import like, pattern_text, regular
from scoring.sql.constants import constant
from scoring.sql.drafts import FilterDraft, alternatives, fact
from scoring.sql.expressions import bare, read_value
from scoring.sql.folding.folder import verdict
from scoring.sql.folding.plain_conditions import is_plain
from scoring.sql.scopes import Scope, read
from scoring.sql.terms import Node, children, function_name, shorten
from scoring.sql.voids.arms import check_met, keeps_all
from scoring.sql.voids.changed_values import check_compared
from scoring.sql.voids.idle import note_decoy
from scoring.sql.voids.notes import discard, mark, note
from scoring.sql.voids.supplied_values import check_pattern
from scoring.values import Boolean, Expression, Number, RelativeTime, Text, TimeRange

_OPS: MappingProxyType[type[Node], Op] = MappingProxyType(
    {
        exp.EQ: Op.EQ,
        exp.NEQ: Op.NE,
        exp.LT: Op.LT,
        exp.LTE: Op.LE,
        exp.GT: Op.GT,
        exp.GTE: Op.GE,
        exp.NullSafeEQ: Op.EQ,
        exp.NullSafeNEQ: Op.NE,
    }
)


def predicate(scope: Scope, node: Node, clause: Clause, negated: bool) -> list[FilterDraft]:
    """The draft filters of one predicate; none if it is a join key, a semi-join, a rank or always true."""
    plainly = is_plain(scope, node)
    if not plainly:
        known = _known(scope, node, negated) or _keeping_all(scope, node, negated)
        if known is not None:
            return known
    reader = _PREDICATES.get(type(node))
    found = _truth(scope, node, negated) if reader is None else reader(scope, node, clause, negated)
    if _is_about_no_column(node, found):
        note_decoy(scope, node)
    if not plainly and type(node) in _COMPARING:
        check_compared(scope, node)
    if not plainly or type(node) in _REGULAR:
        check_met(scope, node, found)
    return found


def _is_about_no_column(node: Node, found: list[FilterDraft]) -> bool:
    """Whether a condition may be on literals alone: the calls in it are not evaluated."""
    if not found:
        return type(node) is exp.In and type(bare(node.args["this"])) is exp.Literal
    return len(found) == 1 and not found[0].lhs.columns and found[0].lhs.func is None


def _known(scope: Scope, node: Node, negated: bool) -> list[FilterDraft] | None:
    """What a condition comes to that holds for every row or for none; `None` for others."""
    folded = verdict(scope, node)
    if not folded.constant:
        return None
    truth = folded.value is not None and bool(folded.value) is not negated
    if not _reads_rows(node):
        note_decoy(scope, node)
        return fact(truth)
    before = mark(scope)
    shown = read(scope, node).name
    discard(scope, before)
    if truth:
        note(scope, VoidKind.CONDITION, shown)
    return fact(truth, shown)


def _keeping_all(scope: Scope, node: Node, negated: bool) -> list[FilterDraft] | None:
    """A condition about another condition that every typical row meets, as one that always holds; `None` for others."""
    if not keeps_all(scope, node, negated):
        return None
    before = mark(scope)
    shown = read(scope, node).name
    discard(scope, before)
    note(scope, VoidKind.CONDITION, f"not {shown}" if negated else shown)
    return fact(True, shown)


def _reads_rows(node: Node) -> bool:
    return node.find(exp.Column, exp.From, exp.AggFunc) is not None


def _compared(scope: Scope, node: Node, clause: Clause, negated: bool) -> list[FilterDraft]:
    op = _OPS[type(node)]
    left, right = bare(node.args["this"]), bare(node.args["expression"])
    if type(node) in (exp.NullSafeEQ, exp.NullSafeNEQ) and type(right) is exp.Null:
        return _null(scope, left, negated is (op is Op.EQ))
    return comparison(scope, NEGATION[op] if negated else op, left, right, clause)


def _null(scope: Scope, node: Node, present: bool) -> list[FilterDraft]:
    if type(node) is exp.Nullif and _is_text(node.args["expression"]):  # `NULLIF(c, 'x') IS NULL` is `c = 'x'`
        return comparison(
            scope, Op.NE if present else Op.EQ, bare(node.args["this"]), node.args["expression"], Clause.WHERE
        )
    term = read(scope, node)
    if term.constant and type(node) is exp.Column:
        return same_for_all(scope, f"{term.name} is null")
    return [FilterDraft(term.operand, Op.NOT_NULL if present else Op.IS_NULL, None)]


def _is_text(node: Node) -> bool:
    return type(node) is exp.Literal and bool(node.args["is_string"]) and len(node.name.strip()) > 1


def _is(scope: Scope, node: Node, clause: Clause, negated: bool) -> list[FilterDraft]:
    left, right = bare(node.args["this"]), bare(node.args["expression"])
    negated = negated is not bool(node.args.get("negate"))
    if type(right) is exp.Not:
        negated, right = not negated, right.args["this"]
    if type(right) is exp.Null:
        return _null(scope, left, negated)
    return comparison(scope, Op.NE if negated else Op.EQ, left, right, clause)


def _in(scope: Scope, node: Node, clause: Clause, negated: bool) -> list[FilterDraft]:
    left = bare(node.args["this"])
    query = node.args.get("query")
    members: list[Node] = children(node, "expressions")
    unnest = node.args.get("unnest")
    if query is None and len(members) == 1 and isinstance(bare(members[0]), exp.Query):
        query = bare(members[0])
    if query is not None:
        return semi_join(scope, left, query, negated=negated)
    if unnest is not None:
        array = unnest.args["expressions"][0] if unnest.args.get("expressions") else None
        members = array.args.get("expressions") or [array] if isinstance(array, exp.Expr) else []
    if node.args.get("field") is not None:
        field = node.args["field"]
        members = [field]
        cte = scope.ctes.find(field.name.lower()) if isinstance(field, exp.Expr) else None
        if cte is not None:  # SQLite's `x IN t`
            scope.spec.reads.append((scope.path, cte.path))
    return listed(scope, left, members, clause, negated=negated)


def _between(scope: Scope, node: Node, clause: Clause, negated: bool) -> list[FilterDraft]:
    left, low, high = (bare(node.args[part]) for part in ("this", "low", "high"))
    values = [constant(scope, each, value_side=True) for each in (low, high)]
    if values[0] is not None and values[1] is not None:
        spanning = _spanning(scope, left, values[0], values[1], negated)
        if spanning is not None:
            return spanning
    if negated:
        return alternatives([comparison(scope, Op.LT, left, low, clause), comparison(scope, Op.GT, left, high, clause)])
    return comparison(scope, Op.GE, left, low, clause) + comparison(scope, Op.LE, left, high, clause)


def _spanning(scope: Scope, left: Node, low: Constant, high: Constant, negated: bool) -> list[FilterDraft] | None:
    """BETWEEN two times or two ranks; `None` for other values."""
    term = read(scope, left)
    if term.rank is not None and not negated and isinstance(low, Number) and isinstance(high, Number):
        count, offset = int(high.value - low.value) + 1, max(0, int(low.value) - 1)
        limit = Limit(count=count, block=scope.path, offset=offset, ranked=True, partition=term.rank)
        scope.spec.limits.append(limit)
        return []
    first, last = (time_of(scope, term, value) for value in (low, high))
    run = run_of_parts(first, last)
    if run is not None:
        return [FilterDraft(dated(term).operand, Op.NOT_WITHIN if negated else Op.WITHIN, run)]
    if not isinstance(first, (TimeRange, RelativeTime)) or not isinstance(last, (TimeRange, RelativeTime)):
        return None
    span = spanned(first, last)
    if span is None:
        return None
    if not negated:
        note_last_day(scope, left, term, last)
    return [FilterDraft(dated(term).operand, Op.NOT_WITHIN if negated else Op.WITHIN, span)]


def _like(scope: Scope, node: Node, clause: Clause, negated: bool) -> list[FilterDraft]:
    escape = None
    if type(node) is exp.Escape:
        escape, node = node.args["expression"].name, node.args["this"]
    negated = negated is not bool(node.args.get("negate"))
    left, right = bare(node.args["this"]), bare(node.args["expression"])
    if type(right) in (exp.Any, exp.All):
        members: list[Node] = children(bare(right.args["this"]), "expressions")
        arms = [_pattern(scope, node, left, bare(each), escape, negated) for each in members]
        one_of = (type(right) is exp.Any) is not negated
        return alternatives(arms) if one_of else [draft for arm in arms for draft in arm]
    return _pattern(scope, node, left, right, escape, negated)


def _pattern(scope: Scope, node: Node, left: Node, right: Node, escape: str | None, negated: bool) -> list[FilterDraft]:
    raw = pattern_text(scope, right)
    term = read(scope, left)
    if raw is None:
        op = Op.NOT_LIKE if negated else Op.LIKE
        return [FilterDraft(term.operand, op, expression(read_value(scope, right), right))]
    if term.supplies or term.fallbacks:
        check_pattern(scope, term, raw)
    if type(node) in _REGULAR:
        return [regular(term, raw, negated=negated, full=bool(node.args.get("full_match")))]
    if type(node) is exp.Glob:
        raw = raw.replace("%", " ").replace("*", "%").replace("?", "_")
    found = like(term, raw, escape, negated=negated)
    return versus(scope, Op.NE if negated else Op.EQ, left, found) if isinstance(found, (Text, TimeRange)) else [found]


def _called(scope: Scope, node: Node, clause: Clause, negated: bool) -> list[FilterDraft]:
    """STARTS_WITH(x, 'a'), ENDS_WITH, CONTAINS, and a position used as a truth value."""
    needle = node.args["substr"] if type(node) is exp.StrPosition else node.args["expression"]
    value = constant(scope, bare(needle), value_side=True)
    if value is None or isinstance(value, Expression):
        return _truth(scope, node, negated)
    op = _CALLS[type(node)]
    scope.spec.functions.add(function_name(node))
    return [FilterDraft(read(scope, node.args["this"]).operand, NEGATION[op] if negated else op, plain(value))]


def _exists(scope: Scope, node: Node, clause: Clause, negated: bool) -> list[FilterDraft]:
    role = SubqueryRole.NOT_EXISTS if negated else SubqueryRole.EXISTS
    query = node.args["this"]
    if type(query) is exp.Select and query.args.get("from_") is None:
        known = _known(scope, node, negated)
        if known is not None:
            return known
    filters = len(scope.spec.filters)
    number = len(scope.spec.subqueries)
    scope.walk.read_subquery(scope, query, role, None)
    found = scope.spec.subqueries[number] if number < len(scope.spec.subqueries) else None
    if found is not None and found.role is role and not found.correlated:
        return _independent(scope, filters, role)
    if found is not None and len(scope.spec.filters) == filters and _finds_itself(scope, query, found):
        note(scope, VoidKind.CONDITION, f"{role.value} of the row itself")
        return fact(not negated)
    return []


def _finds_itself(scope: Scope, query: Node, found: Subquery) -> bool:
    """Whether EXISTS looks up a row of its own table by the same column: each row but those with NULL finds itself."""
    if found.key is None or not gives_all_rows(scope, query):
        return False
    keys = [each.operand.columns for each in scope.spec.projections if each.block == found.block]
    return keys == [found.key.columns] and found.key.columns[0].table is not None


def _independent(scope: Scope, filters: int, role: SubqueryRole) -> list[FilterDraft]:
    """EXISTS of a query that does not depend on the row: it keeps all rows or none.

    A condition of that query on two columns may be on a column of this block that is not qualified.
    """
    found = islice(scope.spec.filters.values(), filters, None)
    if any(isinstance(each.rhs, Expression) and each.rhs.columns for each in found):
        return []
    note(scope, VoidKind.CONDITION, f"{role.value} of rows that do not depend on the row")
    return fact(True)


def _fact(_: Scope, node: Node, __: Clause, negated: bool) -> list[FilterDraft]:
    """TRUE and 1 restrict nothing; FALSE and 0 exclude everything."""
    this = node.args["this"]
    true = bool(this) if type(node) is exp.Boolean else this not in ("0", "")
    return fact(true is not negated)


def _truth(scope: Scope, node: Node, negated: bool) -> list[FilterDraft]:
    """An expression that is itself the condition."""
    term = read(scope, node)
    if term.is_column:
        return [FilterDraft(term.operand, Op.EQ, Boolean(not negated))]
    name = f"not {term.nested}" if negated else term.name
    operand = Operand(name=shorten(name), columns=term.columns, func=term.func, distinct=term.distinct)
    return [FilterDraft(operand, Op.OTHER, None)]


_COMPARING = frozenset({*_OPS, exp.Between, exp.In})
_REGULAR = frozenset({exp.RegexpLike, exp.RegexpILike, exp.RegexpFullMatch, exp.SimilarTo})
_CALLS: MappingProxyType[type[Node], Op] = MappingProxyType(
    {
        exp.StartsWith: Op.STARTS_WITH,
        exp.EndsWith: Op.ENDS_WITH,
        exp.Contains: Op.CONTAINS,
        exp.StrPosition: Op.CONTAINS,
    }
)
_PREDICATES: MappingProxyType[type[Node], Callable[[Scope, Node, Clause, bool], list[FilterDraft]]] = MappingProxyType(
    dict.fromkeys(_OPS, _compared)
    | dict.fromkeys((exp.Like, exp.ILike, exp.Escape, exp.Glob, *_REGULAR), _like)
    | dict.fromkeys(_CALLS, _called)
    | dict.fromkeys((exp.Boolean, exp.Literal), _fact)
    | {exp.In: _in, exp.Between: _between, exp.Is: _is, exp.Exists: _exists}
)
