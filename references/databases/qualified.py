"""Reads `shop.orders` as the table `orders` of a named database that has no schema `shop`.

An agent writes `shop.dbo.orders` for a warehouse. The copy that a benchmark runs on has `orders`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from references.comparison.results import QueryResult
from references.databases.access import Database, DeclaredTables
from references.names import Parts, fit, parts_in, parts_of
from references.sandbox import Failure, FailureKind, quoted
from scoring.query import Unscored
from scoring.sql.parsing import parse_query

_LONGEST = 63
"""Bytes of a name that are never cut."""


@dataclass(slots=True)
class ResolvingDatabase:
    """A database that runs a query as written, and where that fails with shorter names of its own tables.

    `shop.orders` and `archive.orders` stay two tables: of the queries that one such database runs, none may name both
    once a name was shortened.
    """

    inner: Database
    _names: set[Parts] = field(default_factory=set[Parts])
    """Names of tables in the queries that ran."""
    _shortened: set[str] = field(default_factory=set[str])
    """Tables of which a name was shortened."""

    @property
    def dialect(self) -> str:
        """That of the database."""
        return self.inner.dialect

    def tables(self) -> DeclaredTables:
        """Those of the database."""
        return self.inner.tables()

    def run(self, sql: str) -> QueryResult | Failure:
        """Runs one query. Raises `UnknownDatabaseError` when the database itself fails."""
        found = self.inner.run(sql)
        if isinstance(found, Failure) and found.kind in {FailureKind.TOO_LONG, FailureKind.TOO_LARGE}:
            return found
        names = _Names.of(sql, self.dialect) if "." in sql else None
        if names is None:
            return found
        return self._shorter(names, found) if isinstance(found, Failure) else self._kept(names, found)

    def _shorter(self, names: _Names, failure: Failure) -> QueryResult | Failure:
        """The result with shorter names, where the last part of each is one of the database's tables."""
        known = {each.lower() for each in self.inner.tables()} if names.dotted else set[str]()
        if not names.dotted or not known.issuperset(each[-1] for each in names.dotted):
            return failure
        if any(len(part.encode()) > _LONGEST for each in names.dotted for part in each):
            return failure  # PostgreSQL would cut it, so that it is refused
        found: QueryResult | Failure = failure
        for text in dict.fromkeys(names.written(size) for size in (2, 1)):
            found = self.inner.run(text)
            if not isinstance(found, Failure):
                self._shortened |= {each[-1] for each in names.dotted}
                return self._kept(names, found)
        return found

    def _kept(self, query: _Names, result: QueryResult) -> QueryResult | Failure:
        """The result, unless two names of which one was shortened may name two tables."""
        self._names |= set(query.dotted)
        names = sorted(self._names)
        for one in names:
            other = next((each for each in names if each[-1] == one[-1] and not fit(one, each)), None)
            if other is not None and one[-1] in self._shortened:
                said = " and ".join(".".join(each) for each in (one, other))
                return Failure(kind=FailureKind.ERROR, detail=f"{said} may be two tables, and the database has one")
        return result


@dataclass(frozen=True, slots=True)
class _Names:
    """A query with the names of its tables that have a schema, and where they stand."""

    text: str
    dotted: tuple[Parts, ...]
    tree: exp.Expr

    @classmethod
    def of(cls, sql: str, dialect: str) -> _Names | None:
        """Reads a query; `None` where it does not parse."""
        parsed = parse_query(sql, dialect)
        if isinstance(parsed, Unscored):
            return None
        tables = [parts_of(each) for each in parsed.tree.find_all(exp.Table) if isinstance(each.this, exp.Identifier)]
        return cls(parsed.text, tuple(dict.fromkeys(each for each in tables if len(each) > 1)), parsed.tree)

    def written(self, size: int) -> str:
        """The query with that many parts of each name at most."""
        text = self.text
        for start, end, name in sorted(self._places(size), reverse=True):
            text = f"{text[:start]}{name}{text[end:]}"
        return text

    def _places(self, size: int) -> Iterator[tuple[int, int, str]]:
        """Where names are longer, from and to, and what stands there instead."""
        for node in self.tree.find_all(exp.Table, exp.Column):
            qualifier = _qualifier(node)
            if qualifier is None:
                continue
            split = [name for each in qualifier for name in _split(each)]
            whole = parts_of(node) if isinstance(node, exp.Table) else parts_in(".".join(split))
            if len(whole) < 2 or not any(fit(whole, each) for each in self.dotted):
                continue
            span = _span(qualifier)
            if span is not None and (len(whole) > size or len(qualifier) < len(split)):
                yield *span, ".".join(map(quoted, split[-size:]))


def _qualifier(node: exp.Table | exp.Column) -> list[exp.Identifier] | None:
    """The parts of a table's name, or those before a column's; `None` where one is no name."""
    parts = node.parts[:-1] if isinstance(node, exp.Column) else node.parts
    names = [each for each in parts if isinstance(each, exp.Identifier)]
    return names if len(names) == len(parts) else None


def _split(part: exp.Identifier) -> list[str]:
    """The names in a part; a dot in quotes separates them too, as in BigQuery."""
    return [each for each in part.name.split(".") if each]


def _span(parts: list[exp.Identifier]) -> tuple[int, int] | None:
    start, end = parts[0].meta.get("start"), parts[-1].meta.get("end")
    return (start, end + 1) if isinstance(start, int) and isinstance(end, int) else None
