"""Queries over unknown rows: FROM, WHERE, GROUP BY, SELECT, set operations, ORDER BY with LIMIT."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from references.equivalence.proof.aggregates import SortKey, aggregate, cut, sort_keys, windowed
from references.equivalence.proof.clauses import (
    bare_columns,
    cutting,
    direction,
    group_key,
    has_aggregates,
    names_itself,
    place,
    shared_cell,
    shared_columns,
    titles,
    unlike,
    within_bounds,
)
from references.equivalence.proof.expressions import Machine
from references.equivalence.proof.logic import (
    NULL,
    Bit,
    Term,
    Unprovable,
    count,
    either_term,
    every,
    less_than,
    none,
    same,
    same_rows,
    some,
)
from references.equivalence.proof.rows import Frame, Group, Heading, Relation, Row
from references.equivalence.proof.texts import Functions, Texts


@dataclass(frozen=True, slots=True)
class _Meeting:
    """How two relations are joined."""

    left: Relation
    right: Relation
    headings: tuple[Heading, ...]
    shared: Sequence[str]
    """Columns of USING."""
    condition: exp.Expr | None


@dataclass(slots=True)
class Engine:
    """Runs queries on a database of unknowns, and notes what it takes for granted."""

    tables: Mapping[str, Relation]
    texts: Texts
    functions: Functions
    assumptions: dict[str, list[Bit]]
    duties: list[Bit]
    """What must hold in every database for the result to be right; proved with the rest."""
    machine: Machine

    @staticmethod
    def of(tables: Mapping[str, Relation], texts: Texts, tick: Callable[[], None]) -> Engine:
        """An engine over these tables, by folded name; `tick` raises where time is up."""
        functions = Functions(texts)
        assumptions: dict[str, list[Bit]] = {}

        def assume(what: str, bit: Bit) -> None:
            if bit is not True:
                assumptions.setdefault(what, []).append(bit)

        machine = Machine(
            texts=texts,
            functions=functions,
            query=lambda node, frame: engine.query(node, frame),  # noqa: PLW0108 - the engine is made below
            aggregate=lambda node, frame: aggregate(engine.machine, node, frame),
            windowed=lambda node, frame: windowed(engine.machine, node, frame),
            assume=assume,
            tick=tick,
        )
        engine = Engine(tables, texts, functions, assumptions, [], machine)
        return engine

    def run(self, tree: exp.Query) -> Relation:
        """The result of a query."""
        return self.query(tree, Frame((), (), None))

    def query(self, tree: exp.Expr, outer: Frame) -> Relation:
        """The result of a query inside another."""
        if isinstance(tree, exp.Subquery):
            if tree.args.get("limit") is not None or tree.args.get("order") is not None:
                raise Unprovable("ORDER BY after a bracket")
            return self.query(tree.this, self._with(tree, outer))
        if isinstance(tree, exp.SetOperation):
            return self._operation(tree, self._with(tree, outer))
        if isinstance(tree, exp.Select):
            return self._select(tree, self._with(tree, outer))
        if isinstance(tree, exp.Values):
            return self._values(tree, outer)
        raise Unprovable(f"{tree.key.upper()} is not covered")

    def _with(self, tree: exp.Expr, outer: Frame) -> Frame:
        clause = tree.args.get("with_")
        if clause is None:
            return outer
        if clause.args.get("recursive") and any(names_itself(each) for each in clause.expressions):
            raise Unprovable("a recursive CTE")
        tables: dict[str, Relation] = {}
        frame = Frame((), (), outer, tables)
        for each in clause.expressions:
            alias = each.args["alias"]
            names = [one.name for one in alias.args.get("columns") or ()]
            tables[each.alias.lower()] = self.query(each.this, frame).renamed(each.alias.lower(), names)
        return frame

    # FROM

    def _source(self, node: exp.Expr, outer: Frame) -> Relation:
        alias = node.args.get("alias")
        names = [each.name for each in alias.args.get("columns") or ()] if alias is not None else []
        if isinstance(node, exp.Table):
            if node.args.get("joins") or not isinstance(node.this, exp.Identifier):
                raise Unprovable("a source of another kind")
            found = outer.cte(node.name.lower()) or self.tables.get(node.name.lower())
            if found is None:
                raise Unprovable(f"the table {node.name} is not found")
            return found.renamed(node.alias_or_name.lower(), names)
        if isinstance(node, exp.Subquery | exp.Values):
            inner = node if isinstance(node, exp.Values) else node.this
            if isinstance(inner, exp.Table):
                raise Unprovable("joins in brackets")
            return self.query(inner, self._with(node, outer)).renamed(node.alias.lower(), names)
        raise Unprovable(f"{node.key.upper()} as a source is not covered")

    def _values(self, tree: exp.Values, outer: Frame) -> Relation:
        rows = [
            Row(True, tuple(self.machine.term(each, outer) for each in (one.expressions or [one])))
            for one in tree.expressions
        ]
        headings = tuple(Heading("", f"column{index + 1}") for index in range(len(rows[0].cells)))
        return Relation(headings, tuple(rows))

    def _from(self, tree: exp.Select, outer: Frame) -> Relation:
        clause = tree.args.get("from_")
        if clause is None:
            return Relation((), (Row(True, ()),))
        relation = self._source(clause.this, outer)
        for join in tree.args.get("joins") or ():
            relation = self._join(relation, join, outer)
        return relation

    def _join(self, left: Relation, join: exp.Join, outer: Frame) -> Relation:
        right = self._source(join.this, outer)
        side, kind = join.side.upper(), join.kind.upper()
        if kind not in {"", "INNER", "CROSS", "OUTER"} or (join.method and join.method.upper() != "NATURAL"):
            raise Unprovable(f"{kind or join.method} JOIN")
        shared = shared_columns(left, right, join)
        added = (replace(each, hidden=each.hidden or each.name in shared) for each in right.headings)
        headings = (*left.headings, *added)
        within_bounds(len(left.rows) * len(right.rows))
        meeting = _Meeting(left, right, headings, shared, join.args.get("on"))
        matches = [[self._meet(a, b, meeting, outer) for b in right.rows] for a in left.rows]
        rows = [
            Row(every((a.present, b.present, matches[i][j])), (*a.cells, *b.cells))
            for i, a in enumerate(left.rows)
            for j, b in enumerate(right.rows)
        ]
        if side in {"LEFT", "FULL"}:
            empty = tuple(NULL for _ in right.headings)
            for i, a in enumerate(left.rows):
                met = some(every((b.present, matches[i][j])) for j, b in enumerate(right.rows))
                rows.append(Row(every((a.present, none(met))), (*a.cells, *empty)))
        if side in {"RIGHT", "FULL"}:
            if shared:
                raise Unprovable("RIGHT JOIN with USING")
            empty = tuple(NULL for _ in left.headings)
            for j, b in enumerate(right.rows):
                met = some(every((a.present, matches[i][j])) for i, a in enumerate(left.rows))
                rows.append(Row(every((b.present, none(met))), (*empty, *b.cells)))
        return Relation(headings, tuple(row for row in rows if row.present is not False))

    def _meet(self, a: Row, b: Row, meeting: _Meeting, outer: Frame) -> Bit:
        met: list[Bit] = []
        for name in meeting.shared:
            one, other = shared_cell(meeting.left, a, name), shared_cell(meeting.right, b, name)
            met.append(every((none(one.null), none(other.null), same(one, other))))
        if meeting.condition is not None:
            frame = Frame(meeting.headings, (*a.cells, *b.cells), outer)
            met.append(self.machine.truth(meeting.condition, frame).true)
        return every(met)

    # SELECT

    def _select(self, tree: exp.Select, outer: Frame) -> Relation:
        if any(tree.args.get(each) for each in ("laterals", "pivots", "qualify", "windows", "distribute", "sort")):
            raise Unprovable("a clause that is not covered")
        relation = self._from(tree, outer)
        aliases = {each.alias.lower(): each.this for each in tree.expressions if isinstance(each, exp.Alias)}
        condition = tree.args.get("where")
        rows = relation.rows
        if condition is not None:
            frames = [self._aliased(row, relation, outer, aliases, condition) for row in rows]
            rows = tuple(
                Row(every((row.present, self.machine.truth(condition.this, frame).true)), row.cells)
                for row, frame in zip(rows, frames, strict=True)
            )
        relation = Relation(relation.headings, tuple(row for row in rows if row.present is not False))
        if tree.args.get("group") is not None or tree.args.get("having") is not None or has_aggregates(tree):
            frames = self._groups(tree, relation, outer, aliases)
        else:
            frames = [
                (row.present, Frame(relation.headings, row.cells, outer, window=(relation.rows, index)))
                for index, row in enumerate(relation.rows)
            ]
        return self._output(tree, frames, relation)

    def _aliased(
        self, row: Row, relation: Relation, outer: Frame, aliases: Mapping[str, exp.Expr], clause: exp.Expr
    ) -> Frame:
        """A frame in which the outputs that a clause names are known; columns of the same name win."""
        frame = Frame(relation.headings, row.cells, outer)
        names = {each.name.lower() for each in clause.find_all(exp.Column) if not each.args.get("table")}
        wanted = [name for name in names if name in aliases and frame.find("", name) is None]
        return replace(frame, aliases={name: self.machine.term(aliases[name], frame) for name in wanted})

    def _groups(
        self, tree: exp.Select, relation: Relation, outer: Frame, aliases: Mapping[str, exp.Expr]
    ) -> list[tuple[Bit, Frame]]:
        clause = tree.args.get("group")
        rows = relation.rows
        if clause is not None and any(clause.args.get(each) for each in ("rollup", "cube", "grouping_sets", "all")):
            raise Unprovable("grouping sets")
        if clause is None:
            members = tuple(row.present for row in rows)
            cells = self._lone(relation)
            self._agree(tree, relation, members)
            return [(True, Frame(relation.headings, cells, outer, group=Group(rows, members)))]
        named = [group_key(each, tree) for each in clause.expressions]
        seen = [self._aliased(row, relation, outer, aliases, clause) for row in rows]
        keys = [[self.machine.term(key, frame) for key in named] for frame in seen]
        found: list[tuple[Bit, Frame]] = []
        for index, row in enumerate(rows):
            alike = [same_rows(keys[index], keys[other]) for other in range(len(rows))]
            first = every(none(every((rows[other].present, alike[other]))) for other in range(index))
            members = tuple(every((each.present, alike[other])) for other, each in enumerate(rows))
            group = Group(rows, members)
            self._agree(tree, relation, members, index, keys)
            found.append((every((row.present, first)), Frame(relation.headings, row.cells, outer, group=group)))
        return found

    def _lone(self, relation: Relation) -> tuple[Term, ...]:
        """The cells of the first row that is there, else NULLs."""
        cells = [NULL] * len(relation.headings)
        for row in reversed(relation.rows):
            cells = [either_term(row.present, cell, rest) for cell, rest in zip(row.cells, cells, strict=True)]
        return tuple(cells)

    def _agree(
        self,
        tree: exp.Select,
        relation: Relation,
        members: Sequence[Bit],
        index: int | None = None,
        keys: Sequence[Sequence[Term]] | None = None,
    ) -> None:
        """Columns that stand bare beside aggregates agree within the group, in every database of the proof."""
        bare = bare_columns(tree)
        spots = [
            spot
            for spot, heading in enumerate(relation.headings)
            if any(heading.name == name and (not source or heading.source == source) for source, name in bare)
        ]
        rows = relation.rows
        for spot in spots:
            for one in range(len(rows)) if index is None else (index,):
                for other in range(len(rows) if index is not None else one):
                    a, b = rows[one].cells[spot], rows[other].cells[spot]
                    if keys is not None and any(each is a for each in keys[one]):
                        continue
                    agree = some((none(members[one]), none(members[other]), same(a, b)))
                    self.machine.assume("columns that are not grouped agree within a group", agree)

    def _output(self, tree: exp.Select, frames: Sequence[tuple[Bit, Frame]], relation: Relation) -> Relation:
        machine, items = self.machine, tree.expressions
        headings = tuple(heading for item in items for heading in titles(item, relation))
        having = tree.args.get("having")
        order, start, size = cutting(tree)
        rows: list[Row] = []
        keys: list[list[SortKey]] = []
        for present, frame in frames:
            cells = tuple(cell for item in items for cell in self._cells(item, frame))
            named = {heading.name: cell for heading, cell in zip(headings, cells, strict=True)}
            there = present
            if having is not None:
                there = every((present, machine.truth(having.this, replace(frame, aliases=named)).true))
            if there is False:
                continue
            rows.append(Row(there, cells))
            if size is not None:
                keys.append(self._keys(order, replace(frame, aliases=named), cells, items))
        if tree.args.get("distinct") is not None:
            if tree.args["distinct"].args.get("on") is not None:
                raise Unprovable("DISTINCT ON")
            rows = unlike(rows)
        if size is not None and (start or size < len(rows)):
            rows = self._cut(rows, keys, order, start, size)
        return Relation(headings, tuple(row for row in rows if row.present is not False))

    def _keys(
        self, order: exp.Order | None, frame: Frame, cells: Sequence[Term], items: Sequence[exp.Expr]
    ) -> list[SortKey]:
        keys: list[SortKey] = []
        for each in order.expressions if order is not None else ():
            named = place(each.this, cells, items)
            [(term, falling, first)] = (
                sort_keys(self.machine, [each], frame) if named is None else [(named, *direction(each))]
            )
            keys.append((term, falling, first))
        return keys

    def _cells(self, item: exp.Expr, frame: Frame) -> list[Term]:
        if isinstance(item, exp.Star):
            return [cell for heading, cell in zip(frame.headings, frame.cells, strict=True) if not heading.hidden]
        if isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
            source = item.table.lower()
            return [cell for heading, cell in zip(frame.headings, frame.cells, strict=True) if heading.source == source]
        return [self.machine.term(item.unalias(), frame)]

    def _cut(
        self, rows: Sequence[Row], keys: Sequence[Sequence[SortKey]], order: exp.Order | None, start: int, size: int
    ) -> list[Row]:
        """The rows that a LIMIT leaves; without an order it must be proved to leave all."""
        if order is not None or not size:
            return list(cut(rows, keys, start, size, self.machine))
        if start:
            raise Unprovable("OFFSET without ORDER BY")
        self.duties.append(less_than(count(row.present for row in rows).value, size + 1))
        return list(rows)

    # UNION and the like

    def _operation(self, tree: exp.SetOperation, outer: Frame) -> Relation:
        left, right = self.query(tree.left, outer), self.query(tree.right, outer)
        if len(left.headings) != len(right.headings):
            raise Unprovable("a set operation of different widths")
        rows = self._combined(tree, left, right)
        order, start, size = cutting(tree)
        if size is not None and (start or size < len(rows)):
            keys: list[list[SortKey]] = []
            for row in rows:
                frame = Frame(left.headings, row.cells, outer)
                keys.append(self._keys(order, frame, row.cells, tree.selects))
            rows = self._cut(rows, keys, order, start, size)
        return Relation(left.headings, tuple(rows))

    def _combined(self, tree: exp.SetOperation, left: Relation, right: Relation) -> Sequence[Row]:
        distinct = bool(tree.args.get("distinct"))
        if isinstance(tree, exp.Union):
            rows = [*left.rows, *right.rows]
            within_bounds(len(rows))
            return unlike(rows) if distinct else rows
        if not distinct:
            raise Unprovable(f"{tree.key.upper()} ALL")
        kept: list[Row] = []
        for row in left.rows:
            there = some(every((other.present, same_rows(row.cells, other.cells))) for other in right.rows)
            there = none(there) if isinstance(tree, exp.Except) else there
            kept.append(Row(every((row.present, there)), row.cells))
        return unlike(kept)
