"""Reads SQL into its specification, `Ssql` (`stef.md`, Stage 2), from the syntax tree and never from a model."""

from __future__ import annotations

from scoring.query import Unscored
from scoring.specification import SqlFilter, SqlSpec
from scoring.sql.dialects import KNOWN_DIALECTS
from scoring.sql.reader import predicate_filters, specify

__all__ = ["KNOWN_DIALECTS", "read_predicate", "read_sql"]


def read_sql(sql: str, dialect: str | None) -> SqlSpec | Unscored:
    """The specification of one query, or why it has none. Nothing it is given makes it raise.

    >>> spec = read_sql("SELECT c.name FROM clients AS c WHERE c.country = 'Peru'", None)
    >>> [each.text for each in spec.filters]
    ["country = 'peru'"]
    >>> read_sql("DROP TABLE clients", "postgres").reason.value
    'NOT_A_SELECT'
    """
    return specify(sql, dialect)


def read_predicate(text: str, dialect: str | None) -> tuple[SqlFilter, ...] | Unscored:
    """The ANDed conditions of a tenant's predicate, normalised as those of a query are.

    >>> [each.text for each in read_predicate("STATUS='Active' AND deleted <> 1", None)]
    ["status = 'active'", 'deleted != 1']
    >>> read_predicate("status = ", None).reason.value
    'UNPARSEABLE_SQL'
    """
    return predicate_filters(text, dialect)
