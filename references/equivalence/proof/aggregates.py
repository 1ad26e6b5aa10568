"""Evaluates aggregates over a group, and window functions over a block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from references.equivalence.proof.arithmetic import divided
from references.equivalence.proof.comparisons import as_number
from references.equivalence.proof.logic import (
    Bit,
    Sort,
    UnknownValue,
    Unprovable,
    as_real,
    before,
    count,
    either_term,
    every,
    integer,
    no_value,
    none,
    pick,
    real,
    same,
    same_rows,
    some,
    total,
)
from references.equivalence.proof.machine import Machine
from references.equivalence.proof.ordering import precedes, sort_keys, ties
from references.equivalence.proof.rows import Frame, Group

Member = tuple[Bit, UnknownValue]
"""Whether a row counts, and its value."""


def aggregate(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue:
    """Evaluates an aggregate over the group of the frame."""
    if isinstance(node, exp.Max | exp.Min) and node.expressions:
        raise Unprovable(f"{node.key.upper()} of several values")
    if isinstance(node, exp.AnonymousAggFunc):
        raise Unprovable(f"{node.name} is not covered")
    group = frame.group
    if group is None:
        outer = frame.outer
        if outer is None:
            raise Unprovable(f"{node.key.upper()} outside a group")
        return aggregate(machine, node, outer)
    if isinstance(node, exp.Filter):
        return aggregate(machine, node.this, replace(frame, group=_filtered(machine, node, group, frame)))
    if isinstance(node, exp.Count) and (node.this is None or isinstance(node.this, exp.Star)):
        return count(group.members)
    return _aggregated(machine, node, node.this, group, frame)


def _filtered(machine: Machine, node: exp.Filter, group: Group, frame: Frame) -> Group:
    """The group with only the members that meet the condition of FILTER."""
    condition = node.expression.this
    frames = [replace(frame.on(row), group=None, window=None) for row in group.rows]
    met = [machine.truth(condition, each).true for each in frames]
    return Group(group.rows, tuple(every(both) for both in zip(group.members, met, strict=True)))


def _aggregated(machine: Machine, node: exp.Expr, argument: exp.Expr, group: Group, frame: Frame) -> UnknownValue:
    distinct = isinstance(argument, exp.Distinct)
    if isinstance(argument, exp.Distinct):
        if len(argument.expressions) != 1:
            raise Unprovable("DISTINCT of several columns in an aggregate")
        argument = argument.expressions[0]
    members = [
        (member, machine.term(argument, replace(frame.on(row), group=None, window=None)))
        for row, member in zip(group.rows, group.members, strict=True)
        if member is not False
    ]
    counted = [(every((member, none(term.null))), term) for member, term in members]
    counted = [each for each in counted if each[0] is not False]
    if distinct:
        counted = [(every((bit, _first(counted, index))), term) for index, (bit, term) in enumerate(counted)]
    return _fold(machine, node, counted)


def _first(members: Sequence[Member], index: int) -> Bit:
    """Whether no earlier row that counts has the same value."""
    return every(none(every((bit, same(term, members[index][1])))) for bit, term in members[:index])


def _fold(machine: Machine, node: exp.Expr, members: Sequence[Member]) -> UnknownValue:
    if isinstance(node, exp.Count):
        return count(bit for bit, _ in members)
    if isinstance(node, exp.Max):
        return _extreme(members, highest=True)
    if isinstance(node, exp.Min):
        return _extreme(members, highest=False)
    if isinstance(node, exp.Sum):
        return _sum(machine, members)
    if isinstance(node, exp.Avg):
        added = _sum(machine, members)
        if added.sort is Sort.NOTHING:
            return added
        exact = replace(added, value=as_real(added), sort=Sort.REAL, most=None, loose=False)
        return divided(exact, count(bit for bit, _ in members), machine.functions)
    raise Unprovable(f"{node.key.upper()} is not covered")


def _sum(machine: Machine, members: Sequence[Member]) -> UnknownValue:
    if not members:
        return no_value()
    terms = [(bit, as_number(term, machine)) for bit, term in members]
    reals = any(term.sort is Sort.REAL for _, term in terms)
    zero = real(Fraction(0)) if reals else integer(0)
    values = [pick(bit, as_real(term) if reals else term.value, zero) for bit, term in terms]
    return UnknownValue(
        null=none(some(bit for bit, _ in terms)),
        value=total(values),
        sort=Sort.REAL if reals else Sort.INTEGER,
        most=_greatest_sum([term for _, term in terms]),
        loose=any(term.loose for _, term in terms),
    )


def _greatest_sum(terms: Sequence[UnknownValue]) -> int | None:
    """An upper bound of a sum of counts and constants; `None` when one of the terms has no bound."""
    bounds = [_greatest(term) for term in terms]
    known = [bound for bound in bounds if bound is not None]
    return sum(known) if len(known) == len(bounds) else None


def _greatest(term: UnknownValue) -> int | None:
    if term.most is not None:
        return term.most
    return term.literal if isinstance(term.literal, int) and term.literal >= 0 else None


def _extreme(members: Sequence[Member], *, highest: bool) -> UnknownValue:
    """The greatest or least value of the rows that count; NULL when there is none."""
    result = no_value()
    for bit, term in members:
        beats = before(result, term) if highest else before(term, result)
        better = every((bit, some((result.null, beats))))
        result = either_term(better, replace(term, literal=None), result)
    return result


def windowed(machine: Machine, node: exp.Expr, frame: Frame) -> UnknownValue:
    """Evaluates a window function for the row of the frame."""
    if not isinstance(node, exp.Window):
        raise Unprovable("a window of another kind")
    if frame.window is None:
        raise Unprovable("a window function outside SELECT")
    if node.args.get("spec") is not None:
        raise Unprovable("a window with a frame of its own")
    rows, here = frame.window
    frames = [replace(frame.on(row), window=None) for row in rows]
    keys: list[exp.Expr] = node.args.get("partition_by") or []
    parts = [[machine.term(key, each) for key in keys] for each in frames]
    inside = [every((row.present, same_rows(part, parts[here]))) for row, part in zip(rows, parts, strict=True)]
    order = node.args.get("order")
    if order is None:
        return _whole(machine, node, frame, Group(rows, tuple(inside)))
    return _ranked(machine, node, frames, inside, here)


def _whole(machine: Machine, node: exp.Window, frame: Frame, group: Group) -> UnknownValue:
    if not isinstance(node.this, exp.Count | exp.Sum | exp.Avg | exp.Min | exp.Max):
        raise Unprovable(f"{node.this.key.upper()} over an unordered window")
    return aggregate(machine, node.this, replace(frame, group=group, window=None))


def _ranked(
    machine: Machine, node: exp.Window, frames: Sequence[Frame], inside: Sequence[Bit], here: int
) -> UnknownValue:
    order: exp.Order = node.args["order"]
    keys = [sort_keys(machine, order.expressions, each) for each in frames]
    ahead = [every((bit, precedes(keys[index], keys[here]))) for index, bit in enumerate(inside)]
    if isinstance(node.this, exp.Rank):
        found = count(ahead)
    elif isinstance(node.this, exp.RowNumber):
        for index, bit in enumerate(inside):
            tied = every((bit, inside[here], ties(keys[index], keys[here])))
            if index != here:
                machine.assume("no ties", none(tied))
        found = count(ahead)
    elif isinstance(node.this, exp.DenseRank):
        members = [(bit, index) for index, bit in enumerate(ahead)]
        found = count(
            every((bit, *(none(every((other, ties(keys[j], keys[i])))) for other, j in members[:i])))
            for bit, i in members
        )
    else:
        raise Unprovable(f"{node.this.key.upper()} over an ordered window")
    return UnknownValue(null=False, value=found.value + 1, sort=Sort.INTEGER)
