"""Writes LATERAL and APPLY, which SQLite lacks, as a join with the rows for each value that they read of before.

`FROM shelf AS s, LATERAL (SELECT … WHERE b.shelf_id = s.id) AS x` joins s to a derived table x. That has the rows of
the inner query for every `s.id` there is, and the `s.id` for which they are. A LIMIT inside counts for each of those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp
from sqlglot.errors import UnsupportedError

from references.equivalence.reading.laterals.inner_names import FromSource, Names, sources_before
from references.equivalence.reading.laterals.inner_rows import Domain, rows_for
from references.equivalence.reading.side import Refusal, RefusalKind, Side
from references.sandbox import Folding
from references.schema import Schema, ValueKind

_MOST = 4
"""Laterals of one query: each holds a copy of what stands before it."""


def without_laterals(side: Side, schema: Schema | None) -> Side | Refusal:
    """The query without LATERAL. Refuses one whose rows would be others, or that may mean other columns."""
    if not side.translated or "LATERAL" not in side.sql.upper():
        return side
    tree = side.tree.copy()
    found = [*tree.find_all(exp.Lateral)]
    if not found:
        return side
    try:
        if len(found) > _MOST:
            raise UnsupportedError(f"more than {_MOST} LATERAL")
        for select in reversed([*tree.find_all(exp.Select)]):
            _Lowering(select, Names(schema), side.folding).lower()
        if tree.find(exp.Lateral) is not None:
            raise UnsupportedError("LATERAL outside FROM")
    except UnsupportedError as error:
        return Refusal(RefusalKind.UNSUPPORTED, f"cannot be translated to SQLite: {error} ({side.dialect})")
    return replace(side, tree=tree, sql=tree.sql(dialect="sqlite"), reshaped=True)


@dataclass(slots=True)
class _Lowering:
    """One SELECT whose laterals are written otherwise, from the first to the last."""

    select: exp.Select
    names: Names
    folding: Folding
    _outputs: dict[str, Sequence[str] | None] = field(default_factory=dict[str, "Sequence[str] | None"])
    """The columns of what stood for a lateral, by its alias; `None` where they are not known."""

    def lower(self) -> None:
        """Changes the SELECT."""
        if self.select.args.get("laterals"):
            raise UnsupportedError("rows of a function")
        first = self.select.args.get("from_")
        if first is not None and isinstance(first.this, exp.Lateral):
            first.set("this", exp.Subquery(this=_body(first.this), alias=exp.TableAlias(this=_alias(first.this))))
        joins: list[exp.Join] = self.select.args.get("joins") or []
        for place, join in enumerate(joins):
            if isinstance(join.this, exp.Lateral):
                self._lower_join(place, join)
        if self._outputs:
            self._write_stars()

    def _lower_join(self, place: int, join: exp.Join) -> None:
        lateral: exp.Expr = join.this
        if join.side not in {"", "LEFT"} or join.args.get("using") or join.method:
            raise UnsupportedError(f"{join.side or 'NATURAL'} JOIN LATERAL")
        alias, body = _alias(lateral), _body(lateral)
        before = sources_before(self.select, place)
        read = self.names.read_of(body, before)
        if not read:
            join.set("this", exp.Subquery(this=body, alias=exp.TableAlias(this=alias)))
            return
        domain = Domain(f"{alias.name}_for", read, self._texts(read, before))
        domain.fill(self.select, place)
        self._outputs[alias.name.lower()] = self.names.outputs(body)
        rows, kept = rows_for(body, domain, alias.name)
        conditions = [*domain.met(alias.name), *kept]
        on = join.args.get("on")
        if on is not None and not (isinstance(on, exp.Boolean) and on.this):
            conditions.append(exp.paren(on.copy()))
        join.set("this", exp.Subquery(this=rows, alias=exp.TableAlias(this=alias)))
        join.set("on", exp.and_(*conditions, copy=False))
        join.set("kind", None if join.side else "INNER")

    def _texts(self, read: Sequence[exp.Column], before: Sequence[FromSource]) -> frozenset[str]:
        """What is read that may be texts of which some are equal although they are written otherwise."""
        if self.folding is not Folding.ALWAYS:
            return frozenset()
        kinds = {each.sql(): self.names.kind(each, before) for each in read}
        return frozenset(name for name, kind in kinds.items() if kind in {None, ValueKind.TEXT})

    def _write_stars(self) -> None:
        """Writes the columns of what stood for a lateral where all columns are selected: it has further ones now."""
        written: list[exp.Expr] = []
        for each in self.select.expressions:
            if isinstance(each, exp.Star):
                joins = self.select.args.get("joins") or ()
                if any(join.args.get("using") or join.method for join in joins) or any(each.args.values()):
                    raise UnsupportedError("all columns of tables that share some")
                for source in sources_before(self.select, len(joins)):
                    written += self._columns(source.alias)
            elif isinstance(each, exp.Column) and each.is_star and not any(each.this.args.values()):
                written += self._columns(each.table)
            else:
                written.append(each)
        self.select.set("expressions", written)

    def _columns(self, alias: str) -> list[exp.Expr]:
        if alias.lower() not in self._outputs:
            return [exp.Column(this=exp.Star(), table=exp.to_identifier(alias))]
        outputs = self._outputs[alias.lower()]
        if outputs is None:
            raise UnsupportedError(f"all columns of {alias}, which are not known")
        return [exp.column(name, table=alias) for name in outputs]


def _body(lateral: exp.Expr) -> exp.Query:
    subquery = lateral.this
    body = subquery.this if isinstance(subquery, exp.Subquery) else None
    if not isinstance(body, exp.Query):
        raise UnsupportedError("rows of a function")
    return body


def _alias(lateral: exp.Expr) -> exp.Identifier:
    alias = lateral.args.get("alias")
    if not isinstance(alias, exp.TableAlias) or not isinstance(alias.this, exp.Identifier) or alias.columns:
        raise UnsupportedError("LATERAL without a name")
    return alias.this
