"""What a column is: a flag, a moment that is empty until something happens, or a code; and what leaves its rows out."""

from __future__ import annotations

import re
from enum import StrEnum

from learning.dictionary.catalogue import DescribedColumn
from scoring.words import identifier_words

_FLAG_NAME = frozenset("is has was are".split())
_MOMENT_NAME = frozenset("at on date ts time timestamp until since datetime".split())
_MOMENT_TYPE = re.compile(r"\b(?:date|time|timestamp|datetime)")
_YES = frozenset("y yes t".split())
_GOOD = frozenset(
    "active live current valid enabled latest published visible open verified available confirmed".split()
)
"""Flags whose rows are the ones that count."""


class ColumnKind(StrEnum):
    """How the column says that a row does not count."""

    FLAG = "flag"
    MOMENT = "moment"
    OTHER = "other"


def kind_of_column(column: DescribedColumn) -> ColumnKind:
    """The kind, by the declared type and by the name.

    >>> kind_of_column(DescribedColumn("orders", "is_gift")).value
    'flag'
    >>> kind_of_column(DescribedColumn("orders", "ShippedOn", "date")).value
    'moment'
    """
    words = identifier_words(column.name)
    if column.type.startswith("bool") or column.type == "bit" or (words and words[0] in _FLAG_NAME):
        return ColumnKind.FLAG
    if _MOMENT_TYPE.search(column.type) or (not column.type and words and words[-1] in _MOMENT_NAME):
        return ColumnKind.MOMENT
    if column.type.startswith("tinyint"):
        return ColumnKind.FLAG
    return ColumnKind.OTHER


def without(column: DescribedColumn, value: str | None, named: str | None = None) -> str | None:
    """The condition that leaves out the rows that the column marks; `value` is what marks them, if it is told.

    >>> without(DescribedColumn("orders", "is_gift"), None), without(DescribedColumn("o", "is_gift", "char"), "'Y'")
    ('is_gift = FALSE', "is_gift = 'N'")
    >>> without(DescribedColumn("orders", "is_active"), None) is None
    True
    >>> without(DescribedColumn("orders", "voided_at", "timestamp"), None), without(DescribedColumn("o", "state"), None)
    ('voided_at IS NULL', None)
    """
    name = named or column.name
    bare = (value or "").strip("'\"").lower()
    kind = kind_of_column(column)
    if value is None and not _GOOD.isdisjoint(identifier_words(column.name)):
        return None
    if kind is ColumnKind.MOMENT:
        return f"{name} IS NULL" if value is None else None
    if bare in _YES:
        return f"{name} = '{'N' if (value or '').strip(chr(39) + chr(34)).isupper() else 'n'}'"
    if bare == "1" or (kind is ColumnKind.FLAG and value is None and _whole(column)):
        return f"{name} = 0" if kind is ColumnKind.FLAG or bare else None
    if bare == "true" or (kind is ColumnKind.FLAG and value is None and not column.type.startswith(("char", "var"))):
        return f"{name} = FALSE"
    if kind is ColumnKind.FLAG and value is None:
        return f"{name} = 'N'"
    return f"{name} <> {value}" if value is not None and value.startswith("'") else None


def _whole(column: DescribedColumn) -> bool:
    return column.type.startswith(("tinyint", "smallint", "int", "bit", "number", "numeric", "decimal"))
