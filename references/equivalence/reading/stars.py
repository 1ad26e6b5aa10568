"""Writes out `* EXCEPT (…)`, which SQLite lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp
from sqlglot.errors import UnsupportedError

from references.equivalence.reading.origins import first_select
from references.equivalence.reading.side import Refusal, RefusalKind, Side
from references.schema import Schema

_WITH_STARS = frozenset({"bigquery", "databricks", "spark", "duckdb", "snowflake", "redshift", "clickhouse"})
"""Dialects that have such stars."""
_DEEPEST = 20


def with_listed_columns(sides: Sequence[Side], schema: Schema) -> list[Side | Refusal]:
    """The queries with the columns that stars leave.

    Tables that were inferred may have further columns. Then both queries must have the same stars.
    """
    stars = [sorted(each.sql(dialect="sqlite").lower() for each in _modified(side)) for side in sides]
    same = not schema.inferred or stars[0] == stars[-1]
    return [_listed(side, schema, same=same) if found else side for side, found in zip(sides, stars, strict=True)]


def _modified(side: Side) -> Iterator[exp.Star]:
    """The stars of a query that leave columns out or put others in their place."""
    if side.translated and "*" in side.sql:
        yield from (each for each in side.tree.find_all(exp.Star) if any(each.args.values()))


def _listed(side: Side, schema: Schema, *, same: bool) -> Side | Refusal:
    tree = side.tree.copy()
    try:
        if side.dialect not in _WITH_STARS:
            raise UnsupportedError("* EXCEPT")
        if not same:
            raise UnsupportedError("the columns that * EXCEPT leaves of a table that is not declared")
        _name_derived(tree)
        for select in reversed([*tree.find_all(exp.Select)]):
            if any(_held(each) is not None for each in select.expressions):
                written = [_written(each, select, schema) for each in select.expressions]
                select.set("expressions", [one for each in written for one in each])
        if any(any(each.args.values()) for each in tree.find_all(exp.Star)):
            raise UnsupportedError("* EXCEPT outside SELECT")
    except UnsupportedError as error:
        return Refusal(RefusalKind.UNSUPPORTED, f"cannot be translated to SQLite: {error} ({side.dialect})")
    return replace(side, tree=tree, sql=tree.sql(dialect="sqlite"))


def _name_derived(tree: exp.Query) -> None:
    """Names the derived tables that have no name, so that their columns can be written."""
    for place, node in enumerate(tree.find_all(exp.Subquery)):
        if isinstance(node.parent, exp.From | exp.Join) and not node.alias:
            node.set("alias", exp.TableAlias(this=exp.to_identifier(f"derived_{place}")))


def _held(item: exp.Expr) -> exp.Star | None:
    """The star of an output that leaves columns out or changes some."""
    star = item.this if isinstance(item, exp.Column) else item
    return star if isinstance(star, exp.Star) and any(star.args.values()) else None


@dataclass(frozen=True, slots=True)
class _Changes:
    """What a star leaves out or writes otherwise, by the names of columns in lower case."""

    left_out: frozenset[str]
    replaced: Mapping[str, exp.Expr]
    renamed: Mapping[str, exp.Expr]

    @classmethod
    def of(cls, star: exp.Star) -> _Changes:
        """Reads a star."""
        forms: dict[str, list[exp.Expr]] = {name: value for name, value in star.args.items() if value}
        if set(forms) - {"except_", "replace", "rename"}:
            raise UnsupportedError("this form of *")
        return cls(
            left_out=frozenset(_name(each) for each in forms.get("except_", ())),
            replaced={each.alias.lower(): each.this for each in forms.get("replace", ())},
            renamed={_name(each.this): each.args["alias"] for each in forms.get("rename", ())},
        )

    def check(self, columns: Sequence[tuple[str, str]]) -> None:
        """Refuses what fits no column, or several."""
        counted = Counter(name.lower() for _, name in columns)
        whole = Counter((table.lower(), name.lower()) for table, name in columns)
        named = [*self.left_out, *self.replaced, *self.renamed]
        odd = next((each for each in named if counted[each] != 1), None)
        if odd is not None:
            raise UnsupportedError(f"{odd} in * EXCEPT, which is no column or one of several tables")
        if any(count > 1 for count in (*whole.values(), *Counter(named).values())):
            raise UnsupportedError("* EXCEPT of columns that share a name")
        if len(self.left_out) == len(columns):
            raise UnsupportedError("* EXCEPT that leaves no column")

    def column(self, table: str, name: str) -> exp.Expr | None:
        """A column as the star has it; `None` for one that it leaves out."""
        key, quoted = name.lower(), exp.to_identifier(name, quoted=True)
        if key in self.left_out:
            return None
        if key in self.replaced:
            return exp.Alias(this=exp.paren(self.replaced[key].copy()), alias=quoted)
        value = exp.column(quoted, table=exp.to_identifier(table, quoted=True))
        return exp.Alias(this=value, alias=self.renamed[key].copy()) if key in self.renamed else value


def _written(item: exp.Expr, select: exp.Select, schema: Schema) -> list[exp.Expr]:
    star = _held(item)
    if star is None:
        return [item]
    alias = item.table.lower() if isinstance(item, exp.Column) else ""
    columns = [each for each in _columns_of(select, schema) if not alias or each[0].lower() == alias]
    changes = _Changes.of(star)
    changes.check(columns)
    found = (changes.column(table, name) for table, name in columns)
    return [each for each in found if each is not None]


def _name(node: exp.Expr) -> str:
    if isinstance(node, exp.Column) and node.table:
        raise UnsupportedError("a table's name in * EXCEPT")
    return node.name.lower()


def _columns_of(select: exp.Select, schema: Schema, depth: int = 0) -> list[tuple[str, str]]:
    """The columns of a FROM clause in order, each with what it is of."""
    first, joins = select.args.get("from_"), select.args.get("joins") or ()
    if first is None or depth > _DEEPEST or any(each.args.get("using") or each.method for each in joins):
        raise UnsupportedError("* EXCEPT of tables that share columns")
    found: list[tuple[str, str]] = []
    for node in (first.this, *(each.this for each in joins)):
        alias = node.alias_or_name
        if not alias:
            raise UnsupportedError("* EXCEPT of what has no name")
        found += [(alias, name) for name in _columns(node, schema, depth)]
    return found


def _columns(node: exp.Expr, schema: Schema, depth: int) -> list[str]:
    if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Query):
        return _outputs(node.this, schema, depth)
    if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
        raise UnsupportedError("* EXCEPT of what is no table")
    common = _common(node)
    if common is not None:
        named = common.args["alias"].columns
        outputs = _outputs(common.this, schema, depth)
        return [*(each.name for each in named), *outputs[len(named) :]]
    table = schema.find(node.name)
    if table is None:
        raise UnsupportedError(f"* EXCEPT of {node.name}, which is not declared")
    return [each.name for each in table.columns]


def _outputs(query: exp.Query, schema: Schema, depth: int) -> list[str]:
    select = first_select(query)
    if select is None:
        raise UnsupportedError("* EXCEPT of what is no SELECT")
    names: list[str] = []
    for each in select.expressions:
        if _held(each) is not None:
            names += [one.alias_or_name for one in _written(each, select, schema)]
        elif isinstance(each, exp.Star | exp.Column) and each.is_star:
            alias = each.table.lower() if isinstance(each, exp.Column) else ""
            columns = _columns_of(select, schema, depth + 1)
            names += [name for table, name in columns if not alias or table.lower() == alias]
        else:
            names.append(each.alias_or_name)
    if not all(names):
        raise UnsupportedError("* EXCEPT of a column without a name")
    return names


def _common(node: exp.Table) -> exp.CTE | None:
    """The CTE that a name means, where it means one."""
    up: exp.Expr | None = node.parent
    while up is not None:
        clause = up.args.get("with_")
        for each in clause.expressions if clause is not None else ():
            if each.alias.lower() == node.name.lower() and not node.args.get("db"):
                return each
        up = up.parent
    return None
