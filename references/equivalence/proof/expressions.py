"""Expressions over unknown rows: what SQLite would compute, as formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne

from sqlglot import exp

from references.equivalence.proof.arithmetic import divided, modulo, multiplied, negated, subtracted, summed
from references.equivalence.proof.logic import (
    FALSE,
    NULL,
    TRUE,
    UNKNOWN,
    Bit,
    Number,
    Sort,
    Term,
    Truth,
    Unprovable,
    aligned,
    as_real,
    conjunction,
    constant,
    disjunction,
    either_term,
    every,
    integer,
    known,
    negation,
    none,
    numeric,
    pick,
    same,
    some,
)
from references.equivalence.proof.rows import Frame, Relation
from references.equivalence.proof.texts import Functions, Texts, number_in

_COMPARISONS: Mapping[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
}
_NUMBERS = frozenset({"length", "instr", "julianday", "year", "month", "day", "unicode", "sign", "unixepoch"})
_REALS = frozenset({"julianday", "round", "sqrt", "pow", "power", "exp", "ln", "log", "log10"})
_UNSTEADY = frozenset({"random", "randomblob", "changes", "total_changes", "last_insert_rowid"})
_NUMBER_TYPES = ("INT", "REAL", "FLOA", "DOUB", "DEC", "NUM")


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What expressions need beside their row."""

    texts: Texts
    functions: Functions
    query: Callable[[exp.Expr, Frame], Relation]
    """Runs a subquery."""
    aggregate: Callable[[exp.Expr, Frame], Term]
    windowed: Callable[[exp.Window, Frame], Term]
    assume: Callable[[str, Bit], None]
    """Leaves out of the proof the databases that break something."""

    def term(self, node: exp.Expr, frame: Frame) -> Term:
        """The value of an expression."""
        kind = type(node)
        reader = _TERMS.get(kind)
        if reader is not None:
            return reader(self, node, frame)
        if isinstance(node, exp.AggFunc):
            return self.aggregate(node, frame)
        if type(node) in _TRUTHS:
            return as_term(self.truth(node, frame))
        return self._call(node, frame)

    def truth(self, node: exp.Expr, frame: Frame) -> Truth:
        """The truth of a condition."""
        reader = _TRUTHS.get(type(node))
        if reader is not None:
            return reader(self, node, frame)
        return truth_of(self.term(node, frame), self)

    def _call(self, node: exp.Expr, frame: Frame) -> Term:
        """Any other function: known only by its arguments."""
        if not isinstance(node, exp.Func):
            raise Unprovable(f"{node.key.upper()} is not covered")
        name = node.name.lower() if isinstance(node, exp.Anonymous) else node.key
        if name in _UNSTEADY:
            raise Unprovable(f"{name} gives another value each time")
        arguments: list[Term] = []
        for key, value in node.args.items():
            if value is None or value is False or (key == "this" and isinstance(value, str)):
                continue
            if isinstance(value, exp.Expr) and not isinstance(value, exp.Var | exp.DataType):
                arguments.append(self.term(value, frame))
            elif isinstance(value, list):
                arguments.extend(self.term(each, frame) for each in node.expressions)
            else:
                name = f"{name} {key}={value}"
        return self.functions.call(name, arguments, _sort_of_call(name.split(" ")[0]))


def _sort_of_call(name: str) -> Sort:
    if name in _REALS:
        return Sort.REAL
    return Sort.INTEGER if name in _NUMBERS else Sort.TEXT


def as_term(truth: Truth) -> Term:
    """1, 0 or NULL."""
    null = none(some((truth.true, truth.false)))
    return Term(null=null, value=pick(truth.true, integer(1), integer(0)), sort=Sort.INTEGER, most=1)


def truth_of(term: Term, machine: Machine) -> Truth:
    """A value as a condition: a number that is not 0; a text by the number it begins with."""
    if term.null is True:
        return UNKNOWN
    if isinstance(term.literal, str):
        term = constant(number_in(term.literal, whole=False) or 0)
    elif term.sort is Sort.TEXT:
        term = machine.functions.call("number", [term], Sort.REAL)
    if isinstance(term.literal, int | Fraction):
        return TRUE if term.literal else FALSE
    zero = term.value == 0
    return Truth(true=every((none(term.null), none(zero))), false=every((none(term.null), zero)))


def as_number(term: Term, machine: Machine) -> Term:
    """A value in a computation."""
    if isinstance(term.literal, str):
        return constant(number_in(term.literal, whole=False) or 0)
    if term.sort is Sort.TEXT:
        return machine.functions.call("number", [term], Sort.REAL)
    return term


def compare(operator: str, one: Term, other: Term, machine: Machine) -> Truth:
    """A comparison after SQLite's conversions."""
    if one.null is True or other.null is True:
        return UNKNOWN
    one, other = converted(one, other, machine), converted(other, one, machine)
    there = every((none(one.null), none(other.null)))
    pair = aligned(one, other)
    if pair is None:
        holds: Bit = operator in {"<>", "<", "<="} if numeric(one.sort) else operator in {"<>", ">", ">="}
    else:
        holds = _compared(operator, *pair)
    return Truth(true=every((there, holds)), false=every((there, none(holds))))


def _compared(operator: str, one: Number, other: Number) -> Bit:
    return _OPERATIONS[operator](one, other)


_OPERATIONS: Mapping[str, Callable[[Number, Number], Bit]] = {
    "=": eq,
    "<>": ne,
    ">": gt,
    ">=": ge,
    "<": lt,
    "<=": le,
}


def converted(term: Term, beside: Term, machine: Machine) -> Term:
    """What SQLite makes of a value beside another one: text becomes a number beside a number column, and so on."""
    if term.sort is Sort.TEXT and numeric(beside.affinity):
        if term.affinity is Sort.TEXT or term.literal is None:
            raise Unprovable("a text is compared with a number column")
        number = number_in(str(term.literal))
        return term if number is None else constant(number)
    if numeric(term.sort) and term.affinity is Sort.NOTHING and beside.affinity is Sort.TEXT:
        if term.literal is None:
            raise Unprovable("a number is compared with a text column")
        return machine.texts.term(_written(term.literal, machine))
    return term


def _written(literal: int | Fraction | str, machine: Machine) -> str:
    text = str(literal)
    if all(text != each for each, _ in machine.texts.known()):
        raise Unprovable("a computed number is compared with a text column")
    return text


def _column(machine: Machine, node: exp.Expr, frame: Frame) -> Term:
    if isinstance(node.this, exp.Star):
        raise Unprovable("* inside an expression")
    source = node.args["table"].name.lower() if node.args.get("table") else ""
    found = frame.find(source, node.name.lower())
    if found is not None:
        return found
    if isinstance(node.this, exp.Identifier) and node.this.quoted and not source:
        return machine.texts.term(node.name)
    if node.name.lower() in {"true", "false"}:
        return constant(int(node.name.lower() == "true"))
    raise Unprovable(f"the column {node.name} is not found")


def _literal(machine: Machine, node: exp.Expr, _: Frame) -> Term:
    if isinstance(node, exp.Literal) and node.is_string:
        return machine.texts.term(str(node.this))
    number = number_in(str(node.this))
    if number is None:
        raise Unprovable(f"the number {node.this} is not read")
    return constant(number)


def _boolean(_: Machine, node: exp.Expr, __: Frame) -> Term:
    return constant(int(bool(node.this)))


def _inside(machine: Machine, node: exp.Expr, frame: Frame) -> Term:
    return machine.term(node.this, frame)


def _negative(machine: Machine, node: exp.Expr, frame: Frame) -> Term:
    return negated(as_number(machine.term(node.this, frame), machine))


def _arithmetic(
    compute: Callable[[Term, Term, Functions], Term],
) -> Callable[[Machine, exp.Expr, Frame], Term]:
    def read(machine: Machine, node: exp.Expr, frame: Frame) -> Term:
        one = as_number(machine.term(node.this, frame), machine)
        other = as_number(machine.term(node.args["expression"], frame), machine)
        return compute(one, other, machine.functions)

    return read


def _joined(machine: Machine, node: exp.Expr, frame: Frame) -> Term:
    parts = [machine.term(node.this, frame), machine.term(node.args["expression"], frame)]
    return machine.functions.call("||", parts, Sort.TEXT)


def _case(machine: Machine, node: exp.Expr, frame: Frame) -> Term:
    default = node.args.get("default")
    result = machine.term(default, frame) if default is not None else NULL
    for each in reversed(node.args["ifs"]):
        if node.this is not None:
            wanted = compare("=", machine.term(node.this, frame), machine.term(each.this, frame), machine)
        else:
            wanted = machine.truth(each.this, frame)
        result = either_term(wanted.true, machine.term(each.args["true"], frame), result)
    return result


def _if(machine: Machine, node: exp.Expr, frame: Frame) -> Term:
    no = node.args.get("false")
    result = machine.term(no, frame) if no is not None else NULL
    return either_term(machine.truth(node.this, frame).true, machine.term(node.args["true"], frame), result)


def _coalesce(machine: Machine, node: exp.Expr, frame: Frame) -> Term:
    terms = [machine.term(each, frame) for each in (node.this, *node.expressions)]
    result = terms[-1]
    for each in reversed(terms[:-1]):
        result = either_term(none(each.null), each, result)
    return result


def _nullif(machine: Machine, node: exp.Expr, frame: Frame) -> Term:
    one = machine.term(node.this, frame)
    equal = compare("=", one, machine.term(node.args["expression"], frame), machine)
    return replace(one, null=some((one.null, equal.true)), literal=None)


def _cast(machine: Machine, node: exp.Expr, frame: Frame) -> Term:
    term = machine.term(node.this, frame)
    name = node.args["to"].sql("sqlite").upper()
    if term.null is True:
        return term
    if "INT" in name:
        return _cast_integer(term, machine)
    if any(each in name for each in _NUMBER_TYPES):
        number = as_number(term, machine)
        if "NUM" in name or "DEC" in name:
            return replace(number, affinity=number.sort)
        return Term(
            null=number.null, value=as_real(number), sort=Sort.REAL, affinity=Sort.REAL, literal=_fraction(number)
        )
    if any(each in name for each in ("CHAR", "TEXT", "CLOB")):
        text = term if term.sort is Sort.TEXT else machine.functions.call("text", [term], Sort.TEXT)
        return replace(text, affinity=Sort.TEXT)
    raise Unprovable(f"CAST to {name} is not covered")


def _fraction(term: Term) -> Fraction | None:
    return Fraction(term.literal) if isinstance(term.literal, int | Fraction) else None


def _cast_integer(term: Term, machine: Machine) -> Term:
    if isinstance(term.literal, str | Fraction):
        number = number_in(term.literal, whole=False) if isinstance(term.literal, str) else term.literal
        return replace(constant(int(number or 0)), affinity=Sort.INTEGER)
    if term.sort is Sort.INTEGER:
        return replace(term, affinity=Sort.INTEGER)
    return replace(machine.functions.call("integer", [term], Sort.INTEGER), affinity=Sort.INTEGER)


def _absolute(machine: Machine, node: exp.Expr, frame: Frame) -> Term:
    term = as_number(machine.term(node.this, frame), machine)
    value = pick(term.value >= 0, term.value, -term.value)
    return Term(null=term.null, value=value, sort=term.sort, loose=term.loose)


def _scalar(machine: Machine, node: exp.Expr, frame: Frame) -> Term:
    """The one value of a subquery: NULL without a row. More than one row is left out of the proof."""
    relation = machine.query(node, frame)
    if len([each for each in relation.headings if not each.hidden]) != 1:
        raise Unprovable("a subquery of several columns in a value's place")
    result = NULL
    for row in reversed(relation.rows):
        result = either_term(row.present, row.cells[0], result)
    for index, row in enumerate(relation.rows):
        for other in relation.rows[:index]:
            agree = some((none(row.present), none(other.present), same(row.cells[0], other.cells[0])))
            machine.assume("a subquery in a value's place gives one value", agree)
    return result


def _window(machine: Machine, node: exp.Expr, frame: Frame) -> Term:
    if not isinstance(node, exp.Window):
        raise Unprovable("a window of another kind")
    return machine.windowed(node, frame)


def _null(_: Machine, __: exp.Expr, ___: Frame) -> Term:
    return NULL


_TERMS: dict[type[exp.Expr], Callable[[Machine, exp.Expr, Frame], Term]] = {
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Boolean: _boolean,
    exp.Null: _null,
    exp.Paren: _inside,
    exp.Alias: _inside,
    exp.Neg: _negative,
    exp.Add: _arithmetic(summed),
    exp.Sub: _arithmetic(subtracted),
    exp.Mul: _arithmetic(multiplied),
    exp.Div: _arithmetic(divided),
    exp.Mod: _arithmetic(modulo),
    exp.DPipe: _joined,
    exp.Case: _case,
    exp.If: _if,
    exp.Coalesce: _coalesce,
    exp.Nullif: _nullif,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Abs: _absolute,
    exp.Subquery: _scalar,
    exp.Select: _scalar,
    exp.Window: _window,
}


def _and(machine: Machine, node: exp.Expr, frame: Frame) -> Truth:
    return conjunction(machine.truth(node.this, frame), machine.truth(node.args["expression"], frame))


def _or(machine: Machine, node: exp.Expr, frame: Frame) -> Truth:
    return disjunction(machine.truth(node.this, frame), machine.truth(node.args["expression"], frame))


def _not(machine: Machine, node: exp.Expr, frame: Frame) -> Truth:
    return negation(machine.truth(node.this, frame))


def _paren(machine: Machine, node: exp.Expr, frame: Frame) -> Truth:
    return machine.truth(node.this, frame)


def _comparison(machine: Machine, node: exp.Expr, frame: Frame) -> Truth:
    one, other = node.this, node.args["expression"]
    operator = _COMPARISONS[type(node)]
    if isinstance(one, exp.Tuple) or isinstance(other, exp.Tuple):
        if operator != "=" or len(one.expressions) != len(other.expressions):
            raise Unprovable("rows are compared")
        result = TRUE
        for a, b in zip(one.expressions, other.expressions, strict=True):
            result = conjunction(result, compare("=", machine.term(a, frame), machine.term(b, frame), machine))
        return result
    return compare(operator, machine.term(one, frame), machine.term(other, frame), machine)


def _is(machine: Machine, node: exp.Expr, frame: Frame) -> Truth:
    other = node.args["expression"]
    if isinstance(other, exp.Null):
        return known(machine.term(node.this, frame).null)
    if isinstance(other, exp.Boolean):
        truth = machine.truth(node.this, frame)
        return known(truth.true if other.this else truth.false)
    one, two = machine.term(node.this, frame), machine.term(other, frame)
    return known(same(converted(one, two, machine), converted(two, one, machine)))


def _between(machine: Machine, node: exp.Expr, frame: Frame) -> Truth:
    term = machine.term(node.this, frame)
    low = compare(">=", term, machine.term(node.args["low"], frame), machine)
    return conjunction(low, compare("<=", term, machine.term(node.args["high"], frame), machine))


def _in(machine: Machine, node: exp.Expr, frame: Frame) -> Truth:
    parts = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
    terms = [machine.term(each, frame) for each in parts]
    query = node.args.get("query")
    result = FALSE
    if query is None:
        for each in node.expressions:
            others = each.expressions if isinstance(each, exp.Tuple) else [each]
            result = disjunction(result, _matches(terms, [machine.term(one, frame) for one in others], machine))
        return result
    relation = machine.query(query, frame)
    for row in relation.rows:
        found = _matches(terms, list(row.cells), machine)
        there = Truth(true=every((row.present, found.true)), false=some((none(row.present), found.false)))
        result = disjunction(result, there)
    return result


def _matches(terms: list[Term], others: list[Term], machine: Machine) -> Truth:
    if len(terms) != len(others):
        raise Unprovable("IN with rows of another width")
    result = TRUE
    for one, other in zip(terms, others, strict=True):
        result = conjunction(result, compare("=", one, other, machine))
    return result


def _exists(machine: Machine, node: exp.Expr, frame: Frame) -> Truth:
    return known(some(row.present for row in machine.query(node.this, frame).rows))


def _like(machine: Machine, node: exp.Expr, frame: Frame) -> Truth:
    pattern = node.args["expression"]
    term, other = machine.term(node.this, frame), machine.term(pattern, frame)
    if not isinstance(other.literal, str):
        raise Unprovable("LIKE with a computed pattern")
    if term.sort is not Sort.TEXT:
        term = machine.functions.call("text", [term], Sort.TEXT)
    holds = machine.functions.like(term, other.literal, "GLOB" if isinstance(node, exp.Glob) else "LIKE")
    return Truth(true=every((none(term.null), holds)), false=every((none(term.null), none(holds))))


_TRUTHS: dict[type[exp.Expr], Callable[[Machine, exp.Expr, Frame], Truth]] = {
    exp.And: _and,
    exp.Or: _or,
    exp.Not: _not,
    exp.Paren: _paren,
    exp.EQ: _comparison,
    exp.NEQ: _comparison,
    exp.GT: _comparison,
    exp.GTE: _comparison,
    exp.LT: _comparison,
    exp.LTE: _comparison,
    exp.Is: _is,
    exp.Between: _between,
    exp.In: _in,
    exp.Exists: _exists,
    exp.Like: _like,
    exp.ILike: _like,
    exp.Glob: _like,
}
