"""Evaluates conditions over unknown rows to three-valued truth."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from references.equivalence.proof.comparisons import compare, converted, truth_of
from references.equivalence.proof.dates import like
from references.equivalence.proof.logic import (
    FALSE,
    TRUE,
    Sort,
    Truth,
    UnknownValue,
    Unprovable,
    conjunction,
    disjunction,
    every,
    known,
    negation,
    none,
    same,
    some,
)
from references.equivalence.proof.machine import Machine, TruthReader
from references.equivalence.proof.rows import Frame

_COMPARISONS: Mapping[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
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


def _matches(terms: list[UnknownValue], others: list[UnknownValue], machine: Machine) -> Truth:
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
    operator = "GLOB" if isinstance(node, exp.Glob) else "LIKE"
    if term.sort is Sort.DATED:
        holds = like(term, other.literal, operator)
        return Truth(true=every((none(term.null), holds)), false=every((none(term.null), none(holds))))
    if term.sort is not Sort.TEXT:
        term = machine.functions.call("text", [term], Sort.TEXT)
    holds = machine.functions.like(term, other.literal, operator)
    return Truth(true=every((none(term.null), holds)), false=every((none(term.null), none(holds))))


TRUTHS: Mapping[type[exp.Expr], TruthReader] = {
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
"""The reader of each kind of condition."""


def read_truth(machine: Machine, node: exp.Expr, frame: Frame) -> Truth:
    """Evaluates a condition; any other expression counts as its value does."""
    reader = TRUTHS.get(type(node))
    if reader is not None:
        return reader(machine, node, frame)
    return truth_of(machine.term(node, frame), machine)
