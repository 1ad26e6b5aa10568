"""The tables and columns that a dictionary is about, as far as its DDL and its own words name them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from scoring.words import identifier_words, in_order, letters, stem

_PREFIXES = frozenset("fct fact dim stg tbl dwh mart vw view".split())
_SUFFIXES = frozenset("mst mstr hdr tab tbl log master header".split())
_FEWEST = 2
_REACH = 4
"""Most foreign keys on the way from a table to the one it hangs off."""


@dataclass(slots=True)
class DescribedTable:
    """A table with the columns that are known of it."""

    name: str
    """Its own name, as it is written."""
    columns: dict[str, DescribedColumn] = field(default_factory=dict[str, "DescribedColumn"])
    """By the letters of the name."""
    refers: set[str] = field(default_factory=set[str])
    """Letters of the tables that foreign keys lead to."""

    @property
    def noun(self) -> tuple[str, ...]:
        """The words that people call its rows by.

        >>> DescribedTable("fct_OrderLines").noun
        ('order', 'line')
        """
        words = identifier_words(self.name)
        words = words[1:] if len(words) > 1 and words[0] in _PREFIXES else words
        return words[:-1] if len(words) > 1 and words[-1] in _SUFFIXES else words

    def is_called(self, phrase: str) -> bool:
        """Whether a phrase is what people call its rows, one or many.

        >>> DescribedTable("fct_OrderLines").is_called("order lines")
        True
        """
        said = [stem(word) for word in phrase.lower().split()]
        return said == [stem(word) for word in self.noun] or self._is_short_for(said)

    def _is_short_for(self, said: list[str]) -> bool:
        """Whether its name is the one word that is said for short: `cust` for customers, `ctr` for contracts."""
        noun = self.noun
        short = len(said) == len(noun) == 1 and len(noun[0]) > _FEWEST and said[0][:1] == noun[0][0]
        return short and in_order(noun[0], said[0])


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    """A column of a table."""

    table: str
    name: str
    type: str = ""
    """As the DDL declares it, in lower case; empty where no DDL does."""

    @property
    def text(self) -> str:
        """Table and column."""
        return f"{self.table}.{self.name}"


@dataclass(slots=True)
class Catalogue:
    """Tables by the letters of their names."""

    tables: dict[str, DescribedTable] = field(default_factory=dict[str, DescribedTable])

    def add_table(self, name: str) -> DescribedTable:
        """The table of this name, which may have a schema before it."""
        own = name.rpartition(".")[2]
        return self.tables.setdefault(letters(own), DescribedTable(own))

    def add_column(self, table: str, name: str, kind: str = "") -> DescribedColumn:
        """The column of this table."""
        held = self.add_table(table)
        return held.columns.setdefault(letters(name), DescribedColumn(held.name, name, kind.lower()))

    def table(self, name: str) -> DescribedTable | None:
        """The table of this name, with or without a schema before it."""
        return self.tables.get(letters(name.rpartition(".")[2]))

    def holders(self, column: str) -> list[DescribedColumn]:
        """The columns of this name in all tables."""
        key = letters(column)
        return [each.columns[key] for each in self.tables.values() if key in each.columns]

    def link(self) -> None:
        """Finds the foreign keys that the names of columns tell: `order_id` leads to `orders`."""
        keys: dict[str, str] = {}
        # of two tables that begin with `order_id`, it is the key of the one that is called so
        for each in sorted(self.tables.values(), key=_begins_with_its_key, reverse=True):
            for key, found in _own_keys(each):
                keys.setdefault(key, found)
        for each in self.tables.values():
            for name in each.columns:
                target = next((keys[key] for key in sorted(keys, key=len, reverse=True) if name.endswith(key)), None)
                if target is not None and target != letters(each.name) and len(name) > 2:
                    each.refers.add(target)

    def hanging_off(self, table: str) -> list[DescribedTable]:
        """The tables from which foreign keys lead to this one, nearest first."""
        found = [letters(table)]
        reached = {letters(table)}
        for _ in range(_REACH):
            found = [key for key, each in self.tables.items() if key not in reached and each.refers & set(found)]
            reached.update(found)
            if not found:
                break
        return [each for key, each in self.tables.items() if key in reached and key != letters(table)]

    def named(self, words: Iterable[str]) -> list[DescribedTable]:
        """The tables whose rows the words (stems) speak of by all their words or by their last one."""
        said = list(words)
        found = [each for each in self.tables.values() if _spoken(each.noun, said)]
        last = [each for each in self.tables.values() if each.noun and each.noun[-1] in said]
        alone = [each for each in last if sum(other.noun[-1:] == each.noun[-1:] for other in last) == 1]
        return list({id(each): each for each in (*found, *alone)}.values())


def _spoken(noun: tuple[str, ...], said: list[str]) -> bool:
    return any(tuple(said[place : place + len(noun)]) == noun for place in range(len(said) - len(noun) + 1))


def _begins_with_its_key(table: DescribedTable) -> bool:
    first = next(iter(table.columns), "")
    return first == "id" or (bool(table.noun) and first in ("".join(table.noun) + "id", table.noun[-1] + "id"))


def _own_keys(table: DescribedTable) -> list[tuple[str, str]]:
    """What a column that refers to the table is called, by the letters of its name."""
    own = letters(table.name)
    noun = "".join(table.noun)
    first = next(iter(table.columns), "")
    if first == "id":
        return [(f"{noun}id", own)]
    return [(first, own)] if first.endswith("id") and len(first) > 2 else []
