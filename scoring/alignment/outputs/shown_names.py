"""The names that SQL gives to what it computes: aliases carry meaning (STEF, 3.2.3)."""

from __future__ import annotations

from collections.abc import Mapping, Set

from scoring.linking import LINKED, best_likeness, content_words
from scoring.specification import Operand, SqlSpec
from scoring.words import identifier_words


def shown_names(sql: SqlSpec) -> Mapping[str, frozenset[str]]:
    """The stemmed words of the aliases of each operand that some query block computes.

    >>> from scoring.sql import read_sql
    >>> sorted(shown_names(read_sql("SELECT SUM(total) AS net_revenue FROM bookings", None))["sum(total)"])
    ['net', 'revenue']
    """
    found: dict[str, frozenset[str]] = {}
    for each in sql.projections:
        if each.alias is not None and not each.star:
            words = frozenset(identifier_words(each.alias))
            found[each.operand.name] = found.get(each.operand.name, _NONE) | words
    return found


_NONE: frozenset[str] = frozenset()


def tables_of(sql: SqlSpec) -> list[str]:
    """The base tables of all query blocks, as often as they are read."""
    return [table for block in sql.blocks for table in block.tables]


def table_words(sql: SqlSpec) -> frozenset[str]:
    """The stemmed words of the names of all base tables."""
    return frozenset(word for table in tables_of(sql) for word in identifier_words(table))


def alias_words(operand: Operand, names: Mapping[str, Set[str]]) -> frozenset[str]:
    """The words of the aliases of an operand and of the parts that it is computed from.

    >>> names = {"booked - made": {"wait"}}
    >>> sorted(alias_words(Operand(name="avg(booked - made)"), names))
    ['wait']
    """
    return _NONE.union(*[words for name, words in names.items() if name in operand.name])


def is_called(phrase: str, words: Set[str]) -> bool:
    """Whether a phrase's head, most of its words or their initials are in an alias.

    >>> is_called("total revenue", {"net", "revenue"}), is_called("order value", {"aov"}), is_called("revenue", {"n"})
    (True, True, False)
    """
    said = content_words(phrase)
    if not said or not words:
        return False
    initials = "".join(word[0] for word in said)
    if len(said) > 1 and any(initials in word for word in words if len(word) == len(initials) + 1 or word == initials):
        return True
    close = [best_likeness(word, words) >= LINKED for word in said]
    return close[-1] or 2 * sum(close) > len(close)
