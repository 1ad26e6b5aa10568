"""Reads SQL into its specification, `Ssql` (docs/method.md, Stage 2), from the syntax tree and never with a model.

Change this here when it concerns:

- how SQL is read: `scoring/sql/`; then a case in `tests/cases/sql/`
- a dialect in scoring, or another name for one: `scoring/sql/dialects.py` (tutorial:
  `docs/tutorials/add-a-dialect.md`); names of database systems in spans: `consumers/spans/attributes.py`; then a case
  in `tests/cases/sql/`
- which names of an answer count as invented: `scoring/sql/unknown_names.py`; then a row in
  `tests/scoring/sql/test_unknown_names.py`
"""

from __future__ import annotations

from scoring.query import Unscored
from scoring.schema import DatabaseSchema
from scoring.specification import SqlFilter, SqlSpec
from scoring.sql.dialects import KNOWN_DIALECTS
from scoring.sql.reader import specify, specify_predicate

__all__ = ["KNOWN_DIALECTS", "read_predicate", "read_sql"]


def read_sql(sql: str, dialect: str | None, schema: DatabaseSchema | None = None) -> SqlSpec | Unscored:
    """The specification of one query, or the reason why it has none. No text makes it raise.

    With a schema it names the tables and columns that the query reads and the schema does not have.

    >>> spec = read_sql("SELECT c.name FROM clients AS c WHERE c.country = 'Peru'", None)
    >>> [each.text for each in spec.filters]
    ["country = 'peru'"]
    >>> read_sql("DROP TABLE clients", "postgres").reason.value
    'NOT_A_SELECT'
    """
    return specify(sql, dialect, schema)


def read_predicate(text: str, dialect: str | None) -> tuple[SqlFilter, ...] | Unscored:
    """The ANDed conditions of a tenant's predicate, normalised like those of a query.

    >>> [each.text for each in read_predicate("STATUS='Active' AND deleted <> 1", None)]
    ["status = 'active'", 'deleted != 1']
    >>> read_predicate("status = ", None).reason.value
    'UNPARSEABLE_SQL'
    """
    return specify_predicate(text, dialect)
