"""Names the tables and columns that a query reads and its database does not have."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from sqlglot import exp

from scoring.patterns import lazy
from scoring.schema import DatabaseSchema, UnknownNames
from scoring.specification import SourceKind
from scoring.sql.parsing import Parsed
from scoring.sql.probes.catalogues import table_kind
from scoring.sql.query_blocks import (
    NamedSource,
    QueryBlock,
    named_sources,
    query_blocks,
    resolving,
    visible_blocks,
)

_MOST_NAMED = 100
"""Most tables, or columns, that are named."""
_QUOTED_NAMES = frozenset(
    "postgres redshift oracle snowflake trino presto athena duckdb materialize risingwave".split()
)
"""Dialects in which double quotes never hold a text."""
_PSEUDO_COLUMNS = frozenset(
    "rowid oid _rowid_ ctid xmin xmax tableoid rownum level sysdate systimestamp user current_date current_time"
    " current_timestamp current_user session_user localtime localtimestamp nextval currval _partitiontime"
    " _partitiondate _table_suffix * value key ordinality offset unknown".split()
)
"""Columns that every table has, and words that read as columns and are none."""
_UNITS = frozenset(
    "microsecond millisecond second minute hour day week month quarter year decade century dow doy isodow isoweek"
    " isoyear dayofweek dayofyear weekday weekofyear epoch monday tuesday wednesday thursday friday saturday"
    " sunday".split()
)
"""Words that calls on dates take as arguments and some parsers read as columns."""
_ON_DATES = lazy("DATE|TIME|DIFF|PART|TRUNC|EXTRACT|NEXT_DAY|LAST_DAY")
"""In the names of calls on dates."""


class _Reach(NamedTuple):
    """What the names in one block may stand for."""

    sources: tuple[_Held, ...]
    """The items of its FROM, then those of the blocks around it that it may read."""
    names: frozenset[str] | None
    """Their columns and aliases; `None` where one of them may have any column."""


class _Held(NamedTuple):
    """An item of FROM."""

    name: str
    table: str | None
    """The table's own name in lower case; `None` for rows of a query or a function."""
    columns: frozenset[str] | None
    """In lower case; `None` when it may have any."""


def unknown_names(parsed: Parsed, schema: DatabaseSchema) -> UnknownNames:
    """The unknown names of a query. Raises `UnresolvedError`.

    >>> from scoring.schema import ColumnType
    >>> from scoring.sql.parsing import parse_query
    >>> schema = DatabaseSchema(tables={"looms": {"id": ColumnType.NUMBER}})
    >>> unknown_names(parse_query("SELECT l.id, l.age FROM looms AS l JOIN yarns AS y ON y.loom = l.id", None), schema)
    UnknownNames(tables=('yarns',), columns=('looms.age',))
    """
    reading = _Reading(schema, parsed)
    with resolving():
        for block in query_blocks(parsed.tree):
            reading.read(block)
    return UnknownNames(
        tables=tuple(sorted(reading.tables)[:_MOST_NAMED]), columns=tuple(sorted(reading.columns)[:_MOST_NAMED])
    )


@dataclass(slots=True)
class _Reading:
    """Collects the unknown names, block by block."""

    schema: DatabaseSchema
    parsed: Parsed
    tables: set[str] = field(default_factory=set[str])
    columns: set[str] = field(default_factory=set[str])
    _outputs: dict[int, frozenset[str] | None] = field(default_factory=dict[int, "frozenset[str] | None"])
    _sources: dict[int, tuple[_Held, ...]] = field(default_factory=dict[int, "tuple[_Held, ...]"])
    _reaches: dict[int, _Reach] = field(default_factory=dict[int, _Reach])

    def read(self, block: QueryBlock) -> None:
        """Checks the tables and columns of one block."""
        for each in named_sources(block):
            table = each.source
            if isinstance(table, exp.Table) and self._is_data(table) and not self.schema.knows(table.name.lower()):
                self.tables.add(table.name.lower())
        aliases = _aliases(block)
        for node in block.find_all(exp.Column, exp.Join):
            if isinstance(node, exp.Column):
                self._column(node, block, aliases)
                continue
            for shared in node.args.get("using") or ():
                self._shared(shared.name.lower(), node, block, aliases)

    def _column(self, column: exp.Column, block: QueryBlock, aliases: frozenset[str]) -> None:
        name, qualifier = column.name.lower(), column.table.lower()
        if not name or isinstance(column.this, exp.Star) or name in _PSEUDO_COLUMNS or self._means_else(column, name):
            return
        if qualifier:
            self._qualified(name, qualifier, block)
        else:
            self._bare(name, block, aliases)

    def _qualified(self, name: str, qualifier: str, block: QueryBlock) -> None:
        held = next((each for each in self._reach(block).sources if each.name == qualifier), None)
        if held is None:
            # a part of a column that holds a record, or a name that nothing in reach has
            if not self._has(qualifier, block):
                self.columns.add(f"{qualifier}.{name}")
        elif held.columns is not None and name not in held.columns and qualifier not in held.columns:
            self.columns.add(f"{held.table or qualifier}.{name}")

    def _bare(self, name: str, block: QueryBlock, aliases: frozenset[str]) -> None:
        if name in aliases or self._has(name, block):
            return
        own = self._held(block)
        only = own[0].table if len(own) == 1 else None
        self.columns.add(f"{only}.{name}" if only else name)

    def _shared(self, name: str, join: exp.Join, block: QueryBlock, aliases: frozenset[str]) -> None:
        """A column of USING: the joined table has it, and so has one before."""
        joined = join.this.alias_or_name.lower()
        held = next((each for each in self._held(block) if each.name == joined), None)
        lacks = held is not None and held.columns is not None and name not in held.columns
        if held is not None and held.table and lacks and self._has(name, block):
            self.columns.add(f"{held.table}.{name}")
        else:
            self._bare(name, block, aliases)

    def _has(self, name: str, block: QueryBlock) -> bool:
        """Whether a source in reach has a column of this name, may have any column, or is called so."""
        names = self._reach(block).names
        return names is None or name in names

    def _means_else(self, column: exp.Column, name: str) -> bool:
        """Whether the name is a text in double quotes, a unit of time or a time zone."""
        if column.table:
            return False
        identifier = column.this
        if isinstance(identifier, exp.Identifier) and identifier.args.get("quoted"):
            at = identifier.meta.get("start")
            is_double = at is not None and self.parsed.text[at : at + 1] == '"'
            return is_double and self.parsed.dialect not in _QUOTED_NAMES
        parent = column.parent
        if isinstance(parent, exp.AtTimeZone):
            return column.arg_key == "zone"
        return name in _UNITS and isinstance(parent, exp.Func) and _ON_DATES.search(_call_name(parent)) is not None

    def _reach(self, block: QueryBlock) -> _Reach:
        chain: list[QueryBlock] = []
        reach = _Reach((), frozenset())
        for each in visible_blocks(block):
            if id(each) in self._reaches:
                reach = self._reaches[id(each)]
                break
            chain.append(each)
        for each in reversed(chain):
            # the many arms of a set operation share what is around it
            reach = self._reaches[id(each)] = _added(self._held(each), reach)
        return reach

    def _held(self, block: QueryBlock) -> tuple[_Held, ...]:
        key = id(block)
        if key not in self._sources:
            self._sources[key] = tuple([self._read_source(each) for each in named_sources(block)])
        return self._sources[key]

    def _read_source(self, each: NamedSource) -> _Held:
        table = each.source.name.lower() if isinstance(each.source, exp.Table) else None
        columns = None if each.node.args.get("pivots") else self._columns_of(each.source)
        return _Held(each.name, table, None if columns is None else _with_renamed(columns, each.node))

    def _columns_of(self, source: exp.Table | QueryBlock | None) -> frozenset[str] | None:
        """The columns of a source; `None` when it may have any."""
        if isinstance(source, exp.Table):
            held = self.schema.tables.get(source.name.lower()) if self._is_data(source) else None
            return None if held is None else frozenset(held)
        if source is None or not isinstance(source.expression, exp.Query):
            return None
        key = id(source.expression)
        if key not in self._outputs:
            # a recursive table reads itself
            self._outputs[key] = None
            self._outputs[key] = self._outputs_of(source)
        return self._outputs[key]

    def _outputs_of(self, block: QueryBlock) -> frozenset[str] | None:
        if block.set_operation_scopes:
            found = self._columns_of(block.set_operation_scopes[0])
            return None if found is None else _with_renamed(found, block.expression)
        names = set[str]()
        for each in _selected(block):
            if not each.is_star:
                names.add(each.alias_or_name.lower())
                continue
            starred = self._starred(each, block)
            if starred is None:
                return None
            names |= starred
        return _with_renamed(frozenset(names), block.expression)

    def _starred(self, star: exp.Expr, block: QueryBlock) -> frozenset[str] | None:
        """The columns that `*` or `t.*` stands for, those that it leaves out included."""
        of = star.table.lower() if isinstance(star, exp.Column) else ""
        read = [each.columns for each in self._held(block) if not of or each.name == of]
        if not read or any(each is None for each in read) or star.find(exp.Alias) is not None:
            return None
        return frozenset[str]().union(*(each for each in read if each is not None))

    def _is_data(self, table: exp.Table) -> bool:
        """Whether it is a name of the tenant's, and no catalogue of the database and no call that gives rows."""
        return isinstance(table.this, exp.Identifier) and (table_kind(table, self.parsed.dialect) is SourceKind.DATA)


def _added(held: tuple[_Held, ...], around: _Reach) -> _Reach:
    if not held:
        return around
    names = around.names
    if any(each.columns is None for each in held):
        names = None
    if names is not None:
        names = names.union([each.name for each in held], *(each.columns for each in held if each.columns is not None))
    return _Reach((*held, *around.sources), names)


def _call_name(call: exp.Func) -> str:
    return call.name.upper() if isinstance(call, exp.Anonymous) else call.sql_name()


def _selected(block: QueryBlock) -> list[exp.Expr]:
    return block.expression.selects if isinstance(block.expression, exp.Query) else []


def _aliases(block: QueryBlock) -> frozenset[str]:
    """The names of a block's outputs that stand for something; `town AS town` proves no column `town`."""
    if isinstance(block.expression, exp.SetOperation):
        return frozenset(each.alias_or_name.lower() for each in _selected(block)) - {""}
    named = ((each.alias.lower(), each) for each in _selected(block) if each.alias)
    return frozenset(
        alias for alias, each in named if all(read.name.lower() != alias for read in each.find_all(exp.Column))
    )


def _with_renamed(columns: frozenset[str], source: exp.Expr) -> frozenset[str]:
    """The columns under the names that an alias gives them: `AS t (a, b)`, `WITH t (a, b) AS …`.

    Where it names fewer than there are, the others keep their names, and which ones these are is left open.
    """
    holder = source if isinstance(source, exp.Table) else source.parent
    while isinstance(holder, exp.SetOperation):
        holder = holder.parent
    names = [each.lower() for each in getattr(holder, "alias_column_names", None) or ()]
    return frozenset(names) if len(names) >= len(columns) > 0 else columns.union(names)
