"""Gives the tables of a pair names without schema and catalogue, as the throw-away databases have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from references.equivalence.reading.side import Refusal, RefusalKind, Side
from references.names import Parts, TableNames, bare, fit, parts_in, parts_of
from references.schema import DeclaredTable, Reference, Schema


def with_bare_names(sides: Sequence[Side], schema: Schema | None) -> tuple[list[Side | Refusal], Schema | None]:
    """Returns the queries and the schema with one name for each table; tables of two schemas keep apart."""
    declared = [table.parts for table in schema.tables.values()] if schema is not None else []
    read = [parts_of(node) for side in sides for node in _tables(side.tree)]
    dotted = any(len(each) > 1 for each in (*read, *declared)) or any(map(_has_qualified_column, sides))
    if not dotted:
        return [*sides], schema
    taken = {each.alias for side in sides for each in side.tree.find_all(exp.CTE)}
    names = TableNames.of((*read, *declared), taken)
    return [_renamed(side, names) for side in sides], None if schema is None else _bound(schema, names)


def _tables(tree: exp.Expr) -> Iterator[exp.Table]:
    """The tables that a query reads, without its CTEs."""
    for node in tree.find_all(exp.Table):
        if isinstance(node.this, exp.Identifier | exp.Dot) and not _is_cte(node):
            yield node


def _is_cte(node: exp.Table) -> bool:
    if node.args.get("db"):
        return False
    name, up = node.name.lower(), node.parent
    while up is not None:
        clause = up.args.get("with_")
        if clause is not None and any(each.alias.lower() == name for each in clause.expressions):
            return True
        up = up.parent
    return False


def _has_qualified_column(side: Side) -> bool:
    return any(each.args.get("db") is not None for each in side.tree.find_all(exp.Column))


def _renamed(side: Side, names: TableNames) -> Side | Refusal:
    """The query with the tables' names in one database, and with its columns' names after them."""
    tree = side.tree.copy()
    flat: dict[int, str] = {}
    tables = [*_tables(tree)]
    for node in tables:
        meant = names.tables(parts_of(node))
        if len(meant) != 1:
            said = " or ".join(sorted(".".join(each) for each in meant))
            return Refusal(RefusalKind.UNSUPPORTED, f"{node.name} may be {said}: write which")
        flat[id(node)] = names.flat(meant[0])
    field = next((each for each in [*tree.find_all(exp.Column)] if not _follows(each, flat)), None)
    if field is not None:
        return Refusal(RefusalKind.UNSUPPORTED, f"{field.sql()} may be a field of a record")
    for node in tables:
        node.set("this", _identifier(flat[id(node)], node))
    for node in (*tables, *tree.find_all(exp.Column)):
        node.set("db", None)
        node.set("catalog", None)
    return replace(side, tree=tree, sql=tree.sql(dialect="sqlite")) if tree != side.tree else side


def _follows(column: exp.Column, flat: Mapping[int, str]) -> bool:
    """Names a column after its table's new name. Returns whether the table of a longer name was found."""
    source = _source(column) if column.table else None
    if source is not None and not source.alias and id(source) in flat:
        column.set("table", _identifier(flat[id(source)], source))
    return source is not None or column.args.get("db") is None


def _identifier(flat: str, node: exp.Table) -> exp.Identifier:
    """The name as the query writes it, where only what stands before it goes."""
    written = bare(node.name)
    same = written.lower() == flat
    quoted = any(each.args.get("quoted") for each in node.this.find_all(exp.Identifier))
    return exp.to_identifier(written if same else flat, quoted=quoted or "." in flat or None)


def _source(column: exp.Column) -> exp.Table | None:
    """The table that a qualified column is read from, in the innermost query that names it once."""
    qualifier = parts_in(".".join(each.name for each in column.parts[:-1]))
    up = column.find_ancestor(exp.Select)
    while up is not None:
        found = [node for node in _read_from(up) if _answers(node, qualifier)]
        if found:
            return found[0] if len(found) == 1 else None
        up = up.find_ancestor(exp.Select)
    return None


def _answers(node: exp.Table, qualifier: Parts) -> bool:
    if node.alias:
        return qualifier == (node.alias.lower(),)
    own = parts_of(node)
    return len(qualifier) <= len(own) and fit(own, qualifier)


def _read_from(select: exp.Select) -> Iterator[exp.Table]:
    clauses = [select.args.get("from_"), *(select.args.get("joins") or ())]
    for clause in clauses:
        if clause is not None:
            for node in clause.find_all(exp.Table):
                if node.find_ancestor(exp.Select) is select:
                    yield node


def _bound(schema: Schema, names: TableNames) -> Schema:
    """The schema under the pair's names; DDL that names no schema declares the tables of each."""
    tables: dict[str, DeclaredTable] = {}
    becomes: dict[str, list[tuple[Parts, str]]] = {}
    for old, table in sorted(schema.tables.items(), key=lambda each: -len(each[1].parts)):
        for whole in names.wholes[table.parts[-1]]:
            flat = names.flat(whole)
            if fit(table.parts, whole) and flat not in tables:
                name = bare(table.name)
                tables[flat] = replace(table, name=name if name.lower() == flat else flat, declared=whole)
                becomes.setdefault(old, []).append((whole, flat))
    references = [one for each in schema.references for one in _references(each, becomes)]
    return replace(schema, tables=tables, references=tuple(dict.fromkeys(references)))


def _references(reference: Reference, becomes: dict[str, list[tuple[Parts, str]]]) -> Iterator[Reference]:
    """A reference between the tables of one schema, or to the only parent."""
    parents = becomes.get(reference.parent, [])
    for child, flat in becomes.get(reference.table, []):
        near = [name for whole, name in parents if len(parents) == 1 or whole[:-1] == child[:-1]]
        for parent in near:
            yield replace(reference, table=flat, parent=parent)
