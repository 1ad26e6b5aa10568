"""Names of tables, bare or with a schema and a catalogue, and which of them name one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

Parts: TypeAlias = tuple[str, ...]
"""A name in lower case: catalogue, schema and table, or the last of them."""

_DEFAULT_SCHEMAS = frozenset({"public", "dbo", "main", "default"})
"""Schemas in which dialects look up a bare name."""

_QUOTES = '"`[]'


def bare(name: str) -> str:
    """The last part of a name that is written with dots.

    >>> bare('Shop."Order Items"')
    'Order Items'
    """
    return name.rpartition(".")[2].strip(_QUOTES)


def parts_of(table: exp.Table) -> Parts:
    """The parts of a table's name; a dot in quotes separates them too, as in BigQuery.

    >>> from sqlglot import parse_one
    >>> parts_of(parse_one('SELECT 1 FROM "p.Shop".orders').find(exp.Table))
    ('p', 'shop', 'orders')
    """
    parts = parts_in(".".join(each.name for each in table.parts))
    # T-SQL's `shop..orders` leaves the default schema out
    return (*parts[:-1], "dbo", parts[-1]) if table.catalog and not table.db else parts


def parts_in(name: str) -> Parts:
    """The parts of a name that is written with dots.

    >>> parts_in("Shop.Orders"), parts_in('public."Order Items"')
    (('shop', 'orders'), ('public', 'order items'))
    """
    return tuple(part for each in name.lower().split(".") if (part := each.strip(_QUOTES))) or ("",)


def fit(one: Parts, other: Parts) -> bool:
    """Whether two names may name one table: the shorter ends the longer.

    >>> fit(("orders",), ("shop", "orders")), fit(("archive", "orders"), ("shop", "orders"))
    (True, False)
    """
    size = min(len(one), len(other))
    return one[-size:] == other[-size:]


@dataclass(frozen=True, slots=True)
class TableNames:
    """Which table each of some names means, and a name without dots' meaning for each table.

    Names of which one ends the other mean one table. `shop.orders` and `archive.orders` are two tables.
    """

    wholes: Mapping[str, tuple[Parts, ...]]
    """The longest names, by their last part."""
    taken: frozenset[str] = frozenset()
    """Names of CTEs, which no table may have."""

    @classmethod
    def of(cls, names: Iterable[Parts], taken: Iterable[str] = ()) -> TableNames:
        """Settles which of the names mean one table.

        >>> names = TableNames.of([("orders",), ("shop", "orders")])
        >>> names.tables(("orders",)), names.flat(("shop", "orders"))
        ((('shop', 'orders'),), 'orders')
        """
        groups: dict[str, list[Parts]] = {}
        for name in sorted(set(names), key=lambda each: (-len(each), each)):
            group = groups.setdefault(name[-1], [])
            if not any(fit(name, other) for other in group):
                group.append(name)
        return cls({bare: tuple(group) for bare, group in groups.items()}, frozenset(each.lower() for each in taken))

    def tables(self, name: Parts) -> tuple[Parts, ...]:
        """The tables that a name may mean; one in a default schema comes before others.

        >>> TableNames.of([("public", "orders"), ("archive", "orders")]).tables(("orders",))
        (('public', 'orders'),)
        """
        found = tuple(each for each in self.wholes.get(name[-1], ()) if fit(name, each))
        usual = tuple(each for each in found if len(each) > 1 and each[-2] in _DEFAULT_SCHEMAS)
        return usual if len(usual) == 1 else found

    def flat(self, whole: Parts) -> str:
        """The name of a table in one database: bare, unless another table or a CTE has that name."""
        bare = whole[-1]
        return bare if len(self.wholes[bare]) == 1 and bare not in self.taken else ".".join(whole)
