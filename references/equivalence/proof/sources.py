"""What a query reads from: tables, derived tables, CTEs and joins, as unknown rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from references.equivalence.proof.clauses import names_itself, shared_cell, shared_columns, within_bounds
from references.equivalence.proof.logic import Bit, Unprovable, every, no_value, none, same, some
from references.equivalence.proof.machine import Machine
from references.equivalence.proof.rows import Frame, Heading, Relation, UnknownRow

_COVERED_KINDS = frozenset({"", "INNER", "CROSS", "OUTER"})


def with_tables(machine: Machine, tree: exp.Expr, outer: Frame) -> Frame:
    """Returns a frame in which the CTEs of a query are known."""
    clause = tree.args.get("with_")
    if clause is None:
        return outer
    if clause.args.get("recursive") and any(names_itself(each) for each in clause.expressions):
        raise Unprovable("a recursive CTE")
    tables: dict[str, Relation] = {}
    frame = Frame((), (), outer, tables)
    for each in clause.expressions:
        name = each.alias.lower()
        tables[name] = machine.query(each.this, frame).renamed(name, _column_names(each))
    return frame


def read_from(machine: Machine, tree: exp.Select, outer: Frame) -> Relation:
    """Evaluates FROM with its joins; without FROM there is one row without cells."""
    clause = tree.args.get("from_")
    if clause is None:
        return Relation((), (UnknownRow(True, ()),))
    relation = _source(machine, clause.this, outer)
    for join in tree.args.get("joins") or ():
        relation = _join(machine, relation, join, outer)
    return relation


def read_values(machine: Machine, tree: exp.Values, outer: Frame) -> Relation:
    """Evaluates VALUES."""
    rows = [
        UnknownRow(True, tuple(machine.term(each, outer) for each in (one.expressions or [one])))
        for one in tree.expressions
    ]
    headings = tuple(Heading("", f"column{index + 1}") for index in range(len(rows[0].cells)))
    return Relation(headings, tuple(rows))


def _source(machine: Machine, node: exp.Expr, outer: Frame) -> Relation:
    if isinstance(node, exp.Table):
        return _table(machine, node, outer)
    if not isinstance(node, exp.Subquery | exp.Values):
        raise Unprovable(f"{node.key.upper()} as a source is not covered")
    inner = node if isinstance(node, exp.Values) else node.this
    if isinstance(inner, exp.Table):
        raise Unprovable("joins in brackets")
    return machine.query(inner, with_tables(machine, node, outer)).renamed(node.alias.lower(), _column_names(node))


def _table(machine: Machine, node: exp.Table, outer: Frame) -> Relation:
    if node.args.get("joins") or not isinstance(node.this, exp.Identifier):
        raise Unprovable("a source of another kind")
    found = outer.cte(node.name.lower()) or machine.tables.get(node.name.lower())
    if found is None:
        raise Unprovable(f"the table {node.name} is not found")
    return found.renamed(node.alias_or_name.lower(), _column_names(node))


def _column_names(node: exp.Expr) -> list[str]:
    """The column names that an alias lists, as in `AS t(a, b)`."""
    alias = node.args.get("alias")
    return [each.name for each in alias.args.get("columns") or ()] if alias is not None else []


@dataclass(frozen=True, slots=True)
class _Join:
    """Two relations, and for each pair of their rows whether the join condition holds."""

    left: Relation
    right: Relation
    headings: tuple[Heading, ...]
    shared: Sequence[str]
    """Columns of USING."""
    matches: Sequence[Sequence[Bit]]

    def inner(self) -> list[UnknownRow]:
        """The pairs of rows that match."""
        return [
            UnknownRow(every((a.present, b.present, self.matches[i][j])), (*a.cells, *b.cells))
            for i, a in enumerate(self.left.rows)
            for j, b in enumerate(self.right.rows)
        ]

    def left_only(self) -> list[UnknownRow]:
        """Left rows without a match, filled up with NULL."""
        empty = tuple(no_value() for _ in self.right.headings)
        rows: list[UnknownRow] = []
        for i, a in enumerate(self.left.rows):
            met = some(every((b.present, self.matches[i][j])) for j, b in enumerate(self.right.rows))
            rows.append(UnknownRow(every((a.present, none(met))), (*a.cells, *empty)))
        return rows

    def right_only(self) -> list[UnknownRow]:
        """Right rows without a match, filled up with NULL."""
        if self.shared:
            raise Unprovable("RIGHT JOIN with USING")
        empty = tuple(no_value() for _ in self.left.headings)
        rows: list[UnknownRow] = []
        for j, b in enumerate(self.right.rows):
            met = some(every((a.present, self.matches[i][j])) for i, a in enumerate(self.left.rows))
            rows.append(UnknownRow(every((b.present, none(met))), (*empty, *b.cells)))
        return rows


def _join(machine: Machine, left: Relation, join: exp.Join, outer: Frame) -> Relation:
    right = _source(machine, join.this, outer)
    side, kind = join.side.upper(), join.kind.upper()
    if kind not in _COVERED_KINDS or (join.method and join.method.upper() != "NATURAL"):
        raise Unprovable(f"{kind or join.method} JOIN")
    met = _met(machine, left, right, join, outer)
    rows = met.inner()
    if side in {"LEFT", "FULL"}:
        rows += met.left_only()
    if side in {"RIGHT", "FULL"}:
        rows += met.right_only()
    return Relation(met.headings, tuple(row for row in rows if row.present is not False))


def _met(machine: Machine, left: Relation, right: Relation, join: exp.Join, outer: Frame) -> _Join:
    shared = shared_columns(left, right, join)
    added = (replace(each, hidden=each.hidden or each.name in shared) for each in right.headings)
    headings = (*left.headings, *added)
    within_bounds(len(left.rows) * len(right.rows))
    condition = join.args.get("on")

    def matches(a: UnknownRow, b: UnknownRow) -> Bit:
        met: list[Bit] = []
        for name in shared:
            one, other = shared_cell(left, a, name), shared_cell(right, b, name)
            met.append(every((none(one.null), none(other.null), same(one, other))))
        if condition is not None:
            met.append(machine.truth(condition, Frame(headings, (*a.cells, *b.cells), outer)).true)
        return every(met)

    return _Join(left, right, headings, shared, [[matches(a, b) for b in right.rows] for a in left.rows])
