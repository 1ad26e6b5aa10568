"""Reads aggregates, and the CASE and FILTER inside them."""

from __future__ import annotations

from types import MappingProxyType

from sqlglot import exp

from scoring.patterns import lazy
from scoring.specification import Aggregation, Clause, VoidKind
from scoring.sql.arithmetic import divide
from scoring.sql.calendar.dates import read_unknown_call
from scoring.sql.conditions import conjunction, emit, record
from scoring.sql.conditions.labels import arm_condition
from scoring.sql.drafts import FilterDraft, alternatives
from scoring.sql.expressions import bare
from scoring.sql.scopes import Modifier, Reader, Scope, read
from scoring.sql.terms import Node, Term, children, combine, shorten
from scoring.sql.voids.conditional_values import check_conditional
from scoring.sql.voids.notes import note
from scoring.sql.voids.supplied_values import supplied

_NOT_COLLAPSING = (
    exp.RowNumber,
    exp.Rank,
    exp.DenseRank,
    exp.PercentRank,
    exp.CumeDist,
    exp.Ntile,
    exp.Lag,
    exp.Lead,
    exp.FirstValue,
    exp.LastValue,
    exp.NthValue,
)
_SAMPLES: dict[type[Node], str] = {
    exp.CountIf: "COUNT",
    exp.StddevSamp: "STDDEV",
    exp.StddevPop: "STDDEV",
    exp.VariancePop: "VARIANCE",
}
_AGGREGATES: dict[type[Node], str] = {
    kind: kind.sql_names()[0]
    for kind in exp.ALL_FUNCTIONS
    if issubclass(kind, exp.AggFunc) and not issubclass(kind, _NOT_COLLAPSING)
}
_AGGREGATES.update(_SAMPLES)
_PERCENTILES = frozenset({exp.PercentileCont, exp.PercentileDisc})
_CALLED = MappingProxyType(
    {"total": "SUM", "median": "MEDIAN", "bool_or": "BOOL_OR", "count_big": "COUNT"}
    | dict.fromkeys(("medianexact", "mediantdigest", "mediantiming", "medianbfloat16"), "MEDIAN")
)
_DIVIDES = frozenset({"divide", "div0", "div0null"})
_BOOLEANS = frozenset(
    {
        exp.EQ,
        exp.NEQ,
        exp.LT,
        exp.LTE,
        exp.GT,
        exp.GTE,
        exp.And,
        exp.Or,
        exp.Not,
        exp.In,
        exp.Between,
        exp.Like,
        exp.ILike,
        exp.Is,
    }
)
_TAKING = frozenset({"AVG", "MIN", "MAX", "MEDIAN"})
"""Aggregates that give one of equal values."""
_NOTHING = frozenset({"0", "null", "''", "false", "0.0"})


def _aggregate(scope: Scope, node: Node) -> Term:
    """COUNT, SUM, AVG …; conditions inside are filters."""
    others = node.args.get("expressions")
    if others and type(node) in (exp.Max, exp.Min):  # SQLite's MAX(a, b) is no aggregate
        return scope.walk.default(scope, node)
    return _aggregated(scope, node, _AGGREGATES[type(node)], node.args.get("this"))


def _anonymous(scope: Scope, node: Node) -> Term:
    """A function the parser does not know; some are aggregates."""
    func = _CALLED.get(str(node.args["this"]).lower())
    arguments: list[Node] = children(node, "expressions")
    if func is None and len(arguments) == 2 and str(node.args["this"]).lower() in _DIVIDES:
        return divide(scope, node, arguments[0], arguments[1])
    if func is None or len(arguments) != 1:
        return read_unknown_call(scope, node) or scope.walk.default(scope, node)
    return _aggregated(scope, node, func, arguments[0])


def _combined(scope: Scope, node: Node) -> Term:
    """ClickHouse's `uniqExact(x)` and `sumIf(x, condition)`: the condition is one of a CASE."""
    name, arguments = str(node.args["this"]).lower(), children(node, "expressions")
    conditional = name.endswith("if") and len(arguments) == 2
    name = _OTHERWISE.sub("", name.removesuffix("if") if conditional else name)
    counts = name in _UNIQUE
    func = "COUNT" if counts else _SHORT.get(name, name.upper())
    if len(arguments) != 1 + conditional:
        return scope.walk.default(scope, node)
    if conditional:
        record(scope, arguments[1], Clause.CASE)
        scope.position.add(Modifier.FILTER)
    argument = exp.Distinct(expressions=[arguments[0]]) if counts else arguments[0]
    term = _aggregated(scope, node, func, argument)
    if conditional:
        scope.position.remove(Modifier.FILTER)
        scope.spec.conditionals += 1
    return term


_UNIQUE = frozenset({"uniq", "uniqexact", "uniqcombined", "uniqcombined64", "uniqhll12", "countdistinct"})
"""ClickHouse's counts of different values."""
_OTHERWISE = lazy(r"(?<=[a-z])or(?:null|zero|default)$")
"""What ClickHouse's `avgOrNull` gives of no rows."""
_SHORT = MappingProxyType(
    {"sum": "SUM", "avg": "AVG", "min": "MIN", "max": "MAX", "median": "MEDIAN", "count": "COUNT"}
)


def _parameterized(scope: Scope, node: Node) -> Term:
    """ClickHouse's `quantileExact(0.5)(x)`: half is the median."""
    given, arguments = children(node, "expressions"), children(node, "params")
    if len(arguments) != 1:
        return scope.walk.default(scope, node)
    name = str(node.args["this"]).upper()
    if name.startswith("QUANTILE") and len(given) == 1:
        name = "MEDIAN" if given[0].sql() == "0.5" else "QUANTILE"
    return _aggregated(scope, node, name, arguments[0])


def _approximate(scope: Scope, node: Node) -> Term:
    """`APPROX_COUNT_DISTINCT(x)` and `uniq(x)` count different values."""
    return _aggregated(scope, node, "COUNT", exp.Distinct(expressions=[node.args["this"]]))


def _aggregated(scope: Scope, node: Node, func: str, argument: Node | None) -> Term:
    modifiers, scope.position.modifiers = scope.position.modifiers, ()
    conditionals = scope.spec.conditionals
    distinct, inner = _argument(argument if isinstance(argument, exp.Expr) else None)
    part = Term("*") if inner is None else _read_argument(scope, node, func, inner)
    conditional = scope.spec.conditionals > conditionals
    column = part.name
    if conditional and inner is not None:
        column = _conditional_column(scope, inner, part, counting=type(node) is exp.CountIf)
    term = Term(shorten(f"{func.lower()}({'distinct ' if distinct else ''}{part.name})"), part.columns, func)
    term.distinct, term.real = distinct, func == "AVG" or part.real
    _check_taken(scope, term, part)
    if conditional and inner is not None and not distinct:
        check_conditional(scope, func if type(node) is not exp.CountIf else "", inner, term.name)
    aggregation = Aggregation(
        func=func,
        column=column,
        distinct=distinct,
        block=scope.path,
        columns=part.columns,
        windowed=Modifier.OVER in modifiers,
        conditional=conditional or Modifier.FILTER in modifiers,
    )
    key = (func, column, distinct, scope.path, aggregation.windowed, aggregation.conditional, part.columns)
    scope.spec.aggregations[key] = aggregation
    return term


def _check_taken(scope: Scope, term: Term, part: Term) -> None:
    """Notes an aggregate that gives the constant that a column is in every row."""
    if part.constant and term.func in _TAKING:
        note(scope, VoidKind.OUTPUT, term.name)


def _read_argument(scope: Scope, node: Node, func: str, inner: Node) -> Term:
    """The term of an aggregate's argument; a boolean argument is a filter."""
    position = scope.position
    outer, position.in_aggregate = position.in_aggregate, True
    if type(inner) in _BOOLEANS or type(node) is exp.CountIf:
        record(scope, inner, Clause.CASE)
        scope.spec.conditionals += 1
        position.in_aggregate = False
    # COUNT(1) counts rows like COUNT(*).
    counts_rows = type(inner) is exp.Star or (func == "COUNT" and type(inner) is exp.Literal)
    term = Term("*") if counts_rows else read(scope, inner)
    position.in_aggregate = outer
    return term


def _argument(node: Node | None) -> tuple[bool, Node | None]:
    """Whether the argument is DISTINCT, and the argument itself without an ORDER BY or LIMIT inside."""
    distinct = False
    while node is not None:
        kind = type(node)
        if kind is exp.Distinct:
            distinct = True
            members: list[Node] = children(node, "expressions")
            node = members[0] if len(members) == 1 else exp.Tuple(expressions=members) if members else None
            if len(members) > 1:
                return True, node
        elif kind in (exp.Order, exp.Limit, exp.Paren, exp.IgnoreNulls, exp.RespectNulls):
            node = node.args.get("this")
        else:
            return distinct, node
    return distinct, None


def _conditional_column(scope: Scope, node: Node, part: Term, *, counting: bool) -> str:
    """The column that a conditional aggregate reads of the rows it keeps: `amount`, or `*` when it only counts rows."""
    node = bare(node)
    if type(node) in _BOOLEANS or counting:
        return "*"
    values = [read(scope, value).name for value in _values(node)] or [part.name]
    chosen = list(dict.fromkeys(value for value in values if value not in _NOTHING))
    if len(chosen) != 1:
        return part.name
    return "*" if chosen[0] in ("1", "1.0", "true") else chosen[0]


def _values(node: Node) -> list[Node]:
    """The values that a CASE or IF may have; none of other nodes."""
    if type(node) not in (exp.If, exp.Case):
        return []
    arms, default = _arms(node)
    return [arm.args["true"] for arm in arms] + ([default] if default is not None else [])


def _case(scope: Scope, node: Node) -> Term:
    """CASE and IF; inside an aggregate their conditions are filters."""
    scope.spec.conditionals += 1
    subject: Node | None = node.args.get("this") if type(node) is exp.Case else None
    arms, default = _arms(node)
    position = scope.position
    in_aggregate = position.in_aggregate
    if in_aggregate:
        emit(scope, _case_condition(scope, subject, arms), Clause.CASE)
    parts = [] if subject is None else [read(scope, subject)]
    words = ["case", *(part.name for part in parts)]
    tests: list[tuple[Node, Term]] = []
    values: list[tuple[Node, Term]] = []
    for arm in arms:
        position.in_aggregate = False
        when = read(scope, arm.args["this"])
        position.in_aggregate = in_aggregate
        then = read(scope, arm.args["true"])
        parts += when, then
        tests.append((arm.args["this"], when))
        values.append((arm.args["true"], then))
        words.append(f"when {when.name} then {then.name}")
    if default is not None:
        parts.append(read(scope, default))
        words.append(f"else {parts[-1].name}")
        values.append((default, parts[-1]))
    term = combine(f"{' '.join(words)} end", parts)
    term.supplies, term.fallbacks = supplied(scope, values, tests)
    return term


def _arms(node: Node) -> tuple[list[Node], Node | None]:
    """The WHEN arms and the ELSE value of CASE or IF."""
    if type(node) is exp.Case:
        return node.args["ifs"], node.args.get("default")
    return [node], node.args.get("false")


def _case_condition(scope: Scope, subject: Node | None, arms: list[Node]) -> list[FilterDraft]:
    """The condition for a value that counts: any arm with such a value, or else no arm at all."""
    counting = [arm for arm in arms if not _is_nothing(arm.args["true"])]
    chosen, negated = (counting, False) if counting else (arms, True)
    drafts = [conjunction(scope, arm_condition(subject, arm), Clause.CASE, negated=negated) for arm in chosen]
    return [draft for arm in drafts for draft in arm] if negated else alternatives(drafts)


def _is_nothing(node: Node) -> bool:
    node = bare(node)
    return type(node) is exp.Null or (type(node) is exp.Literal and node.args["this"] in ("0", "0.0", ""))


def _filter(scope: Scope, node: Node) -> Term:
    """`aggregate(…) FILTER (WHERE …)`."""
    where: Node = node.args["expression"].args["this"]
    scope.position.add(Modifier.FILTER)
    term = read(scope, node.args["this"])
    scope.position.remove(Modifier.FILTER)
    record(scope, where, Clause.FILTER)
    scope.spec.conditionals += 1
    condition = read(scope, where)
    whole = combine(f"{term.name} filter (where {condition.name})", [term, condition])
    whole.func, whole.distinct = term.func, term.distinct
    return whole


def _within_group(scope: Scope, node: Node) -> Term:
    """`percentile_cont(0.5) WITHIN GROUP (ORDER BY x)` is the median of x; other aggregates are read unchanged."""
    call: Node = node.args["this"]
    order: Node | None = node.args.get("expression")
    keys = children(order, "expressions") if order is not None else []
    if type(call) not in _PERCENTILES or not keys:
        return read(scope, call)
    key: Node = keys[0].args["this"] if type(keys[0]) is exp.Ordered else keys[0]
    share = read(scope, call.args["this"]).name if isinstance(call.args.get("this"), exp.Expr) else ""
    return _aggregated(scope, node, "MEDIAN" if share == "0.5" else _AGGREGATES[type(call)], key)


READERS: MappingProxyType[type[Node], Reader] = MappingProxyType(
    dict.fromkeys(_AGGREGATES, _aggregate)
    | {
        exp.Anonymous: _anonymous,
        exp.AnonymousAggFunc: _combined,
        exp.CombinedAggFunc: _combined,
        exp.ParameterizedAgg: _parameterized,
        exp.ApproxDistinct: _approximate,
        exp.Case: _case,
        exp.If: _case,
        exp.Filter: _filter,
        exp.WithinGroup: _within_group,
    }
)
"""Readers of aggregates."""
