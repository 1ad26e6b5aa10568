"""Reads comparisons: with a constant, a list, a subquery or another expression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import islice

from sqlglot import exp

from scoring.specification import Clause, Limit, Op, Operand, SqlFilter, SubqueryRole, VoidKind
from scoring.sql.calendar.moments import Constant, Now
from scoring.sql.calendar.ranges import bounded, consecutive, dated, time_of
from scoring.sql.conditions.columns_compared import (
    difference,
    equates_join_keys,
    extreme_met,
    gives_back,
    is_whole_column,
)
from scoring.sql.conditions.matching import containing
from scoring.sql.constants import constant
from scoring.sql.drafts import FLIPPED, FilterDraft, alternatives, fact, join_key
from scoring.sql.expressions import bare, read_value
from scoring.sql.parameters.unknown_values import is_parameter
from scoring.sql.scopes import Scope, read
from scoring.sql.terms import Node, Term, children
from scoring.sql.voids.notes import discard, mark, note
from scoring.sql.voids.supplied_values import check_held
from scoring.values import Choices, Expression, Number, RelativeTime, Scalar, TimeRange, is_unknown


def comparison(scope: Scope, op: Op, left: Node, right: Node, clause: Clause) -> list[FilterDraft]:
    """`left op right`, with the value on either side."""
    value = constant(scope, right, value_side=True)
    if value is None:
        value = constant(scope, left) if type(left) is not exp.Column else None
        if value is None or (isinstance(value, Expression) and not value.unknown):
            return _sides(scope, op, left, right, clause)
        return versus(scope, FLIPPED[op], right, value)
    other = constant(scope, left) if type(left) is not exp.Column else None
    return versus(scope, op, left, value) if other is None else _fixed(op, other, value)


def versus(scope: Scope, op: Op, node: Node, value: Constant) -> list[FilterDraft]:
    """An expression compared with a constant."""
    if type(node) is exp.StrPosition:
        found = containing(scope, op, node, value)
        if found is not None:
            return [found]
    term = read(scope, node)
    check_held(scope, node, term, op, (value,))
    if term.whole or (not term.columns and _reads_constant(scope, node)):
        return same_for_all(scope, f"{term.name} {op.value} {value}")
    if isinstance(value, Number) and (term.rank is not None or _is_rownum(node)):
        return _ranked(scope, op, term, value)
    time = time_of(scope, term, value)
    bound = bounded(op, time) if time is not None else None
    if op is Op.LE:
        note_last_day(scope, node, term, time)
    return [FilterDraft(term.operand, op, plain(value)) if bound is None else FilterDraft(dated(term).operand, *bound)]


def note_last_day(scope: Scope, node: Node, term: Term, last: object) -> None:
    """Notes a column itself that is compared with a whole day as the last one of a range."""
    if type(node) is not exp.Column or not term.is_column or term.view is not None or term.dated:
        return
    if isinstance(last, TimeRange) and last.start is not None and last.end == last.start + timedelta(days=1):
        column, day = term.columns[0].name, last.start.date().isoformat()
        note(scope, VoidKind.LAST_DAY, f"{column} <= '{day}'", values=(column, day))


def same_for_all(scope: Scope, shown: str) -> list[FilterDraft]:
    """A condition on what is the same in every row: it keeps all rows or none."""
    note(scope, VoidKind.CONDITION, shown)
    return fact(True)


def _reads_constant(scope: Scope, node: Node) -> bool:
    """Whether an expression without columns of tables reads a constant column, but not one arm's of a UNION."""
    lefts = {each.left for each in scope.spec.set_operations}
    for column in [node] if type(node) is exp.Column else node.find_all(exp.Column):
        item, term = scope.column(column)
        if term.constant and item is not None and item.path not in lefts:
            return True
    return False


def plain(value: Constant) -> Scalar:
    """The value of a constant; a moment relative to now becomes the range of its unit."""
    return RelativeTime(value.unit, value.offset, value.offset + 1, value.whole) if isinstance(value, Now) else value


def _fixed(op: Op, left: Constant, right: Constant) -> list[FilterDraft]:
    """Two constants: `1 = 1` restricts nothing; anything else is kept for display."""
    is_known = not (is_unknown(left) or is_unknown(right))
    if is_known and (op is Op.EQ) is (left == right) and op in (Op.EQ, Op.NE):
        return fact(True)
    return [FilterDraft(Operand(name=f"{left} {op.value} {right}"), Op.OTHER, None)]


def _is_rownum(node: Node) -> bool:
    return type(node) is exp.Pseudocolumn or (type(node) is exp.Column and node.name.lower() == "rownum")


def _ranked(scope: Scope, op: Op, term: Term, value: Number) -> list[FilterDraft]:
    """A rank or row number compared with a constant is a top-k."""
    number = int(value.value) if abs(value.value) < 1e9 else 0
    least = {Op.GE: number, Op.GT: number + 1}.get(op)
    if least is not None and least <= 1:
        note(scope, VoidKind.CONDITION, f"{term.name} {op.value} {value}")
        return fact(True)
    if {Op.LE: number, Op.LT: number - 1, Op.EQ: number}.get(op, 1) < 1:
        return fact(False, f"{term.name} {op.value} {value}")
    rows = {Op.LE: (number, 0), Op.LT: (number - 1, 0), Op.EQ: (1, number - 1), Op.GT: (None, number)}
    count, offset = rows.get(op, (None, number - 1 if op is Op.GE else 0))
    scope.spec.limits.append(
        Limit(count=count, block=scope.path, offset=max(0, offset), ranked=True, partition=term.rank or ())
    )
    return []


def _sides(scope: Scope, op: Op, left: Node, right: Node, clause: Clause) -> list[FilterDraft]:
    """Neither side is a constant: a join key, or a filter that compares with a column, an expression or a subquery."""
    if type(right) in (exp.Any, exp.All):
        return _quantified(scope, op, left, right, clause)
    if type(left) is exp.Tuple and type(right) is exp.Tuple:
        return _tuples(scope, op, left, right, clause)
    if op is Op.EQ and equates_join_keys(scope, left, right, clause):
        return join_key()
    between = difference(scope, op, left, right)
    if between is not None:
        return [between]
    first, second = read(scope, left), read_value(scope, right)
    if first.block is not None and second.block is None:
        first, second, op = second, first, FLIPPED[op]
    known = _queried(scope, op, first, second, right) if second.block is not None else None
    return [FilterDraft(first.operand, op, expression(second, right))] if known is None else known


def _queried(scope: Scope, op: Op, key: Term, found: Term, query: Node) -> list[FilterDraft] | None:
    """A comparison with a query that is a semi-join, or that holds for every row or for none; `None` for others."""
    held = extreme_met(scope, op, key, found, query)
    if held is not None:
        return same_for_all(scope, f"{key.name} {op.value} {found.name}") if held else fact(False, found.name)
    if found.block is not None and found.lookup and op in (Op.EQ, Op.NE):
        return _looked_up(scope, found.block, key, negated=op is Op.NE)
    return None


def _looked_up(scope: Scope, block: str, key: Term, *, negated: bool) -> list[FilterDraft]:
    """`x = (SELECT y …)` with a plain column y is a semi-join like `x IN (SELECT y …)`, so x is not filtered."""
    subqueries = scope.spec.subqueries
    place = next(index for index, each in enumerate(subqueries) if each.block == block)
    role = SubqueryRole.NOT_IN if negated else SubqueryRole.IN
    subqueries[place] = replace(subqueries[place], role=role, key=key.operand)
    return []


def expression(term: Term, node: Node) -> Expression:
    """A right side that is not a constant."""
    names = tuple(dict.fromkeys(column.name for column in term.columns))
    unknown = not names and is_parameter(node)
    return Expression(term.name, names, term.block, (term.func,) if term.func else (), unknown)


def _quantified(scope: Scope, op: Op, left: Node, right: Node, clause: Clause) -> list[FilterDraft]:
    """`= ANY (…)` is IN and `<> ALL (…)` is NOT IN; other comparisons with ANY or ALL keep their subquery."""
    members = bare(right.args["this"])
    is_in = op is Op.EQ and type(right) is exp.Any
    is_not_in = op is Op.NE and type(right) is exp.All
    if (is_in or is_not_in) and isinstance(members, exp.Query):
        return semi_join(scope, left, members, negated=is_not_in)
    if (is_in or is_not_in) and isinstance(members, (exp.Array, exp.Tuple)):
        return listed(scope, left, children(members, "expressions"), clause, negated=is_not_in)
    if (is_in or is_not_in) and is_parameter(members):
        found = expression(read(scope, members), members)
        return [FilterDraft(read(scope, left).operand, Op.IN if is_in else Op.NOT_IN, found)]
    return _quantified_otherwise(scope, op, left, right, members)


def _quantified_otherwise(scope: Scope, op: Op, left: Node, right: Node, members: Node) -> list[FilterDraft]:
    """A comparison with ANY or ALL that is no list, kept as it is."""
    word = "any" if type(right) is exp.Any else "all"
    if isinstance(members, exp.Query):
        term = scope.walk.read_subquery(scope, members, SubqueryRole.QUANTIFIED, None)
    else:
        term = read(scope, members)
    found = expression(term, members)
    text = Expression(f"{word} {found.text}", found.columns, found.subquery, found.functions)
    return [FilterDraft(read(scope, left).operand, op, text)]


def _tuples(scope: Scope, op: Op, left: Node, right: Node, clause: Clause) -> list[FilterDraft]:
    pairs = zip(left.args["expressions"], right.args["expressions"], strict=False)
    arms = [comparison(scope, op, bare(one), bare(other), clause) for one, other in pairs]
    return alternatives(arms) if op is Op.NE else [draft for arm in arms for draft in arm]


def semi_join(scope: Scope, left: Node, query: Node, *, negated: bool) -> list[FilterDraft]:
    """`x IN (SELECT …)`: recorded as a subquery with x as its key, which is not a filter."""
    role = SubqueryRole.NOT_IN if negated else SubqueryRole.IN
    key, before = read(scope, left), mark(scope)
    filters, joins = len(scope.spec.filters), len(scope.spec.joins)
    term = scope.walk.read_subquery(scope, query, role, key.operand)
    added = list(islice(scope.spec.filters.values(), filters, None))
    if gives_back(scope, left, query, term):
        return same_for_all(scope, f"{key.name} {role.value} {term.name}")
    empty = term.empty or any(each.op is Op.IS_NULL and _is_of(each, term) for each in added)
    if not empty and (len(scope.spec.joins) > joins or not all(_tests_presence(each, term) for each in added)):
        return []
    if not empty and not is_whole_column(scope, query, key, term):
        return []
    discard(scope, before)
    negated = negated is not empty
    note(scope, VoidKind.CONDITION, f"{key.name} {role.value} {term.name}")
    return fact(not negated)


def _is_of(each: SqlFilter, term: Term) -> bool:
    """Whether a plain condition is on the only column that a query gives."""
    own = each.block == term.block and each.alternative is None and term.lookup
    return own and each.lhs is not None and each.lhs.columns == term.columns


def _tests_presence(each: SqlFilter, term: Term) -> bool:
    """Whether a condition only leaves out NULL among the values that a query gives."""
    return each.op is Op.NOT_NULL and _is_of(each, term)


def listed(scope: Scope, left: Node, members: Sequence[Node], clause: Clause, *, negated: bool) -> list[FilterDraft]:
    """IN with a list of values."""
    if type(left) is exp.Tuple:
        return _listed_rows(scope, left, members, clause, negated=negated)
    if len(members) == 1:
        return comparison(scope, Op.NE if negated else Op.EQ, left, bare(members[0]), clause)
    values = [constant(scope, bare(member), value_side=True) for member in members]
    term = read(scope, left)
    check_held(scope, left, term, Op.NE if negated else Op.EQ, values)
    if term.rank is not None:
        return _ranked(scope, Op.LE, term, Number(float(len(members))))
    op = Op.NOT_IN if negated else Op.IN
    times = _times(scope, term, values)
    run = consecutive(times)
    if run is not None:
        return [FilterDraft(dated(term).operand, Op.NOT_WITHIN if negated else Op.WITHIN, run)]
    if times:
        return [FilterDraft(dated(term).operand, op, Choices(times))]
    chosen = [
        expression(read_value(scope, member), member) if value is None else plain(value)
        for member, value in zip(members, values, strict=True)
    ]
    return [FilterDraft(term.operand, op, Choices(frozenset(chosen)))]


def _listed_rows(
    scope: Scope, left: Node, members: Sequence[Node], clause: Clause, *, negated: bool
) -> list[FilterDraft]:
    """`(a, b) IN ((1, 2), (3, 4))`."""
    op = Op.NE if negated else Op.EQ
    rows = [_tuples(scope, op, left, bare(row), clause) for row in members if type(bare(row)) is exp.Tuple]
    return [draft for row in rows for draft in row] if negated else alternatives(rows)


def _times(scope: Scope, term: Term, values: Sequence[Constant | None]) -> frozenset[Scalar]:
    """The times that the values of a list mean; empty unless all are times."""
    found: list[Scalar] = []
    for value in values:
        time = time_of(scope, term, value) if value is not None else None
        if time is None:
            return frozenset()
        found.append(time)
    return frozenset(found)
