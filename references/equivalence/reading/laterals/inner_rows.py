"""The rows of an inner query for each value that it reads of the tables before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.errors import UnsupportedError

_PLACE = "place"
_NOT_COVERED = ("with_", "windows", "laterals", "pivots", "sample", "into")


class Domain:
    """The values for which an inner query is asked: those of the tables before it, each once."""

    __slots__ = ("_keys", "_rows", "_texts", "alias")

    def __init__(self, alias: str, read: Sequence[exp.Column], texts: frozenset[str]) -> None:
        self.alias = alias
        self._texts = texts
        self._rows: exp.Select | None = None
        own = {each.sql(): each.copy() for each in read}
        self._keys = {each: (f"{alias}_{place}", column) for place, (each, column) in enumerate(own.items(), 1)}
        for each in read:
            each.replace(exp.column(self._keys[each.sql()][0], table=alias))

    def fill(self, select: exp.Select, place: int) -> None:
        """Takes the values from what the FROM clause has before a place."""
        keys = [exp.alias_(column, name) for name, column in self._named()]
        rows = exp.Select(expressions=keys, distinct=exp.Distinct(), from_=select.args["from_"].copy())
        rows.set("joins", [each.copy() for each in (select.args.get("joins") or ())[:place]])
        self._rows = rows

    def _named(self) -> Iterator[tuple[str, exp.Expr]]:
        """The values with their names. Of texts that are equal in two letter cases also how they are written."""
        for sql, (name, column) in self._keys.items():
            yield name, column.copy()
            if sql in self._texts:
                yield f"{name}_written", _written(column)

    def table(self) -> exp.Subquery:
        """The values as a derived table."""
        assert self._rows is not None  # noqa: S101 filled before
        return exp.Subquery(this=self._rows.copy(), alias=exp.TableAlias(this=exp.to_identifier(self.alias)))

    def columns(self) -> list[exp.Expr]:
        """The values as columns of the domain."""
        return [exp.column(name, table=self.alias) for name, _ in self._named()]

    def met(self, alias: str) -> list[exp.Expr]:
        """That the rows of a derived table are those for the values of a row of the tables before."""
        return [exp.Is(this=exp.column(name, table=alias), expression=value) for name, value in self._named()]


def _written(column: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="HEX", expressions=[column.copy()])


def rows_for(body: exp.Query, domain: Domain, alias: str) -> tuple[exp.Query, list[exp.Expr]]:
    """The rows of an inner query for every value, and conditions on which of them a LIMIT inside keeps."""
    if isinstance(body, exp.Union):
        return _of_both(body, domain, alias), []
    if not isinstance(body, exp.Select) or any(body.args.get(each) for each in _NOT_COVERED):
        raise UnsupportedError("what stands in LATERAL")
    select = body.copy()
    aggregated = [*_aggregated(select)]
    for each in aggregated:
        columns = [*each.find_all(exp.Column)]
        if columns and all(column.table == domain.alias for column in columns):
            raise UnsupportedError("an aggregate of the tables before LATERAL")
    if select.args.get("group") is None and (aggregated or select.args.get("having") is not None):
        return _one_row(select, domain), []
    return _some_rows(select, domain, alias)


def _of_both(body: exp.Union, domain: Domain, alias: str) -> exp.Query:
    if body.args.get("distinct") or any(body.args.get(each) for each in ("limit", "offset", "order", "with_")):
        raise UnsupportedError("UNION in LATERAL but for UNION ALL")
    left, right = (rows_for(each, domain, alias) for each in (body.left, body.right))
    if left[1] or right[1]:
        raise UnsupportedError("a LIMIT below UNION ALL in LATERAL")
    return exp.Union(this=left[0], expression=right[0], distinct=False)


def _aggregated(select: exp.Select) -> Iterator[exp.AggFunc]:
    """The aggregates among the outputs that are no window functions."""
    for each in (one for item in select.expressions for one in item.find_all(exp.AggFunc)):
        whole: exp.Expr = each
        while isinstance(whole.parent, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
            whole = whole.parent
        over = isinstance(whole.parent, exp.Window) and whole.arg_key == "this"
        if not over and each.find_ancestor(exp.Select) is select:
            yield each


def _one_row(select: exp.Select, domain: Domain) -> exp.Select:
    """Each output as a query of its own, so that there is a row where no row is found."""
    limit = select.args.get("limit")
    if select.args.get("having") is not None or select.args.get("offset") is not None or _size(limit) == 0:
        raise UnsupportedError("HAVING or OFFSET of one row in LATERAL")
    for each in ("limit", "order", "distinct"):
        select.set(each, None)
    outputs: list[exp.Expr] = []
    for item in select.expressions:
        if item.is_star and not isinstance(item.unalias(), exp.Count):
            raise UnsupportedError("all columns beside an aggregate")
        one = select.copy()
        one.set("expressions", [item.unalias().copy()])
        value = exp.Subquery(this=one)
        outputs.append(exp.alias_(value, item.alias_or_name, quoted=False) if item.alias_or_name else value)
    return exp.Select(expressions=[*outputs, *domain.columns()], from_=exp.From(this=domain.table()))


def _some_rows(select: exp.Select, domain: Domain, alias: str) -> tuple[exp.Select, list[exp.Expr]]:
    """The rows with the values for which they are."""
    _refuse_sides(select, domain)
    written = [each for item in select.expressions for each in _written_out(item, select)]
    for window in select.find_all(exp.Window):
        if window.find_ancestor(exp.Select) is select:
            parts: list[exp.Expr] = window.args.get("partition_by") or []
            window.set("partition_by", [*parts, *domain.columns()])
    places, kept = _places(select, domain, alias)
    group = select.args.get("group")
    if group is not None:
        if any(value for name, value in group.args.items() if name != "expressions"):
            raise UnsupportedError("ROLLUP or CUBE in LATERAL")
        group.set("expressions", [*group.expressions, *domain.columns()])
    for each in ("order", "limit", "offset"):
        select.set(each, None)
    select.set("expressions", [*written, *domain.columns(), *places])
    _read_domain(select, domain)
    return select, kept


def _places(select: exp.Select, domain: Domain, alias: str) -> tuple[list[exp.Expr], list[exp.Expr]]:
    """The place of a row among those for its values, and which places are kept; nothing without LIMIT and OFFSET."""
    order, limit, offset = (select.args.get(each) for each in ("order", "limit", "offset"))
    if limit is None and offset is None:
        return [], []
    if select.args.get("distinct") is not None:
        raise UnsupportedError("DISTINCT with a LIMIT in LATERAL")
    keys = [_by_output(each, select) for each in order.expressions] if order is not None else []
    number = exp.Window(
        this=exp.RowNumber(), partition_by=domain.columns(), order=exp.Order(expressions=keys) if keys else None
    )
    place = f"{domain.alias}_{_PLACE}"
    return [exp.alias_(number, place)], _kept(exp.column(place, table=alias), limit, offset)


def _read_domain(select: exp.Select, domain: Domain) -> None:
    """Reads the domain before the tables."""
    first = select.args.get("from_")
    if first is not None:
        joins: list[exp.Join] = select.args.get("joins") or []
        select.set("joins", [exp.Join(this=first.this, kind="CROSS"), *joins])
    select.set("from_", exp.From(this=domain.table()))


def _refuse_sides(select: exp.Select, domain: Domain) -> None:
    """Refuses what would read the domain from where it is not seen, or keep rows without one."""
    distinct = select.args.get("distinct")
    if distinct is not None and distinct.args.get("on") is not None:
        raise UnsupportedError("DISTINCT ON in LATERAL")
    joins = select.args.get("joins") or ()
    if any(each.side in {"RIGHT", "FULL"} or each.method for each in joins):
        raise UnsupportedError("RIGHT, FULL or NATURAL JOIN in LATERAL")
    for each in select.find_all(exp.Column):
        if each.table == domain.alias and _in_derived(each, select):
            raise UnsupportedError("a derived table in LATERAL that reads the tables before")


def _in_derived(node: exp.Expr, select: exp.Select) -> bool:
    up: exp.Expr = node
    while up.parent is not None and up is not select:
        derived = isinstance(up, exp.Subquery | exp.Lateral) and up.arg_key == "this"
        if derived and isinstance(up.parent, exp.From | exp.Join):
            return True
        up = up.parent
    return False


def _written_out(item: exp.Expr, select: exp.Select) -> Iterator[exp.Expr]:
    """An output; instead of a star the stars of all tables, of which the domain is none."""
    if not isinstance(item, exp.Star):
        yield item
        return
    joins: list[exp.Join] = select.args.get("joins") or []
    first = select.args.get("from_")
    if first is None or any(each.args.get("using") for each in joins) or any(item.args.values()):
        raise UnsupportedError("all columns of tables that share some")
    tables: list[exp.Expr] = [each.this for each in (first, *joins)]
    for each in tables:
        if not each.alias_or_name:
            raise UnsupportedError("all columns of what has no name")
        yield exp.Column(this=exp.Star(), table=exp.to_identifier(each.alias_or_name))


def _by_output(key: exp.Expr, select: exp.Select) -> exp.Expr:
    """A sort key in which an output's name or place is what the output is."""
    found, of = key.copy(), key.this
    aliases = {each.alias.lower(): each.this for each in select.expressions if isinstance(each, exp.Alias)}
    if isinstance(of, exp.Literal):
        found.set("this", _output_at(of, select))
    elif isinstance(of, exp.Column) and not of.table and of.name.lower() in aliases:
        found.set("this", aliases[of.name.lower()].copy())
    elif any(not each.table and each.name.lower() in aliases for each in of.find_all(exp.Column)):
        raise UnsupportedError("ORDER BY what may be an output or a column in LATERAL")
    return found


def _output_at(place: exp.Literal, select: exp.Select) -> exp.Expr:
    number = int(place.name) if place.name.isdigit() else 0
    if not 0 < number <= len(select.expressions) or any(each.is_star for each in select.expressions[:number]):
        raise UnsupportedError("ORDER BY a constant in LATERAL")
    return select.expressions[number - 1].unalias().copy()


def _kept(place: exp.Expr, limit: exp.Expr | None, offset: exp.Expr | None) -> list[exp.Expr]:
    start = _size(offset) if offset is not None else 0
    found: list[exp.Expr] = []
    if start:
        found.append(exp.GT(this=place.copy(), expression=exp.Literal.number(start)))
    if limit is not None:
        found.append(exp.LTE(this=place.copy(), expression=exp.Literal.number(start + _size(limit))))
    return found


def _size(clause: exp.Expr | None) -> int:
    """How many rows a LIMIT or OFFSET counts; 1 without one."""
    if clause is None:
        return 1
    held = clause.args.get("count") if isinstance(clause, exp.Fetch) else clause.args.get("expression")
    if clause.args.get("limit_options") is not None and clause.args["limit_options"].args.get("with_ties"):
        raise UnsupportedError("WITH TIES in LATERAL")
    if not isinstance(held, exp.Literal) or not held.name.isdigit():
        raise UnsupportedError("a LIMIT in LATERAL that is no number")
    return int(held.name)
