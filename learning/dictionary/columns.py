"""What a column is: a flag, a moment that is empty until something happens, or a code; and what leaves its rows out."""

from __future__ import annotations

import re
from enum import StrEnum

from learning.dictionary.catalogue import DescribedColumn
from scoring.words import identifier_words

_FLAG_NAME = frozenset("is has was are".split())
_FLAG_END = frozenset("flg flag fl yn ind kz".split())
_MOMENT_NAME = frozenset("at on date ts time timestamp until since datetime".split())
_MOMENT_TYPE = re.compile(r"\b(?:date|time|timestamp|datetime)")
_YES = frozenset("y yes t".split())
_GOOD = frozenset(
    "active act live current valid enabled latest published visible open verified available confirmed".split()
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
    if len(words) > 1 and words[-1] in _FLAG_END:
        return ColumnKind.FLAG
    if _MOMENT_TYPE.search(column.type) or (not column.type and words and words[-1] in _MOMENT_NAME):
        return ColumnKind.MOMENT
    if column.type.startswith("tinyint"):
        return ColumnKind.FLAG
    return ColumnKind.OTHER


def without(column: DescribedColumn, value: str | None) -> str | None:
    """The condition that leaves out the rows that the column marks; `value` is what marks them, if it is told.

    >>> without(DescribedColumn("orders", "is_gift"), None), without(DescribedColumn("o", "is_gift", "char"), "'Y'")
    ('is_gift = FALSE', "is_gift = 'N'")
    >>> without(DescribedColumn("orders", "is_active"), None) is None
    True
    >>> without(DescribedColumn("orders", "voided_at", "timestamp"), None), without(DescribedColumn("o", "state"), None)
    ('voided_at IS NULL', None)
    """
    kind = kind_of_column(column)
    if kind is ColumnKind.MOMENT:
        said = "IS NULL" if value is None else None
    elif value is not None:
        said = _other_than(value, kind)
    else:
        said = _off(column) if kind is ColumnKind.FLAG else None
    marks_good = value is None and not _GOOD.isdisjoint(identifier_words(column.name))
    return None if said is None or marks_good else f"{column.name} {said}"


def _other_than(value: str, kind: ColumnKind) -> str | None:
    """What a row has in place of a value that is told."""
    bare = value.strip("'\"")
    if bare.lower() in _YES:
        return "= 'N'" if bare.isupper() else "= 'n'"
    if bare in ("1", "true", "TRUE", "True"):
        return "= 0" if bare == "1" else "= FALSE"
    return f"<> {value}" if value.startswith("'") and kind is ColumnKind.OTHER else None


def _off(column: DescribedColumn) -> str:
    """What a flag holds that is not set, by its type."""
    if _whole(column):
        return "= 0"
    return "= 'N'" if column.type.startswith(("char", "var")) else "= FALSE"


def _whole(column: DescribedColumn) -> bool:
    return column.type.startswith(("tinyint", "smallint", "int", "bit", "number", "numeric", "decimal"))


def is_marked_twice(column: DescribedColumn, sentence: str) -> bool:
    """Whether a code marks the same rows, so that either condition will do.

    >>> column = DescribedColumn("parcels", "cancelled_at")
    >>> is_marked_twice(column, "Cancelled ones (state 90, cancelled_at filled) do not count.")
    True
    """
    brackets = [each for each in _IN_BRACKETS.findall(sentence) if column.name in each]
    return any(_CODE_BESIDE.search(each.replace(column.name, "")) is not None for each in brackets)


_IN_BRACKETS = re.compile(r"\(([^()]*)\)")
_CODE_BESIDE = re.compile(r"[A-Za-z_]{2,} `?=? ?'?[A-Z0-9]{1,8}'?`?(?:,|$)")
