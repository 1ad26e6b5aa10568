"""One predicate, in whatever spelling, becomes draft filters, a join's pair, a rank's limit or a semi-join."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import MappingProxyType

from sqlglot import exp

from scoring.specification import NEGATION, Clause, Limit, Op, Operand, SubqueryRole
from scoring.sql.drafts import Draft, alternatives
from scoring.sql.expressions import bare, read_value
from scoring.sql.matching import containing, like, pattern_text, regular
from scoring.sql.moments import Constant, Now, constant
from scoring.sql.ranges import bounded, dated, spanned, time_of
from scoring.sql.scopes import Scope, Source, read
from scoring.sql.terms import Node, Term, children, function_name, shorten
from scoring.values import Boolean, Choices, Expression, Number, RelativeTime, Scalar, Text, TimeRange

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
_FLIPPED = MappingProxyType({Op.LT: Op.GT, Op.GT: Op.LT, Op.LE: Op.GE, Op.GE: Op.LE, Op.EQ: Op.EQ, Op.NE: Op.NE})
_KEY_WRAPPERS = frozenset({exp.Paren, exp.Cast, exp.TryCast, exp.Lower, exp.Upper, exp.Trim, exp.Collate})


def predicate(scope: Scope, node: Node, clause: Clause, negated: bool) -> list[Draft]:
    """The draft filters of one term; none where it is a join key, a semi-join, a rank or always true."""
    reader = _PREDICATES.get(type(node))
    return _truth(scope, node, negated) if reader is None else reader(scope, node, clause, negated)


def comparison(scope: Scope, op: Op, left: Node, right: Node, clause: Clause) -> list[Draft]:
    """`left op right`, whichever side the value stands on."""
    value = constant(scope, right, value_side=True)
    if value is None:
        value = constant(scope, left) if type(left) is not exp.Column else None
        if value is None or isinstance(value, Expression):
            return _sides(scope, op, left, right, clause)
        return versus(scope, _FLIPPED[op], right, value)
    other = constant(scope, left) if type(left) is not exp.Column else None
    return versus(scope, op, left, value) if other is None else _fixed(op, other, value)


def versus(scope: Scope, op: Op, node: Node, value: Constant) -> list[Draft]:
    """An expression compared with a constant."""
    if type(node) is exp.StrPosition:
        found = containing(scope, op, node, value)
        if found is not None:
            return [found]
    term = read(scope, node)
    if isinstance(value, Number) and (term.rank is not None or _is_rownum(node)):
        return _ranked(scope, op, term, value)
    time = time_of(scope, term, value)
    bound = bounded(op, time) if time is not None else None
    return [Draft(term.operand, op, _plain(value)) if bound is None else Draft(dated(term).operand, *bound)]


def _plain(value: Constant) -> Scalar:
    return RelativeTime(value.unit, value.offset, value.offset + 1, value.whole) if isinstance(value, Now) else value


def _fixed(op: Op, left: Constant, right: Constant) -> list[Draft]:
    """Two constants: `1 = 1` says nothing; anything else is kept for people to see."""
    if (op is Op.EQ) is (left == right) and op in (Op.EQ, Op.NE):
        return []
    return [Draft(Operand(name=f"{left} {op.value} {right}"), Op.OTHER, None)]


def _is_rownum(node: Node) -> bool:
    return type(node) is exp.Pseudocolumn or (type(node) is exp.Column and node.name.lower() == "rownum")


def _ranked(scope: Scope, op: Op, term: Term, value: Number) -> list[Draft]:
    """A rank or row number compared with a constant is a top-k."""
    number = int(value.value) if abs(value.value) < 1e9 else 0
    rows = {Op.LE: (number, 0), Op.LT: (number - 1, 0), Op.EQ: (1, number - 1), Op.GT: (None, number)}
    count, offset = rows.get(op, (None, number - 1 if op is Op.GE else 0))
    scope.reading.limits.append(
        Limit(count=count, block=scope.path, offset=max(0, offset), ranked=True, partition=term.rank or ())
    )
    return []


def _sides(scope: Scope, op: Op, left: Node, right: Node, clause: Clause) -> list[Draft]:
    """Neither side is a constant: a join key, or a filter against a column, an expression or a subquery."""
    if type(right) in (exp.Any, exp.All):
        return _quantified(scope, op, left, right, clause)
    if type(left) is exp.Tuple and type(right) is exp.Tuple:
        return _tuples(scope, op, left, right, clause)
    if op is Op.EQ and _is_join(scope, left, right, clause):
        return []
    first, second = read(scope, left), read_value(scope, right)
    if first.block is not None and second.block is None:
        first, second, op = second, first, _FLIPPED[op]
    if second.block is not None and second.lookup and op in (Op.EQ, Op.NE):
        return _looked_up(scope, second.block, first, negated=op is Op.NE)
    return [Draft(first.operand, op, expression(second))]


def _looked_up(scope: Scope, block: str, key: Term, *, negated: bool) -> list[Draft]:
    """`x = (SELECT y …)` of a plain column is a semi-join like `x IN (SELECT y …)`, so its key is no filter."""
    subqueries = scope.reading.subqueries
    place = next(index for index, each in enumerate(subqueries) if each.block == block)
    role = SubqueryRole.NOT_IN if negated else SubqueryRole.IN
    subqueries[place] = replace(subqueries[place], role=role, key=key.operand)
    return []


def expression(term: Term) -> Expression:
    """A right side that is no constant."""
    names = tuple(dict.fromkeys(column.name for column in term.columns))
    return Expression(term.name, names, term.block, (term.func,) if term.func else ())


def _is_join(scope: Scope, left: Node, right: Node, clause: Clause) -> bool:
    """Columns of two sources made equal; the pair goes to the join they belong to."""
    left, right = _key(left), _key(right)
    if type(left) is not exp.Column or type(right) is not exp.Column:
        return False
    (first, one), (second, other) = scope.column(left), scope.column(right)
    if first is not None and first is second:
        return False
    if (first is None or second is None) and not _joins_outside(scope, left, right, clause):
        return False
    _pair(scope, first, second, one, other)
    return True


def _joins_outside(scope: Scope, left: Node, right: Node, clause: Clause) -> bool:
    """Of a column whose source is unsure: it joins if it is an outer one, or in ON, or where tables are listed."""
    for node in (left, right):
        qualifier = node.args.get("table")
        if qualifier is not None and qualifier.name.lower() not in scope.sources:
            return True
    return clause is Clause.ON or any(join.kind in ("comma", "cross") for join in scope.joins)


def _key(node: Node) -> Node:
    while type(node) in _KEY_WRAPPERS:
        node = node.args["this"]
    return node


def _pair(scope: Scope, first: Source | None, second: Source | None, one: Term, other: Term) -> None:
    """Gives the pair to the later of the joins that brought the two sources, if it is this block's at all."""
    if not one.columns or not other.columns or not scope.joins:
        return
    known = max(scope.joined.get(first, -1), scope.joined.get(second, -1))
    if known < 0 and (first is not None or second is not None or scope.correlated):
        return
    index = known if known >= 0 else len(scope.joins) - 1
    scope.joins[index].pairs.append((one.columns[0], other.columns[0]))


def _compared(scope: Scope, node: Node, clause: Clause, negated: bool) -> list[Draft]:
    op = _OPS[type(node)]
    left, right = bare(node.args["this"]), bare(node.args["expression"])
    if type(node) in (exp.NullSafeEQ, exp.NullSafeNEQ) and type(right) is exp.Null:
        return _null(scope, left, negated is (op is Op.EQ))
    return comparison(scope, NEGATION[op] if negated else op, left, right, clause)


def _null(scope: Scope, node: Node, present: bool) -> list[Draft]:
    return [Draft(read(scope, node).operand, Op.NOT_NULL if present else Op.IS_NULL, None)]


def _is(scope: Scope, node: Node, clause: Clause, negated: bool) -> list[Draft]:
    left, right = bare(node.args["this"]), bare(node.args["expression"])
    negated = negated is not bool(node.args.get("negate"))
    if type(right) is exp.Not:
        negated, right = not negated, right.args["this"]
    if type(right) is exp.Null:
        return _null(scope, left, negated)
    return comparison(scope, Op.NE if negated else Op.EQ, left, right, clause)


def _quantified(scope: Scope, op: Op, left: Node, right: Node, clause: Clause) -> list[Draft]:
    """`= ANY (…)` is IN, `<> ALL (…)` NOT IN; other comparisons with ANY or ALL keep their subquery."""
    members = bare(right.args["this"])
    is_in = op is Op.EQ and type(right) is exp.Any
    if is_in or (op is Op.NE and type(right) is exp.All):
        if isinstance(members, exp.Query):
            return _semi_join(scope, left, members, negated=not is_in)
        if isinstance(members, (exp.Array, exp.Tuple)):
            return _listed(scope, left, children(members, "expressions"), clause, negated=not is_in)
    word = "any" if type(right) is exp.Any else "all"
    if isinstance(members, exp.Query):
        term = scope.reading.read_subquery(scope, members, SubqueryRole.QUANTIFIED, None)
    else:
        term = read(scope, members)
    found = expression(term)
    text = Expression(f"{word} {found.text}", found.columns, found.subquery, found.functions)
    return [Draft(read(scope, left).operand, op, text)]


def _tuples(scope: Scope, op: Op, left: Node, right: Node, clause: Clause) -> list[Draft]:
    pairs = zip(left.args["expressions"], right.args["expressions"], strict=False)
    arms = [comparison(scope, op, bare(one), bare(other), clause) for one, other in pairs]
    return alternatives(arms) if op is Op.NE else [draft for arm in arms for draft in arm]


def _in(scope: Scope, node: Node, clause: Clause, negated: bool) -> list[Draft]:
    left = bare(node.args["this"])
    query = node.args.get("query")
    members: list[Node] = children(node, "expressions")
    unnest = node.args.get("unnest")
    if query is None and len(members) == 1 and isinstance(bare(members[0]), exp.Query):
        query = bare(members[0])
    if query is not None:
        return _semi_join(scope, left, query, negated=negated)
    if unnest is not None:
        array = unnest.args["expressions"][0] if unnest.args.get("expressions") else None
        members = array.args.get("expressions") or [array] if isinstance(array, exp.Expr) else []
    if node.args.get("field") is not None:
        members = [node.args["field"]]
    return _listed(scope, left, members, clause, negated=negated)


def _semi_join(scope: Scope, left: Node, query: Node, *, negated: bool) -> list[Draft]:
    role = SubqueryRole.NOT_IN if negated else SubqueryRole.IN
    scope.reading.read_subquery(scope, query, role, read(scope, left).operand)
    return []


def _listed(scope: Scope, left: Node, members: Sequence[Node], clause: Clause, *, negated: bool) -> list[Draft]:
    """IN with a list of values."""
    op = Op.NE if negated else Op.EQ
    if type(left) is exp.Tuple:
        rows = [_tuples(scope, op, left, bare(row), clause) for row in members if type(bare(row)) is exp.Tuple]
        return [draft for row in rows for draft in row] if negated else alternatives(rows)
    if len(members) == 1:
        return comparison(scope, op, left, bare(members[0]), clause)
    values = [constant(scope, bare(member), value_side=True) for member in members]
    term = read(scope, left)
    if term.rank is not None:
        return _ranked(scope, Op.LE, term, Number(float(len(members))))
    times = [time_of(scope, term, value) if value is not None else None for value in values]
    found = [time for time in times if time is not None]
    if found and len(found) == len(members):
        chosen: frozenset[Scalar] = frozenset(found)
        return [Draft(dated(term).operand, Op.NOT_IN if negated else Op.IN, Choices(chosen))]
    chosen = frozenset(
        expression(read_value(scope, member)) if value is None else _plain(value)
        for member, value in zip(members, values, strict=True)
    )
    return [Draft(term.operand, Op.NOT_IN if negated else Op.IN, Choices(chosen))]


def _between(scope: Scope, node: Node, clause: Clause, negated: bool) -> list[Draft]:
    left, low, high = (bare(node.args[part]) for part in ("this", "low", "high"))
    values = [constant(scope, each, value_side=True) for each in (low, high)]
    if values[0] is not None and values[1] is not None:
        spanning = _spanning(scope, left, values[0], values[1], negated)
        if spanning is not None:
            return spanning
    if negated:
        return alternatives([comparison(scope, Op.LT, left, low, clause), comparison(scope, Op.GT, left, high, clause)])
    return comparison(scope, Op.GE, left, low, clause) + comparison(scope, Op.LE, left, high, clause)


def _spanning(scope: Scope, left: Node, low: Constant, high: Constant, negated: bool) -> list[Draft] | None:
    """BETWEEN two times, or two places of a rank."""
    term = read(scope, left)
    if term.rank is not None and not negated and isinstance(low, Number) and isinstance(high, Number):
        count, offset = int(high.value - low.value) + 1, max(0, int(low.value) - 1)
        limit = Limit(count=count, block=scope.path, offset=offset, ranked=True, partition=term.rank)
        scope.reading.limits.append(limit)
        return []
    first, last = (time_of(scope, term, value) for value in (low, high))
    if not isinstance(first, (TimeRange, RelativeTime)) or not isinstance(last, (TimeRange, RelativeTime)):
        return None
    span = spanned(first, last)
    if span is None:
        return None
    return [Draft(dated(term).operand, Op.NOT_WITHIN if negated else Op.WITHIN, span)]


def _like(scope: Scope, node: Node, clause: Clause, negated: bool) -> list[Draft]:
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


def _pattern(scope: Scope, node: Node, left: Node, right: Node, escape: str | None, negated: bool) -> list[Draft]:
    raw = pattern_text(scope, right)
    term = read(scope, left)
    if raw is None:
        op = Op.NOT_LIKE if negated else Op.LIKE
        return [Draft(term.operand, op, expression(read_value(scope, right)))]
    if type(node) in _REGULAR:
        return [regular(term, raw, negated=negated, full=bool(node.args.get("full_match")))]
    if type(node) is exp.Glob:
        raw = raw.replace("%", " ").replace("*", "%").replace("?", "_")
    found = like(term, raw, escape, negated=negated)
    return versus(scope, Op.NE if negated else Op.EQ, left, found) if isinstance(found, (Text, TimeRange)) else [found]


def _called(scope: Scope, node: Node, clause: Clause, negated: bool) -> list[Draft]:
    """STARTS_WITH(x, 'a'), ENDS_WITH, CONTAINS, and a position that is used as a truth value."""
    needle = node.args["substr"] if type(node) is exp.StrPosition else node.args["expression"]
    value = constant(scope, bare(needle), value_side=True)
    if value is None or isinstance(value, Expression):
        return _truth(scope, node, negated)
    op = _CALLS[type(node)]
    scope.reading.functions.add(function_name(node))
    return [Draft(read(scope, node.args["this"]).operand, NEGATION[op] if negated else op, _plain(value))]


def _exists(scope: Scope, node: Node, clause: Clause, negated: bool) -> list[Draft]:
    role = SubqueryRole.NOT_EXISTS if negated else SubqueryRole.EXISTS
    scope.reading.read_subquery(scope, node.args["this"], role, None)
    return []


def _fact(_: Scope, node: Node, __: Clause, negated: bool) -> list[Draft]:
    """TRUE and 1 restrict nothing; FALSE and 0 exclude everything."""
    this = node.args["this"]
    true = bool(this) if type(node) is exp.Boolean else this not in ("0", "")
    return [] if true is not negated else [Draft(Operand(name="false"), Op.OTHER, None)]


def _truth(scope: Scope, node: Node, negated: bool) -> list[Draft]:
    """An expression that is itself the condition."""
    term = read(scope, node)
    if term.is_column:
        return [Draft(term.operand, Op.EQ, Boolean(not negated))]
    name = f"not {term.nested}" if negated else term.name
    operand = Operand(name=shorten(name), columns=term.columns, func=term.func, distinct=term.distinct)
    return [Draft(operand, Op.OTHER, None)]


_REGULAR = frozenset({exp.RegexpLike, exp.RegexpILike, exp.RegexpFullMatch, exp.SimilarTo})
_CALLS: MappingProxyType[type[Node], Op] = MappingProxyType(
    {
        exp.StartsWith: Op.STARTS_WITH,
        exp.EndsWith: Op.ENDS_WITH,
        exp.Contains: Op.CONTAINS,
        exp.StrPosition: Op.CONTAINS,
    }
)
_PREDICATES: MappingProxyType[type[Node], Callable[[Scope, Node, Clause, bool], list[Draft]]] = MappingProxyType(
    dict.fromkeys(_OPS, _compared)
    | dict.fromkeys((exp.Like, exp.ILike, exp.Escape, exp.Glob, *_REGULAR), _like)
    | dict.fromkeys(_CALLS, _called)
    | dict.fromkeys((exp.Boolean, exp.Literal), _fact)
    | {exp.In: _in, exp.Between: _between, exp.Is: _is, exp.Exists: _exists}
)
