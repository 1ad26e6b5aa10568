"""Evaluates expressions over unknown rows to formulas, as SQLite would."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from references.equivalence.proof.aggregates import aggregate, windowed
from references.equivalence.proof.arithmetic import divided, modulo, multiplied, negated, subtracted, summed
from references.equivalence.proof.comparisons import as_number, as_term, compare
from references.equivalence.proof.conditions import TRUTHS
from references.equivalence.proof.date_calls import date_call
from references.equivalence.proof.logic import (
    Sort,
    UnknownValue,
    Unprovable,
    as_real,
    constant,
    either_term,
    no_value,
    none,
    pick,
    same,
    some,
)
from references.equivalence.proof.machine import Machine, TermReader
from references.equivalence.proof.rows import Frame
from references.equivalence.proof.texts import Functions, number_in

_NUMBERS = frozenset(
    "length octet_length instr strposition julianday year month day unicode sign unixepoch json_array_length".split()
)
_REALS = frozenset(
    """
    julianday round sqrt pow power exp ln log log2 log10 sin sinh asin asinh cos cosh acos acosh tan tanh atan atan2
    atanh radians degrees pi ceil ceiling floor trunc mod
    """.split()
)
_TEXTS = frozenset(
    """
    lower upper trim ltrim rtrim substr substring replace char chr concat concat_ws format printf hex quote soundex
    typeof timetostr strftime date datetime time timestamp tsordstodate tsordstodatetime tsordstotime tsordstotimestamp
    """.split()
)
"""The types of what functions return: as a text, a number would never equal one. The proof leaves out all others."""
_UNSTEADY = frozenset({"random", "randomblob", "changes", "total_changes", "last_insert_rowid"})
_NUMBER_TYPES = ("INT", "REAL", "FLOA", "DOUB", "DEC", "NUM")


def read_term(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue:
    """Evaluates an expression."""
    reader = _TERMS.get(type(node))
    if reader is not None:
        return reader(machine, node, frame)
    if isinstance(node, exp.AggFunc | exp.Filter):
        return aggregate(machine, node, frame)
    if type(node) in TRUTHS:
        return as_term(machine.truth(node, frame))
    return _call(machine, node, frame)


def _call(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue:
    """Evaluates any other function: all that is known is that equal arguments give equal results."""
    found = date_call(machine, node, frame)
    if found is not None:
        return found
    if not isinstance(node, exp.Func):
        raise Unprovable(f"{node.key.upper()} is not covered")
    name = node.name.lower() if isinstance(node, exp.Anonymous) else node.key
    if name in _UNSTEADY:
        raise Unprovable(f"{name} returns another value each time")
    return _unread(machine, node, frame, name)


def _unread(machine: Machine, node: exp.Func, frame: Frame, name: str) -> UnknownValue:
    arguments: list[UnknownValue] = []
    for key, value in node.args.items():
        if value is None or value is False or (key == "this" and isinstance(value, str)):
            continue
        if isinstance(value, exp.Expr) and not isinstance(value, exp.Var | exp.DataType):
            arguments.append(machine.term(value, frame))
        elif isinstance(value, list):
            arguments.extend(machine.term(each, frame) for each in node.expressions)
        else:
            name = f"{name} {key}={value}"
    return machine.functions.call(name, arguments, _sort_of_call(name.split(" ")[0]))


def _sort_of_call(name: str) -> Sort:
    if name in _REALS:
        return Sort.REAL
    if name in _NUMBERS:
        return Sort.INTEGER
    if name not in _TEXTS:
        raise Unprovable(f"{name.upper()} is not covered")
    return Sort.TEXT


def _column(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue:
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


def _literal(machine: Machine, node: exp.Expr, _: Frame) -> UnknownValue:
    if isinstance(node, exp.Literal) and node.is_string:
        return machine.texts.term(str(node.this))
    number = number_in(str(node.this))
    if number is None:
        raise Unprovable(f"the number {node.this} is not read")
    return constant(number)


def _boolean(_: Machine, node: exp.Expr, __: Frame) -> UnknownValue:
    return constant(int(bool(node.this)))


def _inside(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue:
    return machine.term(node.this, frame)


def _negative(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue:
    return negated(as_number(machine.term(node.this, frame), machine))


def _arithmetic(
    compute: Callable[[UnknownValue, UnknownValue, Functions], UnknownValue],
) -> TermReader:
    def read(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue:
        one = as_number(machine.term(node.this, frame), machine)
        other = as_number(machine.term(node.args["expression"], frame), machine)
        return compute(one, other, machine.functions)

    return read


def _joined(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue:
    found = date_call(machine, node, frame)
    if found is not None:
        return found
    parts = [machine.term(node.this, frame), machine.term(node.args["expression"], frame)]
    return machine.functions.call("||", parts, Sort.TEXT)


def _case(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue:
    default = node.args.get("default")
    result = machine.term(default, frame) if default is not None else no_value()
    for each in reversed(node.args["ifs"]):
        if node.this is not None:
            wanted = compare("=", machine.term(node.this, frame), machine.term(each.this, frame), machine)
        else:
            wanted = machine.truth(each.this, frame)
        result = either_term(wanted.true, machine.term(each.args["true"], frame), result)
    return result


def _if(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue:
    no = node.args.get("false")
    result = machine.term(no, frame) if no is not None else no_value()
    return either_term(machine.truth(node.this, frame).true, machine.term(node.args["true"], frame), result)


def _coalesce(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue:
    terms = [machine.term(each, frame) for each in (node.this, *node.expressions)]
    result = terms[-1]
    for each in reversed(terms[:-1]):
        result = either_term(none(each.null), each, result)
    return result


def _nullif(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue:
    one = machine.term(node.this, frame)
    equal = compare("=", one, machine.term(node.args["expression"], frame), machine)
    return replace(one, null=some((one.null, equal.true)), literal=None)


def _cast(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue:
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
        return UnknownValue(
            null=number.null, value=as_real(number), sort=Sort.REAL, affinity=Sort.REAL, literal=_fraction(number)
        )
    if any(each in name for each in ("CHAR", "TEXT", "CLOB")):
        text = term if term.sort in {Sort.TEXT, Sort.DATED} else machine.functions.call("text", [term], Sort.TEXT)
        return replace(text, affinity=Sort.TEXT)
    raise Unprovable(f"CAST to {name} is not covered")


def _fraction(term: UnknownValue) -> Fraction | None:
    return Fraction(term.literal) if isinstance(term.literal, int | Fraction) else None


def _cast_integer(term: UnknownValue, machine: Machine) -> UnknownValue:
    if isinstance(term.literal, str | Fraction):
        number = number_in(term.literal, whole=False) if isinstance(term.literal, str) else term.literal
        return replace(constant(int(number or 0)), affinity=Sort.INTEGER)
    if term.sort is Sort.DATED:
        term = as_number(term, machine)
    if term.sort is Sort.INTEGER:
        return replace(term, affinity=Sort.INTEGER)
    return replace(machine.functions.call("integer", [term], Sort.INTEGER), affinity=Sort.INTEGER)


def _absolute(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue:
    term = as_number(machine.term(node.this, frame), machine)
    value = pick(term.value >= 0, term.value, -term.value)
    return UnknownValue(null=term.null, value=value, sort=term.sort, loose=term.loose)


def _scalar(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue:
    """The value of a scalar subquery: NULL without rows. The proof assumes that all its rows agree."""
    relation = machine.query(node, frame)
    if len([each for each in relation.headings if not each.hidden]) != 1:
        raise Unprovable("a scalar subquery with several columns")
    result = no_value()
    for row in reversed(relation.rows):
        result = either_term(row.present, row.cells[0], result)
    for index, row in enumerate(relation.rows):
        for other in relation.rows[:index]:
            agree = some((none(row.present), none(other.present), same(row.cells[0], other.cells[0])))
            machine.assume("a scalar subquery returns one value", agree)
    return result


def _null(_: Machine, __: exp.Expr, ___: Frame) -> UnknownValue:
    return no_value()


_TERMS: Mapping[type[exp.Expr], TermReader] = {
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
    exp.Window: windowed,
}
